//! The internal devices of a cluster that are registers and no more (host.md §6.3): prefetchers, L2 configuration,
//! bus-error units, test indicator; and those that are not modelled, by name.

use crate::fault::{Rule, Violation};

/// The L2 prefetchers' registers, 8 KiB a hart.
const PREFETCHERS: std::ops::Range<u64> = 0x0203_0000..0x0203_8000;
/// The L2s' registers, 16 KiB a hart.
const L2: std::ops::Range<u64> = 0x1010_4000..0x1011_4000;
/// The bus-error units, 4 KiB a hart.
pub(crate) const BUS_ERRORS_START: u64 = 0x0170_0000;
/// Their end.
pub(crate) const BUS_ERRORS_END: u64 = 0x0170_4000;
/// The four bytes of the test indicator.
const TEST_INDICATOR: u64 = 0x4000;
/// The L2's topology: one bank, 8 ways, 256 sets, lines of 64 bytes (host.md §6.1), as SiFive's driver reads it.
const L2_CONFIG: u32 = 6 << 24 | 8 << 16 | 8 << 8 | 1;
/// What a bus-error unit calls an error of a load or store, as SiFive's driver does.
const LOAD_OR_STORE: u64 = 5;

/// What is there and not modelled: where, and its name.
const NOT_MODELLED: [(std::ops::Range<u64>, &str); 5] = [
    (0..0x1000, "the debug device, which harts reach in debug mode only"),
    (0x1000_0000..0x1000_4000, "a trace encoder"),
    (0x1001_8000..0x1001_9000, "the trace funnel"),
    (0x0201_0000..0x0201_4000, "that register of the L3"),
    (0x1010_4000..0x1011_4000, "that register of an L2"),
];

/// One hart's bus-error unit: cause, value, enable, PLIC interrupt, accrued, local interrupt.
type BusError = [u64; 6];

/// The state.
#[derive(Clone, Default)]
pub(crate) struct Internal {
    /// Basic and user control of each hart's prefetcher.
    pub(super) prefetchers: [[u32; 2]; 4],
    l2_bits: [u32; 4],
    bus_errors: [BusError; 4],
    test_indicator: u32,
}

/// True for the addresses of the internal devices, modelled or not.
pub(crate) fn is_internal(address: u64) -> bool {
    (TEST_INDICATOR..TEST_INDICATOR + 0x1000).contains(&address)
        || (BUS_ERRORS_START..BUS_ERRORS_END).contains(&address)
        || PREFETCHERS.contains(&address)
        || (0x0300_8000..0x0300_9000).contains(&address)
        || not_modelled(address).is_some()
}

/// The hart whose L2 the flush register at an address flushes.
pub(crate) fn flushed_l2(address: u64) -> Option<usize> {
    let is = L2.contains(&address) && (address - L2.start) % 0x4000 == 0x200;
    is.then(|| ((address - L2.start) / 0x4000) as usize)
}

/// The name of what is at an address and not modelled.
fn not_modelled(address: u64) -> Option<&'static str> {
    NOT_MODELLED.iter().find(|(range, _)| range.contains(&address)).map(|(_, name)| *name)
}

impl Internal {
    /// Loads a 32-bit word; none where there is no such register.
    pub(crate) fn load(&self, address: u64) -> Option<u32> {
        Some(match address {
            TEST_INDICATOR => self.test_indicator,
            _ if PREFETCHERS.contains(&address) && address & 0x1ff8 == 0 => {
                self.prefetchers[(address >> 13 & 3) as usize][(address >> 2 & 1) as usize]
            }
            _ if L2.contains(&address) => match (address - L2.start) % 0x4000 {
                0 => L2_CONFIG,
                0x208 => 0, // a flush is done once its store is
                0x1008 => self.l2_bits[((address - L2.start) / 0x4000) as usize],
                _ => return None,
            },
            _ => {
                let (hart, register) = bus_error(address)?;
                (self.bus_errors[hart][register] >> (address % 8 * 8)) as u32
            }
        })
    }

    /// Stores one; none where there is no such register.
    pub(crate) fn store(&mut self, address: u64, value: u32) -> Option<()> {
        match address {
            TEST_INDICATOR => self.test_indicator = value,
            _ if PREFETCHERS.contains(&address) && address & 0x1ff8 == 0 => {
                self.prefetchers[(address >> 13 & 3) as usize][(address >> 2 & 1) as usize] = value;
            }
            _ if L2.contains(&address) && (address - L2.start) % 0x4000 == 0x1008 => {
                self.l2_bits[((address - L2.start) / 0x4000) as usize] = value;
            }
            _ => {
                let (hart, register) = bus_error(address)?;
                let register = &mut self.bus_errors[hart][register];
                *register = match address % 8 {
                    0 => *register & !0xffff_ffff | u64::from(value),
                    _ => *register & 0xffff_ffff | u64::from(value) << 32,
                };
            }
        }
        Some(())
    }

    /// A load or store of a hart met an error.
    pub(crate) fn bus_error(&mut self, hart: usize, address: u64) {
        let [cause, value, enable, _, accrued, _] = &mut self.bus_errors[hart];
        *accrued |= 1 << LOAD_OR_STORE;
        if *cause == 0 && *enable >> LOAD_OR_STORE & 1 == 1 {
            (*cause, *value) = (LOAD_OR_STORE, address);
        }
    }

    /// The harts, as bits, whose bus-error unit interrupts them.
    pub(crate) fn interrupting(&self) -> u32 {
        let is = |hart: &usize| self.bus_errors[*hart][4] & self.bus_errors[*hart][5] != 0;
        (0..4).filter(is).fold(0, |harts, hart| harts | 1 << hart)
    }
}

fn bus_error(address: u64) -> Option<(usize, usize)> {
    let at = address.checked_sub(BUS_ERRORS_START).filter(|_| address < BUS_ERRORS_END)?;
    Some(((at / 0x1000) as usize, (at % 0x1000) as usize / 8)).filter(|(_, register)| *register < 6)
}

/// What an access of a device that is not modelled is.
pub(crate) fn refuse(what: &str, address: u64) -> Violation {
    let name = not_modelled(address).unwrap_or("nothing, or a register that is not modelled");
    Violation::new(Rule::HartAddress, format!("{what} at {address:#x}: there is {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_of_each_hart_are_apart_and_the_rest_has_a_name() {
        let mut internal = Internal::default();
        for hart in 0..4 {
            internal.store(0x0203_0000 + 0x2000 * hart, 0x15811 + hart as u32).unwrap();
            internal.store(0x1010_5008 + 0x4000 * hart, 7 + hart as u32).unwrap();
            internal.store(0x0170_0010 + 0x1000 * hart, 0x20).unwrap();
        }
        assert_eq!(internal.load(0x0203_6000), Some(0x15814));
        assert_eq!((internal.load(0x1010_9008), internal.load(0x1010_4000)), (Some(8), Some(0x0608_0801)));
        assert_eq!(internal.store(0x1010_4000, 1), None);
        assert_eq!((internal.load(0x1000_0010), internal.load(0x0170_0030)), (None, None));
        assert!(refuse("load", 0x1000_0010).detail.contains("trace encoder"));
    }

    #[test]
    fn an_error_accrues_and_only_the_first_enabled_one_is_kept() {
        let mut internal = Internal::default();
        internal.bus_error(1, 0x3000);
        assert_eq!((internal.load(0x0170_1000), internal.load(0x0170_1020)), (Some(0), Some(0x20)));
        internal.store(0x0170_1010, 0x20).unwrap();
        internal.bus_error(1, 0x3010);
        internal.bus_error(1, 0x3020);
        assert_eq!((internal.load(0x0170_1000), internal.load(0x0170_1008)), (Some(5), Some(0x3010)));
        assert_eq!(internal.interrupting(), 0);
        internal.store(0x0170_1028, 0x20).unwrap();
        assert_eq!(internal.interrupting(), 2);
        internal.store(0x0170_1020, 0).unwrap();
        assert_eq!(internal.interrupting(), 0);
    }
}
