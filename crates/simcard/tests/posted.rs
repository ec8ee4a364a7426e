//! What is wrong with a write that nobody answers.

use komorebi_card::{Card as _, CardError, CardTime, NocXy, Order, Power, Rect};
use komorebi_sim::Card;
use komorebi_simcard::{RemoteCard, Server};

const POWER: Power = Power { tensix: true, dram: false, l2cpu: false, busy: false };

#[track_caller]
fn refused(outcome: Result<(), CardError>) {
    let error = outcome.unwrap_err();
    assert_eq!(error.to_string(), "the card is not held by this client; claim it first");
}

#[test]
fn a_posted_write_that_fails_is_told_once_by_the_next_call_that_can_fail_and_does_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("card");
    let server = Server::bind(&path, Card::builder().build()).unwrap();
    std::thread::spawn(move || server.run());
    let card = RemoteCard::connect(&path).unwrap();
    let tile = NocXy::new(card.description().columns[0], 2);
    let write = || card.write(tile, 0x1000, &[1, 2, 3, 4], Order::Strict);
    let multicast = || card.multicast(Rect { start: tile, end: tile }, 0x1000, &[1, 2, 3, 4]);

    // Before a claim: the claim tells, and does not claim.
    write().unwrap();
    multicast().unwrap();
    refused(card.claim(POWER));
    let other = RemoteCard::connect(&path).unwrap();
    other.claim(POWER).unwrap();
    other.release();
    card.claim(POWER).unwrap();
    card.write(tile, 0x1000, &[5, 6, 7, 8], Order::Strict).unwrap();
    let mut bytes = [0; 4];
    card.read(tile, 0x1000, &mut bytes).unwrap();
    assert_eq!(bytes, [5, 6, 7, 8]);

    // Behind a release: neither the clock nor another release takes it away.
    card.release();
    write().unwrap();
    card.now();
    card.release();
    refused(card.claim(POWER));
    card.claim(POWER).unwrap();
    card.fence(tile).unwrap();
}

#[test]
fn a_client_that_asked_for_nothing_yet_tells_the_clock() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("card");
    let server = Server::bind(&path, Card::builder().build()).unwrap();
    std::thread::spawn(move || server.run());
    let first = RemoteCard::connect(&path).unwrap();
    first.claim(POWER).unwrap();
    let second = RemoteCard::connect(&path).unwrap();
    assert!(first.now() > CardTime::default());
    assert_eq!(second.now(), first.now());
}
