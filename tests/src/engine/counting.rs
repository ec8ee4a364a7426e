//! A program whose handlers add, wait and note, and engines over it.

use km::Arithmetic as _;
use km::build::Sources;
use komorebi as km;
use komorebi_card::Card as _;
use komorebi_sim::Card;

/// The handlers, for a reader: [`with_handlers`] declares them.
pub const READER: &str = r"
static uint32_t noted;
KM_HANDLER(Sum) { command.set_result(args.a + args.b); }
KM_HANDLER(Spin) {
    const uint64_t start = km::wall_clock();
    while (km::wall_clock() - start < args.cycles) {}
}
KM_HANDLER(Note) {
    noted = noted * 31 + args.word + 1;
    command.set_result(noted);
}
";

/// Gives a program the handlers of [`READER`], as commands 1 to 3.
pub fn with_handlers(program: km::Program) -> km::Program {
    let word = |name| (name, km::ArgKind::U32);
    program
        .handler_with("sum", 1, &[word("a"), word("b")], Some(km::ResultKind::U32))
        .handler_with("spin", 2, &[word("cycles")], None)
        .handler_with("note", 3, &[word("word")], Some(km::ResultKind::U32))
}

/// The program.
pub fn program() -> km::Program {
    let reader = format!("#include <komorebi/kernel.h>\n{READER}");
    let sources = Sources::new().file("reader.cpp", reader.into_bytes());
    with_handlers(km::Program::new("engines").with_sources(sources)).depth(16).grid(4, 2)
}

/// A session on a card of its own.
///
/// # Panics
/// When it does not open.
pub fn session() -> km::Session {
    km::Session::builder().on(&Card::builder().build()).open().unwrap()
}

/// The program on a card of its own.
///
/// # Panics
/// When it does not load.
pub fn run() -> km::Run {
    session().load(program()).unwrap()
}

/// Adds `step` to `total` with commands on the first `cores` until it is at or over `limit`; ends with rounds and total.
pub fn adding(cores: u32) -> km::Graph {
    let mut graph = km::Graph::new().req(6).max_runs(50).keep();
    let [step, limit, total, rounds] = graph.bindings(["step", "limit", "total", "rounds"]);
    let add = graph.command("sum", 0..cores, [total.into(), step.into()]).result(total).id();
    let mut cpu = graph.cpu([add]);
    let again = cpu.again();
    cpu.add(rounds, rounds, 1).ltu(again, total, limit);
    graph.end(rounds, total);
    graph
}

/// Goes round and round while `go` is not 0; posts an event a turn if `loud`.
pub fn spinning(req: u64, loud: bool) -> km::Stream {
    let mut stream = km::Stream::new().req(req);
    let [go] = stream.bindings(["go"]);
    let turns = stream.register();
    stream.set(turns, 0);
    stream.while_(
        |_| go.into(),
        |s| {
            // A condition that nothing in the loop writes is refused.
            s.set(go, 1).add(turns, turns, 1);
            if loud {
                s.event(turns);
            }
        },
    );
    stream.halt(turns);
    stream
}

/// Posts 1 to `count`, each the sum of a command on the first `cores`, and halts with their number.
pub fn counting(req: u64, cores: u32) -> km::Stream {
    let mut stream = km::Stream::new().req(req);
    let [count] = stream.bindings(["count"]);
    let [i, more] = [stream.register(), stream.register()];
    stream.set(i, 0);
    stream.while_(
        |s| {
            s.ltu(more, i, count);
            more.into()
        },
        |s| {
            s.submit("sum", 0..cores, [i.into(), 1.into()]).result(i);
            s.wait_all().event(i);
        },
    );
    stream.halt(i);
    stream
}

/// Why an engine ended with an error, or its RUN was rejected.
///
/// # Panics
/// When it did neither.
pub fn reason<T>(result: km::Result<T>) -> &'static str {
    match result.err() {
        Some(km::Error::EngineError(error)) => error.reason_name,
        Some(km::Error::EngineRejected(error)) => error.reason_name,
        Some(other) => panic!("{other}"),
        None => panic!("it ended well"),
    }
}

/// The tile of the X280 cluster that the dispatcher runs on.
pub fn cluster(card: &Card) -> km::NocXy {
    card.description().l2cpus[0].tile
}
