//! Graphs that are kept: run again, cancelled, stopped and released around their end.

use std::time::Duration;

use km::error::EngineCall;
use komorebi as km;
use komorebi_abi::constants::engine;
use komorebi_card::Card as _;
use komorebi_sim::Card;
use komorebi_tests::engine::counting::{adding, counting, program, reason, run};

const TIMEOUT: Duration = Duration::from_secs(5);

#[test]
fn a_kept_graph_runs_again_with_other_bindings_and_no_new_upload() {
    let run = run();
    let upload = run.upload(&adding(8)).unwrap();
    assert!(upload.keep());
    let first = [("step", 10_u32), ("limit", 35), ("total", 0), ("rounds", 0)];
    let handle = run.start(&upload, first).unwrap();
    assert_eq!((handle.kind(), handle.req(), handle.load()), (km::UploadKind::Graph, 6, run.load()));
    let event = run.wait_engine(&handle, TIMEOUT).unwrap();
    assert_eq!(
        (event.kind, event.registers, event.end()),
        (km::EngineEventKind::End, Some([4, 40]), [4, 40])
    );
    assert!(event.microseconds() > 1.0);
    let rounds: Vec<_> = handle.events().iter().map(|event| (event.kind, event.value)).collect();
    let round = |n| (km::EngineEventKind::Round, Some(n));
    assert_eq!(rounds, [round(1), round(2), round(3), (km::EngineEventKind::End, None)]);
    assert_eq!((upload.state(), handle.state()), (km::UploadState::Kept, km::EngineState::Ended));

    let error = run.start(&upload, first).unwrap_err().to_string();
    assert!(error.contains("a kept graph; restart it"), "{error}");
    let handle = run.restart(6, [("step", 7_u32), ("limit", 20), ("total", 0), ("rounds", 0)]).unwrap();
    assert_eq!(run.wait_engine(&handle, TIMEOUT).unwrap().end(), [3, 21]);
    let handle = run.restart(&upload, [5_u32, 1, 2, 3]).unwrap();
    assert_eq!(run.wait_engine(&handle, TIMEOUT).unwrap().end(), [4, 7]);

    run.release(&upload, TIMEOUT).unwrap();
    assert_eq!(upload.state(), km::UploadState::Released);
    let error = run.restart(6, ()).unwrap_err();
    let km::Error::EngineRejected(rejected) = &error else { panic!("{error}") };
    assert_eq!((rejected.reason_name, rejected.call), ("req", EngineCall::Run));
    let again = run.upload(&adding(8)).unwrap();
    assert_eq!(again.offset(), 0, "its lines are free again");
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn the_keep_bit_of_a_start_is_rewritten_and_a_stream_has_none() {
    let run = run();
    let upload = run.upload(&adding(8)).unwrap();
    let once = km::StartOptions { kept: Some(false), ..Default::default() };
    let handle = run.start_with(&upload, [1_u32, 0, 0, 0], once).unwrap();
    run.wait_engine(&handle, TIMEOUT).unwrap();
    assert_eq!((upload.keep(), upload.state()), (false, km::UploadState::Idle));
    assert_eq!(reason(run.restart(6, [1_u32, 0, 0, 0])), "req");
    let stay = km::StartOptions { kept: Some(true), ..Default::default() };
    run.wait_engine(&run.start_with(&upload, [1_u32, 0, 0, 0], stay).unwrap(), TIMEOUT).unwrap();
    assert_eq!((upload.keep(), upload.state()), (true, km::UploadState::Kept));
    run.wait_engine(&run.restart(6, [1_u32, 0, 0, 0]).unwrap(), TIMEOUT).unwrap();

    let stream = run.upload(&counting(1, 4)).unwrap();
    let error = run.start_with(&stream, [1_u32], stay).unwrap_err().to_string();
    assert!(error.contains("only graphs are kept"), "{error}");
    run.stop(TIMEOUT).unwrap();
}

/// Lets time pass on the card while the host does nothing.
fn pass(card: &Card, time: Duration) {
    let until = card.now() + time;
    while card.now() < until {
        card.relax(until).unwrap();
    }
}

/// A card with a run on it, and a kept graph that has ended there, of which the host has read no event.
fn ended_unread() -> (Card, km::Session, km::Run, km::Upload, km::EngineHandle) {
    let card = Card::builder().build();
    let session = km::Session::builder().on(&card).open().unwrap();
    let run = session.load(program()).unwrap();
    let upload = run.upload(&adding(8)).unwrap();
    let handle = run.start(&upload, [10_u32, 35, 0, 0]).unwrap();
    pass(&card, Duration::from_millis(2));
    assert_eq!((handle.state(), upload.state()), (km::EngineState::Running, km::UploadState::Running));
    (card, session, run, upload, handle)
}

#[test]
fn a_kept_graph_that_has_ended_unread_is_not_cancelled_but_kept() {
    let (_card, _session, run, upload, handle) = ended_unread();
    run.cancel(&handle, TIMEOUT).unwrap();
    assert_eq!((handle.state(), upload.state()), (km::EngineState::Ended, km::UploadState::Kept));
    assert_eq!(run.wait_engine(&handle, TIMEOUT).unwrap().end(), [4, 40]);
    let again = run.restart(&upload, [7_u32, 20, 0, 0]).unwrap();
    assert_eq!(run.wait_engine(&again, TIMEOUT).unwrap().end(), [3, 21]);
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_kept_graph_that_has_ended_unread_is_stopped_aborted_and_dropped() {
    let end = |handle: &km::EngineHandle| handle.end().map(|end| end.end());
    let (_card, _session, run, _, handle) = ended_unread();
    assert!(run.stop(TIMEOUT).unwrap().cause.is_none());
    assert_eq!(end(&handle), Some([4, 40]));

    let (_card, session, run, _, handle) = ended_unread();
    assert!(run.abort().unwrap().cause.is_none());
    assert_eq!(end(&handle), Some([4, 40]));
    session.load(program()).unwrap().stop(TIMEOUT).unwrap();

    let (_card, session, run, _, handle) = ended_unread();
    drop(run);
    assert_eq!(end(&handle), Some([4, 40]));
    session.load(program()).unwrap().stop(TIMEOUT).unwrap();
}

#[test]
fn a_cancel_may_meet_a_kept_graph_at_any_moment_around_its_end() {
    let card = Card::builder().build();
    let session = km::Session::builder().on(&card).open().unwrap();
    let run = session.load(program()).unwrap();
    let upload = run.upload(&adding(8)).unwrap();
    let (mut cancelled, mut dropped, mut kept) = (0, 0, 0);
    for step in 0..120 {
        let empty = session.empty(&[4, 16], km::DType::Uint32).unwrap();
        let address = empty.address();
        let bound = [km::Binding::from(&empty), (4 * address.0).into(), 0_u32.into(), 0_u32.into()];
        let handle = match upload.state() {
            km::UploadState::Kept => run.restart(&upload, bound).unwrap(),
            _ => run.start(&upload, bound).unwrap(),
        };
        drop(empty);
        pass(&card, Duration::from_nanos(300 * step));
        run.cancel(&handle, TIMEOUT).unwrap();
        match (run.wait_engine(&handle, TIMEOUT), upload.state()) {
            (Ok(_), km::UploadState::Kept) => kept += 1,
            (Ok(event), state) => {
                assert_eq!((event.kind, state), (km::EngineEventKind::End, km::UploadState::Idle));
                assert_eq!(session.empty(&[4, 16], km::DType::Uint32).unwrap().address(), address);
                dropped += 1;
            }
            (error, state) => {
                assert_eq!((reason(error), state), ("cancelled", km::UploadState::Idle));
                cancelled += 1;
            }
        }
    }
    assert!(cancelled > 0 && dropped > 0 && kept > 0, "{cancelled} {dropped} {kept}");
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_restart_and_a_release_behind_a_cancel_that_drops_the_graph_find_it_gone() {
    let card = Card::builder().build();
    let run = km::Session::builder().on(&card).open().unwrap().load(program()).unwrap();
    let (mut restarts, mut releases) = (0, 0);
    for step in 0..100 {
        let upload = run.upload(&adding(8)).unwrap();
        let handle = run.start(&upload, [1_u32, 4, 0, 0]).unwrap();
        pass(&card, Duration::from_nanos(20_000 + 200 * step));
        // Whether or not it is sent, nobody waits for its answer.
        let _ = run.cancel(&handle, Duration::ZERO);
        let ended = run.wait_engine(&handle, TIMEOUT);
        if ended.is_ok() && upload.state() == km::UploadState::Kept && step % 2 == 0 {
            match run.restart(&upload, [1_u32, 4, 0, 0]) {
                Ok(again) => assert_eq!(run.wait_engine(&again, TIMEOUT).unwrap().end(), [4, 4]),
                Err(error) => {
                    assert_eq!((reason::<()>(Err(error)), upload.state()), ("req", km::UploadState::Idle));
                    restarts += 1;
                }
            }
        }
        let kept = upload.state() == km::UploadState::Kept;
        run.release(&upload, TIMEOUT).unwrap();
        releases += u32::from(kept && ended.is_ok());
    }
    assert!(restarts > 0 && releases > 0, "{restarts} {releases}");
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn sixteen_graphs_are_kept_and_the_next_finds_no_place() {
    let run = run();
    let kept = |req| {
        let mut graph = km::Graph::new().req(req).keep();
        let _ = graph.command("sum", 0..1, [1.into(), 2.into()]).id();
        run.upload(&graph).unwrap()
    };
    let graphs: Vec<_> = (1..=u64::from(engine::KEPT_MAX)).map(kept).collect();
    for upload in &graphs {
        run.wait_engine(&run.start(upload, ()).unwrap(), TIMEOUT).unwrap();
        assert_eq!(upload.state(), km::UploadState::Kept);
    }
    let next = kept(100);
    assert_eq!(reason(run.start(&next, ())), "engines");
    assert_eq!(next.state(), km::UploadState::Idle);
    run.release(&graphs[3], TIMEOUT).unwrap();
    run.wait_engine(&run.start(&next, ()).unwrap(), TIMEOUT).unwrap();
    run.stop(TIMEOUT).unwrap();
}
