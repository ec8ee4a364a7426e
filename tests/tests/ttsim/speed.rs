//! How fast we are beside ttsim: the same device code here and there, processor time of one thread. The figures
//! `ttsim_ratio_*` are what the tests here print.

use komorebi_card::{Card as _, NocXy, Order, Power, TENSIX_ROWS};
use komorebi_sim::Card;

use crate::child;
use crate::images;
use crate::machine::Ttsim;
use crate::processor::seconds;

pub(crate) const JOB: &str = "spin";

/// Where the five cores start (tensix.md §3), SOFT_RESET_0 with and without them (tensix.md §1).
const STARTS: [u64; 5] = [0, 0x6000, 0xa000, 0xe000, 0x1_2000];
const SOFT_RESET: u64 = 0xffb1_21b0;
const ALL_HELD: u32 = 0x4_7800;

/// A core that waits for ever for a word of L1 that stays 0, its L0 data cache off as the kernels have it.
const SPIN: [u32; 6] = [
    0x0080_0293, // li x5, 8
    0x7c02_a073, // csrs 0x7c0, x5
    0x0002_0537, // lui x10, 0x20
    0x0ff0_000f, // fence, as every poll loop of the kernels has it
    0x0005_2583, // lw x11, 0(x10)
    0xfe05_8ce3, // beqz x11, back to the fence
];

/// Measurements, of which the middle one counts.
const RUNS: usize = 5;

/// Starts five spinning cores on each of 120 tiles; gives how many.
fn start(card: &impl komorebi_card::Card) -> u64 {
    let program: Vec<u8> = SPIN.iter().flat_map(|word| word.to_le_bytes()).collect();
    let tiles: Vec<NocXy> =
        TENSIX_ROWS.flat_map(|y| card.description().columns.iter().map(move |x| NocXy::new(*x, y))).collect();
    assert_eq!(tiles.len(), 120);
    for tile in &tiles {
        card.write32(*tile, SOFT_RESET, ALL_HELD).unwrap();
        STARTS.iter().for_each(|start| card.write(*tile, *start, &program, Order::Bulk).unwrap());
        card.fence(*tile).unwrap();
        card.write32(*tile, SOFT_RESET, 0).unwrap();
    }
    5 * tiles.len() as u64
}

/// The middle of several rates: what `work` says it did, a second of processor time.
fn rate(mut work: impl FnMut() -> u64) -> f64 {
    let mut rates = [(); RUNS].map(|()| {
        let mut done = 0;
        let took = seconds(|| done = work());
        done as f64 / took
    });
    rates.sort_by(f64::total_cmp);
    rates[RUNS / 2]
}

/// ttsim's instructions a second: one a clock and core.
pub(crate) fn spin_job(ttsim: Ttsim, _: &[u8]) -> Vec<u8> {
    const CLOCKS: u32 = 50_000;
    let cores = start(&ttsim);
    ttsim.clock(1000);
    let rate = rate(|| {
        ttsim.clock(CLOCKS);
        u64::from(CLOCKS) * cores
    });
    rate.to_le_bytes().to_vec()
}

fn number(bytes: &[u8]) -> f64 {
    f64::from_le_bytes(bytes.try_into().unwrap())
}

/// A figure, as the benchmark reads it.
fn print(name: &str, ours: f64, theirs: f64) {
    println!(
        "{}",
        serde_json::json!({ "name": name, "value": ours / theirs, "ours": ours, "ttsim": theirs })
    );
}

/// Instructions a second of 600 cores that wait: executed one by one here too, with parking off.
#[test]
#[ignore = "a benchmark: run by hand, with KM_TTSIM, in release"]
fn ttsim_ratio_spin120() {
    let theirs = number(&child::run(JOB, &[]));
    let card = Card::builder().parking(false).build();
    card.claim(Power { tensix: true, dram: true, l2cpu: false, busy: true }).unwrap();
    start(&card);
    let run = |micros| {
        let before = card.counters().tensix_instructions;
        let end = card.now() + std::time::Duration::from_micros(micros);
        while card.relax(end).unwrap() < end {}
        card.counters().tensix_instructions - before
    };
    run(10);
    print("ttsim_ratio_spin120", rate(|| run(200)), theirs);
}

/// Commands a second of 02_pipeline's cores, a test in the dispatcher's place; as a card is by default, with parking.
#[test]
#[ignore = "a benchmark: run by hand, with KM_TTSIM, in release"]
fn ttsim_ratio_pipeline() {
    let theirs = number(&child::run(images::PIPELINE_RATE, &[]));
    print("ttsim_ratio_pipeline", images::pipeline_rate(Card::builder().build()), theirs);
}
