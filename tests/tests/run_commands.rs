//! Commands of every kind, over the whole grid.

use std::time::Duration;

use km::build::Sources;
use komorebi as km;
use komorebi_sim::Card;

const TIMEOUT: Duration = Duration::from_secs(5);

/// `sum` gives the sum of its words; `spin` keeps its cores busy for so many cycles; `stamp` gives the leader's index.
const READER: &str = r"
#include <komorebi/kernel.h>
KM_HANDLER(Sum) { command.set_result(args.a + args.b); }
KM_HANDLER(Stamp) { command.set_result(km::core_index() + 1000); }
KM_HANDLER(Spin) {
    const uint64_t start = km::wall_clock();
    while (km::wall_clock() - start < args.cycles) {}
}
";

fn program() -> km::Program {
    km::Program::new("commands")
        .with_sources(Sources::new().file("reader.cpp", READER.as_bytes()))
        .handler_with(
            "sum",
            1,
            &[("a", km::ArgKind::U32), ("b", km::ArgKind::U32)],
            Some(km::ResultKind::U32),
        )
        .handler_with("stamp", 2, &[], Some(km::ResultKind::U32))
        .handler_with("spin", 3, &[("cycles", km::ArgKind::U32)], None)
        .depth(16)
}

fn session() -> km::Session {
    km::Session::builder().on(&Card::builder().build()).open().unwrap()
}

fn run_of(width: u32, height: u32) -> km::Run {
    session().load(program().grid(width, height)).unwrap()
}

#[test]
fn sixteen_commands_in_flight_over_120_cores_all_have_their_events() {
    let run = session().load(program()).unwrap();
    assert_eq!(run.grid(), km::Grid::new(12, 10));
    let handles: Vec<_> = (0..64)
        .map(|i| run.submit(km::call("sum", &[i, 1]).on((i % 15 * 8, 8)).result::<u32>()).unwrap())
        .collect();
    let events = run.wait(&handles, TIMEOUT).unwrap();
    for (i, event) in (0..).zip(&events) {
        assert_eq!((event.kind, event.value()), (km::EventKind::Done, i + 1));
        assert_eq!(u32::from(event.auxiliary), i % 15 * 8, "the first core");
    }
    let whole = run.submit(km::nop()).unwrap();
    run.wait(whole, TIMEOUT).unwrap();
    let report = run.stop(TIMEOUT).unwrap();
    assert_eq!(report.result.unwrap().commands, 66, "with the NOP and EXIT");
    assert_eq!(report.cores.len(), 120);
    for (i, core) in report.cores.iter().enumerate() {
        let jobs = (0..64).filter(|job| job % 15 == i / 8).count() as u32;
        // Of the program's kernels the reader alone has a handler; EXIT is for all.
        assert_eq!(
            core.threads.map(|thread| thread.done),
            [jobs + 2, jobs + 2, 1, 1, 1],
            "core {i}: {core:?}"
        );
    }
}

#[test]
fn rings_smaller_than_the_work_go_round_and_lose_nothing() {
    for (host_depth, event_depth, batch) in [(2, 2, 1), (4, 16, 64), (64, 8, 3), (64, 128, 64)] {
        let options = km::LoadOptions { host_depth, event_depth, batch, ..Default::default() };
        let run = session().load_with(program().grid(2, 1), options).unwrap();
        let calls = (0..300).map(|i| km::call("sum", &[i, i]).on((i % 2, 1)).result::<u32>());
        let handles = run.submit_many(calls).unwrap();
        assert_eq!(run.drain(TIMEOUT).unwrap(), 300);
        for (i, handle) in (0..).zip(handles.clone()) {
            assert_eq!(run.event(handle).unwrap().unwrap().value(), 2 * i);
            assert_eq!(run.sequence(handle).unwrap(), Some(u64::from(i) + 1));
        }
        run.forget(handles.clone()).unwrap();
        let mut handles = handles;
        assert!(matches!(run.event(handles.next().unwrap()), Err(km::Error::Handle { handle: 1 })));
        let result = run.stop(TIMEOUT).unwrap().result.unwrap();
        assert_eq!((result.events, result.abandoned), (301, 0));
    }
}

#[test]
fn handles_can_be_waited_for_in_any_order() {
    let run = run_of(4, 2);
    let slow = run.submit(km::call("spin", &[200_000]).on(0..4)).unwrap();
    let fast = run.submit(km::call("spin", &[100]).on(4..8)).unwrap();
    let event = run.wait_any(&[slow, fast], TIMEOUT).unwrap();
    assert_eq!(event.handle, fast);
    assert!(run.event(slow).unwrap().is_none());
    let event = run.wait(slow, TIMEOUT).unwrap();
    assert!(event.microseconds() > 140.0, "200,000 cycles at 1350 MHz, not {} us", event.microseconds());
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_loop_over_event_makes_progress() {
    let run = run_of(1, 1);
    let handle = run.submit(km::call("stamp", &[]).result::<u32>()).unwrap();
    let mut polls = 0;
    let event = loop {
        if let Some(event) = run.event(handle).unwrap() {
            break event;
        }
        polls += 1;
        assert!(polls < 1_000_000, "no event after {polls} polls");
    };
    assert_eq!(event.value(), 1000);
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_batch_with_one_wrong_command_queues_none() {
    let run = run_of(2, 1);
    let groups = [km::Group::new(0, 1), km::Group::new(1, 2)];
    let columns = km::Columns { groups: &groups, args: None, exclusive: false };
    let error = run.submit_columns("stamp", columns).unwrap_err();
    assert!(matches!(error, km::Error::Group(_)), "{error}");
    let handle = run.submit(km::nop()).unwrap();
    assert_eq!(handle.number(), 1, "nothing was queued before it");
    let args = ndarray::array![[1, 2], [3, 4], [5, 6]];
    let group = [km::Group::new(1, 1)];
    let columns = km::Columns { groups: &group, args: Some(args.view()), exclusive: true };
    let handles = run.submit_columns("sum", columns).unwrap();
    assert_eq!(handles.len(), 3);
    assert_eq!(run.drain(TIMEOUT).unwrap(), 4);
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn what_is_no_command_of_the_program_is_refused_before_it_is_queued() {
    let run = run_of(2, 1);
    let error = run.submit(km::call("stmp", &[])).unwrap_err();
    assert_eq!(error.to_string(), "program `commands` has no handler `stmp`; did you mean `stamp`?");
    let error = run.submit(km::call("sum", &[1])).unwrap_err();
    assert_eq!(error.to_string(), "handler `sum` takes 2 argument words, not 1");
    let error = run.submit(km::nop().on(1..3)).unwrap_err();
    assert!(error.to_string().contains("group 1..3 does not lie inside the 2 x 1 grid"), "{error}");
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_queued_command_learns_its_first_core_from_its_event() {
    let run = run_of(4, 1);
    let busy = run.submit(km::call("spin", &[100_000]).on(0..2)).unwrap();
    let queued = run.submit(km::call("stamp", &[]).queued(2).result::<u32>()).unwrap();
    assert_eq!(run.group(queued).unwrap(), km::CommandGroup { first: None, count: 2 });
    let event = run.wait_any(&[queued], TIMEOUT).unwrap();
    assert_eq!((event.auxiliary, event.value()), (2, 1002));
    run.wait(busy, TIMEOUT).unwrap();
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn the_hosts_time_in_submits_and_waits_is_added_up() {
    let run = run_of(2, 1);
    assert_eq!((run.submit_s(), run.wait_s()), (0.0, 0.0));
    let handles: Vec<_> = (0..640).map(|i| run.submit(km::nop().on((i % 2, 1))).unwrap()).collect();
    let submitted = run.submit_s();
    assert!(submitted > 0.0 && run.wait_s() == 0.0);
    run.wait(&handles[..320], TIMEOUT).unwrap();
    let waited = run.wait_s();
    assert!(waited > 0.0 && run.submit_s() == submitted);
    run.drain(TIMEOUT).unwrap();
    assert!(run.wait_s() > waited);
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_full_job_queue_rejects_and_the_run_goes_on() {
    let run = run_of(2, 1);
    // Core 0 is busy, so commands for two cores stay in the dispatcher's queue; core 1's events tell the host that their
    // lines are free again.
    let first = run.submit(km::call("spin", &[2_000_000]).on(0..1)).unwrap();
    let mut handles = Vec::new();
    for _ in 0..2 {
        handles.extend((0..40).map(|_| run.submit(km::nop().queued(2)).unwrap()));
        run.wait(run.submit(km::nop().on(1..2)).unwrap(), TIMEOUT).unwrap();
    }
    let error = run.wait(&handles, TIMEOUT).unwrap_err();
    let km::Error::CommandRejected(rejected) = &error else { panic!("{error}") };
    assert_eq!((rejected.reason, rejected.reason_name), (9, "queue"));
    assert!(error.to_string().ends_with("keep at most 64 queued commands unfinished"), "{error}");
    run.wait(first, TIMEOUT).unwrap();
    let again = run.submit(km::nop().queued(1)).unwrap();
    run.wait(again, TIMEOUT).unwrap();
    let result = run.stop(TIMEOUT).unwrap().result.unwrap();
    assert!(result.rejected > 0 && result.abandoned == 0, "{result}");
}

#[test]
fn an_exclusive_command_is_alone_on_its_cores() {
    let run = run_of(2, 1);
    let slow = run.submit(km::call("spin", &[100_000]).on(0..2)).unwrap();
    let alone = run.submit(km::call("stamp", &[]).on(1..2).exclusive().result::<u32>()).unwrap();
    let event = run.wait_any(&[alone], TIMEOUT).unwrap();
    assert_eq!(event.value(), 1001);
    assert!(run.event(slow).unwrap().is_some(), "the exclusive command waited for the one that overlaps it");
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn the_same_calls_give_the_same_bytes_and_times_again() {
    let times = || {
        let card = Card::builder().seed(7).build();
        let session = km::Session::builder().on(&card).open().unwrap();
        let run = session.load(program().grid(3, 2)).unwrap();
        let handles: Vec<_> = (0..40).map(|i| run.submit(km::call("sum", &[i, i])).unwrap()).collect();
        let ticks: Vec<u32> = run.wait(&handles, TIMEOUT).unwrap().iter().map(|event| event.ticks).collect();
        run.stop(TIMEOUT).unwrap();
        (ticks, km::Card::now(&card))
    };
    assert_eq!(times(), times());
}

#[test]
fn floats_of_kernels_are_binary32_in_software_and_the_cores_own_are_for_assembly() {
    // The product of two small numbers is a subnormal one: the cores flush it (tensix.md §2).
    let reader = r#"
#include <komorebi/kernel.h>
static uint32_t bits(float value) { uint32_t bits; __builtin_memcpy(&bits, &value, 4); return bits; }
KM_HANDLER(Product) { command.set_result(bits(args.a * args.b)); }
KM_HANDLER(Quotient) { command.set_result(bits(args.a / args.b)); }
KM_HANDLER(Fast) {
    uint32_t product;
    asm(".option push\n.option arch, +f\n fmv.w.x ft0, %1\n fmv.w.x ft1, %2\n fmul.s ft0, ft0, ft1\n fmv.x.w %0, ft0\n.option pop"
        : "=r"(product) : "r"(bits(args.a)), "r"(bits(args.b)));
    command.set_result(product);
}
"#;
    let of = [("a", km::ArgKind::F32), ("b", km::ArgKind::F32)];
    let program = ["product", "quotient", "fast"].into_iter().zip(1..).fold(
        km::Program::new("floats").with_sources(Sources::new().file("reader.cpp", reader.as_bytes())),
        |program, (name, number)| program.handler_with(name, number, &of, Some(km::ResultKind::U32)),
    );
    let run = session().load(program.grid(1, 1)).unwrap();
    let small = [2_f32.powi(-100), 2_f32.powi(-40)];
    let large = [3.5, -1.25];
    let bits = |name: &str, of: [f32; 2]| {
        let command = run.submit(km::call(name, &of.map(f32::to_bits)).result::<u32>()).unwrap();
        run.wait(command, TIMEOUT).unwrap().value()
    };
    for [a, b] in [small, large, [1.0, 3.0]] {
        assert_eq!(bits("product", [a, b]), (a * b).to_bits(), "{a} * {b}");
        assert_eq!(bits("quotient", [a, b]), (a / b).to_bits(), "{a} / {b}");
    }
    assert_eq!(bits("fast", large), (large[0] * large[1]).to_bits());
    assert!(small[0] * small[1] != 0.0);
    assert_eq!(bits("fast", small), 0);
    run.stop(TIMEOUT).unwrap();
}
