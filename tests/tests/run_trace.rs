//! The trace of a run: what each core did when, on one clock, whatever the tiles' own clocks show.

use std::time::Duration;

use km::build::Sources;
use komorebi as km;
use komorebi_card::Card as _;
use komorebi_sim::Card;

const TIMEOUT: Duration = Duration::from_secs(5);
const MHZ: f64 = 1350.0;

const READER: &str = r"
#include <komorebi/kernel.h>
KM_HANDLER(Spin) {
    const uint64_t start = km::wall_clock();
    while (km::wall_clock() - start < args.cycles) {}
}
KM_HANDLER(Hang) {
    for (;;) {}
}
";

fn program() -> km::Program {
    let cycles = ("cycles", km::ArgKind::U32);
    km::Program::new("traced")
        .with_sources(Sources::new().file("reader.cpp", READER.as_bytes()))
        .handler_with("spin", 1, &[cycles], None)
        .handler_with("hang", 2, &[], None)
        .depth(8)
        .grid(4, 2)
}

fn traced(seed: u64, trace: u32) -> km::Run {
    let session = km::Session::builder().on(&Card::builder().seed(seed).build()).open().unwrap();
    session.load_with(program(), km::LoadOptions { trace, ..Default::default() }).unwrap()
}

#[test]
fn a_command_on_one_core_leaves_its_four_words() {
    let run = traced(0, 4);
    let spin = run.submit(km::call("spin", &[2700]).on((3, 1))).unwrap();
    run.wait(spin, TIMEOUT).unwrap();
    let trace = run.stop(TIMEOUT).unwrap().trace.unwrap();
    assert_eq!((trace.room(), trace.clock_mhz()), (4, 1350));
    let cores = trace.command(spin).unwrap();
    let [core] = &cores[..] else { panic!("{cores:?}") };
    assert_eq!((core.core, core.passes), (3, 1));
    let (written, sent) = (core.written.unwrap(), core.sent.unwrap());
    assert!((2700..4000).contains(&(written - core.taken)), "{core:?}");
    assert!((1..200).contains(&(sent - written)), "{core:?}");
    let phases = trace.phases(spin).unwrap();
    assert_eq!(phases.len(), 1);
    assert_eq!(phases[0].taken, 0.0);
    assert_eq!(phases[0].written, Some((written - core.taken) as f64 / MHZ));
    assert_eq!(phases[0].sent, Some((sent - core.taken) as f64 / MHZ));
    // EXIT is the second command, of all cores; nothing is a third.
    assert_eq!(trace.sequence(2).len(), 8);
    assert!(trace.sequence(3).is_empty() && trace.sequence(0).is_empty());
}

#[test]
fn times_of_tiles_whose_clocks_differ_are_told_on_one() {
    for seed in [0, 1, 2, 3, 9, 77, 1234, u64::MAX] {
        let run = traced(seed, 8);
        let all = run.submit(km::nop()).unwrap();
        run.wait(all, TIMEOUT).unwrap();
        let trace = run.stop(TIMEOUT).unwrap().trace.unwrap();
        let cores = trace.command(all).unwrap();
        let apart = cores.iter().map(|core| core.taken.abs_diff(cores[0].taken)).max().unwrap();
        assert_eq!(apart > 20_000, seed != 0, "seed {seed}: the clocks are {apart} cycles apart");
        let phases = trace.phases(all).unwrap();
        let most = trace.uncertainty();
        assert!(most > 0.0 && most < 1.5, "seed {seed}: {most} us");
        let last = phases.iter().map(|core| core.taken).fold(0.0, f64::max);
        assert!(last < 0.6, "seed {seed}: one multicast reaches all, {phases:?}");
        // The leader is told by everybody before it completes the command.
        let completed = phases[0].sent.unwrap();
        for core in &phases[1..] {
            assert!(core.sent.unwrap() < completed + most, "seed {seed}: {core:?} of {phases:?}");
        }
    }
}

/// The clocks as the host reads them afterwards, one tile after the other, against what the cores found out before READY.
#[test]
fn clocks_are_compared_to_within_what_the_trace_says() {
    const WALL_CLOCK: [u64; 2] = [0xFFB1_21F0, 0xFFB1_21F8];
    for seed in [1, 8, 42, 1 << 40] {
        let card = Card::builder().seed(seed).build();
        let session = km::Session::builder().on(&card).open().unwrap();
        let options = km::LoadOptions { trace: 1, ..Default::default() };
        let run = session.load_with(km::Program::new("clocks"), options).unwrap();
        let all = run.submit(km::nop()).unwrap();
        run.wait(all, TIMEOUT).unwrap();
        let trace = run.stop(TIMEOUT).unwrap().trace.unwrap();
        let most = trace.uncertainty() * MHZ;
        assert!(most < 700.0, "seed {seed}: {most} cycles");

        let grid = session.grid();
        let columns = &card.description().columns;
        // Cycles by which a tile's clock is ahead of the card's time, as far as a read, equally long for all, tells.
        let truth = |core: u32| {
            let tile = km::NocXy::new(columns[(core % grid.width) as usize], 2 + (core / grid.width) as u8);
            let time = (card.now() - km::CardTime::default()).as_nanos() as f64 * MHZ / 1000.0;
            let [low, high] = WALL_CLOCK.map(|register| card.read32(tile, register).unwrap());
            (u64::from(high) << 32 | u64::from(low)) as f64 - time
        };
        let first = truth(0);
        let (cores, phases) = (trace.command(all).unwrap(), trace.phases(all).unwrap());
        assert_eq!(cores.len() as u32, grid.cores());
        for (core, phase) in cores.iter().zip(&phases).skip(1) {
            let own = core.taken as f64 - cores[0].taken as f64;
            let common = (phase.taken - phases[0].taken) * MHZ;
            let off = (own - common) - (truth(core.core) - first);
            assert!(off.abs() <= most, "seed {seed}: core {} is {off} cycles off, {most} at most", core.core);
        }
    }
}

#[test]
fn commands_of_engines_and_of_a_closed_session_are_in_the_trace() {
    let session = km::Session::builder().on(&Card::builder().seed(3).build()).open().unwrap();
    let run = session.load_with(program(), km::LoadOptions { trace: 8, ..Default::default() }).unwrap();
    let mut graph = km::Graph::new().req(2);
    let first = graph.command("spin", 0..2, [500.into()]).id();
    let _ = graph.command("spin", 4..7, [700.into()]).after([first]);
    let upload = run.upload(&graph).unwrap();
    run.wait_engine(&run.start(&upload, ()).unwrap(), TIMEOUT).unwrap();
    let own = run.submit(km::nop().on((7, 1))).unwrap();
    run.wait(own, TIMEOUT).unwrap();
    assert!(run.sequence(own).is_err(), "a wait forgets");
    drop(upload);
    session.close().unwrap();
    let trace = run.stop(TIMEOUT).unwrap().trace.unwrap();
    let cores = |sequence| trace.sequence(sequence).iter().map(|core| core.core).collect::<Vec<_>>();
    assert_eq!((cores(1), cores(2), cores(3)), (vec![0, 1], vec![4, 5, 6], vec![7]));
    assert_eq!(trace.command(own).unwrap(), trace.sequence(3));
    let json: serde_json::Value = serde_json::from_str(&trace.to_chrome_json()).unwrap();
    let spins = json["traceEvents"].as_array().unwrap().iter().filter(|event| event["name"] == "spin");
    assert_eq!(
        spins.count(),
        2 * (2 + 3),
        "at the reader and at the writer of each core, none at the dispatcher"
    );
}

#[test]
fn lead_tells_whether_two_commands_were_in_flight_at_once() {
    let run = traced(5, 16);
    let spin = |cycles: u32, first: u32| run.submit(km::call("spin", &[cycles]).on((first, 2))).unwrap();
    let (long, beside, behind) = (spin(13_500, 0), spin(100, 4), spin(100, 1));
    run.wait([long, beside, behind], TIMEOUT).unwrap();
    let trace = run.stop(TIMEOUT).unwrap().trace.unwrap();
    let lead = trace.lead(long, beside).unwrap();
    assert!((5.0..11.0).contains(&lead), "{lead} us of the long one's 10 were left");
    let back = trace.lead(beside, long).unwrap();
    assert!(back > 0.0 && back < lead, "{back}");
    // Both leads together are the two commands' own lengths, which one clock tells.
    let length = |handle| trace.phases(handle).unwrap()[0].sent.unwrap();
    let off = (lead + back - length(long) - length(beside)).abs();
    assert!(off <= 2.0 * trace.uncertainty(), "{off} us");
    // The third shares core 1, which takes it while it spins on the first: its reader is busy, its take comes behind.
    let phases = trace.phases(behind).unwrap();
    assert_eq!(phases.iter().map(|core| core.core).collect::<Vec<_>>(), [1, 2]);
    assert!(phases[0].taken > 1.0 && phases[1].taken == 0.0, "{phases:?}");
}

#[test]
fn a_forgotten_command_stays_in_the_trace_and_one_beyond_it_is_told() {
    let run = traced(1, 3);
    let queued = run.submit(km::nop().queued(2)).unwrap();
    run.wait(queued, TIMEOUT).unwrap();
    let nops: Vec<_> = (0..3).map(|_| run.submit(km::nop().on((1, 3))).unwrap()).collect();
    run.drain(TIMEOUT).unwrap();
    run.forget(&nops).unwrap();
    assert!(matches!(run.sequence(nops[0]), Err(km::Error::Handle { .. })));
    let trace = run.stop(TIMEOUT).unwrap().trace.unwrap();
    let cores = |handle| trace.command(handle).unwrap().iter().map(|core| core.core).collect::<Vec<_>>();
    assert_eq!(cores(queued), [0, 1]);
    assert_eq!((cores(nops[0]), cores(nops[1])), (vec![1, 2, 3], vec![1, 2, 3]));
    let error = trace.phases(nops[2]).unwrap_err();
    assert!(matches!(error, km::Error::NotTraced { handle: 4, .. }), "{error}");
    assert!(error.to_string().contains("from 1 to 3"), "{error}");
    let other = traced(1, 3);
    let foreign = other.submit(km::nop()).unwrap();
    assert!(matches!(trace.command(foreign), Err(km::Error::ForeignHandle { .. })));
}

#[test]
fn a_run_that_died_leaves_its_trace_with_what_did_not_end() {
    let session = km::Session::builder().on(&Card::builder().seed(4).build()).open().unwrap();
    let deadline = Duration::from_millis(2);
    let options = km::LoadOptions { trace: 8, deadline, ..Default::default() };
    let run = session.load_with(program(), options).unwrap();
    let well = run.submit(km::nop()).unwrap();
    run.wait(well, TIMEOUT).unwrap();
    let hang = run.submit(km::call("hang", &[]).on((2, 1))).unwrap();
    assert!(matches!(run.wait(hang, TIMEOUT), Err(km::Error::CommandTimeout(_))));
    let trace = run.stop(TIMEOUT).unwrap().trace.unwrap();
    assert_eq!(trace.command(well).unwrap().len(), 8);
    let cores = trace.command(hang).unwrap();
    assert_eq!((cores.len(), cores[0].core, cores[0].written, cores[0].sent), (1, 2, None, None));
    assert!(matches!(trace.lead(hang, well), Err(km::Error::NotTraced { .. })));
    let json: serde_json::Value = serde_json::from_str(&trace.to_chrome_json()).unwrap();
    let unfinished = |event: &&serde_json::Value| event["args"]["unfinished"] == true;
    assert_eq!(json["traceEvents"].as_array().unwrap().iter().filter(unfinished).count(), 1);
}

#[test]
fn a_trace_that_does_not_fit_l1_is_refused_and_none_is_none() {
    let session = km::Session::builder().on(&Card::builder().build()).open().unwrap();
    let load = |trace| session.load_with(program(), km::LoadOptions { trace, ..Default::default() });
    let error = load(1 << 20).unwrap_err().to_string();
    assert!(error.starts_with("trace is 1048576; kernels and buffers leave room for "), "{error}");
    let run = load(0).unwrap();
    assert!(run.stop(TIMEOUT).unwrap().trace.is_none());
}

/// The members that the format asks of each kind of event, the nesting of spans in a lane, and the ends of arrows.
#[test]
fn the_export_keeps_the_format_of_trace_events() {
    let run = traced(6, 64);
    let mut handles = Vec::new();
    for job in 0..12_u32 {
        handles.push(run.submit(km::call("spin", &[500 * job]).on((job % 5, 1 + job % 4))).unwrap());
    }
    handles.push(run.submit(km::nop().exclusive()).unwrap());
    run.drain(TIMEOUT).unwrap();
    let trace = run.stop(TIMEOUT).unwrap().trace.unwrap();
    let json: serde_json::Value = serde_json::from_str(&trace.to_chrome_json()).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    let number = |event: &serde_json::Value, key: &str| event[key].as_f64().unwrap();
    let tenths = |event: &serde_json::Value, key: &str| (number(event, key) * 10_000.0).round() as i64;
    let lane = |event: &serde_json::Value| (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap());

    let mut spans: Vec<((u64, u64), i64, i64)> = Vec::new();
    let (mut lanes, mut arrows) = (Vec::new(), Vec::new());
    for event in events {
        assert!(event["name"].is_string() && event["args"].is_object(), "{event}");
        match event["ph"].as_str().unwrap() {
            "M" if event["name"] == "thread_name" => lanes.push(lane(event)),
            "M" => assert_eq!(event["name"], "process_name"),
            "X" => {
                let (start, length) = (tenths(event, "ts"), tenths(event, "dur"));
                assert!(start >= 0 && length >= 0, "{event}");
                spans.push((lane(event), start, start + length));
            }
            "s" | "t" => arrows.push(event),
            "f" => {
                assert_eq!(event["bp"], "e");
                arrows.push(event);
            }
            other => panic!("phase {other}"),
        }
    }
    assert!(spans.iter().all(|(lane, ..)| lanes.contains(lane)), "every lane has a name");
    spans.sort_unstable();
    for pair in spans.windows(2) {
        assert!(
            pair[0].0 != pair[1].0 || pair[0].2 <= pair[1].1,
            "spans of a lane follow each other: {pair:?}"
        );
    }
    // Every arrow starts at the dispatcher, goes to a reader, and the leader's comes back.
    for arrow in &arrows {
        let at = tenths(arrow, "ts");
        let inside = |(own, start, end): &&((u64, u64), i64, i64)| {
            *own == lane(arrow) && (*start..=*end).contains(&at)
        };
        assert!(spans.iter().any(|span| inside(&span)), "{arrow} begins and ends in spans");
    }
    let of = |phase: &str| arrows.iter().filter(|arrow| arrow["ph"] == phase).count();
    let group = |job: u32| 1 + job % 4;
    let takes = (0..12).map(group).sum::<u32>() as usize + 8;
    // EXIT is no command of the caller's, but the host has its event.
    assert_eq!((of("s"), of("t"), of("f")), (takes + 8, 14, takes + 8));
    for arrow in arrows.iter().filter(|arrow| arrow["ph"] != "s") {
        let start = arrows.iter().find(|other| other["ph"] == "s" && other["id"] == arrow["id"]).unwrap();
        assert_eq!(lane(start).0, 1, "it starts at the dispatcher");
        assert!(tenths(start, "ts") <= tenths(arrow, "ts"), "{start} {arrow}");
    }
    // Each arrow begins once, ends once, and goes through its places in their order in time.
    for start in arrows.iter().filter(|arrow| arrow["ph"] == "s") {
        let mut parts: Vec<_> = arrows.iter().filter(|arrow| arrow["id"] == start["id"]).collect();
        parts.sort_by_key(|part| tenths(part, "ts"));
        let phases: Vec<&str> = parts.iter().map(|part| part["ph"].as_str().unwrap()).collect();
        assert!(phases == ["s", "f"] || phases == ["s", "t", "f"], "{phases:?} of {}", start["id"]);
        assert!(parts.iter().all(|part| part["name"] == start["name"] && part["cat"] == start["cat"]));
    }
    // The types and members that the format asks for, and no others.
    assert!(matches!(json["displayTimeUnit"].as_str(), Some("ms" | "ns")), "{}", json["displayTimeUnit"]);
    for event in events {
        assert!(event["pid"].is_u64() && event["tid"].is_u64(), "{event}");
        let members: Vec<&str> = event.as_object().unwrap().keys().map(String::as_str).collect();
        let expected: &[&str] = match event["ph"].as_str().unwrap() {
            "M" => &["args", "name", "ph", "pid", "tid"],
            "X" => &["args", "cat", "dur", "name", "ph", "pid", "tid", "ts"],
            "f" => &["args", "bp", "cat", "id", "name", "ph", "pid", "tid", "ts"],
            _ => &["args", "cat", "id", "name", "ph", "pid", "tid", "ts"],
        };
        assert_eq!(members, expected, "{event}");
        assert!(event["cat"].is_null() || event["cat"].is_string());
        assert!(event["id"].is_null() || event["id"].is_string());
    }
    let why = |event: &&serde_json::Value| event["name"] == "idle" && event["args"]["why"].is_string();
    assert!(events.iter().filter(why).count() > 5);
    assert!(
        events.iter().any(|event| event["name"] == "spin")
            && events.iter().any(|event| event["name"] == "exit")
    );
    assert_eq!(json["otherData"]["program"], "traced");
}
