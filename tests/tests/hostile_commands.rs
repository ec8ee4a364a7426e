//! Commands that are wrong, waits that cannot be served, loads on their edges: a typed error each, and the card works on.

use std::time::Duration;

use km::build::Sources;
use komorebi as km;
use komorebi_sim::Card;

const TIMEOUT: Duration = Duration::from_secs(5);

const READER: &str = r"
#include <komorebi/kernel.h>
KM_HANDLER(Sum) { command.set_result(args.a + args.b); }
";

fn program() -> km::Program {
    let words = [("a", km::ArgKind::U32), ("b", km::ArgKind::U32)];
    km::Program::new("hostile")
        .with_sources(Sources::new().file("reader.cpp", READER.as_bytes()))
        .handler_with("sum", 1, &words, Some(km::ResultKind::U32))
        .grid(4, 2)
}

fn session() -> km::Session {
    km::Session::builder().on(&Card::builder().build()).open().unwrap()
}

fn sum<'a>(a: u32, b: u32) -> km::NamedCall<'a, u32> {
    km::call("sum", &[a, b]).result::<u32>()
}

#[test]
fn every_depth_loses_no_event_under_any_order() {
    for depth in 1..=16 {
        let card = Card::builder().seed(u64::from(depth)).build();
        let session = km::Session::builder().on(&card).open().unwrap();
        let run = session.load(program().depth(depth)).unwrap();
        let groups: Vec<_> =
            (0..8).flat_map(|first| (1..=8 - first).map(move |count| (first, count))).collect();
        let calls = (0..).zip(&groups).map(|(i, group)| sum(i, 1).on(*group));
        let handles = run.submit_many(calls).unwrap();
        let events = run.wait(handles, TIMEOUT).unwrap();
        assert_eq!(events.len(), groups.len());
        assert!((1..).zip(&events).all(|(value, event)| event.value() == value), "depth {depth}");
        let result = run.stop(TIMEOUT).unwrap().result.unwrap();
        assert_eq!((result.abandoned, result.rejected), (0, 0), "depth {depth}");
    }
}

#[test]
fn ten_thousand_commands_drain_with_an_event_each() {
    let run = session().load(program().depth(16)).unwrap();
    let handles = run.submit_many((0..10_000).map(|i| sum(i, 1).on((i % 8, 1)))).unwrap();
    assert_eq!(run.drain(Duration::MAX).unwrap(), 10_000);
    let events = run.wait(handles, Duration::ZERO).unwrap();
    assert!((1..=10_000).eq(events.iter().map(km::Event::value)));
    run.stop(Duration::MAX).unwrap();
}

#[test]
fn waits_of_no_time_give_up_and_waits_for_ever_end() {
    let run = session().load(program()).unwrap();
    let handle = run.submit(sum(1, 2)).unwrap();
    assert!(matches!(run.wait(handle, Duration::ZERO), Err(km::Error::WaitTimeout(_))));
    assert_eq!(run.wait(handle, Duration::MAX).unwrap().value(), 3);
    assert!(matches!(run.wait(handle, TIMEOUT), Err(km::Error::Handle { handle: 1 })));
    assert_eq!(run.drain(Duration::ZERO).unwrap(), 0);
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn empty_batches_are_no_commands_and_columns_that_do_not_fit_are_refused() {
    let run = session().load(program()).unwrap();
    let group = [km::Group::new(0, 1)];
    let none = ndarray::Array2::<u32>::zeros((0, 2));
    let one = ndarray::Array2::<u32>::zeros((1, 2));
    let wide = ndarray::Array2::<u32>::zeros((1, 300));
    let columns = |groups, args| km::Columns { groups, args, exclusive: false };
    for nobody in [
        columns(&[], Some(none.view())),
        columns(&[], Some(one.view())),
        columns(&group, Some(none.view())),
        columns(&[], None),
    ] {
        let empty = run.submit_columns("sum", nobody).unwrap();
        assert!(run.wait(empty, Duration::ZERO).unwrap().is_empty());
    }
    assert!(run.wait(&Vec::<km::Handle>::new(), Duration::ZERO).unwrap().is_empty());
    let groups = [km::Group::new(0, 1), km::Group::new(1, 1)];
    let three = ndarray::Array2::<u32>::zeros((3, 2));
    for rows in [&none, &three] {
        let wrong = columns(&groups, Some(rows.view()));
        assert!(matches!(run.submit_columns("sum", wrong), Err(km::Error::Argument(_))));
    }
    let error = run.submit_columns("sum", columns(&group, Some(wide.view()))).unwrap_err();
    assert!(error.to_string().contains("a command carries 10 argument words"), "{error}");
    assert_eq!(run.drain(TIMEOUT).unwrap(), 0);
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_run_that_is_forgotten_keeps_the_card_until_its_session_is_closed() {
    let card = Card::builder().build();
    let session = km::Session::builder().on(&card).open().unwrap();
    let run = session.load(program()).unwrap();
    run.submit(km::nop()).unwrap();
    std::mem::forget(run);
    assert!(matches!(session.load(program()), Err(km::Error::Loaded)));
    session.close().unwrap();
    let session = km::Session::builder().on(&card).open().unwrap();
    session.load(program()).unwrap().stop(TIMEOUT).unwrap();
}

#[test]
fn a_panic_while_a_run_is_loaded_leaves_the_card_to_the_next_session() {
    let card = Card::builder().build();
    let client = card.clone();
    let panicked = std::thread::spawn(move || {
        let session = km::Session::builder().on(&client).open().unwrap();
        let run = session.load(program()).unwrap();
        run.submit(km::nop()).unwrap();
        panic!("with a run loaded");
    });
    assert!(panicked.join().is_err());
    let session = km::Session::builder().on(&card).open().unwrap();
    session.load(program()).unwrap().stop(TIMEOUT).unwrap();
}

#[test]
fn a_handle_of_another_run_is_refused_by_every_call_and_takes_no_event() {
    let (one, two) = (session().load(program()).unwrap(), session().load(program()).unwrap());
    assert_ne!(one.load(), two.load());
    let (own, foreign) = (one.submit(sum(1, 1)).unwrap(), two.submit(sum(2, 2)).unwrap());
    assert_eq!((own.number(), foreign.number()), (1, 1));
    assert_ne!(own, foreign);
    let refused = |error: km::Error| {
        let km::Error::ForeignHandle { handle: 1, load, run } = &error else { panic!("{error}") };
        assert_eq!((*load, *run), (Some(two.load()), one.load()));
        let message = error.to_string();
        let loads = (format!("of load {}", two.load()), format!("not of load {}", one.load()));
        assert!(message.contains(&loads.0) && message.contains(&loads.1), "{message}");
    };
    refused(one.wait(foreign, TIMEOUT).unwrap_err());
    refused(one.wait(&[own, foreign], TIMEOUT).unwrap_err());
    refused(one.wait_any(&[own, foreign], TIMEOUT).unwrap_err());
    refused(one.event(foreign).unwrap_err());
    refused(one.sequence(foreign).unwrap_err());
    refused(one.group(foreign).unwrap_err());
    refused(one.forget(foreign).unwrap_err());
    for between in [own.through(foreign), foreign.through(own)] {
        let error = one.wait(between, TIMEOUT).unwrap_err();
        assert!(matches!(error, km::Error::ForeignHandle { load: None, .. }), "{error}");
    }
    assert_eq!(one.wait(own, TIMEOUT).unwrap().value(), 2);
    assert_eq!(two.wait(foreign, TIMEOUT).unwrap().value(), 4);
    // The next load of the same session is another run too.
    let session = one.session().clone();
    one.stop(TIMEOUT).unwrap();
    let again = session.load(program()).unwrap();
    again.submit(sum(3, 3)).unwrap();
    assert!(matches!(again.wait(own, TIMEOUT), Err(km::Error::ForeignHandle { handle: 1, .. })));
    again.stop(TIMEOUT).unwrap();
    two.stop(TIMEOUT).unwrap();
}

#[test]
fn a_handle_listed_twice_has_its_event_twice_and_any_of_none_is_refused() {
    let run = session().load(program()).unwrap();
    let (one, two) = (run.submit(sum(1, 1)).unwrap(), run.submit(sum(2, 2)).unwrap());
    let events = run.wait(&[one, two, one], TIMEOUT).unwrap();
    assert_eq!(
        events.iter().map(|event| (event.handle, event.value())).collect::<Vec<_>>(),
        [(one, 2), (two, 4), (one, 2)]
    );
    assert!(matches!(run.wait(one, TIMEOUT), Err(km::Error::Handle { handle: 1 })), "it is forgotten then");
    let error = run.wait_any::<u32>(&[], TIMEOUT).unwrap_err();
    assert!(matches!(error, km::Error::NoHandles), "{error}");
    let three = run.submit(sum(3, 3)).unwrap();
    assert_eq!(run.wait_any(&[three, three], TIMEOUT).unwrap().value(), 6);
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_result_that_the_handler_does_not_give_is_refused_and_too_many_words_are_counted() {
    let run = session().load(program().handler_with("quiet", 2, &[], None)).unwrap();
    let error = run.submit(km::call("quiet", &[]).result::<u32>()).unwrap_err();
    assert!(error.to_string().starts_with("handler `quiet` gives no result"), "{error}");
    let error = run.submit(km::call("sum", &[1, 2]).result::<f32>()).unwrap_err();
    assert_eq!(error.to_string(), "handler `sum` gives a u32, not a f32; ask for result::<u32>()");
    let error = run.submit(km::nop().result::<u32>()).unwrap_err();
    assert!(error.to_string().starts_with("handler `nop` gives no result"), "{error}");
    let event = run.wait(run.submit(km::call("quiet", &[])).unwrap(), TIMEOUT).unwrap();
    assert_eq!(event.result, None);
    for words in [11, 265, 400, 70_000] {
        let error = run.submit(km::call("sum", &vec![0; words])).unwrap_err();
        assert!(error.to_string().contains(&format!("not {words};")), "{error}");
    }
    run.stop(TIMEOUT).unwrap();
}
