//! Launch: the checks before anything is touched, READY, and how a failure is reported.

use std::time::Duration;

use komorebi_abi::FINGERPRINT;
use komorebi_abi::constants::{command, core, launch, layout, monitor};
use komorebi_tests::dispatcher::{MICROSECOND, Rig, Setup, lim};

/// Starts the image with one parameter changed; gives what it returned.
fn returned(word: u32, value: u64) -> (Rig, u64) {
    let rig = Setup::default().boot();
    rig.prepare();
    rig.set_parameter(word, value);
    rig.launch();
    rig.until("the image has returned", |rig| rig.hart(0, monitor::VALUE) != 0);
    let value = rig.hart(0, monitor::VALUE);
    (rig, value)
}

fn failure(error: u32, detail: u32) -> u64 {
    u64::from(error) | u64::from(detail) << 32
}

#[test]
fn another_fingerprint_is_refused_before_anything_is_touched_and_the_images_own_is_named() {
    let (rig, value) = returned(launch::LAUNCH_FINGERPRINT, u64::from(FINGERPRINT ^ 1));
    assert_eq!(value, failure(launch::ERROR_FINGERPRINT, FINGERPRINT));
    assert_eq!((rig.state(launch::STATE_STAGE), rig.result_word(launch::RESULT_READY)), (0, 0));
}

#[test]
fn an_address_that_is_no_multiple_of_16_is_named_in_the_result() {
    let (rig, value) = returned(launch::LAUNCH_JOBS, lim(layout::LIM_JOBS) + 8);
    assert_eq!(value, failure(launch::ERROR_ALIGNMENT, launch::LAUNCH_JOBS));
    let expected = (launch::STAGE_FAILED, launch::ERROR_ALIGNMENT, u64::from(launch::LAUNCH_JOBS));
    assert_eq!(rig.result(), expected);
    assert_eq!(rig.state(launch::STATE_STAGE), u64::from(launch::STAGE_FAILED));
}

#[test]
fn a_result_address_that_cannot_be_used_is_reported_by_the_monitor_alone() {
    let (_, value) = returned(launch::LAUNCH_RESULT, lim(layout::LIM_RESULT) + 4);
    assert_eq!(value, failure(launch::ERROR_ALIGNMENT, launch::LAUNCH_RESULT));
}

#[test]
fn parameters_out_of_their_ranges_are_named() {
    for (word, value) in [
        (launch::LAUNCH_RING_LINES, 48),
        (launch::LAUNCH_RING_LINES, 128),
        (launch::LAUNCH_EVENT_DEPTH, 0),
        (launch::LAUNCH_DEPTH, 17),
        (launch::LAUNCH_CORES, 129),
        (launch::LAUNCH_GRID_HEIGHT, 9),
        (launch::LAUNCH_WINDOWS, 122),
        (launch::LAUNCH_DEADLINE, 0),
        (launch::LAUNCH_STATE, lim(layout::LIM_STATE) + 0x100),
    ] {
        let (rig, returned) = returned(word, value);
        assert_eq!(returned, failure(launch::ERROR_LAUNCH, word), "parameter {word} = {value}");
        assert_eq!(rig.result(), (launch::STAGE_FAILED, launch::ERROR_LAUNCH, u64::from(word)));
    }
}

#[test]
fn the_dispatcher_runs_once_every_column_is_ready() {
    let rig = Setup::default().boot();
    rig.prepare();
    rig.launch();
    let word = u64::from(FINGERPRINT) | 10 << 32;
    for column in (0..12).rev() {
        rig.until("the dispatcher waits", |rig| {
            rig.state(launch::STATE_STAGE) == u64::from(launch::STAGE_READY)
        });
        rig.set_ready(column, word);
        rig.pass(Duration::from_micros(500));
    }
    rig.until("it runs", |rig| rig.state(launch::STATE_STAGE) == u64::from(launch::STAGE_RUNNING));
    assert_eq!(rig.state(launch::STATE_READY), 0xfff);
    assert_eq!(rig.state(launch::STATE_UPLOAD_BYTES), u64::from(layout::UPLOAD_BYTES));
}

#[test]
fn a_column_that_is_not_ready_in_time_is_named() {
    let rig = Setup { start: 2_000 * MICROSECOND, ..Setup::default() }.boot();
    rig.prepare();
    rig.report_ready();
    rig.set_ready(7, 0);
    rig.launch();
    assert_eq!(rig.result(), (launch::STAGE_FAILED, launch::ERROR_READY, 7));
    assert_eq!(rig.state(launch::STATE_READY), 0xfff & !(1 << 7));
    assert_eq!(rig.mailbox(119, core::CONTROL_STOP_FLAG), 1, "the grid is told to stop");
}

#[test]
fn a_column_built_from_other_headers_is_named_at_once() {
    let rig = Setup::default().boot();
    rig.prepare();
    rig.set_ready(3, u64::from(FINGERPRINT ^ 0x10) | 10 << 32);
    rig.launch();
    assert_eq!(rig.result(), (launch::STAGE_FAILED, launch::ERROR_READY, 3));
}

#[test]
fn a_stop_ends_the_wait_for_the_grid() {
    let rig = Setup { start: 1_000_000 * MICROSECOND, ..Setup::default() }.boot();
    rig.prepare();
    rig.launch();
    rig.until("the dispatcher waits", |rig| rig.state(launch::STATE_STAGE) == u64::from(launch::STAGE_READY));
    rig.stop(command::STOP_FINISH);
    assert_eq!(rig.result(), (launch::STAGE_FAILED, launch::ERROR_READY, 0));
}

#[test]
fn the_pass_marker_moves_a_thousand_times_a_second_while_nothing_happens() {
    for ready in [false, true] {
        let rig = Setup { start: 1_000_000 * MICROSECOND, ..Setup::default() }.boot();
        rig.prepare();
        if ready {
            rig.report_ready();
        }
        rig.launch();
        rig.pass(Duration::from_millis(1));
        let before = rig.state(launch::STATE_PASS);
        rig.pass(Duration::from_millis(20));
        assert!(rig.state(launch::STATE_PASS) >= before + 20, "ready: {ready}, {}", rig.describe());
    }
}
