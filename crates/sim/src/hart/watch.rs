//! What one iteration of a wait loop has looked at.

use super::bus::Width;
use crate::time::Time;

/// A shared load of a wait loop: address and width in one word.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Watch(u64);

impl Watch {
    /// Bits below the address: a width in bytes.
    const SHIFT: u32 = 4;

    /// A load of `width` at the hart's address; no address has more than 60 bits.
    #[inline]
    pub fn new(address: u64, width: Width) -> Self {
        Self(address << Self::SHIFT | width as u64)
    }

    /// The hart's address.
    #[inline]
    pub fn address(self) -> u64 {
        self.0 >> Self::SHIFT
    }

    /// How many bytes of it.
    #[inline]
    pub fn bytes(self) -> u64 {
        self.0 & ((1 << Self::SHIFT) - 1)
    }

    /// True when a write of `bytes` bytes at `address` reaches what was loaded.
    #[inline]
    pub fn meets(self, address: u64, bytes: u64) -> bool {
        self.address() < address.saturating_add(bytes) && address < self.address() + self.bytes()
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes at {:#x}", self.bytes(), self.address())
    }
}

/// One iteration, from its start.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Iteration {
    /// Where the loop starts: the wait HINT, or the target of the backward branch.
    pub(super) pc: u64,
    /// When the iteration started.
    pub(super) start: Time,
    /// The length of the iteration before it, when that was one of the same loop; else 0.
    pub(super) period: Time,
    /// The value that the wait HINT at its start had, to wake at.
    pub(super) wake: u64,
    /// Counters at the start: instructions, shared loads.
    pub(super) counts: (u64, u64),
    /// When the last load was made, at the latest.
    last: Time,
    used: usize,
    watches: [Watch; Self::CAPACITY],
}

impl Iteration {
    /// Loads that an iteration may make before it is no longer a wait loop.
    pub(super) const CAPACITY: usize = 48;

    pub(super) fn new() -> Self {
        Self {
            pc: 0,
            start: 0,
            period: 0,
            wake: 0,
            counts: (0, 0),
            watches: [Watch::new(0, Width::Byte); Self::CAPACITY],
            last: 0,
            used: 0,
        }
    }

    /// Starts the next iteration.
    pub(super) fn restart(&mut self, pc: u64, start: Time, counts: (u64, u64)) {
        self.pc = pc;
        self.start = start;
        self.counts = counts;
        self.used = 0;
    }

    /// Notes a load at `at`; false when there is no room for it.
    pub(super) fn note(&mut self, watch: Watch, at: Time) -> bool {
        self.last = at;
        if self.watches().contains(&watch) {
            return true;
        }
        let Some(slot) = self.watches.get_mut(self.used) else { return false };
        *slot = watch;
        self.used += 1;
        true
    }

    /// Becomes the same as `other`.
    pub(super) fn copy_from(&mut self, other: &Self) {
        (self.pc, self.start, self.period, self.counts) = (other.pc, other.start, other.period, other.counts);
        (self.wake, self.used, self.last) = (other.wake, other.used, other.last);
        self.watches[..other.used].copy_from_slice(other.watches());
    }

    /// Forgets all but the first `used`.
    pub(super) fn cut(&mut self, used: usize) {
        self.used = used;
    }

    /// A number that tells the loads of one iteration from those of another, where loads that differ only below bit
    /// `region` of their addresses are alike.
    pub(super) fn digest(&self, region: u32) -> u64 {
        let mix = |digest: u64, watch: &Watch| {
            (digest ^ watch.address() >> region).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        };
        let digest = self.watches().iter().fold(0, mix);
        digest ^ digest >> 32
    }

    /// When the last load was made.
    pub(super) fn last(&self) -> Time {
        self.last
    }

    /// What was loaded since the start.
    pub(super) fn watches(&self) -> &[Watch] {
        &self.watches[..self.used]
    }
}
