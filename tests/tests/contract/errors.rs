//! A case for each error: how it is reached, and the facts it carries.

use std::time::Duration;

use km::Arithmetic as _;
use km::build::Sources;
use komorebi as km;
use komorebi_abi::constants::layout;
use komorebi_sim::{Breakage, When};

use super::bench::{Bench, CLUSTER, TIMEOUT, patient, program, quick};
use super::table::Told;

pub(crate) fn not_present(_: &Bench) -> Told {
    let error = km::Session::builder().card(4096).open().unwrap_err();
    let km::Error::NotPresent { path, setting } = &error else { panic!("{error}") };
    assert!(path.ends_with("4096") && setting.to_string() == "card(4096)");
    Told::ends(error)
}

pub(crate) fn no_sim_card(_: &Bench) -> Told {
    let error = km::Session::builder().sim_card("/nowhere/card").open().unwrap_err();
    let km::Error::NoSimCard { cause, setting } = &error else { panic!("{error}") };
    assert!(cause.to_string().contains("cargo komorebi sim-card /nowhere/card"), "{error}");
    assert_eq!(setting.to_string(), "sim_card(\"/nowhere/card\")");
    Told::ends(error)
}

pub(crate) fn pll_clock(bench: &Bench) -> Told {
    let error = km::Session::builder().on(&bench.card).pll_mhz(1200).open().unwrap_err();
    assert_eq!(error.to_string(), "the X280 has no clock of 1200 MHz; give 200, 800, 1000 or 1750");
    Told::ends(error)
}

pub(crate) fn card_busy(bench: &Bench) -> Told {
    let session = bench.session();
    let error = km::Session::builder().on(&bench.card.client()).open().unwrap_err();
    assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
    Told::goes_on(error, session)
}

pub(crate) fn closed(bench: &Bench) -> Told {
    let (session, run) = bench.run();
    session.close().unwrap();
    let error = session.load(program()).unwrap_err();
    assert!(run.stop(TIMEOUT).unwrap().cause.is_some_and(|cause| matches!(*cause, km::Error::Closed)));
    Told::ends(error)
}

pub(crate) fn loaded(bench: &Bench) -> Told {
    let (session, run) = bench.run();
    let error = session.load(program()).unwrap_err();
    run.stop(TIMEOUT).unwrap();
    Told::goes_on(error, session)
}

/// A dispatcher whose hart stands still for good ends the run, and the card is lost to the session.
pub(crate) fn unstopped(bench: &Bench) -> Told {
    let (session, run) = bench.run();
    bench.break_now(Breakage::Freeze { tile: CLUSTER, hart: 0, time: None });
    let failed = run.abort().unwrap_err();
    let km::Error::KernelFailed(facts) = &failed else { panic!("{failed}") };
    assert!(facts.what.contains("its hart did not come back to the monitor; reset the card"), "{failed}");
    assert_eq!(facts.harts.len(), 4);
    assert_eq!(facts.harts[0], km::HartState::Running, "{failed}");
    let error = session.load(program()).unwrap_err();
    let close = session.close().unwrap_err();
    assert!(matches!(close, km::Error::KernelFailed(_)), "{close}");
    Told::ends(error)
}

pub(crate) fn program_error(bench: &Bench) -> Told {
    let session = bench.session();
    let error = session.load(program().handler("again", 1).define("1st", 1)).unwrap_err();
    let km::Error::ProgramError(facts) = &error else { panic!("{error}") };
    assert_eq!((facts.problems.len(), facts.program.as_str()), (2, "contract"));
    let broken = "#include <komorebi/kernel.h>\nint broken( {\n".as_bytes();
    let error = session.load(program().with_sources(Sources::new().file("reader.cpp", broken))).unwrap_err();
    assert!(error.to_string().contains("reader.cpp:2"), "the build message: {error}");
    Told::goes_on(error, session)
}

pub(crate) fn kernel_size(bench: &Bench) -> Told {
    let session = bench.session();
    let error = session.load(program().args(|_| (vec![0; 20_000], vec![], vec![]))).unwrap_err();
    let km::Error::KernelSizeError(facts) = &error else { panic!("{error}") };
    assert_eq!((facts.args, facts.sizes.buffer), (80_000, layout::KERNEL_BYTES));
    assert!(facts.sizes.total > 0 && facts.needed > facts.sizes.buffer);
    Told::goes_on(error, session)
}

pub(crate) fn kernel_instruction(bench: &Bench) -> Told {
    let session = bench.session();
    let compute =
        "#include <komorebi/kernel.h>\nKM_HANDLER(Sum) {\n    asm volatile(\".word 0x18b57553\");\n}\n";
    let sources = Sources::new().file("compute.cpp", compute.as_bytes());
    let error = session.load(program().with_sources(sources)).unwrap_err();
    let km::Error::KernelInstructionError(facts) = &error else { panic!("{error}") };
    let finding = &facts.findings[0];
    assert_eq!(finding.instruction, "fdiv.s");
    assert!(
        error.to_string().contains("unpack: fdiv.s at 0x")
            && error.to_string().contains("in km_handler_Sum at compute.cpp:2"),
        "{error}"
    );
    Told::goes_on(error, session)
}

pub(crate) fn threads_not_run(bench: &Bench) -> Told {
    let session = bench.session();
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/contract/thread.cpp");
    let thread = km::Thread::on(1).source(source).deadline(Duration::from_millis(1));
    let error = session.load(program().thread(thread)).unwrap_err();
    assert!(error.to_string().starts_with("program `contract` has"), "{error}");
    Told::goes_on(error, session)
}

pub(crate) fn load_option(bench: &Bench) -> Told {
    let session = bench.session();
    let options = km::LoadOptions { event_depth: 3, ..quick() };
    let error = session.load_with(program(), options).unwrap_err();
    assert_eq!(error.to_string(), "event_depth is 3; give a power of two from 2 to 128");
    Told::goes_on(error, session)
}

pub(crate) fn tensor(bench: &Bench) -> Told {
    let session = bench.session();
    let tensor = session.empty(&[4, 16], km::DType::Uint32).unwrap();
    let error = session.read(&tensor, 3, 2).unwrap_err();
    assert!(error.to_string().contains("pages 3..5 lie outside the tensor, which has 4 pages"), "{error}");
    Told::goes_on(error, session)
}

pub(crate) fn group(bench: &Bench) -> Told {
    let (session, run) = bench.run();
    let error = run.submit(km::nop().on((7, 2))).unwrap_err();
    let km::Error::Group(facts) = &error else { panic!("{error}") };
    assert_eq!((facts.first, facts.count, facts.grid), (7, 2, km::Grid::new(4, 2)));
    run.stop(TIMEOUT).unwrap();
    Told::goes_on(error, session)
}

pub(crate) fn argument(bench: &Bench) -> Told {
    let (session, run) = bench.run();
    let error = run.submit(km::call("sums", &[1, 2])).unwrap_err();
    assert!(error.to_string().contains("has no handler `sums`; did you mean `sum`?"), "{error}");
    run.stop(TIMEOUT).unwrap();
    Told::goes_on(error, session)
}

pub(crate) fn foreign_handle(bench: &Bench) -> Told {
    let (session, run) = bench.run();
    let old = run.submit(km::nop()).unwrap();
    run.stop(TIMEOUT).unwrap();
    let run = session.load(program()).unwrap();
    let error = run.wait(old, TIMEOUT).unwrap_err();
    let km::Error::ForeignHandle { handle, load, run: asked } = &error else { panic!("{error}") };
    assert_eq!((*handle, *load, *asked), (1, Some(old.load()), run.load()));
    run.stop(TIMEOUT).unwrap();
    Told::goes_on(error, session)
}

pub(crate) fn no_handles(bench: &Bench) -> Told {
    let (session, run) = bench.run();
    let error = run.wait_any::<()>(&[], TIMEOUT).unwrap_err();
    run.stop(TIMEOUT).unwrap();
    Told::goes_on(error, session)
}

pub(crate) fn handle(bench: &Bench) -> Told {
    let (session, run) = bench.run();
    let once = run.submit(km::nop()).unwrap();
    run.wait(once, TIMEOUT).unwrap();
    let error = run.wait(once, TIMEOUT).unwrap_err();
    assert!(matches!(error, km::Error::Handle { handle: 1 }), "{error}");
    run.stop(TIMEOUT).unwrap();
    Told::goes_on(error, session)
}

/// A stream submits 32,768 commands between two of the host's.
pub(crate) fn sequence(bench: &Bench) -> Told {
    let session = bench.session();
    let run = session.load_with(program(), patient()).unwrap();
    let mut stream = km::Stream::new().req(1);
    let [left] = stream.bindings(["left"]);
    stream.while_(
        |_| left.into(),
        |s| {
            s.submit(0, 0..1, []);
            s.add(left, left, -1);
        },
    );
    stream.wait_all().halt(0);
    let upload = run.upload(&stream).unwrap();
    let before = run.submit(km::nop().on(0..1)).unwrap();
    run.drain(TIMEOUT).unwrap();
    let engine = run.start(&upload, [32_768_u32]).unwrap();
    run.wait_engine(&engine, TIMEOUT).unwrap();
    let after = run.submit(km::nop().on(0..1)).unwrap();
    run.drain(TIMEOUT).unwrap();
    assert_eq!(run.sequence(before).unwrap(), Some(1));
    let error = run.sequence(after).unwrap_err();
    assert!(matches!(error, km::Error::Sequence { handle } if handle == after.number()), "{error}");
    run.stop(TIMEOUT).unwrap();
    Told::goes_on(error, session)
}

pub(crate) fn not_traced(bench: &Bench) -> Told {
    let session = bench.session();
    let run = session.load_with(program(), km::LoadOptions { trace: 1, ..quick() }).unwrap();
    let handles = [run.submit(km::nop()).unwrap(), run.submit(km::nop()).unwrap()];
    run.wait(&handles, TIMEOUT).unwrap();
    let trace = run.stop(TIMEOUT).unwrap().trace.unwrap();
    assert!(trace.command(handles[0]).is_ok());
    let error = trace.command(handles[1]).err().unwrap();
    assert!(matches!(error, km::Error::NotTraced { handle: 2, .. }), "{error}");
    Told::goes_on(error, session)
}

pub(crate) fn wait_timeout(bench: &Bench) -> Told {
    let session = bench.session();
    let run = session.load(program()).unwrap();
    let stuck = run.submit(km::call("stuck", &[1]).on(0..2)).unwrap();
    let error = run.wait(stuck, Duration::from_millis(1)).unwrap_err();
    let km::Error::WaitTimeout(facts) = &error else { panic!("{error}") };
    assert_eq!((facts.timeout, facts.pending.as_slice()), (Duration::from_millis(1), &[1][..]));
    let activity = facts.activity.as_ref().unwrap();
    assert!(activity.passes >= 20, "{error}");
    assert_eq!(activity.state.busy[0].group, km::Group::new(0, 2));
    assert!(
        matches!(activity.harts[..], [km::HartState::Running, km::HartState::Parked { .. }, _, _]),
        "{error}"
    );
    run.wait(run.submit(km::nop().on(4..8)).unwrap(), TIMEOUT).unwrap();
    assert_eq!(run.abort().unwrap().result.unwrap().abandoned, 1);
    Told::goes_on(error, session)
}

pub(crate) fn command_rejected(bench: &Bench) -> Told {
    let session = bench.session();
    let run = session.load_with(program(), patient()).unwrap();
    let error = super::rejections::queue(&run);
    run.stop(TIMEOUT).unwrap();
    Told::goes_on(error, session)
}

pub(crate) fn upload(bench: &Bench) -> Told {
    let (session, run) = bench.run();
    let error = run.upload((vec![0; 1 << 20], km::UploadKind::Stream)).unwrap_err();
    let km::Error::Upload(facts) = &error else { panic!("{error}") };
    assert!(matches!(**facts, km::error::UploadError::Room { bytes: 0x10_0000, .. }), "{error}");
    run.stop(TIMEOUT).unwrap();
    Told::goes_on(error, session)
}

pub(crate) fn engine_rejected(bench: &Bench) -> Told {
    let (session, run) = bench.run();
    let error = run.restart(6, ()).unwrap_err();
    let km::Error::EngineRejected(facts) = &error else { panic!("{error}") };
    assert_eq!((facts.reason, facts.reason_name), (6, "req"));
    assert_eq!((facts.call, facts.handle.req()), (km::error::EngineCall::Run, 6));
    run.stop(TIMEOUT).unwrap();
    Told::goes_on(error, session)
}

/// A stream that spins until its binding is 0 or it is cancelled.
pub(crate) fn spinning() -> km::Stream {
    let mut stream = km::Stream::new().req(3);
    let [go] = stream.bindings(["go"]);
    // A condition that nothing in the loop writes is refused.
    stream.while_(
        |_| go.into(),
        |s| {
            s.set(go, 1);
        },
    );
    stream.halt(0);
    stream
}

pub(crate) fn engine_error(bench: &Bench) -> Told {
    let (session, run) = bench.run();
    let upload = run.upload(&spinning()).unwrap();
    let engine = run.start(&upload, [1_u32]).unwrap();
    run.cancel(&engine, TIMEOUT).unwrap();
    let error = run.wait_engine(&engine, TIMEOUT).unwrap_err();
    let km::Error::EngineError(facts) = &error else { panic!("{error}") };
    assert_eq!((facts.reason_name, facts.node), ("cancelled", None));
    assert_eq!((facts.reason, facts.event.kind), (km::Reason::CANCELLED.0, km::EngineEventKind::Error));
    assert!(facts.pc.is_some() && facts.handle == engine, "{error}");
    run.stop(TIMEOUT).unwrap();
    Told::goes_on(error, session)
}

pub(crate) fn engine_ended(bench: &Bench) -> Told {
    let (session, run) = bench.run();
    let upload = run.upload(&spinning()).unwrap();
    let engine = run.start(&upload, [0_u32]).unwrap();
    let error = run.wait_engine_event(&engine, 1, TIMEOUT).unwrap_err();
    let km::Error::EngineEnded(facts) = &error else { panic!("{error}") };
    assert_eq!((facts.index, facts.events), (1, 1));
    run.stop(TIMEOUT).unwrap();
    Told::goes_on(error, session)
}

pub(crate) fn engine_timeout(bench: &Bench) -> Told {
    let (session, run) = bench.run();
    let upload = run.upload(&spinning()).unwrap();
    let engine = run.start(&upload, [1_u32]).unwrap();
    let error = run.wait_engine(&engine, Duration::from_millis(1)).unwrap_err();
    let km::Error::EngineTimeout(facts) = &error else { panic!("{error}") };
    assert_eq!((&facts.handle, facts.call, facts.timeout), (&engine, None, Duration::from_millis(1)));
    assert!(facts.activity.as_ref().is_some_and(|activity| activity.passes >= 20), "{error}");
    run.stop(TIMEOUT).unwrap();
    Told::goes_on(error, session)
}

pub(crate) fn command_timeout(bench: &Bench) -> Told {
    let (session, run) = bench.run();
    run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap();
    let stuck = run.submit(km::call("stuck", &[5]).on(4..8)).unwrap();
    let error = run.wait(stuck, TIMEOUT).unwrap_err();
    let km::Error::CommandTimeout(facts) = &error else { panic!("{error}") };
    assert_eq!((facts.handle, facts.sequence, facts.deadline), (Some(2), 2, Duration::from_millis(2)));
    assert_eq!((facts.group, facts.engine.is_none()), (Some(km::Group::new(4, 4)), true));
    assert!(u32::from(facts.slot) < 4, "a slot of the program's depth: {error}");
    let five = facts.cores.iter().find(|late| late.core == 5).expect("core 5 did not report");
    let [reader, writer, ..] = five.threads;
    assert_eq!((reader.wait, reader.object), (km::state::WaitKind::Semaphore, 0x10_0000));
    assert_eq!(writer.stage, km::state::ThreadStage::Stopped, "{error}");
    assert_eq!(facts.result.unwrap().error, km::state::DispatcherError::Deadline);
    assert!(run.stop(TIMEOUT).unwrap().cores.len() == 8, "the run is read back");
    Told::goes_on(error, session)
}

/// An exception of the dispatcher: the run says where in the firmware, and the card needs no reset.
pub(crate) fn kernel_failed(bench: &Bench) -> Told {
    let (session, run) = bench.run();
    run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap();
    bench.break_now(Breakage::Trap { tile: CLUSTER, hart: 0, cause: 5, value: 0x3000 });
    let late = run.submit(km::nop()).unwrap();
    let error = run.wait(late, TIMEOUT).unwrap_err();
    let km::Error::KernelFailed(facts) = &error else { panic!("{error}") };
    let trap = facts.trap.as_ref().expect("a trap");
    assert_eq!((trap.hart, trap.cause, trap.value), (0, 5, 0x3000));
    assert!((0x0800_1000..0x0820_0000).contains(&trap.pc), "{error}");
    let place = trap.place.as_ref().expect("the firmware has symbols");
    assert!(place.function.contains("km::") && place.line.is_some(), "{error}");
    assert_eq!((facts.result, facts.harts.len()), (None, 4));
    assert!(error.to_string().contains("mcause 0x5, mepc 0x"), "{error}");
    let error_of_stop = run.stop(TIMEOUT).unwrap();
    assert!(error_of_stop.cause.is_some() && error_of_stop.cores.len() == 8);
    Told::goes_on(error, session)
}

pub(crate) fn grid_timeout(bench: &Bench) -> Told {
    let patient = Duration::from_millis(3);
    let session = km::Session::builder().on(&bench.card).grid_timeout(patient).open().unwrap();
    let run = session.load(program()).unwrap();
    let endless = run.submit(km::call("endless", &[2])).unwrap();
    run.wait(endless, Duration::from_millis(1)).unwrap_err();
    let error = run.abort().unwrap_err();
    let km::Error::GridTimeout(facts) = &error else { panic!("{error}") };
    assert_eq!(facts.timeout, patient);
    let stuck: Vec<_> = facts.threads.iter().map(|stuck| (stuck.core, stuck.thread)).collect();
    assert_eq!(stuck, [(2, "reader")]);
    assert_eq!(facts.result.unwrap().abandoned, 1);
    Told::goes_on(error, session)
}

/// Reads give all ones: the first one is the last.
pub(crate) fn device_lost(bench: &Bench) -> Told {
    let (session, run) = bench.run();
    bench.break_now(Breakage::Lose);
    let handle = run.submit(km::nop()).unwrap();
    let error = run.wait(handle, TIMEOUT).unwrap_err();
    let km::Error::DeviceLost { what } = &error else { panic!("{error}") };
    assert!(what.contains("gave all ones"), "{error}");
    let calls = bench.card.calls();
    let again = run.wait(handle, TIMEOUT).unwrap_err();
    assert!(matches!(again, km::Error::RunEnded { .. }), "{again}");
    assert!(run.stop(TIMEOUT).unwrap().cores.is_empty(), "nothing can be read back");
    assert_eq!(bench.card.calls(), calls, "nothing is asked of a card that is lost");
    assert!(matches!(session.load(program()), Err(km::Error::DeviceLost { .. })));
    assert!(matches!(session.close(), Err(km::Error::DeviceLost { .. })));
    Told::ends(error)
}

pub(crate) fn run_ended(bench: &Bench) -> Told {
    let (session, run) = bench.run();
    run.wait(run.submit(km::call("stuck", &[0])).unwrap(), TIMEOUT).unwrap_err();
    let error = run.submit(km::nop()).unwrap_err();
    let km::Error::RunEnded { cause } = &error else { panic!("{error}") };
    assert!(matches!(**cause, km::Error::CommandTimeout(_)), "{error}");
    drop(run);
    Told::goes_on(error, session)
}

pub(crate) fn fault(bench: &Bench) -> Told {
    let (session, run) = bench.run();
    let error = run.wait(run.submit(km::call("crooked", &[]).on(0..1)).unwrap(), TIMEOUT).unwrap_err();
    let km::Error::Fault(facts) = &error else { panic!("{error}") };
    assert_eq!(facts.fault.agent, "NC");
    let place = facts.place.as_ref().unwrap();
    assert!(place.line.as_ref().is_some_and(|line| line.starts_with("reader.cpp:")), "{error}");
    assert!(matches!(session.close(), Err(km::Error::Fault(_))));
    Told::ends(error)
}

/// A call that the driver refuses once: the run goes on.
pub(crate) fn card(bench: &Bench) -> Told {
    let (session, run) = bench.run();
    let handle = run.submit(km::nop()).unwrap();
    bench.card.break_on(When::Call(1), Breakage::Refuse("no pages are left".into())).unwrap();
    let error = run.wait(handle, TIMEOUT).unwrap_err();
    assert!(error.to_string().contains("no pages are left"), "{error}");
    run.wait(handle, TIMEOUT).unwrap();
    run.stop(TIMEOUT).unwrap();
    Told::goes_on(error, session)
}
