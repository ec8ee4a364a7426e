//! The host's own path: no allocation once the queue has grown.

#[path = "support/mod.rs"]
mod support;

use std::time::Duration;

use komorebi as km;
use komorebi_abi::constants::{layout, monitor};
use support::counting::{Counting, allocations};
use support::null_card::NullCard;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const TIMEOUT: Duration = Duration::from_secs(1);

#[test]
fn submit_and_wait_allocate_nothing_after_the_first_round() {
    let session = km::Session::builder().on(&NullCard::new()).open().unwrap();
    let run = session.load(km::Program::new("nop")).unwrap();
    let round = || {
        let head = run.submit(km::nop()).unwrap();
        for first in 0..64 {
            run.submit(km::nop().on((first, 1))).unwrap();
        }
        let last = run.submit(km::nop()).unwrap();
        assert_eq!(run.drain(TIMEOUT).unwrap(), 66);
        run.wait(last, TIMEOUT).unwrap();
        run.forget(head.through(last)).unwrap();
    };
    round();
    let before = allocations();
    for _ in 0..100 {
        round();
    }
    assert_eq!(allocations() - before, 0);
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn every_handle_ends_whatever_the_order_of_completion_and_the_sizes_of_the_rings() {
    for (seed, (host_depth, event_depth, batch)) in
        (1..).zip([(64, 128, 64), (2, 2, 1), (8, 4, 8), (64, 16, 5), (4, 128, 3)])
    {
        let session = km::Session::builder()
            .on(&NullCard::disorderly(seed))
            .grid_timeout(Duration::from_millis(1)) // the card has no cores that could return
            .open()
            .unwrap();
        let options = km::LoadOptions { host_depth, event_depth, batch, ..Default::default() };
        let run = session.load_with(km::Program::new("nop").depth(16), options).unwrap();
        let handles: Vec<_> = (0..1000).map(|i| run.submit(km::nop().on((i % 20, 1))).unwrap()).collect();
        for (i, handle) in handles.iter().enumerate().rev().step_by(7) {
            match run.wait(*handle, TIMEOUT) {
                Ok(event) => assert_eq!(usize::from(event.auxiliary), i % 20),
                Err(km::Error::CommandRejected(rejected)) => {
                    assert_eq!((rejected.handle, i % 20), (i as u64 + 1, 13));
                    assert_eq!(rejected.reason_name, "group");
                }
                Err(error) => panic!("{error}"),
            }
            assert!(
                matches!(run.event(*handle), Err(km::Error::Handle { .. })),
                "a wait forgets its command"
            );
        }
        let kept = (0..1000).filter(|i| (999 - i) % 7 != 0);
        for i in kept {
            let event = std::iter::repeat_with(|| run.event(handles[i]).unwrap()).flatten().next().unwrap();
            assert_eq!(event.kind == km::EventKind::Rejected, i % 20 == 13);
            let sequence = run.sequence(handles[i]).unwrap();
            assert_eq!(sequence, (i % 20 != 13).then_some(i as u64 + 1));
        }
        run.stop(TIMEOUT).unwrap();
    }
}

#[test]
fn a_run_that_could_not_be_stopped_keeps_the_session_from_loading_and_says_so() {
    let card = NullCard::stubborn();
    let session = km::Session::builder().on(&card).open().unwrap();
    let run = session.load(km::Program::new("nop").grid(1, 1)).unwrap();
    assert!(matches!(session.load(km::Program::new("nop")), Err(km::Error::Loaded)));
    let state = layout::LIM_MONITOR_BLOCK + monitor::OFFSET_HARTS + 8 * monitor::STATE;
    assert_eq!(card.lim(state), u64::from(monitor::HART_RUNNING));
    let error = run.abort().unwrap_err();
    assert!(error.to_string().contains("did not come back"), "{error}");
    assert_eq!(card.lim(state), 0, "the host zeroes the state before the interrupt (PROTOCOL.md, Monitor)");
    let error = session.load(km::Program::new("nop")).unwrap_err();
    assert!(matches!(error, km::Error::Unstopped), "{error}");
    assert!(error.to_string().ends_with("close the session and open another"), "{error}");
}

#[test]
fn sessions_and_tensors_are_shared_between_threads_and_runs_move_between_them() {
    fn shared<T: Send + Sync>() {}
    fn moved<T: Send>() {}
    shared::<km::Session>();
    shared::<km::Tensor>();
    shared::<km::Error>();
    moved::<km::Run>();
}
