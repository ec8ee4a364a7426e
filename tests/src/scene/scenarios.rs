//! The scenarios: commands, data, engines (in `engines.rs`), and every way to fail, each from an open to a close.

use std::time::Duration;

use km::build::Sources;
use komorebi as km;
use komorebi_card::Card as _;
use komorebi_sim::{Breakage, When};

use super::{Scene, engines};
use crate::engine::counting;

pub(super) const TIMEOUT: Duration = Duration::from_secs(5);
/// Pages of the tensors.
const PAGES: u32 = 23;

/// A scenario.
pub struct Scenario {
    /// What it is, for messages.
    pub name: &'static str,
    /// Plays it.
    pub play: fn(&mut Scene),
}

const fn scenario(name: &'static str, play: fn(&mut Scene)) -> Scenario {
    Scenario { name, play }
}

/// All scenarios.
pub const SCENARIOS: &[Scenario] = &[
    scenario("commands", commands),
    scenario("pages through five threads", pages),
    scenario("a ring of cores", ring),
    scenario("kept graph", engines::graph),
    scenario("streams", engines::streams),
    scenario("cancelled stream", engines::cancelled),
    scenario("engines past their deadlines", engines::late),
    scenario("graph and stream that the host runs", engines::hostfed),
    scenario("snapshot in the middle of a stream", engines::snapshot),
    scenario("traced run", traced),
    scenario("core that waits for ever", stuck),
    scenario("core that never returns", endless),
    scenario("broken rule", crooked),
    scenario("frozen core that goes on", frozen),
    scenario("late and lost packets", packets),
    scenario("trap of the dispatcher", trap),
    scenario("dead client", killed),
    scenario("lost card", lost),
    scenario("silence of the host", silence),
];

/// Behind the handlers that engines count with.
const READER: &str = r"
using namespace km::program;
KM_HANDLER(Map) {
    const TensorAccessor input{args.input, 2048};
    for (uint32_t page = command.index; page < args.pages; page += command.count) {
        cb_reserve_back(0, 1);
        noc_async_read_page(page, input, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
KM_HANDLER(Stuck) {
    if (km::core_index() == args.core) noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(0x100000), 1);
}
KM_HANDLER(Endless) {
    if (km::core_index() == args.core) for (;;) asm volatile(``);
}
KM_HANDLER(Crooked) { noc_async_read(km::bank_noc_addr(0, 4), 0x100000, 32); }
";

const COMPUTE: &str = r"
#include <komorebi/kernel.h>
KM_HANDLER(Map) {
    km::map_pages(0, 16, (args.pages - command.index + command.count - 1) / command.count,
                  [](const uint32_t* in, uint32_t* out, uint32_t words) {
        for (uint32_t i = 0; i < words; ++i) out[i] = 3 * in[i] + i;
    });
}
";

const WRITER: &str = r"
#include <komorebi/kernel.h>
KM_HANDLER(Map) {
    const TensorAccessor output{args.output, 2048};
    for (uint32_t page = command.index; page < args.pages; page += command.count) {
        cb_wait_front(16, 1);
        noc_async_write_page(page, output, get_read_ptr(16));
        noc_async_writes_flushed();
        cb_pop_front(16, 1);
    }
}
// Word 0: data; word 4: flag; word 8: what the flag is sent from; word 12: semaphore.
KM_HANDLER(Pass) {
    auto* words = reinterpret_cast<volatile uint32_t*>(0x100000);
    const uint32_t next = (km::core_index() + 1) % km::core_count();
    if (!command.is_leader()) noc_semaphore_wait(words + 4, args.round);
    words[0] = words[0] + 1;
    noc_async_write(0x100000, km::core_noc_addr(next, 0x100000), 4);
    noc_async_write_barrier();
    words[8] = args.round;
    noc_semaphore_set_remote(0x100020, km::core_noc_addr(next, 0x100010));
    noc_semaphore_inc(km::core_noc_addr(0, 0x100030), 1);
    if (command.is_leader()) {
        noc_semaphore_wait(words + 4, args.round);
        noc_semaphore_wait_min(words + 12, args.round * km::core_count());
        command.set_result(words[0]);
    }
}
";

pub(super) fn program() -> km::Program {
    let word = |name| (name, km::ArgKind::U32);
    let address = |name| (name, km::ArgKind::Address);
    let result = Some(km::ResultKind::U32);
    let reader = READER.replace('`', "\"");
    let reader = format!("#include <komorebi/kernel.h>\n{}{reader}", counting::READER);
    let sources = Sources::new()
        .file("reader.cpp", reader.into_bytes())
        .file("compute.cpp", COMPUTE.as_bytes())
        .file("writer.cpp", WRITER.as_bytes());
    counting::with_handlers(km::Program::new("scenes").with_sources(sources))
        .handler_with("map", 4, &[address("input"), address("output"), word("pages")], None)
        .handler_with("pass", 5, &[word("round")], result)
        .handler_with("stuck", 6, &[word("core")], None)
        .handler_with("endless", 7, &[word("core")], None)
        .handler_with("crooked", 8, &[], None)
        .buffer(0, km::Format::Uint32, 2048, 4)
        .buffer(16, km::Format::Uint32, 2048, 4)
        .depth(8)
        .grid(2, 2)
}

fn quick() -> km::LoadOptions {
    km::LoadOptions { deadline: Duration::from_millis(1), ..Default::default() }
}

/// An error by its kind, and in full.
pub(super) fn failed(scene: &mut Scene, error: &km::Error) {
    let kind = format!("{error:?}");
    scene.result(kind.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default());
    scene.detail(error.to_string());
}

/// How a run stopped.
pub(super) fn stop(scene: &mut Scene, run: km::Run) {
    match run.stop(TIMEOUT) {
        Ok(report) => scene.detail(format!("{:?} {:?}", report.result, report.cores)),
        Err(error) => failed(scene, &error),
    }
}

/// A NOP works again.
pub(super) fn works(scene: &mut Scene, session: &km::Session) {
    let run = session.load(program()).unwrap();
    run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap();
    run.stop(TIMEOUT).unwrap();
    scene.result("a NOP works");
}

fn commands(scene: &mut Scene) {
    let run = scene.session().load(program()).unwrap();
    for i in 0..12 {
        let sum = km::call("sum", &[i, 7 * i]).on((i % 3, 1 + i % 2)).result::<u32>();
        let event = run.wait(run.submit(sum).unwrap(), TIMEOUT).unwrap();
        scene.result(event.value().to_string());
        scene.detail(event.ticks.to_string());
    }
    let many = (0..40).map(|i| km::call("note", &[i]).on((i % 4, 1)).result::<u32>());
    let many = run.submit_many(many).unwrap();
    let alone = run.submit(km::call("note", &[99]).exclusive().result::<u32>()).unwrap();
    scene.result(run.wait(alone, TIMEOUT).unwrap().value().to_string());
    for event in run.wait(many, TIMEOUT).unwrap() {
        scene.result(event.value().to_string());
        scene.detail(event.ticks.to_string());
    }
    let spin = run.submit(km::call("spin", &[20_000]).on(2..4)).unwrap();
    run.wait(spin, TIMEOUT).unwrap();
    stop(scene, run);
}

fn pages(scene: &mut Scene) {
    let session = scene.session();
    let data = ndarray::Array2::from_shape_fn((PAGES as usize, 512), |(page, i)| (512 * page + i) as u32);
    let input = session.tensor(&data, km::DType::Uint32).unwrap();
    let output = session.empty(&[PAGES as usize, 512], km::DType::Uint32).unwrap();
    let run = session.load(program()).unwrap();
    let words = [input.address().0, output.address().0, PAGES];
    for group in [(0, 3), (1, 2), (0, 4)] {
        let event = run.wait(run.submit(km::call("map", &words).on(group)).unwrap(), TIMEOUT).unwrap();
        scene.detail(event.ticks.to_string());
    }
    let mapped = output.read::<u32>().unwrap();
    assert!(mapped.indexed_iter().all(|(at, word)| *word == 3 * data[[at[0], at[1]]] + at[1] as u32));
    scene.result("the pages are mapped");
    stop(scene, run);
}

fn ring(scene: &mut Scene) {
    let run = scene.session().load(program()).unwrap();
    for round in 1..5 {
        let pass = run.submit(km::call("pass", &[round]).result::<u32>()).unwrap();
        let event = run.wait(pass, TIMEOUT).unwrap();
        scene.result(event.value().to_string());
        scene.detail(event.ticks.to_string());
    }
    stop(scene, run);
}

fn traced(scene: &mut Scene) {
    let options = km::LoadOptions { trace: 64, ..Default::default() };
    let run = scene.session().load_with(program(), options).unwrap();
    let handles = (0..6).map(|i| km::call("sum", &[i, 1]).on((i % 3, 2)).result::<u32>());
    let handles = run.submit_many(handles).unwrap();
    let values: Vec<u32> = run.wait(handles, TIMEOUT).unwrap().iter().map(|event| event.value()).collect();
    scene.result(format!("{values:?}"));
    let report = run.stop(TIMEOUT).unwrap();
    // Loads are numbered across all scenarios of a process.
    let trace = format!("{:?}", report.trace);
    scene.detail(trace.split_once("mhz").expect("the trace was read").1);
    scene.detail(format!("{:?}", report.cores));
}

fn stuck(scene: &mut Scene) {
    let session = scene.session();
    let run = session.load_with(program(), quick()).unwrap();
    let stuck = run.submit(km::call("stuck", &[2]).on(1..4)).unwrap();
    let error = run.wait(stuck, TIMEOUT).unwrap_err();
    failed(scene, &error);
    stop(scene, run);
    works(scene, &session);
}

fn endless(scene: &mut Scene) {
    let limit = Duration::from_micros(300);
    let session = km::Session::builder().on(scene.card()).grid_timeout(limit).open().unwrap();
    let run = session.load_with(program(), quick()).unwrap();
    let endless = run.submit(km::call("endless", &[2])).unwrap();
    let error = run.wait(endless, TIMEOUT).unwrap_err();
    failed(scene, &error);
    drop(run);
    works(scene, &session);
}

fn crooked(scene: &mut Scene) {
    let session = scene.session();
    let run = session.load(program()).unwrap();
    let crooked = run.submit(km::call("crooked", &[]).on(3..4)).unwrap();
    let error = run.wait(crooked, TIMEOUT).unwrap_err();
    failed(scene, &error);
    let error = session.close().unwrap_err();
    failed(scene, &error);
    drop(run);
    scene.card().reset();
    let session = scene.session();
    works(scene, &session);
}

fn frozen(scene: &mut Scene) {
    let session = scene.session();
    let run = session.load(program()).unwrap();
    let tile = km::NocXy::new(1, 2);
    for hart in 0..5 {
        let time = Some(Duration::from_micros(40 + hart as u64));
        scene.card().break_on(When::Now, Breakage::Freeze { tile, hart, time }).unwrap();
        let sum = run.submit(km::call("sum", &[hart as u32, 1]).result::<u32>()).unwrap();
        scene.result(run.wait(sum, TIMEOUT).unwrap().value().to_string());
    }
    stop(scene, run);
    works(scene, &session);
}

fn packets(scene: &mut Scene) {
    let session = scene.session();
    let run = session.load_with(program(), quick()).unwrap();
    let to = km::NocXy::new(2, 2);
    let by = Duration::from_micros(30);
    scene.card().break_on(When::Now, Breakage::Delay { to, packets: 3, by }).unwrap();
    let sum = run.submit(km::call("sum", &[20, 22]).result::<u32>()).unwrap();
    scene.result(run.wait(sum, TIMEOUT).unwrap().value().to_string());
    scene.card().break_on(When::Now, Breakage::Drop { to, packets: 5 }).unwrap();
    let sum = run.submit(km::call("sum", &[20, 22]).on(0..4).result::<u32>()).unwrap();
    let error = run.wait(sum, TIMEOUT).unwrap_err();
    failed(scene, &error);
    stop(scene, run);
    scene.card().mend();
    works(scene, &session);
}

fn trap(scene: &mut Scene) {
    let session = scene.session();
    let run = session.load(program()).unwrap();
    run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap();
    let tile = scene.card().description().l2cpus[0].tile;
    scene.card().break_on(When::Now, Breakage::Trap { tile, hart: 0, cause: 5, value: 0x1234 }).unwrap();
    let error = run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap_err();
    assert!(matches!(error, km::Error::KernelFailed(_)), "{error}");
    scene.result("the dispatcher failed");
    stop(scene, run);
    works(scene, &session);
}

fn killed(scene: &mut Scene) {
    let client = scene.card().client();
    let session = km::Session::builder().on(&client).open().unwrap();
    let run = session.load(program()).unwrap();
    let spin = run.submit(km::call("spin", &[50_000])).unwrap();
    client.break_on(When::Call(1), Breakage::KillClient).unwrap();
    let error = run.wait(spin, TIMEOUT).unwrap_err();
    failed(scene, &error);
    drop((run, session));
    let session = scene.session();
    works(scene, &session);
}

fn lost(scene: &mut Scene) {
    let session = scene.session();
    let run = session.load(program()).unwrap();
    let sum = run.submit(km::call("sum", &[20, 22]).result::<u32>()).unwrap();
    scene.card().break_on(When::At(scene.card().now() + Duration::from_micros(2)), Breakage::Lose).unwrap();
    let error = run.wait(sum, TIMEOUT).unwrap_err();
    failed(scene, &error);
    drop((run, session));
    scene.card().reset();
    let session = scene.session();
    works(scene, &session);
}

/// Everybody waits, long; then the host goes on, and goes away without a stop.
fn silence(scene: &mut Scene) {
    let session = scene.session();
    let run = session.load(program()).unwrap();
    scene.pass(Duration::from_millis(2));
    let sum = run.submit(km::call("sum", &[1, 2]).result::<u32>()).unwrap();
    scene.result(run.wait(sum, TIMEOUT).unwrap().value().to_string());
    run.submit(km::call("spin", &[100_000]).on(0..2)).unwrap();
    drop((run, session));
    scene.detail("dropped");
    let session = scene.session();
    works(scene, &session);
}
