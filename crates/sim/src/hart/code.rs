//! A page of decoded instructions.
//!
//! Its operations do not know where they lie, so that tiles that hold the same bytes at different places, or a
//! hundred of them at the same, share one page.

use super::decode::{Op, decode};
use super::isa::Isa;

/// 4 KiB of memory, decoded.
#[derive(Debug)]
pub struct CodePage {
    isa: Isa,
    pub(super) ops: Box<[Op]>,
    /// The bytes, and the first half of the next page once it has been needed.
    halves: Box<[u16]>,
}

impl CodePage {
    /// Bytes of memory in a page.
    pub const BYTES: usize = 4096;
    /// Bytes that an instruction cache of a baby core fetches at once. Not documented: an assumption.
    pub(crate) const LINE: usize = 64;
    /// Lines of a page.
    pub(crate) const LINES: usize = Self::BYTES / Self::LINE;

    /// Decodes a page. Bytes that are no instruction only matter when they are reached.
    pub fn decode(isa: Isa, bytes: &[u8; Self::BYTES]) -> Self {
        let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let word = |at: usize| u32::from(half(at)) | u32::from(half(at + 2)) << 16;
        let ops = match isa {
            Isa::Rv32 => (0..Self::BYTES).step_by(4).map(|at| decode(isa, word(at))).collect(),
            Isa::Rv64 => {
                let last = Self::BYTES - 2;
                let end = if half(last) & 3 == 3 {
                    Op::straddle(half(last))
                } else {
                    decode(isa, u32::from(half(last)))
                };
                (0..last).step_by(2).map(|at| decode(isa, word(at))).chain([end]).collect()
            }
        };
        let halves = (0..Self::BYTES).step_by(2).map(half).chain([0]).collect();
        Self { isa, ops, halves }
    }

    /// The same page for a core that has fetched the lines in `mask` of it, bit by bit, and no others.
    pub(crate) fn only(&self, mask: u64) -> Self {
        let mut ops = self.ops.clone();
        for line in (0..Self::LINES).filter(|line| mask >> line & 1 == 0) {
            ops[Self::line(line)].fill(Op::unfetched());
        }
        Self { isa: self.isa, ops, halves: self.halves.clone() }
    }

    /// True when the lines in `mask` are the same as in `other`.
    pub(crate) fn agrees(&self, mask: u64, other: &Self) -> bool {
        let mut lines = (0..Self::LINES).filter(|line| mask >> line & 1 == 1);
        lines.all(|line| self.ops[Self::line(line)] == other.ops[Self::line(line)])
    }

    /// This page with `line` as it is in `from`.
    pub(crate) fn with_line(&self, line: usize, from: &Self) -> Self {
        let mut ops = self.ops.clone();
        ops[Self::line(line)].copy_from_slice(&from.ops[Self::line(line)]);
        let mut halves = self.halves.clone();
        let of_line = line * Self::LINE / 2..(line + 1) * Self::LINE / 2;
        halves[of_line.clone()].copy_from_slice(&from.halves[of_line]);
        Self { isa: self.isa, ops, halves }
    }

    /// The operations of a line; whoever has lines has instructions of four bytes.
    fn line(line: usize) -> std::ops::Range<usize> {
        const OPS: usize = CodePage::LINE / 4;
        line * OPS..(line + 1) * OPS
    }

    /// The operation at `pc`.
    pub(super) fn op(&self, pc: u64) -> Option<Op> {
        let slot = match self.isa {
            Isa::Rv32 => 4,
            Isa::Rv64 => 2,
        };
        self.ops.get((pc % Self::BYTES as u64 / slot) as usize).copied()
    }

    /// The instruction set that the page was decoded for.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The page with the instruction at its end completed by the half that starts the next page.
    pub(super) fn with_last(&self, half: u16, next: u16) -> Self {
        let mut ops = self.ops.clone();
        if let Some(last) = ops.last_mut() {
            *last = decode(self.isa, u32::from(half) | u32::from(next) << 16);
        }
        let mut halves = self.halves.clone();
        if let Some(last) = halves.last_mut() {
            *last = next;
        }
        Self { isa: self.isa, ops, halves }
    }

    /// The first two bytes, for an instruction that starts in the page before.
    pub(super) fn first_half(&self) -> u16 {
        self.halves[0]
    }

    /// The instruction at `pc`, as long as it is.
    pub(super) fn instruction(&self, pc: u64) -> u32 {
        let at = (pc % Self::BYTES as u64 / 2) as usize;
        let half = u32::from(self.halves[at]);
        match half & 3 {
            3 => half | u32::from(self.halves[at + 1]) << 16,
            _ => half,
        }
    }
}
