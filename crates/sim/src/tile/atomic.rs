//! Atomics of the NoC on words of L1 (tensix.md §4; what each does with its operands is on the ISA documentation's page
//! of NoC atomics, of Wormhole).

use crate::fault::{Rule, Violation};

/// What an atomic does to the 16 bytes that hold its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Atomic {
    /// Adds, wrapping at `width` bits.
    Increment { operand: u32, width: u8 },
    /// Writes the halves of the operand, in turn, to the 16-bit lanes of the line that the mask has a bit for.
    SwapMask { operand: u32, mask: u8 },
    /// Writes `set` where there is `compare`.
    CompareSwap { compare: u8, set: u8 },
    /// Writes the operand.
    Swap { operand: u32 },
}

/// What AT_LEN_BE can name besides, by number.
const NAMES: [(u32, &str); 5] = [
    (0, "a no-operation"),
    (2, "increment-get-pointer"),
    (5, "a tile map"),
    (8, "atomic 8"),
    (9, "accumulate"),
];

impl Atomic {
    /// The atomic of AT_LEN_BE and AT_DATA, on `address`.
    pub(crate) fn decode(word: u32, operand: u32, address: u64) -> Result<Self, Violation> {
        let refuse = |what: &str| {
            Err(Violation::new(Rule::AtomicForm, format!("NoC atomic {word:#x} on {address:#x}{what}")))
        };
        if address & 3 != 0 {
            return refuse(", which is no aligned word");
        }
        let (atomic, lane) = match word >> 12 {
            1 if word & 0xf80 == 0 => {
                (Self::Increment { operand, width: (word >> 2 & 31) as u8 + 1 }, Some(word & 3))
            }
            3 if word & 0xc03 == 0 => (Self::SwapMask { operand, mask: (word >> 2) as u8 }, None),
            4 if word & 0xc00 == 0 => {
                let (compare, set) = ((word >> 2 & 15) as u8, (word >> 6 & 15) as u8);
                (Self::CompareSwap { compare, set }, Some(word & 3))
            }
            6 if word & 0xffc == 0 => (Self::Swap { operand }, Some(word & 3)),
            7 if word & 0xff3 == 0 => (Self::Swap { operand }, Some(word >> 2 & 3)),
            1 | 3 | 4 | 6 | 7 => return refuse(", with bits that it has no use for"),
            other => {
                let name =
                    NAMES.iter().find(|(number, _)| *number == other).map_or("unknown", |(_, name)| name);
                return refuse(&format!(", which is {name}"));
            }
        };
        match lane {
            Some(lane) if u64::from(lane) != address >> 2 & 3 => refuse(", another word than AT_LEN_BE has"),
            _ => Ok(atomic),
        }
    }

    /// Where what it can change of the line of `address` begins, and its bytes.
    pub(crate) fn span(self, address: u64) -> (u64, u64) {
        match self {
            Self::SwapMask { .. } => (address & !15, 16),
            _ => (address, 4),
        }
    }

    /// The line at whose `lane`, 0 to 3, the atomic is, afterwards.
    pub(crate) fn apply(self, mut line: [u32; 4], lane: usize) -> [u32; 4] {
        let old = line[lane];
        match self {
            Self::Increment { operand, width } => {
                let mask = u32::MAX >> (32 - u32::from(width));
                line[lane] = old & !mask | old.wrapping_add(operand) & mask;
            }
            Self::SwapMask { operand, mask } => {
                for (i, word) in line.iter_mut().enumerate() {
                    let [low, high] = [2 * i, 2 * i + 1].map(|half| mask >> half & 1 == 1);
                    let kept = if low { 0 } else { 0xffff } | if high { 0 } else { 0xffff_0000 };
                    *word = *word & kept | operand & !kept;
                }
            }
            Self::CompareSwap { compare, set } if old == u32::from(compare) => line[lane] = u32::from(set),
            Self::CompareSwap { .. } => {}
            Self::Swap { operand } => line[lane] = operand,
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_documented_atomic_changes_its_bits_only() {
        let apply = |word, operand, lane: usize, line| {
            Atomic::decode(word, operand, 0x100 + 4 * lane as u64).map(|atomic| atomic.apply(line, lane))
        };
        let line = [0xffff_ffff, 3, 0x1234_5678, 0];
        assert_eq!(apply(0x107c, 2, 0, line), Ok([1, 3, 0x1234_5678, 0]));
        // 8 bits wide: the rest stays.
        assert_eq!(apply(0x1000 | 7 << 2 | 2, 0x1f0, 2, line), Ok([0xffff_ffff, 3, 0x1234_5668, 0]));
        assert_eq!(apply(0x4000 | 3 << 2 | 9 << 6 | 1, 0, 1, line), Ok([0xffff_ffff, 9, 0x1234_5678, 0]));
        assert_eq!(apply(0x4000 | 2 << 2 | 9 << 6 | 1, 0, 1, line), Ok(line));
        assert_eq!(apply(0x6003, 7, 3, line), Ok([0xffff_ffff, 3, 0x1234_5678, 7]));
        assert_eq!(apply(0x7000 | 3 << 2, 7, 3, line), Ok([0xffff_ffff, 3, 0x1234_5678, 7]));
        assert_eq!(
            apply(0x3000 | 0b1001_0110 << 2, 0xaaaa_bbbb, 0, line),
            Ok([0xaaaa_ffff, 0x0000_bbbb, 0x1234_bbbb, 0xaaaa_0000])
        );
    }

    #[test]
    fn what_is_not_documented_is_refused_by_its_name() {
        for (word, name) in
            [(0x0000, "no-operation"), (0x2000, "pointer"), (0x5000, "tile map"), (0x9000, "accumulate")]
        {
            let refused = Atomic::decode(word, 0, 0x100).unwrap_err();
            assert!(refused.detail.contains(name), "{}", refused.detail);
        }
        assert!(Atomic::decode(0x107d, 0, 0x100).is_err());
        assert!(Atomic::decode(0x107c, 0, 0x102).is_err());
        assert!(Atomic::decode(0x187c, 0, 0x100).is_err());
    }
}
