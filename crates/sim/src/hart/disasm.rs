//! Instructions as text, in the assembler's canonical spelling (no pseudo-instructions).

use super::compressed;
use super::decode::{immediate_b, immediate_i, immediate_j, immediate_s};
use super::format::Format;
use super::isa::Isa;
use super::table::find;

const NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6",
    "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

const FLOAT_NAMES: [&str; 32] = [
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2", "fa3", "fa4",
    "fa5", "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8",
    "ft9", "ft10", "ft11",
];

/// Rounding modes as they end an instruction's text; the last, of `frm`, is not written.
const ROUNDING: [&str; 8] = [",rne", ",rtz", ",rdn", ",rup", ",rmm", ",unknown", ",unknown", ""];

/// The same of conversions that never round: the first is not written.
const EXACT_ROUNDING: [&str; 8] = ["", ",rtz", ",rdn", ",rup", ",rmm", ",unknown", ",unknown", ",dyn"];

/// The text of the instruction `word` at `pc`; a two-byte one is in the low half and is written as what it stands for.
pub fn disassemble(isa: Isa, word: u32, pc: u64) -> String {
    if word & 3 == 3 {
        return disassemble_word(isa, word, pc);
    }
    match isa {
        Isa::Rv32 => format!(".ttinsn {:#010x}", word.rotate_right(2)),
        Isa::Rv64 => match compressed::expand(word as u16) {
            Some(word) => disassemble_word(isa, word, pc),
            None => format!(".2byte {:#06x}", word as u16),
        },
    }
}

fn disassemble_word(isa: Isa, word: u32, pc: u64) -> String {
    let Some(row) = find(isa, word) else {
        return format!(".4byte {word:#010x}");
    };
    let register = |at: u32| NAMES[(word >> at & 31) as usize];
    let (rd, rs1, rs2) = (register(7), register(15), register(20));
    let float = |at: u32| FLOAT_NAMES[(word >> at & 31) as usize];
    let (fd, fs1, fs2) = (float(7), float(15), float(20));
    let rounding = match row.code.float() {
        Some(operation) if operation.is_exact() => EXACT_ROUNDING[(word >> 12 & 7) as usize],
        _ => ROUNDING[(word >> 12 & 7) as usize],
    };
    let target = |offset: i32| {
        let target = pc.wrapping_add(offset as u64);
        match isa {
            Isa::Rv32 => format!("{:x}", target as u32),
            Isa::Rv64 => format!("{target:x}"),
        }
    };
    let csr = word >> 20;
    let mnemonic = match row.format {
        Format::Atomic | Format::Reserve => {
            let order = ["", ".rl", ".aq", ".aqrl"][(word >> 25 & 3) as usize];
            format!("{}{order}", row.mnemonic)
        }
        _ => row.mnemonic.to_owned(),
    };
    let operands = match row.format {
        Format::Register => format!("{rd},{rs1},{rs2}"),
        Format::Unary => format!("{rd},{rs1}"),
        Format::Immediate => format!("{rd},{rs1},{}", immediate_i(word)),
        Format::Shift => format!("{rd},{rs1},{:#x}", word >> 20 & 63),
        Format::ShiftWord => format!("{rd},{rs1},{:#x}", word >> 20 & 31),
        Format::Load | Format::JumpRegister => format!("{rd},{}({rs1})", immediate_i(word)),
        Format::Store => format!("{rs2},{}({rs1})", immediate_s(word)),
        Format::Branch => format!("{rs1},{rs2},{}", target(immediate_b(word))),
        Format::Upper => format!("{rd},{:#x}", word >> 12),
        Format::Jump => format!("{rd},{}", target(immediate_j(word))),
        Format::Atomic => format!("{rd},{rs2},({rs1})"),
        Format::Reserve => format!("{rd},({rs1})"),
        Format::Csr => format!("{rd},{csr:#x},{rs1}"),
        Format::CsrImmediate => format!("{rd},{csr:#x},{}", word >> 15 & 31),
        Format::Fence => format!("{},{}", fence_set(word >> 24), fence_set(word >> 20)),
        Format::CacheLine => rs1.to_owned(),
        Format::Plain | Format::Exact => return mnemonic,
        Format::FloatLoad => format!("{fd},{}({rs1})", immediate_i(word)),
        Format::FloatStore => format!("{fs2},{}({rs1})", immediate_s(word)),
        Format::FloatRounded => format!("{fd},{fs1},{fs2}{rounding}"),
        Format::FloatRegister => format!("{fd},{fs1},{fs2}"),
        Format::FloatFused => format!("{fd},{fs1},{fs2},{}{rounding}", float(27)),
        Format::FloatUnary => format!("{fd},{fs1}{rounding}"),
        Format::FloatCompare => format!("{rd},{fs1},{fs2}"),
        Format::FloatToInteger => format!("{rd},{fs1}{rounding}"),
        Format::FloatFromInteger => format!("{fd},{rs1}{rounding}"),
        Format::FloatToBits => format!("{rd},{fs1}"),
        Format::FloatFromBits => format!("{fd},{rs1}"),
    };
    format!("{mnemonic} {operands}")
}

fn fence_set(bits: u32) -> String {
    if bits & 15 == 0 {
        return "unknown".to_owned();
    }
    [(8, 'i'), (4, 'o'), (2, 'r'), (1, 'w')]
        .iter()
        .filter(|(bit, _)| bits & bit != 0)
        .map(|(_, name)| name)
        .collect()
}
