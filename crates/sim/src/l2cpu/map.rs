//! The addresses of an X280 (host.md §6.3): what lies where, the cached and uncached views, the ranges that repeat.

use std::ops::Range;

/// From an uncached address of local DRAM or of a window to its cached view.
pub(crate) const CACHED: u64 = 1 << 46;
/// The end of the physical addresses.
const END: u64 = 1 << 47;
/// Local DRAM, uncached.
const DRAM: u64 = 0x3000_0000;
/// Bytes of it; the range repeats up to the small windows.
const DRAM_BYTES: u64 = 1 << 32;
/// The Zero device: cacheable, and never anything but zeros behind the caches.
const ZERO: Range<u64> = 0x0a00_0000..0x0a20_0000;
/// The small windows, bytes of each as a power of two, their number, and where the range repeats.
pub(super) const SMALL: Windows = Windows { base: 0x4_3000_0000, shift: 21, count: 224, repeat: 1 << 29 };
/// The large ones.
pub(super) const LARGE: Windows = Windows { base: 0x804_3000_0000, shift: 37, count: 32, repeat: 1 << 42 };

/// Windows of one size.
#[derive(Clone, Copy)]
pub(super) struct Windows {
    pub(super) base: u64,
    pub(super) shift: u32,
    pub(super) count: usize,
    repeat: u64,
}

impl Windows {
    /// True for an address inside one of them, not in a repetition.
    #[inline]
    pub(super) fn hold(&self, address: u64) -> bool {
        address.wrapping_sub(self.base) < (self.count as u64) << self.shift
    }
}

/// What lies behind a line of the caches, or under an uncached access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    /// The Zero device.
    Zero,
    /// Local DRAM at this offset.
    Dram(u64),
    /// The window at this address, the one that its registers are for.
    Window(u64),
}

/// What lies at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    /// Through the caches.
    Cached(Memory),
    /// Past them.
    Uncached(Memory),
    /// LIM, registers, or nothing.
    Other,
}

/// What lies at `address`.
pub(crate) fn region(address: u64) -> Region {
    if ZERO.contains(&address) {
        return Region::Cached(Memory::Zero);
    }
    let cached = address >= CACHED + DRAM;
    if address >= END {
        return Region::Other;
    }
    let memory = memory(if cached { address - CACHED } else { address });
    match (memory, cached) {
        (None, _) => Region::Other,
        (Some(memory), true) => Region::Cached(memory),
        (Some(memory), false) => Region::Uncached(memory),
    }
}

fn memory(address: u64) -> Option<Memory> {
    let window = |windows: Windows| {
        let at = windows.base + (address - windows.base) % windows.repeat;
        windows.hold(at).then_some(Memory::Window(at))
    };
    match address {
        _ if address >= LARGE.base => window(LARGE),
        _ if address >= SMALL.base => window(SMALL),
        _ if address >= DRAM => Some(Memory::Dram((address - DRAM) % DRAM_BYTES)),
        _ => None,
    }
}

/// True where the NoC reaches memory through the cluster: local DRAM in either view, the Zero device.
pub(crate) fn is_memory(address: u64) -> bool {
    matches!(
        region(address),
        Region::Cached(Memory::Zero | Memory::Dram(_)) | Region::Uncached(Memory::Dram(_))
    )
}

/// True when a range lies in one piece of that memory.
pub(crate) fn is_within(address: u64, bytes: u64) -> bool {
    let last = address.saturating_add(bytes.max(1) - 1);
    let offset = |region: Region| match region {
        Region::Cached(Memory::Dram(offset)) | Region::Uncached(Memory::Dram(offset)) => offset,
        _ => address,
    };
    match (region(address), region(last)) {
        (Region::Cached(Memory::Zero), Region::Cached(Memory::Zero)) => true,
        (a @ Region::Cached(Memory::Dram(_)), b @ Region::Cached(Memory::Dram(_)))
        | (a @ Region::Uncached(Memory::Dram(_)), b @ Region::Uncached(Memory::Dram(_))) => {
            offset(a) <= offset(b)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_and_repetitions_are_where_the_map_has_them() {
        let uncached = |address| Region::Uncached(address);
        let cached = |address| Region::Cached(address);
        for (address, expected) in [
            (0x2fff_fffc, Region::Other),
            (0x3000_0000, uncached(Memory::Dram(0))),
            (0x1_2fff_fff8, uncached(Memory::Dram(0xffff_fff8))),
            (0x1_3000_0040, uncached(Memory::Dram(0x40))), // the first of three copies
            (0x4_3000_0010, uncached(Memory::Window(0x4_3000_0010))),
            (0x4_4bff_fff8, uncached(Memory::Window(0x4_4bff_fff8))),
            (0x4_4c00_0000, Region::Other), // behind the last small window
            (0x4_5000_0010, uncached(Memory::Window(0x4_3000_0010))),
            (0x804_2fff_fff8, Region::Other),
            (0x804_3000_0000, uncached(Memory::Window(0x804_3000_0000))),
            (0xc04_3000_0008, uncached(Memory::Window(0x804_3000_0008))),
            (0x4000_2fff_fff8, uncached(Memory::Window(0xc00_2fff_fff8))),
            (0x4000_3000_0000, cached(Memory::Dram(0))),
            (0x4001_2fff_fff8, cached(Memory::Dram(0xffff_fff8))),
            (0x4004_3000_0040, cached(Memory::Window(0x4_3000_0040))),
            (0x4804_3000_0040, cached(Memory::Window(0x804_3000_0040))),
            (0x0a1f_fff8, cached(Memory::Zero)),
            (0x0a20_0000, Region::Other),
            (0x8000_0000_0000, Region::Other),
        ] {
            assert_eq!(region(address), expected, "{address:#x}");
        }
    }

    #[test]
    fn a_range_that_leaves_its_memory_is_not_within_it() {
        assert!(is_within(0x4001_2fff_ffc0, 64) && !is_within(0x4001_2fff_ffc0, 65));
        assert!(is_within(0x0a1f_ffc0, 64) && !is_within(0x0a1f_ffc0, 65));
        assert!(!is_within(0x4_2fff_ffc0, 65) && !is_within(0x4_3000_0000, 4));
    }
}
