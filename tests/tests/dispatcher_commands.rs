//! Commands: what reaches which mailbox, in which order, and what the events say.

use std::time::Duration;

use komorebi_abi::constants::{command as c, core, launch};
use komorebi_abi::wire::{EventKind, Line};
use komorebi_card::{Card as _, Grid, Group};
use komorebi_tests::dispatcher::{Published, Rig, Setup, command};

fn body(rig: &Rig, core: u32, slot: u32, words: u32) -> Vec<u32> {
    let word = |i: u32| rig.mailbox(core, core::CONTROL_BODIES + core::BODY_BYTES * slot + 8 * (i / 2));
    (0..words).map(|i| (word(i) >> (32 * (i % 2))) as u32).collect()
}

#[test]
fn a_command_reaches_every_core_of_its_group_and_no_other() {
    let grid = Grid::new(12, 10);
    for (first, count) in
        [(0, 1), (119, 1), (0, 120), (5, 3), (10, 4), (3, 40), (12, 24), (20, 16), (13, 107), (0, 13)]
    {
        let mut rig = Setup::default().run();
        let args = [1, 0xffff_ffff, 3, 4, 5];
        let mut line = Line { words: 5, ..command(17, first, count) };
        line.args[..5].copy_from_slice(&args);
        rig.send(line);
        let last = u32::from(first + count - 1);
        let published = rig.wait_published(last, 0, 1);
        let expected = Published {
            sequence: 1,
            handler: 17,
            args: 5,
            flags: 0,
            first: u32::from(first),
            count: u32::from(count),
        };
        assert_eq!(published, expected);
        rig.pass(Duration::from_micros(2));
        let group = u32::from(first)..u32::from(first + count);
        assert!(Group::new(group.start, u32::from(count)).rectangles(grid).count() <= 3);
        for core in 0..120 {
            let inside = group.contains(&core);
            assert_eq!(rig.published(core, 0).sequence, u32::from(inside), "core {core}, group {group:?}");
            if inside {
                assert_eq!(body(&rig, core, 0, 5), args, "core {core}, group {group:?}");
            }
        }
    }
}

#[test]
fn a_done_event_carries_number_leader_sequence_result_ticks_and_lines_consumed() {
    let mut rig = Setup::default().run();
    for (i, result) in [(1, true), (2, false)] {
        let flags = if result { c::KM_FLAG_RESULT as u8 } else { 0 };
        let number = rig.send(Line { flags, ..command(1, 30, 12) });
        let published = rig.wait_published(30, 0, i);
        assert_eq!(published.flags, if result { core::PUBLISH_RESULT } else { 0 });
        rig.pass(Duration::from_micros(100));
        rig.complete(0, i, if result { 0xdead_beef } else { 0 });
        let event = rig.event();
        assert_eq!(event.kind, Ok(EventKind::Done));
        assert_eq!((event.number, event.low_auxiliary(), event.sequence()), (number, 30, i as u16));
        assert_eq!(event.value, if result { 0xdead_beef } else { 0 });
        assert_eq!(u32::from(event.consumed), i);
        let microseconds = event.ticks / 50;
        assert!((100..115).contains(&microseconds), "{microseconds} us");
    }
}

#[test]
fn slots_are_used_up_to_the_depth_and_given_out_again() {
    let mut rig = Setup { depth: 3, ..Setup::default() }.run();
    for core in 0..5 {
        rig.store(command(1, core, 1));
    }
    rig.commit();
    rig.wait_published(2, 2, 3);
    rig.expect_silence(Duration::from_micros(50));
    assert_eq!(
        [rig.published(0, 0).sequence, rig.published(1, 1).sequence, rig.published(3, 0).sequence],
        [1, 2, 0]
    );
    rig.complete(1, 2, 0);
    assert_eq!(rig.event().number, 2, "leaders complete in any order");
    rig.wait_published(3, 1, 4);
    rig.complete(2, 3, 0);
    assert_eq!(rig.event().number, 3);
    rig.wait_published(4, 2, 5);
    for (slot, sequence) in [(2, 5), (0, 1), (1, 4)] {
        rig.complete(slot, sequence, 0);
        assert_eq!(u32::from(rig.event().sequence()), sequence);
    }
    assert_eq!(rig.state(launch::STATE_STAGE), u64::from(launch::STAGE_RUNNING));
}

#[test]
fn commands_with_one_leader_are_answered_in_their_order_even_if_completions_overtake() {
    let mut rig = Setup { depth: 16, ..Setup::default() }.run();
    for _ in 0..16 {
        rig.store(command(1, 4, 2));
    }
    rig.commit();
    rig.wait_published(5, 15, 16);
    for slot in (1..16).rev() {
        rig.complete(slot, slot + 1, 0);
    }
    rig.expect_silence(Duration::from_micros(50));
    rig.complete(0, 1, 0);
    for number in 1..=16 {
        assert_eq!(rig.event().number, number);
    }
}

#[test]
fn each_core_sees_commands_in_their_order_and_never_before_their_arguments() {
    const COMMANDS: u32 = 16;
    for seed in 1..=6 {
        let mut rig = Setup { depth: COMMANDS, seed: Some(seed), ..Setup::default() }.run();
        let args = |sequence: u32| std::array::from_fn::<u32, 10, _>(|i| sequence << 8 | i as u32 | 1 << 31);
        // Groups of one to three rectangles, all of which contain cores 50 to 59.
        for sequence in 1..=COMMANDS {
            let (first, count) = [(50, 10), (40, 30), (0, 120), (49, 11)][sequence as usize % 4];
            rig.store(Line { words: 10, args: args(sequence), ..command(3, first, count) });
        }
        rig.commit();
        let end = rig.card.now() + Duration::from_micros(200);
        while rig.card.now() < end {
            for core in 50..60 {
                let visible: Vec<u32> =
                    (0..COMMANDS).filter(|slot| rig.published(core, *slot).sequence != 0).collect();
                // In an empty run, slots are taken in order: command s is in slot s - 1.
                assert_eq!(
                    visible,
                    (0..visible.len() as u32).collect::<Vec<_>>(),
                    "core {core}, seed {seed}"
                );
                for slot in visible {
                    assert_eq!(rig.published(core, slot).sequence, slot + 1);
                    assert_eq!(body(&rig, core, slot, 10), args(slot + 1), "core {core}, seed {seed}");
                }
            }
            rig.card.relax(rig.card.now()).unwrap(); // one poll: 100 ns
        }
        assert_eq!(rig.published(59, COMMANDS - 1).sequence, COMMANDS);
    }
}

/// Plays a grid that completes each command as soon as it sees it, for `commands` commands on `groups`.
fn run_many(setup: Setup, commands: u32, groups: &[(u16, u16)]) {
    let mut rig = setup.run();
    let (mut stored, mut done) = (0, 0);
    while done < commands {
        let mut batch = 0;
        while stored < commands && stored - done < setup.lines.min(setup.event_depth) {
            let (first, count) = groups[stored as usize % groups.len()];
            let mut line = Line { words: (stored % 11) as u8, ..command((stored % 240) as u8, first, count) };
            line.args = std::array::from_fn(|i| stored * 16 + i as u32);
            rig.store(line);
            stored += 1;
            batch += 1;
        }
        if batch > 0 {
            rig.commit();
        }
        // Every command in flight is one that some core shows; complete the oldest.
        let sequence = done + 1;
        let (first, count) = groups[done as usize % groups.len()];
        let slot = rig.find_published(u32::from(first), sequence);
        let last = u32::from(first + count - 1);
        let published = rig.wait_published(last, slot, sequence);
        let (handler, args) = (done % 240, done % 11);
        assert_eq!((published.handler, published.args), (handler, args), "command {sequence}");
        let expected: Vec<u32> = (0..args).map(|i| done * 16 + i).collect();
        assert_eq!(body(&rig, last, slot, args), expected, "command {sequence}");
        rig.complete(slot, sequence, 0);
        let event = rig.event();
        assert_eq!((event.number, event.sequence()), (sequence as u16, sequence as u16));
        done += 1;
    }
}

#[test]
fn rings_go_round_with_any_number_of_lines_and_events() {
    for (lines, event_depth, depth) in [(64, 128, 4), (1, 1, 1), (4, 2, 3), (2, 8, 16)] {
        run_many(Setup { lines, event_depth, depth, ..Setup::default() }, 150, &[(0, 1), (7, 30), (3, 1)]);
    }
}

#[test]
fn more_groups_than_windows_are_served_and_the_hardware_may_disorder_what_it_likes() {
    let groups: Vec<(u16, u16)> = (0..100).map(|i| (i, 2 + i % 19)).chain([(0, 120), (50, 1)]).collect();
    for seed in [0, 1, 2] {
        run_many(Setup { depth: 8, seed: Some(seed), ..Setup::default() }, 204, &groups);
    }
}
