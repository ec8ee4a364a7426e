//! Engines as a run drives them: starts, events, restarts, cancels, and the end of a run with engines in it.

use std::time::Duration;

use km::Arithmetic as _;
use km::build::Sources;
use km::error::{EngineCall, UploadError};
use komorebi as km;
use komorebi_abi::constants::{command, engine, launch, layout};
use komorebi_card::{Card as _, Order};
use komorebi_sim::Card;

const TIMEOUT: Duration = Duration::from_secs(5);

const READER: &str = r"
#include <komorebi/kernel.h>
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

fn program() -> km::Program {
    let word = |name| (name, km::ArgKind::U32);
    km::Program::new("engines")
        .with_sources(Sources::new().file("reader.cpp", READER.as_bytes()))
        .handler_with("sum", 1, &[word("a"), word("b")], Some(km::ResultKind::U32))
        .handler_with("spin", 2, &[word("cycles")], None)
        .handler_with("note", 3, &[word("word")], Some(km::ResultKind::U32))
        .depth(16)
        .grid(4, 2)
}

fn session() -> km::Session {
    km::Session::builder().on(&Card::builder().build()).open().unwrap()
}

fn run() -> km::Run {
    session().load(program()).unwrap()
}

/// Adds `step` to `total` with commands until it is at or over `limit`; ends with rounds and total.
fn adding() -> km::Graph {
    let mut graph = km::Graph::new().req(6).max_runs(50).keep();
    let [step, limit, total, rounds] = graph.bindings(["step", "limit", "total", "rounds"]);
    let add = graph.command("sum", 0..8, [total.into(), step.into()]).result(total).id();
    let mut cpu = graph.cpu([add]);
    let again = cpu.again();
    cpu.add(rounds, rounds, 1).ltu(again, total, limit);
    graph.end(rounds, total);
    graph
}

/// Goes round and round while `go` is not 0; posts an event a turn if `loud`.
fn spinning(req: u64, loud: bool) -> km::Stream {
    let mut stream = km::Stream::new().req(req);
    let [go] = stream.bindings(["go"]);
    let turns = stream.register();
    stream.set(turns, 0);
    stream.while_(
        |_| go.into(),
        |s| {
            s.add(turns, turns, 1);
            if loud {
                s.event(turns);
            }
        },
    );
    stream.halt(turns);
    stream
}

/// Posts 1 to `count`, each the sum of a command, and halts with their number.
fn counting(req: u64) -> km::Stream {
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
            s.submit("sum", 0..4, [i.into(), 1.into()]).result(i);
            s.wait_all().event(i);
        },
    );
    stream.halt(i);
    stream
}

fn reason<T>(result: km::Result<T>) -> &'static str {
    match result.err() {
        Some(km::Error::EngineError(error)) => error.reason_name,
        Some(km::Error::EngineRejected(error)) => error.reason_name,
        Some(other) => panic!("{other}"),
        None => panic!("it ended well"),
    }
}

#[test]
fn a_kept_graph_runs_again_with_other_bindings_and_no_new_upload() {
    let run = run();
    let upload = run.upload(&adding()).unwrap();
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
    let again = run.upload(&adding()).unwrap();
    assert_eq!(again.offset(), 0, "its lines are free again");
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn events_of_engines_go_to_their_handles_and_those_of_commands_to_theirs() {
    let run = run();
    let streams: Vec<_> = (1..=4).map(|req| run.upload(&counting(req)).unwrap()).collect();
    let handles: Vec<_> = streams.iter().map(|upload| run.start(upload, [20_u32]).unwrap()).collect();
    let commands =
        run.submit_many((0..40).map(|i| km::call("sum", &[i, i]).on(4..8).result::<u32>())).unwrap();
    for (i, command) in (0..).zip(commands) {
        let event = run.wait(command, TIMEOUT).unwrap();
        assert_eq!(event.value(), 2 * i);
    }
    for (req, handle) in (1..).zip(&handles) {
        let event = run.wait_engine(handle, TIMEOUT).unwrap();
        assert_eq!((event.value, event.end(), handle.req()), (Some(20), [20, 0], req));
        let values: Vec<_> = handle.events().iter().map(|event| event.value.unwrap()).collect();
        assert_eq!(values, (1..=20).chain([20]).collect::<Vec<_>>());
        assert_eq!(handle.end().unwrap().value, Some(20));
    }
    let own = run.submit(km::call("sum", &[1, 1]).result::<u32>()).unwrap();
    run.drain(TIMEOUT).unwrap();
    assert_eq!(run.event(own).unwrap().expect("drain waited for it").value(), 2);
    let result = run.stop(TIMEOUT).unwrap().result.unwrap();
    assert_eq!(result.commands, 4 * 20 + 40 + 1 + 1, "with EXIT");
}

#[test]
fn sequence_numbers_count_the_commands_of_engines_too() {
    let run = run();
    let before = run.submit(km::nop()).unwrap();
    run.drain(TIMEOUT).unwrap();
    let upload = run.upload(&counting(1)).unwrap();
    run.wait_engine(&run.start(&upload, [30_u32]).unwrap(), TIMEOUT).unwrap();
    let after = run.submit(km::nop()).unwrap();
    run.drain(TIMEOUT).unwrap();
    assert_eq!((run.sequence(before).unwrap(), run.sequence(after).unwrap()), (Some(1), Some(32)));
    run.stop(TIMEOUT).unwrap();
}

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
fn an_engine_that_posts_without_end_waits_for_room_and_loses_nothing() {
    let options = km::LoadOptions { event_depth: 4, host_depth: 4, ..Default::default() };
    let run = session().load_with(program(), options).unwrap();
    let upload = run.upload(&spinning(2, true)).unwrap();
    let handle = run.start(&upload, [1_u32]).unwrap();
    let command = run.submit(km::call("sum", &[20, 22]).result::<u32>()).unwrap();
    assert_eq!(run.wait(command, TIMEOUT).unwrap().value(), 42);
    let event = run.wait_engine_event(&handle, 300, TIMEOUT).unwrap();
    assert_eq!(event.value, Some(301));
    run.cancel(&handle, TIMEOUT).unwrap();
    assert_eq!(reason(run.wait_engine(&handle, TIMEOUT)), "cancelled");
    let events = handle.events();
    let posted = &events[..events.len() - 1];
    assert!((1..).zip(posted).all(|(i, event)| event.value == Some(i)));
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn one_req_names_one_engine_and_at_most_four_streams_run() {
    let run = run();
    let a = run.upload(&spinning(1, false)).unwrap();
    let twin = run.upload(&spinning(1, false)).unwrap();
    let running = run.start(&a, [1_u32]).unwrap();
    let error = run.start(&twin, [1_u32]).unwrap_err();
    assert!(
        matches!(&error, km::Error::Upload(facts) if matches!(**facts, UploadError::Req { req: 1 })),
        "{error}"
    );
    let others: Vec<_> =
        (2..=4).map(|req| run.start(&run.upload(&spinning(req, false)).unwrap(), [1_u32]).unwrap()).collect();
    let fifth = run.upload(&spinning(5, false)).unwrap();
    assert_eq!(reason(run.start(&fifth, [1_u32])), "engines");
    assert_eq!(fifth.state(), km::UploadState::Idle, "it never ran");
    run.cancel(&running, TIMEOUT).unwrap();
    assert_eq!(reason(run.wait_engine(&running, TIMEOUT)), "cancelled");
    run.start(&fifth, [1_u32]).unwrap();
    assert!(others.iter().all(|handle| handle.state() == km::EngineState::Running));
    // Stop cancels the four that run, within its one deadline.
    run.stop(TIMEOUT).unwrap();
    assert!(others.iter().all(|handle| handle.end().unwrap().reason_name == Some("cancelled")));
}

#[test]
fn the_keep_bit_of_a_start_is_rewritten_and_a_stream_has_none() {
    let run = run();
    let upload = run.upload(&adding()).unwrap();
    let once = km::StartOptions { kept: Some(false), ..Default::default() };
    let handle = run.start_with(&upload, [1_u32, 0, 0, 0], once).unwrap();
    run.wait_engine(&handle, TIMEOUT).unwrap();
    assert_eq!((upload.keep(), upload.state()), (false, km::UploadState::Idle));
    assert_eq!(reason(run.restart(6, [1_u32, 0, 0, 0])), "req");
    let stay = km::StartOptions { kept: Some(true), ..Default::default() };
    run.wait_engine(&run.start_with(&upload, [1_u32, 0, 0, 0], stay).unwrap(), TIMEOUT).unwrap();
    assert_eq!((upload.keep(), upload.state()), (true, km::UploadState::Kept));
    run.wait_engine(&run.restart(6, [1_u32, 0, 0, 0]).unwrap(), TIMEOUT).unwrap();

    let stream = run.upload(&counting(1)).unwrap();
    let error = run.start_with(&stream, [1_u32], stay).unwrap_err().to_string();
    assert!(error.contains("only graphs are kept"), "{error}");
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_bad_upload_is_the_dispatchers_to_reject() {
    let run = run();
    let noise = run.upload((vec![0xA5; 512], km::UploadKind::Graph)).unwrap();
    let handle = run.start(&noise, ()).unwrap();
    let error = run.wait_engine(&handle, TIMEOUT).unwrap_err();
    let km::Error::EngineError(facts) = &error else { panic!("{error}") };
    assert_eq!((facts.reason_name, facts.pc, facts.node), ("header", None, None));
    assert!(error.to_string().contains("encode it again"), "{error}");
    // Shorter than its header: no RUN names it.
    let short = run.upload((vec![0; 64], km::UploadKind::Stream)).unwrap();
    assert_eq!(reason(run.start(&short, ())), "upload");
    run.release(&short, TIMEOUT).unwrap();
    run.release(&noise, TIMEOUT).unwrap();
    let own = run.submit(km::call("sum", &[40, 2]).result::<u32>()).unwrap();
    assert_eq!(run.wait(own, TIMEOUT).unwrap().value(), 42);
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn bindings_lines_are_taken_while_an_engine_runs_and_free_after_it() {
    let run = run();
    let upload = run.upload(&spinning(1, false)).unwrap();
    let handle = run.start(&upload, [1_u32]).unwrap();
    let second = run.upload((vec![1; 64], km::UploadKind::Stream)).unwrap();
    assert_eq!(second.offset(), upload.bytes() + 64, "behind the line of bindings");
    run.cancel(&handle, TIMEOUT).unwrap();
    assert_eq!(reason(run.wait_engine(&handle, TIMEOUT)), "cancelled");
    let third = run.upload((vec![1; 64], km::UploadKind::Stream)).unwrap();
    assert_eq!(third.offset(), upload.bytes());
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
    let upload = run.upload(&adding()).unwrap();
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
    let upload = run.upload(&adding()).unwrap();
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
        let upload = run.upload(&adding()).unwrap();
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
fn a_tensor_bound_to_an_engine_or_a_kept_graph_outlives_the_callers() {
    let session = session();
    let run = session.load(program()).unwrap();
    let upload = run.upload(&adding()).unwrap();
    let empty = || session.empty(&[4, 16], km::DType::Uint32).unwrap();
    let tensor = empty();
    let address = tensor.address();
    let words = vec![km::Binding::from(&tensor), 0_u32.into(), 0_u32.into(), 0_u32.into()];
    run.wait_engine(&run.start(&upload, words).unwrap(), TIMEOUT).unwrap();
    drop(tensor);
    let other = empty();
    assert_ne!(other.address(), address, "the kept graph holds it");
    // Bound by its address alone, as a typed start does; what was bound before goes.
    let handle = run.restart(6, [other.address().0, 0, 0, 0]).unwrap();
    run.wait_engine(&handle, TIMEOUT).unwrap();
    let held = other.address();
    drop(other);
    let third = empty();
    assert_eq!(third.address(), address, "the first one is free");
    assert_ne!(empty().address(), held);
    run.release(&upload, TIMEOUT).unwrap();
    assert_eq!(empty().address(), held, "and now the second one");

    // One that is freed while a kept graph is bound to it stays its graph's.
    let freed = empty();
    let at = freed.address();
    let again = run.upload(&adding()).unwrap();
    let words = vec![km::Binding::from(&freed), 0_u32.into(), 0_u32.into(), 0_u32.into()];
    let handle = run.start(&again, words).unwrap();
    freed.free();
    assert!(matches!(freed.read_bytes(), Err(km::Error::Tensor(km::error::TensorError::Freed))));
    assert_ne!(empty().address(), at, "the engine that runs holds it");
    run.wait_engine(&handle, TIMEOUT).unwrap();
    assert_ne!(empty().address(), at, "the kept graph holds it");
    run.release(&again, TIMEOUT).unwrap();
    assert_eq!(empty().address(), at, "and nobody now");

    let words = vec![km::Binding::from(&freed), 0_u32.into(), 0_u32.into(), 0_u32.into()];
    let again = run.upload(&adding()).unwrap();
    assert!(matches!(run.start(&again, words), Err(km::Error::Tensor(km::error::TensorError::Freed))));
    let foreign = self::session().empty(&[1, 16], km::DType::Uint32).unwrap();
    let words = vec![km::Binding::from(&foreign), 0_u32.into(), 0_u32.into(), 0_u32.into()];
    assert!(matches!(run.start(&again, words), Err(km::Error::Tensor(km::error::TensorError::Session))));
    assert_eq!(again.state(), km::UploadState::Idle);
    run.stop(TIMEOUT).unwrap();
}

/// What the cores of a run have taken, and what its dispatcher has counted.
fn counted(run: km::Run) -> (u64, Vec<[u32; 5]>) {
    let report = run.stop(TIMEOUT).unwrap();
    let taken = report.cores.iter().map(|core| core.threads.each_ref().map(|thread| thread.taken)).collect();
    (report.result.unwrap().commands, taken)
}

/// Runs a source on a card, and on the host of another one, and compares all that can be seen of them.
fn same_on_card_and_host<S, Via>(source: S, words: &[u32])
where
    S: km::UploadSource<km::Dynamic, Via, Of = km::Untyped> + Copy,
{
    let hosted = run();
    let host = hosted.run_hostfed(source, words, TIMEOUT).unwrap();

    let card = Card::builder().build();
    let run = km::Session::builder().on(&card).open().unwrap().load(program()).unwrap();
    let upload = run.upload(source).unwrap();
    let handle = run.start(&upload, words).unwrap();
    let end = run.wait_engine(&handle, TIMEOUT).unwrap();
    assert_eq!((end.kind, end.end()), (host.status, host.end()));
    let events: Vec<_> =
        handle.events().iter().map(|event| (event.kind, event.value, event.registers)).collect();
    let hosts = host.events.iter().map(|&event| match event {
        km::Output::Event(value) => (km::EngineEventKind::Event, Some(value), None),
        km::Output::Round(rounds) => (km::EngineEventKind::Round, Some(rounds), None),
        km::Output::Halt(value) => (km::EngineEventKind::End, Some(value), None),
        km::Output::End(first, second) => (km::EngineEventKind::End, None, Some([first, second])),
        km::Output::Error(refusal) => panic!("{refusal:?}"),
    });
    assert_eq!(events, hosts.collect::<Vec<_>>());

    // The register file stays in the region behind the end.
    let at = layout::LIM_UPLOAD + upload.offset() + engine::UPLOAD_REGISTERS;
    let mut file = [0; 4 * engine::REGISTERS as usize];
    card.read(cluster(&card), layout::LIM_BASE + u64::from(at), &mut file).unwrap();
    let registers: Vec<_> = file.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
    assert_eq!(registers, host.registers);

    // The same commands: as many, on the same cores, of the same handlers and words in the same order, which `note` adds up.
    let [noted, hosts_noted] = [&run, &hosted].map(|run| {
        let note = run.submit(km::call("note", &[0]).on(0..1).result::<u32>()).unwrap();
        run.wait(note, TIMEOUT).unwrap().value()
    });
    assert!(host.commands.iter().all(|command| command.handler == 3));
    assert_eq!(noted, hosts_noted);
    assert_eq!(noted, host.commands.iter().map(|command| command.args()[0]).chain([0]).fold(0, digest));
    assert_eq!(counted(run), counted(hosted));
}

/// What `note` does with each word.
fn digest(sum: u32, word: u32) -> u32 {
    sum.wrapping_mul(31).wrapping_add(word).wrapping_add(1)
}

#[test]
fn the_card_and_the_host_give_the_same_events_registers_and_commands() {
    let mut graph = km::Graph::new().req(6).max_runs(50);
    let [step, limit, total, rounds] = graph.bindings(["step", "limit", "total", "rounds"]);
    let first = graph.command("note", 0..8, [total.into()]).result(total).id();
    let mut cpu = graph.cpu([first]);
    cpu.add(total, total, step);
    let cpu = cpu.id();
    let second = graph.command("note", 0..3, [total.into()]).after([cpu]).id();
    let mut last = graph.cpu([second]);
    let again = last.again();
    last.add(rounds, rounds, 1).ltu(again, rounds, limit);
    graph.end(rounds, total);
    same_on_card_and_host(&graph, &[9, 7, 5, 0]);

    let mut stream = km::Stream::new().req(1);
    let [count] = stream.bindings(["count"]);
    let [i, sum, more] = [stream.register(), stream.register(), stream.register()];
    stream.set(i, 0).set(sum, 0);
    stream.while_(
        |s| {
            s.ltu(more, i, count);
            more.into()
        },
        |s| {
            s.submit("note", 0..4, [i.into()]).result(sum);
            s.wait_all().event(sum).submit("note", 0..2, [sum.into()]);
            s.add(i, i, 1);
        },
    );
    stream.halt(sum);
    same_on_card_and_host(&stream, &[17]);
}

/// The tile of the X280 cluster that the dispatcher runs on.
fn cluster(card: &Card) -> km::NocXy {
    card.description().l2cpus[0].tile
}

#[test]
fn the_upload_region_is_the_one_that_the_ready_block_names() {
    let card = Card::builder().build();
    let session = km::Session::builder().on(&card).open().unwrap();
    let name = |word: u32, value: u64| {
        let at = layout::LIM_BASE + u64::from(layout::LIM_STATE + 8 * word);
        card.write(cluster(&card), at, &value.to_le_bytes(), Order::Strict).unwrap();
        card.fence(cluster(&card)).unwrap();
    };
    let run = session.load(program()).unwrap();
    name(launch::STATE_UPLOAD_BYTES, 128);
    let error = run.upload((vec![0; 192], km::UploadKind::Stream)).unwrap_err();
    let km::Error::Upload(facts) = &error else { panic!("{error}") };
    assert!(matches!(**facts, UploadError::Room { bytes: 192, free: 128, .. }), "{error}");
    run.upload((vec![0; 128], km::UploadKind::Stream)).unwrap();
    run.stop(TIMEOUT).unwrap();

    let run = session.load(program()).unwrap();
    name(launch::STATE_UPLOAD_BYTES, u64::MAX);
    let error = run.upload((vec![0; layout::UPLOAD_BYTES as usize + 64], km::UploadKind::Stream));
    assert!(matches!(error, Err(km::Error::Upload(_))), "no more than the program leaves");
    run.stop(TIMEOUT).unwrap();

    let run = session.load(program()).unwrap();
    name(launch::STATE_UPLOAD, layout::LIM_BASE + u64::from(layout::LIM_BYTES) - 64);
    let error = run.upload((vec![0; 64], km::UploadKind::Stream)).unwrap_err();
    let km::Error::KernelFailed(failed) = &error else { panic!("{error}") };
    assert!(failed.what.contains("names an upload region of"), "{error}");
    session.load(program()).unwrap().stop(TIMEOUT).unwrap();
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
