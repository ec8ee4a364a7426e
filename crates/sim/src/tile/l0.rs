//! The L0 data cache of a core (tensix.md §2): four lines of 16 bytes of L1, coherent with nothing but the core's own
//! stores, which drive a line out. A loop that polls L1 through it without a fence reads an old value for ever.

use crate::code_memory::CodeMemory;

/// cfg0's bit that switches it off.
const OFF: u32 = 1 << 3;
/// cfg0's bit that stops it from being flushed now and then.
const NO_FLUSH: u32 = 1 << 24;
/// One hit in this many flushes it (about 0.8 %).
const HITS_PER_FLUSH: u64 = 128;
/// The tag of an empty line: no line of L1.
const EMPTY: u64 = u64::MAX;

/// The lines; first of all whether there are any.
#[derive(Clone)]
#[repr(C)]
pub(crate) struct L0 {
    /// Bits of cfg0 and the memory attributes that concern it.
    off: bool,
    steady: bool,
    tags: [u64; 4],
    lines: [[u8; 16]; 4],
    /// The line filled next.
    victim: usize,
    hits: u64,
    /// What a seed makes of the hits of this core; 0 flushes nothing.
    salt: u64,
}

impl L0 {
    /// The cache of a core in reset: on, and empty.
    pub(crate) fn new(salt: u64) -> Self {
        Self { tags: [EMPTY; 4], lines: [[0; 16]; 4], victim: 0, off: false, steady: false, hits: 0, salt }
    }

    /// What leaving reset does.
    pub(crate) fn reset(&mut self) {
        *self = Self::new(self.salt);
    }

    /// Notes cfg0, and whether a memory attribute puts a fence before every access.
    pub(crate) fn configure(&mut self, cfg0: u32, fenced: bool) {
        self.off = cfg0 & OFF != 0 || fenced;
        self.steady = cfg0 & NO_FLUSH != 0;
        self.tags = [EMPTY; 4];
    }

    /// A fence, or an atomic.
    #[inline]
    pub(crate) fn flush(&mut self) {
        if !self.off {
            self.tags = [EMPTY; 4];
        }
    }

    #[inline]
    pub(crate) fn is_off(&self) -> bool {
        self.off
    }

    /// True when what a second load sees may change by itself.
    pub(crate) fn is_fickle(&self) -> bool {
        !self.off && !self.steady && self.salt != 0
    }

    /// Loads `width` bytes at `address`; also whether the cache had them.
    pub(crate) fn load(&mut self, l1: &CodeMemory, address: u64, width: usize) -> (u64, bool) {
        let tag = address >> 4;
        let held = self.tags.iter().position(|t| *t == tag).filter(|_| !self.flushes());
        let line = held.unwrap_or_else(|| {
            let line = self.victim;
            self.victim = (line + 1) % 4;
            self.tags[line] = tag;
            l1.read(address & !15, &mut self.lines[line]);
            line
        });
        let offset = (address & 15) as usize;
        let mut word = [0; 8];
        word[..width].copy_from_slice(&self.lines[line][offset..offset + width]);
        (u64::from_le_bytes(word), held.is_some())
    }

    /// The core's own store: the line goes.
    #[inline]
    pub(crate) fn store(&mut self, address: u64) {
        if self.off {
            return;
        }
        for tag in self.tags.iter_mut().filter(|tag| **tag == address >> 4) {
            *tag = EMPTY;
        }
    }

    /// Counts a hit; true when it is one of those that flush.
    fn flushes(&mut self) -> bool {
        self.hits += 1;
        let mixed = (self.hits ^ self.salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let flushes = self.is_fickle() && mixed.is_multiple_of(HITS_PER_FLUSH);
        if flushes {
            self.flush();
        }
        flushes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_old_until_it_is_flushed_or_stored_to() {
        let (mut l0, mut l1) = (L0::new(0), CodeMemory::new(4096));
        assert_eq!(l0.load(&l1, 0x104, 4), (0, false));
        l1.set_value(0x104, 4, 7);
        assert_eq!(l0.load(&l1, 0x104, 4), (0, true));
        l0.flush();
        assert_eq!(l0.load(&l1, 0x104, 4), (7, false));
        l1.set_value(0x108, 4, 9);
        assert_eq!(l0.load(&l1, 0x108, 4), (0, true));
        l0.store(0x10c);
        assert_eq!(l0.load(&l1, 0x108, 4), (9, false));
        for line in 1..=4 {
            l0.load(&l1, 0x104 + 16 * line, 4);
        }
        assert_eq!(l0.load(&l1, 0x104, 4), (7, false));
    }

    #[test]
    fn about_one_hit_in_128_flushes_under_a_seed_unless_it_is_told_not_to() {
        let l1 = CodeMemory::new(4096);
        let misses = |l0: &mut L0| (0..100_000).filter(|_| !l0.load(&l1, 0, 4).1).count();
        let mut seeded = L0::new(0x1234_5678_9abc);
        assert!((600..1000).contains(&misses(&mut seeded)));
        seeded.configure(NO_FLUSH, false);
        assert_eq!(misses(&mut seeded), 1);
        assert_eq!(misses(&mut L0::new(0)), 1);
    }
}
