//! The physical memory protection registers of the X280: eight entries (host.md §6.1).
//!
//! They hold what they are given, as the privileged specification says, and a locked entry stays as it is until reset. In
//! machine mode, the only one here, an entry restricts nothing unless it is locked; one that would is refused.

/// Entries that can be written; those up to 16 read 0.
const ENTRIES: usize = 8;

/// Bits of an entry's configuration.
const READ: u8 = 1;
const WRITE: u8 = 2;
const EXECUTE: u8 = 4;
const ALL: u8 = READ | WRITE | EXECUTE;
const MATCHING: u8 = 3 << 3;
/// Matching from the address before to this one.
const TOP_OF_RANGE: u8 = 1 << 3;
const LOCKED: u8 = 1 << 7;

/// Bits of an address: 56, in words.
const ADDRESS: u64 = (1 << 54) - 1;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pmp {
    configuration: [u8; ENTRIES],
    address: [u64; ENTRIES],
}

/// A register of the protection unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PmpRegister {
    /// Eight configurations.
    Configurations,
    Address(usize),
    /// One that reads 0 and ignores what is written.
    Absent,
}

impl PmpRegister {
    /// The register `number` of RV64.
    pub(super) fn of(number: u16) -> Option<Self> {
        match number {
            0x3a0 => Some(Self::Configurations),
            0x3a2 => Some(Self::Absent),
            0x3b0..0x3b8 => Some(Self::Address(usize::from(number - 0x3b0))),
            0x3b8..0x3c0 => Some(Self::Absent),
            _ => None,
        }
    }
}

impl Pmp {
    pub(super) fn read(&self, register: PmpRegister) -> u64 {
        match register {
            PmpRegister::Configurations => u64::from_le_bytes(self.configuration),
            PmpRegister::Address(entry) => self.address[entry],
            PmpRegister::Absent => 0,
        }
    }

    /// Writes; the number of an entry that would now restrict machine mode, if there is one.
    pub(super) fn write(&mut self, register: PmpRegister, value: u64) -> Option<usize> {
        match register {
            PmpRegister::Configurations => {
                for (held, new) in self.configuration.iter_mut().zip(value.to_le_bytes()) {
                    if *held & LOCKED == 0 {
                        *held = legal(new);
                    }
                }
                self.configuration.iter().position(|entry| restricts_machine(*entry))
            }
            PmpRegister::Address(entry) => {
                let is_locked = |entry: &u8| entry & LOCKED != 0;
                let next = self.configuration.get(entry + 1);
                let is_bottom = next.is_some_and(|next| is_locked(next) && next & MATCHING == TOP_OF_RANGE);
                if !is_locked(&self.configuration[entry]) && !is_bottom {
                    self.address[entry] = value & ADDRESS;
                }
                None
            }
            PmpRegister::Absent => None,
        }
    }
}

/// What an entry becomes: writing without reading is reserved.
fn legal(new: u8) -> u8 {
    let new = new & (LOCKED | MATCHING | ALL);
    if new & READ == 0 { new & !WRITE } else { new }
}

fn restricts_machine(entry: u8) -> bool {
    entry & LOCKED != 0 && entry & MATCHING != 0 && entry & ALL != ALL
}
