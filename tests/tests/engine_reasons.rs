//! Every reason why an engine that was taken ends with an error, with its place, and every reason why a RUN or a CANCEL is
//! rejected. Why an upload is refused: `engine_refusals.rs`.

use std::time::Duration;

use komorebi_abi::constants::{command as c, engine as e, launch, layout};
use komorebi_abi::engine::{
    Header, Image, Instruction, Links, Opcode, Output, Reason, Record, RecordBody, Refusal, Run, UploadKind,
};
use komorebi_abi::wire::{EventKind, Line};
use komorebi_tests::dispatcher::{Rig, Setup};
use komorebi_tests::engine::sample::{graph, links, record, stream, word_at as at};
use komorebi_tests::engine::{Grid, cancel_line, run_line, with_words};

/// Makes a record's command one of the whole grid, for the job queue.
fn queue(record: &mut Record) {
    if let RecordBody::Command { queued, count, .. } = &mut record.body {
        (*queued, *count) = (true, 120);
    }
}

fn error(rig: &mut Rig, kind: UploadKind) -> (u16, Refusal) {
    let event = rig.event();
    rig.show_read();
    match Output::of_event(&event, kind) {
        Some(Output::Error(refusal)) => (event.number, refusal),
        _ => panic!("{event:?}"),
    }
}

#[test]
fn a_circle_is_stuck_when_nothing_else_is_left() {
    let mut rig = Setup::default().run();
    let mut image = graph(9);
    image.records[1].links = links(&[2, 1]);
    image.records[1].predecessors = 2;
    rig.start_upload(0, &image.encode(), UploadKind::Graph, &[]);
    rig.wait_published(0, 0, 1);
    rig.complete(0, 1, 0);
    assert_eq!(error(&mut rig, UploadKind::Graph), (9, Refusal { reason: Reason::STUCK, place: None }));
}

#[test]
fn a_first_core_from_a_register_that_leaves_the_cores_is_group_at_its_pc() {
    for first in [117, 128, 255, 256, u32::MAX] {
        let mut rig = Setup::default().run();
        let mut image = stream(9);
        image.instructions[0] = Instruction::unary_value(Opcode::Move, 3, first).encode();
        image.instructions[1] = Instruction::control(Opcode::SubmitAt, 3, 0).encode();
        rig.start_upload(0, &image.encode(), UploadKind::Stream, &[]);
        let expected = Refusal { reason: Reason::GROUP, place: Some(1) };
        assert_eq!(error(&mut rig, UploadKind::Stream), (9, expected), "{first}");
    }
}

/// Lets 65 commands of the whole grid complete, one after the other, of which an engine waits for all.
fn complete_a_full_queue(rig: &mut Rig) {
    rig.wait_published(0, 0, 1);
    rig.expect_silence(Duration::from_millis(2));
    for sequence in 1..=65 {
        rig.wait_published(119, 0, sequence);
        rig.complete(0, sequence, 0);
    }
}

#[test]
fn a_full_job_queue_ends_a_stream_at_its_pc_when_its_commands_are_done() {
    let mut rig = Setup { depth: 1, ..Setup::default() }.run();
    let mut image = stream(9);
    queue(&mut image.records[1]);
    image.instructions[1] = Instruction::control(Opcode::Enqueue, 0, 1).encode();
    image.instructions[2] = Instruction::control(Opcode::Jump, 0, 0).encode();
    rig.start_upload(0, &image.encode(), UploadKind::Stream, &[]);
    complete_a_full_queue(&mut rig);
    assert_eq!(error(&mut rig, UploadKind::Stream), (9, Refusal { reason: Reason::QUEUE, place: Some(1) }));
}

#[test]
fn a_full_job_queue_ends_a_graph_at_its_node_when_its_commands_are_done() {
    let mut rig = Setup { depth: 1, ..Setup::default() }.run();
    let mut image = graph(9);
    image.instructions.clear();
    image.records = vec![record(1, 0, 4); 80];
    image.records.iter_mut().for_each(queue);
    let nodes: Vec<u16> = (0..80).collect();
    image.header.start = Links::pack(&nodes, &mut image.edges);
    rig.start_upload(0, &image.counted().encode(), UploadKind::Graph, &[]);
    complete_a_full_queue(&mut rig);
    // One in the slot, 64 in the queue.
    assert_eq!(error(&mut rig, UploadKind::Graph), (9, Refusal { reason: Reason::QUEUE, place: Some(65) }));
}

#[test]
fn a_cancel_and_a_deadline_end_an_engine_when_its_commands_are_done() {
    for late in [false, true] {
        for (image, place) in [(graph(9), None), (stream(9), Some(2))] {
            let mut rig = Setup::default().run();
            let mut image = image;
            let kind = image.header.kind;
            image.header.deadline_us = if late { 100 } else { 0 };
            rig.start_upload(0, &image.encode(), kind, &[]);
            rig.wait_published(0, 0, 1);
            if !late {
                rig.send(cancel_line(9));
            }
            rig.expect_silence(Duration::from_micros(300));
            rig.complete(0, 1, 0);
            let reason = if late { Reason::DEADLINE } else { Reason::CANCELLED };
            assert_eq!(error(&mut rig, kind), (9, Refusal { reason, place }));
            rig.expect_silence(Duration::from_micros(100));
        }
    }
}

#[test]
fn a_deadline_ends_a_stream_that_spins_within_microseconds() {
    let mut rig = Setup::default().run();
    let mut image = stream(9);
    image.header.deadline_us = 40;
    image.instructions[1] = Instruction::control(Opcode::Jump, 0, 0).encode();
    rig.start_upload(0, &image.encode(), UploadKind::Stream, &[]);
    let event = rig.event();
    assert_eq!((event.kind, event.auxiliary), (Ok(EventKind::Error), Reason::DEADLINE.0));
    assert!((40 * 50..60 * 50).contains(&event.ticks), "{event:?}");
}

fn rejected(rig: &mut Rig, line: Line) -> u32 {
    let number = rig.send(line);
    let event = rig.event();
    rig.show_read();
    assert_eq!((event.kind, event.number), (Ok(EventKind::Rejected), number), "{event:?}");
    u32::from(event.low_auxiliary())
}

fn upload(offset: u32, bytes: u32, kind: UploadKind) -> Line {
    run_line(Run::Upload { offset, bytes, kind, bindings: None })
}

#[test]
fn a_run_is_rejected_for_the_first_rule_it_breaks() {
    use UploadKind::{Graph, Stream};
    let mut rig = Setup { depth: 16, ..Setup::default() }.run();
    let rig = &mut rig;
    let region = layout::UPLOAD_BYTES;
    for (offset, bytes) in [
        (32, 256),
        (0, 257),
        (0, 192),
        (0, region + 64),
        (region - 192, 256),
        (region, 256),
        (u32::MAX - 63, 256),
        (64, u32::MAX - 63),
    ] {
        assert_eq!(rejected(rig, upload(offset, bytes, Graph)), c::KMD_REJECT_UPLOAD, "{offset} {bytes}");
    }
    for line in [1, region, region - 32] {
        let run = Run::Upload { offset: 0, bytes: 256, kind: Graph, bindings: Some(line) };
        assert_eq!(rejected(rig, run_line(run)), c::KMD_REJECT_UPLOAD, "{line}");
    }
    assert_eq!(
        rejected(rig, with_words(c::KM_HANDLER_RUN, &[0, 256, 3, e::NO_BINDINGS])),
        c::KMD_REJECT_UPLOAD
    );
    assert_eq!(rejected(rig, with_words(c::KM_HANDLER_RUN, &[0, 256, 1])), c::KMD_REJECT_ARGS);
    assert_eq!(rejected(rig, with_words(c::KM_HANDLER_CANCEL, &[1, 2])), c::KMD_REJECT_ARGS);
    assert_eq!(rejected(rig, cancel_line(9)), c::KMD_REJECT_REQ);
    assert_eq!(rejected(rig, with_words(c::KM_HANDLER_CANCEL, &[0x1_0009])), c::KMD_REJECT_REQ);
    assert_eq!(rejected(rig, run_line(Run::Restart { req: 9, bindings: None })), c::KMD_REJECT_REQ);
    // Two graphs and four streams that wait, side by side.
    let bytes = graph(0).encode().len() as u32;
    for i in 0..6 {
        let image = if i < 2 { graph(10 + i) } else { stream(10 + i) };
        rig.start_upload(u32::from(i) * 1024, &image.encode(), image.header.kind, &[]);
        rig.until("it has submitted", |rig| {
            (0..16).any(|slot| rig.published(0, slot).sequence == u32::from(i + 1))
        });
    }
    for (image, offset) in [(graph(20), 8192), (stream(21), 8192)] {
        rig.put(offset, &image.encode());
        let line = upload(offset, image.encode().len() as u32, image.header.kind);
        assert_eq!(rejected(rig, line), c::KMD_REJECT_ENGINES);
    }
    rig.put(8192, &graph(13).encode());
    assert_eq!(rejected(rig, upload(8192, bytes, Graph)), c::KMD_REJECT_REQ);
    assert_eq!(rejected(rig, upload(1024 - 64, 256, Stream)), c::KMD_REJECT_UPLOAD);
}

/// Writes a word of the upload at offset 0 while it runs.
fn poke(rig: &Rig, word: usize, value: u64) {
    rig.put(8 * word as u32, &value.to_le_bytes());
    rig.land();
}

#[test]
fn a_graph_that_is_written_to_while_it_runs_ends_though_its_nodes_follow_themselves() {
    for node in [1, 2] {
        let mut rig = Setup::default().run();
        let bytes = graph(9).encode();
        rig.start_upload(0, &bytes, UploadKind::Graph, &[]);
        rig.wait_published(0, 0, 1);
        // The cpu node, or the command behind it, is its own successor and only predecessor.
        let own = links(&[node]).bits() | 1 << e::LINKS_PREDECESSORS_SHIFT;
        poke(&rig, at(usize::from(node), e::RECORD_LINKS), own);
        let mut grid = Grid::default();
        let event = loop {
            if let Some(event) = rig.poll_event() {
                break event;
            }
            assert!(grid.sequence < 100, "{}", rig.describe());
            rig.pass(Duration::from_micros(1));
            while grid.next(&rig).is_some() {}
            if !grid.busy.is_empty() {
                grid.complete(&rig, 0, 0);
            }
        };
        assert_eq!((event.kind, event.auxiliary), (Ok(EventKind::Error), Reason::STUCK.0));
        rig.show_read();
        // Its slot, its range and its req are free.
        rig.start_upload(0, &stream(9).encode(), UploadKind::Stream, &[]);
        assert!(grid.busy.is_empty());
        rig.until("the next engine runs", |rig| rig.state(launch::STATE_SEQUENCE) as u32 > grid.sequence);
    }
}

#[test]
fn a_header_that_is_written_to_behind_the_run_does_not_give_two_engines_one_req() {
    let mut rig = Setup::default().run();
    let halt = Instruction::control(Opcode::Halt, 0, 0).encode();
    let spin = Instruction::control(Opcode::Jump, 0, 0).encode();
    let code = |req, word| {
        Image {
            header: Header::new(UploadKind::Stream, req),
            records: vec![],
            instructions: vec![word],
            edges: vec![],
        }
        .counted()
    };
    rig.start_upload(4096, &code(7, spin).encode(), UploadKind::Stream, &[]);
    let mut head = code(7, halt).encode();
    head.truncate(8);
    let mut ended = [0, 0];
    for delay in (0..6000).step_by(20) {
        rig.start_upload(0, &code(5, halt).encode(), UploadKind::Stream, &[]);
        rig.pass(Duration::from_nanos(delay));
        rig.put(0, &head);
        let event = rig.event();
        rig.show_read();
        match event.kind {
            Ok(EventKind::Rejected) => ended[0] += 1,
            kind => {
                assert_eq!((kind, event.number), (Ok(EventKind::End), 5), "after {delay} ns");
                ended[1] += 1;
            }
        }
    }
    println!("{ended:?} rejected and run");
    assert!(ended[1] != 0);
}
