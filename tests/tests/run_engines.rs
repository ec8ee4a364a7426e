//! Engines as a run drives them: starts, events, bindings, and what they hold. Kept graphs: `run_kept.rs`; other ends:
//! `run_engines_end.rs`.

use std::time::Duration;

use km::error::UploadError;
use komorebi as km;
use komorebi_tests::engine::counting::{adding, counting, program, reason, run, session, spinning};

const TIMEOUT: Duration = Duration::from_secs(5);

#[test]
fn events_of_engines_go_to_their_handles_and_those_of_commands_to_theirs() {
    let run = run();
    let streams: Vec<_> = (1..=4).map(|req| run.upload(&counting(req, 4)).unwrap()).collect();
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
    let upload = run.upload(&counting(1, 4)).unwrap();
    run.wait_engine(&run.start(&upload, [30_u32]).unwrap(), TIMEOUT).unwrap();
    let after = run.submit(km::nop()).unwrap();
    run.drain(TIMEOUT).unwrap();
    assert_eq!((run.sequence(before).unwrap(), run.sequence(after).unwrap()), (Some(1), Some(32)));
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
fn a_tensor_bound_to_an_engine_or_a_kept_graph_outlives_the_callers() {
    let session = session();
    let run = session.load(program()).unwrap();
    let upload = run.upload(&adding(8)).unwrap();
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
    let again = run.upload(&adding(8)).unwrap();
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
    let again = run.upload(&adding(8)).unwrap();
    assert!(matches!(run.start(&again, words), Err(km::Error::Tensor(km::error::TensorError::Freed))));
    let foreign = self::session().empty(&[1, 16], km::DType::Uint32).unwrap();
    let words = vec![km::Binding::from(&foreign), 0_u32.into(), 0_u32.into(), 0_u32.into()];
    assert!(matches!(run.start(&again, words), Err(km::Error::Tensor(km::error::TensorError::Session))));
    assert_eq!(again.state(), km::UploadState::Idle);
    run.stop(TIMEOUT).unwrap();
}
