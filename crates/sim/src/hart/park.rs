//! Parking: a hart that waits in a loop need not run it.
//!
//! The rules are in the folder's documentation.

use super::ahead::bits;
use super::bus::{Bus, Nature};
use super::decode::{Op, SLOTS};
use super::isa::{Isa, Xlen};
use super::run::LEASH;
use super::state::{Hart, KNOWN_WAITS, KnownWait, MARKED, Repeat, UNMARKED};
use super::stop::{Park, Stop};
use super::watch::{Iteration, Watch};
use crate::time::Time;

impl<X: Xlen> Hart<X> {
    /// What a parked hart waits for: the loads of its loop. Nothing while it runs.
    pub fn watch(&self) -> &[Watch] {
        match self.parked {
            Some(_) => self.parked_loop().watches(),
            None => &[],
        }
    }

    /// What the hart has loaded in the iteration it is in, parked or not: of a write that reaches it the tile calls
    /// [`Hart::resume`], or [`Hart::touched`].
    pub fn watched(&self) -> impl Iterator<Item = Watch> {
        let marked = self.watching & MARKED != 0;
        let unmarked = self.watching & UNMARKED != 0 && !(marked && self.parked.is_some());
        let wait = if marked { self.wait.watches() } else { &[] };
        let repeat = if unmarked { self.repeat.iteration.watches() } else { &[] };
        wait.iter().chain(repeat).copied()
    }

    /// True when a write of `bytes` bytes at `address` reaches some of it.
    pub fn watches(&self, address: u64, bytes: u64) -> bool {
        self.watched().any(|watch| watch.meets(address, bytes))
    }

    /// Something that the hart may have loaded in the iteration it is in has changed: it will not park at its end.
    pub fn touched(&mut self) {
        self.watching = 0;
        self.touched_ahead();
    }

    /// Goes on, when parked, in the iteration that contains `at`: the moment of a change or of the wake value, not
    /// earlier than [`Park::since`]. The tile runs the hart up to `at` before it lets the change happen. Does nothing
    /// to a hart that is not parked.
    ///
    /// A baby core goes on at the HINT after that iteration when its last load was earlier than `at`: it saw no change.
    pub fn resume(&mut self, at: Time) {
        let Some(park) = self.parked.take() else { return };
        let marked = self.watching & MARKED != 0;
        let iteration = self.parked_loop();
        let looked = iteration.last().saturating_sub(iteration.start) + 1;
        let passed = at.saturating_sub(park.since);
        let skipped = passed / park.period;
        // A hart that takes interrupts takes them where it is. The clock may be what is new at a wake value. A hart that
        // polls has come to the HINT, too, which is not further than it runs alone.
        let next = park.since + (skipped + 1) * park.period;
        let near = next <= at.saturating_add(LEASH * self.steps.one);
        let blind = X::ISA == Isa::Rv32 && marked && near && park.wake.is_none_or(|wake| wake > next);
        if blind && passed % park.period >= looked {
            self.skip(&park, skipped + 1);
            self.watching = 0;
        } else {
            self.skip(&park, skipped);
            self.enter_iteration();
        }
    }

    /// Goes on, when parked, in the iteration that contains `at`, wherever in it that is. Whatever stops a hart at a moment, or
    /// looks at it, needs it there.
    pub fn catch_up(&mut self, at: Time) {
        let Some(park) = self.parked.take() else { return };
        self.skip(&park, at.saturating_sub(park.since) / park.period);
        self.enter_iteration();
    }

    /// Stands at the beginning of the loop after so many iterations.
    fn skip(&mut self, park: &Park, skipped: u64) {
        let (instructions, loads) = self.parked_loop().counts;
        self.counters.instructions += skipped * (self.counters.instructions - instructions);
        self.counters.shared_loads += skipped * (self.counters.shared_loads - loads);
        self.time = park.since + skipped * park.period;
        if self.pending != 0 {
            // Late values are late in each iteration alike.
            self.ready.iter_mut().for_each(|ready| *ready += skipped * park.period);
        }
    }

    /// Begins an iteration of the loop it was parked in.
    fn enter_iteration(&mut self) {
        let counts = self.counts();
        if self.watching & MARKED != 0 {
            self.wait.restart(self.pc, self.time, counts);
            self.retire(4);
        } else {
            self.compare_next();
        }
    }

    /// The iteration of the loop that the hart is parked in; `watching` says which.
    fn parked_loop(&self) -> &Iteration {
        match self.watching & MARKED != 0 {
            true => &self.wait,
            false => &self.repeat.iteration,
        }
    }

    fn counts(&self) -> (u64, u64) {
        (self.counters.instructions, self.counters.shared_loads)
    }

    /// Notes a shared load of the iteration.
    pub(super) fn note(&mut self, nature: Nature, watch: Watch, at: Time) {
        match nature {
            Nature::Effect => self.watching = 0,
            Nature::Clock => self.watching &= !UNMARKED,
            Nature::Memory => {
                if self.watching & MARKED != 0 && !self.wait.note(watch, at) {
                    self.watching &= !MARKED;
                }
                if self.watching & UNMARKED != 0 && !self.repeat.iteration.note(watch, at) {
                    self.watching &= !UNMARKED;
                }
            }
        }
    }

    /// The wait HINT.
    ///
    /// What an iteration inherits can only make it longer (a store still on its way, which its fence waits for), so one
    /// that is as long as two equal ones of this loop were inherits nothing: it need not be seen twice.
    pub(super) fn run_wait<B: Bus>(&mut self, bus: &mut B, op: Op, horizon: Time) -> Option<Stop> {
        self.drain();
        if self.time > horizon && !(bus.may_go_ahead() && self.wait_ahead(bus, horizon)) {
            return Some(Stop::Horizon);
        }
        if self.parking {
            let mut period = 0;
            let value = X::unsigned(X::widen(self.regs[op.rs2()]));
            if self.watching & MARKED != 0 && self.wait.pc == self.pc {
                period = self.time - self.wait.start;
                let wake = match value {
                    0 => None,
                    value => Some(bus.wake_time(self.time, value)),
                };
                let asleep = wake.is_none_or(|wake| wake > self.time);
                let this = KnownWait { pc: self.pc, loads: self.wait.digest(X::REGION), period };
                let known = &mut self.known_waits[((self.pc >> 2) ^ this.loads) as usize % KNOWN_WAITS];
                let seen = period == self.wait.period || *known == this;
                let open = !self.loads_again && bus.may_park();
                // With another value to wake at it is another wait that begins here: what lies between is no turn of it.
                if asleep && seen && value == self.wait.wake && open {
                    // It holds of a hart that is taken back, too: there is a history in which the write came later.
                    *known = this;
                    self.wait.period = period;
                    self.watching = MARKED;
                    return self.park(period, wake);
                }
            }
            let counts = self.counts();
            self.wait.restart(self.pc, self.time, counts);
            (self.wait.period, self.wait.wake) = (period, value);
            self.watching |= MARKED;
        }
        self.retire(op.size());
        None
    }

    /// A backward jump to the same place has been taken often, with no store in between; the hart is at its target.
    pub(super) fn repeated(&mut self) -> Option<Stop> {
        if !self.parking {
            self.give_up();
            return None;
        }
        self.pending = self.late();
        // What is loaded again stands at its moment: no iteration with such a load is skipped.
        let new = self.watching & UNMARKED == 0 || self.repeat.iteration.pc != self.pc;
        if new || self.loads_again {
            self.repeat.regs.copy_from_slice(&self.regs[..32]);
            self.repeat.late = self.pending;
            self.repeat.lags = self.lags();
            self.repeat.iteration.period = 0;
            self.compare_next();
            return None;
        }
        let period = self.time - self.repeat.iteration.start;
        let same = self.repeat.regs[..] == self.regs[..32]
            && self.repeat.late == self.pending
            && self.repeat.lags == self.lags();
        match self.repeat.iteration.period {
            0 if same => {
                self.repeat.iteration.period = period;
                self.compare_next();
                None
            }
            before if same && before == period => {
                self.watching = UNMARKED;
                self.park(period, None)
            }
            _ => {
                self.give_up();
                None
            }
        }
    }

    /// The registers of `pending` whose value has not arrived.
    pub(super) fn late(&self) -> u64 {
        bits(self.pending).filter(|slot| self.ready[*slot] > self.time).fold(0, |late, slot| late | 1 << slot)
    }

    /// By how much they are late.
    fn lags(&self) -> [Time; SLOTS] {
        let mut lags = [0; SLOTS];
        bits(self.pending).for_each(|slot| lags[slot] = self.ready[slot].saturating_sub(self.time));
        lags
    }

    /// Compares at the next jump to this place.
    fn compare_next(&mut self) {
        let counts = self.counts();
        self.repeat.iteration.restart(self.pc, self.time, counts);
        self.repeat.streak = self.repeat.threshold - 1;
        self.watching |= UNMARKED;
    }

    /// Lets the loop run for twice as long before the next comparison.
    fn give_up(&mut self) {
        self.repeat.threshold = (self.repeat.threshold * 2).min(Repeat::<X>::LAST_THRESHOLD);
        self.repeat.streak = 0;
        self.watching &= !UNMARKED;
    }

    fn park(&mut self, period: Time, wake: Option<Time>) -> Option<Stop> {
        let park = Park { since: self.time, period, wake };
        self.parked = Some(park);
        Some(Stop::Park(park))
    }
}
