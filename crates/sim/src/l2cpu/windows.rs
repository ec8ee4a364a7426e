//! The windows through which harts reach the NoC (host.md §6.4).

use crate::fault::{Rule, Violation};
use crate::noc::Noc;

/// Where the harts see the small windows, and bytes of each as a power of two.
const SMALL: (u64, u32, usize) = (0x4_3000_0000, 21, 224);
/// The same for the large ones.
const LARGE: (u64, u32, usize) = (0x804_3000_0000, 37, 32);

/// One window's registers.
#[derive(Clone, Copy, Default)]
struct Window {
    /// The target address, in units of the window's size.
    base: u64,
    lo: u32,
    hi: u32,
}

/// Where an access through a window goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Through {
    pub(crate) noc: Noc,
    /// As a NIU's HI register has it.
    pub(crate) coordinates: u32,
    pub(crate) multicast: bool,
    pub(crate) static_channel: bool,
    pub(crate) address: u64,
}

/// All windows of a cluster.
pub(crate) struct Windows {
    small: Vec<Window>,
    large: Vec<Window>,
}

/// True for an address inside any window.
#[inline]
pub(crate) fn is_window(address: u64) -> bool {
    let within =
        |(base, shift, count): (u64, u32, usize)| address.wrapping_sub(base) < (count as u64) << shift;
    within(SMALL) || within(LARGE)
}

impl Windows {
    /// Bytes of their registers.
    pub(crate) const REGISTERS: u64 = 0xe00 + 12 * LARGE.2 as u64;

    pub(crate) fn new() -> Self {
        Self { small: vec![Window::default(); SMALL.2], large: vec![Window::default(); LARGE.2] }
    }

    /// What an address inside a window leads to.
    pub(crate) fn through(&self, address: u64) -> Result<Through, Violation> {
        let (windows, (base, shift, _)) =
            if address >= LARGE.0 { (&self.large, LARGE) } else { (&self.small, SMALL) };
        let offset = address - base;
        let window = windows[(offset >> shift) as usize];
        let lo = window.lo;
        if lo >> 27 & 1 == 1 {
            let detail = format!("access at {address:#x} through a linked window");
            return Err(Violation::new(Rule::LinkedWindow, detail));
        }
        if window.hi != 0 {
            let detail = format!("window at {address:#x} with high word {:#x}", window.hi);
            return Err(Violation::new(Rule::WindowHigh, detail));
        }
        Ok(Through {
            noc: if lo >> 31 == 0 { Noc::Zero } else { Noc::One },
            coordinates: lo & 0xff_ffff,
            multicast: lo >> 24 & 1 == 1,
            static_channel: lo >> 28 & 1 == 1,
            address: window.base << shift | offset & ((1 << shift) - 1),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_window_reaches_the_top_of_the_host_window() {
        let mut windows = Windows::new();
        // host.md §6.4: local_offset 0x9fffff.
        windows.store(0xe00 + 12 * 3, 0x9f_ffff);
        windows.store(0xe00 + 12 * 3 + 4, 19 | 24 << 6);
        let through = windows.through(LARGE.0 + (3 << 37) + (1 << 37) - 4096).unwrap();
        assert_eq!(through.address, 0x1000_0000_0000_0000 + (1 << 58) - 4096);
        assert_eq!((through.coordinates, through.noc, through.multicast), (0x613, Noc::Zero, false));
        assert_eq!(windows.load(0xe00 + 12 * 3 + 4), 0x613);
    }

    #[test]
    fn a_small_window_has_a_64_bit_address_of_2_mib_units() {
        let mut windows = Windows::new();
        windows.store(16 * 223, 0xffff_ffff);
        windows.store(16 * 223 + 4, 0xffff_ffff);
        windows.store(16 * 223 + 8, 1 << 31 | 1 << 24 | 0x12_3456);
        let through = windows.through(SMALL.0 + (223 << 21) + 0x12_3450).unwrap();
        assert_eq!(through.address, 0xffff_ffff_fff2_3450);
        assert!(through.multicast && through.noc == Noc::One);
    }
}
