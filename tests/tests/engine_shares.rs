//! Nobody starves: what engines, jobs and the host's lines leave to each other.

use std::collections::BTreeSet;
use std::time::Duration;

use komorebi_abi::constants::{command as c, engine as e};
use komorebi_abi::engine::{
    Header, Image, Instruction, Links, Opcode, Reason, Record, RecordBody, UploadKind,
};
use komorebi_abi::wire::{EventKind, Line};
use komorebi_card::Card as _;
use komorebi_tests::dispatcher::{Rig, Setup, command};
use komorebi_tests::engine::{Grid, HOST_HANDLERS, Seen, cancel_line};

const HOST: u8 = HOST_HANDLERS as u8;
/// The upkeep comes four times a millisecond, and looks at everything: what waits for it was forgotten.
const SOON: Duration = Duration::from_micros(60);

fn record(first: u8, count: u8, exclusive: bool, queued: bool) -> Record {
    let body = RecordBody::Command {
        handler: 1,
        first,
        count,
        words: 0,
        mask: 0,
        args: [0; 10],
        exclusive,
        queued,
        result: None,
    };
    Record { body, links: Links::default(), predecessors: 0 }
}

fn stream(req: u16, records: Vec<Record>, code: &[Instruction]) -> Vec<u8> {
    let instructions = code.iter().map(|instruction| instruction.encode()).collect();
    Image { header: Header::new(UploadKind::Stream, req), records, instructions, edges: vec![] }
        .counted()
        .encode()
}

/// A graph whose nodes all follow the start.
fn fan(req: u16, records: Vec<Record>) -> Vec<u8> {
    let nodes: Vec<u16> = (0..records.len() as u16).collect();
    let records = records.into_iter().map(|record| Record { predecessors: 1, ..record }).collect();
    let mut image =
        Image { header: Header::new(UploadKind::Graph, req), records, instructions: vec![], edges: vec![] };
    image.header.start = Links::pack(&nodes, &mut image.edges);
    image.counted().encode()
}

fn spinning(req: u16) -> Vec<u8> {
    let add = Instruction::binary_value(Opcode::Add, 1, 1, 1);
    stream(req, vec![], &[add, Instruction::control(Opcode::Jump, 0, 0)])
}

fn control(opcode: Opcode, a: u8, value: u32) -> Instruction {
    Instruction::control(opcode, a, value)
}

fn queued(count: u16) -> Line {
    Line { flags: c::KM_FLAG_QUEUE as u8, ..command(HOST, 0, count) }
}

/// The sequence number of the command in some slot of a core that no other command is sent to.
fn sequence_on(rig: &Rig, core: u32) -> Option<u32> {
    (0..rig.setup.depth).map(|slot| rig.published(core, slot).sequence).find(|sequence| *sequence != 0)
}

/// Lets time pass in small steps until `holds`, at most `most`.
fn passes(rig: &Rig, most: Duration, holds: impl Fn(&Rig) -> bool) -> bool {
    let end = rig.card.now() + most;
    while !holds(rig) {
        if rig.card.now() >= end {
            return false;
        }
        rig.pass(Duration::from_nanos(50));
    }
    true
}

#[test]
fn a_line_of_the_host_goes_between_the_commands_of_a_graph_that_fans_out() {
    // With another seed the line may take its time, while more commands of the graph go.
    let mut rig = Setup { depth: 16, seed: Some(0), ..Setup::default() }.run();
    rig.start_upload(
        0,
        &fan(7, (0..15).map(|core| record(core, 1, false, false)).collect()),
        UploadKind::Graph,
        &[],
    );
    assert!(passes(&rig, SOON, |rig| sequence_on(rig, 0).is_some()));
    rig.send(command(HOST, 100, 1));
    assert!(passes(&rig, SOON, |rig| sequence_on(rig, 100).is_some()));
    let sequence = sequence_on(&rig, 100).unwrap();
    assert!(sequence <= 2 * e::SUBMIT_SLICE + 1, "behind {} commands of the graph", sequence - 1);
    for core in (0..15).chain([100]) {
        assert!(passes(&rig, SOON, |rig| sequence_on(rig, core).is_some()), "{core}");
    }
}

#[test]
fn commands_that_an_engine_queues_are_looked_at_once_a_turn() {
    const JOBS: u32 = 48;
    let mut rig = Setup { depth: 2, ..Setup::default() }.run();
    rig.send(command(HOST, 0, 120));
    rig.wait_published(0, 0, 1);
    let mut code = vec![control(Opcode::Enqueue, 0, 0); JOBS as usize];
    code.extend([control(Opcode::Event, 0, 0), control(Opcode::WaitAll, 0, 0), control(Opcode::Halt, 0, 0)]);
    // The dispatcher's alone: the other harts wait.
    let instructions =
        |rig: &Rig| rig.card.core_counters(rig.card.description().l2cpus[0].tile)[0].instructions;
    let before = instructions(&rig);
    rig.start_upload(0, &stream(7, vec![record(0, 1, false, true)], &code), UploadKind::Stream, &[]);
    assert_eq!(rig.event().kind, Ok(EventKind::Engine));
    rig.show_read();
    let each = (instructions(&rig) - before) / u64::from(JOBS);
    println!("a queued command: {each} instructions");
    assert!(each <= 800, "{each} instructions for a queued command, with the check of its instruction");
    rig.complete(0, 1, 0);
    assert_eq!(rig.event().kind, Ok(EventKind::Done));
    let mut grid = Grid::after(1);
    for _ in 0..JOBS {
        if grid.busy.is_empty() {
            next(&rig, &mut grid).expect("a job");
        }
        grid.complete(&rig, 0, 0);
    }
    assert_eq!(rig.event().kind, Ok(EventKind::End));
}

#[test]
fn a_job_queue_that_is_full_of_jobs_that_find_cores_takes_another() {
    let mut rig = Setup { depth: 16, ..Setup::default() }.run();
    rig.send(command(HOST, 0, 119));
    rig.wait_published(0, 0, 1);
    // 63 that find no cores, then those that do; not one is refused.
    let mut code = vec![control(Opcode::Enqueue, 0, 0); c::JOB_QUEUE_LENGTH as usize - 1];
    code.extend([control(Opcode::Enqueue, 0, 1), control(Opcode::Enqueue, 0, 0)]);
    code.extend([control(Opcode::Event, 0, 0), control(Opcode::WaitAll, 0, 0), control(Opcode::Halt, 0, 0)]);
    let records = vec![record(0, 2, false, true), record(0, 1, false, true)];
    rig.start_upload(0, &stream(7, records, &code), UploadKind::Stream, &[]);
    assert_eq!(rig.event().kind, Ok(EventKind::Engine));
}

/// The next command that cores see, if one comes soon.
fn next(rig: &Rig, grid: &mut Grid) -> Option<Seen> {
    let end = rig.card.now() + SOON;
    while rig.card.now() < end {
        if let Some(seen) = grid.next(rig) {
            return Some(seen);
        }
        rig.pass(Duration::from_micros(1));
    }
    None
}

fn expect_done(rig: &mut Rig) {
    let event = rig.event();
    rig.show_read();
    assert_eq!(event.kind, Ok(EventKind::Done), "{event:?}");
}

/// Commands of the host on core 0, at least one of them in flight at any time, until one is not taken; gives how many were.
fn send_until_held(rig: &mut Rig, grid: &mut Grid) -> u32 {
    for sent in 0..1000 {
        rig.send(command(HOST, 0, 1));
        if next(rig, grid).is_none() {
            return sent;
        }
        if grid.busy.len() > 1 {
            grid.complete(rig, 0, 0);
            expect_done(rig);
        }
    }
    panic!("an exclusive command starves; {}", rig.describe());
}

/// A stream of an exclusive command on every core.
fn exclusive(deadline_us: u32) -> Vec<u8> {
    let code = [control(Opcode::Submit, 0, 0), control(Opcode::WaitAll, 0, 0), control(Opcode::Halt, 0, 0)];
    let mut bytes = stream(7, vec![record(0, 120, true, false)], &code);
    bytes[8 * e::UPLOAD_LIMITS as usize..][..4].copy_from_slice(&deadline_us.to_le_bytes());
    bytes
}

#[test]
fn an_exclusive_command_of_a_stream_goes_in_the_end_though_the_host_never_rests() {
    let (mut rig, mut grid) = (Setup::default().run(), Grid::default());
    rig.send(command(HOST, 0, 1));
    next(&rig, &mut grid).expect("the host's");
    rig.start_upload(0, &exclusive(0), UploadKind::Stream, &[]);
    let went = send_until_held(&mut rig, &mut grid);
    assert!(went >= e::EXCLUSIVE_PATIENCE, "{went} went before: they were not asked to wait at once");
    while !grid.busy.is_empty() {
        grid.complete(&rig, 0, 0);
        expect_done(&mut rig);
    }
    let seen = next(&rig, &mut grid).expect("the exclusive command");
    assert_eq!(seen.published.handler, 1);
    let seen = next(&rig, &mut grid).expect("the line that was held");
    assert_eq!(seen.published.handler, HOST_HANDLERS);
    grid.complete(&rig, 0, 0);
    assert_eq!(rig.event().kind, Ok(EventKind::End));
}

#[test]
fn an_exclusive_command_of_a_stream_goes_in_the_end_though_other_engines_never_rest() {
    let (mut rig, mut grid) = (Setup::default().run(), Grid::default());
    let flood = [control(Opcode::Submit, 0, 0), control(Opcode::Jump, 0, 0)];
    let bytes = stream(6, vec![record(5, 1, false, false), record(0, 1, false, true)], &flood);
    rig.start_upload(4096, &bytes, UploadKind::Stream, &[]);
    next(&rig, &mut grid).expect("the other stream's");
    rig.start_upload(0, &exclusive(0), UploadKind::Stream, &[]);
    for _ in 0..1000 {
        while let Some(seen) = next(&rig, &mut grid) {
            if seen.published.count == 120 {
                assert_eq!(grid.busy.len(), 1, "alone");
                grid.complete(&rig, 0, 0);
                assert_eq!(rig.event().kind, Ok(EventKind::End));
                next(&rig, &mut grid).expect("the other stream goes on");
                return;
            }
        }
        grid.complete(&rig, 0, 0);
    }
    panic!("an exclusive command starves; {}", rig.describe());
}

#[test]
fn an_engine_that_ends_while_all_wait_for_its_exclusive_command_lets_them_go() {
    let (mut rig, mut grid) = (Setup::default().run(), Grid::default());
    rig.send(command(HOST, 0, 1));
    next(&rig, &mut grid).expect("the host's");
    rig.start_upload(0, &exclusive(20_000), UploadKind::Stream, &[]);
    send_until_held(&mut rig, &mut grid);
    let event = rig.event();
    rig.show_read();
    assert_eq!((event.kind, event.auxiliary), (Ok(EventKind::Error), Reason::DEADLINE.0));
    next(&rig, &mut grid).expect("the line that was held");
}

#[test]
fn a_job_goes_as_soon_as_the_line_before_it_has_while_an_engine_runs() {
    let (mut rig, mut grid) = (Setup { depth: 2, ..Setup::default() }.run(), Grid::default());
    rig.start_upload(0, &spinning(7), UploadKind::Stream, &[]);
    for _ in 0..20 {
        rig.send(command(HOST, 0, 120));
        rig.send(queued(60)); // it waits for cores
        rig.send(command(HOST, 5, 1));
        rig.send(command(HOST, 100, 1)); // it waits for a slot
        for _ in 0..2 {
            next(&rig, &mut grid).expect("both slots are taken");
        }
        // Both slots are freed in one turn, of which the line takes one.
        grid.complete(&rig, 0, 0);
        grid.complete(&rig, 0, 0);
        for _ in 0..2 {
            next(&rig, &mut grid).unwrap_or_else(|| panic!("the line or the job waits: {:?}", grid.busy));
        }
        while !grid.busy.is_empty() {
            grid.complete(&rig, 0, 0);
        }
        for _ in 0..4 {
            expect_done(&mut rig);
        }
        rig.pass(Duration::from_micros(17)); // another distance to the upkeep
    }
}

/// Where the dispatcher is when it has nothing to do, at many moments: in its loop.
fn waits_in(rig: &Rig) -> BTreeSet<u64> {
    rig.pass(Duration::from_micros(400));
    let tile = rig.card.description().l2cpus[0].tile;
    let look = |_| {
        rig.pass(Duration::from_nanos(7));
        rig.card.pcs(tile)[0]
    };
    (0..100).map(look).collect()
}

#[test]
fn the_last_engine_gone_the_loop_knows_of_none_again() {
    let mut rig = Setup { depth: 1, ..Setup::default() }.run();
    let before = waits_in(&rig);
    rig.start_upload(0, &exclusive(0), UploadKind::Stream, &[]);
    rig.wait_published(0, 0, 1);
    assert!(waits_in(&rig).is_disjoint(&before), "it is another loop while an engine runs");
    rig.complete(0, 1, 0);
    assert_eq!(rig.event().kind, Ok(EventKind::End));
    rig.show_read();
    assert!(!waits_in(&rig).is_disjoint(&before));
    // It ends inside the CANCEL.
    rig.start_upload(0, &spinning(7), UploadKind::Stream, &[]);
    rig.pass(Duration::from_micros(20));
    rig.send(cancel_line(7));
    assert_eq!(rig.event().kind, Ok(EventKind::Error));
    rig.show_read();
    assert!(!waits_in(&rig).is_disjoint(&before));
    // It ends inside the upkeep, which takes the CANCEL while every slot is busy.
    rig.start_upload(0, &spinning(7), UploadKind::Stream, &[]);
    rig.send(command(HOST, 0, 1));
    rig.wait_published(0, 0, 2);
    rig.send(cancel_line(7));
    assert_eq!(rig.event().kind, Ok(EventKind::Error));
    assert!(!waits_in(&rig).is_disjoint(&before));
}

#[test]
fn an_engine_that_waits_for_event_room_is_woken_by_what_another_one_saw() {
    // One posts until there is no room. Another computes, then posts: it may be the first to see what the host has read.
    const COMPUTED: u32 = 30;
    let posting = [control(Opcode::Event, 0, 0), control(Opcode::Jump, 0, 0)];
    let computing = [
        Instruction::binary_value(Opcode::Add, 1, 1, 1),
        Instruction::binary_value(Opcode::LtU, 2, 1, COMPUTED),
        control(Opcode::JumpNonzero, 2, 0),
        control(Opcode::Event, 1, 0),
        control(Opcode::Halt, 1, 0),
    ];
    for delay in (0..50_000).step_by(250) {
        let mut rig = Setup { event_depth: 8, ..Setup::default() }.run();
        // The first to start, since a RUN needs room too.
        rig.start_upload(4096, &stream(2, vec![], &computing), UploadKind::Stream, &[]);
        rig.start_upload(0, &stream(1, vec![], &posting), UploadKind::Stream, &[]);
        for _ in 0..8 {
            rig.event();
        }
        rig.pass(Duration::from_nanos(delay));
        rig.show_read();
        let end = rig.card.now() + SOON + Duration::from_nanos(50_000 - delay);
        let mut events = Vec::new();
        while rig.card.now() < end {
            rig.pass(Duration::from_micros(1));
            events.extend(std::iter::from_fn(|| rig.poll_event()));
        }
        assert_eq!(events.len(), 8, "after {delay} ns: {events:?}");
    }
}
