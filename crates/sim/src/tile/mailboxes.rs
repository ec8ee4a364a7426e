//! The sixteen mailboxes of a tile, one from each of B, T0, T1, T2 to each of them (tensix.md §2): FIFOs of words. A core has four
//! words on their way in total.

use std::collections::VecDeque;

use super::cores::Core;

/// Words that one core may have sent and nobody received, in all of its mailboxes.
const IN_FLIGHT: usize = 4;

/// The FIFOs.
#[derive(Clone, Default)]
pub(crate) struct Mailboxes {
    /// By sender, then receiver.
    fifos: [[VecDeque<u32>; 4]; 4],
    /// Words that were sent and have not arrived, in the same order.
    leaving: [[usize; 4]; 4],
    /// Words on their way that a reset has lost: they come before those that were sent since.
    lost: [[usize; 4]; 4],
}

/// Which of the four cores with mailboxes it is: by the number in their addresses.
pub(crate) const fn number(core: Core) -> Option<usize> {
    match core {
        Core::B => Some(0),
        Core::T0 => Some(1),
        Core::T1 => Some(2),
        Core::T2 => Some(3),
        Core::Nc => None,
    }
}

impl Mailboxes {
    /// True while `from` may not send.
    pub(crate) fn is_full(&self, from: usize) -> bool {
        let waiting = self.fifos[from].iter().map(VecDeque::len);
        waiting.chain(self.leaving[from]).sum::<usize>() >= IN_FLIGHT
    }

    /// `from` sends a word to `to`.
    pub(crate) fn leave(&mut self, from: usize, to: usize) {
        self.leaving[from][to] += 1;
    }

    /// A word that was sent arrives, in the order in which they left for `to`.
    pub(crate) fn arrive(&mut self, from: usize, to: usize, word: u32) {
        if self.lost[from][to] > 0 {
            self.lost[from][to] -= 1;
            return;
        }
        self.leaving[from][to] -= 1;
        self.fifos[from][to].push_back(word);
    }

    /// Words from `from` that wait for `to`.
    pub(crate) fn waiting(&self, from: usize, to: usize) -> usize {
        self.fifos[from][to].len()
    }

    /// `to` takes the next word from `from`.
    pub(crate) fn take(&mut self, from: usize, to: usize) -> Option<u32> {
        self.fifos[from][to].pop_front()
    }

    /// The core's reset empties what it writes (tensix.md §3).
    pub(crate) fn reset(&mut self, core: Core) {
        if let Some(from) = number(core) {
            self.fifos[from].iter_mut().for_each(VecDeque::clear);
            for (lost, leaving) in self.lost[from].iter_mut().zip(&mut self.leaving[from]) {
                *lost += std::mem::take(leaving);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_has_four_words_on_their_way_in_all_its_mailboxes_together() {
        let mut boxes = Mailboxes::default();
        for n in 0..4 {
            assert!(!boxes.is_full(0));
            boxes.leave(0, 1 + n % 2);
            boxes.arrive(0, 1 + n % 2, n as u32);
        }
        assert!(boxes.is_full(0) && !boxes.is_full(1));
        assert_eq!((boxes.take(0, 1), boxes.take(0, 1), boxes.take(0, 1)), (Some(0), Some(2), None));
        assert!(!boxes.is_full(0));
        boxes.reset(Core::B);
        assert_eq!(boxes.waiting(0, 2), 0);
    }

    #[test]
    fn a_word_on_its_way_at_a_reset_is_lost_and_the_next_one_is_not() {
        let mut boxes = Mailboxes::default();
        boxes.leave(0, 1);
        boxes.leave(0, 2);
        boxes.reset(Core::B);
        boxes.leave(0, 2);
        boxes.leave(0, 1);
        // Between mailboxes there is no order.
        for (to, word) in [(2, 2), (2, 3), (1, 1), (1, 4)] {
            boxes.arrive(0, to, word);
        }
        assert_eq!((boxes.take(0, 2), boxes.take(0, 2)), (Some(3), None));
        assert_eq!((boxes.take(0, 1), boxes.take(0, 1)), (Some(4), None));
    }
}
