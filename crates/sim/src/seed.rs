//! What a seed decides: latencies inside their bounds, clock offsets between tiles, when an L0
//! cache is flushed.
//!
//! Every draw is a hash of the seed and of what is drawn for, so that it does not depend on the order of draws.

use crate::time::Time;

/// A seed; 0 draws nothing: every latency is its least one and every clock starts at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seed(pub(crate) u64);

impl Seed {
    /// A delay in `0..=bound` for message `sequence` of `source`.
    #[inline]
    pub(crate) fn delay(self, source: u16, sequence: u64, bound: Time) -> Time {
        if self.0 == 0 { 0 } else { self.draw(u64::from(source) << 48 | sequence) % (bound + 1) }
    }

    /// Cycles by which the wall clock of `tile` is ahead of the others'; below 2^20.
    pub(crate) fn clock_offset(self, tile: u16) -> u64 {
        if self.0 == 0 { 0 } else { self.draw(0xc10c_0000_0000_0000 | u64::from(tile)) >> 44 }
    }

    /// What a part of the model mixes into its own draws; 0 for none.
    pub(crate) fn salt(self, part: u16) -> u64 {
        if self.0 == 0 { 0 } else { self.draw(0x5a17_0000_0000_0000 | u64::from(part)) | 1 }
    }

    /// True when anything is drawn.
    #[inline]
    pub(crate) fn draws(self) -> bool {
        self.0 != 0
    }

    /// Whether the line behind a fetched one was prefetched.
    pub(crate) const PREFETCH: u16 = 0x9f01;
    /// Whether the pipeline holds what it does not have to.
    pub(crate) const PIPELINE: u16 = 0x9f02;
    /// Whether a line that is written is still cached.
    pub(crate) const CACHED: u16 = 0x9f03;

    /// Whether, and by how much, a store is late.
    pub(crate) const STORE: u16 = 0x9f04;

    /// A number for the `n`-th time that `part` asks `what`.
    pub(crate) fn pick(self, what: u16, part: u16, n: u64) -> u64 {
        self.draw(u64::from(what) << 48 ^ u64::from(part) << 32 ^ n)
    }

    /// Yes or no, for the `n`-th time that `part` asks `what`; no with seed 0.
    pub(crate) fn coin(self, what: u16, part: u16, n: u64) -> bool {
        self.draws() && self.pick(what, part, n) >> 63 == 1
    }

    /// What stands at an address whose memory was lost; junk with seed 0 too.
    pub(crate) fn junk(self, address: u64) -> u32 {
        Self(self.0 | 1 << 63).draw(address) as u32
    }

    /// Splitmix64 of the seed and `what`.
    #[inline]
    fn draw(self, what: u64) -> u64 {
        let mut z = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ what.wrapping_mul(0xd1b5_4a32_d192_ed03);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_zero_draws_nothing_and_others_stay_in_bounds() {
        assert_eq!(Seed(0).delay(3, 4, 1000), 0);
        assert_eq!(Seed(0).clock_offset(3), 0);
        let delays: Vec<_> = (0..1000).map(|i| Seed(1).delay(3, i, 99)).collect();
        assert!(delays.iter().all(|d| *d <= 99) && delays.contains(&0) && delays.contains(&99));
        assert_ne!(delays, (0..1000).map(|i| Seed(2).delay(3, i, 99)).collect::<Vec<_>>());
        assert!((0..140).all(|tile| Seed(9).clock_offset(tile) < 1 << 20));
    }
}
