//! A command of an engine that hangs: told by its engine and its node, and the session goes on.

use std::time::Duration;

use km::Card as _;
use komorebi as km;
use komorebi_tests::engine::Side;
use komorebi_tests::engine::case::{Case, Source};
use komorebi_tests::engine::memory::{CORES, program};

const TIMEOUT: Duration = Duration::from_secs(5);

/// `nop`, then `stuck`, which core 5 never ends.
fn stuck(kind: km::UploadKind, queued: bool) -> Source {
    match kind {
        km::UploadKind::Graph => {
            let mut graph = km::Graph::new().req(7);
            let first = graph.command(0, 0..CORES, []).id();
            let cores = if queued { 0..CORES } else { 4..8 };
            let late = graph.command("stuck", cores, [5.into()]).after([first]);
            let _ = if queued { late.queued() } else { late }.id();
            Source::Graph(graph)
        }
        km::UploadKind::Stream => {
            let mut stream = km::Stream::new().req(7);
            stream.submit(0, 0..CORES, []);
            stream.wait_all();
            if queued {
                stream.enqueue("stuck", CORES, [5.into()]);
            } else {
                stream.submit("stuck", 4..8, [5.into()]);
            }
            stream.wait_all().halt(0);
            Source::Stream(stream)
        }
    }
}

fn quick() -> km::LoadOptions {
    km::LoadOptions {
        deadline: Duration::from_millis(1),
        event_depth: 8,
        host_depth: 4,
        ..Default::default()
    }
}

/// The error names record 1 of the engine with req 7, the run is over, and the session loads again and works.
fn assert_late(side: Side, error: &km::Error, group: km::Group, handle: Option<u64>) {
    let km::Error::CommandTimeout(late) = error else { panic!("{error}") };
    let (engine, record) = late.engine.as_ref().expect("an engine's command");
    assert_eq!((engine.req(), *record, late.group, late.handle), (7, 1, Some(group), handle), "{error}");
    assert!(late.cores.iter().any(|core| core.core == 5), "{error}");
    let what = if engine.kind() == km::UploadKind::Graph {
        "node 1 of the graph"
    } else {
        "command 1 of the stream"
    };
    assert!(error.to_string().starts_with(what), "{error}");
    let km::Error::RunEnded { cause } = side.run.submit(km::nop()).unwrap_err() else { panic!("it ended") };
    assert_eq!(cause.to_string(), error.to_string());
    side.run.stop(TIMEOUT).unwrap();
    let run = side.session.load_with(program(), quick()).unwrap();
    let side = Side { run, ..side };
    side.works();
    side.run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_command_that_hangs_is_told_by_its_engine_and_node_and_the_session_loads_again() {
    for kind in [km::UploadKind::Graph, km::UploadKind::Stream] {
        for queued in [false, true] {
            let case = Case { seed: 0, source: stuck(kind, queued), words: Vec::new(), bytes: Vec::new() };
            let group = if queued { km::Group::new(0, CORES) } else { km::Group::new(4, 4) };
            let side = Side::new(1, quick());
            let error = match &case.source {
                Source::Graph(graph) => {
                    let handle = side.run.start(&side.run.upload(graph).unwrap(), ()).unwrap();
                    side.run.wait_engine(&handle, TIMEOUT).unwrap_err()
                }
                Source::Stream(stream) => {
                    let handle = side.run.start(&side.run.upload(stream).unwrap(), ()).unwrap();
                    side.run.wait_engine(&handle, TIMEOUT).unwrap_err()
                }
            };
            assert_late(side, &error, group, None);

            let side = Side::new(2, quick());
            let error = match &case.source {
                Source::Graph(graph) => side.run.run_hostfed(graph, (), TIMEOUT).unwrap_err(),
                Source::Stream(stream) => side.run.run_hostfed(stream, (), TIMEOUT).unwrap_err(),
            };
            assert_late(side, &error, group, Some(2));
        }
    }
}

#[test]
fn a_command_that_hangs_while_no_event_has_room_is_told_by_its_slot() {
    let side = Side::new(4, quick());
    let mut stream = km::Stream::new().req(7);
    stream.submit(0, 0..CORES, []);
    stream.wait_all();
    stream.submit("stuck", 4..8, [5.into()]);
    // More than there is room for.
    (0..12_u32).for_each(|value| {
        stream.event(value);
    });
    stream.wait_all().halt(0);
    let handle = side.run.start(&side.run.upload(&stream).unwrap(), ()).unwrap();
    let until = side.card.now() + Duration::from_millis(5);
    while side.card.now() < until {
        side.card.relax(until).unwrap();
    }
    let error = side.run.wait_engine(&handle, TIMEOUT).unwrap_err();
    assert_late(side, &error, km::Group::new(4, 4), None);
}
