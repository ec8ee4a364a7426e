//! Arguments as words.

use half::bf16;
use komorebi_abi::constants::command::ARGS_MAX;
use komorebi_card::Core;

use crate::{Address, Tensor};

/// The argument words of a command, filled from the left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Words {
    pub(crate) words: [u32; ARGS_MAX as usize],
    /// Words pushed; those past the tenth are counted alone.
    pub(crate) count: u32,
    /// Of which session the tensors among them are.
    pub(crate) tensors: Tensors,
}

/// Of which session a command's tensors are: their addresses mean something on one card only. A number, since every command
/// carries it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tensors(u32);

impl Tensors {
    /// It has none: sessions count from 1.
    pub(crate) const NONE: Self = Self(0);
    /// They are of several sessions.
    const MIXED: Self = Self(u32::MAX);
    /// One was freed before the call was made.
    pub(crate) const FREED: Self = Self(u32::MAX - 1);

    /// All of this session.
    pub(crate) const fn of(session: u32) -> Self {
        Self(session)
    }

    /// With a tensor more.
    fn and(self, session: u32, freed: bool) -> Self {
        match self {
            _ if freed => Self::FREED,
            Self::NONE => Self::of(session),
            Self::FREED => self,
            _ if self == Self::of(session) => self,
            _ => Self::MIXED,
        }
    }
}

impl Words {
    /// No words.
    pub const fn new() -> Self {
        Self { words: [0; ARGS_MAX as usize], count: 0, tensors: Tensors::NONE }
    }

    /// Appends an argument. Words past the tenth are counted and refused when the command is submitted.
    #[inline]
    #[must_use]
    pub fn push(self, argument: impl Argument) -> Self {
        argument.append(self)
    }

    #[inline]
    fn tensor(mut self, tensor: &Tensor) -> Self {
        self.tensors = self.tensors.and(tensor.session_number(), tensor.freed());
        self.word(tensor.address().0)
    }

    #[inline]
    pub(crate) const fn word(mut self, word: u32) -> Self {
        if self.count < ARGS_MAX {
            self.words[self.count as usize] = word;
        }
        self.count = self.count.saturating_add(1);
        self
    }
}

mod sealed {
    pub trait Sealed {
        fn append(self, words: super::Words) -> super::Words;
    }
}

/// A type that handlers take: `u32`, `i32`, `f32`, `u64`, `[half::bf16; 2]`, `[u16; 2]`, [`Core`], [`Address`].
pub trait Argument: sealed::Sealed {}

macro_rules! argument {
    ($($type:ty: |$value:ident, $words:ident| $append:expr;)*) => {
        $(
            impl sealed::Sealed for $type {
                #[inline]
                fn append(self, $words: Words) -> Words {
                    let $value = self;
                    $append
                }
            }
            impl Argument for $type {}
        )*
    };
}

argument! {
    u32: |value, words| words.word(value);
    i32: |value, words| words.word(value.cast_unsigned());
    f32: |value, words| words.word(value.to_bits());
    u64: |value, words| words.word(value as u32).word((value >> 32) as u32);
    [bf16; 2]: |value, words| words.word(u32::from(value[0].to_bits()) | u32::from(value[1].to_bits()) << 16);
    [u16; 2]: |value, words| words.word(u32::from(value[0]) | u32::from(value[1]) << 16);
    Core: |value, words| words.word(value.0);
    Address: |value, words| words.word(value.0);
    &Tensor: |value, words| words.tensor(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lie_low_word_first_and_pairs_first_in_the_low_half() {
        let words = Words::new()
            .push(0x1_0000_0002_u64)
            .push([1_u16, 2])
            .push([bf16::from_f32(1.0), bf16::ZERO])
            .push(-1_i32)
            .push(1.0_f32)
            .push(Core(7))
            .push(Address(64));
        assert_eq!(words.words[..8], [2, 1, 0x2_0001, 0x3F80, u32::MAX, 0x3F80_0000, 7, 64]);
        assert_eq!(words.count, 8);
    }

    #[test]
    fn words_past_the_tenth_are_counted_not_dropped_silently() {
        let words = (0..12_u32).fold(Words::new(), Words::push);
        assert_eq!(words.count, 12);
    }
}
