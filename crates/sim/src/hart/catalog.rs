//! The table of instructions for those outside: tests, tools, documentation.

use super::format::Format;
use super::isa::Isa;
use super::table::ROWS;

/// An instruction that a core executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// As assemblers spell it, without operands.
    pub mnemonic: &'static str,
    /// Where its operands are.
    pub format: Format,
    /// The bits that it fixes.
    pub mask: u32,
    /// Their values.
    pub bits: u32,
}

/// The four-byte instructions of an instruction set, in the order of the table. Two-byte ones stand for some of them.
pub fn instructions(isa: Isa) -> impl Iterator<Item = Instruction> {
    ROWS.iter().filter(move |row| row.is_of(isa)).map(move |row| Instruction {
        mnemonic: row.mnemonic,
        format: row.format,
        mask: row.format.mask(isa),
        bits: row.bits,
    })
}
