//! The windows through which harts reach the NoC (host.md §6.4).

use super::map::{LARGE, SMALL};
use crate::fault::{Rule, Violation};
use crate::noc::Noc;

/// One window's registers.
#[derive(Clone, Copy, Default)]
struct Window {
    /// The target address, in units of the window's size.
    base: u64,
    lo: u32,
    hi: u32,
}

/// How the writes through a window are ordered (host.md §8.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ordering {
    /// They may overtake each other, and are acknowledged by their target.
    Default,
    /// They arrive as they were made.
    Strict,
    /// They are acknowledged once the NoC has them.
    Posted,
}

/// Where an access through a window goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Through {
    pub(crate) noc: Noc,
    /// As a NIU's HI register has it.
    pub(crate) coordinates: u32,
    /// The high word, which says what of its rectangle a multicast skips.
    pub(crate) multicast: Option<u32>,
    pub(crate) ordering: Ordering,
    pub(crate) address: u64,
}

impl Through {
    pub(crate) fn is_multicast(&self) -> bool {
        self.multicast.is_some()
    }
}

/// All windows of a cluster.
#[derive(Clone)]
pub(crate) struct Windows {
    small: Vec<Window>,
    large: Vec<Window>,
}

/// True for an address inside any window.
#[inline]
pub(crate) fn is_window(address: u64) -> bool {
    SMALL.hold(address) || LARGE.hold(address)
}

/// Bits of the low word that are not to be set: linked, static channel, reserved (host.md §6.4, §7).
const FORBIDDEN: u32 = 0xf << 27;

impl Windows {
    /// Bytes of their registers.
    pub(crate) const REGISTERS: u64 = 0xe00 + 12 * LARGE.count as u64;

    pub(crate) fn new() -> Self {
        Self { small: vec![Window::default(); SMALL.count], large: vec![Window::default(); LARGE.count] }
    }

    /// What an address inside a window leads to.
    pub(crate) fn through(&self, address: u64) -> Result<Through, Violation> {
        let (windows, place) =
            if address >= LARGE.base { (&self.large, LARGE) } else { (&self.small, SMALL) };
        let offset = address - place.base;
        let window = windows[(offset >> place.shift) as usize];
        let lo = window.lo;
        let ordering = match lo >> 25 & 3 {
            _ if lo & FORBIDDEN != 0 => return Err(refuse(address, lo)),
            0 => Ordering::Default,
            1 => Ordering::Strict,
            2 => Ordering::Posted,
            _ => return Err(refuse(address, lo)),
        };
        Ok(Through {
            noc: if lo >> 31 == 0 { Noc::Zero } else { Noc::One },
            coordinates: lo & 0xff_ffff,
            multicast: (lo >> 24 & 1 == 1).then_some(window.hi),
            ordering,
            address: window.base << place.shift | offset & ((1 << place.shift) - 1),
        })
    }

    /// The register word at `offset`.
    pub(crate) fn load(&self, offset: u64) -> u32 {
        if offset < 0xe00 {
            let window = &self.small[offset as usize / 16];
            return [window.base as u32, (window.base >> 32) as u32, window.lo, window.hi]
                [offset as usize / 4 % 4];
        }
        let word = (offset as usize - 0xe00) / 4;
        let window = &self.large[word / 3];
        [window.base as u32, window.lo, window.hi][word % 3]
    }

    /// Writes the register word at `offset`.
    pub(crate) fn store(&mut self, offset: u64, value: u32) {
        if offset < 0xe00 {
            let window = &mut self.small[offset as usize / 16];
            match offset / 4 % 4 {
                0 => window.base = window.base & !0xffff_ffff | u64::from(value),
                1 => window.base = window.base & 0xffff_ffff | u64::from(value & 0x7ff) << 32,
                2 => window.lo = value,
                _ => window.hi = value,
            }
            return;
        }
        let word = (offset as usize - 0xe00) / 4;
        let window = &mut self.large[word / 3];
        match word % 3 {
            0 => window.base = u64::from(value & 0x7ff_ffff),
            1 => window.lo = value,
            _ => window.hi = value,
        }
    }
}

#[cold]
fn refuse(address: u64, lo: u32) -> Violation {
    let rule = match lo {
        _ if lo >> 27 & 1 == 1 => Rule::LinkedWindow,
        _ if lo >> 28 & 1 == 1 => Rule::StaticWindow,
        _ if lo >> 29 & 3 != 0 => Rule::WindowReserved,
        _ => Rule::WindowOrdering,
    };
    Violation::new(rule, format!("access at {address:#x} through a window with low word {lo:#x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_window_reaches_the_top_of_the_host_window() {
        let mut windows = Windows::new();
        // host.md §6.4: local_offset 0x9fffff.
        windows.store(0xe00 + 12 * 3, 0x9f_ffff);
        windows.store(0xe00 + 12 * 3 + 4, 19 | 24 << 6);
        let through = windows.through(LARGE.base + (3 << 37) + (1 << 37) - 4096).unwrap();
        assert_eq!(through.address, 0x1000_0000_0000_0000 + (1 << 58) - 4096);
        assert_eq!((through.coordinates, through.noc, through.multicast), (0x613, Noc::Zero, None));
        assert_eq!(windows.load(0xe00 + 12 * 3 + 4), 0x613);
    }

    #[test]
    fn a_small_window_has_a_64_bit_address_of_2_mib_units() {
        let mut windows = Windows::new();
        windows.store(16 * 223, 0xffff_ffff);
        windows.store(16 * 223 + 4, 0xffff_ffff);
        windows.store(16 * 223 + 8, 1 << 31 | 1 << 25 | 1 << 24 | 0x12_3456);
        windows.store(16 * 223 + 12, 0x1234);
        let through = windows.through(SMALL.base + (223 << 21) + 0x12_3450).unwrap();
        assert_eq!(through.address, 0xffff_ffff_fff2_3450);
        assert_eq!(
            (through.noc, through.multicast, through.ordering),
            (Noc::One, Some(0x1234), Ordering::Strict)
        );
        for forbidden in [1 << 27, 1 << 28, 1 << 29, 1 << 30, 3 << 25] {
            windows.store(16 * 223 + 8, forbidden | 0x456);
            assert!(windows.through(SMALL.base + (223 << 21)).is_err(), "{forbidden:#x}");
        }
    }
}
