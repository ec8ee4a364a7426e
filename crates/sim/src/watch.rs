//! Which of a tile's words somebody waits for.
//!
//! Parked harts name the words their loop reads. A write to one of them is announced first
//! ([`Watchers::waiting`]), so that they can catch up to the moment of the write; a write nobody waits for costs one
//! test of a 64-bit mask. Harts that run may have loaded a word in a loop they are about to park in: they are told
//! after the write ([`Watchers::written`]).

use crate::hart::{AheadLoad, Watch};
use crate::time::Time;

/// A parked hart's word.
#[derive(Clone, Copy)]
struct Parked {
    watch: Watch,
    slot: u8,
}

/// A word that a hart has loaded ahead of its turn, and when.
#[derive(Clone, Copy)]
struct Ahead {
    watch: Watch,
    at: Time,
    slot: u8,
}

/// The waiting harts of one tile.
#[derive(Default)]
pub(crate) struct Watchers {
    /// Bloom mask over the watched 8-byte granules.
    mask: u64,
    parked: Vec<Parked>,
    /// Parked harts that must catch up before the hart that ran may go on, as bits.
    pub(crate) rouse: u32,
    /// What harts have loaded ahead of their turns.
    ahead: Vec<Ahead>,
    /// Harts to take back before the hart that ran may go on, as bits.
    pub(crate) take_back: u32,
    /// True while another hart runs that may have to hear of writes.
    pub(crate) heard: bool,
    /// Writes that running harts have to hear of: address and bytes.
    pub(crate) written: Vec<(u64, u64)>,
}

/// The mask's bit for the granule that holds `address`.
#[inline]
fn bit(address: u64) -> u64 {
    1 << ((address >> 3).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58)
}

/// Ranges beyond this size are searched for without the mask.
const LARGE: u64 = 256;

impl Watchers {
    /// The hart in `slot` parks on these words.
    pub(crate) fn park(&mut self, slot: usize, watches: &[Watch]) {
        for &watch in watches {
            self.mask |= bit(watch.address());
            self.parked.push(Parked { watch, slot: slot as u8 });
        }
    }

    /// The hart in `slot` goes on.
    pub(crate) fn unpark(&mut self, slot: usize) {
        self.parked.retain(|parked| usize::from(parked.slot) != slot);
        self.mask = self.parked.iter().fold(0, |mask, parked| mask | bit(parked.watch.address()));
    }

    /// The hart in `slot` has made these loads ahead of its turn.
    pub(crate) fn went_ahead(&mut self, slot: usize, loads: &[AheadLoad]) {
        self.ahead.extend(loads.iter().map(|&load| Ahead {
            watch: load.watch,
            at: load.at,
            slot: slot as u8,
        }));
    }

    /// The hart in `slot` is not ahead any more.
    #[inline]
    pub(crate) fn not_ahead(&mut self, slot: usize) {
        if !self.ahead.is_empty() {
            self.ahead.retain(|ahead| usize::from(ahead.slot) != slot);
        }
    }

    /// The harts, as bits, that have already loaded what `writer` writes at `at`. At one moment the lower number goes
    /// first.
    #[inline]
    pub(crate) fn loaded_ahead(&self, at: Time, writer: usize, address: u64, bytes: u64) -> u32 {
        let late = |ahead: &&Ahead| (ahead.at, usize::from(ahead.slot)) > (at, writer);
        let meets = self.ahead.iter().filter(late).filter(|ahead| ahead.watch.meets(address, bytes));
        meets.fold(0, |slots, ahead| slots | 1 << ahead.slot)
    }

    /// The parked harts, as bits, that wait for something in `bytes` bytes at `address`.
    #[inline]
    pub(crate) fn waiting(&self, address: u64, bytes: u64) -> u32 {
        if self.mask == 0 { 0 } else { self.search(address, bytes) }
    }

    fn search(&self, address: u64, bytes: u64) -> u32 {
        let mut granules = address >> 3..=(address + bytes.max(1) - 1) >> 3;
        if bytes <= LARGE && !granules.any(|granule| self.mask & bit(granule << 3) != 0) {
            return 0;
        }
        let meets = self.parked.iter().filter(|parked| parked.watch.meets(address, bytes));
        meets.fold(0, |slots, parked| slots | 1 << parked.slot)
    }

    /// Notes a write for the harts that run.
    #[inline]
    pub(crate) fn written(&mut self, address: u64, bytes: u64) {
        if self.heard {
            self.written.push((address, bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hart::Width;

    #[test]
    fn a_write_reaches_the_harts_parked_on_its_bytes_only() {
        let mut watchers = Watchers::default();
        let word = |address| Watch::new(address, Width::Word);
        watchers.park(0, &[word(0x1000), word(0x2004)]);
        watchers.park(3, &[word(0x2004)]);
        assert_eq!(watchers.waiting(0x1000, 4), 1);
        assert_eq!(watchers.waiting(0x1004, 4), 0);
        assert_eq!(watchers.waiting(0xff8, 16), 1);
        assert_eq!(watchers.waiting(0, 0x10000), 9);
        watchers.unpark(0);
        assert_eq!(watchers.waiting(0x1000, 4), 0);
        assert_eq!(watchers.waiting(0x2000, 8), 8);
        watchers.unpark(3);
        assert_eq!(watchers.mask, 0);
    }
}
