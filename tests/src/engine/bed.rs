//! A grid to measure engines on, and what they cost the dispatcher.
//!
//! Graphs are kept ones, run again: nothing is checked. What a thing costs is the difference of a long run's and a short
//! one's, so that what is once a run falls out.

use std::time::Duration;

use km::{Arithmetic as _, Card as _};
use komorebi as km;
use komorebi_abi::constants::engine;
use komorebi_sim::{Card, Setting};

const TIMEOUT: Duration = Duration::from_secs(10);

/// What a run, or each of many things in it, takes.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Microseconds of the card.
    pub microseconds: f64,
    /// X280 instructions.
    pub instructions: f64,
    /// X280 loads past its caches.
    pub loads: f64,
    /// X280 stores past its caches.
    pub stores: f64,
}

impl Cost {
    /// What each of `count` more things costs that `self` has more of than `less`.
    fn each(self, less: Self, count: u32) -> Self {
        let of = |more: f64, less: f64| (more - less) / f64::from(count);
        Self {
            microseconds: of(self.microseconds, less.microseconds),
            instructions: of(self.instructions, less.instructions),
            loads: of(self.loads, less.loads),
            stores: of(self.stores, less.stores),
        }
    }
}

/// A grid of 120 cores that has run nothing yet.
#[derive(Debug)]
pub struct Bed {
    card: Card,
    session: km::Session,
    run: km::Run,
}

impl Bed {
    /// A card of these costs with a grid on it.
    ///
    /// # Errors
    /// The session's.
    pub fn load(costs: Setting) -> km::Result<Self> {
        let card = Card::builder().costs(costs).build();
        let session = km::Session::builder().on(&card).open()?;
        let run = session.load(km::Program::new("engines").depth(16))?;
        Ok(Self { card, session, run })
    }

    /// Stops the grid and closes the session.
    ///
    /// # Errors
    /// The run's and the session's.
    pub fn close(self) -> km::Result<()> {
        self.run.stop(TIMEOUT)?;
        self.session.close()
    }

    /// The second run of a kept graph.
    fn graph(&self, graph: &km::Graph, words: &[(&str, u32)]) -> km::Result<Cost> {
        let upload = self.run.upload(graph)?;
        let handle = self.run.start(&upload, words)?;
        self.run.wait_engine(&handle, TIMEOUT)?;
        let before = self.card.counters();
        let handle = self.run.restart(&upload, words)?;
        let event = self.run.wait_engine(&handle, TIMEOUT)?;
        let after = self.card.counters();
        self.run.release(&upload, TIMEOUT)?;
        Ok(Cost {
            microseconds: event.microseconds(),
            instructions: (after.x280_instructions - before.x280_instructions) as f64,
            loads: (after.x280_uncached_loads - before.x280_uncached_loads) as f64,
            stores: (after.x280_uncached_stores - before.x280_uncached_stores) as f64,
        })
    }

    /// So many NOPs, one after the other.
    fn chain(nodes: u32, cores: u32) -> km::Graph {
        let mut graph = km::Graph::new().keep();
        let mut before: Option<km::Node> = None;
        for _ in 0..nodes {
            before = Some(graph.command(0, 0..cores, []).after(before).id());
        }
        graph
    }

    /// A node of a chain of NOPs on so many cores, from its command to the next one's.
    ///
    /// # Errors
    /// The run's.
    pub fn node(&self, cores: u32) -> km::Result<Cost> {
        let [short, long] = [200, 600].map(|nodes| self.graph(&Self::chain(nodes, cores), &[]));
        Ok(long?.each(short?, 400))
    }

    /// A round of a NOP on 120 cores, a cpu node of two instructions, and an event.
    ///
    /// # Errors
    /// The run's.
    pub fn round(&self) -> km::Result<Cost> {
        let rounds = |rounds: u32| {
            let mut graph = km::Graph::new().keep();
            let [count] = graph.bindings(["count"]);
            let step = graph.command(0, 0..120, []).id();
            let mut cpu = graph.cpu([step]);
            let again = cpu.again();
            cpu.add(count, count, 1).lt(again, count, rounds);
            self.graph(&graph, &[("count", 0)])
        };
        let [short, long] = [50, 100].map(rounds);
        Ok(long?.each(short?, 50))
    }

    /// Microseconds of an instruction of a stream, in a loop of 16.
    ///
    /// # Errors
    /// The run's.
    pub fn instruction(&self) -> km::Result<f64> {
        let time = |turns: u32| -> km::Result<f64> {
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
            Ok(event.microseconds())
        };
        Ok((time(200)? - time(100)?) / (100.0 * 16.0))
    }

    /// Microseconds of the card from the call of `upload` to its return, of a chain of NOPs of at least `bytes` bytes.
    ///
    /// # Errors
    /// The run's.
    pub fn upload(&self, bytes: u32) -> km::Result<f64> {
        let graph = Self::chain(bytes.div_ceil(engine::RECORD_BYTES), 120);
        let start = self.card.now();
        let upload = self.run.upload(&graph)?;
        let took = self.card.now() - start;
        self.run.release(&upload, TIMEOUT)?;
        Ok(took.as_nanos() as f64 / 1e3)
    }
}
