//! Starting an upload.

use std::sync::Arc;
use std::time::Duration;

use komorebi_abi::constants::command as c;
use komorebi_abi::engine::{Header, Run as RunWords, UploadKind};

use super::super::state::State;
use super::super::{Run, RunCore};
use super::{TIMEOUT, What, engine_rejected, set_state};
use crate::Result;
use crate::engine::{Bound, Engine, EngineHandle, EngineState, EngineType, Upload, UploadState, Uploaded};
use crate::error::{EngineCall, UploadError};

/// How an upload is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartOptions {
    /// Rewrites the header's keep bit first: whether the graph stays after its end event. `None` leaves it.
    pub kept: Option<bool>,
    /// How long the dispatcher may take to answer the RUN, on the card's clock.
    pub timeout: Duration,
}

impl Default for StartOptions {
    /// The keep bit as it is, 10 s.
    fn default() -> Self {
        Self { kept: None, timeout: TIMEOUT }
    }
}

impl<P> Run<P> {
    /// Starts an upload and returns when the dispatcher has taken it, within 10 s; see
    /// [`start_with`](Self::start_with).
    ///
    /// ```
    /// use std::time::Duration;
    /// use komorebi::{self as km, Arithmetic as _};
    ///
    /// # fn main() -> km::Result<()> {
    /// const TIMEOUT: Duration = Duration::from_secs(5);
    /// let session = km::Session::open()?;
    /// let run = session.load(km::Program::new("idle").grid(2, 1))?;
    /// // A NOP on both cores, as often as `rounds` says.
    /// let mut graph = km::Graph::new().req(6).keep();
    /// let [rounds] = graph.bindings(["rounds"]);
    /// let nop = graph.command(0, 0..2, []).id();
    /// let mut cpu = graph.cpu([nop]);
    /// let again = cpu.again();
    /// cpu.sub(rounds, rounds, 1).set(again, rounds);
    /// graph.end(rounds, rounds);
    ///
    /// let upload = run.upload(&graph)?;
    /// let handle = run.start(&upload, [("rounds", 3_u32)])?;
    /// let end = run.wait_engine(&handle, TIMEOUT)?;
    /// assert_eq!((end.end(), handle.events().len()), ([0, 0], 3));
    /// // It is kept: again, with other bindings and no new upload.
    /// let handle = run.restart(6, [("rounds", 5_u32)])?;
    /// run.wait_engine(&handle, TIMEOUT)?;
    /// assert_eq!(handle.events().len(), 5);
    /// run.release(&upload, TIMEOUT)?;
    /// run.stop(TIMEOUT)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`start_with`](Self::start_with).
    pub fn start<T: EngineType>(
        &self,
        upload: &Upload<T>,
        bindings: impl Into<T::Bindings>,
    ) -> Result<EngineHandle<T>> {
        self.start_with(upload, bindings, StartOptions::default())
    }

    /// Starts an upload: RUN, with a PING behind it, whose answer it waits for.
    ///
    /// `bindings` are the struct that the declared graph's or stream's `bind` makes; for one that was built at run time
    /// words by name (`[("limit", 7_u32)]`) or up to 16 of them in order (`[7_u32]`), `()` for none. They go to one line of
    /// the region, which is free again after the end. The engine holds every tensor whose address is bound, and so does a
    /// kept graph, until it is started again or released.
    ///
    /// # Errors
    /// [`Error::Upload`](crate::Error::Upload) when the upload runs, is kept or released, for bindings that are not its
    /// own, and when another engine that runs or is kept has its req; nothing is sent then.
    /// [`Error::Tensor`](crate::Error::Tensor) for a tensor of another session or one that was freed.
    /// [`Error::EngineRejected`](crate::Error::EngineRejected) when the dispatcher rejects the RUN.
    /// [`Error::EngineTimeout`](crate::Error::EngineTimeout) when it does not answer, with the handle marked unknown: the
    /// engine may have started, and [`cancel`](Self::cancel) or [`stop`](Self::stop) settles it. What ends the run.
    pub fn start_with<T: EngineType>(
        &self,
        upload: &Upload<T>,
        bindings: impl Into<T::Bindings>,
        options: StartOptions,
    ) -> Result<EngineHandle<T>> {
        let bound = T::words(bindings.into(), upload.uploaded.names.as_deref())?.0;
        let mut state = self.core.state()?;
        self.core.start(&mut state, &upload.uploaded, bound, options).map(EngineHandle::new)
    }
}

impl RunCore {
    fn start(
        &self,
        state: &mut State,
        upload: &Arc<Uploaded>,
        bound: Bound,
        options: StartOptions,
    ) -> Result<Arc<Engine>> {
        self.check_load("upload", upload.load)?;
        let (req, before) = (upload.req, upload.state());
        if before != UploadState::Idle {
            return Err(UploadError::State { req, state: before }.into());
        }
        if state.engines.engine(req).is_some() || state.engines.kept(req).is_some() {
            return Err(UploadError::Req { req }.into());
        }
        self.set_keep(state, upload, options.kept)?;
        let run = |bindings| RunWords::Upload {
            offset: upload.offset,
            bytes: upload.bytes,
            kind: upload.kind,
            bindings,
        };
        self.launch(state, (upload.kind, req), Some(upload), bound, options.timeout, run)
    }

    /// Rewrites the keep bit of an upload that does not run.
    fn set_keep(&self, state: &mut State, upload: &Uploaded, kept: Option<bool>) -> Result<()> {
        let Some(kept) = kept.filter(|&kept| kept != upload.life().keep) else { return Ok(()) };
        if upload.kind != UploadKind::Graph {
            return Err(UploadError::Keep { req: upload.req }.into());
        }
        self.write_region(state, upload.offset, &Header::with_keep(upload.head, kept).to_le_bytes())?;
        upload.life().keep = kept;
        Ok(())
    }

    /// Sends a RUN and waits for its answer.
    pub(super) fn launch(
        &self,
        state: &mut State,
        (kind, req): (UploadKind, u16),
        upload: Option<&Arc<Uploaded>>,
        bound: Bound,
        timeout: Duration,
        run: impl FnOnce(Option<u32>) -> RunWords,
    ) -> Result<Arc<Engine>> {
        let deadline = self.card.now() + timeout;
        let line = self.bind(state, &bound)?;
        let tensors = match self.bound_tensors(bound) {
            Ok(tensors) => tensors,
            Err(error) => {
                line.into_iter().for_each(|line| state.engines.region.give_back(line));
                return Err(error);
            }
        };
        let before = upload.map_or(UploadState::Idle, |upload| upload.state());
        let engine = Engine::new(self.number, kind, req, upload.cloned(), line, tensors);
        if let Some(upload) = upload {
            upload.life().state = UploadState::Running;
        }
        // Its first event may come before the PONG.
        state.engines.running.insert(req, engine.clone());
        state.send_engine(c::KM_HANDLER_RUN, &run(line).words(), What::Run(engine.clone(), before));
        let ping = state.send_ping();
        if !self.until(state, ping, deadline, |state| state.is_answered(ping))? {
            set_state(&engine, EngineState::Running, EngineState::Unknown);
            return Err(self.engine_timeout(&engine, Some(EngineCall::Run), timeout));
        }
        let rejected = engine.life().rejected;
        match rejected {
            Some(reason) => Err(engine_rejected(&engine, EngineCall::Run, reason)),
            None => Ok(engine),
        }
    }
}
