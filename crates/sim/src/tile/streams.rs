//! Overlay stream registers: the words circular buffers count in (tensix.md §5).

use super::cores::Core;
use crate::fault::{Rule, Violation};

/// The registers of the 64 streams that are modelled.
#[derive(Clone)]
pub(crate) struct Streams {
    /// Which core counts in `acked` and in `received` of each, since they were 0 last.
    counts: [[Option<Core>; 2]; 64],
    acked: [u32; 64],
    received: [u32; 64],
    space: [u32; 64],
}

/// Bits kept of the two counters.
const KEPT: u32 = 0x1_ffff;

impl Streams {
    pub(crate) fn new() -> Self {
        Self { counts: [[None; 2]; 64], acked: [0; 64], received: [0; 64], space: [0; 64] }
    }

    /// Loads the register at `offset` from the first stream's base.
    pub(crate) fn load(&self, offset: u64) -> Result<u32, Violation> {
        let stream = (offset >> 12) as usize;
        match offset & 0xfff {
            0x20 => Ok(self.acked[stream]),
            0x28 => Ok(self.received[stream]),
            0x4a4 => Ok(self.space[stream]),
            _ => Err(unknown("load", offset)),
        }
    }

    /// Before `core` stores to the register at `offset`: each counter of a circular buffer is one core's.
    pub(crate) fn count(&mut self, core: Core, offset: u64, value: u32) -> Result<(), Violation> {
        let (stream, counter) = match offset & 0xfff {
            0x20 => (offset >> 12, 0),
            0x28 => (offset >> 12, 1),
            _ => return Ok(()),
        };
        let counts = &mut self.counts[stream as usize][counter];
        match *counts {
            _ if value & KEPT == 0 => *counts = None,
            Some(other) if other != core => {
                let does = ["pops", "pushes"][counter];
                let detail = format!(
                    "{core} counts in circular buffer {stream}, which {other} {does}",
                    core = core.name(),
                    other = other.name()
                );
                return Err(Violation::new(Rule::BufferCounter, detail));
            }
            _ => *counts = Some(core),
        }
        Ok(())
    }

    /// Stores to the register at `offset`.
    pub(crate) fn store(&mut self, offset: u64, value: u32) -> Result<(), Violation> {
        let stream = (offset >> 12) as usize;
        match offset & 0xfff {
            0x20 => self.acked[stream] = value & KEPT,
            0x28 => {
                self.received[stream] = value & KEPT;
                self.space[stream] = value & KEPT;
            }
            0x438 => self.space[stream] = self.space[stream].wrapping_add(value >> 6) & KEPT,
            0x4a4 => self.space[stream] = value & KEPT,
            _ => return Err(unknown("store", offset)),
        }
        Ok(())
    }
}

/// Whether there is a register at `offset` that takes a store.
pub(crate) fn check_store(offset: u64) -> Result<(), Violation> {
    match offset & 0xfff {
        0x20 | 0x28 | 0x438 | 0x4a4 => Ok(()),
        _ => Err(unknown("store", offset)),
    }
}

fn unknown(what: &str, offset: u64) -> Violation {
    let detail = format!("{what} of register {:#x} of stream {}", offset & 0xfff, offset >> 12);
    Violation::new(Rule::StreamRegister, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_one_cores_until_it_is_zeroed() {
        let mut streams = Streams::new();
        let mut count = |core, offset, value| streams.count(core, offset, value);
        count(Core::Nc, 0x3028, 1).unwrap();
        count(Core::B, 0x3020, 1).unwrap();
        count(Core::Nc, 0x3028, 2).unwrap();
        let refused = count(Core::T2, 0x3028, 3).unwrap_err();
        assert_eq!(refused.detail, "T2 counts in circular buffer 3, which NC pushes");
        let refused = count(Core::T0, 0x3020, 2).unwrap_err();
        assert_eq!(refused.detail, "T0 counts in circular buffer 3, which B pops");
        count(Core::T2, 0x4028, 3).unwrap();
        count(Core::B, 0x3028, 0).unwrap();
        count(Core::T2, 0x3028, 1).unwrap();
        count(Core::Nc, 0x34a4, 1).unwrap();
    }

    #[test]
    fn counters_keep_17_bits_and_remote_adds_go_to_the_space() {
        let mut streams = Streams::new();
        streams.store(0x5028, 0xffff_ffff).unwrap();
        assert_eq!(streams.load(0x5028).unwrap(), 0x1_ffff);
        streams.store(0x54a4, 5).unwrap();
        streams.store(0x5438, 3 << 6).unwrap();
        assert_eq!(streams.load(0x54a4).unwrap(), 8);
        assert_eq!(streams.load(0x4028).unwrap(), 0);
        assert!(streams.load(0x5024).is_err());
    }
}
