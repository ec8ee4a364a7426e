//! Instruction words from rows of the table and operands.

use komorebi_sim::hart::{Format, Instruction};

/// Operands; an instruction takes those it has.
#[derive(Clone, Copy, Default)]
pub(crate) struct Operands {
    pub(crate) rd: u32,
    pub(crate) rs1: u32,
    pub(crate) rs2: u32,
    pub(crate) rs3: u32,
    /// The immediate (of branches and jumps less than 2 KiB forward), the number of a control register.
    pub(crate) imm: u32,
    /// The rounding mode.
    pub(crate) mode: u32,
}

pub(crate) fn encode(instruction: &Instruction, operands: Operands) -> u32 {
    let Operands { rd, rs1, rs2, rs3, imm, mode } = operands;
    let (rd, rs1, rs2, mode) = (rd << 7, rs1 << 15, rs2 << 20, mode << 12);
    let fields = match instruction.format {
        Format::Register | Format::Atomic | Format::FloatRegister | Format::FloatCompare => rd | rs1 | rs2,
        Format::Unary | Format::Reserve | Format::FloatToBits | Format::FloatFromBits => rd | rs1,
        Format::Immediate
        | Format::Shift
        | Format::ShiftWord
        | Format::Load
        | Format::FloatLoad
        | Format::JumpRegister
        | Format::Csr
        | Format::CsrImmediate => rd | rs1 | imm << 20,
        Format::Store | Format::FloatStore => rs1 | rs2 | (imm & 31) << 7 | imm >> 5 << 25,
        Format::Branch => rs1 | rs2 | (imm & 0x1e) << 7 | (imm >> 5 & 0x3f) << 25,
        Format::Upper => rd | imm << 12,
        Format::Jump => rd | imm << 20,
        Format::Fence => 0x0ff0_0000,
        Format::CacheLine => rs1,
        Format::Plain | Format::Exact => 0,
        Format::FloatRounded => rd | rs1 | rs2 | mode,
        Format::FloatUnary | Format::FloatToInteger | Format::FloatFromInteger => rd | rs1 | mode,
        Format::FloatFused => rd | rs1 | rs2 | rs3 << 27 | mode,
    };
    assert_eq!(fields & instruction.mask, 0, "{}: operands in fixed bits", instruction.mnemonic);
    instruction.bits | fields
}
