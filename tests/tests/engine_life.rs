//! Engines beside each other and beside the host: kept graphs, event room, EXIT, shares.

use std::time::Duration;

use komorebi_abi::constants::command as c;
use komorebi_abi::engine::{Header, Instruction, Opcode, Output, Reason, UploadKind};
use komorebi_abi::wire::EventKind;
use komorebi_tests::dispatcher::{Rig, Setup, command};
use komorebi_tests::engine::generate::{self, Limits};
use komorebi_tests::engine::{HOST_HANDLERS, Random, Watch, cancel_line};

/// A stream of instructions alone.
fn code(req: u16, code: &[Instruction]) -> Vec<u8> {
    let instructions = code.iter().map(|instruction| instruction.encode()).collect();
    let image = komorebi_abi::engine::Image {
        header: Header::new(UploadKind::Stream, req),
        records: vec![],
        instructions,
        edges: vec![],
    };
    image.counted().encode()
}

fn spinning(req: u16) -> Vec<u8> {
    let add = Instruction::binary_value(Opcode::Add, 1, 1, 1);
    code(req, &[add, Instruction::control(Opcode::Jump, 0, 0)])
}

/// A command for core 0 from its line to its done event; gives its ticks.
fn host_command(rig: &mut Rig, sequence: u32) -> u32 {
    let number = rig.send(command(1, 0, 1));
    let slot = rig.find_published(0, sequence);
    rig.complete(slot, sequence, 0);
    let event = rig.event();
    rig.show_read();
    assert_eq!((event.kind, event.number), (Ok(EventKind::Done), number));
    event.ticks
}

#[test]
fn four_streams_that_spin_leave_their_share_to_the_host() {
    let mut rig = Setup::default().run();
    for req in 0..4 {
        rig.start_upload(u32::from(req) * 512, &spinning(req), UploadKind::Stream, &[]);
    }
    rig.pass(Duration::from_micros(100));
    for sequence in 1..=50 {
        let ticks = host_command(&mut rig, sequence);
        assert!(ticks < 100 * 50, "{ticks} ticks");
    }
    let before = rig.state(komorebi_abi::constants::launch::STATE_PASS);
    rig.pass(Duration::from_millis(10));
    let passes = rig.state(komorebi_abi::constants::launch::STATE_PASS) - before;
    assert!(passes >= 30, "{passes} passes in 10 ms");
    for req in 0..4 {
        rig.send(cancel_line(req));
        let event = rig.event();
        rig.show_read();
        assert_eq!(
            (event.kind, event.number, event.auxiliary),
            (Ok(EventKind::Error), req, Reason::CANCELLED.0)
        );
    }
}

#[test]
fn exit_waits_until_no_engine_runs() {
    let mut rig = Setup::default().run();
    rig.start_upload(0, &spinning(7), UploadKind::Stream, &[]);
    rig.send(cancel_line(6));
    assert_eq!(rig.event().kind, Ok(EventKind::Rejected));
    let short = [Instruction::control(Opcode::Event, 1, 0), Instruction::control(Opcode::Halt, 1, 0)];
    rig.start_upload(1024, &code(9, &short), UploadKind::Stream, &[]);
    assert_eq!(rig.event().kind, Ok(EventKind::Engine));
    assert_eq!(rig.event().kind, Ok(EventKind::End));
    rig.send(cancel_line(7));
    let exit = rig.send(command(c::KM_HANDLER_EXIT as u8, 0, 0));
    assert_eq!(rig.event().kind, Ok(EventKind::Error));
    rig.wait_published(119, 0, 1);
    rig.complete(0, 1, 0);
    let event = rig.event();
    assert_eq!((event.kind, event.number), (Ok(EventKind::Done), exit));
}

#[test]
fn exit_behind_a_stream_with_a_deadline_goes_out_when_it_has_ended() {
    let mut rig = Setup::default().run();
    let mut bytes = spinning(7);
    bytes[24..28].copy_from_slice(&300_u32.to_le_bytes());
    rig.start_upload(0, &bytes, UploadKind::Stream, &[]);
    rig.send(command(c::KM_HANDLER_EXIT as u8, 0, 0));
    rig.expect_silence(Duration::from_micros(200));
    assert_eq!(rig.published(0, 0).sequence, 0, "EXIT waits for the engine");
    assert_eq!(rig.event().kind, Ok(EventKind::Error));
    rig.wait_published(119, 0, 1);
}

#[test]
fn lines_that_need_no_slot_are_taken_while_every_slot_is_busy() {
    let mut rig = Setup { depth: 1, ..Setup::default() }.run();
    rig.send(command(1, 0, 1));
    rig.wait_published(0, 0, 1);
    rig.start_upload(0, &spinning(7), UploadKind::Stream, &[]);
    rig.send(command(c::KM_HANDLER_PING as u8, 0, 0));
    assert_eq!(rig.event().kind, Ok(EventKind::Pong));
    rig.send(command(2, 0, 1)); // it does need one, and what follows is behind it
    rig.send(cancel_line(7));
    rig.expect_silence(Duration::from_millis(1));
    rig.complete(0, 1, 0);
    assert_eq!(rig.event().kind, Ok(EventKind::Done));
    rig.wait_published(0, 0, 2);
    assert_eq!(rig.event().kind, Ok(EventKind::Error));
}

#[test]
fn events_of_a_stream_wait_for_room_and_none_is_lost() {
    let mut rig = Setup { event_depth: 8, ..Setup::default() }.run();
    let steps = [
        Instruction::binary_value(Opcode::Add, 1, 1, 1),
        Instruction::control(Opcode::Event, 1, 0),
        Instruction::binary_value(Opcode::LtU, 2, 1, 40),
        Instruction::control(Opcode::JumpNonzero, 2, 0),
        Instruction::control(Opcode::Halt, 1, 0),
    ];
    rig.start_upload(0, &code(7, &steps), UploadKind::Stream, &[]);
    rig.pass(Duration::from_millis(1));
    for value in 1..=40 {
        let event = rig.event();
        rig.show_read();
        assert_eq!(Output::of_event(&event, UploadKind::Stream), Some(Output::Event(value)));
    }
    assert_eq!(Output::of_event(&rig.event(), UploadKind::Stream), Some(Output::Halt(40)));
}

fn limits(cores: u32, handler: u32, bindings: u32) -> Limits {
    Limits { cores, handler, handlers: 30, nodes: 12, bindings, floods: false }
}

#[test]
fn six_engines_and_the_host_side_by_side_do_what_the_machines_do() {
    for seed in 1..=20 {
        let mut random = Random::new(seed);
        let depth = random.between(2, 16);
        let mut watch = Watch::new(Setup { seed: Some(seed), depth, ..Setup::default() }.run());
        for _ in 0..4 {
            for engine in 0..6_u16 {
                let limits = limits(120, 1 + 30 * u32::from(engine), 0);
                let image = if engine < 2 {
                    generate::graph(&mut random, engine, limits)
                } else {
                    generate::stream(&mut random, engine, limits)
                };
                watch.start(u32::from(engine) * 8192, &image.encode(), image.header.kind, &[]);
                watch.settle();
                watch.complete_one(&mut random);
            }
            for _ in 0..10 {
                watch.settle();
                if random.one_in(2) {
                    let count = random.between(1, 120);
                    watch.host(HOST_HANDLERS + random.below(20), random.below(121 - count), count);
                }
                watch.settle();
                watch.complete_one(&mut random);
            }
            watch.finish(&mut random);
            watch.forget();
        }
    }
}

#[test]
fn a_kept_graph_runs_again_with_other_bindings_and_a_cancel_drops_it() {
    for seed in 1..=30 {
        let mut random = Random::new(seed);
        let mut watch = Watch::new(Setup { seed: Some(seed), ..Setup::default() }.run());
        let mut image = generate::graph(&mut random, 5, limits(120, 1, 3));
        image.header.keep = true;
        watch.start(64, &image.encode(), UploadKind::Graph, &[1, 2, 3]);
        watch.finish(&mut random);
        for run in 0..3 {
            watch.restart(0, &[run, 7, random.below(9)]);
            watch.finish(&mut random);
        }
        watch.drop_kept(0);
        watch.rig.send(cancel_line(5));
        assert_eq!(watch.rig.event().kind, Ok(EventKind::Rejected));
    }
}
