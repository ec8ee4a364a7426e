//! When a core's stores let it go on (tensix.md §2): four wait at most, L1 takes one in 5 cycles unless it falls
//! into the same 16 bytes as the one before, other regions one a cycle.

use crate::noc::latency::CYCLE;
use crate::time::Time;

/// How long L1 takes for a store.
const L1_DRAIN: Time = 5 * CYCLE;
/// Stores that wait.
const ENTRIES: Time = 4;

/// The queue, as the moment it will be empty.
#[derive(Clone)]
pub(crate) struct StoreQueue {
    empty_at: Time,
    line: u64,
    /// Stores to one line of L1 become one (cfg0 bit 12).
    pub(crate) merges: bool,
}

impl Default for StoreQueue {
    fn default() -> Self {
        Self { empty_at: 0, line: u64::MAX, merges: true }
    }
}

impl StoreQueue {
    /// A store to L1 at `at`; when the core may go on.
    #[inline(always)]
    pub(crate) fn l1(&mut self, at: Time, address: u64) -> Time {
        let merged = self.empty_at > at && self.line == address >> 4 && self.merges;
        self.line = address >> 4;
        if !merged {
            self.empty_at = self.empty_at.max(at) + L1_DRAIN;
        }
        self.go_on(at)
    }

    /// A store to another region.
    #[inline(always)]
    pub(crate) fn other(&mut self, at: Time) -> Time {
        self.line = u64::MAX;
        self.empty_at = self.empty_at.max(at) + CYCLE;
        self.go_on(at)
    }

    /// When everything has left.
    pub(crate) fn drained(&self, at: Time) -> Time {
        self.empty_at.max(at)
    }

    /// The queue as two words.
    pub(crate) fn state(&self) -> [u64; 2] {
        [self.empty_at, self.line]
    }

    /// Makes it again what it was.
    pub(crate) fn restore(&mut self, [empty_at, line]: [u64; 2]) {
        (self.empty_at, self.line) = (empty_at, line);
    }

    fn go_on(&self, at: Time) -> Time {
        const WAITING: Time = ENTRIES * L1_DRAIN;
        (at + CYCLE + WAITING).max(self.empty_at) - WAITING
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_to_one_line_merge_and_scattered_ones_fill_the_queue() {
        let mut queue = StoreQueue::default();
        let mut at = 0;
        for i in 0..4 {
            at = queue.l1(at, 0x100 + 4 * i);
        }
        assert_eq!((at, queue.drained(at)), (4 * CYCLE, 5 * CYCLE));
        let mut queue = StoreQueue::default();
        let mut at = 0;
        for i in 0..100 {
            at = queue.l1(at, 64 * i);
        }
        assert!((95 * 5 * CYCLE..=100 * 5 * CYCLE).contains(&at), "{}", at / CYCLE);
    }
}
