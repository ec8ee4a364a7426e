//! The upload region: what fits, where, and what is refused before anything is written.

use std::time::Duration;

use km::Arithmetic as _;
use komorebi as km;
use komorebi_abi::constants::launch;
use komorebi_abi::constants::layout::{LIM_BASE, LIM_BYTES, LIM_STATE, LIM_UPLOAD, UPLOAD_BYTES};
use komorebi_card::{Card as _, Order};
use komorebi_sim::Card;

const TIMEOUT: Duration = Duration::from_secs(5);

fn session() -> (Card, km::Session) {
    let card = Card::builder().build();
    let session = km::Session::builder().on(&card).open().unwrap();
    (card, session)
}

fn run(session: &km::Session) -> km::Run {
    session.load(km::Program::new("idle").grid(2, 1)).unwrap()
}

/// A stream of `lines` lines that nothing runs.
fn bytes(lines: usize, byte: u8) -> (Vec<u8>, km::UploadKind) {
    (vec![byte; 64 * lines], km::UploadKind::Stream)
}

#[test]
fn uploads_lie_side_by_side_at_the_first_free_place_and_their_bytes_are_on_the_card() {
    let (card, session) = session();
    let run = run(&session);
    let [a, b, c] = [3, 2, 4].map(|lines| run.upload(bytes(lines, lines as u8)).unwrap());
    assert_eq!([a.offset(), b.offset(), c.offset()], [0, 192, 320]);
    assert_eq!(
        (b.bytes(), b.kind(), b.keep(), b.state()),
        (128, km::UploadKind::Stream, false, km::UploadState::Idle)
    );
    run.release(&b, TIMEOUT).unwrap();
    assert_eq!(b.state(), km::UploadState::Released);
    let wide = run.upload(bytes(3, 9)).unwrap();
    assert_eq!(wide.offset(), 576, "the hole of two lines is too small");
    let narrow = run.upload((vec![7; 65], km::UploadKind::Graph)).unwrap();
    assert_eq!((narrow.offset(), narrow.bytes()), (192, 128), "whole lines");

    let tile = session.description().l2cpus[0].tile;
    let mut found = vec![0; 64 * 12];
    card.read(tile, LIM_BASE + u64::from(LIM_UPLOAD), &mut found).unwrap();
    let expected = [vec![3; 192], vec![7; 65], vec![0; 63], vec![4; 256], vec![9; 192]].concat();
    assert!(found == expected, "the region does not hold what was uploaded");
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn what_does_not_fit_is_refused_with_the_room_there_is_and_nothing_is_written() {
    let (_, session) = session();
    let run = run(&session);
    let lines = UPLOAD_BYTES as usize / 64;
    let error = run.upload(bytes(lines + 1, 1)).unwrap_err();
    let km::Error::Upload(facts) = &error else { panic!("{error}") };
    let km::error::UploadError::Room { bytes: asked, free, largest, .. } = **facts else { panic!("{error}") };
    assert_eq!((asked, free, largest), (UPLOAD_BYTES as usize + 64, UPLOAD_BYTES, UPLOAD_BYTES));
    let parts: Vec<_> = (0..3).map(|i| run.upload(bytes(lines / 4, i)).unwrap()).collect();
    run.release(&parts[1], TIMEOUT).unwrap();
    let error = run.upload(bytes(lines / 3, 1)).unwrap_err().to_string();
    assert!(error.contains("in one piece; release an upload beside the largest hole"), "{error}");
    run.upload(bytes(lines / 4, 1)).unwrap();
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn an_upload_is_released_once_and_by_its_own_run() {
    let (_, session) = session();
    let first = run(&session);
    let upload = first.upload(bytes(4, 0)).unwrap();
    first.release(&upload, TIMEOUT).unwrap();
    let error = first.release(&upload, TIMEOUT).unwrap_err().to_string();
    assert!(error.contains("is released; upload it again"), "{error}");
    let error = first.start(&upload, ()).unwrap_err().to_string();
    assert!(error.contains("is released"), "{error}");
    first.stop(TIMEOUT).unwrap();
    let second = run(&session);
    let error = second.release(&upload, TIMEOUT).unwrap_err().to_string();
    assert!(error.contains(&format!("of load {}, not of load {}", upload.load(), second.load())), "{error}");
    second.stop(TIMEOUT).unwrap();
}

#[test]
fn a_graph_is_checked_before_it_is_written() {
    let (_, session) = session();
    let run = run(&session);
    let mut graph = km::Graph::new().req(70_000);
    let _ = graph.command(0, 0..3, []).id();
    let error = run.upload(&graph).unwrap_err().to_string();
    assert!(error.contains("the graph cannot be uploaded") && error.contains("`req = 70000`"), "{error}");
    assert!(error.contains("0..3"), "{error}");
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_ring_of_one_line_takes_no_upload_since_its_run_could_not_be_answered() {
    let session = km::Session::builder().on(&Card::builder().build()).open().unwrap();
    let options = km::LoadOptions { host_depth: 1, ..Default::default() };
    let run = session.load_with(km::Program::new("narrow").grid(2, 2), options).unwrap();
    let mut stream = km::Stream::new();
    let value = stream.register();
    stream.set(value, 1).halt(value);
    let error = run.upload(&stream).unwrap_err();
    assert!(matches!(error, km::Error::LoadOption { name: "host_depth", .. }), "{error}");
    let nop = run.submit(km::nop()).unwrap();
    run.wait(nop, TIMEOUT).unwrap();
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn the_upload_region_is_the_one_that_the_ready_block_names() {
    let (card, session) = session();
    let tile = card.description().l2cpus[0].tile;
    let name = |word: u32, value: u64| {
        let at = LIM_BASE + u64::from(LIM_STATE + 8 * word);
        card.write(tile, at, &value.to_le_bytes(), Order::Strict).unwrap();
        card.fence(tile).unwrap();
    };
    let limited = run(&session);
    name(launch::STATE_UPLOAD_BYTES, 128);
    let error = limited.upload((vec![0; 192], km::UploadKind::Stream)).unwrap_err();
    let km::Error::Upload(facts) = &error else { panic!("{error}") };
    assert!(matches!(**facts, km::error::UploadError::Room { bytes: 192, free: 128, .. }), "{error}");
    limited.upload((vec![0; 128], km::UploadKind::Stream)).unwrap();
    limited.stop(TIMEOUT).unwrap();

    let whole = run(&session);
    name(launch::STATE_UPLOAD_BYTES, u64::MAX);
    let error = whole.upload((vec![0; UPLOAD_BYTES as usize + 64], km::UploadKind::Stream));
    assert!(matches!(error, Err(km::Error::Upload(_))), "no more than the program leaves");
    whole.stop(TIMEOUT).unwrap();

    let beyond = run(&session);
    name(launch::STATE_UPLOAD, LIM_BASE + u64::from(LIM_BYTES) - 64);
    let error = beyond.upload((vec![0; 64], km::UploadKind::Stream)).unwrap_err();
    let km::Error::KernelFailed(failed) = &error else { panic!("{error}") };
    assert!(failed.what.contains("names an upload region of"), "{error}");
    run(&session).stop(TIMEOUT).unwrap();
}
