//! Each cause of a `StartError`: what it says, and that the next load or open works.

use std::time::Duration;

use komorebi as km;
use komorebi_abi::constants::{core, launch, layout, monitor};
use komorebi_card::{Card as _, NocXy, Power};
use komorebi_sim::{Breakage, When};

use super::bench::{Bench, CLUSTER, TIMEOUT, program, quick, works};
use super::table::Told;

/// L3 ways that are cache (host.md §6.6).
const WAY_ENABLE: u64 = 0x0201_0008;

const SOON: km::LoadOptions = km::LoadOptions {
    depth: None,
    trace: 0,
    deadline: Duration::from_millis(2),
    wait: Duration::from_millis(2),
    idle: Duration::from_secs(1),
    kernel_idle: Duration::ZERO,
    start: Duration::from_millis(3),
    host_depth: 64,
    event_depth: 128,
    batch: 64,
    settle: Duration::ZERO,
    post_mortem: None,
};

fn told(error: &km::Error) -> &km::error::StartError {
    let km::Error::StartError(facts) = error else { panic!("{error}") };
    facts
}

/// Threads that may wait for one another no longer than a microsecond do not get through the start.
pub(crate) fn stuck_grid(bench: &Bench) -> Told {
    let session = bench.session();
    let options = km::LoadOptions { wait: Duration::from_micros(1), ..SOON };
    let error = session.load_with(program(), options).unwrap_err();
    let facts = told(&error);
    assert!(facts.what.contains("within 3ms (load option `start`)"), "{error}");
    assert!(facts.what.contains("columns without READY: 0, 1, 2, 3"), "{error}");
    assert_eq!(facts.result.unwrap().error, km::state::DispatcherError::Ready);
    assert_eq!(facts.cores.len(), 8, "{error}");
    assert!(error.to_string().contains("gave up after the load option `wait` waiting for"), "{error}");
    Told::goes_on(error, session)
}

/// The error of a load during which `breakage` holds.
fn load_with(bench: &Bench, session: &km::Session, breakage: Breakage) -> km::Error {
    bench.break_now(breakage);
    session.load_with(program(), SOON).unwrap_err()
}

fn hold_launch(word: u32, value: u32) -> Breakage {
    hold(layout::LIM_LAUNCH + 8 * word, value, Duration::from_millis(8))
}

fn hold(offset: u32, value: u32, time: Duration) -> Breakage {
    Breakage::Hold { tile: CLUSTER, address: layout::LIM_BASE + u64::from(offset), value, time }
}

#[test]
fn launch_parameters_that_are_wrong_are_refused_by_the_dispatcher_with_what_they_are_about() {
    use launch::{LAUNCH_DEPTH, LAUNCH_FINGERPRINT, LAUNCH_RESULT};
    let odd = layout::LIM_BASE as u32 + layout::LIM_RESULT + 8;
    for (word, value, said) in [
        (LAUNCH_FINGERPRINT, 0x1234, "were built from different headers; build the program again"),
        (LAUNCH_RESULT, odd, "a launch address is not a multiple of 16"),
        (LAUNCH_DEPTH, 17, "a launch parameter is out of its range"),
    ] {
        let bench = Bench::new();
        let session = bench.session();
        let error = load_with(&bench, &session, hold_launch(word, value));
        told(&error);
        assert!(error.to_string().contains(said), "{error}");
        bench.pass(Duration::from_millis(10));
        works(&session, said);
    }
}

#[test]
fn a_dispatcher_that_traps_at_its_start_says_where() {
    let bench = Bench::new();
    let session = bench.session();
    // No core of the grid gets to READY, so the dispatcher waits until the trap comes.
    bench.break_now(Breakage::Drop { to: CLUSTER, packets: 1000 });
    let soon = bench.card.now() + Duration::from_millis(2);
    let trap = Breakage::Trap { tile: CLUSTER, hart: 0, cause: 2, value: 0x55 };
    bench.card.break_on(When::At(soon), trap).unwrap();
    let error = session.load_with(program(), km::LoadOptions { start: Duration::from_secs(1), ..quick() });
    let error = error.unwrap_err();
    let said = "the dispatcher's hart trapped: mcause 0x2, mepc 0x";
    assert!(told(&error).what.starts_with(said), "{error}");
    assert!(told(&error).what.contains("mtval 0x55, in "), "{error}");
}

#[test]
fn a_grid_that_is_never_ready_names_the_option_and_what_the_dispatcher_does() {
    let bench = Bench::new();
    let session = bench.session();
    // The host never sees another stage: what it can say is what it sees.
    let stage = layout::LIM_STATE + 8 * launch::STATE_STAGE;
    let error = load_with(&bench, &session, hold(stage, launch::STAGE_READY, Duration::from_millis(40)));
    let said = "the grid was not ready within 3ms (load option `start`): the dispatcher is waiting for the grid to report READY";
    assert!(told(&error).what.starts_with(said), "{error}");
    bench.pass(Duration::from_millis(50));
    works(&session, said);
}

#[test]
fn a_core_that_stands_still_at_the_start_is_named_and_the_next_load_resets_it() {
    // What a load on such a card takes, to the call: the last two find the grid not ready and wait for it.
    let good = Bench::new();
    let session = good.session();
    let before = good.card.calls();
    let run = session.load_with(program(), SOON).unwrap();
    let calls = good.card.calls() - before;
    drop(run);

    let bench = Bench::new();
    let session = bench.session();
    let tile = session.nocs().place(km::Core(5)).unwrap();
    let still = Breakage::Freeze { tile, hart: 1, time: None };
    bench.card.break_on(When::Call(calls - 2), still).unwrap();
    let error = session.load_with(program(), SOON).unwrap_err();
    assert!(told(&error).what.contains("columns without READY: "), "{error}");
    assert!(error.to_string().contains("\n  core 5: reader "), "{error}");
    works(&session, "a core that stands still");
}

#[test]
fn a_hart_that_does_not_take_the_image_is_told_and_the_card_wants_a_reset() {
    let bench = Bench::new();
    let session = bench.session();
    let still = Breakage::Freeze { tile: CLUSTER, hart: 0, time: None };
    let error = load_with(&bench, &session, still);
    let said = "the dispatcher is not started after 0 passes, its hart is not yet started";
    assert!(told(&error).what.contains(said), "{error}");
    assert!(matches!(session.load(program()), Err(km::Error::Unstopped)));
    assert!(session.close().is_err());
    bench.card.reset();
    works(&bench.session(), said);
}

#[test]
fn kernels_of_other_headers_say_both_fingerprints() {
    let bench = Bench::new();
    let session = bench.session();
    let tile = session.nocs().place(km::Core(1)).unwrap();
    let address = u64::from(layout::L1_CONTROL + core::CONTROL_LAUNCH + 4 * core::CORE_FINGERPRINT);
    let wrong = Breakage::Hold { tile, address, value: 0xbad, time: Duration::from_millis(8) };
    let error = load_with(&bench, &session, wrong);
    assert!(
        error.to_string().contains("was built from other headers (host 0x00000bad, kernel 0x"),
        "{error}"
    );
    bench.pass(Duration::from_millis(10));
    works(&session, "another fingerprint");
}

#[test]
fn a_grid_that_the_card_or_commands_do_not_have_is_refused_before_anything_runs() {
    let bench = Bench::new();
    let session = bench.session();
    let error = session.load(km::Program::new("wide").grid(5, 2)).unwrap_err();
    let said = "the program's grid is 5 x 2 and the card has 4 x 10; make the program's grid smaller";
    assert_eq!(told(&error).what, said);
    assert!(told(&error).result.is_none());
    works(&session, said);
}

#[test]
fn a_hart_that_is_not_idle_is_told_at_the_load() {
    let bench = Bench::new();
    let session = bench.session();
    let state = layout::LIM_MONITOR_BLOCK + monitor::OFFSET_HARTS + 8 * monitor::STATE;
    bench.poke_lim(state, &[u64::from(monitor::HART_RUNNING)]);
    let error = session.load_with(program(), SOON).unwrap_err();
    let said = "hart 0 of X280 cluster 0 is not idle (running); close the session and open it again";
    assert_eq!(told(&error).what, said);
    // What was started before the check found it is stopped again, which takes the hart back.
    works(&session, said);
}

/// What a second session says to `breakages` of what the first one left: it asks for a reset.
fn second_open(breakages: &[Breakage], said: &str) {
    let bench = Bench::new();
    let (session, run) = bench.run();
    run.stop(TIMEOUT).unwrap();
    session.close().unwrap();
    bench.card.claim(Power { tensix: true, l2cpu: true, ..Power::default() }).unwrap();
    breakages.iter().for_each(|breakage| bench.break_now(breakage.clone()));
    bench.pass(Duration::from_micros(10));
    bench.card.release();
    let error = km::Session::builder().on(&bench.card).open().unwrap_err();
    assert!(told(&error).what.contains(said), "{error}");
    assert!(told(&error).what.ends_with("reset the card"), "{error}");
    bench.card.reset();
    works(&bench.session(), said);
}

#[test]
fn lim_that_is_not_ours_any_more_says_what_to_do() {
    let block = layout::LIM_BASE + u64::from(layout::LIM_MONITOR_BLOCK);
    let poke = |offset: u32, word: u32| {
        let address = block + u64::from(offset);
        Breakage::Poke { tile: CLUSTER, address, bytes: word.to_le_bytes().to_vec() }
    };
    second_open(&[poke(monitor::OFFSET_MAGIC, 0x1234)], "(magic 0x00001234, not 0x");
    let other = monitor::VERSION + 1;
    let said = format!("the monitor on the card has version {other}, this host's is {};", monitor::VERSION);
    second_open(&[poke(monitor::OFFSET_VERSION, other)], &said);
    let still = |hart| Breakage::Freeze { tile: CLUSTER, hart, time: None };
    second_open(&[still(2)], "did not take hart 2 of X280 cluster 0 back after its interrupt");
    let lost = Breakage::Scramble { tile: CLUSTER, address: layout::LIM_BASE, bytes: 0xC_0000 };
    second_open(&[still(0), still(1), still(2), still(3), lost], "run something else than our monitor");
}

#[test]
fn a_hart_that_does_not_come_up_and_too_little_lim_are_told_at_the_first_open() {
    let bench = Bench::new();
    let state =
        layout::LIM_MONITOR_BLOCK + monitor::OFFSET_HARTS + 3 * monitor::HART_STRIDE + 8 * monitor::STATE;
    bench.card.claim(Power { tensix: true, l2cpu: true, ..Power::default() }).unwrap();
    bench.hold_lim(state, monitor::HART_OFF, Duration::from_millis(600));
    bench.card.release();
    let error = km::Session::builder().on(&bench.card).open().unwrap_err();
    let said = "hart 3 of X280 cluster 0 did not reach the monitor within 500 ms of its release (it is off";
    assert!(told(&error).what.starts_with(said), "{error}");
    bench.card.reset();
    works(&bench.session(), said);

    let bench = Bench::new();
    bench.card.claim(Power { tensix: true, l2cpu: true, ..Power::default() }).unwrap();
    bench.card.write32(CLUSTER, WAY_ENABLE, layout::LIM_WAY_ENABLE + 1).unwrap();
    bench.card.fence(CLUSTER).unwrap();
    bench.card.release();
    let error = km::Session::builder().on(&bench.card).open().unwrap_err();
    assert!(told(&error).what.contains("of its 16 L3 ways as cache"), "{error}");
    bench.card.reset();
    works(&bench.session(), "too little LIM");
    assert_eq!(CLUSTER, NocXy::new(8, 26));
}
