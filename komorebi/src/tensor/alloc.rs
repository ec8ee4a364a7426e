//! First fit over one address range that every DRAM bank has.

use komorebi_abi::constants::layout;

/// Free gaps of the address range all banks share, in address order.
pub(crate) struct Allocator {
    gaps: Vec<(u64, u64)>,
}

impl Allocator {
    /// Everything from [`layout::DRAM_BASE`] up to `bytes`, the least any bank has. Addresses stay below 2^32, as
    /// device code names them in one word.
    pub(crate) fn new(bytes: u64) -> Self {
        let end = bytes.min(layout::DRAM_BANK_BYTES);
        let base = layout::DRAM_BASE;
        Self { gaps: if end > base { vec![(base, end - base)] } else { Vec::new() } }
    }

    /// The lowest free `bytes`, rounded up to whole alignments.
    pub(crate) fn take(&mut self, bytes: u64) -> Option<u64> {
        let bytes = round(bytes);
        let (i, &(start, length)) = self.gaps.iter().enumerate().find(|(_, gap)| gap.1 >= bytes)?;
        if length == bytes {
            self.gaps.remove(i);
        } else {
            self.gaps[i] = (start + bytes, length - bytes);
        }
        Some(start)
    }

    /// Gives back what [`take`](Self::take) gave for `bytes`.
    pub(crate) fn free(&mut self, start: u64, bytes: u64) {
        let bytes = round(bytes);
        let at = self.gaps.partition_point(|gap| gap.0 < start);
        self.gaps.insert(at, (start, bytes));
        if at + 1 < self.gaps.len() && start + bytes == self.gaps[at + 1].0 {
            self.gaps[at].1 += self.gaps.remove(at + 1).1;
        }
        if at > 0 && self.gaps[at - 1].0 + self.gaps[at - 1].1 == start {
            self.gaps[at - 1].1 += self.gaps.remove(at).1;
        }
    }

    /// Bytes of the largest gap.
    pub(crate) fn largest(&self) -> u64 {
        self.gaps.iter().map(|gap| gap.1).max().unwrap_or(0)
    }
}

fn round(bytes: u64) -> u64 {
    bytes.max(1).next_multiple_of(u64::from(layout::DRAM_ALIGN))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn address_0_is_never_given() {
        assert_eq!(Allocator::new(1 << 20).take(64), Some(64));
    }

    #[test]
    fn a_request_larger_than_every_gap_is_refused_and_changes_nothing() {
        let mut memory = Allocator::new(64 + 256);
        assert_eq!(memory.take(257), None);
        assert_eq!(memory.largest(), 256);
        assert_eq!(memory.take(256), Some(64));
        assert_eq!(memory.largest(), 0);
    }

    proptest! {
        #[test]
        fn what_is_given_never_overlaps_and_all_comes_back(steps in prop::collection::vec((1_u64..5000, any::<bool>()), 1..200)) {
            const END: u64 = 1 << 18;
            let mut memory = Allocator::new(END);
            let mut held: Vec<(u64, u64)> = Vec::new();
            for (bytes, give) in steps {
                if give && !held.is_empty() {
                    let (start, bytes) = held.swap_remove(bytes as usize % held.len());
                    memory.free(start, bytes);
                } else if let Some(start) = memory.take(bytes) {
                    prop_assert!(start % 64 == 0 && start + bytes <= END);
                    prop_assert!(held.iter().all(|&(s, b)| start + bytes <= s || s + b <= start));
                    held.push((start, bytes));
                }
            }
            for (start, bytes) in held {
                memory.free(start, bytes);
            }
            prop_assert_eq!(memory.gaps, vec![(64, END - 64)]);
        }
    }
}
