//! What becomes of lines that are not plain commands: rejections, PING, EXIT, exclusive and queued commands, room.

use std::time::Duration;

use komorebi_abi::constants::{command as c, launch};
use komorebi_abi::wire::{EventKind, Line, RawEvent};
use komorebi_tests::dispatcher::{Rig, Setup, command};

const PING: u8 = c::KM_HANDLER_PING as u8;
const EXIT: u8 = c::KM_HANDLER_EXIT as u8;

fn flagged(flags: u32, line: Line) -> Line {
    Line { flags: flags as u8, ..line }
}

fn queued(count: u16) -> Line {
    flagged(c::KM_FLAG_QUEUE, command(1, 0, count))
}

fn exclusive(first: u16, count: u16) -> Line {
    flagged(c::KM_FLAG_EXCLUSIVE, command(1, first, count))
}

fn rejected(event: RawEvent) -> (u16, u32) {
    assert_eq!(event.kind, Ok(EventKind::Rejected), "{event:?}");
    (event.number, u32::from(event.low_auxiliary()))
}

/// Completes a command that `core` shows, as the leader of its group.
fn complete(rig: &mut Rig, core: u32, sequence: u32) -> RawEvent {
    let slot = rig.find_published(core, sequence);
    rig.complete(slot, sequence, 0);
    let event = rig.event();
    assert_eq!((event.kind, u32::from(event.sequence())), (Ok(EventKind::Done), sequence));
    event
}

#[test]
fn a_line_is_rejected_for_the_first_rule_it_breaks() {
    let mut rig = Setup::default().run();
    let cases = [
        (command(240, 0, 1), c::KMD_REJECT_HANDLER),
        (command(251, 0, 1), c::KMD_REJECT_HANDLER),
        (flagged(c::KM_FLAG_RESERVED, command(1, 0, 1)), c::KMD_REJECT_FLAGS),
        (flagged(128, command(1, 0, 1)), c::KMD_REJECT_FLAGS),
        (flagged(c::KM_FLAG_QUEUE | c::KM_FLAG_EXCLUSIVE, command(1, 0, 1)), c::KMD_REJECT_FLAGS),
        (command(1, 0, 0), c::KMD_REJECT_GROUP),
        (command(1, 0, 121), c::KMD_REJECT_GROUP),
        (command(1, 119, 2), c::KMD_REJECT_GROUP),
        (command(1, 65535, 1), c::KMD_REJECT_GROUP),
        (queued(0), c::KMD_REJECT_GROUP),
        (queued(121), c::KMD_REJECT_GROUP),
        (command(252, 0, 1), c::KMD_REJECT_ARGS),
        (command(253, 0, 1), c::KMD_REJECT_ARGS),
        (Line { words: 11, ..command(1, 0, 1) }, c::KMD_REJECT_ARGS),
        (flagged(1, command(240, 0, 0)), c::KMD_REJECT_HANDLER),
        (flagged(1, command(1, 0, 0)), c::KMD_REJECT_FLAGS),
    ];
    let numbers: Vec<u16> = cases.iter().map(|(line, _)| rig.store(*line)).collect();
    let ping = rig.store(command(PING, 0, 0));
    rig.commit();
    for (i, (line, reason)) in cases.iter().enumerate() {
        assert_eq!(rejected(rig.event()), (numbers[i], *reason), "{line:?}");
    }
    let pong = rig.event();
    assert_eq!(
        (pong.kind, pong.number, pong.consumed),
        (Ok(EventKind::Pong), ping, 17),
        "behind all rejections"
    );
    let number = rig.send(command(239, 119, 1));
    rig.wait_published(119, 0, 1);
    rig.complete(0, 1, 0);
    assert_eq!(rig.event().number, number, "the run goes on");
}

#[test]
fn exit_goes_to_every_core_after_all_in_flight_and_what_follows_is_rejected() {
    let mut rig = Setup::default().run();
    rig.store(command(1, 3, 1));
    rig.store(command(1, 50, 10));
    let exit = rig.store(command(EXIT, 0, 0));
    let late = [rig.store(command(1, 0, 1)), rig.store(command(PING, 0, 0))];
    rig.commit();
    rig.wait_published(50, 1, 2);
    rig.expect_silence(Duration::from_micros(100));
    complete(&mut rig, 3, 1);
    rig.expect_silence(Duration::from_micros(100));
    assert_eq!(rig.published(0, 0).sequence, 0, "EXIT waits for the last command");
    complete(&mut rig, 50, 2);
    let published = rig.wait_published(119, 0, 3);
    assert_eq!((published.handler, published.first, published.count), (c::KM_HANDLER_EXIT, 0, 120));
    for number in late {
        assert_eq!(rejected(rig.event()), (number, c::KMD_REJECT_EXITED));
    }
    assert_eq!(complete(&mut rig, 0, 3).number, exit);
}

#[test]
fn an_exclusive_command_waits_for_overlapping_groups_only_and_holds_the_ring() {
    let mut rig = Setup { depth: 16, ..Setup::default() }.run();
    rig.store(command(1, 0, 10));
    rig.store(command(1, 20, 10));
    rig.store(exclusive(10, 10)); // touches neither
    rig.store(exclusive(9, 12)); // touches all three
    rig.store(command(1, 100, 1)); // waits behind it
    rig.commit();
    rig.find_published(10, 3);
    rig.expect_silence(Duration::from_micros(50));
    for (core, sequence) in [(10, 3), (0, 1)] {
        complete(&mut rig, core, sequence);
        rig.expect_silence(Duration::from_micros(50));
        assert!(
            (0..16)
                .all(|slot| rig.published(9, slot).sequence != 4 && rig.published(100, slot).sequence == 0)
        );
    }
    complete(&mut rig, 20, 2);
    rig.find_published(9, 4);
    rig.find_published(100, 5);
    complete(&mut rig, 100, 5);
    complete(&mut rig, 9, 4);
}

#[test]
fn back_to_back_exclusive_commands_run_one_at_a_time() {
    let mut rig = Setup { depth: 8, ..Setup::default() }.run();
    for _ in 0..5 {
        rig.store(exclusive(0, 12));
    }
    rig.commit();
    for sequence in 1..=5 {
        rig.find_published(11, sequence);
        rig.expect_silence(Duration::from_micros(30));
        assert!((0..8).all(|slot| rig.published(11, slot).sequence != sequence + 1));
        complete(&mut rig, 0, sequence);
    }
}

#[test]
fn queued_commands_get_the_lowest_free_cores_and_their_events_name_them() {
    let mut rig = Setup { depth: 16, ..Setup::default() }.run();
    rig.store(command(1, 10, 10));
    let jobs = [10, 20, 10, 80, 5].map(|count| rig.store(queued(count)));
    rig.commit();
    // 10 before the busy group, 20 behind it, 10 more, then 70 cores are left: 80 waits, 5 goes first.
    for (sequence, first, count) in [(2, 0, 10), (3, 20, 20), (4, 40, 10), (5, 50, 5)] {
        let slot = rig.find_published(first + count - 1, sequence);
        let published = rig.wait_published(first, slot, sequence);
        assert_eq!((published.first, published.count), (first, count));
    }
    rig.expect_silence(Duration::from_micros(50));
    for (core, sequence, number) in [(40, 4, jobs[2]), (50, 5, jobs[4])] {
        let event = complete(&mut rig, core, sequence);
        assert_eq!((event.number, u32::from(event.low_auxiliary())), (number, core));
    }
    let slot = rig.find_published(119, 6);
    assert_eq!(rig.published(119, slot).first, 40);
    let event = complete(&mut rig, 40, 6);
    assert_eq!((event.number, event.low_auxiliary()), (jobs[3], 40));
}

#[test]
fn the_job_queue_holds_64_and_rejects_one_more() {
    let mut rig = Setup { depth: 2, ..Setup::default() }.run();
    rig.send(command(1, 0, 120));
    rig.find_published(0, 1);
    for _ in 0..4 {
        for _ in 0..16 {
            rig.store(queued(120));
        }
        rig.commit();
        rig.expect_silence(Duration::from_micros(50));
    }
    let number = rig.send(queued(1));
    assert_eq!(rejected(rig.event()), (number, c::KMD_REJECT_QUEUE));
    complete(&mut rig, 0, 1);
    for sequence in 2..66 {
        let event = complete(&mut rig, 0, sequence);
        assert_eq!(u32::from(event.number), sequence, "in their order");
    }
    assert_eq!(rig.state(launch::STATE_STAGE), u64::from(launch::STAGE_RUNNING));
}

#[test]
fn an_exclusive_command_waits_until_no_queued_one_is_left() {
    let mut rig = Setup { depth: 4, ..Setup::default() }.run();
    rig.store(command(1, 0, 60));
    rig.store(queued(100)); // no room until the first is done
    rig.store(exclusive(110, 1)); // overlaps nothing that runs
    rig.commit();
    rig.expect_silence(Duration::from_micros(50));
    complete(&mut rig, 0, 1);
    rig.find_published(0, 2);
    rig.find_published(110, 3);
    complete(&mut rig, 110, 3);
    complete(&mut rig, 0, 2);
}

#[test]
fn an_exclusive_command_waits_for_a_queued_one_that_was_given_its_cores_meanwhile() {
    let mut rig = Setup { depth: 16, ..Setup::default() }.run();
    rig.send(command(1, 0, 2)); // the group has its windows
    complete(&mut rig, 0, 1);
    for (first, count) in [(0, 1), (0, 1), (1, 1), (2, 118)] {
        rig.store(command(1, first, count));
    }
    rig.store(queued(1)); // no core is idle
    rig.commit();
    complete(&mut rig, 0, 2); // its slot is free for the queued one
    rig.store(exclusive(0, 2));
    rig.commit();
    rig.expect_silence(Duration::from_micros(50));
    complete(&mut rig, 0, 3);
    rig.find_published(0, 6); // the queued one, on the first of the two cores
    complete(&mut rig, 1, 4); // the last that was on them when the exclusive one came
    rig.expect_silence(Duration::from_micros(50));
    assert!((0..16).all(|slot| rig.published(1, slot).sequence != 7), "it is alone on its cores");
    complete(&mut rig, 0, 6);
    rig.find_published(1, 7);
    complete(&mut rig, 0, 7);
    complete(&mut rig, 2, 5);
}

#[test]
fn an_exclusive_line_that_is_no_command_is_answered_at_once() {
    let mut rig = Setup::default().run();
    rig.store(command(1, 0, 12));
    let cases = [
        (command(240, 0, 1), c::KMD_REJECT_HANDLER),
        (queued(1), c::KMD_REJECT_FLAGS),
        (command(1, 0, 121), c::KMD_REJECT_GROUP),
        (Line { words: 11, ..command(1, 0, 1) }, c::KMD_REJECT_ARGS),
    ];
    let numbers =
        cases.map(|(line, _)| rig.store(flagged(c::KM_FLAG_EXCLUSIVE | u32::from(line.flags), line)));
    let ping = rig.store(flagged(c::KM_FLAG_EXCLUSIVE, command(PING, 0, 0)));
    rig.commit();
    for ((line, reason), number) in cases.iter().zip(numbers) {
        assert_eq!(rejected(rig.event()), (number, *reason), "{line:?}");
    }
    assert_eq!(rig.event().number, ping);
    complete(&mut rig, 0, 1);
}

#[test]
fn a_job_that_let_a_thousand_commands_go_by_holds_the_others_back() {
    let mut rig = Setup { depth: 4, ..Setup::default() }.run();
    rig.store(command(1, 119, 1)); // keeps a full-grid job from running
    let job = rig.store(queued(120));
    rig.commit();
    rig.find_published(119, 1);
    let mut sequence = 1;
    while sequence < 1030 {
        for _ in 0..2 {
            rig.store(command(1, 0, 1));
        }
        rig.commit();
        for _ in 0..2 {
            sequence += 1;
            if sequence > 1026 {
                // The queue is looked at when a slot is freed: after 1,024 commands the ring is held.
                rig.expect_silence(Duration::from_micros(1000));
                assert!((0..4).all(|slot| rig.published(0, slot).sequence <= 1027));
                let held = (0..4).map(|slot| rig.published(0, slot).sequence).max().unwrap();
                for left in sequence..=held {
                    complete(&mut rig, 0, left);
                }
                complete(&mut rig, 119, 1);
                let event = complete(&mut rig, 0, held + 1);
                assert_eq!(event.number, job, "the job that waited is next");
                return;
            }
            complete(&mut rig, 0, sequence);
        }
    }
    panic!("the ring was never held");
}

#[test]
fn no_command_is_taken_without_room_for_its_event() {
    let mut rig = Setup { depth: 16, event_depth: 4, ..Setup::default() }.run();
    for core in 0..3 {
        rig.store(command(1, core, 1));
    }
    rig.store(command(250, 0, 1));
    rig.store(command(1, 7, 1));
    rig.commit();
    rig.find_published(2, 3);
    rig.pass(Duration::from_micros(100));
    // Three busy slots and a rejection fill the ring of four events.
    assert_eq!(rig.published(7, 0).sequence + rig.published(7, 3).sequence, 0);
    for core in 0..3 {
        rig.complete(core, core + 1, 0);
    }
    rig.pass(Duration::from_micros(100));
    assert!((0..16).all(|slot| rig.published(7, slot).sequence == 0), "four events are unread");
    let mut kinds = [0, 0];
    for _ in 0..4 {
        match rig.event().kind {
            Ok(EventKind::Done) => kinds[0] += 1,
            Ok(EventKind::Rejected) => kinds[1] += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(kinds, [3, 1]);
    assert!((0..16).all(|slot| rig.published(7, slot).sequence == 0), "the dispatcher does not know yet");
    rig.show_read();
    complete(&mut rig, 7, 4);
}

#[test]
fn a_queued_command_waits_for_room_for_its_event_too() {
    let mut rig = Setup { depth: 16, event_depth: 2, ..Setup::default() }.run();
    rig.store(command(250, 0, 1));
    rig.store(queued(120));
    rig.commit();
    rig.find_published(0, 1);
    rig.complete(0, 1, 0);
    rig.send(queued(3));
    rig.pass(Duration::from_micros(600));
    assert!((0..16).all(|slot| rig.published(0, slot).sequence <= 1));
    rejected(rig.event());
    rig.event();
    rig.show_read();
    complete(&mut rig, 0, 2);
}
