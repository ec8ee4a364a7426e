//! The harts of a tile, and whether each runs.
//!
//! What the tile looks at for every turn lies together, before the harts themselves, which are large.

use arrayvec::ArrayVec;

use crate::hart::{Fault, Hart, Stop, Xlen};
use crate::time::{NEVER, Time};
use crate::watch::Watchers;

/// Whether a hart runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Held in reset, never started, or without a clock.
    Off,
    /// It goes on at its next moment.
    Running,
    /// It waits in a loop, at the latest until its next moment.
    Parked,
    /// It waits for an interrupt.
    Asleep,
}

/// The most harts a tile has.
pub(crate) const MOST: usize = 5;

/// Bits of an entry of `next` below the moment.
const INDEX_BITS: u32 = 3;

/// The least entry of `next`, and the least of the others.
#[inline]
fn least_two(next: &[u64; MOST]) -> (u64, u64) {
    next[1..]
        .iter()
        .fold((next[0], u64::MAX), |(first, second), next| (first.min(*next), second.min(first.max(*next))))
}

/// An entry's index and moment.
#[inline]
fn split(entry: u64) -> (usize, Time) {
    match entry {
        u64::MAX => (0, NEVER),
        _ => ((entry & ((1 << INDEX_BITS) - 1)) as usize, entry >> INDEX_BITS),
    }
}

/// The harts of one tile.
#[derive(Clone)]
pub(crate) struct Slots<X: Xlen> {
    /// When each has something to do, with its index in the low bits: the least comes first.
    next: [u64; MOST],
    states: [State; MOST],
    /// Harts that were taken back, as bits: what they have replaced ahead of their turns is to be put back.
    pub(crate) undo: u32,
    /// How often each one's instruction cache was told to forget.
    pub(crate) code_generations: [u64; MOST],
    pub(crate) harts: ArrayVec<Hart<X>, MOST>,
}

impl<X: Xlen> Slots<X> {
    /// At most five harts, all off.
    pub(crate) fn new(harts: impl IntoIterator<Item = Hart<X>>) -> Self {
        let harts = harts.into_iter().collect();
        Self {
            next: [u64::MAX; MOST],
            states: [State::Off; MOST],
            undo: 0,
            code_generations: [0; MOST],
            harts,
        }
    }

    pub(crate) fn state(&self, index: usize) -> State {
        self.states[index]
    }

    /// The first hart with the earliest moment, that moment, and the last one at which it comes before every other hart. At
    /// one moment the lower index goes first.
    #[inline]
    pub(crate) fn earliest(&self) -> (usize, Time, Time) {
        let (first, second) = least_two(&self.next);
        let ((index, at), (other, next)) = (split(first), split(second));
        (index, at, if other > index { next } else { next - 1 })
    }

    /// The parked harts, as bits.
    pub(crate) fn parked(&self) -> u32 {
        let bit = |(i, state): (usize, &State)| u32::from(*state == State::Parked) << i;
        self.states.iter().enumerate().map(bit).sum()
    }

    /// The hart goes on at its own time.
    pub(crate) fn run(&mut self, index: usize, watchers: &mut Watchers) {
        self.states[index] = State::Running;
        watchers.listen(index, self.harts[index].watched());
        self.set_next(index, self.harts[index].time());
    }

    #[inline]
    fn set_next(&mut self, index: usize, at: Time) {
        let never = at >> (64 - INDEX_BITS) != 0;
        self.next[index] = if never { u64::MAX } else { at << INDEX_BITS | index as u64 };
    }

    /// The hart starts at `pc` at `at`, with an empty instruction cache.
    pub(crate) fn start(&mut self, index: usize, pc: u64, at: Time, watchers: &mut Watchers) {
        self.code_generations[index] += 1;
        self.harts[index].reset(pc, at);
        self.run(index, watchers);
    }

    /// Stops it, as a reset does; gives its state.
    pub(crate) fn turn_off(&mut self, index: usize, at: Time, watchers: &mut Watchers) -> State {
        watchers.unpark(index);
        watchers.not_ahead(index);
        self.undo |= u32::from(self.harts[index].take_back(at, false)) << index;
        self.next[index] = u64::MAX;
        watchers.listen(index, std::iter::empty());
        std::mem::replace(&mut self.states[index], State::Off)
    }

    /// Lets a hart that was frozen while it did `state` go on at `at`.
    pub(crate) fn thaw(&mut self, index: usize, state: State, at: Time, watchers: &mut Watchers) {
        match state {
            State::Off => {}
            State::Asleep => self.put_to_sleep(index),
            State::Running | State::Parked => {
                // What it had loaded ahead of its turn is loaded anew, by the clock it goes on with.
                self.harts[index].forget_ahead();
                self.harts[index].advance_to(at);
                self.run(index, watchers);
            }
        }
    }

    /// Sends a hart that was turned off back to sleep.
    pub(crate) fn put_to_sleep(&mut self, index: usize) {
        self.states[index] = State::Asleep;
    }

    /// Lets a parked or sleeping hart go on: it catches up to `at`, before what happens there. One that parked ahead of
    /// that moment, the doing of `writer`, is taken back.
    pub(crate) fn rouse(&mut self, index: usize, at: Time, writer: Option<usize>, watchers: &mut Watchers) {
        match self.states[index] {
            State::Parked if self.harts[index].time() > at => {
                return self.take_back(index, at, writer, watchers);
            }
            State::Parked => {
                watchers.unpark(index);
                self.in_turn(index, watchers);
                self.harts[index].resume(at);
            }
            State::Asleep => self.harts[index].advance_to(at),
            State::Off | State::Running => return,
        }
        self.run(index, watchers);
    }

    /// Lets a hart come to `horizon` that is parked, or ahead of it; false for one that has nothing to do until something
    /// happens.
    pub(crate) fn rejoin(&mut self, index: usize, horizon: Time, watchers: &mut Watchers) -> bool {
        let hart = &self.harts[index];
        match self.states[index] {
            State::Off | State::Asleep => return false,
            State::Running if self.next[index] == u64::MAX => return false,
            State::Running if !hart.is_ahead() => return true,
            State::Parked if hart.time() <= horizon => {
                watchers.unpark(index);
                self.in_turn(index, watchers);
                self.harts[index].catch_up(horizon);
                self.run(index, watchers);
            }
            State::Running | State::Parked => {
                self.take_back(index, horizon.saturating_add(1), None, watchers);
            }
        }
        true
    }

    /// Lets each of `harts`, as bits, go on.
    pub(crate) fn rouse_all(&mut self, harts: u32, at: Time, writer: Option<usize>, watchers: &mut Watchers) {
        for index in (0..self.harts.len()).filter(|i| harts >> i & 1 == 1) {
            self.rouse(index, at, writer, watchers);
        }
    }

    /// The hart runs in its turn: what it has loaded ahead stands.
    #[inline]
    pub(crate) fn in_turn(&mut self, index: usize, watchers: &mut Watchers) {
        watchers.not_ahead(index);
        self.harts[index].keep_ahead();
    }

    /// Takes each of `harts`, as bits, back to before what it has done ahead: that is overtaken at `at`, by the hart `writer`
    /// or a message.
    pub(crate) fn take_back_all(
        &mut self,
        harts: u32,
        at: Time,
        writer: Option<usize>,
        watchers: &mut Watchers,
    ) {
        for index in (0..self.harts.len()).filter(|i| harts >> i & 1 == 1) {
            self.take_back(index, at, writer, watchers);
        }
    }

    pub(crate) fn take_back(
        &mut self,
        index: usize,
        at: Time,
        writer: Option<usize>,
        watchers: &mut Watchers,
    ) {
        if self.harts[index].time() <= at {
            // All of it was before that.
            return self.in_turn(index, watchers);
        }
        watchers.unpark(index);
        watchers.not_ahead(index);
        let first = writer.is_some_and(|writer| index < writer);
        self.undo |= u32::from(self.harts[index].take_back(at, first)) << index;
        self.run(index, watchers);
    }

    /// Notes why a hart stopped running; gives back a fault.
    #[inline]
    pub(crate) fn stopped(
        &mut self,
        index: usize,
        stop: Stop,
        watchers: &mut Watchers,
    ) -> Result<(), Box<Fault>> {
        match stop {
            // The tile lets it go on.
            Stop::Retry(NEVER) => self.next[index] = u64::MAX,
            Stop::Horizon | Stop::Retry(_) => {
                let hart = &self.harts[index];
                if hart.is_ahead() {
                    watchers.is_ahead(index);
                    watchers.went_ahead(index, hart.ahead());
                }
                watchers.listen(index, hart.watched());
                self.set_next(index, hart.time());
            }
            Stop::Park(park) => {
                watchers.park(index, self.harts[index].watch());
                if self.harts[index].is_ahead() {
                    watchers.is_ahead(index);
                    watchers.went_ahead(index, self.harts[index].ahead());
                }
                watchers.listen(index, std::iter::empty());
                self.states[index] = State::Parked;
                self.set_next(index, park.wake.unwrap_or(NEVER));
            }
            Stop::Wfi => {
                watchers.listen(index, std::iter::empty());
                self.states[index] = State::Asleep;
                self.next[index] = u64::MAX;
            }
            Stop::Fault(fault) => return Err(fault),
        }
        Ok(())
    }

    /// Tells the running harts besides `writer` what was written.
    #[inline]
    pub(crate) fn tell(&mut self, writer: usize, watchers: &mut Watchers) {
        if !watchers.written.is_empty() {
            self.tell_written(writer, watchers);
        }
    }

    fn tell_written(&mut self, writer: usize, watchers: &mut Watchers) {
        for (index, hart) in self.harts.iter_mut().enumerate() {
            let heard = index != writer && self.states[index] == State::Running;
            if heard && watchers.written.iter().any(|&(address, bytes)| hart.watches(address, bytes)) {
                hart.touched();
            }
        }
        watchers.written.clear();
    }
}
