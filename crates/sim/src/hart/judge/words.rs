//! Megabytes of random words: each reads as objdump reads it, or the reason for the difference has a name.

use std::process::Command;

use proptest::prelude::*;

use super::{normal, random, run};
use crate::hart::disasm::disassemble;
use crate::hart::float_op::FloatOp;
use crate::hart::isa::Isa;
use crate::hart::table::{ROWS, Row, find};

/// Words for each instruction set: 4 MiB.
const WORDS: usize = 1 << 20;

/// Words of four-byte instructions: half of them anything, half of the table with now and then a bit changed.
fn words(isa: Isa, seed: u8) -> Vec<u32> {
    let rows: Vec<&Row> = ROWS.iter().filter(|row| row.is_of(isa)).collect();
    let mut rng = random(seed);
    let mut word = |number: usize| {
        let any = rng.next_u32();
        let row = rows[rng.next_u32() as usize % rows.len()];
        let of_row = any & !row.format.mask(isa) | row.bits;
        let word = match (number % 2, rng.next_u32() % 4) {
            (0, _) => any,
            (_, 0) => of_row ^ 1 << (rng.next_u32() % 32),
            _ => of_row,
        };
        // Longer instructions end in 0b11111, shorter ones not in 0b11.
        let longer = word >> 2 & 7 == 7;
        word & !(u32::from(longer) << 2) | 3
    };
    (0..WORDS).map(&mut word).collect()
}

/// objdump's text of each word, from address 0 on.
fn objdump(words: &[u32], arch: &str, abi: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let tool = |name: &str| {
        let mut command = Command::new(format!("riscv64-unknown-elf-{name}"));
        command.current_dir(folder.path());
        command
    };
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(folder.path().join("words"), bytes).unwrap();
    std::fs::write(folder.path().join("words.s"), ".text\n.incbin \"words\"\n").unwrap();
    run(tool("as").args([&format!("-march={arch}"), &format!("-mabi={abi}"), "words.s", "-o", "words.o"]));
    // The assembler's mark says that it is data.
    run(tool("objcopy").args(["--strip-symbol=$d", "words.o"]));
    let text = run(tool("objdump").args(["-d", "-z", "-M", "no-aliases", "--no-show-raw-insn", "words.o"]));
    let lines = text.lines().filter_map(|line| line.split_once(":\t"));
    lines.map(|(_, text)| normal(text)).collect()
}

/// Why the texts of a word differ.
fn explained(isa: Isa, word: u32, ours: &str, theirs: &str) -> Option<&'static str> {
    let row = find(isa, word);
    let refused = theirs.starts_with(".4byte");
    let csr = ours.starts_with("csrr").then(|| ours.rsplit_once(',')).flatten();
    match row {
        None => lacked(isa, theirs.split(' ').next()?),
        Some(row) if super::SIFIVE.contains(&row.mnemonic) => {
            Some("objdump does not know what is SiFive's own")
        }
        Some(row) if row.mnemonic == "fence" && (refused || theirs.starts_with("fence")) => {
            Some("a fence is one whatever its reserved fields are")
        }
        Some(row) if row.mnemonic == "fence.i" && refused => Some("reserved fields of fence.i are ignored"),
        Some(row) if refused && row.code.float().is_some_and(FloatOp::is_exact) => {
            Some("objdump before 2.42 knows an exact conversion by its mode 0 alone")
        }
        Some(_) if csr.is_some() => {
            let (front, source) = csr?;
            let register = front.rsplit_once(',')?.0;
            (theirs.starts_with(&format!("{register},")) && theirs.ends_with(&format!(",{source}")))
                .then_some("objdump names control registers")
        }
        _ => None,
    }
}

/// What objdump knows of the assembler's instruction set and a core lacks.
fn lacked(isa: Isa, mnemonic: &str) -> Option<&'static str> {
    let is_conditional = ["lr.w", "sc.w"].iter().any(|name| mnemonic.starts_with(name));
    match (isa, mnemonic) {
        (_, "uret" | "sret" | "hret" | "mret" | "wfi" | "sfence.vm" | "sfence.vma") => {
            Some("no modes but machine mode, and none on a baby core")
        }
        (Isa::Rv32, "fdiv.s" | "fsqrt.s") => Some("the baby cores do not divide (tensix.md §2)"),
        (Isa::Rv32, "packh" | "zip" | "unzip") => Some("the baby cores have three instructions of Zbkb"),
        (Isa::Rv32, "slli" | "srli" | "srai" | "rori") => Some("objdump lets rv32 shift by 32 and more"),
        (Isa::Rv32, _) if is_conditional => Some("the baby cores have no reservations (tensix.md §2)"),
        _ => None,
    }
}

fn check(isa: Isa, arch: &str, abi: &str) {
    let words = words(isa, 7);
    let theirs = objdump(&words, arch, abi);
    assert_eq!(theirs.len(), words.len());
    let mut unexplained = Vec::new();
    for (number, (word, theirs)) in words.iter().zip(&theirs).enumerate() {
        let ours = normal(&disassemble(isa, *word, 4 * number as u64));
        let unknown = [&ours, theirs].iter().all(|text| text.starts_with(".4byte"));
        if unknown || ours == *theirs {
            continue;
        }
        if explained(isa, *word, &ours, theirs).is_none() {
            unexplained.push(format!("{word:08x}: ours {ours:?}, objdump's {theirs:?}"));
        }
    }
    let shown = &unexplained[..unexplained.len().min(40)];
    assert!(unexplained.is_empty(), "{} of {WORDS} differ:\n{}", unexplained.len(), shown.join("\n"));
}

#[test]
fn random_rv32_words_read_as_objdump_reads_them() {
    check(Isa::Rv32, "rv32imaf_zicsr_zifencei_zba_zbb_zbkb", "ilp32");
}

#[test]
fn random_rv64_words_read_as_objdump_reads_them() {
    check(Isa::Rv64, super::ARCH, "lp64d");
}
