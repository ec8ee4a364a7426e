//! A hart's load through a window, between the hart and the tile that answers.

use crate::time::Time;

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// When it is back.
    pub(crate) at: Time,
    pub(crate) value: u64,
}

/// The last load of a hart.
#[derive(Clone, Copy, Default)]
pub(crate) struct WindowLoad {
    /// Which of the hart's loads it is: an answer to an earlier one, which the hart gave up, is dropped.
    ticket: u32,
    answer: Option<Answer>,
    /// The hart stands until the answer comes.
    stands: bool,
}

impl WindowLoad {
    /// A load: its ticket.
    pub(crate) fn ask(&mut self) -> u32 {
        *self = Self { ticket: self.ticket.wrapping_add(1), ..Self::default() };
        self.ticket
    }

    /// The answer to the load of this ticket; true when the hart stands, and has to be told.
    pub(crate) fn answer(&mut self, ticket: u32, answer: Answer) -> bool {
        if ticket != self.ticket {
            return false;
        }
        self.answer = Some(answer);
        std::mem::take(&mut self.stands)
    }

    /// Takes the answer; when there is none, the hart stands.
    pub(crate) fn take(&mut self) -> Option<Answer> {
        let answer = self.answer.take();
        self.stands = answer.is_none();
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_load_is_answered_and_a_hart_that_stands_is_told_once() {
        let mut load = WindowLoad::default();
        let answer = |value| Answer { at: 5, value };
        let first = load.ask();
        assert_eq!(load.take(), None);
        let second = load.ask();
        assert!(!load.answer(second, answer(2)), "the hart of the second load does not stand");
        assert!(!load.answer(first, answer(1)));
        assert_eq!(load.take(), Some(answer(2)));
        let third = load.ask();
        assert_eq!(load.take(), None);
        assert!(!load.answer(second, answer(2)) && load.answer(third, answer(3)));
        assert!(!load.answer(third, answer(3)));
        assert_eq!(load.take(), Some(answer(3)));
    }
}
