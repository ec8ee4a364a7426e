//! The external peripherals of a cluster (host.md §6.3): windows, reset vectors, scratch, RNMI, MSI catcher.

use std::collections::VecDeque;

use super::windows::Windows;
use crate::code_memory::CodeMemory;
use crate::fault::{Rule, Violation};

/// Entries of the MSI catcher.
const MSI_ENTRIES: usize = 16;
/// The executable scratch memory.
pub(crate) const SCRATCH: std::ops::Range<u64> = 0x1_0100..0x1_0140;
/// The offset of the RNMI trigger.
pub(crate) const RNMI_TRIGGER: u64 = 0x1_0414;
/// The offset of the handler pairs.
const RNMI_HANDLERS: u64 = 0x1_0418;

/// Their state. Offsets are from 0x20000000.
pub(crate) struct Peripherals {
    pub(crate) windows: Windows,
    /// Reset vectors; `None` holds junk (host.md §6.3).
    pub(crate) reset_vectors: [Option<u64>; 4],
    /// RNMI handler and RNMI-exception handler of each hart.
    pub(crate) rnmi_handlers: [[Option<u64>; 2]; 4],
    /// The level of each hart's RNMI.
    pub(crate) rnmi: u32,
    /// One page, of which the scratch memory is a part, at its offset.
    pub(crate) scratch: CodeMemory,
    suppress_fetch: u32,
    software: [u32; 4],
    msi: VecDeque<u32>,
    msi_margin: u32,
}

impl Peripherals {
    pub(crate) fn new() -> Self {
        Self {
            windows: Windows::new(),
            reset_vectors: [None; 4],
            rnmi_handlers: [[None; 2]; 4],
            rnmi: 0,
            scratch: CodeMemory::new(4096),
            suppress_fetch: 0,
            software: [0; 4],
            msi: VecDeque::new(),
            msi_margin: 1,
        }
    }

    /// Loads a 32-bit word.
    pub(crate) fn load(&mut self, offset: u64) -> Result<u32, Violation> {
        let half = |value: Option<u64>, offset: u64| {
            (value.unwrap_or(0xdead_beef_dead_beef) >> (offset % 8 * 8)) as u32
        };
        Ok(match offset {
            0..Windows::REGISTERS => self.windows.load(offset),
            0x1_0000..0x1_0020 => half(self.reset_vectors[(offset as usize >> 3) & 3], offset),
            _ if SCRATCH.contains(&offset) => self.scratch.value(offset & 0xfff, 4) as u32,
            0x1_0400 => self.suppress_fetch << 16,
            0x1_0404..0x1_0414 => self.software[(offset as usize - 0x1_0404) / 4],
            RNMI_TRIGGER => self.rnmi,
            RNMI_HANDLERS..0x1_0458 => {
                let at = offset - RNMI_HANDLERS;
                half(self.rnmi_handlers[(at >> 4) as usize][(at >> 3 & 1) as usize], at)
            }
            0x6_0000 => self.msi.pop_front().unwrap_or(0),
            0x6_0004 => {
                self.msi.clear();
                0
            }
            0x6_0008 => {
                let held = self.msi.len() as u32;
                u32::from(self.msi.len() < MSI_ENTRIES)
                    | u32::from(held > 0) << 8
                    | u32::from(held >= self.msi_margin) << 9
            }
            0x6_000c => self.msi_margin,
            _ => return Err(unknown("load", offset)),
        })
    }

    /// Stores a 32-bit word.
    pub(crate) fn store(&mut self, offset: u64, value: u32) -> Result<(), Violation> {
        let put = |register: &mut Option<u64>, offset: u64| {
            let old = register.unwrap_or(0);
            *register = Some(match offset % 8 {
                0 => old & !0xffff_ffff | u64::from(value),
                _ => old & 0xffff_ffff | u64::from(value) << 32,
            });
        };
        match offset {
            0..Windows::REGISTERS => self.windows.store(offset, value),
            0x1_0000..0x1_0020 => put(&mut self.reset_vectors[(offset as usize >> 3) & 3], offset),
            _ if SCRATCH.contains(&offset) => self.scratch.set_value(offset & 0xfff, 4, u64::from(value)),
            0x1_0400 => self.suppress_fetch = value >> 16 & 0xf,
            0x1_0404..0x1_0414 => self.software[(offset as usize - 0x1_0404) / 4] = value,
            RNMI_TRIGGER => self.rnmi = value & 0xf,
            RNMI_HANDLERS..0x1_0458 => {
                let at = offset - RNMI_HANDLERS;
                put(&mut self.rnmi_handlers[(at >> 4) as usize][(at >> 3 & 1) as usize], at);
            }
            0x6_0000 if self.msi.len() < MSI_ENTRIES => self.msi.push_back(value),
            0x6_0000 => {} // dropped
            0x6_000c => self.msi_margin = value,
            _ => return Err(unknown("store", offset)),
        }
        Ok(())
    }
}

fn unknown(what: &str, offset: u64) -> Violation {
    Violation::new(Rule::Peripheral, format!("{what} of external peripheral {offset:#x} of an X280 cluster"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_msi_catcher_drops_what_does_not_fit_and_gives_zero_when_empty() {
        let mut peripherals = Peripherals::new();
        for i in 1..=20 {
            peripherals.store(0x6_0000, i).unwrap();
        }
        assert_eq!(peripherals.load(0x6_0008).unwrap(), 0x300);
        let popped: Vec<_> = (0..18).map(|_| peripherals.load(0x6_0000).unwrap()).collect();
        assert_eq!(popped[..16], (1..=16).collect::<Vec<_>>());
        assert_eq!(popped[16..], [0, 0]);
        assert_eq!(peripherals.load(0x6_0008).unwrap(), 1);
    }

    #[test]
    fn a_vector_is_written_in_halves() {
        let mut peripherals = Peripherals::new();
        peripherals.store(0x1_0008, 0x0800_0000).unwrap();
        peripherals.store(0x1_000c, 0x12).unwrap();
        assert_eq!(peripherals.reset_vectors, [None, Some(0x12_0800_0000), None, None]);
        peripherals.store(0x1_0418 + 16 + 8, 7).unwrap();
        assert_eq!(peripherals.rnmi_handlers[1], [None, Some(7)]);
        assert_eq!(peripherals.load(0x1_0420 + 16).unwrap(), 7);
    }
}
