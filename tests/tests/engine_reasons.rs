//! Every reason why an engine ends with an error, with its place, and every reason why a RUN or a CANCEL is rejected.

use std::time::Duration;

use komorebi_abi::constants::{command as c, core, engine as e, launch, layout};
use komorebi_abi::engine::{
    Image, Instruction, Links, Opcode, Output, Reason, Record, RecordBody, Refusal, Run, UploadKind,
};
use komorebi_abi::wire::{EventKind, Line};
use komorebi_tests::dispatcher::{Rig, Setup, command};
use komorebi_tests::engine::generate::{close, header};
use komorebi_tests::engine::{Grid, cancel_line, run_line, with_words};

fn record(handler: u8, first: u8, count: u8) -> Record {
    let body = RecordBody::Command {
        handler,
        first,
        count,
        words: 2,
        mask: 0,
        args: [0; 10],
        exclusive: false,
        queued: false,
        result: None,
    };
    Record { body, links: Links::default(), predecessors: 1 }
}

fn links(nodes: &[u16]) -> Links {
    Links::pack(nodes, &mut Vec::new())
}

/// A graph: a command, a cpu node, a command.
fn graph(req: u16) -> Image {
    let mut image = Image {
        header: header(UploadKind::Graph, req),
        records: vec![
            Record { links: links(&[1]), ..record(1, 0, 4) },
            Record { body: RecordBody::Cpu { first: 0, count: 2 }, links: links(&[2]), predecessors: 1 },
            record(2, 4, 4),
        ],
        instructions: vec![Instruction::unary_value(Opcode::Move, 1, 5).encode(); 2],
        edges: vec![],
    };
    image.header.start = links(&[0]);
    close(image)
}

/// A stream: submits its second record, waits, halts.
fn stream(req: u16) -> Image {
    let records = [1, 2].map(|handler| Record { predecessors: 0, ..record(handler, 0, 4) }).to_vec();
    let code = [
        Instruction::unary_value(Opcode::Move, 3, 9),
        Instruction::control(Opcode::Submit, 0, 1),
        Instruction::control(Opcode::WaitAll, 0, 0),
        Instruction::control(Opcode::Halt, 3, 0),
    ];
    let instructions = code.iter().map(|instruction| instruction.encode()).collect();
    close(Image { header: header(UploadKind::Stream, req), records, instructions, edges: vec![] })
}

/// Changes a 64-bit word of an upload.
fn edit(bytes: &mut [u8], word: usize, change: impl FnOnce(u64) -> u64) {
    let at = 8 * word..8 * word + 8;
    let old = u64::from_le_bytes(bytes[at.clone()].try_into().unwrap());
    bytes[at].copy_from_slice(&change(old).to_le_bytes());
}

/// The word of a record, and of a record's `index`.
fn at(record: usize, index: u32) -> usize {
    (e::UPLOAD_RECORDS + e::RECORD_BYTES * record as u32) as usize / 8 + index as usize
}

fn error(rig: &mut Rig, kind: UploadKind) -> (u16, Refusal) {
    let event = rig.event();
    rig.show_read();
    match Output::of_event(&event, kind) {
        Some(Output::Error(refusal)) => (event.number, refusal),
        _ => panic!("{event:?}"),
    }
}

fn refuses(
    rig: &mut Rig,
    kind: UploadKind,
    reason: Reason,
    place: Option<u32>,
    change: impl FnOnce(&mut Image),
) {
    let mut image = if kind == UploadKind::Graph { graph(9) } else { stream(9) };
    change(&mut image);
    refuses_bytes(rig, kind, reason, place, &image.encode());
}

fn refuses_bytes(rig: &mut Rig, kind: UploadKind, reason: Reason, place: Option<u32>, bytes: &[u8]) {
    rig.start_upload(128, bytes, kind, &[]);
    assert_eq!(error(rig, kind), (9, Refusal { reason, place }));
}

#[test]
fn each_fault_of_an_upload_is_refused_for_its_reason_at_its_place() {
    use UploadKind::{Graph, Stream};
    let mut rig = Setup::default().run();
    let rig = &mut rig;
    let head = at(0, 0);
    for kind in [Graph, Stream] {
        let image = if kind == Graph { graph(9) } else { stream(9) };
        let changed = |word: usize, change: &dyn Fn(u64) -> u64| {
            let mut bytes = image.encode();
            edit(&mut bytes, word, change);
            bytes
        };
        refuses_bytes(rig, kind, Reason::HEADER, None, &changed(0, &|word| word ^ 1));
        refuses_bytes(rig, kind, Reason::HEADER, None, &changed(0, &|word| word ^ 3 << e::HEAD_KIND_SHIFT));
        refuses_bytes(
            rig,
            kind,
            Reason::HEADER,
            None,
            &changed(0, &|word| word | 2 << e::HEAD_UPLOAD_FLAGS_SHIFT),
        );
        refuses_bytes(
            rig,
            kind,
            Reason::HEADER,
            None,
            &changed(1, &|word| word | 17 << e::SIZE_BINDINGS_SHIFT),
        );
        refuses_bytes(rig, kind, Reason::HEADER, None, &changed(7, &|_| 1));
        refuses_bytes(rig, kind, Reason::SIZE, None, &changed(1, &|word| word + 64));
        refuses_bytes(rig, kind, Reason::SIZE, None, &changed(2, &|word| word + 100));
        refuses_bytes(
            rig,
            kind,
            Reason::BINDINGS,
            None,
            &changed(1, &|word| word | 2 << e::SIZE_BINDINGS_SHIFT),
        );
        refuses_bytes(
            rig,
            kind,
            Reason::FLAGS,
            Some(0),
            &changed(head, &|word| word | 8 << e::RECORD_FLAGS_SHIFT),
        );
        refuses_bytes(rig, kind, Reason::FLAGS, Some(0), &changed(head, &|word| word | 1 << 30));
        refuses_bytes(
            rig,
            kind,
            Reason::FLAGS,
            Some(0),
            &changed(head, &|word| word | 6 << e::RECORD_FLAGS_SHIFT),
        );
        refuses_bytes(
            rig,
            kind,
            Reason::FLAGS,
            Some(0),
            &changed(at(0, e::RECORD_LINKS), &|word| word | 1 << 63),
        );
        // A result without its publish flag.
        let result = 1 << e::LINKS_RESULT_SHIFT;
        refuses_bytes(
            rig,
            kind,
            Reason::FLAGS,
            Some(0),
            &changed(at(0, e::RECORD_LINKS), &|word| word | result),
        );
        let publish = e::RECORD_PUBLISH_SHIFT;
        refuses_bytes(rig, kind, Reason::HANDLER, Some(0), &changed(head, &|word| word | 0xf0 << publish));
        let args = publish + core::PUBLISH_ARGS_SHIFT;
        refuses_bytes(rig, kind, Reason::ARGS, Some(0), &changed(head, &|word| word | 0xf << args));
        refuses_bytes(
            rig,
            kind,
            Reason::ARGS,
            Some(0),
            &changed(head, &|word| word | 4 << e::RECORD_MASK_SHIFT),
        );
        let cores = publish + core::PUBLISH_COUNT_SHIFT;
        refuses_bytes(rig, kind, Reason::GROUP, Some(0), &changed(head, &|word| word | 0x7f << cores));
        refuses_bytes(rig, kind, Reason::GROUP, Some(0), &changed(head, &|word| word & !(0xff << cores)));
        let masked = |word: u64| word | 1 << e::RECORD_MASK_SHIFT;
        let mut bytes = changed(head, &masked);
        edit(&mut bytes, at(0, e::RECORD_ARGS), |_| 32);
        refuses_bytes(rig, kind, Reason::REGISTER, Some(0), &bytes);
        let code = at(image.records.len(), 0);
        refuses_bytes(rig, kind, Reason::OPCODE, Some(1), &changed(code + 1, &|_| 0x70));
        refuses_bytes(rig, kind, Reason::REGISTER, Some(1), &changed(code + 1, &|_| 0x01 | 32 << 8));
        refuses_bytes(rig, kind, Reason::OPERAND, Some(1), &changed(code + 1, &|_| 0xc0 | 1 << 24));
    }
    // Of streams alone.
    refuses(rig, Stream, Reason::HEADER, None, |image| image.header.max_runs = 1);
    refuses(rig, Stream, Reason::OPERAND, Some(1), |image| {
        image.instructions[1] = Instruction::control(Opcode::Submit, 0, 2).encode();
    });
    refuses(rig, Stream, Reason::OPERAND, Some(1), |image| {
        image.instructions[1] = Instruction::control(Opcode::Enqueue, 0, 1).encode();
    });
    refuses(rig, Stream, Reason::TARGET, Some(2), |image| {
        image.instructions[2] = Instruction::control(Opcode::JumpZero, 3, 4).encode();
    });
    refuses(rig, Stream, Reason::END, Some(3), |image| {
        image.instructions[3] = Instruction::control(Opcode::JumpZero, 3, 0).encode();
    });
    // Of graphs alone.
    refuses(rig, Graph, Reason::HEADER, None, |image| image.header.end = [Some(32), None]);
    refuses(rig, Graph, Reason::HEADER, None, |image| image.header.again = Some(77));
    for (first, count) in [(0, 0), (0, 257), (1, 1), (0, 3), (u32::MAX, 2)] {
        refuses(rig, Graph, Reason::CODE, Some(1), |image| {
            image.records[1].body = RecordBody::Cpu { first, count };
        });
    }
    refuses(rig, Graph, Reason::OPCODE, Some(1), |image| {
        image.instructions[1] = Instruction::control(Opcode::Halt, 0, 0).encode();
    });
    refuses(rig, Graph, Reason::EDGE, None, |image| image.header.start = links(&[3]));
    refuses(rig, Graph, Reason::EDGE, Some(0), |image| image.records[0].links = links(&[3]));
    refuses(rig, Graph, Reason::EDGE, Some(2), |image| image.records[2].links.link = 1);
    refuses(rig, Graph, Reason::EDGE, Some(0), |image| {
        image.records[0].links = Links { successors: 3, link: 0 }
    });
    refuses(rig, Graph, Reason::ORDER, Some(2), |image| image.records[1].links = links(&[]));
    refuses(rig, Graph, Reason::ORDER, Some(1), |image| image.records[1].predecessors = 2);
    rig.send(command(c::KM_HANDLER_PING as u8, 0, 0));
    assert_eq!(rig.event().kind, Ok(EventKind::Pong));
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

#[test]
fn a_full_job_queue_ends_a_stream_at_its_pc_and_a_graph_at_its_node_when_their_commands_are_done() {
    let mut rig = Setup { depth: 1, ..Setup::default() }.run();
    let mut image = stream(9);
    if let RecordBody::Command { queued, count, .. } = &mut image.records[1].body {
        (*queued, *count) = (true, 120);
    }
    image.instructions[1] = Instruction::control(Opcode::Enqueue, 0, 1).encode();
    image.instructions[2] = Instruction::control(Opcode::Jump, 0, 0).encode();
    rig.start_upload(0, &image.encode(), UploadKind::Stream, &[]);
    rig.wait_published(0, 0, 1);
    rig.expect_silence(Duration::from_millis(2));
    for sequence in 1..=65 {
        rig.wait_published(119, 0, sequence);
        rig.complete(0, sequence, 0);
    }
    assert_eq!(error(&mut rig, UploadKind::Stream), (9, Refusal { reason: Reason::QUEUE, place: Some(1) }));
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
        close(Image {
            header: header(UploadKind::Stream, req),
            records: vec![],
            instructions: vec![word],
            edges: vec![],
        })
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
