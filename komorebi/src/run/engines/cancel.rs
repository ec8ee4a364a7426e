//! Cancelling: one engine by its handle, or all of them when the run ends.

use std::sync::Arc;
use std::time::Duration;

use komorebi_abi::constants::command as c;
use komorebi_abi::engine::Cancel;
use komorebi_card::CardTime;

use super::super::state::State;
use super::super::{Run, RunCore};
use super::{What, engine_rejected, set_state};
use crate::Result;
use crate::engine::{Engine, EngineHandle, EngineState};
use crate::error::EngineCall;

impl<P> Run<P> {
    /// Cancels an engine and returns when the dispatcher has taken that: the engine then ends with its error event, reason
    /// `cancelled`, once its commands in flight have completed. Nothing is sent for an engine that has ended. For a handle
    /// whose RUN was not answered it also learns that answer. A kept graph that ends while its CANCEL is on the way is
    /// dropped by it: its end event stands, and its upload is idle.
    ///
    /// ```
    /// use std::time::Duration;
    /// use komorebi as km;
    /// use km::Arithmetic as _;
    ///
    /// # fn main() -> km::Result<()> {
    /// const TIMEOUT: Duration = Duration::from_secs(5);
    /// let session = km::Session::open()?;
    /// let run = session.load(km::Program::new("idle").grid(2, 1))?;
    /// let mut stream = km::Stream::new();
    /// let [go] = stream.bindings(["go"]);
    /// let turn = |s: &mut km::Stream| {
    ///     s.add(go, go, 1);
    /// };
    /// stream.while_(|_| go.into(), turn).halt(go);
    ///
    /// let handle = run.start(&run.upload(&stream)?, [1_u32])?;
    /// run.cancel(&handle, TIMEOUT)?;
    /// let Err(km::Error::EngineError(error)) = run.wait_engine(&handle, TIMEOUT) else { panic!("it spins") };
    /// assert_eq!(error.reason_name, "cancelled");
    /// run.stop(TIMEOUT)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::EngineRejected`](crate::Error::EngineRejected) when the RUN turns out to be rejected: it never ran.
    /// [`Error::EngineTimeout`](crate::Error::EngineTimeout) when the CANCEL is not answered;
    /// [`Error::Upload`](crate::Error::Upload) for another run's engine; what ends the run.
    pub fn cancel<T>(&self, handle: &EngineHandle<T>, timeout: Duration) -> Result<()> {
        self.core.check_load("engine", handle.engine.load)?;
        let mut state = self.core.state()?;
        self.core.cancel(&mut state, &handle.engine, timeout)
    }
}

impl RunCore {
    fn cancel(&self, state: &mut State, engine: &Arc<Engine>, timeout: Duration) -> Result<()> {
        // It may have ended, and this host not have read that.
        self.read_unread(state)?;
        if !engine.over() {
            let deadline = self.card.now() + timeout;
            let ping = self.send_cancel(state, engine);
            if !self.until(state, ping, deadline, |state| state.is_answered(ping))? {
                return Err(self.engine_timeout(engine, Some(EngineCall::Cancel), timeout));
            }
        }
        let (state, rejected, cancel_rejected) = {
            let life = engine.life();
            (life.state, life.rejected, life.cancel_rejected)
        };
        match (rejected, cancel_rejected) {
            (Some(reason), _) => Err(engine_rejected(engine, EngineCall::Run, reason)),
            // Its CANCEL met nothing because it had just ended.
            (None, Some(reason)) if state != EngineState::Ended => {
                Err(engine_rejected(engine, EngineCall::Cancel, reason))
            }
            _ => Ok(()),
        }
    }

    /// Reads the events that have arrived.
    fn read_unread(&self, state: &mut State) -> Result<()> {
        state.read_events().map_err(|ending| self.end(state, ending))
    }

    /// Queues a CANCEL and a PING, whose number it gives.
    fn send_cancel(&self, state: &mut State, engine: &Arc<Engine>) -> u64 {
        engine.life().cancel_rejected = None;
        let words = Cancel { req: engine.req }.words();
        state.send_engine(c::KM_HANDLER_CANCEL, &words, What::Cancel(engine.clone()));
        state.send_ping()
    }

    /// Cancels every engine that runs or may run, and waits for their ends.
    pub(in crate::run) fn cancel_all(&self, state: &mut State, deadline: CardTime) -> Result<()> {
        self.read_unread(state)?;
        if !state.engines.any() {
            return Ok(());
        }
        let start = self.card.now();
        let engines: Vec<Arc<Engine>> = state.engines.running.values().cloned().collect();
        tracing::info!(engines = engines.len(), "cancelling the engines that run");
        engines.iter().for_each(|engine| {
            self.send_cancel(state, engine);
        });
        let upto = state.last();
        if self.until(state, upto, deadline, |state| !state.engines.any())? {
            return Ok(());
        }
        let Some(late) = state.engines.running.values().next().cloned() else { return Ok(()) };
        let call = if state.is_answered(upto) { None } else { Some(EngineCall::Cancel) };
        set_state(&late, EngineState::Running, EngineState::Unknown);
        Err(self.engine_timeout(&late, call, deadline - start))
    }
}
