//! Instructions a second of wall time that busy harts retire, on a whole card: strict, and with everything timed.

use crate::BenchError;
use crate::busy::{self, Kind};
use crate::figure::Reading;
use crate::stopwatch::{median, timed};
use komorebi_card::{Card as _, CardError, NocXy, Power, Rect};
use komorebi_sim as sim;
use komorebi_tests::dispatcher::Setup;
use std::time::Duration;

/// Wall times of which the median is taken.
const RUNS: usize = 5;
/// Card time of one: about 100 million instructions of one hart.
const ONE: Duration = Duration::from_millis(150);
/// Card time of one with all cores of the grid.
const GRID: Duration = Duration::from_micros(250);

/// The register that holds the cores of a tile in reset, and where each of them starts (tensix.md §1).
const SOFT_RESET: u64 = 0xffb1_21b0;
const CORE_B: u32 = 1 << 11;
const ALL_CORES: u32 = 0x4_7800;
const STARTS: [u64; 5] = [0, 0x1_2000, 0x6000, 0xa000, 0xe000];

/// One baby core, its memory in L1.
pub(crate) fn rv32() -> Result<Reading, BenchError> {
    let tile = NocXy::new(1, 2);
    let card = card(Rect { start: tile, end: tile }, ALL_CORES & !CORE_B)?;
    let reading = rate(&card, ONE, |counters| counters.tensix_instructions)?;
    busy::check(STARTS[0], |address| peek(&card, tile, address))?;
    Ok(reading)
}

/// All five cores of 120 tiles.
pub(crate) fn grid() -> Result<Reading, BenchError> {
    let tiles = Rect { start: NocXy::new(1, 2), end: NocXy::new(14, 11) };
    let card = card(tiles, 0)?;
    let reading = rate(&card, GRID, |counters| counters.tensix_instructions)?;
    for start in STARTS {
        busy::check(start, |address| peek(&card, tiles.end, address))?;
    }
    Ok(reading)
}

/// One hart of the X280, its memory in LIM.
pub(crate) fn rv64() -> Result<Reading, BenchError> {
    let image = busy::image(Kind::Rv64)?;
    let words: Vec<u32> = image.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let rig = Setup::default().boot();
    let base = rig.place_code(&words);
    rig.start_hart(0, base, 0);
    let reading = rate(&rig.card, ONE, |counters| counters.x280_instructions)?;
    busy::check(base, |address| peek(&rig.card, rig.card.description().l2cpus[0].tile, address))?;
    Ok(reading)
}

/// A card with the cores of `tiles` at work that `held` does not hold in reset.
fn card(tiles: Rect, held: u32) -> Result<sim::Card, BenchError> {
    let image = busy::image(Kind::Rv32)?;
    let card = sim::Card::builder().build();
    card.claim(Power { tensix: true, dram: true, l2cpu: true, busy: true })?;
    for start in STARTS {
        card.multicast(tiles, start, &image)?;
    }
    card.fence(tiles.end)?;
    card.multicast(tiles, SOFT_RESET, &held.to_le_bytes())?;
    card.fence(tiles.end)?;
    Ok(card)
}

fn peek(card: &sim::Card, tile: NocXy, address: u64) -> u32 {
    let mut word = [0; 4];
    card.peek(tile, address, &mut word);
    u32::from_le_bytes(word)
}

/// Instructions by `counter` a second of wall time, while `time` passes on the card.
fn rate(card: &sim::Card, time: Duration, counter: fn(sim::Counters) -> u64) -> Result<Reading, BenchError> {
    pass(card, time / 10)?;
    let mut rates = Vec::new();
    for _ in 0..RUNS {
        let before = counter(card.counters());
        let (done, took) = timed(|| pass(card, time));
        done?;
        rates.push((counter(card.counters()) - before) as f64 / took.as_secs_f64());
    }
    Ok(median(rates).into())
}

fn pass(card: &sim::Card, time: Duration) -> Result<(), CardError> {
    let end = card.now() + time;
    while card.relax(end)? < end {}
    Ok(())
}
