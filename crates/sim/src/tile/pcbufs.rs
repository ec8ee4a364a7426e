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

    /// It arrives.
    pub(crate) fn arrive(&mut self, word: u32) {
        // The receiver was reset meanwhile: the word is gone.
        if self.leaving > 0 {
            self.leaving -= 1;
            self.words.push_back(word);
        }
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
        *self = Self::default();
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
}
