//! The three PCBufs of a tile: FIFOs of 16 words from B to T0, T1 and T2 (tensix.md §2).

use std::collections::VecDeque;

/// Words that one holds.
const WORDS: usize = 16;

/// One of them.
#[derive(Clone, Default)]
pub(crate) struct PcBuf {
    words: VecDeque<u32>,
    /// Words that B has stored and that have not arrived.
    leaving: usize,
    /// Words on their way that a reset has lost: they come before those that B has stored since.
    lost: usize,
    /// Its core waits for a word.
    awaited: bool,
}

impl PcBuf {
    /// True while B may not store.
    pub(crate) fn is_full(&self) -> bool {
        self.leaving + self.words.len() >= WORDS
    }

    /// B stores a word.
    pub(crate) fn leave(&mut self) {
        self.leaving += 1;
    }

    /// A word arrives, in the order in which they left.
    pub(crate) fn arrive(&mut self, word: u32) {
        if self.lost > 0 {
            self.lost -= 1;
            return;
        }
        self.leaving -= 1;
        self.words.push_back(word);
    }

    /// Its core takes the next word.
    pub(crate) fn take(&mut self) -> Option<u32> {
        let word = self.words.pop_front();
        self.awaited &= word.is_none();
        word
    }

    /// Its core waits for one; true when it did not before.
    pub(crate) fn wait(&mut self) -> bool {
        !std::mem::replace(&mut self.awaited, true)
    }

    /// What B's load waits for: nothing is left, and the core waits. The coprocessor is idle: it is not modelled.
    pub(crate) fn is_idle(&self) -> bool {
        self.awaited && self.words.is_empty() && self.leaving == 0
    }

    /// Its core's reset.
    pub(crate) fn reset(&mut self) {
        *self = Self { lost: self.lost + self.leaving, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_words_and_an_idle_core() {
        let mut pcbuf = PcBuf::default();
        for n in 0..16 {
            assert!(!pcbuf.is_full());
            pcbuf.leave();
            pcbuf.arrive(n);
        }
        assert!(pcbuf.is_full());
        assert_eq!((0..16).map(|_| pcbuf.take()).collect::<Option<Vec<_>>>(), Some((0..16).collect()));
        assert!(!pcbuf.is_idle());
        assert!(pcbuf.wait() && !pcbuf.wait());
        assert!(pcbuf.is_idle());
        pcbuf.leave();
        assert!(!pcbuf.is_idle());
        pcbuf.arrive(7);
        assert_eq!(pcbuf.take(), Some(7));
        assert!(pcbuf.wait());
    }

    #[test]
    fn a_word_on_its_way_at_a_reset_is_lost_and_the_next_one_is_not() {
        let mut pcbuf = PcBuf::default();
        pcbuf.leave();
        pcbuf.reset();
        pcbuf.leave();
        pcbuf.reset();
        pcbuf.leave();
        pcbuf.arrive(1);
        pcbuf.arrive(2);
        pcbuf.arrive(3);
        assert_eq!((pcbuf.take(), pcbuf.take()), (Some(3), None));
    }
}
