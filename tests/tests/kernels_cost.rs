//! What a command costs a core, by the core's own clock: the period of NOPs that are all there before the first is taken.

mod kernels_bench;

use kernels_bench::{Setup, Submit, model};
use komorebi::build::Sources;
use komorebi_abi::constants::command::KM_HANDLER_NOP;

const GATE: u32 = 0x10_0000;
const NOTES: u32 = 0x10_0100;
const TRACE: u32 = 0x10_1000;

const READER: &str = r#"#include <komorebi/kernel.h>
KM_HANDLER(Gate) { noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(args.at), 1); }
KM_HANDLER(Stamp) { *reinterpret_cast<volatile uint32_t*>(args.at) = km::wall_clock_low(); }
"#;
const WRITER: &str = r#"#include <komorebi/kernel.h>
KM_HANDLER(Stamp) { *reinterpret_cast<volatile uint32_t*>(args.at + 16) = km::wall_clock_low(); }
"#;

/// Cycles from one NOP to the next, at the reader and at the writer, in a group of `count` cores.
fn periods(depth: u32, count: u32, traced: bool) -> [u32; 2] {
    let sources = Sources::new().file("reader.cpp", READER.as_bytes()).file("writer.cpp", WRITER.as_bytes());
    let mut setup = Setup::new(count, 1);
    setup.depth = depth;
    let mut model = model(&[("gate", 1, &["at"]), ("stamp", 2, &["at"])]);
    if traced {
        setup.trace = (TRACE, 64);
        model.defines.push(("KM_TRACE".into(), "1".into()));
    }
    let mut bench = setup.start(&sources, &model);
    bench.wait_ready();
    bench.submit(Submit::to(1, 0, count, &[GATE]));
    bench.submit(Submit::to(2, 0, count, &[NOTES]).slot(1));
    for slot in 2..depth - 1 {
        bench.submit(Submit::to(KM_HANDLER_NOP, 0, count, &[]).slot(slot));
    }
    let last = bench.submit(Submit::to(2, 0, count, &[NOTES + 32]).slot(depth - 1));
    for index in (0..count).rev() {
        bench.card_write(index, GATE, 1);
    }
    bench.wait(depth - 1, last);
    [0, 16].map(|thread| {
        let cycles = bench.l1_word(0, NOTES + 32 + thread).wrapping_sub(bench.l1_word(0, NOTES + thread));
        cycles / (depth - 2)
    })
}

#[test]
fn nops_follow_each_other_within_a_few_hundred_cycles() {
    let found =
        [(4, 1), (16, 1), (16, 12)].map(|(depth, count)| (depth, count, periods(depth, count, false)));
    println!("depth, cores, cycles of a NOP at the reader and the writer: {found:?}");
    for (depth, count, [reader, writer]) in found {
        assert!(reader < 250, "depth {depth}, {count} cores: reader {reader} cycles");
        // The leader of a group also waits for its members' acknowledgements, a NoC latency each time.
        let most = if count == 1 { 250 } else { 800 };
        assert!(writer < most, "depth {depth}, {count} cores: writer {writer} cycles");
    }
}

#[test]
fn a_trace_costs_each_command_some_dozens_of_cycles_and_records_it() {
    let found = [(16, 1), (16, 12)]
        .map(|(depth, count)| (count, periods(depth, count, false), periods(depth, count, true)));
    println!("cores, cycles of a NOP at the reader and the writer without a trace, and with one: {found:?}");
    for (count, without, with) in found {
        assert_ne!(without, with, "{count} cores: the trace ran");
        let more = with[1].saturating_sub(without[1]).max(with[0].saturating_sub(without[0]));
        assert!(more < 150, "{count} cores: {more} cycles more");
    }
}
