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
    first_half: u16,
}

impl CodePage {
    /// Bytes of memory in a page.
    pub const BYTES: usize = 4096;

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
        Self { isa, ops, first_half: half(0) }
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
        Self { isa: self.isa, ops, first_half: self.first_half }
    }

    /// The first two bytes, for an instruction that starts in the page before.
    pub(super) fn first_half(&self) -> u16 {
        self.first_half
    }
}
