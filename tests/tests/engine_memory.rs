//! Random graphs and streams whose commands change a tensor: the dispatcher on one card and the interpreter on another
//! give the same events, registers and bytes.
//!
//! `KM_MEMORY_UPLOADS` is how many uploads each test runs, for more than the usual few.

use std::time::Duration;

use komorebi as km;
use komorebi_tests::engine::Side;
use komorebi_tests::engine::case::{Case, assert_same};

const TIMEOUT: Duration = Duration::from_secs(5);
/// Uploads on one pair of cards: a load of the program costs as much as twenty of them.
const PER_CARD: u64 = 100;

fn uploads(usual: u64) -> u64 {
    std::env::var("KM_MEMORY_UPLOADS").map_or(usual, |many| many.parse().expect("a number of uploads"))
}

/// Runs so many uploads of a kind, one after the other, on cards of several seeds.
fn check(kind: km::UploadKind, usual: u64) {
    let (many, mut commands, mut ended) = (uploads(usual), 0, 0);
    for card in 0..many.div_ceil(PER_CARD) {
        let (dispatcher, interpreter) =
            (Side::new(2 * card, Default::default()), Side::new(2 * card + 1, Default::default()));
        for seed in card * PER_CARD..many.min((card + 1) * PER_CARD) {
            let case = Case::new(kind, seed, seed & 0xFFFF);
            let (hostfed, all) = interpreter.hostfed(0, &case);
            let (upload, handle) = dispatcher.start(0, &case);
            assert_same(&case, &dispatcher.finish(0, &case, &upload, &handle), &hostfed);
            commands += all.len();
            ended += u64::from(hostfed.events.last().unwrap().0 == km::EngineEventKind::End);
        }
        dispatcher.run.stop(TIMEOUT).unwrap();
        interpreter.run.stop(TIMEOUT).unwrap();
    }
    println!("{many} uploads, {ended} without an error, {commands} commands");
    assert!(ended * 10 > many * 8, "{ended} of {many} ended well");
}

#[test]
fn graphs_leave_the_events_registers_and_memory_of_the_interpreter() {
    check(km::UploadKind::Graph, 2000);
}

#[test]
fn streams_leave_the_events_registers_and_memory_of_the_interpreter() {
    check(km::UploadKind::Stream, 2000);
}

#[test]
fn six_engines_at_once_leave_what_each_leaves_alone() {
    let rounds = uploads(180).div_ceil(6);
    let options = || km::LoadOptions { event_depth: 32, host_depth: 16, ..Default::default() };
    let (dispatcher, interpreter) = (Side::new(1, options()), Side::new(2, Default::default()));
    for round in 0..rounds {
        let cases: Vec<Case> = (0..6)
            .map(|i| {
                let kind = if i < 2 { km::UploadKind::Graph } else { km::UploadKind::Stream };
                Case::new(kind, 1_000_000 + 6 * round + i, i)
            })
            .collect();
        let started: Vec<_> = cases.iter().enumerate().map(|(i, case)| dispatcher.start(i, case)).collect();
        for (i, (case, (upload, handle))) in cases.iter().zip(&started).enumerate() {
            let left = dispatcher.finish(i, case, upload, handle);
            assert_same(case, &left, &interpreter.hostfed(i, case).0);
        }
    }
    dispatcher.run.stop(TIMEOUT).unwrap();
    interpreter.run.stop(TIMEOUT).unwrap();
    println!("{rounds} times six uploads");
}
