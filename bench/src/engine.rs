//! Engines: counts and card time of a graph's node, a round, a launch, and of a stream's instruction.
//!
//! Graphs are kept ones, run again: nothing is checked. Times are the differences of a long run's and a short one's, so
//! that what is once a run falls out.

use crate::BenchError;
use crate::figure::Reading;
use komorebi as km;
use komorebi::{Arithmetic as _, Card as _};
use komorebi_abi::constants::engine;
use komorebi_sim as sim;
use komorebi_tests::dispatcher::Setup;
use komorebi_tests::engine::launch_microseconds;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(10);
const TICKS_PER_MICROSECOND: f64 = 50.0;

/// A grid that engines run on.
struct Bed {
    card: sim::Card,
    session: km::Session,
    run: km::Run,
}

/// What a run took: microseconds of the card, X280 instructions, accesses past its caches.
#[derive(Clone, Copy)]
struct Cost {
    microseconds: f64,
    instructions: f64,
    uncached: f64,
}

impl Cost {
    fn each(self, less: Self, count: u32) -> Self {
        let of = |more: f64, less: f64| (more - less) / f64::from(count);
        Self {
            microseconds: of(self.microseconds, less.microseconds),
            instructions: of(self.instructions, less.instructions),
            uncached: of(self.uncached, less.uncached),
        }
    }
}

impl Bed {
    fn load(costs: sim::Setting) -> Result<Self, BenchError> {
        let card = sim::Card::builder().costs(costs).build();
        let session = km::Session::builder().on(&card).open()?;
        let run = session.load(km::Program::new("engines").depth(16))?;
        Ok(Self { card, session, run })
    }

    fn close(self) -> Result<(), BenchError> {
        self.run.stop(TIMEOUT)?;
        Ok(self.session.close()?)
    }

    /// The second run of a kept graph.
    fn graph(&self, graph: &km::Graph, words: &[(&str, u32)]) -> Result<Cost, BenchError> {
        let upload = self.run.upload(graph)?;
        let handle = self.run.start(&upload, words)?;
        self.run.wait_engine(&handle, TIMEOUT)?;
        let before = self.card.counters();
        let handle = self.run.restart(&upload, words)?;
        let event = self.run.wait_engine(&handle, TIMEOUT)?;
        let after = self.card.counters();
        self.run.release(&upload, TIMEOUT)?;
        let uncached = |counters: sim::Counters| counters.x280_uncached_loads + counters.x280_uncached_stores;
        Ok(Cost {
            microseconds: f64::from(event.ticks) / TICKS_PER_MICROSECOND,
            instructions: (after.x280_instructions - before.x280_instructions) as f64,
            uncached: (uncached(after) - uncached(before)) as f64,
        })
    }

    /// So many NOPs, one after the other.
    fn chain(&self, nodes: u32, cores: u32) -> Result<Cost, BenchError> {
        let mut graph = km::Graph::new().keep();
        let mut before: Option<km::Node> = None;
        for _ in 0..nodes {
            before = Some(graph.command(0, 0..cores, []).after(before).id());
        }
        self.graph(&graph, &[])
    }

    fn node(&self, cores: u32) -> Result<Cost, BenchError> {
        Ok(self.chain(600, cores)?.each(self.chain(200, cores)?, 400))
    }

    /// Microseconds of the card from the call of `upload` to its return, of a chain of NOPs of at least `bytes` bytes.
    fn upload(&self, bytes: usize) -> Result<f64, BenchError> {
        let mut graph = km::Graph::new();
        let mut before: Option<km::Node> = None;
        for _ in 0..bytes.div_ceil(engine::RECORD_BYTES as usize) {
            before = Some(graph.command(0, 0..120, []).after(before).id());
        }
        let start = self.card.now();
        let upload = self.run.upload(&graph)?;
        let took = self.card.now() - start;
        self.run.release(&upload, TIMEOUT)?;
        Ok(took.as_nanos() as f64 / 1e3)
    }

    /// A NOP on 120 cores, then a cpu node of two instructions that counts.
    fn rounds(&self, rounds: u32) -> Result<Cost, BenchError> {
        let mut graph = km::Graph::new().keep();
        let [count] = graph.bindings(["count"]);
        let step = graph.command(0, 0..120, []).id();
        let mut cpu = graph.cpu([step]);
        let again = cpu.again();
        cpu.add(count, count, 1).lt(again, count, rounds);
        self.graph(&graph, &[("count", 0)])
    }

    /// Microseconds of so many turns of a loop of 16 instructions.
    fn stream(&self, turns: u32) -> Result<f64, BenchError> {
        let mut stream = km::Stream::new();
        let [count, sum] = [stream.register(), stream.register()];
        stream.set(count, turns).set(sum, 0);
        let top = stream.label();
        stream.place(top);
        for _ in 0..14 {
            stream.add(sum, sum, count);
        }
        stream.sub(count, count, 1);
        stream.jump_if(count, top);
        stream.halt(sum);
        let upload = self.run.upload(&stream)?;
        let handle = self.run.start(&upload, ())?;
        let event = self.run.wait_engine(&handle, TIMEOUT)?;
        self.run.release(&upload, TIMEOUT)?;
        Ok(f64::from(event.ticks) / TICKS_PER_MICROSECOND)
    }
}

/// A value at nominal, low and high costs.
fn settings(measure: impl Fn(&Bed) -> Result<f64, BenchError>) -> Result<Reading, BenchError> {
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
    count(|cost| cost.uncached, cores)
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
    settings(|bed| Ok(bed.rounds(100)?.each(bed.rounds(50)?, 50).microseconds))
}

/// Card time that the host's upload of a graph of so many bytes takes: the writes into the region, and their fence.
pub(crate) fn upload_time(bytes: usize) -> Result<Reading, BenchError> {
    settings(|bed| bed.upload(bytes))
}

/// Instructions of a stream a second of card time.
pub(crate) fn stream_rate() -> Result<Reading, BenchError> {
    settings(|bed| Ok(100.0 * 16.0 * 1e6 / (bed.stream(200)? - bed.stream(100)?)))
}
