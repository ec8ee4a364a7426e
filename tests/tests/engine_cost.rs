//! What engines cost the dispatcher, with real kernels on the grid: a graph's node, a round, a launch, a stream's
//! instruction. Counts and the model's nominal time; the numbers are printed (`--nocapture`), the bounds are what a change
//! must not exceed.

use std::time::Duration;

use komorebi as km;
use komorebi::Arithmetic as _;
use komorebi_sim::Card;
use komorebi_tests::dispatcher::Setup;
use komorebi_tests::engine::launch_microseconds;

const TIMEOUT: Duration = Duration::from_secs(5);
const TICKS_PER_MICROSECOND: f64 = 50.0;

/// What a run of an engine took.
#[derive(Clone, Copy, Debug)]
struct Cost {
    microseconds: f64,
    instructions: f64,
    loads: f64,
    stores: f64,
}

impl Cost {
    /// What each of `count` more things cost, that `self` has more of than `less`.
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

struct Bed {
    card: Card,
    run: km::Run,
    _session: km::Session,
}

impl Bed {
    fn new() -> Self {
        let card = Card::builder().build();
        let session = km::Session::builder().on(&card).open().unwrap();
        let run = session.load(km::Program::new("cost").depth(16)).unwrap();
        Self { card, run, _session: session }
    }

    /// The second run of a kept graph, which is not checked.
    fn graph(&self, graph: &km::Graph, words: &[(&str, u32)]) -> Cost {
        let upload = self.run.upload(graph).unwrap();
        let handle = self.run.start(&upload, words).unwrap();
        self.run.wait_engine(&handle, TIMEOUT).unwrap();
        let before = self.card.counters();
        let handle = self.run.restart(&upload, words).unwrap();
        let event = self.run.wait_engine(&handle, TIMEOUT).unwrap();
        let after = self.card.counters();
        self.run.release(&upload, TIMEOUT).unwrap();
        Cost {
            microseconds: f64::from(event.ticks) / TICKS_PER_MICROSECOND,
            instructions: (after.x280_instructions - before.x280_instructions) as f64,
            loads: (after.x280_uncached_loads - before.x280_uncached_loads) as f64,
            stores: (after.x280_uncached_stores - before.x280_uncached_stores) as f64,
        }
    }

    /// A chain of NOPs.
    fn chain(&self, nodes: u32, cores: u32) -> Cost {
        let mut graph = km::Graph::new().keep();
        let mut before: Option<km::Node> = None;
        for _ in 0..nodes {
            before = Some(graph.command(0, 0..cores, []).after(before).id());
        }
        self.graph(&graph, &[])
    }

    fn node(&self, cores: u32, bound: f64) -> Cost {
        self.chain(8, cores); // its group has windows then
        let cost = self.chain(300, cores).each(self.chain(100, cores), 200);
        println!("a node on {cores} cores: {cost:.2?}");
        assert!(cost.microseconds <= bound, "{cost:?}, at most {bound} us");
        cost
    }
}

#[test]
fn a_node_boundary_on_1_12_and_120_cores() {
    let bed = Bed::new();
    bed.node(1, 1.7);
    bed.node(12, 1.7);
    bed.node(120, 1.7);
}

#[test]
fn a_launch() {
    let [first, again] = launch_microseconds(Setup::default());
    println!(
        "launch of a graph of one node: {first:.2} us with windows and check, {again:.2} us of a kept one"
    );
    assert!(first <= 7.0 && again <= 3.0);
}

#[test]
fn a_round_of_a_command_and_a_cpu_node() {
    let bed = Bed::new();
    let rounds = |rounds: u32| {
        let mut graph = km::Graph::new().keep();
        let [count] = graph.bindings(["count"]);
        let step = graph.command(0, 0..120, []).id();
        let mut cpu = graph.cpu([step]);
        let again = cpu.again();
        cpu.add(count, count, 1).lt(again, count, rounds);
        bed.graph(&graph, &[("count", 0)])
    };
    rounds(2);
    let cost = rounds(100).each(rounds(50), 50);
    println!("a round: {cost:.2?}");
    assert!(cost.microseconds <= 5.2 && cost.loads <= 120.0, "{cost:?}");
}

#[test]
fn an_instruction_of_a_stream() {
    let bed = Bed::new();
    let time = |turns: u32| {
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
        let upload = bed.run.upload(&stream).unwrap();
        let handle = bed.run.start(&upload, ()).unwrap();
        let event = bed.run.wait_engine(&handle, TIMEOUT).unwrap();
        bed.run.release(&upload, TIMEOUT).unwrap();
        f64::from(event.ticks) / TICKS_PER_MICROSECOND
    };
    let each = (time(200) - time(100)) / (100.0 * 16.0);
    println!("an instruction: {each:.3} us, {:.0} a second", 1e6 / each);
    assert!(each <= 0.38);
}
