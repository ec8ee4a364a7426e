//! The formats of the instructions: where their operands are.

use super::isa::Isa;

/// Where the operands of an instruction are, and how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `rd,rs1,rs2`
    Register,
    /// `rd,rs1`
    Unary,
    /// `rd,rs1,imm`
    Immediate,
    /// `rd,rs1,shamt` of the register's width
    Shift,
    /// `rd,rs1,shamt` of 5 bits
    ShiftWord,
    /// `rd,imm(rs1)`
    Load,
    /// `rs2,imm(rs1)`
    Store,
    /// `rs1,rs2,target`
    Branch,
    /// `rd,imm`
    Upper,
    /// `rd,target`
    Jump,
    /// `rd,imm(rs1)`
    JumpRegister,
    /// `rd,rs2,(rs1)` with acquire and release bits
    Atomic,
    /// `rd,(rs1)` with acquire and release bits
    Reserve,
    /// `rd,csr,rs1`
    Csr,
    /// `rd,csr,imm`
    CsrImmediate,
    /// `pred,succ`
    Fence,
    /// no operands, other bits ignored
    Plain,
    /// no operands
    Exact,
    /// `rs1`, an address, or no register for everything
    CacheLine,
    /// `fd,imm(rs1)`
    FloatLoad,
    /// `fs2,imm(rs1)`
    FloatStore,
    /// `fd,fs1,fs2,rm`
    FloatRounded,
    /// `fd,fs1,rm`
    FloatUnary,
    /// `fd,fs1,fs2,fs3,rm`
    FloatFused,
    /// `fd,fs1,fs2`
    FloatRegister,
    /// `rd,fs1,fs2`
    FloatCompare,
    /// `rd,fs1,rm`
    FloatToInteger,
    /// `fd,rs1,rm`
    FloatFromInteger,
    /// `rd,fs1`
    FloatToBits,
    /// `fd,rs1`
    FloatFromBits,
}

impl Format {
    /// The operands as the assembler takes them. `rm` is the rounding mode, which may be left out; atomics take acquire and
    /// release bits as suffixes.
    pub fn operands(self) -> &'static str {
        match self {
            Self::Register => "rd,rs1,rs2",
            Self::Unary => "rd,rs1",
            Self::Immediate => "rd,rs1,imm",
            Self::Shift | Self::ShiftWord => "rd,rs1,shamt",
            Self::Load | Self::JumpRegister => "rd,imm(rs1)",
            Self::Store => "rs2,imm(rs1)",
            Self::Branch => "rs1,rs2,target",
            Self::Upper => "rd,imm",
            Self::Jump => "rd,target",
            Self::Atomic => "rd,rs2,(rs1)",
            Self::Reserve => "rd,(rs1)",
            Self::Csr => "rd,csr,rs1",
            Self::CsrImmediate => "rd,csr,imm",
            Self::Fence => "pred,succ",
            Self::Plain | Self::Exact => "",
            Self::CacheLine => "rs1",
            Self::FloatLoad => "fd,imm(rs1)",
            Self::FloatStore => "fs2,imm(rs1)",
            Self::FloatRounded => "fd,fs1,fs2,rm",
            Self::FloatUnary => "fd,fs1,rm",
            Self::FloatFused => "fd,fs1,fs2,fs3,rm",
            Self::FloatRegister => "fd,fs1,fs2",
            Self::FloatCompare => "rd,fs1,fs2",
            Self::FloatToInteger => "rd,fs1,rm",
            Self::FloatFromInteger => "fd,rs1,rm",
            Self::FloatToBits => "rd,fs1",
            Self::FloatFromBits => "fd,rs1",
        }
    }

    /// The bits that a row fixes.
    pub(super) fn mask(self, isa: Isa) -> u32 {
        match self {
            Self::Register | Self::ShiftWord | Self::FloatRegister | Self::FloatCompare => 0xfe00_707f,
            Self::Unary | Self::FloatToBits | Self::FloatFromBits => 0xfff0_707f,
            Self::Shift => match isa {
                Isa::Rv32 => 0xfe00_707f,
                Isa::Rv64 => 0xfc00_707f,
            },
            Self::Immediate
            | Self::Load
            | Self::Store
            | Self::Branch
            | Self::JumpRegister
            | Self::Csr
            | Self::CsrImmediate
            | Self::Fence
            | Self::Plain
            | Self::FloatLoad
            | Self::FloatStore => 0x0000_707f,
            Self::Upper | Self::Jump => 0x0000_007f,
            Self::Atomic => 0xf800_707f,
            Self::Reserve => 0xf9f0_707f,
            Self::CacheLine => 0xfff0_7fff,
            Self::Exact => 0xffff_ffff,
            Self::FloatRounded => 0xfe00_007f,
            Self::FloatUnary | Self::FloatToInteger | Self::FloatFromInteger => 0xfff0_007f,
            Self::FloatFused => 0x0600_007f,
        }
    }
}
