//! A command line: 64 bytes of the command ring.

use crate::constants::command as c;

/// A command as the host stores it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The handler's number.
    pub handler: u8,
    /// `KM_FLAG_*`.
    pub flags: u8,
    /// First core of the group.
    pub first: u16,
    /// Cores of the group.
    pub count: u16,
    /// Argument words in use.
    pub words: u8,
    /// The low 16 bits of the host's number of the command.
    pub number: u16,
    /// Its deadline in ticks of 20 ns, read only with `KM_FLAG_LIMIT`; else the run's holds.
    pub limit: u32,
    /// Argument words.
    pub args: [u32; c::ARGS_MAX as usize],
}

/// The phase of line `index` (counting from 0) in a ring of `lines`.
#[inline]
pub const fn line_phase(index: u64, lines: u32) -> u16 {
    (index / lines as u64 + 1) as u16
}

impl Line {
    /// The eight words of the line, with `phase` at both ends.
    #[inline]
    pub fn encode(&self, phase: u16) -> [u64; 8] {
        let mut words = [0; 8];
        words[c::LINE_HEAD as usize] = u64::from(phase)
            | u64::from(self.handler) << c::HEAD_HANDLER_SHIFT
            | u64::from(self.flags) << c::HEAD_FLAGS_SHIFT
            | u64::from(self.first) << c::HEAD_FIRST_SHIFT
            | u64::from(self.count) << c::HEAD_COUNT_SHIFT;
        for (i, pair) in self.args.as_chunks::<2>().0.iter().enumerate() {
            words[c::LINE_ARGS as usize + i] = u64::from(pair[0]) | u64::from(pair[1]) << 32;
        }
        words[c::LINE_LIMIT as usize] = u64::from(self.limit);
        words[c::LINE_TAIL as usize] = u64::from(self.number)
            | u64::from(self.words) << c::TAIL_ARGS_SHIFT
            | u64::from(phase) << c::TAIL_PHASE_SHIFT;
        words
    }

    /// The line and its two phases.
    pub fn decode(words: &[u64; 8]) -> (Self, [u16; 2]) {
        let (head, tail) = (words[c::LINE_HEAD as usize], words[c::LINE_TAIL as usize]);
        let mut args = [0; c::ARGS_MAX as usize];
        for (i, pair) in args.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            let word = words[c::LINE_ARGS as usize + i];
            *pair = [word as u32, (word >> 32) as u32];
        }
        let line = Self {
            handler: (head >> c::HEAD_HANDLER_SHIFT) as u8,
            flags: (head >> c::HEAD_FLAGS_SHIFT) as u8,
            first: (head >> c::HEAD_FIRST_SHIFT) as u16,
            count: (head >> c::HEAD_COUNT_SHIFT) as u16,
            words: (tail >> c::TAIL_ARGS_SHIFT) as u8,
            number: tail as u16,
            limit: words[c::LINE_LIMIT as usize] as u32,
            args,
        };
        (line, [head as u16, (tail >> c::TAIL_PHASE_SHIFT) as u16])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_decoded_line_is_the_encoded_one(
            handler: u8, flags: u8, first: u16, count: u16, words: u8, number: u16, limit: u32, args: [u32; 10], phase: u16
        ) {
            let line = Line { handler, flags, first, count, words, number, limit, args };
            prop_assert_eq!(Line::decode(&line.encode(phase)), (line, [phase, phase]));
        }

        #[test]
        fn a_line_of_the_lap_before_never_matches(index in 64_u64..u64::MAX / 2) {
            prop_assert_ne!(line_phase(index, 64), line_phase(index - 64, 64));
        }
    }
}
