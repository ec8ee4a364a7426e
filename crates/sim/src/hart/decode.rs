//! From instruction words to compact operations.

use super::compressed;
use super::format::Format;
use super::isa::Isa;
use super::table::{Code, find};

/// The register slot that takes what is written to x0.
pub(super) const SINK: u8 = 32;
/// The register slot of an instruction without a result.
pub(super) const NO_RESULT: u8 = 33;
/// The slot that is waited for when all floating-point results are: it has no value.
pub(super) const ALL_FLOATS: usize = 34;
/// Register slots of a hart that may have to be waited for: x0 to x31, [`SINK`], [`NO_RESULT`], [`ALL_FLOATS`], and what
/// makes it a power of two.
pub(super) const SLOTS: usize = 64;
/// The register slot of f0; those of f1 to f31 follow. They are waited for on the slow path.
pub(super) const FLOATS: u8 = 64;
/// Words of a register file: one for each number that an [`Op`] can hold, so that no number is out of bounds.
pub(super) const WORDS: usize = 256;

/// A decoded instruction of a page. It says nothing of where the page lies.
///
/// An operand that an instruction does not have is x0 (a source) or [`NO_RESULT`]: whoever waits for operands need not
/// know the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub(super) struct Op {
    code: Code,
    rd: u8,
    rs1: u8,
    rs2: u8,
    /// Its place in the page.
    place: u16,
    imm: i32,
    /// The integer sources as bits, with [`Op::SHORT`].
    uses: u32,
}

impl Op {
    /// The mark of a two-byte instruction, in the place of x0, which is never waited for.
    const SHORT: u32 = 1;

    fn new(code: Code, rd: u8, rs1: u8, rs2: u8, imm: i32) -> Self {
        let uses = (integer_bit(rs1) | integer_bit(rs2)) & !Self::SHORT;
        Self { code, rd, rs1, rs2, place: 0, imm, uses }
    }

    /// An operation of no registers.
    fn bare(code: Code, imm: u32) -> Self {
        Self::new(code, NO_RESULT, 0, 0, imm as i32)
    }

    /// A place whose line the core has not fetched.
    pub(super) fn unfetched() -> Self {
        Self::bare(Code::Fetch, 0)
    }

    /// The first half of a word whose second half is in the next page.
    pub(super) fn straddle(half: u16) -> Self {
        Self::bare(Code::Straddle, u32::from(half))
    }

    /// Where the page ends.
    pub(super) fn end() -> Self {
        Self::bare(Code::End, 0)
    }

    /// What leads to the instruction at its place, which is the page's operation `number`.
    pub(super) fn goto(number: usize) -> Self {
        Self::bare(Code::Goto, (number as u32) << 16)
    }

    /// The operation at a place of its page: a multiple of two bytes, of four where all instructions are of four.
    pub(super) fn at(self, place: usize) -> Self {
        Self { place: place as u16, ..self }
    }

    /// The place that it may jump to, by its immediate, where its place is the one it has.
    pub(super) fn target(self, slot: u32) -> Option<i64> {
        self.code.near(false).map(|_| i64::from(self.place) + i64::from(self.imm >> slot))
    }

    /// The operation as number `from` of a page, when it jumps to number `to` of it.
    pub(super) fn near(self, from: usize, to: usize) -> Self {
        let code = self.code.near(to < from).unwrap_or(self.code);
        let ahead = (from + 1).wrapping_sub(to) as u16;
        Self { code, imm: (to << 16) as i32 | i32::from(ahead), ..self }
    }

    /// The operation in front of `behind`, as the pair of both where they are one.
    pub(super) fn pair(self, behind: Self) -> Self {
        Self { code: self.code.pair(behind.code.first()).unwrap_or(self.code), ..self }
    }

    /// The operation by itself.
    pub(super) fn single(self) -> Self {
        Self { code: self.code.first(), ..self }
    }

    /// What to do.
    #[inline(always)]
    pub(super) fn code(self) -> Code {
        self.code
    }

    /// Register slot of the result.
    #[inline(always)]
    pub(super) fn rd(self) -> usize {
        usize::from(self.rd)
    }

    /// Register slot of the first source.
    #[inline(always)]
    pub(super) fn rs1(self) -> usize {
        usize::from(self.rs1)
    }

    /// Register slot of the second source.
    #[inline(always)]
    pub(super) fn rs2(self) -> usize {
        usize::from(self.rs2)
    }

    /// The integer sources, as bits, with one more that no register has.
    #[inline(always)]
    pub(super) fn uses(self) -> u64 {
        u64::from(self.uses)
    }

    /// Its place in the page.
    #[inline(always)]
    pub(super) fn place(self) -> u64 {
        u64::from(self.place)
    }

    /// The number in the page of the operation it jumps to, of one that is [near](Op::near).
    #[inline(always)]
    pub(super) fn to(self) -> usize {
        (self.imm as u32 >> 16) as usize
    }

    /// By how much more the count of operations is ahead of their numbers after a near jump.
    #[inline(always)]
    pub(super) fn ahead(self) -> u64 {
        self.imm as i16 as u64
    }

    /// The immediate; the csr number with its immediate above bit 12; the rounding mode with the slot of the third source
    /// above bit 3; the word itself when there is no such instruction.
    #[inline(always)]
    pub(super) fn imm(self) -> i32 {
        self.imm
    }

    /// Bytes of the instruction.
    #[inline(always)]
    pub(super) fn size(self) -> u64 {
        4 - 2 * u64::from(self.uses & Self::SHORT)
    }
}

/// The bit of an integer register, 0 for a floating-point register.
fn integer_bit(slot: u8) -> u32 {
    if slot < 32 { 1 << slot } else { 0 }
}

/// Decodes what starts somewhere in memory: `word` is the four bytes there.
pub(super) fn decode(isa: Isa, word: u32) -> Op {
    if word & 3 == 3 {
        return decode_word(isa, word);
    }
    match isa {
        Isa::Rv32 => Op::bare(Code::Coprocessor, word),
        Isa::Rv64 => {
            let half = word as u16;
            let mut op = match compressed::expand(half) {
                Some(word) => decode_word(isa, word),
                None => Op::bare(Code::Illegal, u32::from(half)),
            };
            op.uses |= Op::SHORT;
            op
        }
    }
}

fn decode_word(isa: Isa, word: u32) -> Op {
    let Some(row) = find(isa, word) else {
        return Op::bare(Code::Illegal, word);
    };
    let rs1 = (word >> 15 & 31) as u8;
    let rs2 = (word >> 20 & 31) as u8;
    let rd = match (word >> 7 & 31) as u8 {
        0 => SINK,
        register => register,
    };
    let float = |from: u32| FLOATS + (word >> from & 31) as u8;
    let (fd, fs1, fs2) = (float(7), float(15), float(20));
    let mode = (word >> 12 & 7) as i32;
    let op = |rd, rs1, rs2, imm| Op::new(row.code, rd, rs1, rs2, imm);
    let op = match row.format {
        Format::Register | Format::Atomic => op(rd, rs1, rs2, 0),
        Format::Unary | Format::Reserve => op(rd, rs1, 0, 0),
        Format::Immediate | Format::Load | Format::JumpRegister => op(rd, rs1, 0, immediate_i(word)),
        Format::Shift => op(rd, rs1, 0, (word >> 20 & 63) as i32),
        Format::ShiftWord => op(rd, rs1, 0, i32::from(rs2)),
        Format::Store => op(NO_RESULT, rs1, rs2, immediate_s(word)),
        Format::Branch => op(NO_RESULT, rs1, rs2, immediate_b(word)),
        Format::CacheLine => op(NO_RESULT, rs1, 0, 0),
        Format::Upper => op(rd, 0, 0, (word & 0xffff_f000) as i32),
        Format::Jump => op(rd, 0, 0, immediate_j(word)),
        Format::Csr => op(rd, rs1, 0, (word >> 20) as i32),
        Format::CsrImmediate => op(rd, 0, 0, (word >> 20 | u32::from(rs1) << 12) as i32),
        Format::Fence | Format::Plain | Format::Exact => op(NO_RESULT, 0, 0, 0),
        Format::FloatLoad => op(fd, rs1, 0, immediate_i(word)),
        Format::FloatStore => op(NO_RESULT, rs1, fs2, immediate_s(word)),
        Format::FloatRounded | Format::FloatRegister => op(fd, fs1, fs2, mode),
        Format::FloatFused => op(fd, fs1, fs2, mode | i32::from(float(27)) << 3),
        Format::FloatUnary => op(fd, fs1, 0, mode),
        Format::FloatCompare => op(rd, fs1, fs2, mode),
        Format::FloatToInteger | Format::FloatToBits => op(rd, fs1, 0, mode),
        Format::FloatFromInteger | Format::FloatFromBits => op(fd, rs1, 0, mode),
    };
    if row.code == Code::Add && rd == SINK && rs1 != 0 {
        return Op::new(Code::Wait, NO_RESULT, rs1, rs2, 0);
    }
    let jumps = matches!(row.format, Format::Branch | Format::Jump);
    if isa == Isa::Rv32 && jumps && op.imm() & 2 != 0 {
        return Op::bare(Code::Illegal, word);
    }
    op
}

/// imm[11:0] of loads and immediates.
pub(super) fn immediate_i(word: u32) -> i32 {
    word as i32 >> 20
}

/// imm[11:0] of stores.
pub(super) fn immediate_s(word: u32) -> i32 {
    (word as i32 >> 25) << 5 | (word >> 7 & 31) as i32
}

/// imm[12:1] of branches.
pub(super) fn immediate_b(word: u32) -> i32 {
    let sign = word as i32 >> 31;
    sign << 12 | ((word >> 7 & 1) << 11 | (word >> 25 & 0x3f) << 5 | (word >> 8 & 0xf) << 1) as i32
}

/// imm[20:1] of `jal`.
pub(super) fn immediate_j(word: u32) -> i32 {
    let sign = word as i32 >> 31;
    sign << 20 | (word & 0xff000 | (word >> 20 & 1) << 11 | (word >> 21 & 0x3ff) << 1) as i32
}
