//! Every way a run and a session end, clean-ups that fail, and what the next one finds.

use std::cell::RefCell;
use std::sync::Once;
use std::time::Duration;

use komorebi as km;
use komorebi_card::Card as _;
use komorebi_sim::{Breakage, When};

use super::bench::{Bench, CLUSTER, TIMEOUT, program, quick, works};

/// The session's next calls to the card fail, one after the other; each is one that need not fail again.
fn refuse(bench: &Bench, calls: &[u64]) {
    for &call in calls {
        bench.card.break_on(When::Call(call), Breakage::Refuse("busy".into())).unwrap();
    }
}

#[test]
fn a_drop_whose_clean_up_fails_leaves_it_to_the_close_and_that_to_the_next() {
    let bench = Bench::new();
    let (session, run) = bench.run();
    run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap();
    refuse(&bench, &[1]);
    drop(run);
    assert!(matches!(session.load(program()), Err(km::Error::Loaded)), "the run is still loaded");
    refuse(&bench, &[3]);
    let error = session.close().unwrap_err();
    assert!(error.to_string().contains("busy"), "{error}");
    assert!(km::Session::builder().on(&bench.card).open().is_err(), "the card is still held");
    session.close().unwrap();
    assert!(matches!(session.load(program()), Err(km::Error::Closed)));
    works(&bench.session(), "a clean-up that failed twice");
}

#[test]
fn a_clean_up_may_fail_at_any_of_its_calls_and_the_drop_of_the_session_does_it_all_again() {
    let clean_up = |failing: Option<u64>| {
        let bench = Bench::new();
        let (session, run) = bench.run();
        run.submit(km::nop()).unwrap();
        drop(session);
        let before = bench.card.calls();
        refuse(&bench, failing.as_slice());
        drop(run); // and with it the session's last clone
        let calls = bench.card.calls() - before;
        works(&bench.session(), &format!("a clean-up that failed at its call {failing:?}"));
        calls
    };
    let calls = clean_up(None);
    assert!(calls > 10);
    for failing in (1..calls).step_by(7) {
        assert!(clean_up(Some(failing)) > calls, "it was tried again after call {failing}");
    }
}

#[test]
fn a_session_whose_clean_up_keeps_failing_gives_the_card_back_all_the_same() {
    let bench = Bench::new();
    let (session, run) = bench.run();
    drop(session);
    refuse(&bench, &[1, 2, 3]);
    let before = bench.card.calls();
    drop(run);
    assert_eq!(bench.card.calls() - before, 4, "the abort, two tries of the close, and the release");
    works(&bench.session(), "a clean-up that failed every time");
}

#[test]
fn an_abort_that_fails_is_tried_again_by_the_drop_of_the_run() {
    let bench = Bench::new();
    let (session, run) = bench.run();
    refuse(&bench, &[1]);
    let error = run.abort().unwrap_err();
    assert!(error.to_string().contains("busy"), "{error}");
    works(&session, "an abort that failed once");
}

#[test]
fn a_run_that_dies_while_calls_fail_says_what_it_died_of_and_the_close_cleans_up() {
    let bench = Bench::new();
    let (session, run) = bench.run();
    let stuck = run.submit(km::call("stuck", &[0]).on(0..2)).unwrap();
    // The wait that finds the command late stops the grid: both of its tries fail, at the first call of each.
    run.wait(stuck, Duration::ZERO).unwrap_err();
    let before = bench.card.calls();
    refuse(&bench, &[2, 4]);
    let error = run.wait(stuck, TIMEOUT).unwrap_err();
    assert!(bench.card.calls() >= before + 4);
    let km::Error::CommandTimeout(facts) = &error else { panic!("{error}") };
    assert_eq!((facts.handle, facts.group), (Some(1), Some(km::Group::new(0, 2))));
    assert!(facts.cores.is_empty() && facts.result.is_none());
    assert!(error.to_string().ends_with("; it could not be read back"), "{error}");
    drop(run);
    assert!(matches!(session.load(program()), Err(km::Error::Unstopped)));
    session.close().unwrap();
    works(&bench.session(), "a run that could not be stopped at once");
}

#[test]
fn unwinding_and_threads_leave_the_card_to_the_next_session() {
    let bench = Bench::new();
    let card = bench.card.clone();
    let panicked = std::thread::spawn(move || {
        let session = km::Session::builder().on(&card).open().unwrap();
        let run = session.load_with(program(), quick()).unwrap();
        run.submit(km::call("stuck", &[0])).unwrap();
        run.wait(run.submit(km::nop().on(7..8)).unwrap(), TIMEOUT).unwrap();
        panic!("the caller's own");
    });
    assert!(panicked.join().is_err());
    works(&bench.session(), "a panic with a command in flight");
}

#[test]
fn a_stop_has_one_deadline_for_all_of_its_steps() {
    for (what, load) in [("a command in flight", 0_u32), ("threads that do not return", 1)] {
        let bench = Bench::new();
        let session = bench.session();
        let run = session.load(program()).unwrap();
        let before = bench.card.now();
        if load == 0 {
            run.submit(km::call("spin", &[100_000_000]).on(0..1)).unwrap();
        } else {
            // Its core takes no command any more: EXIT does not complete.
            let tile = session.nocs().place(km::Core(3)).unwrap();
            bench.break_now(Breakage::Freeze { tile, hart: 1, time: None });
        }
        let error = run.stop(Duration::from_millis(4)).unwrap_err();
        let km::Error::WaitTimeout(facts) = &error else { panic!("{what}: {error}") };
        assert_eq!((facts.pending.len(), facts.timeout <= Duration::from_millis(4)), (1, true), "{error}");
        // Behind the deadline: the look at the dispatcher, and the abort with its own times.
        let took = bench.card.now() - before;
        assert!(took < Duration::from_millis(4 + 30) + Duration::from_secs(2 + 5), "{what}: {took:?}");
        works(&session, what);
    }
}

thread_local! {
    /// What this thread has logged, while somebody listens.
    static LOG: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Writes into the log of its thread.
struct Log;

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        LOG.with_borrow_mut(|log| log.iter_mut().for_each(|log| log.extend_from_slice(bytes)));
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn logged(live: impl FnOnce(&Bench)) -> String {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| tracing_subscriber::fmt().with_ansi(false).with_writer(|| Log).init());
    let bench = Bench::new();
    LOG.set(Some(Vec::new()));
    live(&bench);
    String::from_utf8(LOG.take().unwrap()).unwrap()
}

/// Lines of the dispatcher's state in a log: eight of eight words, from the first on.
fn state_lines(log: &str) -> usize {
    (0..512).step_by(64).filter(|at| log.contains(&format!("kernel state +{at:#05x}: "))).count()
}

#[test]
fn the_log_has_the_dispatchers_state_after_a_failure_or_an_abort_and_not_after_a_stop() {
    type Live = fn(&Bench);
    let lives: [(&str, Live); 4] = [
        ("abort", |bench| drop(bench.run().1.abort().unwrap())),
        ("a deadline", |bench| {
            let (_session, run) = bench.run();
            run.wait(run.submit(km::call("stuck", &[0])).unwrap(), TIMEOUT).unwrap_err();
        }),
        ("a trap", |bench| {
            let (_session, run) = bench.run();
            bench.break_now(Breakage::Trap { tile: CLUSTER, hart: 0, cause: 7, value: 1 });
            run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap_err();
        }),
        ("the close of a loaded run", |bench| bench.run().0.close().unwrap()),
    ];
    for (name, live) in lives {
        assert_eq!(state_lines(&logged(live)), 8, "{name}");
    }
    let stopped = logged(|bench| drop(bench.run().1.stop(TIMEOUT).unwrap()));
    assert!(stopped.contains("the run is stopped"), "{stopped}");
    assert_eq!(state_lines(&stopped), 0, "a run that ended well");
}

#[test]
fn the_first_word_of_the_logged_state_is_the_stage() {
    let log = logged(|bench| drop(bench.run().1.abort().unwrap()));
    let line = log.lines().find(|line| line.contains("kernel state +0x000: ")).unwrap();
    let words: Vec<&str> = line.split_once("+0x000: ").unwrap().1.split(' ').collect();
    assert_eq!((words.len(), u64::from_str_radix(words[0], 16).unwrap()), (8, 5), "STAGE_DONE: {line}");
    assert_ne!(u64::from_str_radix(words[1], 16).unwrap(), 0, "passes: {line}");
}
