//! The upload region: whole lines, first fit.

use std::collections::BTreeMap;

use komorebi_abi::constants::engine::UPLOAD_ALIGN;

/// Which lines of the region are taken. The default has none.
#[derive(Default)]
pub(crate) struct Region {
    bytes: u32,
    /// Bytes taken, by offset: neither overlap nor reach past the end.
    taken: BTreeMap<u32, u32>,
}

impl Region {
    pub(crate) fn new(bytes: u32) -> Self {
        Self { bytes: bytes - bytes % UPLOAD_ALIGN, taken: BTreeMap::new() }
    }

    /// The lowest offset where `bytes`, rounded up to whole lines, are free; they are taken then.
    pub(crate) fn take(&mut self, bytes: usize) -> Option<u32> {
        let bytes = u32::try_from(lines(bytes)?).ok()?;
        let (at, _) = self.holes().find(|&(_, hole)| hole >= bytes)?;
        self.taken.insert(at, bytes);
        Some(at)
    }

    /// Gives back what [`take`](Self::take) gave.
    pub(crate) fn give_back(&mut self, offset: u32) {
        self.taken.remove(&offset);
    }

    /// Bytes that are free, and those of the largest hole.
    pub(crate) fn free(&self) -> (u32, u32) {
        self.holes().fold((0, 0), |(free, largest), (_, hole)| (free + hole, largest.max(hole)))
    }

    /// Offset and bytes of each hole, in their order.
    fn holes(&self) -> impl Iterator<Item = (u32, u32)> {
        let ends = self.taken.iter().map(|(&at, &bytes)| at + bytes);
        let starts = self.taken.keys().copied().chain([self.bytes]);
        [0].into_iter()
            .chain(ends)
            .zip(starts)
            .map(|(end, start)| (end, start - end))
            .filter(|hole| hole.1 > 0)
    }
}

/// `bytes` as whole lines, one at least.
fn lines(bytes: usize) -> Option<usize> {
    bytes.max(1).checked_next_multiple_of(UPLOAD_ALIGN as usize)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_place_that_is_large_enough_is_taken() {
        let mut region = Region::new(64 * 10);
        assert_eq!([region.take(100), region.take(64), region.take(1)], [Some(0), Some(128), Some(192)]);
        region.give_back(128);
        assert_eq!(region.free(), (64 * 7, 64 * 6));
        assert_eq!(region.take(128), Some(256), "the hole of one line is too small");
        assert_eq!(region.take(0), Some(128));
        assert_eq!(region.take(64 * 5), None);
        assert_eq!(region.take(usize::MAX), None);
        assert_eq!(Region::new(0).take(1), None, "a program with a thread has no region");
    }

    proptest! {
        #[test]
        fn what_is_taken_never_overlaps_and_all_of_it_comes_back(
            steps in proptest::collection::vec((any::<bool>(), 0_usize..900), 1..200)
        ) {
            let mut region = Region::new(64 * 64);
            let mut held: Vec<(u32, u32)> = Vec::new();
            for (take, size) in steps {
                if take || held.is_empty() {
                    if let Some(at) = region.take(size) {
                        let bytes = lines(size).unwrap() as u32;
                        prop_assert!(at % 64 == 0 && at + bytes <= 64 * 64);
                        prop_assert!(held.iter().all(|&(other, len)| at + bytes <= other || other + len <= at));
                        held.push((at, bytes));
                    }
                } else {
                    region.give_back(held.swap_remove(size % held.len()).0);
                }
                let taken: u32 = held.iter().map(|&(_, bytes)| bytes).sum();
                prop_assert_eq!(region.free().0, 64 * 64 - taken);
            }
            held.iter().for_each(|&(at, _)| region.give_back(at));
            prop_assert_eq!(region.free(), (64 * 64, 64 * 64));
        }
    }
}
