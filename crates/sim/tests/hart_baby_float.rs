//! The baby cores' floating point, executed by a hart: results are ttsim's (tests/data/README.md), time is tensix.md's.

mod hart_support;

use hart_support::{CYCLE, EXIT, World, compile, hart, run_to_exit};
use komorebi_card::Rule;
use komorebi_sim::hart::{Hart, Isa, Rv32, Stop};
use komorebi_sim::time::NEVER;

/// Where the operands of the vectors lie, and the results of the first instruction; those of the others follow.
const OPERANDS: u64 = 0x1_0000;
const RESULTS: u64 = 0x3_0000;

/// An instruction and what ttsim made of every triple of operands.
struct Section {
    word: u32,
    /// 0: f10 has the result, 1: x10, 2: it stores it.
    to: u32,
    results: Vec<u32>,
}

/// Instructions and triples of operands that were recorded (tests/data/README.md).
const RECORDED: (usize, usize) = (24, 6144);

/// The file of the vectors: the operands, as they lie in memory, and the sections.
fn vectors() -> (Vec<u32>, Vec<Section>) {
    let words: Vec<u32> = include_bytes!("data/ttsim_float.bin")
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect();
    let [triples, count, rest @ ..] = words.as_slice() else { panic!("the file has a head") };
    assert_eq!((*count as usize, *triples as usize), RECORDED);
    let (operands, rest) = rest.split_at(3 * RECORDED.1);
    let sections = rest.chunks_exact(2 + RECORDED.1);
    assert!(sections.remainder().is_empty(), "the last section is not whole");
    let sections: Vec<Section> = sections
        .map(|section| Section { word: section[0], to: section[1], results: section[2..].to_vec() })
        .collect();
    assert_eq!(sections.len(), RECORDED.0);
    (operands.to_vec(), sections)
}

fn world(body: &str) -> World {
    let source = format!(
        ".attribute arch, \"rv32imf\"\n.section .start,\"ax\"\nli t0, {EXIT:#x}\n{body}\nsw zero, 0(t0)\n"
    );
    World::new(Isa::Rv32, &compile(Isa::Rv32, "s", &source, "-O2"))
}

fn run(body: &str) -> Hart<Rv32> {
    let mut hart = hart::<Rv32>(true);
    run_to_exit(&mut hart, &mut world(body));
    hart
}

/// The loop over the operands with the section's instruction in it, as it was recorded.
fn repeat(section: &Section, results: u64) -> String {
    let store = ["fsw f10, 0(x13)", "sw x10, 0(x13)", ""][section.to as usize];
    format!(
        "li x12, {OPERANDS}\nli x13, {results}\nli x14, {}
         1: flw f11, 0(x12)\nflw f12, 4(x12)\nflw f13, 8(x12)\nlw x11, 0(x12)
         .word {:#x}\n{store}
         addi x12, x12, 12\naddi x13, x13, 4\naddi x14, x14, -1\nbnez x14, 1b\n",
        section.results.len(),
        section.word
    )
}

#[test]
fn every_instruction_gives_what_ttsim_gives() {
    let (operands, sections) = vectors();
    let places = |section: &Section| 4 * section.results.len() as u64;
    let starts: Vec<u64> = sections
        .iter()
        .scan(RESULTS, |at, section| Some(std::mem::replace(at, *at + places(section))))
        .collect();
    let loops: String = sections.iter().zip(&starts).map(|(section, at)| repeat(section, *at)).collect();
    let mut world = world(&loops);
    (OPERANDS..).step_by(4).zip(&operands).for_each(|(at, word)| world.set_word(at, *word));
    run_to_exit(&mut hart::<Rv32>(true), &mut world);

    let mut compared = 0;
    for (section, start) in sections.iter().zip(starts) {
        for (triple, (at, expected)) in operands.chunks(3).zip((start..).step_by(4).zip(&section.results)) {
            assert_eq!(world.word(at), *expected, "{:#010x} of {triple:#010x?}", section.word);
            compared += 1;
        }
    }
    assert_eq!(compared, RECORDED.0 * RECORDED.1);
}

#[test]
fn a_conversion_takes_the_mode_to_nearest_and_rounds_to_nearest_in_every_mode_it_takes() {
    // 2.5 and 3.5, ties; -1.5.
    let hart = run("li a1, 0x40200000\nfmv.w.x f1, a1\nli a1, 0x40600000\nfmv.w.x f2, a1\nli a1, 0xbfc00000\nfmv.w.x f3, a1
         fcvt.w.s a2, f1, rne\nfcvt.w.s a3, f2, dyn\nfcvt.w.s a4, f3, rne\nfcvt.wu.s a5, f3, rne
         li a6, 0x1000003\nfcvt.s.w f4, a6, rne\nfmv.x.w a6, f4");
    let registers = [12, 13, 14, 15, 16].map(|number| hart.register(number) as u32);
    assert_eq!(registers, [2, 4, -2_i32 as u32, 0, 0x4b80_0002]);
}

#[test]
fn a_mode_that_the_datapath_does_not_have_is_refused_by_name() {
    for body in [
        "fadd.s f1, f2, f3, rne",
        "fmadd.s f1, f2, f3, f4, rtz",
        "fcvt.w.s a0, f1, rtz",
        "fmul.s f1, f2, f3, rup",
    ] {
        match hart::<Rv32>(true).run(&mut world(body), NEVER) {
            Stop::Fault(fault) => assert_eq!(fault.rule, Rule::FloatRounding, "{body}: {fault:?}"),
            other => panic!("{body}: {other:?}"),
        }
    }
}

#[test]
fn what_waits_for_a_result_waits_two_cycles_and_what_does_not_one() {
    let cycles = |body: &str| run(body).time() / CYCLE;
    let next = cycles("fadd.s f1, f2, f3\nfadd.s f4, f5, f6\nfadd.s f7, f8, f9");
    let waits = cycles("fadd.s f1, f2, f3\nfadd.s f4, f1, f6\nfadd.s f7, f8, f4");
    assert_eq!(waits, next + 2);
}

#[test]
fn a_float_register_keeps_every_bit_of_what_is_loaded() {
    let hart =
        run("li a1, 0x40000\nli a2, 0x7f800001\nsw a2, 0(a1)\nflw f5, 0(a1)\nfsw f5, 4(a1)\nlw a3, 4(a1)");
    assert_eq!((hart.float_register(5), hart.register(13)), (0x7f80_0001, 0x7f80_0001));
}
