//! A hart in its tile: the hart, and whether it runs.

use crate::hart::{Hart, Stop, Xlen};
use crate::time::{NEVER, Time};
use crate::watch::Watchers;

/// Whether a hart runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Held in reset, never started, or without a clock.
    Off,
    /// It goes on at this moment.
    Running(Time),
    /// It waits in a loop, at the latest until this moment.
    Parked(Time),
    /// It waits for an interrupt.
    Asleep,
}

/// A hart and its state.
pub(crate) struct Slot<X: Xlen> {
    pub(crate) hart: Hart<X>,
    pub(crate) state: State,
    /// How often its instruction cache was told to forget.
    pub(crate) code_generation: u64,
}

impl<X: Xlen> Slot<X> {
    pub(crate) fn new(hart: Hart<X>) -> Self {
        Self { hart, state: State::Off, code_generation: 0 }
    }

    /// When it has something to do.
    #[inline]
    pub(crate) fn next(&self) -> Time {
        match self.state {
            State::Running(at) | State::Parked(at) => at,
            State::Off | State::Asleep => NEVER,
        }
    }

    /// Lets a parked or sleeping hart go on: it catches up to `at`, before what happens there.
    pub(crate) fn rouse(&mut self, index: usize, at: Time, watchers: &mut Watchers) {
        match self.state {
            State::Parked(_) => {
                watchers.unpark(index);
                self.hart.resume(at);
            }
            State::Asleep => self.hart.advance_to(at),
            State::Off | State::Running(_) => return,
        }
        self.state = State::Running(self.hart.time());
    }

    /// Stops it, as a reset does.
    pub(crate) fn turn_off(&mut self, index: usize, watchers: &mut Watchers) {
        watchers.unpark(index);
        self.state = State::Off;
    }

    /// Notes why it stopped running; gives back a fault.
    pub(crate) fn stopped(
        &mut self,
        index: usize,
        stop: Stop,
        watchers: &mut Watchers,
    ) -> Result<(), Box<crate::hart::Fault>> {
        self.state = match stop {
            Stop::Horizon | Stop::Retry(_) => State::Running(self.hart.time()),
            Stop::Park(park) => {
                watchers.park(index, self.hart.watch());
                State::Parked(park.wake.unwrap_or(NEVER))
            }
            Stop::Wfi => State::Asleep,
            Stop::Fault(fault) => return Err(fault),
        };
        Ok(())
    }
}
