//! The device images of examples 01_map and 02_pipeline, on ttsim and on the simulated card: the same L1 and the same DRAM.
//!
//! The images are those the runtime builds from the examples' programs. A test is in the dispatcher's place, and a DRAM
//! bank takes what the cores send it: ttsim has no X280.

use komorebi_abi::constants::{command, core, layout};
use komorebi_sim::Card;

use crate::child;
use crate::kernels_bench::{Bench, Machine, Setup, Submit};
use crate::machine::Ttsim;
use crate::processor::seconds;

#[path = "../../../examples/01_map/program.rs"]
#[allow(dead_code, reason = "the example's own file; its commands are written word by word here")]
mod map;
#[path = "../../../examples/02_pipeline/program.rs"]
#[allow(dead_code, reason = "the example's own file; its commands are written word by word here")]
mod pipeline;

pub(crate) const MAP: &str = "map";
pub(crate) const PIPELINE: &str = "pipeline";
pub(crate) const PIPELINE_RATE: &str = "pipeline rate";

const L1_BYTES: usize = layout::L1_BYTES as usize;
/// The only handler of either program.
const HANDLER: u32 = 1;
/// Where inputs and outputs lie in the banks.
const X: u32 = 0x10_0000;
const Y: u32 = 0x20_0000;
const OUT: u32 = 0x30_0000;
/// A row of the grid.
const ROW: u32 = 12;

/// A program's cores, on `machine`, all waiting for their first command.
fn start<M: Machine, P>(machine: M, program: &komorebi::Program<P>) -> Bench<M> {
    let (width, height) = program.model().grid.expect("the examples name a grid");
    let mut setup = Setup::on(machine, width, height);
    setup.dispatcher = setup.card.description().banks[0].noc0;
    setup.depth = program.model().depth;
    let bench = setup.start(program.sources(), program.model());
    bench.wait_ready();
    bench
}

/// Ends the run, and gives the L1 of every core, one after the other.
fn end<M: Machine>(bench: &mut Bench<M>) -> Vec<u8> {
    let cores = bench.cores();
    bench.call(Submit::to(command::KM_HANDLER_EXIT, 0, cores, &[]));
    let mut memory = vec![0; L1_BYTES * cores as usize];
    for (index, l1) in (0..).zip(memory.chunks_mut(L1_BYTES)) {
        assert!(bench.card().peek(bench.tile(index), 0, l1));
    }
    memory
}

/// The picture of the map: every byte, in pages that do not divide by the cores.
fn picture() -> Vec<u8> {
    (0..250 * map_page()).map(|at| (at * 7 + at / 2048) as u8).collect()
}

fn map_page() -> usize {
    map::ToneMap::program().model().buffers[0].page_bytes as usize
}

/// Black point, gain, shoulder.
const CURVE: [u32; 3] = [20, 300, 200];

/// Maps the picture with all cores, then parts of the result with some of them.
fn run_map<M: Machine>(machine: M) -> Vec<u8> {
    let mut bench = start(machine, &map::ToneMap::program());
    let (picture, page) = (picture(), map_page());
    let pages = (picture.len() / page) as u32;
    bench.write_pages(u64::from(X), page, &picture);
    let args = |first, pages| [&[X, OUT, first, pages], &CURVE[..]].concat();
    bench.call(Submit::to(HANDLER, 0, bench.cores(), &args(0, pages)));
    bench.call(Submit::to(HANDLER, 3 * ROW, 5, &args(7, 31)).slot(1));
    let mapped = bench.read_pages(u64::from(OUT), page, pages as usize);
    [end(&mut bench), mapped].concat()
}

/// Sums in rows of the grid, eight commands in flight.
fn run_pipeline<M: Machine>(bench: &mut Bench<M>, commands: u32, pages: u32) {
    let mut sent = [0; 8];
    for number in 0..commands {
        let slot = number % 8;
        if number >= 8 {
            bench.wait(slot, sent[slot as usize]);
        }
        let args = [X, Y, OUT, number % 10 * pages, pages, FACTOR];
        let command = Submit::to(HANDLER, number % 10 * ROW, ROW, &args).slot(slot);
        sent[slot as usize] = bench.submit(command);
    }
    for number in commands - 8..commands {
        let slot = number % 8;
        bench.wait(slot, sent[slot as usize]);
    }
}

const FACTOR: u32 = 2_654_435_761;
/// Pages of a command of the pipeline.
const PAGES: u32 = 30;

fn start_pipeline<M: Machine>(machine: M) -> Bench<M> {
    let bench = start(machine, &pipeline::Pipeline::program());
    for (address, numbers) in [(X, numbers(1)), (Y, numbers(5))] {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        bench.write_pages(u64::from(address), pipeline_page(), &bytes);
    }
    bench
}

fn pipeline_page() -> usize {
    pipeline::Pipeline::program().model().buffers[0].page_bytes as usize
}

fn numbers(factor: u32) -> Vec<u32> {
    (0..10 * PAGES * pipeline_page() as u32 / 4).map(|at| (at * factor).rotate_left(at % 31)).collect()
}

fn pipeline_all<M: Machine>(machine: M) -> Vec<u8> {
    let mut bench = start_pipeline(machine);
    run_pipeline(&mut bench, 24, PAGES);
    let sums = bench.read_pages(u64::from(OUT), pipeline_page(), 10 * PAGES as usize);
    [end(&mut bench), sums].concat()
}

pub(crate) fn map_job(ttsim: Ttsim, _: &[u8]) -> Vec<u8> {
    run_map(ttsim)
}

pub(crate) fn pipeline_job(ttsim: Ttsim, _: &[u8]) -> Vec<u8> {
    pipeline_all(ttsim)
}

/// Compares ttsim's memory with ours: L1 of every core, then what was written to DRAM, which it gives.
fn same(judged: &[u8], ours: &[u8], cores: usize) -> Vec<u8> {
    assert_eq!(judged.len(), ours.len());
    let (l1, dram) = judged.split_at(cores * L1_BYTES);
    let (our_l1, our_dram) = ours.split_at(cores * L1_BYTES);
    // The old values of the atomics that count READY: in the order in which the cores came.
    let old = layout::L1_CONTROL + core::CONTROL_ATOMIC_OLD;
    let old = old as usize..old as usize + 16;
    for (index, (judged, ours)) in l1.chunks(L1_BYTES).zip(our_l1.chunks(L1_BYTES)).enumerate() {
        let differs = (0..L1_BYTES).filter(|at| !old.contains(at)).find(|at| judged[*at] != ours[*at]);
        if let Some(at) = differs {
            let word = |memory: &[u8]| u32::from_le_bytes(memory[at & !3..][..4].try_into().unwrap());
            panic!("core {index}, L1 {:#x}: ttsim has {:#x}, we {:#x}", at & !3, word(judged), word(ours));
        }
    }
    assert!(dram == our_dram, "DRAM differs");
    dram.to_vec()
}

#[test]
#[ignore = "run by hand, with KM_TTSIM"]
fn the_images_of_01_map_leave_the_same_memory_on_ttsim() {
    let mapped = same(&child::run(MAP, &[]), &run_map(Card::builder().build()), 120);
    // Two that are wrong alike: the map is one of bytes, and it rises, from 0 at the black point on.
    let mut curve = [None; 256];
    for (byte, mapped) in picture().iter().zip(&mapped) {
        assert_eq!(curve[usize::from(*byte)].get_or_insert(*mapped), mapped, "of {byte}");
    }
    let curve = curve.map(|mapped| mapped.expect("the picture has every byte"));
    assert!(curve.is_sorted() && curve[CURVE[0] as usize] == 0 && curve[255] > 200, "{curve:?}");
}

#[test]
#[ignore = "run by hand, with KM_TTSIM"]
fn the_images_of_02_pipeline_leave_the_same_memory_on_ttsim() {
    let sums = same(&child::run(PIPELINE, &[]), &pipeline_all(Card::builder().build()), 120);
    let expected =
        numbers(1).into_iter().zip(numbers(5)).map(|(x, y)| FACTOR.wrapping_mul(x).wrapping_add(y));
    assert!(sums.chunks(4).eq(expected.map(u32::to_le_bytes)), "the sums are what the host computes");
}

/// Commands of a measurement.
const MEASURED: u32 = 400;

/// Commands a second of processor time, after a start and some commands that are not measured.
pub(crate) fn pipeline_rate<M: Machine>(machine: M) -> f64 {
    let mut bench = start_pipeline(machine);
    run_pipeline(&mut bench, 40, PAGES);
    f64::from(MEASURED) / seconds(|| run_pipeline(&mut bench, MEASURED, PAGES))
}

pub(crate) fn pipeline_rate_job(ttsim: Ttsim, _: &[u8]) -> Vec<u8> {
    pipeline_rate(ttsim).to_le_bytes().to_vec()
}
