//! The end of a run that died: grid and image stopped, state read back, the cause kept.

use std::path::PathBuf;
use std::sync::Arc;

use komorebi_card::{CardTime, Group};

use super::RunCore;
use super::state::{Ending, State};
use super::teardown::Teardown;
use super::trace::Trace;
use crate::engine::EngineHandle;
use crate::error::{CommandTimeout, HartTrap, KernelFailed, LateCore};
use crate::postmortem::{CommandRecord, PostMortem, Scene};
use crate::session::HartState;
use crate::state::{CoreState, DispatcherState, ResultBlock, StopReport};
use crate::{Error, Result};

impl RunCore {
    /// Stops everything because of `ending` and returns the error that tells of it.
    pub(super) fn end(&self, state: &mut State, ending: Ending) -> Error {
        let (dispatcher, teardown) = match self.read_dead() {
            Ok((dispatcher, teardown)) => (dispatcher, Some(teardown)),
            Err(error) if error.is_final() => return self.lost(state, error),
            Err(error) => {
                tracing::warn!(%error, "the run died and could not be stopped: the session's close tries again");
                (None, None)
            }
        };
        let error = self.told(state, ending, dispatcher.as_ref(), teardown.as_ref());
        tracing::warn!(%error, "the run ended");
        self.bury(state, error, teardown)
    }

    /// Stops a run that died and reads it back; tries once more what failed and need not fail again.
    fn read_dead(&self) -> Result<(Option<DispatcherState>, Teardown)> {
        let once = || {
            let dispatcher = self.dispatcher().ok();
            Ok((dispatcher, self.force()?))
        };
        once().or_else(|error: Error| {
            if error.is_final() {
                return Err(error);
            }
            tracing::warn!(%error, "stopping the run failed: trying again");
            once()
        })
    }

    /// The error of a run that died of `ending`, with what was read back of it.
    fn told(
        &self,
        state: &State,
        ending: Ending,
        dispatcher: Option<&DispatcherState>,
        teardown: Option<&Teardown>,
    ) -> Error {
        match ending {
            Ending::Late { number, engine, slot, sequence } => {
                let group = self.late_group(state, dispatcher, number, slot);
                let cores = teardown.map(|teardown| late_cores(&teardown.cores, group, sequence));
                let result = teardown.and_then(|teardown| teardown.result);
                let deadline = self.deadline;
                let engine = engine.map(|(engine, record)| (EngineHandle::new(engine), record));
                let cores = cores.unwrap_or_default();
                CommandTimeout {
                    handle: number,
                    engine,
                    deadline,
                    slot,
                    sequence,
                    group,
                    cores,
                    result,
                    post_mortem: None,
                }
                .into()
            }
            Ending::Finished(result) => self.failed("it finished by itself", Some(result), teardown),
            Ending::Gone(HartState::Trapped { .. }) => self.failed("an exception ended it", None, teardown),
            Ending::Gone(hart) => self.failed(&format!("its hart is {hart}"), None, teardown),
            Ending::Broken(what) => self.failed(&what, None, teardown),
        }
    }

    /// The error of a dispatcher that did `what`, with its result block and its harts as they were read back.
    pub(super) fn failed(
        &self,
        what: &str,
        result: Option<ResultBlock>,
        teardown: Option<&Teardown>,
    ) -> Error {
        let harts = teardown.map_or_else(Vec::new, |teardown| teardown.harts.clone());
        let result = result.or_else(|| teardown?.result);
        let trap = HartTrap::first(&harts, |pc| self.session.firmware_place(pc));
        KernelFailed { what: what.to_owned(), trap, result, harts, post_mortem: None }.into()
    }

    /// Ends the run on an error of the card itself: nothing can be stopped through it any more.
    pub(super) fn lost(&self, state: &mut State, error: Error) -> Error {
        match self.session.located(error) {
            Error::Closed => self.bury(state, Error::Closed, self.session.take_closed(self.number)),
            error if error.is_final() => self.bury(state, error, None),
            // A refused request leaves the card as it was.
            other => other,
        }
    }

    /// Keeps the cause and what was read back; gives the error for the call that met it.
    pub(super) fn bury(&self, state: &mut State, error: Error, teardown: Option<Teardown>) -> Error {
        let error = self.session.located(error);
        let story = self.story(state, &error, teardown.as_ref());
        if teardown.as_ref().is_some_and(|teardown| teardown.restored) {
            self.unload();
        } else if self.loaded() {
            self.session.mark_unstopped();
        }
        let mut report = self.report(state, teardown, None);
        let error = saved(story, report.trace.as_ref(), error);
        let cause = Arc::new(error.clone());
        report.cause = Some(cause.clone());
        state.report = Some(report);
        state.ended = Some(cause);
        error
    }

    /// What a file about `error` has, and its folder, where one was asked for. A session that was closed is no failure.
    pub(super) fn story(
        &self,
        state: &State,
        error: &Error,
        teardown: Option<&Teardown>,
    ) -> Option<(PostMortem, PathBuf)> {
        let folder = self.post_mortem.clone().filter(|_| !matches!(error, Error::Closed))?;
        let commands = state.table.open().filter_map(|number| {
            let slot = state.table.get(number)?;
            Some(CommandRecord {
                number,
                first: (!slot.queued).then_some(u32::from(slot.first)),
                count: u32::from(slot.count),
                stored: state.ring.stored_at(number).map(CardTime::as_nanos),
            })
        });
        let scene = Scene {
            session: &self.session,
            program: self.handlers.program(),
            load: self.number,
            grid: self.grid,
            deadline: u64::try_from(self.deadline.as_nanos()).unwrap_or(u64::MAX),
            handlers: self.handlers.numbered().map(|(number, name)| (number, name.to_owned())).collect(),
            kernels: &self.kernels,
            entered: false,
        };
        Some((scene.gather(error, teardown, commands.collect(), state.events.words()), folder))
    }

    /// True while this run is what the session has loaded.
    pub(super) fn loaded(&self) -> bool {
        self.session.loaded().as_ref().is_some_and(|loaded| loaded.number == self.number)
    }

    /// Tells the session that the card is free for the next load.
    pub(super) fn unload(&self) {
        self.session.loaded().take_if(|loaded| loaded.number == self.number);
    }

    /// What can be read of the run after its end.
    pub(super) fn report(
        &self,
        state: &mut State,
        teardown: Option<Teardown>,
        cause: Option<Arc<Error>>,
    ) -> StopReport {
        let Some(teardown) = teardown else {
            return StopReport { result: None, cores: Vec::new(), trace: None, cause };
        };
        let Teardown { result, cores, trace, .. } = teardown;
        let trace = trace.map(|cores| {
            let commands = state.table.take_traced();
            Trace::new(
                self.number,
                self.session.description().clocks.aiclk_mhz,
                &self.handlers,
                cores,
                commands,
            )
        });
        StopReport { result, cores, trace, cause }
    }

    fn late_group(
        &self,
        state: &State,
        dispatcher: Option<&DispatcherState>,
        number: Option<u64>,
        slot: u8,
    ) -> Option<Group> {
        let busy = dispatcher.and_then(|d| d.busy.iter().find(|busy| busy.slot == u32::from(slot)));
        if let Some(busy) = busy {
            return Some(busy.group);
        }
        let slot = state.table.get(number?).filter(|slot| !slot.queued)?;
        Some(Group::new(u32::from(slot.first), u32::from(slot.count)))
    }
}

/// `error`, which names the file of its story where one was asked for; `trace` is that of a run that has one.
pub(super) fn saved(story: Option<(PostMortem, PathBuf)>, trace: Option<&Trace>, error: Error) -> Error {
    let Some((mut story, folder)) = story else { return error };
    story.trace = trace.and_then(|trace| serde_json::from_str(&trace.to_chrome_json()).ok());
    story.save(&folder, error)
}

/// The cores of `group` whose writer, the last thread of a core to finish a command, has not got past `sequence`.
fn late_cores(cores: &[CoreState], group: Option<Group>, sequence: u16) -> Vec<LateCore> {
    let range = group.map_or(0..cores.len(), |group| {
        let first = (group.first as usize).min(cores.len());
        first..(first + group.count as usize).min(cores.len())
    });
    let late = |core: &CoreState| {
        let writer = core.writer();
        let ahead = (writer.sequence as u16).wrapping_sub(sequence);
        let past = ahead < 0x8000 && (ahead > 0 || writer.done == writer.taken);
        !past || writer.taken == 0
    };
    let numbered = range.clone().zip(&cores[range]);
    numbered
        .filter(|(_, core)| late(core))
        .map(|(index, core)| LateCore { core: index as u32, threads: core.threads })
        .collect()
}
