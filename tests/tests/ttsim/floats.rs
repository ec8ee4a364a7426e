//! The baby cores' floating point: what ttsim makes of operands, recorded as data, and compared with ours on many more.
//!
//! A core runs a loop with one instruction in it over triples of operands. The same loop runs here and there.

use std::path::Path;

use komorebi_card::{NocXy, Order, Power};
use komorebi_sim::Card;

use crate::child;
use crate::kernels_bench::Machine;
use crate::machine::Ttsim;
use crate::operands::{random_triples, triples};

pub(crate) const JOB: &str = "floats";

/// Where the vectors are, for the test that runs without ttsim.
const VECTORS: &str = "../crates/sim/tests/data/ttsim_float.bin";
/// Triples of the vectors.
const RECORDED: usize = 6144;
/// Triples of the comparison by hand.
const COMPARED: usize = 1 << 20;

/// The tile that does it, and where things are in its L1; code is at 0, where B starts.
const TILE: NocXy = NocXy::new(1, 2);
const LEFT: u64 = 0x8000;
const OPERANDS: u64 = 0x1_0000;
const RESULTS: u64 = 0x8_0000;
/// Triples at a time.
const CHUNK: usize = 0x8000;

/// SOFT_RESET_0, all five cores in it, and all but B (tensix.md §1).
const SOFT_RESET: u64 = 0xffb1_21b0;
const ALL_HELD: u32 = 0x4_7800;
const ALL_BUT_B: u32 = ALL_HELD & !(1 << 11);

/// Where an instruction leaves its result.
#[derive(Clone, Copy, PartialEq)]
enum To {
    /// f10
    Float,
    /// x10
    Integer,
    /// Memory at x13: a store.
    Stored,
}

/// An instruction with its registers: f10 or x10 from f11 or x11, f12, f13. A load has its address in x12, a store in x13.
struct Instruction {
    word: u32,
    to: To,
}

const REGISTERS: u32 = 10 << 7 | 11 << 15;
const F12: u32 = 12 << 20;
const F13: u32 = 13 << 27;
/// The rounding mode "dynamic", the only one that ttsim takes for arithmetic.
const DYNAMIC: u32 = 7 << 12;

const fn float(word: u32) -> Instruction {
    Instruction { word, to: To::Float }
}

/// funct7 of OP-FP.
const fn op(function: u32, rest: u32) -> u32 {
    0x53 | REGISTERS | function << 25 | rest
}

const fn integer(function: u32, rest: u32) -> Instruction {
    Instruction { word: op(function, rest), to: To::Integer }
}

/// All that the cores have (tensix.md §2).
const INSTRUCTIONS: [Instruction; 24] = [
    float(0x43 | REGISTERS | DYNAMIC | F12 | F13), // fmadd.s
    float(0x47 | REGISTERS | DYNAMIC | F12 | F13), // fmsub.s
    float(0x4b | REGISTERS | DYNAMIC | F12 | F13), // fnmsub.s
    float(0x4f | REGISTERS | DYNAMIC | F12 | F13), // fnmadd.s
    float(op(0x00, DYNAMIC | F12)),                // fadd.s
    float(op(0x04, DYNAMIC | F12)),                // fsub.s
    float(op(0x08, DYNAMIC | F12)),                // fmul.s
    float(op(0x10, F12)),                          // fsgnj.s
    float(op(0x10, 1 << 12 | F12)),                // fsgnjn.s
    float(op(0x10, 2 << 12 | F12)),                // fsgnjx.s
    float(op(0x14, F12)),                          // fmin.s
    float(op(0x14, 1 << 12 | F12)),                // fmax.s
    integer(0x50, 2 << 12 | F12),                  // feq.s
    integer(0x50, 1 << 12 | F12),                  // flt.s
    integer(0x50, F12),                            // fle.s
    integer(0x60, DYNAMIC),                        // fcvt.w.s
    integer(0x60, DYNAMIC | 1 << 20),              // fcvt.wu.s
    float(op(0x68, DYNAMIC)),                      // fcvt.s.w
    float(op(0x68, DYNAMIC | 1 << 20)),            // fcvt.s.wu
    integer(0x70, 0),                              // fmv.x.w
    float(op(0x78, 0)),                            // fmv.w.x
    integer(0x70, 1 << 12),                        // fclass.s
    float(0x07 | 2 << 12 | 10 << 7 | 12 << 15),    // flw f10, 0(x12)
    Instruction { word: 0x27 | 2 << 12 | 13 << 15 | 11 << 20, to: To::Stored }, // fsw f11, 0(x13)
];

/// The loop over as many triples as the word at [`LEFT`] says; it is 0 when they are done.
fn program(instruction: &Instruction) -> Vec<u8> {
    let lui = |register: u32, value: u64| value as u32 | register << 7 | 0x37;
    let load = |opcode: u32, to: u32, offset: u32| opcode | to << 7 | 2 << 12 | 12 << 15 | offset << 20;
    let store = |opcode: u32, from: u32, base: u32| opcode | 2 << 12 | base << 15 | from << 20;
    let addi = |register: u32, by: i32| 0x13 | register << 7 | register << 15 | (by as u32) << 20;
    const NOP: u32 = 0x13;
    let words = [
        lui(12, OPERANDS),
        lui(13, RESULTS),
        lui(15, LEFT),
        0x03 | 14 << 7 | 2 << 12 | 15 << 15, // lw x14, 0(x15)
        load(0x07, 11, 0),                   // flw f11, 0(x12)
        load(0x07, 12, 4),
        load(0x07, 13, 8),
        load(0x03, 11, 0), // lw x11, 0(x12)
        instruction.word,
        match instruction.to {
            To::Float => store(0x27, 10, 13),
            To::Integer => store(0x23, 10, 13),
            To::Stored => NOP,
        },
        addi(12, 12),
        addi(13, 4),
        addi(14, -1),
        0xfc07_1ee3, // bnez x14, back to the first flw
        store(0x23, 14, 15),
        0x6f, // jal x0, 0
    ];
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

fn bytes(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Executes every instruction on the triples, as many as there are; gives the results, instruction by instruction.
fn execute_on<M: Machine>(machine: &M, triples: &[u8]) -> Vec<u8> {
    let mut results = Vec::new();
    for instruction in &INSTRUCTIONS {
        for chunk in triples.chunks(12 * CHUNK) {
            let count = chunk.len() as u32 / 12;
            machine.write32(TILE, SOFT_RESET, ALL_HELD).unwrap();
            machine.write(TILE, 0, &program(instruction), Order::Bulk).unwrap();
            machine.write(TILE, OPERANDS, chunk, Order::Bulk).unwrap();
            machine.write(TILE, LEFT, &count.to_le_bytes(), Order::Bulk).unwrap();
            machine.fence(TILE).unwrap();
            machine.write32(TILE, SOFT_RESET, ALL_BUT_B).unwrap();
            let mut left = [1; 4];
            let mut steps = 0;
            while left != [0; 4] {
                steps += 1;
                assert!(steps < 100_000, "{:#010x}: the loop does not end", instruction.word);
                machine.relax(machine.now() + std::time::Duration::from_micros(10)).unwrap();
                assert!(machine.peek(TILE, LEFT, &mut left));
            }
            let mut part = vec![0; 4 * count as usize];
            assert!(machine.peek(TILE, RESULTS, &mut part));
            results.extend(part);
        }
    }
    results
}

pub(crate) fn execute(ttsim: Ttsim, triples: &[u8]) -> Vec<u8> {
    execute_on(&ttsim, triples)
}

/// Writes what ttsim makes of the operands to the file that the tests of the simulated card read; its README has the
/// format.
#[test]
#[ignore = "run by hand, with KM_TTSIM: it writes the vectors anew"]
fn record_the_vectors() {
    let operands = bytes(triples(1, RECORDED).into_iter().flatten());
    let results = child::run(JOB, &operands);
    let mut file = bytes([RECORDED as u32, INSTRUCTIONS.len() as u32]);
    file.extend(&operands);
    for (instruction, results) in INSTRUCTIONS.iter().zip(results.chunks(4 * RECORDED)) {
        file.extend(bytes([instruction.word, instruction.to as u32]));
        file.extend(results);
    }
    std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(VECTORS), file).unwrap();
}

#[test]
#[ignore = "run by hand, with KM_TTSIM"]
fn a_million_random_operands_give_what_ttsim_gives() {
    let operands = bytes(random_triples(2, COMPARED).into_iter().flatten());
    let judged = child::run(JOB, &operands);
    let card = Card::builder().build();
    let power = Power { tensix: true, dram: true, l2cpu: true, busy: true };
    komorebi_card::Card::claim(&card, power).unwrap();
    let ours = execute_on(&card, &operands);
    let (judged, ours, operands) = (words(&judged), words(&ours), words(&operands));
    assert_eq!(judged.len(), ours.len());
    for (at, (judged, ours)) in judged.iter().zip(&ours).enumerate() {
        let (instruction, triple) = (&INSTRUCTIONS[at / COMPARED], &operands[3 * (at % COMPARED)..][..3]);
        assert_eq!(judged, ours, "{:#010x} of {triple:#x?}: ttsim's first", instruction.word);
    }
    println!("{} results, all as ttsim's", ours.len());
}
