//! Uploading and releasing.

use std::time::Duration;

use komorebi_abi::constants::{command as c, engine};
use komorebi_abi::engine::{Cancel, UploadKind};
use komorebi_abi::wire::reject_name;

use super::super::state::State;
use super::super::{Run, RunCore};
use super::{What, engine_rejected, set_state};
use crate::Result;
use crate::engine::{Content, Engine, EngineState, Upload, UploadSource, UploadState, Uploaded, head};
use crate::error::{EngineCall, UploadError};

impl<P> Run<P> {
    /// Writes a stream or graph into the upload region, as whole lines at the first free place. Several uploads live side
    /// by side.
    ///
    /// `source` is a type that `km::graph!` or `km::stream!` declared for this run's program, a `&Graph` or `&Stream`
    /// (checked and encoded here), a `&Encoded`, or bytes with a kind. Of bytes the host checks nothing: a bad upload is
    /// the dispatcher's to reject, with an error event.
    ///
    /// ```
    /// use komorebi::{self as km, Arithmetic as _};
    ///
    /// # fn main() -> km::Result<()> {
    /// let session = km::Session::open()?;
    /// let run = session.load(km::Program::new("idle").grid(2, 1))?;
    /// let mut stream = km::Stream::new().req(3);
    /// let [start] = stream.bindings(["start"]);
    /// let twice = stream.register();
    /// stream.add(twice, start, start).halt(twice);
    ///
    /// let upload = run.upload(&stream)?;
    /// assert_eq!((upload.offset(), upload.req()), (0, 3));
    /// let result = run.run_hostfed(&stream, [("start", 21_u32)], std::time::Duration::from_secs(1))?;
    /// assert_eq!(result.end(), [42, 0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Upload`](crate::Error::Upload) for one that does not fit, before anything is written, and for a graph or
    /// stream that breaks rules; [`Error::LoadOption`](crate::Error::LoadOption) for a run with a `host_depth` of 1; [`Error::RunEnded`](crate::Error::RunEnded); the card's errors.
    pub fn upload<Via, S: UploadSource<P, Via>>(&self, source: S) -> Result<Upload<S::Of>> {
        let content = source.content(&self.core.facts)?;
        let mut state = self.core.state()?;
        self.core.upload(&mut state, content).map(Upload::new)
    }

    /// Gives an upload's lines back. A kept graph is first dropped: CANCEL, then its cancelled event, both within
    /// `timeout`.
    ///
    /// # Errors
    /// [`Error::Upload`](crate::Error::Upload) for one that runs, was released, or is another run's;
    /// [`Error::EngineTimeout`](crate::Error::EngineTimeout) when the drop is not answered: release it again then;
    /// [`Error::EngineRejected`](crate::Error::EngineRejected); what ends the run.
    pub fn release<T>(&self, upload: &Upload<T>, timeout: Duration) -> Result<()> {
        let mut state = self.core.state()?;
        self.core.release(&mut state, &upload.uploaded, timeout)
    }
}

impl RunCore {
    fn upload(&self, state: &mut State, content: Content) -> Result<std::sync::Arc<Uploaded>> {
        let Content { mut bytes, kind, req, keep, names } = content;
        // A RUN is answered by the line behind it, which a ring of one line takes only once the RUN is known to be consumed.
        if state.ring.lines < 2 {
            let expected = "give at least 2 to a run of graphs and streams".into();
            return Err(crate::Error::LoadOption {
                name: "host_depth",
                found: state.ring.lines.to_string(),
                expected,
            });
        }
        let whole = bytes.len().max(1).next_multiple_of(engine::UPLOAD_ALIGN as usize);
        let offset = self.take_room(state, kind.name(), whole)?;
        bytes.resize(whole, 0);
        if let Err(error) = self.write_region(state, offset, &bytes) {
            state.engines.region.give_back(offset);
            return Err(error);
        }
        tracing::debug!(kind = kind.name(), req, offset, bytes = whole, "uploaded");
        let place = (self.number, offset, whole as u32);
        let upload = Uploaded::new(place, kind, (req, keep, head(&bytes)), names);
        state.engines.uploads.push(upload.clone());
        Ok(upload)
    }

    fn release(&self, state: &mut State, upload: &std::sync::Arc<Uploaded>, timeout: Duration) -> Result<()> {
        self.check_load("upload", upload.load)?;
        let now = upload.state();
        match now {
            UploadState::Idle => {}
            UploadState::Kept => self.drop_kept(state, upload, timeout)?,
            // A drop that was not answered in time is waited for again.
            UploadState::Unknown if self.is_dropped(state, upload) => {
                self.await_drop(state, upload, timeout)?
            }
            state => return Err(UploadError::State { req: upload.req, state }.into()),
        }
        upload.life().state = UploadState::Released;
        state.engines.uploads.retain(|other| !std::sync::Arc::ptr_eq(other, upload));
        state.engines.region.give_back(upload.offset);
        Ok(())
    }

    /// Drops a kept graph and waits for its cancelled event.
    fn drop_kept(
        &self,
        state: &mut State,
        upload: &std::sync::Arc<Uploaded>,
        timeout: Duration,
    ) -> Result<()> {
        if state.engines.engine(upload.req).is_some() {
            return Err(UploadError::Req { req: upload.req }.into());
        }
        let (kind, req) = (UploadKind::Graph, upload.req);
        let engine = Engine::new(self.number, kind, req, Some(upload.clone()), None, Vec::new());
        engine.life().dropping = true;
        state.engines.running.insert(req, engine.clone());
        upload.life().state = UploadState::Running;
        state.send_engine(c::KM_HANDLER_CANCEL, &Cancel { req }.words(), What::Cancel(engine));
        state.send_ping();
        self.await_drop(state, upload, timeout)
    }

    /// True when what has the upload's req is the drop of it.
    fn is_dropped(&self, state: &State, upload: &Uploaded) -> bool {
        state.engines.engine(upload.req).is_some_and(|engine| engine.life().dropping)
    }

    fn await_drop(
        &self,
        state: &mut State,
        upload: &std::sync::Arc<Uploaded>,
        timeout: Duration,
    ) -> Result<()> {
        let Some(engine) = state.engines.engine(upload.req).cloned() else { return Ok(()) };
        let deadline = self.card.now() + timeout;
        let upto = state.last();
        let settled = |engine: &Engine| {
            let life = engine.life();
            life.state == EngineState::Ended || life.cancel_rejected.is_some()
        };
        if !self.until(state, upto, deadline, |_| settled(&engine))? {
            set_state(&engine, EngineState::Running, EngineState::Unknown);
            return Err(self.engine_timeout(&engine, Some(EngineCall::Cancel), timeout));
        }
        let rejected = engine.life().cancel_rejected;
        let Some(reason) = rejected else { return Ok(()) };
        // It never was an engine.
        state.engines.running.remove(&upload.req);
        if reject_name(reason) == Some("req") {
            // The dispatcher keeps no graph of this req: a CANCEL before this one has dropped it.
            upload.life().state = UploadState::Idle;
            return Ok(());
        }
        upload.life().state = UploadState::Kept;
        Err(engine_rejected(&engine, EngineCall::Cancel, reason))
    }
}
