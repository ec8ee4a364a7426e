//! What is broken on purpose breaks as it is documented, when it is asked for, the same every time.

mod support;

use std::time::Duration;

use komorebi_card::{Card as _, CardError, Cleanup, NocXy, Order};
use komorebi_sim::{Breakage, Card, When};
use support::*;

const A: NocXy = NocXy::new(2, 3);
const B: NocXy = NocXy::new(11, 7);

fn lost<T: std::fmt::Debug>(result: Result<T, CardError>) -> String {
    match result {
        Err(CardError::Lost { what }) => what,
        other => panic!("not lost but {other:?}"),
    }
}

/// Counts up at 0x20000 of tile A on core B for ever.
fn counting() -> Card {
    let card = open(Card::builder());
    load(&card, A, 0, &baby(0, "for (uint32_t n = 1;; n++) { R(0x20000) = n; FENCE(); }"));
    start(&card, A, &[0]);
    run_for(&card, 20_000).unwrap();
    card
}

fn counts(card: &Card) -> bool {
    let before = peek(card, A, 0x2_0000);
    run_for(card, 1_000).unwrap();
    peek(card, A, 0x2_0000) != before
}

#[test]
fn a_lost_card_is_told_at_the_first_read_late_and_by_every_call_after_it() {
    let card = open(Card::builder());
    card.break_on(When::Now, Breakage::Lose).unwrap();
    card.write(A, 0x1000, &[1; 4], Order::Bulk).unwrap();
    run_for(&card, 1_000).unwrap();
    let before = card.now();
    let what = lost(card.read32(A, 0x1000));
    assert_eq!(what, format!("a read of 0x1000 at {A} gave all ones"));
    assert!(card.now() - before >= Duration::from_millis(200), "late (host.md §7)");
    for again in [
        lost(card.read32(B, 0)),
        lost(card.write(A, 0, &[0; 4], Order::Strict)),
        lost(card.fence(A)),
        lost(card.relax(card.now())),
        lost(card.vote(POWER)),
        lost(card.host_mem(64)),
    ] {
        assert_eq!(again, what);
    }
    card.release();
    assert_eq!(lost(card.claim(POWER)), what);
}

#[test]
fn a_reset_gives_a_lost_card_back_empty_and_unclaimed() {
    let card = open(Card::builder());
    card.write(A, 0x1000, &[1; 4], Order::Bulk).unwrap();
    card.break_on(When::Now, Breakage::Lose).unwrap();
    lost(card.fence(A));
    let before = card.now();
    card.reset();
    assert!(card.now() >= before, "the clock goes on");
    card.claim(POWER).unwrap();
    assert_eq!(card.read32(A, 0x1000).unwrap(), 0);
}

#[test]
fn a_tile_that_hangs_takes_the_card_with_it_once_it_is_read() {
    let card = open(Card::builder());
    card.break_on(When::Now, Breakage::Hang(B)).unwrap();
    assert_eq!(card.read32(A, 0x1000).unwrap(), 0);
    card.write(B, 0x1000, &[1; 4], Order::Bulk).unwrap();
    lost(card.fence(B));
    lost(card.read32(A, 0x1000));
}

#[test]
fn the_call_that_is_named_is_refused_and_does_nothing() {
    let card = open(Card::builder());
    card.break_on(When::Call(2), Breakage::Refuse("not now".into())).unwrap();
    let put = |value: u32| card.write(A, 0x1000, &value.to_le_bytes(), Order::Strict);
    put(1).unwrap();
    assert_eq!(put(2), Err(CardError::Request { what: "not now".into() }));
    assert_eq!(card.read32(A, 0x1000).unwrap(), 1);
    put(3).unwrap();
    assert_eq!(card.read32(A, 0x1000).unwrap(), 3);
}

#[test]
fn a_client_that_dies_gives_the_card_to_the_next_one_and_does_nothing_more() {
    let card = open(Card::builder());
    let second = card.client();
    assert!(matches!(second.claim(POWER), Err(CardError::Busy { .. })));
    card.set_cleanup(Some(Cleanup { tile: A, address: 0x1000, value: 7 })).unwrap();
    card.break_on(When::Call(3), Breakage::KillClient).unwrap();
    card.fence(A).unwrap();
    card.fence(A).unwrap();
    assert_eq!(lost(card.write(A, 0x2000, &[1; 4], Order::Strict)), "this client was killed");
    second.claim(POWER).unwrap();
    card.release();
    assert!(matches!(card.client().claim(POWER), Err(CardError::Busy { .. })), "it is the second client's");
    assert_eq!(second.read32(A, 0x1000).unwrap(), 7, "the driver's close has written");
    assert_eq!(second.read32(A, 0x2000).unwrap(), 0);
}

#[test]
fn memory_changes_flips_is_held_and_is_lost() {
    let card = open(Card::builder().seed(3));
    let word = |address| peek(&card, A, address);
    let soon = card.now() + Duration::from_micros(5);
    let poke = Breakage::Poke { tile: A, address: 0x1000, bytes: 0xabcd_0001_u32.to_le_bytes().to_vec() };
    card.break_on(When::At(soon), poke).unwrap();
    run_for(&card, 4_900).unwrap();
    assert_eq!(word(0x1000), 0);
    run_for(&card, 200).unwrap();
    assert_eq!(word(0x1000), 0xabcd_0001);
    card.break_on(When::Now, Breakage::Flip { tile: A, address: 0x1000, bits: 0x8000_0001 }).unwrap();
    run_for(&card, 100).unwrap();
    assert_eq!(word(0x1000), 0x2bcd_0000);

    let time = Duration::from_micros(20);
    card.break_on(When::Now, Breakage::Hold { tile: A, address: 0x1000, value: 9, time }).unwrap();
    for _ in 0..3 {
        card.write(A, 0x1000, &[0; 4], Order::Strict).unwrap();
        run_for(&card, 5_000).unwrap();
        assert_eq!(word(0x1000), 9);
    }
    run_for(&card, 10_000).unwrap();
    card.write(A, 0x1000, &[0; 4], Order::Strict).unwrap();
    run_for(&card, 5_000).unwrap();
    assert_eq!(word(0x1000), 0, "it is held no longer");

    card.break_on(When::Now, Breakage::Scramble { tile: A, address: 0x2000, bytes: 64 }).unwrap();
    run_for(&card, 100).unwrap();
    let junk: Vec<u32> = (0..17).map(|i| word(0x2000 + 4 * i)).collect();
    assert!(junk[..16].iter().all(|word| *word != 0) && junk[0] != junk[1] && junk[16] == 0, "{junk:x?}");
}

#[test]
fn a_core_that_waits_for_a_word_sees_it_change_by_itself() {
    let card = open(Card::builder());
    let body = "while (R(0x20000) != 5) { waiting(0); FENCE(); } R(0x20004) = 1;";
    load(&card, A, 0, &baby(0, body));
    start(&card, A, &[0]);
    run_for(&card, 100_000).unwrap();
    let poke = Breakage::Poke { tile: A, address: 0x2_0000, bytes: 5_u32.to_le_bytes().to_vec() };
    card.break_on(When::Now, poke).unwrap();
    wait_for(&card, A, 0x2_0004, 1);
}

#[test]
fn a_frozen_core_stands_still_until_its_time_or_its_reset() {
    let card = counting();
    assert!(counts(&card));
    let freeze = |time| Breakage::Freeze { tile: A, hart: 0, time };
    card.break_on(When::Now, freeze(Some(Duration::from_micros(50)))).unwrap();
    run_for(&card, 100).unwrap();
    assert!(!counts(&card));
    run_for(&card, 50_000).unwrap();
    assert!(counts(&card), "it goes on where it was");
    card.break_on(When::Now, freeze(None)).unwrap();
    run_for(&card, 1_000_000).unwrap();
    assert!(!counts(&card));
    card.write32(A, SOFT_RESET, ALL_HELD).unwrap();
    start(&card, A, &[0]);
    run_for(&card, 20_000).unwrap();
    assert!(counts(&card), "the reset started it anew");
}

#[test]
fn the_last_freeze_of_a_core_says_until_when_it_stands_still() {
    let card = counting();
    let freeze = |time: Option<u64>| {
        let freeze = Breakage::Freeze { tile: A, hart: 0, time: time.map(Duration::from_micros) };
        card.break_on(When::Now, freeze).unwrap();
        run_for(&card, 100).unwrap();
    };
    freeze(Some(20));
    freeze(Some(200));
    run_for(&card, 100_000).unwrap();
    assert!(!counts(&card), "the first one is over");
    run_for(&card, 110_000).unwrap();
    assert!(counts(&card));
    freeze(Some(20));
    freeze(None);
    run_for(&card, 1_000_000).unwrap();
    assert!(!counts(&card));
    // One in reset is none's, and the next freeze is another one.
    freeze(Some(50));
    card.write32(A, SOFT_RESET, ALL_HELD).unwrap();
    start(&card, A, &[0]);
    run_for(&card, 20_000).unwrap();
    assert!(counts(&card));
    freeze(Some(1_000));
    run_for(&card, 100_000).unwrap();
    assert!(!counts(&card), "what was planned before the reset is over");
}

#[test]
fn a_freeze_before_the_start_does_nothing_and_the_next_one_freezes() {
    let card = open(Card::builder());
    let freeze = |tile| Breakage::Freeze { tile, hart: 0, time: None };
    card.break_on(When::Now, freeze(A)).unwrap();
    card.break_on(When::Now, freeze(CLUSTER)).unwrap();
    run_for(&card, 100).unwrap();
    load(&card, A, 0, &baby(0, "for (uint32_t n = 1;; n++) { R(0x20000) = n; FENCE(); }"));
    start(&card, A, &[0]);
    release(&card, &hart(0x0800_0000, "for (uint64_t n = 1;; n++) { R64(0x08011000) = n; }"));
    let count = || {
        run_for(&card, 10_000).unwrap();
        [peek(&card, A, 0x2_0000), peek(&card, CLUSTER, 0x0801_1000)]
    };
    let [before, after] = [count(), count()];
    assert!(before[0] < after[0] && before[1] < after[1], "{before:?}, then {after:?}");
    card.break_on(When::Now, freeze(A)).unwrap();
    card.break_on(When::Now, freeze(CLUSTER)).unwrap();
    assert_eq!(count(), count());
}

#[test]
fn a_core_that_waits_is_frozen_too_and_sees_what_came_meanwhile() {
    let card = open(Card::builder());
    load(&card, A, 0, &baby(0, "while (!R(0x20000)) { waiting(0); FENCE(); } R(0x20004) = CLOCK();"));
    start(&card, A, &[0]);
    run_for(&card, 10_000).unwrap();
    let freeze = Breakage::Freeze { tile: A, hart: 0, time: Some(Duration::from_micros(30)) };
    card.break_on(When::Now, freeze).unwrap();
    card.write(A, 0x2_0000, &[1; 4], Order::Strict).unwrap();
    run_for(&card, 20_000).unwrap();
    assert_eq!(peek(&card, A, 0x2_0004), 0);
    run_for(&card, 20_000).unwrap();
    assert_ne!(peek(&card, A, 0x2_0004), 0);
}

#[test]
fn a_hart_is_frozen_while_its_clock_stands_and_goes_on_once_it_has_both() {
    let card = open(Card::builder());
    release(&card, &hart(0x0800_0000, "for (uint64_t n = 1;; n++) { R64(0x08011000) = n; }"));
    let counts = |nanos| {
        let before = peek(&card, CLUSTER, 0x0801_1000);
        run_for(&card, nanos).unwrap();
        peek(&card, CLUSTER, 0x0801_1000) != before
    };
    let freeze =
        |micros| Breakage::Freeze { tile: CLUSTER, hart: 0, time: Some(Duration::from_micros(micros)) };
    assert!(counts(10_000));
    card.release(); // with the vote for the clock
    card.break_on(When::Now, freeze(5)).unwrap();
    assert!(!counts(10_000));
    card.claim(POWER).unwrap();
    assert!(counts(10_000), "its time was over before the clock came back");

    card.release();
    card.break_on(When::Now, freeze(2_000)).unwrap();
    assert!(!counts(10_000));
    card.claim(POWER).unwrap();
    assert!(!counts(100_000), "its time is not over");
    run_for(&card, 2_000_000).unwrap();
    assert!(counts(10_000));
}

#[test]
fn packets_to_a_tile_are_lost_or_late_and_those_to_others_are_not() {
    let card = open(Card::builder());
    let xy = B.hi_word();
    let body = format!(
        "for (uint32_t n = 0; n < 4; n++) {{ R(0x40000) = n + 1; while (R(0x40000) != n + 1) {{}} write_to(0, {xy}, 0x40000, 0x30000 + 16 * n, 16);
         for (int i = 0; i < 200; i++) R(0x21000); }}
         while (!COUNTER(0, 1)) {{}} for (int i = 0; i < 200; i++) R(0x21000); R(0x20010) = COUNTER(0, 1); R(0x20000) = 1;"
    );
    load(&card, A, 0, &baby(0, &body));
    card.break_on(When::Now, Breakage::Drop { to: B, packets: 2 }).unwrap();
    card.break_on(When::Now, Breakage::Drop { to: B, packets: 0 }).unwrap();
    card.break_on(When::Now, Breakage::Delay { to: B, packets: 1, by: Duration::from_micros(40) }).unwrap();
    start(&card, A, &[0]);
    wait_for(&card, A, 0x2_0000, 1);
    let at = |n: u64| peek(&card, B, 0x3_0000 + 16 * n);
    assert_eq!([at(0), at(1), at(2), at(3)], [0, 0, 0, 4], "two are lost and one is on its way");
    assert_eq!(peek(&card, A, 0x2_0010), 1, "what has not arrived is not acknowledged");
    run_for(&card, 60_000).unwrap();
    assert_eq!([at(0), at(1), at(2), at(3)], [0, 0, 3, 4]);
    card.write(B, 0x5000, &[1; 4], Order::Bulk).unwrap();
    card.break_on(When::Now, Breakage::Drop { to: B, packets: 1 }).unwrap();
    assert_eq!(card.read32(B, 0x5000).unwrap(), 0x0101_0101, "the host's requests arrive");
}

#[test]
fn a_card_that_is_mended_breaks_no_more() {
    let card = open(Card::builder());
    let later = When::At(card.now() + Duration::from_micros(5));
    card.break_on(later, Breakage::Lose).unwrap();
    card.break_on(When::Call(2), Breakage::Refuse("not now".into())).unwrap();
    card.mend();
    run_for(&card, 10_000).unwrap();
    card.fence(A).unwrap();
    card.fence(A).unwrap();

    let card = counting();
    let freeze = Breakage::Freeze { tile: A, hart: 0, time: Some(Duration::from_micros(5)) };
    card.break_on(When::Now, freeze).unwrap();
    run_for(&card, 100).unwrap();
    card.mend();
    assert!(!counts(&card));
    run_for(&card, 10_000).unwrap();
    assert!(counts(&card), "it was frozen for a time");
}

#[test]
fn what_the_card_does_not_have_is_refused_and_nothing_is_planned() {
    let card = open(Card::builder());
    let absent = NocXy::new(60, 60);
    for wrong in [
        Breakage::Hang(absent),
        Breakage::Drop { to: absent, packets: 1 },
        Breakage::Freeze { tile: A, hart: 5, time: None },
        Breakage::Freeze { tile: CLUSTER, hart: 4, time: None },
        Breakage::Trap { tile: A, hart: 0, cause: 2, value: 0 },
        Breakage::Poke { tile: A, address: 2, bytes: vec![0; 4] },
        Breakage::Poke { tile: A, address: 0, bytes: vec![0; 3] },
        Breakage::Flip { tile: A, address: SOFT_RESET, bits: 1 },
        Breakage::Scramble { tile: CLUSTER, address: 0x0900_0000, bytes: 64 },
    ] {
        assert!(matches!(card.break_on(When::Now, wrong), Err(CardError::Request { .. })));
    }
    let later = When::At(card.now() + Duration::from_micros(1));
    assert!(card.break_on(later, Breakage::KillClient).is_err(), "a client dies at a call or now");
    card.break_on(When::Call(u64::MAX), Breakage::KillClient).unwrap(); // never
    run_for(&card, 10_000).unwrap();
    card.fence(A).unwrap();
}

#[test]
fn the_same_breakages_give_the_same_bytes_at_the_same_times() {
    let once = || {
        let card = counting();
        let at = |micros| When::At(card.now() + Duration::from_micros(micros));
        let freeze =
            |micros| Breakage::Freeze { tile: A, hart: 0, time: Some(Duration::from_micros(micros)) };
        card.break_on(at(3), freeze(2)).unwrap();
        card.break_on(at(4), Breakage::Flip { tile: A, address: 0x2_0000, bits: 0x8000_0000 }).unwrap();
        card.break_on(When::Call(9), freeze(1)).unwrap();
        for _ in 0..20 {
            run_for(&card, 777).unwrap();
            card.fence(A).unwrap();
        }
        (peek(&card, A, 0x2_0000), card.now(), card.counters().tensix_instructions)
    };
    assert_eq!(once(), once());
}
