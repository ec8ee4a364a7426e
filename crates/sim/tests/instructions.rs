//! The page of the instructions comes from their table. `BLESS=1 cargo test -p komorebi-sim --test instructions` writes it.

use std::fmt::Write as _;

use komorebi_sim::hart::{Instruction, Isa, instructions};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/instructions.md");

const INTRODUCTION: &str = "# Instructions of the simulated harts

Written by a test from the table of `crates/sim/src/hart/table.rs`, from which decoder, disassembler and executor come, too. Every four-byte
instruction, the bits that it fixes (a baby core fixes one more of shifts by a number), and whether the baby cores of a Tensix tile and the X280 have it. An instruction that is not here is a fault
on a baby core (KF0102) and a trap of cause 2 on the X280.

The X280 also has the two-byte instructions of RV64C with D, each of which stands for one of these. On a baby core a word whose low bits are not
`11` is one of the coprocessor (KF0105). `add x0, rs1, rs2` with rs1 not x0 is the wait HINT of this project's loops.

| instruction | operands | bits | of | baby cores | X280 |
|---|---|---|---|---|---|
";

fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    let baby: Vec<Instruction> = instructions(Isa::Rv32).collect();
    let x280: Vec<Instruction> = instructions(Isa::Rv64).collect();
    let same = |a: &Instruction, b: &Instruction| (a.mnemonic, a.bits) == (b.mnemonic, b.bits);
    let mark = |there: bool| if there { "yes" } else { "" };
    let more = baby.iter().filter(|row| !x280.iter().any(|other| same(row, other)));
    for row in x280.iter().chain(more) {
        let has = |all: &[Instruction]| mark(all.iter().any(|other| same(row, other)));
        let operands = row.format.operands();
        let Instruction { mnemonic, mask, bits, .. } = row;
        let (baby, x280) = (has(&baby), has(&x280));
        writeln!(page, "| `{mnemonic}` | {operands} | `{bits:08x}` | `{mask:08x}` | {baby} | {x280} |")
            .unwrap();
    }
    page
}

#[test]
fn the_page_of_the_instructions_is_what_the_table_says() {
    let page = page();
    if std::env::var_os("BLESS").is_some_and(|value| value == "1") {
        std::fs::write(PAGE, &page).expect("the page is written");
    }
    let found = std::fs::read_to_string(PAGE).expect("the page is there");
    assert!(found == page, "`BLESS=1 cargo test -p komorebi-sim --test instructions` writes {PAGE}");
}
