//! Waiting: batches out, events in, every wait with a timeout on the card's clock.

use std::time::Duration;

use komorebi_card::CardTime;

use super::end::saved;
use super::handles::{Handle, Progress};
use super::state::{Ending, State};
use super::stats::moment;
use super::waitable::Waitable;
use super::{Event, Run, RunCore, teardown};
use crate::error::{CommandRejected, WaitTimeout};
use crate::load::LoadOptions;
use crate::session::HartState;
use crate::{Error, Result, Word};

/// How often a wait that sees no event looks whether the dispatcher still lives.
const LOOK: Duration = Duration::from_millis(10);

impl<P> Run<P> {
    /// Stores queued commands up to the handles, waits until each has its event, returns the events and forgets those
    /// commands. One handle gives one event, several give one each, in their order, also where one is listed twice.
    ///
    /// # Errors
    /// [`Error::WaitTimeout`] (the run goes on), [`Error::CommandRejected`] for the first that was rejected (only that
    /// one is forgotten), [`Error::Handle`] for a forgotten command, [`Error::ForeignHandle`] for another run's,
    /// [`Error::CommandTimeout`], [`Error::KernelFailed`] and what else ends the run.
    pub fn wait<W: Waitable>(&self, handles: W, timeout: Duration) -> Result<W::Output> {
        self.core.timed(|state| {
            let mut count = 0;
            let mut last = 0;
            for handle in handles.handles() {
                let number = self.core.known(state, handle)?;
                last = last.max(number);
                count += 1;
            }
            let deadline = self.core.card.now() + timeout;
            let numbers = || handles.handles().map(Handle::number);
            for number in numbers() {
                let waited = self.core.until(state, last, deadline, |state| state.arrived(number))?;
                if !waited {
                    let pending = numbers().filter(|&number| !state.arrived(number)).collect();
                    return Err(self.core.timed_out(timeout, pending));
                }
            }
            if state.rejections > 0 {
                self.core.first_rejected(state, numbers())?;
            }
            // A handle that is listed twice has its event twice, so nothing is forgotten before all are read.
            let events = handles.handles().filter_map(|handle| state.event(handle));
            let events = W::collect(events, count).ok_or(Error::Handle { handle: last })?;
            numbers().for_each(|number| state.table.forget(number));
            Ok(events)
        })
    }

    /// Stores what is queued and waits until one of the handles has its event; returns that event (the lowest handle's
    /// if several arrived) and forgets only that command.
    ///
    /// # Errors
    /// As [`wait`](Self::wait); [`Error::NoHandles`] for no handles at all.
    pub fn wait_any<R: Word>(&self, handles: &[Handle<R>], timeout: Duration) -> Result<Event<R>> {
        self.core.timed(|state| {
            for &handle in handles {
                self.core.known(state, handle)?;
            }
            if handles.is_empty() {
                return Err(Error::NoHandles);
            }
            let deadline = self.core.card.now() + timeout;
            let mut lowest = None;
            let upto = state.last();
            let waited = self.core.until(state, upto, deadline, |state| {
                lowest = handles.iter().map(|h| h.number()).filter(|&n| state.arrived(n)).min();
                lowest.is_some()
            })?;
            match lowest.filter(|_| waited) {
                Some(number) => {
                    self.core.first_rejected(state, std::iter::once(number))?;
                    let event = state.event(Handle::new(self.core.number, number));
                    state.table.forget(number);
                    event.ok_or(Error::Handle { handle: number })
                }
                None => Err(self.core.timed_out(timeout, handles.iter().map(|h| h.number()).collect())),
            }
        })
    }

    /// Waits for everything submitted and returns how many events that were. Forgets nothing: read them with
    /// [`event`](Self::event), then [`forget`](Self::forget).
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub fn drain(&self, timeout: Duration) -> Result<u64> {
        self.core.timed(|state| self.core.drain(state, timeout))
    }
}

impl State {
    /// True once a command has its event.
    #[inline]
    pub(super) fn arrived(&self, number: u64) -> bool {
        self.table.get(number).is_none_or(|slot| slot.progress != Progress::Pending)
    }

    #[inline]
    fn event<R>(&self, handle: Handle<R>) -> Option<Event<R>> {
        Event::of(handle, self.table.get(handle.number())?)
    }
}

impl RunCore {
    /// Runs a wait and adds up its wall time. The first that runs out leaves a file, where one was asked for.
    pub(super) fn timed<T>(&self, wait: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        let mut state = self.state()?;
        let start = moment();
        let result = wait(&mut state);
        state.stats.wait += start.elapsed();
        result.map_err(|error| match error {
            Error::WaitTimeout(_) | Error::EngineTimeout(_) if !state.told_of_wait => {
                state.told_of_wait = true;
                // The run goes on: of the card only what the dispatcher's memory has is read.
                saved(self.story(&state, &error, None), None, error)
            }
            error => error,
        })
    }

    fn known<R>(&self, state: &State, handle: Handle<R>) -> Result<u64> {
        let number = self.own(handle)?;
        let kept = state.table.get(number).is_some_and(|slot| slot.progress != Progress::Forgotten);
        if kept { Ok(number) } else { Err(Error::Handle { handle: number }) }
    }

    /// The error of the first rejected command of `numbers`, which is then forgotten.
    fn first_rejected(&self, state: &mut State, mut numbers: impl Iterator<Item = u64>) -> Result<()> {
        let rejected = numbers.find_map(|number| {
            let slot = state.table.get(number)?;
            (slot.progress == Progress::Rejected).then_some((number, slot.auxiliary))
        });
        let Some((handle, reason)) = rejected else { return Ok(()) };
        state.table.forget(handle);
        let reason_name = komorebi_abi::wire::reject_name(reason).unwrap_or("unknown");
        Err(CommandRejected { handle, reason, reason_name }.into())
    }

    /// Waits for every command submitted.
    pub(super) fn drain(&self, state: &mut State, timeout: Duration) -> Result<u64> {
        let (last, rejections) = (state.last(), state.rejections);
        let first = state.table.oldest();
        let count = state.table.pending().count() as u64;
        let deadline = self.card.now() + timeout;
        if !self.until(state, last, deadline, |state| state.table.oldest() > last)? {
            return Err(self.timed_out(timeout, state.table.pending().collect()));
        }
        if state.rejections > rejections {
            self.first_rejected(state, first..=last)?;
        }
        Ok(count)
    }

    /// Stores commands up to `upto` and reads events until `done`; false when `deadline` passed first. What ends the run
    /// is dealt with here.
    pub(super) fn until(
        &self,
        state: &mut State,
        upto: u64,
        deadline: CardTime,
        mut done: impl FnMut(&mut State) -> bool,
    ) -> Result<bool> {
        if done(state) {
            return Ok(true);
        }
        state.next_look = self.card.now() + LOOK;
        loop {
            if let Err(ending) = state.read_events() {
                return Err(self.end(state, ending));
            }
            if done(state) {
                return Ok(true);
            }
            match self.turn(state, upto, deadline) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(Turn::Ending(ending)) => return Err(self.end_by(state, ending)),
                Err(Turn::Error(error)) => return Err(self.lost(state, error)),
            }
        }
    }

    /// One turn of a wait behind a look at the events: sends what there is to send, or lets the card run. False when
    /// `deadline` has passed.
    fn turn(&self, state: &mut State, upto: u64, deadline: CardTime) -> Result<bool, Turn> {
        let card = self.session.enter()?;
        if state.send(&*card, upto, deadline)? {
            return Ok(true);
        }
        let now = card.now();
        if now >= deadline {
            return Ok(false);
        }
        if self.looked(state, now)? {
            return Ok(true); // the card ran meanwhile: read events before letting it run again
        }
        card.relax(deadline.min(state.next_look)).map_err(Error::from)?;
        Ok(true)
    }

    /// One poll for a command: stores up to it, lets the card run for an instant, reads events.
    pub(super) fn poll(&self, state: &mut State, upto: u64) -> Result<()> {
        let polled = state.read_events().map_err(Turn::Ending).and_then(|()| {
            let card = self.session.enter()?;
            state.send(&*card, upto, card.now() + LoadOptions::SETTLE_MAX)?;
            let now = card.relax(card.now()).map_err(Error::from)?;
            self.looked(state, now)?;
            state.read_events().map_err(Turn::Ending)
        });
        match polled {
            Ok(()) => Ok(()),
            Err(Turn::Ending(ending)) => Err(self.end_by(state, ending)),
            Err(Turn::Error(error)) => Err(self.lost(state, error)),
        }
    }

    /// Looks at the dispatcher's life when it is time to; false when it is not.
    fn looked(&self, state: &mut State, now: CardTime) -> Result<bool, Turn> {
        if now < state.next_look {
            return Ok(false);
        }
        self.look()?;
        state.next_look = self.card.now() + LOOK;
        Ok(true)
    }

    /// Ends the run for what a turn met. A result block that was found is behind events: those that came since the last
    /// look at them say more. A late command of an engine for which there was no room for an event is told by its slot.
    fn end_by(&self, state: &mut State, ending: Ending) -> Error {
        let Ending::Finished(result) = &ending else { return self.end(state, ending) };
        let late = match state.read_events() {
            Err(posted) => Some(posted),
            Ok(()) => self.late_engine(state, result),
        };
        self.end(state, late.unwrap_or(ending))
    }

    /// Looks whether the dispatcher still runs, inside a turn.
    fn look(&self) -> Result<(), Turn> {
        let cluster = self.session.cluster();
        if let Some(result) = teardown::result(cluster)? {
            return Err(Turn::Ending(Ending::Finished(result)));
        }
        match cluster.hart(0)? {
            HartState::Running => Ok(()),
            // It may have written its result and returned between the two reads.
            state => Err(Turn::Ending(match teardown::result(cluster)? {
                Some(result) => Ending::Finished(result),
                None => Ending::Gone(state),
            })),
        }
    }

    /// The error of a wait that ran out, with what the dispatcher was doing.
    pub(super) fn timed_out(&self, timeout: Duration, pending: Vec<u64>) -> Error {
        WaitTimeout { timeout, pending, activity: self.activity().ok(), post_mortem: None }.into()
    }
}

/// Why a turn of a wait was the last.
enum Turn {
    Ending(Ending),
    Error(Error),
}

impl From<Error> for Turn {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}
