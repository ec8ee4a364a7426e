//! The external peripherals of a cluster (host.md §6.3): windows, reset vectors, scratch, RNMI, MSI catcher.

use std::collections::VecDeque;

use super::windows::Windows;
use crate::code_memory::CodeMemory;
use crate::fault::{Rule, Violation};

/// Entries of the MSI catcher.
const MSI_ENTRIES: usize = 16;
/// The MSI catcher.
pub(crate) const MSI: std::ops::Range<u64> = 0x6_0000..0x6_0010;
/// The status of the harts and, in the upper half, the suppress-fetch bits.
pub(crate) const STATUS: u64 = 0x1_0400;
/// The software interrupt bits.
pub(crate) const SOFTWARE: std::ops::Range<u64> = 0x1_0404..0x1_0414;
/// Those that share their PLIC source with a wire of the hardware (host.md §6.3).
const SHARED_SOFTWARE: u32 = 0x3f;
/// The upper half of a 47-bit vector.
const VECTOR_HIGH: u32 = 0x7fff;
/// The executable scratch memory.
pub(crate) const SCRATCH: std::ops::Range<u64> = 0x1_0100..0x1_0140;
/// The offset of the RNMI trigger.
pub(crate) const RNMI_TRIGGER: u64 = 0x1_0414;
/// The offset of the handler pairs.
const RNMI_HANDLERS: u64 = 0x1_0418;

/// Their state. Offsets are from 0x20000000.
#[derive(Clone)]
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
    /// Harts, as bits, that fetch nothing when they leave reset.
    pub(crate) suppress_fetch: u32,
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
            STATUS => self.suppress_fetch << 16,
            _ if SOFTWARE.contains(&offset) => self.software[(offset - SOFTWARE.start) as usize / 4],
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
                let held = self.msi.len();
                u32::from(self.msi.len() < MSI_ENTRIES)
                    | u32::from(held > 0) << 8
                    | u32::from(self.msi_is_high()) << 9
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
                _ => old & 0xffff_ffff | u64::from(value & VECTOR_HIGH) << 32,
            });
        };
        match offset {
            0..Windows::REGISTERS => self.windows.store(offset, value),
            0x1_0000..0x1_0020 => put(&mut self.reset_vectors[(offset as usize >> 3) & 3], offset),
            _ if SCRATCH.contains(&offset) => self.scratch.set_value(offset & 0xfff, 4, u64::from(value)),
            STATUS => self.suppress_fetch = value >> 16 & 0xf,
            _ if SOFTWARE.contains(&offset) => {
                let word = (offset - SOFTWARE.start) as usize / 4;
                if word == 0 && value & SHARED_SOFTWARE != 0 {
                    return Err(Violation::new(
                        Rule::SoftwareBits,
                        format!("software interrupt bits {value:#x} set"),
                    ));
                }
                self.software[word] = value;
            }
            RNMI_TRIGGER => self.rnmi = value & 0xf,
            RNMI_HANDLERS..0x1_0458 => {
                let at = offset - RNMI_HANDLERS;
                put(&mut self.rnmi_handlers[(at >> 4) as usize][(at >> 3 & 1) as usize], at);
            }
            0x6_0000 if self.msi.len() < MSI_ENTRIES => self.msi.push_back(value),
            0x6_0000 => {}            // dropped
            0x6_0004 | 0x6_0008 => {} // only read
            0x6_000c => self.msi_margin = value,
            _ => return Err(unknown("store", offset)),
        }
        Ok(())
    }

    fn msi_is_high(&self) -> bool {
        self.msi.len() as i64 >= MSI_ENTRIES as i64 - i64::from(self.msi_margin)
    }

    /// True while the PLIC's source is high: the MSI catcher's two, and the software interrupt bits from 5 on.
    pub(crate) fn is_high(&self, source: usize) -> bool {
        let software =
            source.checked_sub(5).is_some_and(|bit| self.software[bit / 32] >> (bit % 32) & 1 == 1);
        software
            || match source {
                6 => !self.msi.is_empty(),
                7 => self.msi_is_high(),
                _ => false,
            }
    }
}

fn unknown(what: &str, offset: u64) -> Violation {
    let what_it_is = match offset {
        0x5_6000..0x5_8000 => ", a NIU's register, which is not modelled",
        0x8_0000.. => ", the DMA engine, which is not modelled",
        _ => "",
    };
    Violation::new(
        Rule::Peripheral,
        format!("{what} of external peripheral {offset:#x} of an X280 cluster{what_it_is}"),
    )
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
        assert!(peripherals.is_high(6) && peripherals.is_high(7));
        let popped: Vec<_> = (0..18).map(|_| peripherals.load(0x6_0000).unwrap()).collect();
        assert_eq!(popped[..16], (1..=16).collect::<Vec<_>>());
        assert_eq!(popped[16..], [0, 0]);
        assert_eq!(peripherals.load(0x6_0008).unwrap(), 1);
        assert!(!peripherals.is_high(6) && !peripherals.is_high(7));
    }

    #[test]
    fn the_high_water_mark_is_a_margin_below_the_top() {
        let mut peripherals = Peripherals::new();
        let status = |peripherals: &mut Peripherals| peripherals.load(0x6_0008).unwrap();
        (0..14).for_each(|i| peripherals.store(0x6_0000, i).unwrap());
        assert_eq!(status(&mut peripherals), 0x101);
        peripherals.store(0x6_0000, 14).unwrap(); // 15 of 16, and the margin is 1
        assert_eq!(status(&mut peripherals), 0x301);
        peripherals.load(0x6_0000).unwrap();
        peripherals.store(0x6_000c, 2).unwrap();
        assert_eq!((status(&mut peripherals), peripherals.load(0x6_0004).unwrap()), (0x301, 0));
        assert_eq!(status(&mut peripherals), 1);
    }

    #[test]
    fn software_bits_are_sources_from_five_on_and_the_first_six_are_not_to_be_used() {
        let mut peripherals = Peripherals::new();
        peripherals.store(0x1_0404, 1 << 6).unwrap();
        peripherals.store(0x1_0410, 1 << 31).unwrap();
        let high: Vec<_> = (1..133).filter(|source| peripherals.is_high(*source)).collect();
        assert_eq!(high, [11, 132]);
        assert!(peripherals.store(0x1_0404, 1 << 5).is_err());
    }

    #[test]
    fn a_vector_is_written_in_halves() {
        let mut peripherals = Peripherals::new();
        peripherals.store(0x1_0008, 0x0800_0000).unwrap();
        peripherals.store(0x1_000c, 0xffff_8012).unwrap(); // 47 bits
        assert_eq!(peripherals.reset_vectors, [None, Some(0x12_0800_0000), None, None]);
        peripherals.store(0x1_0418 + 16 + 8, 7).unwrap();
        assert_eq!(peripherals.rnmi_handlers[1], [None, Some(7)]);
        assert_eq!(peripherals.load(0x1_0420 + 16).unwrap(), 7);
    }
}
