//! A loaded grid on a card of its own, fed with NOPs by the host.

use crate::BenchError;
use crate::figure::Reading;
use crate::program::Bench;
use komorebi as km;
use komorebi::Card as _;
use komorebi_sim as sim;
use std::time::Duration;

/// How long a wait may take, in card time.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Commands before a measurement, to reach the steady state.
const WARM_UP: u32 = 256;

/// What a grid is loaded with. Unless told otherwise: depth 16, batches of 64, as the reference was measured.
#[derive(Clone, Copy)]
pub(crate) struct Setup {
    pub(crate) costs: sim::Setting,
    /// The clock of the X280, in MHz.
    pub(crate) pll_mhz: u32,
    pub(crate) depth: u32,
    pub(crate) batch: u32,
    /// Commands traced.
    pub(crate) trace: u32,
}

impl Setup {
    pub(crate) const NOMINAL: Self =
        Self { costs: sim::Setting::Nominal, pll_mhz: 1000, depth: 16, batch: 64, trace: 0 };
}

impl Default for Setup {
    fn default() -> Self {
        Self::NOMINAL
    }
}

/// What to send, again and again: the number of the command gives it.
pub(crate) type Feed = fn(u32) -> km::NamedCall<'static>;

/// A loaded grid, in the steady state of NOPs on its first core.
pub(crate) struct Bed {
    pub(crate) card: sim::Card,
    session: km::Session,
    run: km::Run<Bench>,
}

impl Bed {
    pub(crate) fn load(setup: Setup) -> Result<Self, BenchError> {
        let card = sim::Card::builder().costs(setup.costs).build();
        let session = km::Session::builder().on(&card).pll_mhz(setup.pll_mhz).open()?;
        let options = km::LoadOptions {
            depth: Some(setup.depth),
            batch: setup.batch,
            trace: setup.trace,
            ..Default::default()
        };
        let run = session.load_with(Bench::program(), options)?;
        let bed = Self { card, session, run };
        bed.feed(WARM_UP, |_| km::nop().on((0, 1)))?;
        Ok(bed)
    }

    /// Sends so many commands, and waits for all.
    pub(crate) fn feed(&self, commands: u32, feed: Feed) -> Result<(), BenchError> {
        let handles = self.run.submit_many((0..commands).map(feed))?;
        self.run.wait(handles, TIMEOUT)?;
        Ok(())
    }

    pub(crate) fn close(self) -> Result<(), BenchError> {
        self.run.stop(TIMEOUT)?;
        Ok(self.session.close()?)
    }

    /// What a counter of the card grows by a command, in the steady state.
    pub(crate) fn count(
        self,
        counter: fn(sim::Counters) -> u64,
        commands: u32,
        feed: Feed,
    ) -> Result<Reading, BenchError> {
        self.feed(WARM_UP, feed)?;
        let before = counter(self.card.counters());
        self.feed(commands, feed)?;
        let grown = counter(self.card.counters()) - before;
        self.close()?;
        Ok((grown as f64 / f64::from(commands)).into())
    }
}

/// Card time a command in microseconds, in the steady state, at the three settings of the costs.
pub(crate) fn period(setup: Setup, commands: u32, feed: Feed) -> Result<Reading, BenchError> {
    let at = |costs| -> Result<f64, BenchError> {
        let bed = Bed::load(Setup { costs, ..setup })?;
        bed.feed(WARM_UP, feed)?;
        let start = bed.card.now();
        bed.feed(commands, feed)?;
        let took = bed.card.now() - start;
        bed.close()?;
        Ok(took.as_secs_f64() * 1e6 / f64::from(commands))
    };
    let (low, high) = (at(sim::Setting::Low)?, at(sim::Setting::High)?);
    Ok(Reading { value: at(sim::Setting::Nominal)?, range: Some((low, high)) })
}
