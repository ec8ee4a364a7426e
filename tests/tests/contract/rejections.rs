//! A case for each reason of a rejection: the run goes on after it.

use std::collections::BTreeSet;

use km::Arithmetic as _;
use komorebi as km;
use komorebi_abi::constants::command::{self as c, REJECT_NAMES};
use komorebi_abi::wire::Line;

use super::bench::{Bench, TIMEOUT, works};

/// Meets a rejection in `run`.
type Meet = fn(&Bench, &km::Run) -> km::Error;

const REASONS: &[(&str, Meet)] = &[
    ("handler", |bench, run| changed(bench, run, Line { handler: 240, count: 1, ..Line::default() })),
    ("flags", |bench, run| {
        changed(bench, run, Line { flags: c::KM_FLAG_RESERVED as u8, count: 1, ..Line::default() })
    }),
    ("group", |bench, run| changed(bench, run, Line { first: 7, count: 2, ..Line::default() })),
    ("exited", exited),
    ("engines", engines),
    ("req", |_, run| run.restart(9, ()).unwrap_err()),
    ("upload", upload),
    ("args", |bench, run| {
        changed(bench, run, Line { words: c::ARGS_MAX as u8 + 1, count: 1, ..Line::default() })
    }),
    ("queue", |_, run| queue(run)),
];

/// The next command's line becomes another one on the card: the host's own checks let none of these through.
fn changed(bench: &Bench, run: &km::Run, line: Line) -> km::Error {
    let handle = run.submit(km::nop().on(0..1)).unwrap();
    bench.change_line(handle.number(), line);
    run.wait(handle, TIMEOUT).unwrap_err()
}

/// A command behind an EXIT that the host did not send.
fn exited(bench: &Bench, run: &km::Run) -> km::Error {
    let exit = run.submit(km::nop()).unwrap();
    let line =
        Line { handler: c::KM_HANDLER_EXIT as u8, count: run.grid().cores() as u16, ..Line::default() };
    bench.change_line(exit.number(), line);
    run.wait(exit, TIMEOUT).unwrap();
    run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap_err()
}

/// Two graphs run already.
fn engines(_: &Bench, run: &km::Run) -> km::Error {
    let graph = |req| {
        let mut graph = km::Graph::new().req(req);
        let [go] = graph.bindings(["go"]);
        let mut cpu = graph.cpu(None::<km::Node>);
        let again = cpu.again();
        cpu.set(again, go);
        run.upload(&graph).unwrap()
    };
    let started: Vec<_> = [1, 2].map(|req| run.start(&graph(req), [1_u32]).unwrap()).to_vec();
    let error = run.start(&graph(3), [1_u32]).unwrap_err();
    for engine in &started {
        run.cancel(engine, TIMEOUT).unwrap();
        run.wait_engine(engine, TIMEOUT).unwrap_err();
    }
    error
}

/// An upload shorter than its header.
fn upload(_: &Bench, run: &km::Run) -> km::Error {
    let short = run.upload((vec![0; 64], km::UploadKind::Stream)).unwrap();
    run.start(&short, ()).unwrap_err()
}

/// More queued commands than the job queue holds, behind a busy core.
pub(crate) fn queue(run: &km::Run) -> km::Error {
    let busy = run.submit(km::call("spin", &[2_000_000]).on(0..1)).unwrap();
    let mut handles = Vec::new();
    for _ in 0..2 {
        handles.extend((0..40).map(|_| run.submit(km::nop().queued(8)).unwrap()));
        run.wait(run.submit(km::nop().on(1..2)).unwrap(), TIMEOUT).unwrap();
    }
    let error = run.wait(&handles, TIMEOUT).unwrap_err();
    run.wait(busy, TIMEOUT).unwrap();
    error
}

#[test]
fn every_reason_of_the_header_has_a_case() {
    let reasons: BTreeSet<&str> = REJECT_NAMES.iter().map(|(_, name)| *name).collect();
    let cases: BTreeSet<&str> = REASONS.iter().map(|(name, _)| *name).collect();
    assert_eq!(cases, reasons, "a new reason gets a case above");
}

#[test]
fn each_reason_is_told_with_the_command_and_the_run_goes_on() {
    for (name, meet) in REASONS {
        let bench = Bench::new();
        let session = bench.session();
        let run = session.load_with(super::bench::program(), super::bench::patient()).unwrap();
        let number = REJECT_NAMES.iter().find(|(_, other)| other == name).unwrap().0;
        let error = meet(&bench, &run);
        let told = match &error {
            km::Error::CommandRejected(facts) => {
                assert!(facts.handle > 0);
                (u32::from(facts.reason), facts.reason_name)
            }
            km::Error::EngineRejected(facts) => (u32::from(facts.reason), facts.reason_name),
            other => panic!("{name}: {other}"),
        };
        assert_eq!(told, (number, *name));
        assert!(error.to_string().contains(&format!("{name} (reason {number});")), "{error}");
        let goes_on = run.submit(km::nop()).unwrap();
        let after = run.wait(goes_on, TIMEOUT);
        if *name == "exited" {
            // Its cores are gone, the dispatcher answers all the same.
            assert!(matches!(after, Err(km::Error::CommandRejected(_))), "{name}");
            run.abort().unwrap();
        } else {
            after.unwrap();
            let result = run.stop(TIMEOUT).unwrap().result.unwrap();
            assert!(result.clean() && result.rejected > 0, "{name}: {result}");
        }
        works(&session, name);
    }
}
