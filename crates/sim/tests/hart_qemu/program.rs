//! Random programs: a loop over random instructions that takes other operands each time, and a digest of all results.
//!
//! Every instruction comes from the table. What has a result is mixed into the digest behind it, with the exceptions
//! that it raised. Registers are x8 and sp for memory that is stored to, x18 for a pool of operands, x19 and x20 to count,
//! x27 the digest, x28 its factor, x31 for what an instruction needs; all others are operands.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use komorebi_sim::hart::{Format, Instruction, Isa, disassemble, instructions};

use super::encode::{Operands, encode};
use super::values::Random;

/// Bytes of memory that is stored to.
pub(crate) const SCRATCH: u32 = 256;
/// Bytes of the pool that an iteration may load from.
const REACH: u32 = 2048;
/// Bytes of the pool of which an iteration's part may begin anywhere.
const POOL: u32 = 1 << 16;
/// Records of the pool.
pub(crate) const RECORDS: usize = (POOL + REACH) as usize / 32;

/// Registers that are no operands.
const RESERVED: [u32; 8] = [2, 8, 18, 19, 20, 27, 28, 31];

/// A program in pieces, so that it can be cut.
pub(crate) struct Program {
    isa: Isa,
    random: Random,
    /// Assembly, an instruction and its digest each.
    pieces: Vec<String>,
    /// The mnemonics of the table in it.
    pub(crate) occurring: BTreeSet<&'static str>,
}

/// Why user mode cannot judge an instruction.
pub(crate) fn excluded(isa: Isa, instruction: &Instruction) -> Option<&'static str> {
    let float = format!("{:?}", instruction.format).starts_with("Float");
    match (isa, instruction.mnemonic) {
        (_, "mret" | "mnret" | "wfi") => Some("machine mode"),
        (_, "cease" | "cflush.d.l1" | "cdiscard.d.l1") => Some("SiFive's own"),
        (_, "ebreak") => Some("ends the program"),
        (Isa::Rv32, "csrrw" | "csrrwi") => Some("writes a register: user mode has none that a baby core has"),
        (Isa::Rv32, _) if float => Some("the baby cores' floating point is not IEEE's (tensix.md §2)"),
        _ => None,
    }
}

impl Program {
    /// `length` instructions, and each of the table as one of the first, when there are so many.
    pub(crate) fn new(isa: Isa, seed: u64, length: usize) -> Self {
        let table: Vec<Instruction> = instructions(isa).filter(|row| excluded(isa, row).is_none()).collect();
        let mut program =
            Self { isa, random: Random::new(seed), pieces: Vec::new(), occurring: BTreeSet::new() };
        for number in 0..length {
            if isa == Isa::Rv64 && program.random.one_in(16) {
                program.compressed();
                continue;
            }
            let row = match table.get(number) {
                Some(row) => *row,
                None => program.random.of(&table),
            };
            program.occurring.insert(row.mnemonic);
            let piece = program.piece(&row);
            program.pieces.push(piece);
        }
        program
    }

    pub(crate) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// The assembly of a piece, with the instructions that are numbers there by name.
    pub(crate) fn text(&self, piece: usize) -> String {
        let name = |line: &str| {
            let number =
                line.strip_prefix(".4byte 0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
            number.map_or(String::new(), |word| format!("    {}", disassemble(self.isa, word, 0)))
        };
        self.pieces[piece].lines().map(|line| format!("{line}{}\n", name(line))).collect()
    }

    /// The whole program with the first `length` pieces, `iterations` times. `pool` is included from the file `pool`.
    pub(crate) fn source(&self, length: usize, iterations: u64) -> String {
        let (load, store, width) = self.widths();
        let wide = self.isa == Isa::Rv64;
        let floats = if wide { 32 } else { 0 };
        let mut text = format!(
            ".text\n.globl _start\n_start:\nla x8, scratch\nmv sp, x8\nli x19, 0\nli x20, {iterations}\nli x27, 1\n\
             li x28, 0x9e3779b1\n"
        );
        let wrap = if wide { 48 } else { 16 };
        writeln!(
            text,
            "again: slli x31, x19, {wrap}\nsrli x31, x31, {wrap}\nla x18, pool\nadd x18, x18, x31"
        )
        .unwrap();
        for register in operands() {
            writeln!(text, "{load} x{register}, {}(x18)", 32 * register + 24).unwrap();
        }
        for register in 0..floats {
            let (load, at) = [("fld", 0), ("flw", 8), ("flh", 16)][home(register)];
            writeln!(text, "{load} f{register}, {}(x18)", 32 * register + at).unwrap();
        }
        text.extend(self.pieces[..length].iter().map(String::as_str));
        text.push_str("addi x19, x19, 544\naddi x20, x20, -1\nbeqz x20, 1f\nj again\n1: la x31, result\n");
        for register in operands().chain([20, 27]) {
            writeln!(text, "{store} x{register}, {}(x31)", register * width).unwrap();
        }
        for register in 0..floats {
            writeln!(text, "fsd f{register}, {}(x31)", 256 + 8 * register).unwrap();
        }
        let bytes = self.result_bytes();
        // write, then exit
        writeln!(
            text,
            "li a0, 1\nla a1, scratch\nli a2, {bytes}\nli a7, 64\necall\nli a0, 0\nli a7, 93\necall"
        )
        .unwrap();
        writeln!(text, ".data\nscratch: .zero {SCRATCH}\nresult: .zero {}", bytes - SCRATCH as usize)
            .unwrap();
        text.push_str(".balign 4096\npool: .incbin \"pool\"\n");
        text
    }

    /// Bytes of the scratch memory and the registers behind it.
    pub(crate) fn result_bytes(&self) -> usize {
        let (_, _, width) = self.widths();
        let floats = if self.isa == Isa::Rv64 { 256 } else { 0 };
        (SCRATCH + 32 * width + floats) as usize
    }

    fn widths(&self) -> (&'static str, &'static str, u32) {
        match self.isa {
            Isa::Rv32 => ("lw", "sw", 4),
            Isa::Rv64 => ("ld", "sd", 8),
        }
    }

    fn register(&mut self) -> u32 {
        let all: Vec<u32> = operands().chain([0]).collect();
        self.random.of(&all)
    }

    /// A register that most likely holds a value of the precision (0 double, 1 single, 2 half).
    fn float(&mut self, precision: usize) -> u32 {
        if self.random.one_in(16) {
            return self.random.below(32);
        }
        let all: Vec<u32> = (0..32).filter(|register| home(*register) == precision).collect();
        self.random.of(&all)
    }

    /// An aligned place: its base and its offset, in the scratch memory or in the pool.
    fn place(&mut self, width: u32, part: u32, pool: bool) -> (u32, u32) {
        if !pool {
            return (8, self.random.below(SCRATCH / width) * width);
        }
        if self.random.one_in(8) {
            return (18, self.random.below(REACH / width) * width);
        }
        (18, self.random.below(REACH / 32) * 32 + part + self.random.below(8 / width) * width)
    }

    fn piece(&mut self, row: &Instruction) -> String {
        let (rd, rs1, rs2) = (self.register(), self.register(), self.register());
        let mode = self.random.of(&[0, 1, 2, 3, 4, 7, 7, 7]);
        let imm = self.random.below(4096);
        let plain = Operands { rd, rs1, rs2, rs3: 0, imm, mode };
        let width = 1 << (row.bits >> 12 & 3);
        // Of the formats of OP-FP and the fused ones.
        let precision = [1, 0, 2, 0][(row.bits >> 25 & 3) as usize];
        let (fd, fs1, fs2, fs3) =
            (self.float(precision), self.float(precision), self.float(precision), self.float(precision));
        let float = Operands { rd: fd, rs1: fs1, rs2: fs2, rs3: fs3, mode, imm };
        let word = |operands: Operands| format!(".4byte {:#010x}\n", encode(row, operands));
        let skipped = format!(".option push\n.option norvc\naddi x{rs2}, x{rs2}, 1\n.option pop\n");
        match row.format {
            // With x0 it is the wait HINT.
            Format::Register if row.mnemonic == "add" => {
                let rd = rd.max(1);
                word(Operands { rd, ..plain }) + &digest(rd)
            }
            // QEMU before 8.0 looks at all 64 bits of its operand.
            Format::Unary if row.mnemonic == "ctzw" => {
                let bit = self.random.below(31);
                format!("li x31, {}\nor x31, x31, x{rs1}\n", 1 << bit)
                    + &word(Operands { rs1: 31, ..plain })
                    + &digest(rd)
            }
            Format::Register | Format::Unary | Format::Immediate => word(plain) + &digest(rd),
            Format::Shift | Format::ShiftWord => {
                let short = self.isa == Isa::Rv32 || row.format == Format::ShiftWord;
                word(Operands { imm: imm % if short { 32 } else { 64 }, ..plain }) + &digest(rd)
            }
            Format::Load => {
                let pool = self.random.one_in(2);
                let (rs1, imm) = self.place(width, 24, pool);
                word(Operands { rs1, imm, ..plain }) + &digest(rd)
            }
            Format::Store => {
                let (rs1, imm) = self.place(width, 0, false);
                word(Operands { rs1, imm, ..plain })
            }
            Format::Branch => word(Operands { imm: 8, ..plain }) + &skipped + &digest(rs2),
            Format::Jump => word(Operands { imm: 8, ..plain }) + &skipped + &digest(rd),
            Format::JumpRegister => {
                ".option push\n.option norvc\nauipc x31, 0\n.option pop\n".to_owned()
                    + &word(Operands { rs1: 31, imm: 12, ..plain })
                    + &skipped
                    + &digest(rd)
            }
            Format::Upper => word(Operands { imm: imm << 8 | rs1, ..plain }) + &digest(rd),
            Format::Atomic | Format::Reserve => self.atomic(row, plain),
            Format::Csr | Format::CsrImmediate => self.control(row, plain),
            Format::Fence | Format::Plain => word(plain),
            // The program ends with two.
            Format::Exact | Format::CacheLine => String::new(),
            Format::FloatLoad => {
                let (precision, part) = [(2, 16), (1, 8), (0, 0)][(row.bits >> 12 & 3) as usize - 1];
                let pool = !self.random.one_in(8);
                let (rs1, imm) = self.place(width, part, pool);
                let rd = self.float(precision);
                word(Operands { rd, rs1, imm, ..plain }) + &self.float_digest(rd)
            }
            Format::FloatStore => {
                let rs2 = self.float([2, 1, 0][(row.bits >> 12 & 3) as usize - 1]);
                let (rs1, imm) = self.place(width, 0, false);
                word(Operands { rs1, rs2, imm, ..plain })
            }
            Format::FloatUnary => {
                // A conversion's source is of the precision that its rs2 field says.
                let source = match row.bits >> 27 {
                    0x08 => [1, 0, 2, 0][(row.bits >> 20 & 3) as usize],
                    _ => precision,
                };
                let rs1 = self.float(source);
                word(Operands { rs1, ..float }) + &self.float_digest(fd)
            }
            Format::FloatRounded | Format::FloatRegister | Format::FloatFused => {
                word(float) + &self.float_digest(fd)
            }
            Format::FloatFromInteger | Format::FloatFromBits => {
                word(Operands { rs1, ..float }) + &self.float_digest(fd)
            }
            Format::FloatCompare | Format::FloatToInteger | Format::FloatToBits => {
                word(Operands { rd, ..float }) + &digest(rd) + &self.flags()
            }
        }
    }

    fn atomic(&mut self, row: &Instruction, plain: Operands) -> String {
        let width = if row.bits >> 12 & 1 == 1 { 8 } else { 4 };
        let letter = if width == 8 { 'd' } else { 'w' };
        let order = self.random.below(4) << 25;
        let word = format!(".4byte {:#010x}\n", order | encode(row, Operands { rs1: 31, ..plain }));
        let place = format!("addi x31, x8, {}\n", self.random.below(SCRATCH / width) * width);
        let result = digest(plain.rd);
        match row.mnemonic {
            "lr.w" | "lr.d" => {
                // No reservation is left behind.
                format!("{place}{word}{result}sc.{letter} x31, x{}, (x31)\n{}", plain.rs2, digest(31))
            }
            "sc.w" | "sc.d" if self.random.one_in(4) => format!("{place}{word}{result}"),
            "sc.w" | "sc.d" => {
                let between = match self.random.below(3) {
                    0 => "amoxor.w x0, x28, (x31)\n",
                    _ => "",
                };
                format!("{place}lr.{letter} x0, (x31)\n{between}{word}{result}")
            }
            _ => format!("{place}{word}{result}"),
        }
    }

    /// Control registers of floating point, which get no reserved rounding mode.
    fn control(&mut self, row: &Instruction, plain: Operands) -> String {
        const CYCLE: u32 = 0xc00;
        let word = |operands: Operands| format!(".4byte {:#010x}\n", encode(row, operands));
        if self.isa == Isa::Rv32 {
            return word(Operands { rd: 31, rs1: 0, imm: CYCLE, ..plain });
        }
        let (fflags, frm, fcsr) = (1, 2, 3);
        let (imm, mask, most) = match row.mnemonic {
            "csrrs" | "csrrsi" => (fflags, 0x1f, 31),
            "csrrc" | "csrrci" => (self.random.of(&[fflags, frm, fcsr]), 0xff, 31),
            _ => self.random.of(&[(fflags, 0x1f, 31), (frm, 3, 4), (fcsr, 0x7f, 31)]),
        };
        let operands = match row.format {
            Format::CsrImmediate => Operands { rs1: self.random.below(most + 1), imm, ..plain },
            _ if plain.rs1 == 0 => Operands { imm, ..plain },
            _ => Operands { rs1: 31, imm, ..plain },
        };
        format!("andi x31, x{}, {mask}\n", plain.rs1) + &word(operands) + &digest(plain.rd)
    }

    fn flags(&mut self) -> String {
        let read = if self.random.one_in(8) { "csrr x31, fflags" } else { "csrrw x31, fflags, x0" };
        format!("{read}\nadd x27, x27, x31\n")
    }

    fn float_digest(&mut self, register: u32) -> String {
        format!("fmv.x.d x31, f{register}\n{}{}", digest(31), self.flags())
    }

    /// A two-byte instruction.
    fn compressed(&mut self) {
        let (long, other) = (self.random.of(&[1, 5, 17, 23, 30]), self.random.of(&[3, 6, 21, 29]));
        let (short, second) = (self.random.of(&[9, 11, 13, 15]), self.random.of(&[10, 12, 14]));
        let float = self.random.below(8) + 8;
        let imm = self.random.below(31) as i32 + 1;
        let signed = if self.random.one_in(2) { imm } else { -imm };
        let (word, double) = (self.random.below(32) * 4, self.random.below(31) * 8);
        let (mnemonic, operands, result) = self.random.of(&[
            ("addi", "L, S", Some("L")),
            ("addiw", "L, S", Some("L")),
            ("li", "L, S", Some("L")),
            ("lui", "L, I", Some("L")),
            ("slli", "L, I", Some("L")),
            ("srli", "P, I", Some("P")),
            ("srai", "P, I", Some("P")),
            ("andi", "P, S", Some("P")),
            ("sub", "P, Q", Some("P")),
            ("xor", "P, Q", Some("P")),
            ("or", "P, Q", Some("P")),
            ("and", "P, Q", Some("P")),
            ("subw", "P, Q", Some("P")),
            ("addw", "P, Q", Some("P")),
            ("mv", "L, M", Some("L")),
            ("add", "L, M", Some("L")),
            ("lw", "P, W(x8)", Some("P")),
            ("ld", "P, D(x8)", Some("P")),
            ("sw", "P, W(x8)", None),
            ("sd", "P, D(x8)", None),
            ("fld", "F, D(x8)", None),
            ("fsd", "F, D(x8)", None),
            ("lwsp", "L, W(sp)", Some("L")),
            ("ldsp", "L, D(sp)", Some("L")),
            ("swsp", "L, W(sp)", None),
            ("sdsp", "L, D(sp)", None),
            ("fldsp", "F, D(sp)", None),
            ("fsdsp", "F, D(sp)", None),
            ("addi4spn", "P, sp, 16", Some("P")),
            ("beqz", "P, . + 4\nc.addi L, S", Some("L")),
            ("bnez", "P, . + 4\nc.addi L, S", Some("L")),
            ("j", ". + 4\nc.addi L, S", Some("L")),
        ]);
        let named = |text: &str| {
            [("L", long), ("M", other), ("P", short), ("Q", second)]
                .into_iter()
                .fold(text.to_owned(), |text, (name, number)| text.replace(name, &format!("x{number}")))
        };
        let text = named(operands)
            .replace('F', &format!("f{float}"))
            .replace('S', &signed.to_string())
            .replace('I', &imm.to_string())
            .replace('W', &word.to_string())
            .replace('D', &double.to_string());
        let result = result.map_or(String::new(), |register| {
            format!("mul x27, x27, x28\nadd x27, x27, {}\n", named(register))
        });
        self.pieces.push(format!("c.{mnemonic} {text}\n{result}"));
    }
}

/// The precision that a register is loaded with: 0 double, 1 single, 2 half.
fn home(register: u32) -> usize {
    (register % 3) as usize
}

/// The registers that are operands, but x0.
fn operands() -> impl Iterator<Item = u32> {
    (1..32).filter(|register| !RESERVED.contains(register))
}

fn digest(register: u32) -> String {
    format!("mul x27, x27, x28\nadd x27, x27, x{register}\n")
}
