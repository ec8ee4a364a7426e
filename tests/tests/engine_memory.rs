//! Random graphs and streams whose commands change a tensor: the dispatcher on one card and the interpreter on another
//! give the same events, registers and bytes.
//!
//! `KM_MEMORY_UPLOADS` is how many uploads each test runs, for more than the usual few.

use std::time::Duration;

use km::Card as _;
use komorebi as km;
use komorebi_abi::constants::{engine, event, layout};
use komorebi_sim::Card;
use komorebi_tests::dispatcher::lim;
use komorebi_tests::engine::Random;
use komorebi_tests::engine::memory::{CORES, PAGES, WORDS, apply, program};
use komorebi_tests::engine::work::bindings;
use komorebi_tests::engine::worked_graph::graph;
use komorebi_tests::engine::worked_stream::stream;

const TIMEOUT: Duration = Duration::from_secs(5);
/// Uploads on one pair of cards.
const PER_CARD: u64 = 25;

enum Source {
    Graph(km::Graph),
    Stream(km::Stream),
}

/// An upload, with the words behind the tensor's address.
struct Case {
    seed: u64,
    source: Source,
    words: Vec<u32>,
    bytes: Vec<u32>,
}

impl Case {
    fn new(kind: km::UploadKind, seed: u64, req: u64) -> Self {
        let mut random = Random::new(seed);
        let source = match kind {
            km::UploadKind::Graph => Source::Graph(graph(&mut random, req)),
            km::UploadKind::Stream => Source::Stream(stream(&mut random, req)),
        };
        let words = bindings(&mut random);
        let bytes = (0..PAGES as usize * WORDS).map(|_| random.word() as u32).collect();
        Self { seed, source, words, bytes }
    }

    fn bindings(&self, tensor: &km::Tensor) -> Vec<km::Binding> {
        let words = self.words.iter().map(|word| km::Binding::from(*word));
        [km::Binding::from(tensor)].into_iter().chain(words).collect()
    }
}

/// An event without its time: kind, value, end registers, reason, and the place of the error.
type Told = (km::EngineEventKind, Option<u32>, Option<[u32; 2]>, Option<u32>, Option<u32>);

fn told(output: &km::Output) -> Told {
    use km::EngineEventKind::{End, Error, Event, Round};
    match *output {
        km::Output::Event(value) => (Event, Some(value), None, None, None),
        km::Output::Round(rounds) => (Round, Some(rounds), None, None, None),
        km::Output::Halt(value) => (End, Some(value), None, None, None),
        km::Output::End(first, second) => {
            (End, None, Some([first & event::EVENT_AUX_MASK, second]), None, None)
        }
        km::Output::Error(refusal) => (Error, None, None, Some(refusal.reason.0), refusal.place),
    }
}

/// What an upload left.
#[derive(Debug, PartialEq)]
struct Left {
    events: Vec<Told>,
    registers: [u32; engine::REGISTERS as usize],
    words: Vec<u32>,
}

/// A card with the program on it, and tensors to work on.
struct Side {
    card: Card,
    run: km::Run,
    tensors: Vec<km::Tensor>,
    session: km::Session,
}

impl Side {
    fn new(seed: u64, options: km::LoadOptions) -> Self {
        let card = Card::builder().seed(seed).build();
        let session = km::Session::builder().on(&card).open().unwrap();
        let empty = |_| session.empty(&[PAGES as usize, WORDS], km::DType::Uint32).unwrap();
        let tensors = (0..6).map(empty).collect();
        let run = session.load_with(program(), options).unwrap();
        Self { card, run, tensors, session }
    }

    fn write(&self, tensor: usize, case: &Case) {
        let words = ndarray::Array2::from_shape_vec((PAGES as usize, WORDS), case.bytes.clone()).unwrap();
        self.tensors[tensor].write(&words).unwrap();
    }

    fn words(&self, tensor: usize) -> Vec<u32> {
        self.tensors[tensor].read::<u32>().unwrap().into_iter().collect()
    }

    /// The register file in the upload region, as the dispatcher left it.
    fn registers(&self, offset: u32) -> [u32; engine::REGISTERS as usize] {
        let tile = self.card.description().l2cpus[0].tile;
        let at = lim(layout::LIM_UPLOAD) + u64::from(offset + engine::UPLOAD_REGISTERS);
        let mut bytes = [0; 4 * engine::REGISTERS as usize];
        assert!(self.card.peek(tile, at, &mut bytes), "the register file at {at:#x}");
        let mut registers = [0; engine::REGISTERS as usize];
        for (register, word) in registers.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *register = u32::from_le_bytes(*word);
        }
        registers
    }

    fn start(&self, tensor: usize, case: &Case) -> (km::Upload, km::EngineHandle) {
        self.write(tensor, case);
        let upload = match &case.source {
            Source::Graph(graph) => self.run.upload(graph),
            Source::Stream(stream) => self.run.upload(stream),
        };
        let upload = upload.unwrap_or_else(|error| panic!("upload of seed {}: {error}", case.seed));
        let handle = self.run.start(&upload, case.bindings(&self.tensors[tensor])).unwrap();
        (upload, handle)
    }

    fn finish(&self, tensor: usize, case: &Case, upload: &km::Upload, handle: &km::EngineHandle) -> Left {
        match self.run.wait_engine(handle, TIMEOUT) {
            Ok(_) | Err(km::Error::EngineError(_)) => {}
            Err(other) => panic!("upload of seed {}: {other}", case.seed),
        }
        let place = |event: &km::EngineEvent| event.node.or(event.pc);
        let told =
            |event: km::EngineEvent| (event.kind, event.value, event.registers, event.reason, place(&event));
        let events = handle.events().into_iter().map(told).collect();
        let registers = self.registers(upload.offset());
        self.run.release(upload, TIMEOUT).unwrap();
        Left { events, registers, words: self.words(tensor) }
    }

    /// Runs it on the host; what its commands did to the tensor is held against the same in Rust. Gives their number too.
    fn hostfed(&self, tensor: usize, case: &Case) -> (Left, usize) {
        self.write(tensor, case);
        let bindings = case.bindings(&self.tensors[tensor]);
        let result = match &case.source {
            Source::Graph(graph) => self.run.run_hostfed(graph, bindings, TIMEOUT),
            Source::Stream(stream) => self.run.run_hostfed(stream, bindings, TIMEOUT),
        };
        let result = result.unwrap_or_else(|error| panic!("upload of seed {}: {error}", case.seed));
        let mut words = case.bytes.clone();
        result.commands.iter().for_each(|command| apply(&mut words, command));
        let left = Left {
            events: result.events.iter().map(told).collect(),
            registers: result.registers,
            words: self.words(tensor),
        };
        let Case { seed, .. } = case;
        assert!(
            left.words == words,
            "upload of seed {seed}: the commands did something else: {:?}",
            result.commands
        );
        (left, result.commands.len())
    }

    /// A command on every core does its work.
    fn works(&self) {
        let tensor = &self.tensors[5];
        let before = self.words(5);
        let mix = km::call("mix", &[tensor.address().0, 0, 9]).on(0..CORES).result::<u32>();
        let event = self.run.wait(self.run.submit(mix).unwrap(), TIMEOUT).unwrap();
        let after = self.words(5);
        assert_eq!(event.value(), after[0] ^ after[WORDS - 1]);
        let changed = (0..CORES as usize * WORDS).filter(|&i| before[i] != after[i]).count();
        assert!(changed > CORES as usize * WORDS * 9 / 10, "{changed} words changed");
    }
}

fn uploads(usual: u64) -> u64 {
    std::env::var("KM_MEMORY_UPLOADS").map_or(usual, |many| many.parse().expect("a number of uploads"))
}

/// The first register, event or word that differs.
fn assert_same(case: &Case, dispatcher: &Left, interpreter: &Left) {
    let what = format!("upload of seed {}, left dispatcher, right interpreter", case.seed);
    assert_eq!(dispatcher.events, interpreter.events, "events: {what}");
    assert_eq!(dispatcher.registers, interpreter.registers, "registers: {what}");
    let pairs = dispatcher.words.iter().zip(&interpreter.words).enumerate();
    let other: Vec<_> = pairs.filter(|(_, (one, other))| one != other).map(|(i, _)| i).collect();
    assert!(other.is_empty(), "memory at words {other:?}: {what}");
}

/// Runs so many uploads of a kind, one after the other, on cards of several seeds.
fn check(kind: km::UploadKind, usual: u64) {
    let (many, mut commands, mut ended) = (uploads(usual), 0, 0);
    for card in 0..many.div_ceil(PER_CARD) {
        let (dispatcher, interpreter) =
            (Side::new(2 * card, Default::default()), Side::new(2 * card + 1, Default::default()));
        for seed in card * PER_CARD..many.min((card + 1) * PER_CARD) {
            let case = Case::new(kind, seed, seed & 0xFFFF);
            let (hostfed, count) = interpreter.hostfed(0, &case);
            let (upload, handle) = dispatcher.start(0, &case);
            assert_same(&case, &dispatcher.finish(0, &case, &upload, &handle), &hostfed);
            commands += count;
            ended += u64::from(hostfed.events.last().unwrap().0 == km::EngineEventKind::End);
        }
        dispatcher.run.stop(TIMEOUT).unwrap();
        interpreter.run.stop(TIMEOUT).unwrap();
    }
    println!("{many} uploads, {ended} without an error, {commands} commands");
    assert!(ended * 10 > many * 8, "{ended} of {many} ended well");
}

#[test]
fn graphs_leave_the_events_registers_and_memory_of_the_interpreter() {
    check(km::UploadKind::Graph, 900);
}

#[test]
fn streams_leave_the_events_registers_and_memory_of_the_interpreter() {
    check(km::UploadKind::Stream, 900);
}

#[test]
fn six_engines_at_once_leave_what_each_leaves_alone() {
    let rounds = uploads(180).div_ceil(6);
    let options = || km::LoadOptions { event_depth: 32, host_depth: 16, ..Default::default() };
    let (dispatcher, interpreter) = (Side::new(1, options()), Side::new(2, Default::default()));
    for round in 0..rounds {
        let cases: Vec<Case> = (0..6)
            .map(|i| {
                let kind = if i < 2 { km::UploadKind::Graph } else { km::UploadKind::Stream };
                Case::new(kind, 1_000_000 + 6 * round + i, i)
            })
            .collect();
        let started: Vec<_> = cases.iter().enumerate().map(|(i, case)| dispatcher.start(i, case)).collect();
        for (i, (case, (upload, handle))) in cases.iter().zip(&started).enumerate() {
            let left = dispatcher.finish(i, case, upload, handle);
            assert_same(case, &left, &interpreter.hostfed(i, case).0);
        }
    }
    dispatcher.run.stop(TIMEOUT).unwrap();
    interpreter.run.stop(TIMEOUT).unwrap();
    println!("{rounds} times six uploads");
}

#[test]
fn a_cancel_at_any_time_leaves_a_session_that_works() {
    let many = uploads(100);
    let side = Side::new(3, Default::default());
    let mut cancelled = 0;
    for seed in 0..many {
        let mut random = Random::new(seed);
        let kind = random.one_of(&[km::UploadKind::Graph, km::UploadKind::Stream]);
        let case = Case::new(kind, 2_000_000 + seed, seed & 0xFFFF);
        let (upload, handle) = side.start(0, &case);
        let now = side.card.now();
        let until = now + Duration::from_nanos(random.below(60_000).into());
        while side.card.now() < until {
            side.card.relax(until).unwrap();
        }
        side.run.cancel(&handle, TIMEOUT).unwrap();
        match side.run.wait_engine(&handle, TIMEOUT) {
            Err(km::Error::EngineError(error)) if error.reason_name == "cancelled" => cancelled += 1,
            Ok(_) | Err(km::Error::EngineError(_)) => {}
            Err(other) => panic!("seed {seed}: {other}"),
        }
        side.run.release(&upload, TIMEOUT).unwrap();
        side.works();
    }
    side.run.stop(TIMEOUT).unwrap();
    println!("{cancelled} of {many} uploads cancelled");
    assert!(cancelled * 4 > many && cancelled < many, "{cancelled} of {many}: before and after the end");
}

/// `nop`, then `stuck`, which core 5 never ends.
fn stuck(kind: km::UploadKind, queued: bool) -> Source {
    match kind {
        km::UploadKind::Graph => {
            let mut graph = km::Graph::new().req(7);
            let first = graph.command(0, 0..CORES, []).id();
            let cores = if queued { 0..CORES } else { 4..8 };
            let late = graph.command("stuck", cores, [5.into()]).after([first]);
            let _ = if queued { late.queued() } else { late }.id();
            Source::Graph(graph)
        }
        km::UploadKind::Stream => {
            let mut stream = km::Stream::new().req(7);
            stream.submit(0, 0..CORES, []);
            stream.wait_all();
            if queued {
                stream.enqueue("stuck", CORES, [5.into()]);
            } else {
                stream.submit("stuck", 4..8, [5.into()]);
            }
            stream.wait_all().halt(0);
            Source::Stream(stream)
        }
    }
}

fn quick() -> km::LoadOptions {
    km::LoadOptions {
        deadline: Duration::from_millis(1),
        event_depth: 8,
        host_depth: 4,
        ..Default::default()
    }
}

/// The error names record 1 of the engine with req 7, the run is over, and the session loads again and works.
fn assert_late(side: Side, error: &km::Error, group: km::Group, handle: Option<u64>) {
    let km::Error::CommandTimeout(late) = error else { panic!("{error}") };
    let (engine, record) = late.engine.as_ref().expect("an engine's command");
    assert_eq!((engine.req(), *record, late.group, late.handle), (7, 1, Some(group), handle), "{error}");
    assert!(late.cores.iter().any(|core| core.core == 5), "{error}");
    let what = if engine.kind() == km::UploadKind::Graph {
        "node 1 of the graph"
    } else {
        "command 1 of the stream"
    };
    assert!(error.to_string().starts_with(what), "{error}");
    let km::Error::RunEnded { cause } = side.run.submit(km::nop()).unwrap_err() else { panic!("it ended") };
    assert_eq!(cause.to_string(), error.to_string());
    side.run.stop(TIMEOUT).unwrap();
    let run = side.session.load_with(program(), quick()).unwrap();
    let side = Side { run, ..side };
    side.works();
    side.run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_command_that_hangs_is_told_by_its_engine_and_node_and_the_session_loads_again() {
    for kind in [km::UploadKind::Graph, km::UploadKind::Stream] {
        for queued in [false, true] {
            let case = Case { seed: 0, source: stuck(kind, queued), words: Vec::new(), bytes: Vec::new() };
            let group = if queued { km::Group::new(0, CORES) } else { km::Group::new(4, 4) };
            let side = Side::new(1, quick());
            let error = match &case.source {
                Source::Graph(graph) => {
                    let handle = side.run.start(&side.run.upload(graph).unwrap(), ()).unwrap();
                    side.run.wait_engine(&handle, TIMEOUT).unwrap_err()
                }
                Source::Stream(stream) => {
                    let handle = side.run.start(&side.run.upload(stream).unwrap(), ()).unwrap();
                    side.run.wait_engine(&handle, TIMEOUT).unwrap_err()
                }
            };
            assert_late(side, &error, group, None);

            let side = Side::new(2, quick());
            let error = match &case.source {
                Source::Graph(graph) => side.run.run_hostfed(graph, (), TIMEOUT).unwrap_err(),
                Source::Stream(stream) => side.run.run_hostfed(stream, (), TIMEOUT).unwrap_err(),
            };
            assert_late(side, &error, group, Some(2));
        }
    }
}

#[test]
fn a_command_that_hangs_while_no_event_has_room_is_told_by_its_slot() {
    let side = Side::new(4, quick());
    let mut stream = km::Stream::new().req(7);
    stream.submit(0, 0..CORES, []);
    stream.wait_all();
    stream.submit("stuck", 4..8, [5.into()]);
    // More than there is room for.
    (0..12_u32).for_each(|value| {
        stream.event(value);
    });
    stream.wait_all().halt(0);
    let handle = side.run.start(&side.run.upload(&stream).unwrap(), ()).unwrap();
    let until = side.card.now() + Duration::from_millis(5);
    while side.card.now() < until {
        side.card.relax(until).unwrap();
    }
    let error = side.run.wait_engine(&handle, TIMEOUT).unwrap_err();
    assert_late(side, &error, km::Group::new(4, 4), None);
}
