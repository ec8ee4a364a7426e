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
fn a_time_that_dispatcher_or_cores_could_not_count_is_refused_by_its_name_before_anything_runs() {
    let (card, session) = session();
    let before = card.now();
    let nanosecond = Duration::from_nanos(1);
    let default = km::LoadOptions::default;
    for (name, options) in [
        ("deadline", km::LoadOptions { deadline: nanosecond, ..default() }),
        ("wait", km::LoadOptions { wait: nanosecond, ..default() }),
        ("idle", km::LoadOptions { idle: nanosecond, ..default() }),
        ("kernel_idle", km::LoadOptions { kernel_idle: nanosecond, ..default() }),
        ("start", km::LoadOptions { start: nanosecond, ..default() }),
    ] {
        let error = session.load_with(program(), options).unwrap_err();
        let expected = format!("{name} is 1ns; give 1µs to 86400s");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
    let error = session.load_with(program(), km::LoadOptions { depth: Some(17), ..default() }).unwrap_err();
    assert_eq!(error.to_string(), "depth is 17; give 1 to 16");
    assert!(card.now() - before < Duration::from_millis(1), "no load was begun");
    let shut = km::Session::builder().on(&card).grid_timeout(Duration::MAX).open().unwrap_err();
    assert!(matches!(shut, km::Error::LoadOption { name: "grid_timeout", .. }), "{shut}");
    let micro = Duration::from_micros(1);
    let run = session.load_with(program(), km::LoadOptions { kernel_idle: micro, ..default() }).unwrap();
    let error = run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).err();
    assert!(error.is_none_or(|error| matches!(error, km::Error::KernelFailed(_))), "the least is taken");
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

#[test]
fn a_card_with_more_cores_than_commands_can_name_gives_a_program_those_they_can() {
    let card = Card::builder().columns(14).build();
    let session = km::Session::builder().on(&card).open().unwrap();
    assert_eq!(session.description().grid(), km::Grid::new(14, 10));
    assert_eq!(session.grid(), km::Grid::new(12, 10));
    let run = session.load(km::Program::new("whole")).unwrap();
    assert_eq!(run.grid(), km::Grid::new(12, 10));
    run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap();
    let last = run.submit(km::nop().on((119, 1))).unwrap();
    assert_eq!(run.wait(last, TIMEOUT).unwrap().auxiliary, 119);
    assert_eq!(run.stop(TIMEOUT).unwrap().cores.len(), 120);
    let error = session.load(km::Program::new("all").grid(14, 10)).unwrap_err();
    assert!(matches!(error, km::Error::ProgramError(_)), "{error}");
    assert!(error.to_string().contains("commands can name at most 128 cores"), "{error}");
    let run = session.load(km::Program::new("wide").grid(14, 9)).unwrap();
    assert_eq!(run.wait(run.submit(km::nop().on((125, 1))).unwrap(), TIMEOUT).unwrap().auxiliary, 125);
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_run_whose_session_was_closed_still_tells_what_it_left() {
    let (_, session) = session();
    let run = session.load(program()).unwrap();
    run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap();
    session.close().unwrap();
    let report = run.stop(TIMEOUT).unwrap();
    let result = report.result.expect("the close read it");
    assert_eq!((result.commands, result.abandoned), (1, 0));
    assert_eq!(report.cores.len(), 2);
    assert!(report.cause.is_some_and(|cause| matches!(*cause, km::Error::Closed)));
}

#[test]
fn a_run_that_met_the_close_in_a_wait_tells_what_was_in_flight() {
    const READER: &str = "#include <komorebi/kernel.h>\nKM_HANDLER(Stuck) { noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(0x100000), 1); }\n";
    let (_, session) = session();
    let program = program()
        .with_sources(km::build::Sources::new().file("reader.cpp", READER.as_bytes()))
        .handler_with("stuck", 1, &[], None);
    let run = session.load(program).unwrap();
    let stuck = run.submit(km::call("stuck", &[])).unwrap();
    run.wait(stuck, Duration::from_millis(1)).unwrap_err();
    session.close().unwrap();
    let error = run.wait(stuck, TIMEOUT).unwrap_err();
    assert!(matches!(error, km::Error::Closed), "{error}");
    assert_eq!(run.stop(TIMEOUT).unwrap().result.unwrap().abandoned, 1);
}

#[test]
fn tensor_errors_say_what_was_wrong() {
    let (_, session) = session();
    let (_, other) = self::session();
    let error = session.empty(&[usize::MAX, 3, 4], km::DType::Uint32).unwrap_err();
    assert!(
        matches!(&error, km::Error::Tensor(km::error::TensorError::TooLarge { shape, .. }) if shape[1] == 3)
    );
    assert!(error.to_string().contains("uint32 has more bytes than any memory"), "{error}");
    let error = session.empty(&[usize::MAX], km::DType::Uint8).unwrap_err();
    assert!(matches!(error, km::Error::Tensor(km::error::TensorError::TooLarge { .. })), "{error}");

    let tensor = session.empty(&[4, 5], km::DType::Uint32).unwrap();
    let error = tensor.write_bytes(&[0; 79]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the tensor's pages have 80 bytes, not 79; give all pages without their padding"
    );

    let foreign = |error| matches!(error, km::Error::Tensor(km::error::TensorError::Session));
    assert!(foreign(other.read(&tensor, 0, 1).unwrap_err()));
    let mut chunks = other.read_chunks(&tensor, 20);
    assert!(foreign(chunks.next().unwrap().unwrap_err()));
    assert!(chunks.next().is_none());
}

#[test]
fn kernels_and_arguments_beyond_every_kernel_buffer_are_not_told_to_make_it_larger() {
    let (_, session) = session();
    let error = session.load(program().args(|_| (vec![0; 400_000], Vec::new(), Vec::new()))).unwrap_err();
    let km::Error::KernelSizeError(size) = &error else { panic!("{error}") };
    assert!(size.needed > 1_531_712);
    let message = error.to_string();
    assert!(message.contains("kernel_bytes can be 1531712 at most: make the kernels smaller"), "{message}");
    assert!(!message.contains("give the session"), "{message}");
}
