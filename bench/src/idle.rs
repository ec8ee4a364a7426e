//! An idle grid: what a second of the card costs this machine while 120 cores wait for a command.

use crate::BenchError;
use crate::figure::Reading;
use crate::program::Bench;
use crate::stopwatch::{median, milliseconds, timed};
use km::Card as _;
use komorebi as km;
use komorebi_abi::constants::{launch, layout};
use komorebi_sim as sim;
use std::time::Duration;

/// One second of the card.
const SECOND: Duration = Duration::from_secs(1);
/// Seconds of which the median is taken.
const RUNS: usize = 5;
/// The dispatcher's promise (PROTOCOL.md, "Launch, state, result").
const PASSES: u64 = 1_000;

/// Milliseconds of wall time a second of the card takes, in which the dispatcher's pass marker must move as promised.
pub(crate) fn second() -> Result<Reading, BenchError> {
    let card = sim::Card::builder().build();
    let session = km::Session::builder().on(&card).open()?;
    let run = session.load(Bench::program())?;
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let before = passes(&card);
        let (done, took) = timed(|| relax(&card));
        done?;
        let passes = passes(&card).wrapping_sub(before);
        if passes < PASSES {
            return Err(BenchError::Passes { passes });
        }
        times.push(milliseconds(took));
    }
    run.stop(Duration::from_secs(10))?;
    session.close()?;
    Ok(median(times).into())
}

/// Lets the card run for a second; it may come back earlier, when host memory was written.
fn relax(card: &sim::Card) -> Result<(), km::Error> {
    let end = card.now() + SECOND;
    while card.relax(end)? < end {}
    Ok(())
}

/// The dispatcher's pass marker, read at no cost; 0 where there is none.
fn passes(card: &sim::Card) -> u64 {
    let mut word = [0; 8];
    let place = layout::LIM_BASE + u64::from(layout::LIM_STATE + 8 * launch::STATE_PASS);
    let read =
        card.description().l2cpus.first().is_some_and(|cluster| card.peek(cluster.tile, place, &mut word));
    if read { u64::from_le_bytes(word) } else { 0 }
}
