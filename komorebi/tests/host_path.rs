//! The host's own path: no allocation once the queue has grown.

#[path = "support/mod.rs"]
mod support;

use std::time::Duration;

use komorebi as km;
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
        run.forget(head.through(last));
    };
    round();
    let before = allocations();
    for _ in 0..100 {
        round();
    }
    assert_eq!(allocations() - before, 0);
    run.stop(TIMEOUT).unwrap();
}
