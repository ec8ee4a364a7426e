//! What lies where for which core, besides L1, the registers that the NoC reaches too, and the core's own RAM: the table of
//! tensix.md §1.

use super::cores::Core;
use super::mailboxes;
use super::order::Region;
use crate::fault::{Rule, Violation};
use crate::hart::coprocessor;
use crate::target::L1_BYTES;

/// A place of one core's address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    TdmaGate,
    /// A hardware semaphore.
    Semaphore(usize),
    /// The core's side of a PCBuf, by the compute thread at its end.
    PcBuf(usize),
    /// What a compute core loads to wait for the coprocessor, or for its MOP expander.
    DoneCheck,
    /// The mailboxes to, or from, the core of this number; by its address a load takes a word or asks for one.
    Mailbox {
        other: usize,
        asks: bool,
    },
    /// A word of the general registers of the three threads.
    Gpr(usize),
    /// A word of the configuration, both banks.
    Config(usize),
    /// The core's own RAM through the slow path: its address on the fast one.
    OwnRam(u64),
}

/// General registers of a thread.
const GPRS: u64 = 64;
/// Words of both banks of the configuration.
pub(super) const CONFIG_WORDS: usize = 448;

/// Where `address` lies for `core`. `value` is what is stored there, for messages.
pub(super) fn place(core: Core, address: u64, value: Option<u32>) -> Result<Place, Violation> {
    let thread = core.thread();
    let has_coprocessor = core != Core::Nc;
    let offset = address & 0xffff;
    Ok(match address {
        0xffb1_1024 if has_coprocessor => Place::TdmaGate,
        0xffb1_4000..0xffb1_e000 => return slow_path(core, address),
        0xffe0_0000..0xffe0_1000 if thread.is_some_and(|_| offset < 4 * GPRS) => {
            Place::Gpr(GPRS as usize * thread.unwrap_or(0) + offset as usize / 4)
        }
        0xffe0_0000..0xffe0_1000 if core == Core::B && offset < 3 * 4 * GPRS => {
            Place::Gpr(offset as usize / 4)
        }
        0xffe8_0000 if thread.is_some() => Place::PcBuf(thread.unwrap_or(0)),
        0xffe8_0004 | 0xffe8_0008 if thread.is_some() => Place::DoneCheck,
        0xffe8_0020..0xffe8_0040 if thread.is_some() => Place::Semaphore((address as usize >> 2) & 7),
        0xffe8_0000 | 0xffe9_0000 | 0xffea_0000 if core == Core::B => {
            Place::PcBuf((address as usize >> 16) - 0xffe8)
        }
        0xffec_0000..0xffec_4000 if has_coprocessor && offset & 0xff8 == 0 => {
            Place::Mailbox { other: offset as usize >> 12, asks: address & 4 != 0 }
        }
        0xffef_0000..0xfff0_0000 if has_coprocessor && offset < 4 * CONFIG_WORDS as u64 => {
            Place::Config(offset as usize / 4)
        }
        _ => return Err(refuse(core, address, value)),
    })
}

/// The slow path onto the RAM of a core: its own here, since another's moves on by itself.
fn slow_path(core: Core, address: u64) -> Result<Place, Violation> {
    let of = match address {
        0xffb1_4000..0xffb1_6000 => Core::B,
        0xffb1_6000..0xffb1_8000 => Core::Nc,
        0xffb1_8000..0xffb1_a000 => Core::T0,
        0xffb1_a000..0xffb1_c000 => Core::T1,
        _ => Core::T2,
    };
    let offset = address & 0x1fff;
    if offset >= of.local_bytes() {
        return Err(Violation::new(
            Rule::CoreAddress,
            format!("{address:#x}, behind the RAM of {}", of.name()),
        ));
    }
    if of != core {
        let detail =
            format!("{address:#x}, the RAM of {} through its slow path, by {}", of.name(), core.name());
        return Err(Violation::new(Rule::SlowPath, detail));
    }
    Ok(Place::OwnRam(0xffb0_0000 + offset))
}

/// What is wrong with an access of `core` to `address`.
fn refuse(core: Core, address: u64, value: Option<u32>) -> Violation {
    let name = core.name();
    let (rule, what) = match address {
        0xffb0_0000..0xffb0_2000 => (Rule::CoreAddress, format!("behind the RAM of {name}")),
        0xffb1_1000..0xffb1_2000 if core == Core::Nc => {
            (Rule::CoreAddress, "TDMA-RISC, which NC does not have".into())
        }
        0xffb1_1000..0xffb1_2000 => {
            (Rule::Coprocessor, "TDMA-RISC, of which the clock gate is modelled".into())
        }
        0xffb1_3000..0xffb1_3138 => (Rule::TileUnit, "the interrupt controller (PIC)".into()),
        0xffb8_0000..0xffb8_0024 if core.thread().is_some() => (Rule::Coprocessor, "the MOP expander".into()),
        0xffbd_8000..0xffbe_0000 if core.thread().is_some() => {
            (Rule::Coprocessor, "the window onto Dst".into())
        }
        0xffe4_0000..0xffe7_0000 if core == Core::B || core.thread().is_some() && address < 0xffe5_0000 => {
            let pushed = value.map(|word| format!(" of {}", coprocessor::describe(word)));
            (Rule::Coprocessor, format!("the push{} to the coprocessor", pushed.unwrap_or_default()))
        }
        0xffb8_0000..0xffe7_0000 if core == Core::Nc => {
            (Rule::CoreAddress, "the coprocessor, which NC does not reach".into())
        }
        0xffe8_0000..0xffeb_0000 if core == Core::B => {
            (Rule::PcBuffer, "behind the first word of a PCBuf".into())
        }
        0xffe8_0000..0xffeb_0000 => {
            (Rule::CoreAddress, format!("a PCBuf or semaphore that {name} does not have"))
        }
        0xffec_0000..0xffec_4000 => (Rule::CoreAddress, format!("a mailbox that {name} does not have")),
        0xffef_0000..0xfff0_0000 if core == Core::Nc => {
            (Rule::CoreAddress, "the configuration, which NC does not reach".into())
        }
        _ => (Rule::CoreAddress, "nothing".into()),
    };
    let verb = if value.is_some() { "store" } else { "load" };
    Violation::new(rule, format!("{verb} at {address:#x}: {what}"))
}

/// The region that performs a core's requests to `address` in order, where its stores may be late.
pub(super) fn region(core: Core, address: u64) -> Option<Region> {
    Some(match address {
        0..L1_BYTES => Region::L1,
        0xffb2_0000..0xffb4_0000 => Region::Niu((address >> 16 & 1) as u8),
        0xffb4_0000..0xffb8_0000 => Region::Overlay,
        _ => match place(core, address, None).ok()? {
            Place::Semaphore(_) => Region::Semaphores,
            Place::PcBuf(thread) if core == Core::B => Region::PcBuf(thread as u8),
            Place::Mailbox { other, .. } if mailboxes::number(core).is_some() => Region::Mailbox(other as u8),
            _ => return None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_core_has_what_the_table_says() {
        let has = |address| Core::ALL.map(|core| place(core, address, None).is_ok());
        // B, NC, T0, T1, T2.
        assert_eq!(has(0xffb1_1024), [true, false, true, true, true]);
        assert_eq!(has(0xffe0_00fc), [true, false, true, true, true]);
        assert_eq!(has(0xffe0_02fc), [true, false, false, false, false]);
        assert_eq!(has(0xffe8_0000), [true, false, true, true, true]);
        assert_eq!(has(0xffea_0000), [true, false, false, false, false]);
        assert_eq!(has(0xffe8_0004), [false, false, true, true, true]);
        assert_eq!(has(0xffe8_0020), [false, false, true, true, true]);
        assert_eq!(has(0xffec_3004), [true, false, true, true, true]);
        assert_eq!(has(0xffef_06fc), [true, false, true, true, true]);
        assert_eq!(has(0xffb1_4000), [true, false, false, false, false]);
        assert_eq!(has(0xffb1_c000), [false, false, false, false, true]);
        for nowhere in
            [0x18_0000, 0xffb1_3000, 0xffb1_9000, 0xffb8_0000, 0xffbd_8000, 0xffe4_0000, 0xffef_0700]
        {
            assert_eq!(has(nowhere), [false; 5], "{nowhere:#x}");
        }
    }

    #[test]
    fn a_thread_sees_its_own_registers_and_b_sees_all() {
        assert_eq!(place(Core::T1, 0xffe0_0008, None), place(Core::B, 0xffe0_0108, None));
        assert_eq!(place(Core::T2, 0xffe8_0000, None), place(Core::B, 0xffea_0000, None));
    }
}
