//! Loads ahead of a hart's turn.
//!
//! The harts of a tile take turns by time, and five that poll would take a turn a load. But the order of two loads
//! matters to nobody: only a store in between does. So a hart may load shared memory later than its horizon, as long
//! as it does nothing else that others could see; it keeps what it was before, and the tile what it has loaded and
//! when. A write by somebody else to one of those words, at an earlier moment than the load, takes the hart back
//! ([`Hart::take_back`]) before the write happens. Results are those of strict turns.

use super::isa::{Isa, Xlen};
use super::state::{Counters, Hart};
use super::watch::Watch;
use crate::time::Time;

/// A load ahead of its turn.
#[derive(Clone, Copy, Debug)]
pub struct AheadLoad {
    /// What was loaded.
    pub watch: Watch,
    /// When.
    pub at: Time,
}

/// Late registers that a hart may have when it goes ahead.
const ARRIVALS: usize = 8;

/// Loads that a hart may make ahead, before it waits for its turn. With more than one, a hart taken back because of the
/// second would make the first again, and see what was written in between.
const MOST: usize = 1;

/// What a hart was before its first load ahead of its turn.
#[derive(Debug)]
pub(super) struct Ahead {
    /// No load ahead while the horizon has not passed this: a write at this moment waits for the hart.
    barrier: Time,
    loads: Vec<AheadLoad>,
    /// x0 to x31. Whoever can be taken back has registers of 32 bits.
    regs: [u32; 32],
    /// When the registers of `pending` arrive, in the order of their bits.
    arrivals: [Time; ARRIVALS],
    pending: u64,
    pc: u64,
    time: Time,
    counters: Counters,
    watching: u8,
    used: (usize, usize),
    repeat: (u64, u32, u32),
}

/// The parts of a hart's state that the loop keeps in registers.
pub(super) struct Here {
    pub(super) pc: u64,
    pub(super) time: Time,
    pub(super) instructions: u64,
    pub(super) pending: u64,
    pub(super) streak: u32,
}

impl Ahead {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self {
            barrier: 0,
            loads: Vec::with_capacity(MOST),
            regs: [0; 32],
            arrivals: [0; ARRIVALS],
            pending: 0,
            pc: 0,
            time: 0,
            counters: Counters::default(),
            watching: 0,
            used: (0, 0),
            repeat: (0, 0, 0),
        })
    }
}

/// The numbers of the bits that are set.
fn bits(mut set: u64) -> impl Iterator<Item = usize> {
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

    /// The hart runs in its turn again: nothing earlier can come any more, and what it has loaded stands.
    #[inline]
    pub fn keep_ahead(&mut self) {
        if self.is_ahead {
            self.is_ahead = false;
            self.ahead.loads.clear();
        }
    }

    /// Takes the hart back to before its first load ahead of its turn: something it has loaded changes at `at`. It
    /// loads nothing ahead again before others have passed that moment.
    pub fn take_back(&mut self, at: Time) {
        self.ahead.barrier = self.ahead.barrier.max(at);
        if !self.is_ahead {
            return;
        }
        self.keep_ahead();
        let ahead = &self.ahead;
        for (slot, saved) in self.regs.iter_mut().zip(&ahead.regs) {
            *slot = X::canonical(u64::from(*saved));
        }
        for (slot, arrival) in bits(ahead.pending).zip(&ahead.arrivals) {
            self.ready[slot] = *arrival;
        }
        self.pending = ahead.pending;
        self.pc = ahead.pc;
        self.time = ahead.time;
        self.counters = ahead.counters;
        self.watching = ahead.watching;
        self.wait.cut(ahead.used.0);
        self.repeat.iteration.cut(ahead.used.1);
        (self.repeat.target, self.repeat.streak, self.repeat.threshold) = ahead.repeat;
    }

    /// Notes a load ahead; false when it has to wait for its turn.
    pub(super) fn go_ahead(&mut self, here: impl FnOnce() -> Here, load: AheadLoad, horizon: Time) -> bool {
        if X::ISA != Isa::Rv32
            || !self.parking
            || horizon <= self.ahead.barrier
            || self.ahead.loads.len() == MOST
        {
            return false;
        }
        if !self.is_ahead {
            let Here { pc, time, instructions, pending, streak } = here();
            if pending.count_ones() > ARRIVALS as u32 {
                return false;
            }
            self.is_ahead = true;
            let ahead = &mut self.ahead;
            for (saved, slot) in ahead.regs.iter_mut().zip(&self.regs) {
                *saved = *slot as u32;
            }
            for (arrival, slot) in ahead.arrivals.iter_mut().zip(bits(pending)) {
                *arrival = self.ready[slot];
            }
            (ahead.pc, ahead.time, ahead.pending) = (pc, time, pending);
            ahead.counters = Counters { instructions, ..self.counters };
            ahead.watching = self.watching;
            ahead.used = (self.wait.watches().len(), self.repeat.iteration.watches().len());
            ahead.repeat = (self.repeat.target, streak, self.repeat.threshold);
        }
        self.ahead.loads.push(load);
        true
    }
}
