//! Odd input of the host is answered with an error that tells what to do: no panic, no hang, nothing half done.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use km::Card as _;
use komorebi as km;
use komorebi_sim::Card;

const TIMEOUT: Duration = Duration::from_secs(5);

fn session() -> (Card, km::Session) {
    let card = Card::builder().build();
    let session = km::Session::builder().on(&card).open().unwrap();
    (card, session)
}

fn program() -> km::Program {
    km::Program::new("limits").grid(2, 1)
}

#[test]
fn a_pause_behind_the_fence_longer_than_a_second_is_refused() {
    let (_, session) = session();
    let options = km::LoadOptions { settle: Duration::MAX, ..Default::default() };
    let error = session.load_with(program(), options).unwrap_err();
    assert!(matches!(error, km::Error::LoadOption { name: "settle", .. }), "{error}");
    let options = km::LoadOptions { kernel_idle: Duration::MAX, ..Default::default() };
    let error = session.load_with(program(), options).unwrap_err();
    assert!(matches!(error, km::Error::LoadOption { name: "kernel_idle", .. }), "{error}");
}

#[test]
fn a_wait_returns_at_its_timeout_within_the_pause_behind_a_fence() {
    let (card, session) = session();
    let options = km::LoadOptions { settle: Duration::from_secs(1), ..Default::default() };
    let run = session.load_with(program(), options).unwrap();
    run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap();
    let before = card.now();
    let handle = run.submit(km::nop()).unwrap();
    let error = run.wait(handle, Duration::from_millis(10)).unwrap_err();
    assert!(matches!(error, km::Error::WaitTimeout(_)), "{error}");
    assert!(card.now() - before < Duration::from_millis(100), "{:?}", card.now() - before);
    run.wait(handle, TIMEOUT).unwrap();
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_range_of_pages_past_every_number_is_an_error() {
    let (_, session) = session();
    let tensor = session.empty(&[4, 16], km::DType::Uint32).unwrap();
    let error = session.read(&tensor, usize::MAX, 2).unwrap_err();
    assert!(error.to_string().contains("outside the tensor, which has 4 pages"), "{error}");
}

#[test]
fn a_batch_may_use_its_run_and_goes_behind_what_it_submits() {
    let (_, session) = session();
    let run = session.load(program()).unwrap();
    let mut own = Vec::new();
    let batch = run
        .submit_many((0..3).map(|_| {
            let handle = run.submit(km::nop()).unwrap();
            assert!(run.event(handle).unwrap().is_none_or(|event| event.kind == km::EventKind::Done));
            own.push(handle.number());
            km::nop()
        }))
        .unwrap();
    assert_eq!(own, [1, 2, 3]);
    assert_eq!(batch.clone().map(km::Handle::number).collect::<Vec<_>>(), [4, 5, 6]);
    run.wait(batch, TIMEOUT).unwrap();
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_batch_that_fails_or_panics_midway_queues_nothing() {
    let (_, session) = session();
    let run = session.load(program()).unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        run.submit_many((0..3).map(|i| if i < 2 { km::nop() } else { panic!("the caller's own") }))
    }));
    assert!(panicked.is_err());
    let error = run.submit_many((0..3).map(|i| km::nop().on((i, 1)))).unwrap_err();
    assert!(matches!(error, km::Error::Group(_)), "{error}");
    assert_eq!(run.submit(km::nop()).unwrap().number(), 1);
    assert_eq!(run.drain(TIMEOUT).unwrap(), 1);
    assert_eq!(run.stop(TIMEOUT).unwrap().result.unwrap().commands, 2, "the command and EXIT");
}

#[test]
fn columns_without_rows_are_no_commands() {
    let (_, session) = session();
    let run = session.load(program()).unwrap();
    let groups = [km::Group::new(0, 1), km::Group::new(1, 1)];
    let args = ndarray::Array2::<u32>::zeros((0, 0));
    let columns = |groups, args| km::Columns { groups, args, exclusive: false };
    assert_eq!(run.submit_columns(0, columns(&[], None)).unwrap().len(), 0);
    assert_eq!(run.submit_columns(0, columns(&groups[..1], Some(args.view()))).unwrap().len(), 0);
    assert_eq!(run.submit_columns(0, columns(&[], Some(args.view()))).unwrap().len(), 0);
    let error = run.submit_columns(0, columns(&groups, Some(args.view()))).unwrap_err();
    assert!(error.to_string().contains("a batch of 2 commands has 0 rows"), "{error}");
    assert_eq!(run.submit_columns(0, columns(&groups, None)).unwrap().len(), 2);
    assert_eq!(run.drain(TIMEOUT).unwrap(), 2);
    run.stop(TIMEOUT).unwrap();
}
