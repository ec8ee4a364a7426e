//! The decoder and the disassembler against the GNU tools: the same words must read the same.
//!
//! Here every row and every two-byte instruction; in `words.rs` megabytes of random words.

mod words;

use std::collections::HashMap;
use std::process::Command;

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng};

use crate::hart::compressed;
use crate::hart::disasm::disassemble;
use crate::hart::float_op::FloatOp;
use crate::hart::format::Format;
use crate::hart::isa::Isa;
use crate::hart::table::{ROWS, Row};

/// What the X280's instructions are to the assembler.
const ARCH: &str = "rv64imafdc_zicsr_zifencei_zfh_zba_zbb";
/// What objdump does not know.
const SIFIVE: [&str; 4] = ["mnret", "cease", "cflush.d.l1", "cdiscard.d.l1"];
/// Where the judged words lie.
const BASE: u64 = 0x1000_0000;

fn random(seed: u8) -> TestRng {
    TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32])
}

/// objdump's text of each place, for instructions assembled as numbers.
fn objdump(instructions: impl Iterator<Item = String>, arch: &str, options: &str) -> HashMap<u64, String> {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("words.s");
    let object = folder.path().join("words.o");
    let text: String = instructions.map(|instruction| format!("\t.insn {instruction}\n")).collect();
    std::fs::write(&source, text).unwrap();
    let abi = if arch.starts_with("rv32") { "-mabi=ilp32" } else { "-mabi=lp64" };
    let mut assemble = Command::new("riscv64-unknown-elf-as");
    assemble.arg(format!("-march={arch}")).args([abi, "-mno-relax", "-o"]).args([&object, &source]);
    run(&mut assemble);
    let mut dump = Command::new("riscv64-unknown-elf-objdump");
    dump.args(["-d", "-M", options, "--no-show-raw-insn"])
        .arg(format!("--adjust-vma={BASE:#x}"))
        .arg(&object);
    run(&mut dump)
        .lines()
        .filter_map(|line| line.split_once(":\t"))
        .filter_map(|(address, text)| Some((u64::from_str_radix(address.trim(), 16).ok()?, normal(text))))
        .collect()
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("binutils-riscv64-unknown-elf (Debian) judges the disassembler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Numbers and blanks in one spelling: objdump writes branch targets with and without `0x`.
fn normal(text: &str) -> String {
    let text = text.split(['#', '<']).next().unwrap_or(text);
    text.trim().replace('\t', " ").replace("0x", "")
}

/// A word of the row with random operands that the assembler would accept.
fn example(row: &Row, isa: Isa, rng: &mut TestRng) -> u32 {
    let mut operands = rng.next_u32();
    match row.format {
        // Targets of rv32 are multiples of 4.
        Format::Branch => operands &= !0x100,
        Format::Jump => operands &= !0x20_0000,
        // A number that has no name in objdump: of the custom range.
        Format::Csr | Format::CsrImmediate => operands = operands & 0x000f_ffff | 0x8c0 << 20,
        // Fence modes and the rest: not printed.
        Format::Fence => operands &= 0x0ff0_0000,
        Format::Plain => operands = 0,
        // objdump before 2.42 knows a conversion that never rounds by its mode 0 alone.
        _ if row.code.float().is_some_and(FloatOp::is_exact) => operands &= !0x7000,
        _ => {}
    }
    row.bits | operands & !row.format.mask(isa)
}

fn check_words(isa: Isa, arch: &str) {
    let mut rng = random(1);
    let rows: Vec<&Row> = ROWS
        .iter()
        .filter(|row| row.is_of(isa))
        // objdump 2.40 knows two by another name, and SiFive's own not at all.
        .filter(|row| !SIFIVE.contains(&row.mnemonic) && !["pack", "brev8"].contains(&row.mnemonic))
        .collect();
    let words: Vec<u32> =
        (0..8).flat_map(|_| rows.iter().map(|row| example(row, isa, &mut rng)).collect::<Vec<_>>()).collect();
    let theirs = objdump(words.iter().map(|word| format!("{word:#010x}")), arch, "no-aliases");
    let mut wrong = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let pc = BASE + 4 * index as u64;
        let ours = normal(&disassemble(isa, *word, pc));
        match theirs.get(&pc) {
            Some(text) if *text == ours => {}
            other => wrong.push(format!("{word:08x}: ours {ours:?}, objdump's {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), words.len(), wrong.join("\n"));
}

#[test]
fn every_rv32_instruction_reads_as_objdump_reads_it() {
    check_words(Isa::Rv32, "rv32imaf_zicsr_zifencei_zba_zbb");
}

#[test]
fn every_rv64_instruction_reads_as_objdump_reads_it() {
    check_words(Isa::Rv64, ARCH);
}

/// With pseudo-instructions on both sides, a short instruction reads as the long one it stands for.
#[test]
fn every_compressed_instruction_reads_as_what_it_expands_to() {
    let halves: Vec<(u16, u32)> = (0..=u16::MAX)
        .filter(|half| half & 3 != 3)
        .filter_map(|half| Some((half, compressed::expand(half)?)))
        // Those that do nothing (x0, or a shift by 0) are hints and have no long spelling.
        .filter(|(half, word)| {
            let shifts_by_0 = word & 0x3f00_307f == 0x1013;
            half & 3 == 0 || !(shifts_by_0 || matches!(word & 0xfff, 0x013 | 0x033 | 0x037))
        })
        .collect();
    // A short and its long form at the same distance from their targets: each in a file of its own.
    let short = objdump(halves.iter().map(|(half, _)| format!("{half:#06x}; c.nop")), ARCH, "numeric");
    let long = objdump(halves.iter().map(|(_, word)| format!("{word:#010x}")), ARCH, "numeric");
    let mut wrong = Vec::new();
    for (index, (half, word)) in halves.iter().enumerate() {
        let place = BASE + 4 * index as u64;
        let (a, b) = (&short[&place], &long[&place]);
        if canonical(a) != canonical(b) {
            wrong.push(format!("{half:04x} -> {word:08x}: {a:?}, {b:?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        halves.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
    // What we refuse, objdump refuses, or it is reserved for its immediate of 0.
    let refused: Vec<u16> =
        (0..=u16::MAX).filter(|half| half & 3 != 3 && compressed::expand(*half).is_none()).collect();
    let texts = objdump(refused.iter().map(|half| format!("{half:#06x}")), ARCH, "no-aliases");
    for (index, half) in refused.iter().enumerate() {
        let text = &texts[&(BASE + 2 * index as u64)];
        let refused = text.starts_with(".2byte") || text.contains("unimp");
        assert!(refused || text.ends_with(",0"), "{half:04x}: objdump's {text:?}");
    }
}

/// The spellings of the same operation that the two lengths have.
fn canonical(text: &str) -> String {
    let text = text.replace(",zero,", ",x0,");
    let parts: Vec<&str> = text.split([' ', ',']).collect();
    match parts.as_slice() {
        ["add", rd, "x0", rs] => format!("mv {rd},{rs}"),
        ["add", rd, rs, "0"] => format!("mv {rd},{rs}"),
        _ => text,
    }
}
