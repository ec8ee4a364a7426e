//! Waiting for an engine's end.

use std::time::Duration;

use super::super::{Run, RunCore};
use super::engine_rejected;
use crate::Result;
use crate::engine::{EngineEvent, EngineEventKind, EngineHandle};
use crate::error::{EngineCall, EngineEnded, EngineError};

impl<P> Run<P> {
    /// Waits for the engine's end and returns that event. While it waits it stores what is queued, and tells the dispatcher
    /// how many events were read, since an engine's posts wait for room.
    ///
    /// # Errors
    /// [`Error::EngineError`](crate::Error::EngineError) when it ended with an error event;
    /// [`Error::EngineTimeout`](crate::Error::EngineTimeout) when `timeout` passes: the engine may still run;
    /// [`Error::EngineRejected`](crate::Error::EngineRejected) when it never ran;
    /// [`Error::Upload`](crate::Error::Upload) for another run's engine;
    /// [`Error::KernelFailed`](crate::Error::KernelFailed) and what else ends the run.
    pub fn wait_engine<T>(&self, handle: &EngineHandle<T>, timeout: Duration) -> Result<EngineEvent<T>> {
        self.core.check_load("engine", handle.engine.load)?;
        if !handle.engine.over() {
            self.core.await_end(handle, timeout)?;
        }
        let rejected = handle.engine.life().rejected;
        if let Some(reason) = rejected {
            return Err(engine_rejected(&handle.engine, EngineCall::Run, reason));
        }
        match handle.end() {
            Some(event) if event.kind == EngineEventKind::Error => Err(failed(&event).into()),
            Some(event) => Ok(event),
            None => Err(self.core.engine_timeout(&handle.engine, None, timeout)),
        }
    }

    /// Waits for the engine's event number `index`, counted from 0, and returns it. Waits as
    /// [`wait_engine`](Self::wait_engine) does; that one's events are among them, errors too.
    ///
    /// # Errors
    /// As [`wait_engine`](Self::wait_engine), but for an error event, which is returned;
    /// [`Error::EngineEnded`](crate::Error::EngineEnded) when the engine has ended with fewer events.
    pub fn wait_engine_event<T>(
        &self,
        handle: &EngineHandle<T>,
        index: usize,
        timeout: Duration,
    ) -> Result<EngineEvent<T>> {
        self.core.check_load("engine", handle.engine.load)?;
        if handle.event(index).is_none() && !handle.engine.over() {
            self.core.timed(|state| {
                let deadline = self.core.card.now() + timeout;
                let upto = state.last();
                let there = || handle.event(index).is_some() || handle.engine.over();
                self.core.until(state, upto, deadline, |_| there()).map(|_| ())
            })?;
        }
        let rejected = handle.engine.life().rejected;
        match (handle.event(index), rejected) {
            (Some(event), _) => Ok(event),
            (None, Some(reason)) => Err(engine_rejected(&handle.engine, EngineCall::Run, reason)),
            (None, None) if handle.engine.over() => {
                let (handle, events) = (EngineHandle::new(handle.engine.clone()), handle.events().len());
                Err(EngineEnded { handle, index, events }.into())
            }
            (None, None) => Err(self.core.engine_timeout(&handle.engine, None, timeout)),
        }
    }
}

impl RunCore {
    fn await_end<T>(&self, handle: &EngineHandle<T>, timeout: Duration) -> Result<()> {
        self.timed(|state| {
            let deadline = self.card.now() + timeout;
            let upto = state.last();
            if self.until(state, upto, deadline, |_| handle.engine.over())? {
                return Ok(());
            }
            Err(self.engine_timeout(&handle.engine, None, timeout))
        })
    }
}

/// The error of an engine whose last event is `event`.
fn failed<T>(event: &EngineEvent<T>) -> EngineError {
    let event = event.untyped();
    let (reason, reason_name) = (event.reason.unwrap_or(0), event.reason_name.unwrap_or("unknown"));
    let (handle, pc, node) = (event.handle.clone(), event.pc, event.node);
    EngineError { handle, event, reason, reason_name, pc, node }
}
