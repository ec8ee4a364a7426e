//! What goes wrong, what the error says, and that the next load works.

use std::time::Duration;

use km::Card as _;
use km::build::Sources;
use komorebi as km;
use komorebi_sim::Card;

const TIMEOUT: Duration = Duration::from_secs(5);

const READER: &str = r#"
#include <komorebi/kernel.h>
KM_HANDLER(Stuck) {
    if (args.core == km::core_index() || args.core == ~0u) noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(0x100000), 1);
}
KM_HANDLER(Endless) {
    if (km::core_index() == args.core) for (;;) asm volatile("");
}
KM_HANDLER(Crooked) {
    noc_async_read(km::bank_noc_addr(0, 4), 0x100000, 32);
}
"#;

fn program() -> km::Program {
    km::Program::new("failures")
        .with_sources(Sources::new().file("reader.cpp", READER.as_bytes()))
        .handler_with("stuck", 1, &[("core", km::ArgKind::U32)], None)
        .handler_with("endless", 2, &[("core", km::ArgKind::U32)], None)
        .handler_with("crooked", 3, &[], None)
        .grid(4, 2)
}

fn quick() -> km::LoadOptions {
    km::LoadOptions { deadline: Duration::from_millis(2), ..Default::default() }
}

fn works(session: &km::Session) {
    let run = session.load(program()).unwrap();
    run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap();
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_late_group_names_the_core_and_where_it_waits_and_the_card_works_again() {
    let session = km::Session::builder().on(&Card::builder().build()).open().unwrap();
    let run = session.load_with(program(), quick()).unwrap();
    let before = run.submit(km::nop()).unwrap();
    run.wait(before, TIMEOUT).unwrap();
    let stuck = run.submit(km::call("stuck", &[5]).on(4..8)).unwrap();
    let error = run.wait(stuck, TIMEOUT).unwrap_err();
    let km::Error::CommandTimeout(late) = &error else { panic!("{error}") };
    assert_eq!((late.handle, late.group), (Some(2), Some(km::Group::new(4, 4))));
    let five = late.cores.iter().find(|core| core.core == 5).expect("core 5 is late");
    assert_eq!(five.threads[0].wait, km::state::WaitKind::Semaphore);
    assert_eq!((five.threads[0].object, five.threads[0].wanted, five.threads[0].seen), (0x10_0000, 1, 0));
    assert!(late.cores.iter().all(|core| [4, 5].contains(&core.core)), "only the leader and core 5: {error}");
    let result = late.result.unwrap();
    assert_eq!(result.error, km::state::DispatcherError::Deadline);

    let error = run.submit(km::nop()).unwrap_err();
    let km::Error::RunEnded { cause } = &error else { panic!("{error}") };
    assert!(matches!(**cause, km::Error::CommandTimeout(_)));
    let report = run.stop(TIMEOUT).unwrap();
    assert_eq!(report.cores.len(), 8);
    assert!(report.cause.is_some());
    works(&session);
}

#[test]
fn sixty_late_cores_are_told_in_few_lines_with_their_threads_and_the_option() {
    let session = km::Session::builder().on(&Card::builder().build()).open().unwrap();
    let run = session.load_with(program().grid(10, 6), quick()).unwrap();
    // Every core but the leader waits for nobody: the leader alone keeps the command, and its own reader is why.
    let stuck = run.submit(km::call("stuck", &[0])).unwrap();
    let error = run.wait(stuck, TIMEOUT).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("missed its deadline of 2ms (load option `deadline`)"), "{message}");
    assert!(
        message.contains("core 0: reader returned at the stop flag (handler 1, command 1) waiting for the semaphore at 0x100000: wanted 1, saw 0; writer "),
        "{message}"
    );
    assert!(message.contains("unpack, math, pack "), "{message}");
    drop(run);
    let options =
        km::LoadOptions { deadline: Duration::from_millis(1), wait: Duration::from_micros(300), ..quick() };
    let run = session.load_with(program().grid(10, 6), options).unwrap();
    let everywhere = run.submit(km::call("stuck", &[u32::MAX])).unwrap();
    let error = run.wait(everywhere, TIMEOUT).unwrap_err();
    let km::Error::CommandTimeout(late) = &error else { panic!("{error}") };
    assert_eq!((late.cores.len(), late.deadline), (60, Duration::from_millis(1)));
    let message = error.to_string();
    assert!(
        message.contains("\n  cores 0..60: reader gave up after the load option `wait` (handler 1"),
        "{message}"
    );
    assert_eq!(message.lines().count(), 2, "{message}");
}

#[test]
fn threads_that_gave_up_name_the_option_they_went_by_at_the_start_and_later() {
    let card = Card::builder().build();
    let session = km::Session::builder().on(&card).open().unwrap();
    let options = km::LoadOptions {
        wait: Duration::from_micros(1),
        start: Duration::from_millis(5),
        ..Default::default()
    };
    let error = session.load_with(program(), options).unwrap_err();
    let km::Error::StartError(start) = &error else { panic!("{error}") };
    assert!(!start.cores.is_empty());
    let message = error.to_string();
    assert!(message.contains("within 5ms (load option `start`)"), "{message}");
    assert!(message.contains("gave up after the load option `wait` waiting for"), "{message}");
    // A core that the host was silent to for too long.
    let options = km::LoadOptions { idle: Duration::from_micros(500), ..quick() };
    let run = session.load_with(program(), options).unwrap();
    let until = card.now() + Duration::from_millis(1);
    while card.now() < until {
        card.relax(until).unwrap();
    }
    let late = run.submit(km::nop().on(1..2)).unwrap();
    let error = run.wait(late, TIMEOUT).unwrap_err();
    assert!(matches!(error, km::Error::CommandTimeout(_)), "{error}");
    let idle = "core 1: reader, writer gave up after the load option `idle` waiting for the next command; \
                unpack, math, pack returned at the stop flag waiting for the next command";
    assert!(error.to_string().contains(idle), "{error}");
    drop(run);
    works(&session);
}

#[test]
fn a_handler_that_never_returns_is_reset_with_its_core() {
    let session = km::Session::builder().on(&Card::builder().build()).open().unwrap();
    let run = session.load_with(program(), quick()).unwrap();
    let endless = run.submit(km::call("endless", &[0]).on(0..1)).unwrap();
    let error = run.wait(endless, TIMEOUT).unwrap_err();
    assert!(matches!(error, km::Error::CommandTimeout(_)), "{error}");
    drop(run);
    works(&session);
}

#[test]
fn an_abort_names_the_threads_that_do_not_come_back_and_resets_them() {
    let session = km::Session::builder()
        .on(&Card::builder().build())
        .grid_timeout(Duration::from_millis(3))
        .open()
        .unwrap();
    let run = session.load(program()).unwrap();
    let endless = run.submit(km::call("endless", &[2])).unwrap();
    run.wait(endless, Duration::from_millis(1)).unwrap_err();
    let error = run.abort().unwrap_err();
    let km::Error::GridTimeout(grid) = &error else { panic!("{error}") };
    assert_eq!(grid.timeout, Duration::from_millis(3));
    assert!(
        error.to_string().contains("`grid_timeout`") && error.to_string().contains("\n  core 2: reader runs"),
        "{error}"
    );
    let stuck: Vec<_> = grid.threads.iter().map(|stuck| (stuck.core, stuck.thread)).collect();
    assert_eq!(stuck, [(2, "reader")], "{error}");
    works(&session);
}

#[test]
fn a_broken_rule_of_the_hardware_names_function_and_line() {
    let session = km::Session::builder().on(&Card::builder().build()).open().unwrap();
    let run = session.load(program()).unwrap();
    let crooked = run.submit(km::call("crooked", &[]).on(0..1)).unwrap();
    let error = run.wait(crooked, TIMEOUT).unwrap_err();
    let km::Error::Fault(report) = &error else { panic!("{error}") };
    assert_eq!((report.fault.agent.as_str(), report.fault.rule.code()), ("NC", "KF0306"));
    let place = report.place.as_ref().expect("the kernels have symbols");
    assert!(place.line.as_ref().is_some_and(|line| line == "reader.cpp:10"), "{error}");
    assert!(matches!(run.submit(km::nop()), Err(km::Error::RunEnded { .. })));
}

#[test]
fn every_call_after_a_fault_tells_the_fault_whoever_met_it_first() {
    fn told(error: &km::Error) {
        let km::Error::Fault(report) = error else { panic!("{error}") };
        let line = report.place.as_ref().and_then(|place| place.line.as_deref());
        assert_eq!((report.fault.agent.as_str(), line), ("NC", Some("reader.cpp:10")), "{error}");
    }
    for dropped in [false, true] {
        let card = Card::builder().build();
        let session = km::Session::builder().on(&card).open().unwrap();
        let data = ndarray::Array2::<u32>::zeros((2, 16));
        let tensor = session.tensor(&data, km::DType::Uint32).unwrap();
        let run = session.load(program()).unwrap();
        // The run stores the command and does not see what becomes of it: the tensor's reads let the card run.
        let crooked = run.submit(km::call("crooked", &[]).on(0..1)).unwrap();
        run.wait(crooked, Duration::ZERO).unwrap_err();
        let late = card.now() + Duration::from_millis(1);
        while card.relax(late).is_ok_and(|now| now < late) {}
        told(&session.load(program()).unwrap_err());
        told(&tensor.read_bytes().unwrap_err());
        told(&tensor.write(&data).unwrap_err());
        told(&session.read(&tensor, 0, 1).unwrap_err());
        told(&session.empty(&[2, 16], km::DType::Uint32).unwrap_err());
        if dropped {
            drop(run);
        } else {
            told(&run.wait(crooked, TIMEOUT).unwrap_err());
            let error = run.wait(crooked, TIMEOUT).unwrap_err();
            let km::Error::RunEnded { cause } = &error else { panic!("{error}") };
            told(cause);
            told(&run.stop(TIMEOUT).unwrap().cause.unwrap());
        }
        told(&session.load(program()).unwrap_err());
        assert!(matches!(session.close(), Err(km::Error::Fault(_))));
    }
}

#[test]
fn a_wait_that_runs_out_tells_what_the_dispatcher_did_and_the_run_goes_on() {
    let session = km::Session::builder().on(&Card::builder().build()).open().unwrap();
    let run = session.load(program()).unwrap();
    let stuck = run.submit(km::call("stuck", &[1]).on(0..2)).unwrap();
    let error = run.wait(stuck, Duration::from_millis(1)).unwrap_err();
    let km::Error::WaitTimeout(timeout) = &error else { panic!("{error}") };
    assert_eq!(timeout.pending, [1]);
    let activity = timeout.activity.as_ref().unwrap();
    assert!(activity.passes >= 20, "at least 1,000 passes a second, not {} in 20 ms", activity.passes);
    assert_eq!(activity.state.busy[0].group, km::Group::new(0, 2));
    run.wait(run.submit(km::nop().on(4..8)).unwrap(), TIMEOUT).unwrap();
    let report = run.abort().unwrap();
    assert_eq!(report.result.unwrap().abandoned, 1);
    works(&session);
}

#[test]
fn a_run_that_is_dropped_is_aborted() {
    let session = km::Session::builder().on(&Card::builder().build()).open().unwrap();
    let run = session.load(program()).unwrap();
    run.submit(km::nop()).unwrap();
    assert!(matches!(session.load(program()), Err(km::Error::Loaded)));
    drop(run);
    works(&session);
}

#[test]
fn a_card_left_by_one_session_is_taken_over_by_the_next() {
    let card = Card::builder().build();
    let session = km::Session::builder().on(&card).open().unwrap();
    let error = km::Session::builder().on(&card).open().unwrap_err();
    assert!(matches!(&error, km::Error::CardBusy { holder } if holder.pid == std::process::id()), "{error}");
    let run = session.load(program()).unwrap();
    session.close().unwrap();
    let handle = run.submit(km::nop()).unwrap();
    let error = run.wait(handle, TIMEOUT).unwrap_err();
    assert!(matches!(error, km::Error::Closed | km::Error::RunEnded { .. }), "{error}");
    drop(run);
    let session = km::Session::builder().on(&card).pll_mhz(1750).open().unwrap();
    works(&session);
}

#[test]
fn the_dispatchers_idle_timeout_ends_the_run_with_its_result() {
    let card = Card::builder().build();
    let session = km::Session::builder().on(&card).open().unwrap();
    let options = km::LoadOptions { kernel_idle: Duration::from_millis(1), ..Default::default() };
    let run = session.load_with(program(), options).unwrap();
    run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap();
    let silent = card.now() + Duration::from_millis(3);
    while card.now() < silent {
        card.relax(silent).unwrap();
    }
    let late = run.submit(km::nop()).unwrap();
    let error = run.wait(late, TIMEOUT).unwrap_err();
    let km::Error::KernelFailed(failed) = &error else { panic!("{error}") };
    assert_eq!(failed.result.unwrap().error, km::state::DispatcherError::Idle);
    drop(run);
    works(&session);
}

#[test]
fn a_program_that_breaks_rules_or_does_not_compile_leaves_nothing_running() {
    let session = km::Session::builder().on(&Card::builder().build()).open().unwrap();
    let error = session.load(program().handler("again", 1).define("1st", 1)).unwrap_err();
    let km::Error::ProgramError(program_error) = &error else { panic!("{error}") };
    assert_eq!(program_error.problems.len(), 2, "{error}");
    let sources =
        Sources::new().file("reader.cpp", "#include <komorebi/kernel.h>\nint broken( {\n".as_bytes());
    let error = session.load(program().with_sources(sources)).unwrap_err();
    assert!(error.to_string().contains("reader.cpp:2"), "{error}");
    let error = session.load(program().grid(13, 9)).unwrap_err();
    assert!(matches!(error, km::Error::StartError(_)), "{error}");
    works(&session);
}

#[test]
fn a_buffer_that_is_not_declared_is_an_error_at_the_kernels_line_or_a_wait_for_it() {
    let session = km::Session::builder().on(&Card::builder().build()).open().unwrap();
    let program = |reader: &'static str| {
        km::Program::new("buffers")
            .with_sources(Sources::new().file("reader.cpp", reader.as_bytes()))
            .handler_with("take", 1, &[("buffer", km::ArgKind::U32)], None)
            .buffer(0, km::Format::Uint32, 64, 2)
            .buffer(3, km::Format::Uint32, 64, 2)
            .grid(1, 1)
    };
    let named = program("#include <komorebi/kernel.h>\nKM_HANDLER(Take) {\n    cb_reserve_back(4, 1);\n}\n");
    let error = session.load(named).unwrap_err().to_string();
    assert!(error.contains("reader.cpp:3:"), "{error}");
    assert!(error.contains("this program declares no circular buffer of this index"), "{error}");
    // Which one it is only the run knows: those between, those behind, and those that no card has.
    let taken =
        program("#include <komorebi/kernel.h>\nKM_HANDLER(Take) {\n    cb_push_back(args.buffer, 1);\n}\n");
    for buffer in [1_u32, 4, 36, u32::MAX] {
        let run = session.load_with(taken.clone(), quick()).unwrap();
        for declared in [0, 3] {
            run.wait(run.submit(km::call("take", &[declared])).unwrap(), TIMEOUT).unwrap();
        }
        let error = run.wait(run.submit(km::call("take", &[buffer])).unwrap(), TIMEOUT).unwrap_err();
        let km::Error::CommandTimeout(late) = &error else { panic!("{error}") };
        let reader = &late.cores[0].threads[0];
        assert_eq!(reader.wait, km::state::WaitKind::BufferSpace, "{error}");
        assert_eq!((reader.object, reader.wanted, reader.seen), (buffer, 1, 0), "{error}");
    }
}

#[test]
fn threads_that_wait_for_math_say_so_and_not_a_buffer() {
    let reader = "#include <komorebi/kernel.h>\nKM_HANDLER(Scale) {\n    for (uint32_t page = 0; page < args.pages; ++page) {\n        cb_reserve_back(0, 1);\n        cb_push_back(0, 1);\n    }\n}\n";
    let compute = "#include <komorebi/kernel.h>\nKM_HANDLER(Scale) {\n    km::map_pages(0, 16, args.pages, [](const uint32_t* in, uint32_t* out, uint32_t) { out[0] = 2 * in[0]; });\n}\n";
    let writer = "#include <komorebi/kernel.h>\nKM_HANDLER(Scale) {\n    for (uint32_t page = 0; page < args.pages; ++page) {\n        cb_wait_front(16, 1);\n        cb_pop_front(16, 1);\n    }\n}\n";
    let program = km::Program::new("scale")
        .with_sources(
            Sources::new()
                .file("reader.cpp", reader.as_bytes())
                .file("compute.cpp", compute.as_bytes())
                .file("writer.cpp", writer.as_bytes()),
        )
        .handler_with("scale", 1, &[("pages", km::ArgKind::U32)], None)
        .buffer(0, km::Format::Uint32, 64, 4)
        .buffer(16, km::Format::Uint32, 64, 4)
        .grid(1, 1);
    let card = Card::builder().build();
    let session = km::Session::builder().on(&card).grid_timeout(Duration::from_millis(3)).open().unwrap();
    let run = session.load_with(program, quick()).unwrap();
    run.wait(run.submit(km::call("scale", &[40])).unwrap(), TIMEOUT).unwrap();
    let tile = km::NocXy::new(card.description().columns[0], 2);
    let math = komorebi_sim::Breakage::Freeze { tile, hart: 3, time: None };
    card.break_on(komorebi_sim::When::Now, math).unwrap();
    let late = run.submit(km::call("scale", &[40])).unwrap();
    let error = run.wait(late, TIMEOUT).unwrap_err().to_string();
    for waits in [
        "waiting for the hardware semaphore 6: wanted 1, saw 0",
        "waiting for the hardware semaphore 7: wanted 1, saw 0",
    ] {
        assert!(error.contains(waits), "{error}");
    }
    assert!(!error.contains("waiting for data in circular buffer 0"), "{error}");
}

#[test]
fn kernels_and_arguments_that_do_not_fit_are_told_with_what_would_do() {
    let card = Card::builder().build();
    let session = km::Session::builder().on(&card).kernel_bytes(64 * 1024).open().unwrap();
    let long = program().args(|_| (vec![0; 20_000], Vec::new(), Vec::new()));
    let error = session.load(long.clone()).unwrap_err();
    let km::Error::KernelSizeError(size) = &error else { panic!("{error}") };
    assert_eq!(size.args, 80_000);
    let needed = size.needed;
    drop(session);
    let session = km::Session::builder().on(&card).kernel_bytes(needed).open().unwrap();
    session.load(long).unwrap().stop(TIMEOUT).unwrap();
}
