//! Hashes of memory, by which two cards are compared.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Hashes of all memory of a card, by kind: two cards with the same bytes have the same ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// L1 of every Tensix tile.
    pub l1: u64,
    /// LIM of every X280 cluster.
    pub lim: u64,
    /// Every DRAM channel.
    pub dram: u64,
}

/// The hash of a page, to be added up with those of others; 0 for zeroes, which a page that was never written holds too.
pub(crate) fn page(memory: u64, number: u64, bytes: &[u8]) -> u64 {
    if bytes.iter().all(|byte| *byte == 0) {
        return 0;
    }
    let mut hasher = DefaultHasher::new();
    (memory, number).hash(&mut hasher);
    hasher.write(bytes);
    hasher.finish()
}
