//! Random instruction sequences leave the same registers and memory as under QEMU's user mode, of every instruction that
//! user mode can run.
//!
//! `KM_JUDGED` is how many instructions are executed for each instruction set, 10 million unless it is set.

mod encode;
#[path = "../hart_support/mod.rs"]
mod hart_support;
mod program;
mod qemu;
mod values;

use std::collections::BTreeSet;

use komorebi_sim::hart::{Isa, Rv32, Rv64, Xlen, instructions};

use program::{Program, RECORDS, excluded};
use qemu::Built;
use values::Random;

/// Instructions to execute unless told otherwise.
const CI: u64 = 10_000_000;
/// Instructions of a program's loop, with their digests left out.
const LENGTH: usize = 800;

fn differs<X: Xlen>(program: &Program, pool: &[u8], length: usize, iterations: u64) -> (bool, u64) {
    let source = program.source(length, iterations);
    let built = Built::new(X::ISA, &source, pool, program.result_bytes());
    let (ours, instructions) = built.on_hart::<X>();
    (ours != built.under_qemu(X::ISA), instructions)
}

/// The least number of `1..=most` of which `holds`, which holds of `most`, taking it to hold of all above one.
fn least(most: u64, mut holds: impl FnMut(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, most);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle }
    }
    high
}

fn judge<X: Xlen>() {
    let target = std::env::var("KM_JUDGED").map_or(CI, |count| count.parse().expect("KM_JUDGED is a number"));
    let iterations = (target / 100_000).clamp(50, 1000);
    let (mut executed, mut seed, mut occurring) = (0, 0, BTreeSet::new());
    while executed < target {
        let program = Program::new(X::ISA, seed, LENGTH);
        let pool = Random::new(!seed).pool(RECORDS);
        let (different, instructions) = differs::<X>(&program, &pool, program.len(), iterations);
        if different {
            let iterations = least(iterations, |count| differs::<X>(&program, &pool, program.len(), count).0);
            let length = least(program.len() as u64, |length| {
                differs::<X>(&program, &pool, length as usize, iterations).0
            });
            let piece = program.text(length as usize - 1);
            panic!("seed {seed}: another result than QEMU's in iteration {iterations}, after\n{piece}");
        }
        occurring.extend(program.occurring);
        (executed, seed) = (executed + instructions, seed + 1);
    }
    let missing: Vec<&str> = instructions(X::ISA)
        .filter(|row| excluded(X::ISA, row).is_none() && !occurring.contains(row.mnemonic))
        .map(|row| row.mnemonic)
        .collect();
    assert!(missing.is_empty(), "not judged: {missing:?}");
    println!("{:?}: {executed} instructions in {seed} programs", X::ISA);
}

#[test]
fn random_rv32_sequences_end_as_under_qemu() {
    judge::<Rv32>();
}

#[test]
fn random_rv64_sequences_end_as_under_qemu() {
    judge::<Rv64>();
}

#[test]
fn what_user_mode_cannot_judge_is_known_by_name() {
    let names = |isa| -> Vec<&str> {
        instructions(isa).filter(|row| excluded(isa, row).is_some()).map(|row| row.mnemonic).collect()
    };
    assert_eq!(names(Isa::Rv64), ["ebreak", "mret", "mnret", "wfi", "cease", "cflush.d.l1", "cdiscard.d.l1"]);
    let names = names(Isa::Rv32);
    let (others, floats) = names.split_at(3);
    assert_eq!(others, ["ebreak", "csrrw", "csrrwi"]);
    assert_eq!(
        floats.join(" "),
        "flw fsw fadd.s fsub.s fmul.s fmadd.s fmsub.s fnmsub.s fnmadd.s fsgnj.s fsgnjn.s fsgnjx.s fmin.s fmax.s \
         fle.s flt.s feq.s fcvt.w.s fcvt.wu.s fcvt.s.w fcvt.s.wu fmv.x.w fclass.s fmv.w.x"
    );
}
