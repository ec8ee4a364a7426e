//! Commands that do nothing, from a session down to the cores and back.

use std::time::Duration;

use komorebi as km;
use komorebi_sim::Card;

const TIMEOUT: Duration = Duration::from_secs(5);

#[test]
fn a_nop_on_one_core_is_done_and_the_run_stops() {
    let session = km::Session::builder().on(&Card::builder().build()).open().unwrap();
    let run = session.load(km::Program::new("nop").grid(1, 1)).unwrap();
    let event = run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap();
    assert_eq!((event.kind, event.auxiliary, event.result), (km::EventKind::Done, 0, None));
    assert!(event.ticks > 0, "submit to completion takes time");
    let report = run.stop(TIMEOUT).unwrap();
    let result = report.result.unwrap();
    assert_eq!((result.commands, result.events, result.abandoned), (2, 2, 0), "the NOP and EXIT");
    let reader = report.cores[0].reader();
    assert_eq!(reader.stage, km::state::ThreadStage::Exited);
}
