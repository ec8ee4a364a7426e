//! Engines: counts and card time of a graph's node, a round, a launch, of a stream's instruction and of an upload.

use crate::BenchError;
use crate::figure::Reading;
use komorebi as km;
use komorebi_sim as sim;
use komorebi_tests::dispatcher::Setup;
use komorebi_tests::engine::{Bed, Cost, launch_microseconds};

/// A value at nominal, low and high costs.
fn settings(measure: impl Fn(&Bed) -> km::Result<f64>) -> Result<Reading, BenchError> {
    let at = |costs| {
        let bed = Bed::load(costs)?;
        let value = measure(&bed)?;
        bed.close()?;
        Ok::<f64, BenchError>(value)
    };
    let (low, high) = (at(sim::Setting::Low)?, at(sim::Setting::High)?);
    Ok(Reading { value: at(sim::Setting::Nominal)?, range: Some((low, high)) })
}

fn count(of: fn(Cost) -> f64, cores: u32) -> Result<Reading, BenchError> {
    let bed = Bed::load(sim::Setting::Nominal)?;
    let cost = bed.node(cores)?;
    bed.close()?;
    Ok(of(cost).into())
}

/// X280 instructions from a node's command to the next one's.
pub(crate) fn node_instructions(cores: u32) -> Result<Reading, BenchError> {
    count(|cost| cost.instructions, cores)
}

/// X280 loads and stores past its caches, of those.
pub(crate) fn node_uncached(cores: u32) -> Result<Reading, BenchError> {
    count(|cost| cost.loads + cost.stores, cores)
}

/// Card time from a node's command to the next one's.
pub(crate) fn node_time(cores: u32) -> Result<Reading, BenchError> {
    settings(|bed| Ok(bed.node(cores)?.microseconds))
}

/// Card time from a graph's RUN to its first command, on 120 cores: of a new upload, and of a kept one.
#[derive(Clone, Copy)]
pub(crate) enum Launch {
    New,
    Kept,
}

/// With the test in the place of host and grid.
pub(crate) fn launch_time(of: Launch) -> Result<Reading, BenchError> {
    let at = |costs| {
        let [new, kept] = launch_microseconds(Setup { costs, ..Setup::default() });
        match of {
            Launch::New => new,
            Launch::Kept => kept,
        }
    };
    let (low, high) = (at(sim::Setting::Low), at(sim::Setting::High));
    Ok(Reading { value: at(sim::Setting::Nominal), range: Some((low, high)) })
}

/// Card time of a round: a NOP on 120 cores, a cpu node of two instructions, its event.
pub(crate) fn round_time() -> Result<Reading, BenchError> {
    settings(|bed| Ok(bed.round()?.microseconds))
}

/// Card time that the host's upload of a graph of so many bytes takes: the writes into the region, and their fence.
pub(crate) fn upload_time(bytes: u32) -> Result<Reading, BenchError> {
    settings(|bed| bed.upload(bytes))
}

/// Instructions of a stream a second of card time.
pub(crate) fn stream_rate() -> Result<Reading, BenchError> {
    let Reading { value, range } = settings(|bed| Ok(1e6 / bed.instruction()?))?;
    // High costs make the low rate.
    Ok(Reading { value, range: range.map(|(at_low, at_high)| (at_high, at_low)) })
}
