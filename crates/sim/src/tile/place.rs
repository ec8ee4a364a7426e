//! The snapshot registers: where the tile's cores are (tensix.md §1).
//!
//! A core that asks where another is waits a moment, in which that one comes to the moment of the load.

use std::ops::Range;

use crate::time::Time;

/// One register for each core.
pub(super) const PLACES: Range<u64> = 0xffb1_3138..0xffb1_314c;

/// A core's load of one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlaceLoad {
    pub(super) at: Time,
    pub(super) reader: usize,
    /// Whose place it asks for.
    pub(super) core: usize,
}

/// The core whose place the register at `address` shows.
pub(super) fn shown_place(address: u64) -> Option<usize> {
    PLACES.contains(&address).then(|| (address - PLACES.start) as usize / 4)
}

/// The cores, as bits, whose places are in `bytes` bytes at `address`.
pub(super) fn shown_places(address: u64, bytes: u64) -> u32 {
    let read = address..address.saturating_add(bytes);
    PLACES
        .step_by(4)
        .zip(0..)
        .filter(|(word, _)| read.contains(word))
        .fold(0, |cores, (_, core)| cores | 1 << core)
}
