//! The data RAM of one baby core: nobody else sees it (tensix.md §1).

use super::cores::Core;
use crate::aligned::{get, set};

/// Where every core sees its own.
const BASE: u64 = 0xffb0_0000;

/// Its bytes.
#[derive(Clone)]
#[repr(C)]
pub(crate) struct LocalRam {
    /// The bits of an address that are the same for all of it.
    mask: u64,
    bytes: [u8; Core::MOST_LOCAL_BYTES],
}

impl LocalRam {
    pub(crate) fn new(core: Core) -> Self {
        Self { bytes: [0; Core::MOST_LOCAL_BYTES], mask: !(core.local_bytes() - 1) }
    }

    /// What leaving reset does.
    pub(crate) fn clear(&mut self) {
        self.bytes.fill(0);
    }

    /// True for an address inside.
    #[inline]
    pub(crate) fn holds(&self, address: u64) -> bool {
        address & self.mask == BASE
    }

    /// True for an address inside that is a multiple of `width`.
    #[inline(always)]
    pub(crate) fn holds_aligned(&self, address: u64, width: usize) -> bool {
        address & (self.mask | (width as u64 - 1)) == BASE
    }

    /// The value of `width` bytes at an aligned address inside.
    #[inline(always)]
    pub(crate) fn load(&self, address: u64, width: usize) -> u64 {
        get(&self.bytes, address, width)
    }

    /// Stores the low `width` bytes of `value` at an aligned address inside.
    #[inline(always)]
    pub(crate) fn store(&mut self, address: u64, width: usize, value: u64) {
        set(&mut self.bytes, address, width, value);
    }
}
