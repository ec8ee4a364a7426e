//! What a hart does ahead of its turn.
//!
//! The harts of a tile take turns by time, and five that poll would take a turn a load. But the order of two loads
//! matters to nobody: only a store in between does. So a hart may load shared memory later than its horizon, as long
//! as it does nothing else that others could see: store into its own RAM, begin the next turn of a wait loop, park in it.
//! It keeps what it was before; the tile keeps what its stores have replaced, and what it has loaded and when. A write by
//! somebody else to one of those words, at an earlier moment than the load, takes the hart back
//! ([`Hart::take_back`]) before the write happens. What it had loaded before that moment stands, and is given to it
//! again while it comes back to where it was: the word may have been written since, rightly. A parked hart is taken back,
//! too, by what would wake it before the moment at which it parked. Results are those of strict turns.
//!
//! Memory that nobody else has ever touched ([`Bus::owns`]) concerns nobody else: there the hart loads and stores for
//! [`SPAN`] cycles, and no load is noted. Whoever else comes there, to load or to store, takes it back first, when it is ahead
//! of that moment, and then the memory is the hart's own no more.

use std::collections::VecDeque;

use arrayvec::ArrayVec;

use super::bus::{Bus, Loaded};
use super::isa::{Isa, Xlen};
use super::state::{Counters, Hart, LOOKED, WAITS};
use super::watch::{Iteration, Watch};
use crate::time::Time;

/// A load ahead of its turn.
#[derive(Clone, Copy, Debug)]
pub struct AheadLoad {
    /// What was loaded.
    pub watch: Watch,
    /// When.
    pub at: Time,
    /// What was there: 32 bits, since whoever goes ahead has registers of 32 bits, and how long it took to come.
    value: u32,
    delay: u32,
}

impl AheadLoad {
    /// Loads that a hart may make ahead, before it waits for its turn.
    pub const MOST: usize = 12;

    pub(super) fn new(watch: Watch, at: Time, loaded: Loaded) -> Self {
        Self { watch, at, value: loaded.value as u32, delay: (loaded.ready - at) as u32 }
    }

    fn loaded(&self) -> Loaded {
        Loaded { value: u64::from(self.value), ready: self.at + Time::from(self.delay) }
    }
}

/// Late registers that a hart may have when it goes ahead.
const ARRIVALS: usize = 8;

/// Cycles beyond its horizon after which a hart makes none: two turns of a wait loop. What is further ahead is taken back
/// more often than it is kept.
const REACH: Time = 48;

/// Cycles for which it may load and store ahead what it owns. A quarter of it after it was taken back, and twice as much each
/// time that it was not.
const SPAN: Time = 1024;

/// Backward jumps ahead after which a hart is looked at: does it only wait?
const LOOK: u32 = 64;

/// What a hart was before its first load ahead of its turn.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Ahead<X: Xlen> {
    /// No load ahead while the horizon has not passed this: a write at this moment waits for the hart.
    barrier: Time,
    loads: ArrayVec<AheadLoad, { AheadLoad::MOST }>,
    /// Of a hart that was taken back: the loads that stand, still to be made again.
    again: VecDeque<AheadLoad>,
    /// x0 to x31.
    regs: [X::Word; 32],
    /// When the registers of `pending` arrive, in the order of their bits.
    arrivals: [Time; ARRIVALS],
    pending: u64,
    pc: u64,
    time: Time,
    counters: Counters,
    watching: u8,
    used: (usize, usize),
    repeat: (u64, u32, u32),
    /// The hart has begun another iteration of the marked loop; `wait` is what the one before it was.
    began: bool,
    wait: Iteration,
    /// Cycles ahead in what it owns.
    span: Time,
    /// Backward jumps until the hart is looked at.
    jumps: u32,
    /// Where it was at the last look, and with which registers.
    looked: u64,
    looked_regs: [X::Word; 32],
}

impl<X: Xlen> Ahead<X> {
    #[inline]
    pub(super) fn warm(&self) {
        use std::hint::black_box;
        black_box(self.barrier);
        black_box(self.regs[0]);
        black_box(self.regs[16]);
        black_box(self.arrivals[0]);
        black_box(self.pc);
        black_box(self.used);
        black_box(self.loads.first().map(|load| load.at));
    }

    pub(super) fn new() -> Self {
        Self {
            barrier: 0,
            loads: ArrayVec::new(),
            again: VecDeque::new(),
            regs: [X::Word::default(); 32],
            arrivals: [0; ARRIVALS],
            pending: 0,
            pc: 0,
            time: 0,
            counters: Counters::default(),
            watching: 0,
            used: (0, 0),
            repeat: (0, 0, 0),
            began: false,
            wait: Iteration::new(),
            span: SPAN,
            jumps: 0,
            looked: 0,
            looked_regs: [X::Word::default(); 32],
        }
    }
}

/// The numbers of the bits that are set.
pub(super) fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(bit)
    })
}

impl<X: Xlen> Hart<X> {
    /// What the hart has loaded ahead of its turn since it last ran in turn.
    pub fn ahead(&self) -> &[AheadLoad] {
        if self.is_ahead { &self.ahead.loads } else { &[] }
    }

    /// True of a hart that has done something ahead of its turn.
    pub fn is_ahead(&self) -> bool {
        self.is_ahead
    }

    /// The hart runs in its turn again: nothing earlier can come any more, and what it has loaded stands.
    #[inline]
    pub fn keep_ahead(&mut self) {
        if self.is_ahead {
            self.is_ahead = false;
            self.reach = 0;
            self.ahead.loads.clear();
            self.ahead.began = false;
            self.ahead.span = SPAN.min(2 * self.ahead.span);
        }
    }

    /// Takes the hart back to before its first load ahead of its turn: something it has loaded changes at `at`, where the
    /// hart comes `first` of the two or not. It does nothing ahead again before others have passed that moment.
    ///
    /// True when it was ahead: the tile then puts back what its stores have replaced.
    #[must_use]
    pub fn take_back(&mut self, at: Time, first: bool) -> bool {
        self.ahead.barrier = self.ahead.barrier.max(at);
        if !self.is_ahead {
            return false;
        }
        let stands = |load: &&AheadLoad| load.at < at || load.at == at && first;
        self.ahead.again.extend(self.ahead.loads.iter().take_while(stands));
        self.loads_again = !self.ahead.again.is_empty();
        self.parked = None;
        if std::mem::take(&mut self.ahead.began) {
            self.wait.copy_from(&self.ahead.wait);
            // Writes to what only this iteration has loaded were not heard since the next one began.
            self.ahead.watching = 0;
        } else {
            self.wait.cut(self.ahead.used.0);
        }
        self.is_ahead = false;
        self.reach = 0;
        self.ahead.loads.clear();
        self.ahead.span = REACH.max(self.ahead.span / 4);
        let ahead = &self.ahead;
        self.regs[..32].copy_from_slice(&ahead.regs);
        for (slot, arrival) in bits(ahead.pending).zip(&ahead.arrivals) {
            self.ready[slot] = *arrival;
        }
        self.pending = ahead.pending;
        self.pc = ahead.pc;
        self.time = ahead.time;
        self.counters = ahead.counters;
        self.watching = ahead.watching;
        self.repeat.iteration.cut(ahead.used.1);
        (self.repeat.target, self.repeat.streak, self.repeat.threshold) = ahead.repeat;
        true
    }

    /// True when it has done something ahead that others could see, or be seen by, after `moment`.
    pub fn is_beyond(&self, moment: Time) -> bool {
        let loaded = self.ahead.loads.last().is_some_and(|load| load.at > moment);
        self.is_ahead && (loaded || self.reach > moment + 1 && self.time > moment)
    }

    /// The next load of a hart that was taken back, where it stands; `None` when this is another one, of what it owned.
    #[cold]
    pub(super) fn load_again(&mut self, watch: Watch, at: Time) -> Option<Loaded> {
        let load = *self.ahead.again.front()?;
        assert!(load.at > at || (load.watch, load.at) == (watch, at), "a hart came back another way");
        if load.at > at {
            return None;
        }
        self.ahead.again.pop_front();
        self.loads_again = !self.ahead.again.is_empty();
        Some(load.loaded())
    }

    /// Where the hart is, as far as others may know.
    pub fn settled_pc(&self) -> u64 {
        if self.is_ahead { self.ahead.pc } else { self.pc }
    }

    /// What it has done, as far as others may know at `moment`.
    pub fn settled_counters(&self, moment: Time) -> Counters {
        if self.is_beyond(moment) { self.ahead.counters } else { self.counters }
    }

    /// Something that the hart may have loaded has changed: this holds for it when it is taken back, too.
    pub(super) fn touched_ahead(&mut self) {
        if self.is_ahead {
            self.ahead.watching = 0;
        }
    }

    /// Forgets what stands: the hart starts anew.
    pub(crate) fn forget_ahead(&mut self) {
        self.keep_ahead();
        self.ahead.again.clear();
        self.loads_again = false;
    }

    /// Notes a load ahead; false when it has to wait for its turn.
    pub(super) fn load_ahead<B: Bus>(&mut self, bus: &mut B, load: AheadLoad, horizon: Time) -> bool {
        let far = load.at > horizon.saturating_add(REACH * self.cycle);
        if far || self.ahead.loads.len() == AheadLoad::MOST || !self.go_ahead(bus, horizon) {
            return false;
        }
        self.ahead.loads.push(load);
        true
    }

    /// The hart, at a wait HINT, is about to begin another iteration later than its horizon; false when that has to wait
    /// for its turn.
    pub(super) fn wait_ahead<B: Bus>(&mut self, bus: &mut B, horizon: Time) -> bool {
        if !self.go_ahead(bus, horizon) {
            return false;
        }
        if !self.ahead.began {
            self.ahead.began = true;
            self.ahead.wait.copy_from(&self.wait);
            self.ahead.wait.cut(self.ahead.used.0);
        }
        true
    }

    /// True when the hart may access this address ahead of its turn because it owns what is there.
    pub(super) fn go_ahead_in_own<B: Bus>(&mut self, bus: &mut B, address: u64, horizon: Time) -> bool {
        self.watching & WAITS == 0 && bus.owns(address) && self.go_ahead(bus, horizon)
    }

    /// Keeps what the hart is, where it is not ahead yet; false when it may not go ahead.
    #[inline]
    pub(super) fn go_ahead<B: Bus>(&mut self, bus: &mut B, horizon: Time) -> bool {
        // One that still loads what stands must have loaded it before it goes ahead of that.
        if X::ISA != Isa::Rv32 || !self.parking || self.loads_again || horizon <= self.ahead.barrier {
            return false;
        }
        self.is_ahead || self.keep_for_ahead(bus)
    }

    /// Keeps what the hart is; false when that is too much.
    fn keep_for_ahead<B: Bus>(&mut self, bus: &mut B) -> bool {
        if self.pending.count_ones() > ARRIVALS as u32 {
            self.pending = self.late();
        }
        let pending = self.pending;
        if pending.count_ones() > ARRIVALS as u32 {
            return false;
        }
        self.is_ahead = true;
        self.reach = bus.begin_ahead(self.time, self.ahead.span * self.cycle);
        let ahead = &mut self.ahead;
        ahead.jumps = LOOK;
        ahead.regs.copy_from_slice(&self.regs[..32]);
        for (arrival, slot) in ahead.arrivals.iter_mut().zip(bits(pending)) {
            *arrival = self.ready[slot];
        }
        (ahead.pc, ahead.time, ahead.pending) = (self.pc, self.time, pending);
        ahead.counters = self.counters;
        ahead.watching = self.watching;
        ahead.used = (self.wait.watches().len(), self.repeat.iteration.watches().len());
        ahead.repeat = (self.repeat.target, self.repeat.streak, self.repeat.threshold);
        true
    }

    /// A backward jump to `target`, ahead of the hart's turn. False when the hart has come back there with the same
    /// registers, and has stored nothing in between: it waits for something, which it does in its turns, where it may park.
    #[inline(always)]
    pub(super) fn jump_ahead(&mut self, target: u64) -> bool {
        self.ahead.jumps = self.ahead.jumps.wrapping_sub(1);
        self.ahead.jumps != 0 || self.look_ahead(target)
    }

    #[cold]
    fn look_ahead(&mut self, target: u64) -> bool {
        let regs = &self.regs[..32];
        // A store clears the bit.
        if self.watching & LOOKED != 0 && self.ahead.looked == target {
            self.watching &= !LOOKED;
            self.ahead.jumps = LOOK;
            if self.ahead.looked_regs == regs {
                self.watching |= WAITS;
                return false;
            }
            return true;
        }
        self.watching |= LOOKED;
        self.ahead.looked = target;
        self.ahead.looked_regs.copy_from_slice(regs);
        self.ahead.jumps = 1;
        true
    }
}
