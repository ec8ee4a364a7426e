//! What a core has replaced ahead of its turn, to be put back when it is taken back.

use arrayvec::ArrayVec;

use super::debug::ClockReader;

/// Words that a core replaces, at the most, before it waits for its turn.
const MOST: usize = 256;

/// The words a core has stored to ahead of its turn, the first one first, and what else was there before.
#[derive(Clone, Default)]
pub(crate) struct UndoLog {
    /// The store queue.
    stores: [u64; 2],
    /// What the core had read of its clock, once it reads it.
    clock: Option<ClockReader>,
    /// Addresses and what was there.
    words: ArrayVec<(u32, u32), MOST>,
}

impl UndoLog {
    /// The core goes ahead with this store queue.
    #[inline]
    pub(crate) fn begin(&mut self, stores: [u64; 2]) {
        self.stores = stores;
        self.clock = None;
        self.words.clear();
    }

    /// The word at `address` is about to be replaced; `None` where there is no room to note it.
    #[inline(always)]
    pub(crate) fn note(&mut self, address: u64, word: u64) -> Option<()> {
        self.words.try_push((address as u32, word as u32)).ok()
    }

    /// The core is about to read its clock, of which it has read this.
    pub(crate) fn note_clock(&mut self, before: ClockReader) {
        self.clock.get_or_insert(before);
    }

    /// The store queue, and what the core had read of its clock.
    pub(crate) fn kept(&self) -> ([u64; 2], Option<ClockReader>) {
        (self.stores, self.clock)
    }

    /// The last word that was replaced and not yet put back.
    pub(crate) fn pop(&mut self) -> Option<(u64, u64)> {
        self.words.pop().map(|(address, word)| (address.into(), word.into()))
    }
}
