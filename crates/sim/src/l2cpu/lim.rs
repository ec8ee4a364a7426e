//! LIM: the ways of the L3 that are not cache (host.md §6.6).

use crate::code_memory::CodeMemory;
use crate::fault::{Rule, Violation};
use crate::target::LIM;

/// Bytes of one way.
const WAY: u64 = 128 * 1024;

/// The memory, and how much of it is left.
#[derive(Clone)]
pub(crate) struct Lim {
    memory: CodeMemory,
    way_enable: u32,
    /// Bytes that are left.
    left: u64,
}

impl Lim {
    pub(crate) fn new() -> Self {
        Self { memory: CodeMemory::new(LIM.end - LIM.start), way_enable: 0, left: Self::left(0) }
    }

    /// Bytes that are not cache.
    fn left(way_enable: u32) -> u64 {
        (15 - u64::from(way_enable)) * WAY
    }

    /// WAYENABLE.
    pub(crate) fn way_enable(&self) -> u32 {
        self.way_enable
    }

    /// Writes WAYENABLE: ways only ever become cache.
    pub(crate) fn set_way_enable(&mut self, value: u32) -> Result<(), Violation> {
        if value > 15 || value < self.way_enable {
            let detail = format!("WAYENABLE {value} written over {}", self.way_enable);
            return Err(Violation::new(Rule::LimWays, detail));
        }
        (self.way_enable, self.left) = (value, Self::left(value));
        Ok(())
    }

    /// The offset of an access, checked.
    #[inline]
    pub(crate) fn offset(&self, address: u64, bytes: u64) -> Result<u64, Violation> {
        let offset = address - LIM.start;
        if offset + bytes <= self.left {
            return Ok(offset);
        }
        let detail = format!("{bytes} bytes at {address:#x}, with WAYENABLE {}", self.way_enable);
        Err(Violation::new(Rule::LimEnd, detail))
    }

    /// [`Lim::offset`] of any address, if it lies inside: ways end where no aligned word straddles.
    #[inline(always)]
    pub(crate) fn quick_offset(&self, address: u64) -> Option<u64> {
        let offset = address.wrapping_sub(LIM.start);
        (offset < self.left).then_some(offset)
    }

    /// Loses its content.
    pub(crate) fn lose(&mut self) {
        self.memory = CodeMemory::new(LIM.end - LIM.start);
    }

    pub(crate) fn memory(&self) -> &CodeMemory {
        &self.memory
    }

    pub(crate) fn memory_mut(&mut self) -> &mut CodeMemory {
        &mut self.memory
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_given_to_the_cache_are_gone() {
        let mut lim = Lim::new();
        assert!(lim.offset(0x081d_fff8, 8).is_ok() && lim.offset(0x081d_fffc, 8).is_err());
        lim.set_way_enable(9).unwrap();
        assert!(lim.offset(0x080b_fff8, 8).is_ok() && lim.offset(0x080c_0000, 4).is_err());
        assert!(lim.set_way_enable(8).is_err());
        lim.set_way_enable(9).unwrap();
    }
}
