//! Software and timer interrupts (host.md §6.3: the offsets are the usual ones).

use crate::fault::{Rule, Violation};
use crate::time::{NEVER, Time, cycle};

/// A cycle of mtime, which counts at 50 MHz.
pub(crate) const TICK: Time = cycle(50);
/// The base address.
pub(crate) const BASE: u64 = 0x0200_0000;
/// The offset of mtime.
pub(crate) const MTIME: u64 = 0xbff8;

/// The registers.
#[derive(Clone)]
pub(crate) struct Clint {
    msip: [u32; 4],
    mtimecmp: [u64; 4],
}

impl Clint {
    pub(crate) fn new() -> Self {
        Self { msip: [0; 4], mtimecmp: [u64::MAX; 4] }
    }

    /// The interrupts pending at `hart`, as bits of mip.
    pub(crate) fn pending(&self, hart: usize, at: Time) -> u64 {
        let timer = at / TICK >= self.mtimecmp[hart];
        u64::from(self.msip[hart] & 1) << 3 | u64::from(timer) << 7
    }

    /// When the timer of `hart` fires.
    pub(crate) fn fires(&self, hart: usize) -> Time {
        self.mtimecmp[hart].checked_mul(TICK).unwrap_or(NEVER)
    }

    /// The hart whose interrupts the register at `offset` changes.
    pub(crate) fn owner(offset: u64) -> Option<usize> {
        match offset {
            0..0x10 => Some(offset as usize / 4),
            0x4000..0x4020 => Some((offset as usize - 0x4000) / 8),
            _ => None,
        }
    }

    /// Loads 4 or 8 bytes.
    pub(crate) fn load(&self, at: Time, offset: u64, bytes: u64) -> Result<u64, Violation> {
        let value = match (offset, bytes) {
            (0..0x10, 4) => return Ok(u64::from(self.msip[offset as usize / 4])),
            (0x4000..0x4020, _) => self.mtimecmp[(offset as usize - 0x4000) / 8],
            (MTIME..0xc000, _) => at / TICK,
            _ => return Err(unknown("load", offset, bytes)),
        };
        Ok(if offset % 8 == 4 { value >> 32 } else { value })
    }

    /// Stores 4 or 8 bytes.
    pub(crate) fn store(&mut self, offset: u64, bytes: u64, value: u64) -> Result<(), Violation> {
        match (offset, bytes) {
            (0..0x10, 4) => self.msip[offset as usize / 4] = value as u32 & 1,
            (0x4000..0x4020, _) => {
                let register = &mut self.mtimecmp[(offset as usize - 0x4000) / 8];
                *register = match (bytes, offset % 8) {
                    (8, _) => value,
                    (_, 0) => *register & !0xffff_ffff | value & 0xffff_ffff,
                    _ => *register & 0xffff_ffff | value << 32,
                };
            }
            _ => return Err(unknown("store", offset, bytes)),
        }
        Ok(())
    }
}

fn unknown(what: &str, offset: u64, bytes: u64) -> Violation {
    Violation::new(Rule::Clint, format!("{what} of {bytes} bytes at offset {offset:#x} of the CLINT"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_the_comparator_are_written_apart_and_the_timer_fires_when_time_reaches_it() {
        let mut clint = Clint::new();
        clint.store(0x4008, 4, 10).unwrap();
        clint.store(0x400c, 4, 0).unwrap();
        assert_eq!(clint.fires(1), 10 * TICK);
        assert_eq!(clint.pending(1, 10 * TICK - 1), 0);
        assert_eq!(clint.pending(1, 10 * TICK), 1 << 7);
        assert_eq!(clint.pending(0, 10 * TICK), 0);
        clint.store(0xc, 4, 1).unwrap();
        assert_eq!(clint.pending(3, 0), 1 << 3);
        assert_eq!(clint.load((5 << 32) * TICK, MTIME + 4, 4).unwrap(), 5);
    }
}
