//! The control registers of a baby core that its hart does not keep (tensix.md §2): cfg0, the memory attributes, the counters of
//! events, of which none is counted.
//!
//! The coprocessor's status registers and the vector unit's are not here: neither is modelled.

use crate::fault::{Rule, Violation};

/// cfg0 out of reset: the store-merge timer is 16.
const CFG0_RESET: u32 = 16 << 13;
/// The bits of cfg0 that are documented, without those of bf16 arithmetic, which is not modelled.
const CFG0_BITS: u32 = 0x0117_f60f;

/// Their values.
#[derive(Clone, Debug)]
pub(crate) struct CoreControl {
    pub(crate) cfg0: u32,
    attributes: [u32; 2],
    /// mhpmcounter3 and 4, low and high words.
    counters: [u32; 4],
}

impl Default for CoreControl {
    fn default() -> Self {
        Self { cfg0: CFG0_RESET, attributes: [0; 2], counters: [0; 4] }
    }
}

impl CoreControl {
    /// True while every load and store is as if behind a fence.
    pub(crate) fn is_fenced(&self) -> bool {
        self.attributes.iter().any(|attribute| attribute & 1 == 1)
    }

    /// True when no load goes before an older store: by that, or by cfg0 bit 0.
    pub(crate) fn keeps_order(&self) -> bool {
        self.is_fenced() || self.cfg0 & 1 == 1
    }

    /// True while the prefetcher of the instruction cache is on: cfg0 bit 2.
    pub(crate) fn prefetches(&self) -> bool {
        self.cfg0 >> 2 & 1 == 0
    }

    /// True while stores to one line merge: cfg0 bit 12.
    pub(crate) fn merges(&self) -> bool {
        self.cfg0 >> 12 & 1 == 0
    }

    /// Reads a register; `None` when there is none of that number.
    pub(crate) fn read(&self, csr: u16) -> Result<Option<u32>, Violation> {
        Ok(Some(match csr {
            0x003 => return Err(Violation::new(Rule::FloatFlags, "fcsr read")),
            0x323 | 0x324 => 0,
            0x7c0 => self.cfg0,
            0x7c1 | 0x7c2 => self.attributes[usize::from(csr - 0x7c1)],
            0xb03 | 0xb04 | 0xb83 | 0xb84 => self.counters[Self::counter(csr)],
            _ => return Ok(None),
        }))
    }

    /// Writes one; false when there is none of that number.
    pub(crate) fn write(&mut self, csr: u16, value: u32) -> Result<bool, Violation> {
        let refuse = |rule, what: &str| Err(Violation::new(rule, format!("{value:#x} written to {what}")));
        match csr {
            0x003 => return refuse(Rule::FloatFlags, "fcsr"),
            0x323 | 0x324 if value == 0 => {}
            0x323 | 0x324 => {
                return refuse(Rule::ControlRegister, "mhpmevent: no event is modelled, leave it 0");
            }
            0x7c0 if value >> 30 != 0 => return refuse(Rule::FloatHalf, "cfg0"),
            0x7c0 if value & !CFG0_BITS != 0 => {
                return refuse(Rule::ControlRegister, "cfg0, of which these bits are not documented");
            }
            0x7c0 => self.cfg0 = value,
            0x7c1 | 0x7c2 => self.attributes[usize::from(csr - 0x7c1)] = value,
            0xb03 | 0xb04 | 0xb83 | 0xb84 => self.counters[Self::counter(csr)] = value,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn counter(csr: u16) -> usize {
        usize::from(csr & 1 ^ 1) + usize::from(csr >> 7 & 1) * 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_keep_what_is_modelled_and_refuse_the_rest() {
        let mut control = CoreControl::default();
        assert_eq!(control.read(0x7c0), Ok(Some(0x2_0000)));
        assert_eq!(control.write(0x7c0, 0x0104_000a), Ok(true));
        assert_eq!(control.read(0x7c0), Ok(Some(0x0104_000a)));
        for bit in [4, 8, 11, 19, 25, 29, 30, 31] {
            assert!(control.write(0x7c0, 1 << bit).is_err(), "bit {bit}");
        }
        const COUNTERS: [u16; 4] = [0xb03, 0xb04, 0xb83, 0xb84];
        for csr in COUNTERS {
            assert_eq!(control.write(csr, u32::from(csr)), Ok(true));
        }
        assert_eq!(COUNTERS.map(|csr| control.read(csr)), COUNTERS.map(|csr| Ok(Some(u32::from(csr)))));
        assert_eq!(control.write(0x323, 0), Ok(true));
        assert!(control.write(0x324, 5).is_err() && control.write(0x003, 0).is_err());
        assert_eq!((control.read(0xbc0), control.write(0xbca, 0)), (Ok(None), Ok(false)));
        assert_eq!(
            (control.is_fenced(), control.write(0x7c2, 1), control.is_fenced()),
            (false, Ok(true), true)
        );
    }
}
