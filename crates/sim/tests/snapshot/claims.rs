//! What of the host a snapshot has: its memory, its claim, its promises.

use komorebi_card::{Card as _, CardError, CardTime, Cleanup, Order};
use komorebi_sim::{Breakage, Card, When};

use super::TILES;
use super::support::*;

#[test]
fn host_memory_is_restored_in_its_place_and_a_fork_has_its_own() {
    let card = open(Card::builder());
    let memory = card.host_mem(8192).unwrap();
    memory.store_u64(4096, 7);
    let snapshot = card.snapshot();
    let later = card.host_mem(4096).unwrap();
    memory.store_u64(4096, 8);
    let fork = snapshot.fork().unwrap();
    let [own] = &fork.host_regions()[..] else { panic!("one region: {:?}", fork.host_regions()) };
    assert_eq!((own.load_u64(4096), own.noc_address(), own.len()), (7, memory.noc_address(), 8192));
    own.store_u64(4096, 9);
    assert_eq!(memory.load_u64(4096), 8);
    card.restore(&snapshot).unwrap();
    assert_eq!((memory.load_u64(4096), own.load_u64(4096)), (7, 9));
    assert_eq!(card.host_regions().len(), 1);
    // The address is free again.
    assert_eq!(card.host_mem(4096).unwrap().noc_address(), later.noc_address());
    // What was given back since is the card's again.
    card.release();
    assert!(card.host_regions().is_empty());
    card.restore(&snapshot).unwrap();
    memory.store_u64(0, 5);
    assert_eq!(card.host_regions()[0].load_u64(0), 5);
}

#[test]
fn a_claim_of_a_later_moment_is_told_from_every_call_until_its_release() {
    let card = Card::builder().build();
    let (early, late) = (card.client(), card.client());
    early.claim(POWER).unwrap();
    early.write32(CLUSTER, 0x0800_0000, 3).unwrap();
    let snapshot = card.snapshot();
    let calls = early.calls();
    early.release();
    late.claim(POWER).unwrap();
    late.set_cleanup(Some(Cleanup { tile: CLUSTER, address: 0x0800_0000, value: 9 })).unwrap();
    card.restore(&snapshot).unwrap();
    let told = CardError::Restored { to: snapshot.at() };
    assert_eq!(late.read32(CLUSTER, 0x0800_0000).unwrap_err(), told);
    assert_eq!(late.relax(CardTime::from_nanos(0)).unwrap_err(), told);
    assert_eq!(late.write(CLUSTER, 0x0800_0000, &[1; 4], Order::Bulk).unwrap_err(), told);
    // The earlier claim stands again, with its calls, and the later one's end is none of its.
    assert_eq!(early.calls(), calls);
    late.release();
    assert!(card.holder().is_some());
    assert_eq!(early.read32(CLUSTER, 0x0800_0000).unwrap(), 3);
    early.release();
    late.claim(POWER).unwrap();
    assert_eq!(late.read32(CLUSTER, 0x0800_0000).unwrap(), 3);
}

#[test]
fn a_card_goes_back_to_no_other_cards_snapshot() {
    let (one, two) = (Card::builder().build(), Card::builder().build());
    let snapshot = one.snapshot();
    for card in [&two, &snapshot.fork().unwrap()] {
        let error = card.restore(&snapshot).unwrap_err();
        assert!(matches!(&error, CardError::Request { what } if what.contains("another card")), "{error}");
    }
    let fork = snapshot.fork().unwrap();
    fork.restore(&fork.snapshot()).unwrap();
}

#[test]
fn a_claim_that_was_released_since_is_closed_by_the_next_one() {
    let card = Card::builder().build();
    let early = card.client();
    early.claim(POWER).unwrap();
    let stop = Cleanup { tile: CLUSTER, address: 0x0800_0000, value: 9 };
    early.set_cleanup(Some(stop)).unwrap();
    early.keep_off(0x2_0000).unwrap();
    let memory = early.host_mem(4096).unwrap();
    let snapshot = card.snapshot();
    // Kept since, the claim stands, whoever else asks.
    card.restore(&snapshot).unwrap();
    assert!(matches!(card.client().claim(POWER), Err(CardError::Busy { .. })));
    assert_eq!(early.read32(CLUSTER, 0x0800_0000).unwrap(), 0);
    early.release();
    // The client itself, then another one, when nobody has a handle of the first any more.
    for next in [early, card.client()] {
        card.restore(&snapshot).unwrap();
        assert!(card.holder().is_some());
        assert_eq!(card.host_regions().len(), 1);
        next.claim(POWER).unwrap();
        assert!(next.host_regions().is_empty(), "{memory:?} is unmapped");
        assert_eq!(next.read32(CLUSTER, 0x0800_0000).unwrap(), 9, "the clean-up is done");
        load(&next, TILES.start, 0, &baby(0, "for (;;) {}"));
        start(&next, TILES.start, &[0]);
        run_for(&next, 10_000).unwrap();
        next.read32(TILES.start, 0x2_0004).unwrap(); // it has promised nothing
        assert!(matches!(card.client().claim(POWER), Err(CardError::Busy { .. })));
        next.release();
        assert!(card.holder().is_none());
    }
    // A client that was killed has not given it back: it lives again, and holds the card.
    let killed = card.client();
    killed.claim(POWER).unwrap();
    let snapshot = card.snapshot();
    killed.break_on(When::Now, Breakage::KillClient).unwrap();
    assert!(card.holder().is_none());
    card.restore(&snapshot).unwrap();
    assert!(matches!(card.client().claim(POWER), Err(CardError::Busy { .. })));
    killed.read32(CLUSTER, 0x0800_0000).unwrap();
    // Its release after a kill is one, though it does nothing.
    killed.break_on(When::Now, Breakage::KillClient).unwrap();
    killed.release();
    card.restore(&snapshot).unwrap();
    card.client().claim(POWER).unwrap();
}

#[test]
fn a_promise_of_a_client_without_the_card_is_refused_and_is_no_call() {
    let card = Card::builder().build();
    let snapshot = card.snapshot();
    let client = card.client();
    client.claim(POWER).unwrap();
    let held = card.snapshot();
    client.keep_off(0x2_0000).unwrap();
    assert_eq!(client.calls(), 1, "the claim");
    card.restore(&snapshot).unwrap();
    assert_eq!(client.keep_off(0x2_0000).unwrap_err(), CardError::Restored { to: snapshot.at() });
    client.claim(POWER).unwrap();
    client.break_on(When::Now, Breakage::KillClient).unwrap();
    assert!(matches!(client.keep_off(0x2_0000), Err(CardError::Lost { .. })));
    // A claim of that client that stands again, though the client has claimed since, takes no promise of the later one.
    client.release();
    card.restore(&held).unwrap();
    client.release();
    client.claim(POWER).unwrap();
    card.restore(&held).unwrap();
    assert_eq!(client.keep_off(0x2_0000).unwrap_err(), CardError::Restored { to: held.at() });
    let fault = open(Card::builder());
    load(&fault, TILES.start, 0, &baby(0, "R(0xffc00000) = 1;"));
    start(&fault, TILES.start, &[0]);
    let error = run_for(&fault, 10_000).unwrap_err();
    assert_eq!(fault.keep_off(0x2_0000).unwrap_err(), error);
}
