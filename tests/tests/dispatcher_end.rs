//! How a run ends: stop, deadlines, the idle timeout, a broken line, and what the result block counts.

use std::time::Duration;

use komorebi_abi::constants::{command as c, core, launch};
use komorebi_abi::wire::{EventKind, Line};
use komorebi_card::Card as _;
use komorebi_tests::dispatcher::{MICROSECOND, Rig, Setup, command};

const DONE: (u32, u32, u64) = (launch::STAGE_DONE, launch::ERROR_NONE, 0);

fn counts(rig: &Rig) -> [u64; 5] {
    [
        launch::RESULT_COMMANDS,
        launch::RESULT_EVENTS,
        launch::RESULT_REJECTED,
        launch::RESULT_ABANDONED,
        launch::RESULT_SEQUENCE,
    ]
    .map(|word| rig.result_word(word))
}

#[test]
fn stop_ends_an_idle_dispatcher_and_the_result_counts_what_it_did() {
    let mut rig = Setup::default().run();
    rig.store(command(1, 0, 120));
    rig.store(command(245, 0, 1));
    rig.store(command(c::KM_HANDLER_PING as u8, 0, 0));
    rig.commit();
    rig.wait_published(0, 0, 1);
    rig.complete(0, 1, 0);
    for _ in 0..3 {
        rig.event();
    }
    rig.pass(Duration::from_millis(1));
    rig.stop(c::STOP_FINISH);
    assert_eq!(rig.result(), DONE);
    assert_eq!(counts(&rig), [1, 3, 1, 0, 1]);
    let ticks = rig.result_word(launch::RESULT_TICKS);
    assert!((1000 * MICROSECOND..2000 * MICROSECOND).contains(&ticks), "{ticks} ticks");
    assert!(rig.result_word(launch::RESULT_PASSES) >= 4);
    assert_eq!(rig.state(launch::STATE_STAGE), u64::from(launch::STAGE_DONE));
    assert_eq!(rig.mailbox(0, core::CONTROL_STOP_FLAG), 0, "the grid is the host's to stop");
}

#[test]
fn a_stop_waits_for_commands_in_flight_and_takes_no_more() {
    let mut rig = Setup::default().run();
    rig.send(command(1, 9, 1));
    rig.wait_published(9, 0, 1);
    rig.stop(c::STOP_FINISH);
    rig.until("it is stopping", |rig| rig.state(launch::STATE_STAGE) == u64::from(launch::STAGE_STOPPING));
    rig.store(command(1, 10, 1));
    rig.store(command(1, 11, 1));
    rig.commit();
    rig.expect_silence(Duration::from_millis(2));
    assert_eq!(rig.published(10, 1).sequence, 0);
    rig.complete(0, 1, 0);
    rig.event();
    assert_eq!(rig.result(), DONE);
    assert_eq!(counts(&rig), [1, 1, 0, 2, 1]);
}

#[test]
fn a_stop_now_abandons_commands_in_flight_jobs_and_lines() {
    let mut rig = Setup { depth: 2, ..Setup::default() }.run();
    rig.store(command(1, 0, 120));
    rig.store(Line { flags: c::KM_FLAG_QUEUE as u8, ..command(1, 0, 2) });
    rig.store(command(1, 0, 120));
    rig.store(command(1, 0, 120));
    rig.commit();
    rig.wait_published(0, 1, 2);
    rig.pass(Duration::from_micros(50));
    rig.stop(c::STOP_NOW);
    assert_eq!(rig.result(), DONE);
    assert_eq!(counts(&rig), [2, 0, 0, 4, 2]);
}

#[test]
fn a_late_command_is_reported_and_ends_the_run() {
    let mut rig = Setup { deadline: 3_000 * MICROSECOND, depth: 4, ..Setup::default() }.run();
    rig.send(command(1, 0, 1));
    rig.wait_published(0, 0, 1);
    rig.pass(Duration::from_millis(2));
    let late = rig.send(command(5, 24, 12));
    rig.wait_published(24, 1, 2);
    rig.complete(0, 1, 0);
    rig.event();
    let event = rig.event();
    assert_eq!((event.kind, event.number), (Ok(EventKind::Timeout), late));
    assert_eq!((event.low_auxiliary(), event.sequence()), (1, 2), "slot and sequence number");
    let microseconds = u64::from(event.ticks) / MICROSECOND;
    assert!((3000..3600).contains(&microseconds), "{microseconds} us");
    assert_eq!(rig.result(), (launch::STAGE_FAILED, launch::ERROR_DEADLINE, 1));
    assert_eq!(counts(&rig), [2, 2, 0, 1, 2]);
    for core in 0..120 {
        assert_eq!(rig.mailbox(core, core::CONTROL_STOP_FLAG), 1, "core {core} is told to stop");
    }
}

#[test]
fn a_deadline_of_its_own_holds_for_that_command_only() {
    let mut rig = Setup::default().run();
    rig.send(command(1, 0, 1));
    rig.wait_published(0, 0, 1);
    let limit = (1_500 * MICROSECOND) as u32;
    let late = rig.send(Line { flags: c::KM_FLAG_LIMIT as u8, limit, ..command(1, 1, 1) });
    let event = rig.event();
    assert_eq!((event.kind, event.number), (Ok(EventKind::Timeout), late));
    assert!((1500..2100).contains(&(u64::from(event.ticks) / MICROSECOND)));
    assert_eq!(rig.result(), (launch::STAGE_FAILED, launch::ERROR_DEADLINE, 1));
}

#[test]
fn a_dispatcher_without_commands_gives_up_after_the_idle_time_and_not_while_one_runs() {
    let mut rig = Setup { idle: 2_000 * MICROSECOND, ..Setup::default() }.run();
    rig.send(command(1, 0, 1));
    rig.wait_published(0, 0, 1);
    rig.pass(Duration::from_millis(5));
    assert_eq!(rig.state(launch::STATE_STAGE), u64::from(launch::STAGE_RUNNING));
    rig.complete(0, 1, 0);
    rig.event();
    let from = rig.card.now();
    assert_eq!(rig.result(), (launch::STAGE_FAILED, launch::ERROR_IDLE, 0));
    let waited = rig.card.now() - from;
    assert!((Duration::from_micros(1700)..Duration::from_millis(3)).contains(&waited), "{waited:?}");
}

#[test]
fn a_line_whose_phases_do_not_match_ends_the_run_and_is_named() {
    let mut rig = Setup::default().run();
    rig.store(command(c::KM_HANDLER_PING as u8, 0, 0));
    rig.store_with_phase(command(1, 0, 1), 2);
    rig.commit();
    rig.event();
    assert_eq!(rig.result(), (launch::STAGE_FAILED, launch::ERROR_LINE, 1));
    assert_eq!(rig.published(0, 0).sequence, 0);
    assert_eq!(counts(&rig)[3], 1);
}

#[test]
fn a_second_run_on_the_same_card_starts_afresh() {
    let mut rig = Setup::default().run();
    for _ in 0..3 {
        rig.store(command(1, 0, 1));
    }
    rig.commit();
    rig.wait_published(0, 2, 3);
    rig.stop(c::STOP_NOW);
    rig.result();
    let mut rig = rig.again();
    let number = rig.send(command(1, 2, 1));
    rig.wait_published(2, 0, 1);
    rig.complete(0, 1, 0);
    assert_eq!(rig.event().number, number);
    rig.take_back(0);
    let mut rig = rig.again();
    rig.send(command(c::KM_HANDLER_PING as u8, 0, 0));
    assert_eq!(rig.event().kind, Ok(EventKind::Pong), "a dispatcher taken back is replaced");
}
