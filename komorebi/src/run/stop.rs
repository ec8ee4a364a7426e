//! Stopping: EXIT to every core, then the dispatcher; or the failure path.

use std::time::Duration;

use komorebi_abi::constants::command as c;

use super::end::saved;
use super::returned::wait_returned;
use super::state::{Checked, State};
use super::teardown::{self, NOT_BACK, Teardown};
use super::{Run, RunCore};
use crate::error::{GridTimeout, StuckThread};
use crate::state::StopReport;
use crate::{Error, Result};

impl<P> Run<P> {
    /// Cancels every engine that runs or may run, drains, sends EXIT to every core, stops the dispatcher, resets the cores,
    /// reads their state. `timeout` is one deadline for all of it. For a run that died before, or whose session was closed: what was read back then.
    ///
    /// # Errors
    /// [`Error::EngineTimeout`] when an engine did not end in time, [`Error::WaitTimeout`] when commands or EXIT did not
    /// complete, [`Error::KernelFailed`] when the dispatcher
    /// did not end cleanly, [`Error::GridTimeout`] when a thread did not return. The run is stopped in any case.
    pub fn stop(self, timeout: Duration) -> Result<StopReport> {
        let span = tracing::info_span!("stop");
        let _entered = span.enter();
        let mut state = self.core.state.borrow_mut();
        if let Some(report) = self.core.read_back(&mut state) {
            return Ok(report);
        }
        match self.core.stop(&mut state, timeout) {
            Ok(report) => Ok(report),
            Err(error) if state.ended.is_some() => Err(error),
            Err(error) => {
                tracing::warn!(%error, "the run does not stop by itself: it is aborted");
                match self.core.force() {
                    Ok(teardown) => Err(self.core.bury(&mut state, error, Some(teardown))),
                    Err(lost) if lost.is_final() => Err(self.core.bury(&mut state, error, None)),
                    Err(failed) => {
                        // The drop of the run, which comes next, tries again.
                        tracing::warn!(error = %failed, "the abort failed");
                        let story = self.core.story(&state, &error, None);
                        Err(saved(story, None, error))
                    }
                }
            }
        }
    }

    /// Cancels the engines that run, then stops the grid by its stop flags and the dispatcher behind it; nothing in flight
    /// completes. For a run that died before, or
    /// whose session was closed: what was read back then.
    ///
    /// # Errors
    /// [`Error::KernelFailed`] when the dispatcher's hart did not come back, [`Error::GridTimeout`] when a thread did not
    /// return before its core was reset; the card's errors.
    pub fn abort(self) -> Result<StopReport> {
        let span = tracing::info_span!("abort");
        let _entered = span.enter();
        let mut state = self.core.state.borrow_mut();
        if let Some(report) = self.core.read_back(&mut state) {
            return Ok(report);
        }
        self.core.abort(&mut state)
    }
}

impl RunCore {
    /// What was read back when the run died, or when its session was closed.
    fn read_back(&self, state: &mut State) -> Option<StopReport> {
        if state.report.is_none() && self.session.closed() {
            self.lost(state, Error::Closed);
        }
        state.report.take()
    }

    fn stop(&self, state: &mut State, timeout: Duration) -> Result<StopReport> {
        let deadline = self.card.now() + timeout;
        let left = || deadline - self.card.now();
        self.cancel_all(state, deadline)?;
        match self.drain(state, left()) {
            Ok(_) | Err(Error::CommandRejected(_)) => {}
            Err(error) => return Err(error),
        }
        let number = state.push(&Checked {
            handler: c::KM_HANDLER_EXIT as u8,
            flags: 0,
            group: self.everyone(),
            words: 0,
            args: [0; c::ARGS_MAX as usize],
        });
        if !self.until(state, number, deadline, |state| state.table.oldest() > number)? {
            return Err(self.timed_out(timeout, vec![number]));
        }
        let grid;
        let (result, teardown) = {
            let card = self.session.enter()?;
            teardown::tell_dispatcher(self.session.cluster())?;
            let result = teardown::wait_result(&*card, self.session.cluster(), left())?;
            grid = left().min(self.session.grid_timeout());
            let away = wait_returned(&*card, &self.tiles, &self.kernels, grid)?;
            if !away.is_empty() {
                tracing::warn!("threads of the grid did not return after EXIT");
            }
            if !result.is_some_and(|result| result.clean()) {
                teardown::log_state(self.session.cluster())?;
            }
            (result, Teardown { away, ..self.hold(&*card).finish()? })
        };
        let stuck: Vec<StuckThread> = teardown::stuck_threads(&teardown).collect();
        let failure = match result {
            None => {
                Some(self.failed("it did not write its result after the stop word", None, Some(&teardown)))
            }
            Some(result) if !result.clean() => {
                Some(self.failed("it did not end cleanly", None, Some(&teardown)))
            }
            Some(_) if !teardown.restored => Some(self.failed(NOT_BACK, None, Some(&teardown))),
            Some(_) if !stuck.is_empty() => Some(grid_timeout(stuck, &teardown, grid)),
            Some(_) => None,
        };
        if let Some(error) = failure {
            return Err(self.bury(state, error, Some(teardown)));
        }
        tracing::info!(commands = result.map(|result| result.commands), "the run is stopped");
        self.unload();
        state.ended = Some(std::sync::Arc::new(Error::Closed));
        Ok(self.report(state, Some(teardown), None))
    }

    /// Stops grid and dispatcher, whatever they do.
    pub(super) fn force(&self) -> Result<Teardown> {
        let card = self.session.enter()?;
        self.hold(&*card).force()
    }

    fn abort(&self, state: &mut State) -> Result<StopReport> {
        if let Err(error) = self.cancel_all(state, self.card.now() + self.session.patience()) {
            // A run that this showed to be dead was stopped and read back.
            if let Some(report) = state.report.take() {
                return Ok(report);
            }
            tracing::warn!(%error, "engines did not end: their commands are abandoned");
        }
        let teardown = match self.force() {
            Ok(teardown) => teardown,
            Err(error) => return Err(self.lost(state, error)),
        };
        if !teardown.restored {
            let error = self.failed(NOT_BACK, None, Some(&teardown));
            return Err(self.bury(state, error, Some(teardown)));
        }
        self.unload();
        state.ended = Some(std::sync::Arc::new(Error::Closed));
        let stuck: Vec<StuckThread> = teardown::stuck_threads(&teardown).collect();
        if stuck.is_empty() {
            Ok(self.report(state, Some(teardown), None))
        } else {
            let error = grid_timeout(stuck, &teardown, self.session.patience());
            let story = self.story(state, &error, Some(&teardown));
            let report = self.report(state, Some(teardown), None);
            Err(saved(story, report.trace.as_ref(), error))
        }
    }
}

fn grid_timeout(threads: Vec<StuckThread>, teardown: &Teardown, timeout: Duration) -> Error {
    GridTimeout { timeout, threads, result: teardown.result, post_mortem: None }.into()
}

impl Drop for RunCore {
    fn drop(&mut self) {
        let loaded = self.loaded();
        let mut state = self.state.borrow_mut();
        if state.ended.is_none() && loaded && !self.session.closed() {
            tracing::info!("the run is dropped: aborting it");
            if let Err(error) = self.abort(&mut state) {
                tracing::warn!(%error, "the run did not abort cleanly");
            }
        }
    }
}
