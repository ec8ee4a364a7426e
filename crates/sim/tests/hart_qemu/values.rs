//! Numbers at which arithmetic goes wrong, and others.

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng};

pub(crate) struct Random(TestRng);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Self(TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
    }

    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.0.next_u32() % end
    }

    pub(crate) fn one_in(&mut self, count: u32) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }

    /// An integer of up to 64 bits.
    pub(crate) fn integer(&mut self) -> u64 {
        const EDGES: [u64; 12] = [
            0,
            1,
            2,
            u64::MAX,
            1 << 31,
            1 << 63,
            0x7fff_ffff,
            0x8000,
            0xffff_ffff_8000_0000,
            0xffff_ffff,
            0x7fff_ffff_ffff_ffff,
            0x00ff_0000_ff00,
        ];
        match self.below(3) {
            0 => self.of(&EDGES),
            1 => self.of(&EDGES) ^ self.0.next_u64() >> (32 + self.below(32)),
            _ => self.0.next_u64() >> self.below(64),
        }
    }

    /// The bits of a floating-point number with so many bits of exponent and fraction.
    pub(crate) fn float(&mut self, exponent_bits: u32, fraction_bits: u32) -> u64 {
        let last = (1 << exponent_bits) - 1;
        let bias = last / 2;
        let spread = fraction_bits + 4;
        let exponent = match self.below(16) {
            0 | 1 => 0,
            2 => last,
            3 => 1,
            4 => last - 1,
            // Near 1, so that sums cancel and integers are in range.
            5..=10 => bias + self.below(2 * spread) - spread.min(bias),
            11 => bias + self.below(64).min(bias),
            // Near the ends, so that products leave the range.
            12 => self.below(spread),
            13 => last - 1 - self.below(spread.min(last)),
            _ => self.below(last + 1),
        };
        let all = (1u64 << fraction_bits) - 1;
        let some = self.0.next_u64();
        let fraction = match self.below(8) {
            0 => 0,
            1 => all,
            2 => 1,
            3 => 1 << (fraction_bits - 1),
            4 => some << self.below(fraction_bits),
            5 => !(some << self.below(fraction_bits)),
            _ => some,
        };
        let sign = u64::from(self.below(2)) << (exponent_bits + fraction_bits);
        sign | u64::from(exponent.min(last)) << fraction_bits | fraction & all
    }

    /// Records of 32 bytes: a double, two singles, four halves, an integer.
    pub(crate) fn pool(&mut self, records: usize) -> Vec<u8> {
        let mut pool = Vec::new();
        for _ in 0..records {
            pool.extend(self.float(11, 52).to_le_bytes());
            for _ in 0..2 {
                pool.extend((self.float(8, 23) as u32).to_le_bytes());
            }
            for _ in 0..4 {
                pool.extend((self.float(5, 10) as u16).to_le_bytes());
            }
            pool.extend(self.integer().to_le_bytes());
        }
        pool
    }
}
