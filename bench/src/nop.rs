//! NOP commands, host-fed: rates, counts, card time. Depth 16, batches of 64, as the reference was measured.

use crate::BenchError;
use crate::figure::Reading;
use crate::program::Bench;
use crate::stopwatch::{median, timed};
use km::Card as _;
use komorebi as km;
use komorebi_sim as sim;
use std::time::Duration;

/// How long a wait may take, in card time.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Commands before a measurement, to reach the steady state.
const WARM_UP: u32 = 256;
/// Wall times of which the median is taken.
const RUNS: usize = 5;

/// A loaded grid on a card of its own.
struct Bed {
    card: sim::Card,
    session: km::Session,
    run: km::Run<Bench>,
}

impl Bed {
    fn load(costs: sim::Setting, pll_mhz: u32) -> Result<Self, BenchError> {
        let card = sim::Card::builder().costs(costs).build();
        let session = km::Session::builder().on(&card).pll_mhz(pll_mhz).open()?;
        let options = km::LoadOptions { depth: Some(16), batch: 64, ..Default::default() };
        let run = session.load_with(Bench::program(), options)?;
        let bed = Self { card, session, run };
        bed.nops(WARM_UP, 1)?;
        Ok(bed)
    }

    /// So many NOPs on so many cores, all waited for.
    fn nops(&self, commands: u32, cores: u32) -> Result<(), BenchError> {
        let handles = self.run.submit_many((0..commands).map(|_| km::nop().on((0, cores))))?;
        self.run.wait(handles, TIMEOUT)?;
        Ok(())
    }

    fn close(self) -> Result<(), BenchError> {
        self.run.stop(TIMEOUT)?;
        Ok(self.session.close()?)
    }
}

/// Commands a second of wall time, on groups of `cores` cores.
pub(crate) fn rate(cores: u32) -> Result<Reading, BenchError> {
    let bed = Bed::load(sim::Setting::Nominal, 1000)?;
    bed.nops(WARM_UP, cores)?;
    let commands = if cores == 1 { 20_000 } else { 1_000 };
    let mut rates = Vec::new();
    for _ in 0..RUNS {
        let (done, took) = timed(|| bed.nops(commands, cores));
        done?;
        rates.push(f64::from(commands) / took.as_secs_f64());
    }
    bed.close()?;
    Ok(median(rates).into())
}

/// What a counter of the card grows by a command on one core, in the steady state.
pub(crate) fn count(counter: fn(sim::Counters) -> u64) -> Result<Reading, BenchError> {
    let commands = 6_400;
    let bed = Bed::load(sim::Setting::Nominal, 1000)?;
    let before = counter(bed.card.counters());
    bed.nops(commands, 1)?;
    let grown = counter(bed.card.counters()) - before;
    bed.close()?;
    Ok((grown as f64 / f64::from(commands)).into())
}

/// Card time a command on one core, in microseconds, with the X280 at `pll_mhz`, at the three settings of the costs.
pub(crate) fn card_time(pll_mhz: u32) -> Result<Reading, BenchError> {
    let at = |costs| -> Result<f64, BenchError> {
        let commands = 6_400;
        let bed = Bed::load(costs, pll_mhz)?;
        let start = bed.card.now();
        bed.nops(commands, 1)?;
        let took = bed.card.now() - start;
        bed.close()?;
        Ok(took.as_secs_f64() * 1e6 / f64::from(commands))
    };
    let (low, high) = (at(sim::Setting::Low)?, at(sim::Setting::High)?);
    Ok(Reading { value: at(sim::Setting::Nominal)?, range: Some((low, high)) })
}
