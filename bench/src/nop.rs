//! NOP commands, host-fed: rates, counts, card time.

use crate::BenchError;
use crate::bed::{Bed, Feed, Setup, period};
use crate::figure::Reading;
use crate::stopwatch::{median, timed};
use komorebi as km;
use komorebi_sim as sim;

/// Wall times of which the median is taken.
const RUNS: usize = 5;
/// Commands on one core: enough that what is once a run falls away.
const COMMANDS: u32 = 6_400;

/// NOPs on the first core.
const ONE: Feed = |_| km::nop().on((0, 1));
/// NOPs on 120 cores.
const GRID: Feed = |_| km::nop().on((0, 120));

/// Commands a second of wall time.
fn rate(commands: u32, feed: Feed) -> Result<Reading, BenchError> {
    let bed = Bed::load(Setup::default())?;
    bed.feed(256, feed)?;
    let mut rates = Vec::new();
    for _ in 0..RUNS {
        let (done, took) = timed(|| bed.feed(commands, feed));
        done?;
        rates.push(f64::from(commands) / took.as_secs_f64());
    }
    bed.close()?;
    Ok(median(rates).into())
}

/// On one core.
pub(crate) fn rate_1() -> Result<Reading, BenchError> {
    rate(20_000, ONE)
}

/// On 120 cores.
pub(crate) fn rate_120() -> Result<Reading, BenchError> {
    rate(1_000, GRID)
}

/// What a counter of the card grows by a command on one core.
pub(crate) fn count(counter: fn(sim::Counters) -> u64) -> Result<Reading, BenchError> {
    Bed::load(Setup::default())?.count(counter, COMMANDS, ONE)
}

/// Card time a command on one core, in microseconds, with the X280 at `pll_mhz`.
pub(crate) fn card_time(pll_mhz: u32) -> Result<Reading, BenchError> {
    period(Setup { pll_mhz, ..Setup::default() }, COMMANDS, ONE)
}

/// The same at another depth.
pub(crate) fn card_time_at_depth(depth: u32) -> Result<Reading, BenchError> {
    period(Setup { depth, ..Setup::default() }, COMMANDS, ONE)
}

/// The same in batches of another length.
pub(crate) fn card_time_in_batches(batch: u32) -> Result<Reading, BenchError> {
    period(Setup { batch, ..Setup::default() }, COMMANDS, ONE)
}

/// Card time a command on 12 cores.
pub(crate) fn card_time_12() -> Result<Reading, BenchError> {
    period(Setup::default(), 1_600, |_| km::nop().on((0, 12)))
}

/// Card time a command on 120 cores.
pub(crate) fn card_time_120() -> Result<Reading, BenchError> {
    period(Setup::default(), 400, GRID)
}

/// Done events a second of card time: NOPs on sixteen cores, one each in turn, so that no core is waited for.
pub(crate) fn events() -> Result<Reading, BenchError> {
    let Reading { value, range } = period(Setup::default(), COMMANDS, |i| km::nop().on((i % 16, 1)))?;
    // The costs that make a command slow make events rare.
    let range = range.map(|(low, high)| (1e6 / high, 1e6 / low));
    Ok(Reading { value: 1e6 / value, range })
}
