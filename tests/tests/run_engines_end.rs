//! Engines that are ended: by a CANCEL, a stop, an abort, a late command, a dispatcher that dies.

use std::time::Duration;

use km::error::EngineCall;
use komorebi as km;
use komorebi_abi::constants::{command, layout};
use komorebi_card::{Card as _, Order};
use komorebi_sim::Card;
use komorebi_tests::engine::counting::{cluster, program, reason, run, session, spinning};

const TIMEOUT: Duration = Duration::from_secs(5);

#[test]
fn an_engine_that_is_cancelled_ends_with_that_reason_and_can_be_started_again() {
    let run = run();
    let upload = run.upload(&spinning(9, false)).unwrap();
    let handle = run.start(&upload, [1_u32]).unwrap();
    let error = run.wait_engine(&handle, Duration::from_millis(1)).unwrap_err();
    let km::Error::EngineTimeout(timeout) = &error else { panic!("{error}") };
    assert_eq!((&timeout.handle, timeout.call), (&handle, None));
    assert!(error.to_string().contains("has not ended within 1ms"), "{error}");
    assert_eq!(handle.state(), km::EngineState::Running);

    let error = run.release(&upload, TIMEOUT).unwrap_err().to_string();
    assert!(error.contains("is running; wait for its end, or cancel it"), "{error}");
    let error = run.start(&upload, [1_u32]).unwrap_err().to_string();
    assert!(error.contains("is running"), "{error}");
    run.cancel(&handle, TIMEOUT).unwrap();
    let error = run.wait_engine(&handle, TIMEOUT).unwrap_err();
    let km::Error::EngineError(facts) = &error else { panic!("{error}") };
    assert_eq!((facts.reason_name, facts.reason, facts.node), ("cancelled", km::Reason::CANCELLED.0, None));
    assert!(facts.pc.is_some() && facts.event.kind == km::EngineEventKind::Error);
    let (meaning, advice) = (km::Reason::CANCELLED.meaning(), km::Reason::CANCELLED.advice());
    assert!(error.to_string().ends_with(&format!(": {meaning}; {advice}")), "{error}");
    run.cancel(&handle, TIMEOUT).unwrap(); // nothing is sent for one that has ended

    let handle = run.start(&upload, [0_u32]).unwrap();
    assert_eq!(run.wait_engine(&handle, TIMEOUT).unwrap().end(), [0, 0]);
    assert_eq!(run.wait_engine_event(&handle, 0, TIMEOUT).unwrap().kind, km::EngineEventKind::End);
    let error = run.wait_engine_event(&handle, 1, TIMEOUT).unwrap_err();
    let km::Error::EngineEnded(facts) = &error else { panic!("{error}") };
    assert_eq!((&facts.handle, facts.index, facts.events), (&handle, 1, 1));
    assert!(error.to_string().contains("has ended with 1 events"), "{error}");
    run.release(&upload, TIMEOUT).unwrap();
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_start_that_is_not_answered_leaves_an_unknown_engine_that_cancel_settles() {
    let run = run();
    let upload = run.upload(&spinning(3, false)).unwrap();
    let at_once = km::StartOptions { timeout: Duration::ZERO, ..Default::default() };
    let error = run.start_with(&upload, [1_u32], at_once).unwrap_err();
    let km::Error::EngineTimeout(facts) = error else { panic!("{error}") };
    let handle = facts.handle;
    assert_eq!((handle.state(), facts.call), (km::EngineState::Unknown, Some(EngineCall::Run)));
    assert_eq!(upload.state(), km::UploadState::Unknown);
    let error = run.release(&upload, TIMEOUT).unwrap_err().to_string();
    assert!(error.contains("cancel its engine, which settles it"), "{error}");
    run.cancel(&handle, TIMEOUT).unwrap();
    assert_eq!(reason(run.wait_engine(&handle, TIMEOUT)), "cancelled");

    // One whose RUN was rejected says so.
    let short = run.upload((vec![0; 64], km::UploadKind::Stream)).unwrap();
    let Err(km::Error::EngineTimeout(facts)) = run.start_with(&short, (), at_once) else {
        panic!("answered at once")
    };
    let error = run.cancel(&facts.handle, TIMEOUT).unwrap_err();
    let km::Error::EngineRejected(rejected) = &error else { panic!("{error}") };
    assert_eq!((rejected.reason_name, rejected.call), ("upload", EngineCall::Run));
    assert_eq!((facts.handle.state(), short.state()), (km::EngineState::Rejected, km::UploadState::Idle));
    run.release(&short, TIMEOUT).unwrap();

    // Stop settles one too.
    let Err(km::Error::EngineTimeout(facts)) = run.start_with(&upload, [1_u32], at_once) else {
        panic!("answered at once")
    };
    run.stop(TIMEOUT).unwrap();
    assert_eq!(facts.handle.end().unwrap().reason_name, Some("cancelled"));
}

#[test]
fn a_run_that_is_aborted_or_dropped_with_engines_in_it_leaves_the_card_for_the_next() {
    let session = session();
    for drops in [false, true] {
        let run = session.load(program()).unwrap();
        let upload = run.upload(&spinning(3, false)).unwrap();
        let handle = run.start(&upload, [1_u32]).unwrap();
        if drops {
            drop(run);
        } else {
            run.abort().unwrap();
        }
        assert_eq!(handle.end().and_then(|end| end.reason_name), Some("cancelled"));
    }
    let run = session.load(program()).unwrap();
    let own = run.submit(km::call("sum", &[40, 2]).result::<u32>()).unwrap();
    assert_eq!(run.wait(own, TIMEOUT).unwrap().value(), 42);
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_stop_that_an_engine_outlasts_says_which_and_stops_all_the_same() {
    let session = session();
    let run = session.load(program()).unwrap();
    let mut stream = km::Stream::new().req(8);
    stream.submit("spin", 0..8, [8_000_000_u32.into()]);
    stream.wait_all().halt(0);
    let upload = run.upload(&stream).unwrap();
    run.start(&upload, ()).unwrap();
    let error = run.stop(Duration::from_millis(2)).unwrap_err();
    let km::Error::EngineTimeout(facts) = &error else { panic!("{error}") };
    assert_eq!((facts.handle.req(), facts.call), (8, None));
    session.load(program()).unwrap().stop(TIMEOUT).unwrap();
}

#[test]
fn a_late_command_of_an_engine_ends_the_run_and_is_told_apart_from_the_hosts() {
    let options = km::LoadOptions { deadline: Duration::from_millis(1), ..Default::default() };
    let run = session().load_with(program(), options).unwrap();
    let mut graph = km::Graph::new().req(1); // the number of a command of the host's, too
    let first = graph.command("sum", 0..4, [1.into(), 2.into()]).id();
    let _ = graph.command("spin", 2..6, [8_000_000_u32.into()]).after([first]).id();
    let upload = run.upload(&graph).unwrap();
    let handle = run.start(&upload, ()).unwrap();
    let error = run.wait_engine(&handle, TIMEOUT).unwrap_err();
    let km::Error::CommandTimeout(facts) = &error else { panic!("{error}") };
    assert_eq!(facts.handle, None);
    let (engine, record) = facts.engine.as_ref().unwrap();
    assert_eq!((engine, *record, facts.group), (&handle, 1, Some(km::Group::new(2, 4))));
    assert!(error.to_string().starts_with("node 1 of the graph with req 1 (slot"), "{error}");
    assert!(matches!(run.wait_engine(&handle, TIMEOUT), Err(km::Error::RunEnded { .. })));
    assert!(run.stop(TIMEOUT).unwrap().cause.is_some());
}

#[test]
fn a_dispatcher_that_dies_under_an_engine_ends_the_wait_for_it() {
    let card = Card::builder().build();
    let session = km::Session::builder().on(&card).open().unwrap();
    let run = session.load(program()).unwrap();
    let handle = run.start(&run.upload(&spinning(1, false)).unwrap(), [1_u32]).unwrap();
    // Somebody else tells it to finish.
    let stop = layout::LIM_BASE + u64::from(layout::LIM_CONTROL + 8 * command::CONTROL_STOP);
    card.write(cluster(&card), stop, &1_u64.to_le_bytes(), Order::Strict).unwrap();
    let error = run.wait_engine(&handle, TIMEOUT).unwrap_err();
    assert!(matches!(error, km::Error::KernelFailed(_)), "{error}");
    assert!(matches!(run.wait_engine(&handle, TIMEOUT), Err(km::Error::RunEnded { .. })));
    session.load(program()).unwrap().stop(TIMEOUT).unwrap();
}
