//! Each of the times a load or a session is given: what its expiry says, and what is left afterwards.

use std::time::Duration;

use komorebi as km;
use komorebi_card::Card as _;
use komorebi_sim::Breakage;

use super::bench::{Bench, CLUSTER, TIMEOUT, patient, program, works};

/// Cycles of a core in a time (1,350 MHz).
fn cycles(time: Duration) -> u32 {
    (time.as_nanos() as u64 * 1350 / 1000) as u32
}

const MS: Duration = Duration::from_millis(1);

#[test]
fn deadline_counts_from_the_submit_the_wait_behind_earlier_commands_included() {
    let bench = Bench::new();
    let session = bench.session();
    let run = session.load_with(program(), km::LoadOptions { deadline: 3 * MS, ..patient() }).unwrap();
    // Each takes two milliseconds: the second one has been submitted for four when it is done.
    let spin = || km::call("spin", &[cycles(2 * MS)]).on(0..1);
    let handles = [run.submit(spin()).unwrap(), run.submit(spin()).unwrap()];
    let error = run.wait(&handles, TIMEOUT).unwrap_err();
    let km::Error::CommandTimeout(facts) = &error else { panic!("{error}") };
    assert_eq!((facts.handle, facts.deadline), (Some(2), 3 * MS));
    drop(run);
    works(&session, "deadline");
}

#[test]
fn deadline_of_an_exclusive_command_counts_from_the_dispatchers_submit() {
    let bench = Bench::new();
    let session = bench.session();
    let run = session.load_with(program(), km::LoadOptions { deadline: 3 * MS, ..patient() }).unwrap();
    let spin = || km::call("spin", &[cycles(2 * MS)]).on(0..1).exclusive();
    let handles: Vec<_> = (0..4).map(|_| run.submit(spin()).unwrap()).collect();
    let began = bench.card.now();
    let events = run.wait(&handles, TIMEOUT).unwrap();
    assert!(bench.card.now() - began > 8 * MS, "one after the other, held at the head of the ring");
    for event in events {
        assert!((2000.0..2500.0).contains(&event.microseconds()), "{event:?}");
    }
    // What is behind a held command waits with it, whatever its group.
    let held = [run.submit(spin()).unwrap(), run.submit(spin()).unwrap()];
    let behind = run.submit(km::nop().on(7..8)).unwrap();
    let first = run.wait_any(&[held[0], held[1], behind], TIMEOUT).unwrap();
    assert_eq!(first.handle, held[0]);
    run.wait(&[held[1], behind], TIMEOUT).unwrap();
    run.stop(TIMEOUT).unwrap();
    works(&session, "exclusive");
}

#[test]
fn wait_makes_a_thread_give_up_and_its_command_late() {
    let bench = Bench::new();
    let session = bench.session();
    let options = km::LoadOptions { deadline: 3 * MS, wait: MS, ..patient() };
    let run = session.load_with(program(), options).unwrap();
    let error = run.wait(run.submit(km::call("stuck", &[2])).unwrap(), TIMEOUT).unwrap_err();
    let km::Error::CommandTimeout(facts) = &error else { panic!("{error}") };
    let two = facts.cores.iter().find(|late| late.core == 2).unwrap();
    assert_eq!(two.threads[0].stage, km::state::ThreadStage::GaveUp);
    assert!(error.to_string().contains("gave up after the load option `wait`"), "{error}");
    drop(run);
    works(&session, "wait");
}

#[test]
fn idle_makes_the_cores_return_when_the_host_is_silent() {
    let bench = Bench::new();
    let session = bench.session();
    let options = km::LoadOptions { deadline: 2 * MS, idle: 3 * MS, ..patient() };
    let run = session.load_with(program(), options).unwrap();
    run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap();
    bench.pass(5 * MS);
    let error = run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap_err();
    let km::Error::CommandTimeout(facts) = &error else { panic!("{error}") };
    assert_eq!(facts.cores.len(), 8, "every core");
    assert!(error.to_string().contains("gave up after the load option `idle` waiting for the next command"));
    drop(run);
    works(&session, "idle");
}

#[test]
fn kernel_idle_ends_the_dispatcher_and_zero_never_does() {
    let bench = Bench::new();
    let session = bench.session();
    for kernel_idle in [2 * MS, Duration::ZERO] {
        let run = session.load_with(program(), km::LoadOptions { kernel_idle, ..patient() }).unwrap();
        run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap();
        bench.pass(5 * MS);
        let late = run.wait(run.submit(km::nop()).unwrap(), TIMEOUT);
        if kernel_idle.is_zero() {
            late.unwrap();
            run.stop(TIMEOUT).unwrap();
            continue;
        }
        let error = late.unwrap_err();
        let km::Error::KernelFailed(facts) = &error else { panic!("{error}") };
        let result = facts.result.unwrap();
        assert_eq!((result.error, result.commands), (km::state::DispatcherError::Idle, 1));
        assert_eq!((facts.trap.is_none(), facts.harts.len()), (true, 4));
    }
    works(&session, "kernel_idle");
}

#[test]
fn grid_timeout_bounds_the_wait_of_an_abort_which_is_two_seconds_at_most() {
    for (grid_timeout, waited) in [(3 * MS, 3 * MS), (Duration::from_secs(60), Duration::from_secs(2))] {
        let bench = Bench::new();
        let session = km::Session::builder().on(&bench.card).grid_timeout(grid_timeout).open().unwrap();
        let run =
            session.load_with(program(), km::LoadOptions { idle: 86_400_000 * MS, ..patient() }).unwrap();
        let tile = session.nocs().place(km::Core(3)).unwrap();
        bench.break_now(Breakage::Freeze { tile, hart: 0, time: None });
        let before = bench.card.now();
        let error = run.abort().unwrap_err();
        let took = bench.card.now() - before;
        let km::Error::GridTimeout(facts) = &error else { panic!("{error}") };
        assert_eq!(facts.timeout, waited);
        assert!(facts.threads.iter().any(|stuck| (stuck.core, stuck.thread) == (3, "writer")), "{error}");
        assert!(took >= waited && took < waited + 200 * MS, "{took:?}");
        works(&session, "grid_timeout");
    }
}

#[test]
fn a_dispatcher_that_stands_still_is_told_by_a_wait_that_runs_out() {
    let bench = Bench::new();
    let (session, run) = bench.run();
    bench.break_now(Breakage::Freeze { tile: CLUSTER, hart: 0, time: Some(60 * MS) });
    let handle = run.submit(km::nop()).unwrap();
    let before = bench.card.now();
    let error = run.wait(handle, MS).unwrap_err();
    let km::Error::WaitTimeout(facts) = &error else { panic!("{error}") };
    let activity = facts.activity.as_ref().unwrap();
    assert_eq!((activity.passes, facts.pending.as_slice()), (0, &[1][..]));
    assert!(bench.card.now() - before >= 21 * MS, "the pass marker is read twice, 20 ms apart");
    assert!(error.to_string().contains("the dispatcher stands still"), "{error}");
    // It goes on, and so does the run.
    run.wait(handle, TIMEOUT).unwrap();
    run.stop(TIMEOUT).unwrap();
    works(&session, "a dispatcher that stood still");
}
