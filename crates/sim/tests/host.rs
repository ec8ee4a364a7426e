//! The host's side of the seam: claims, power, order of writes, host memory, the clock.

mod support;

use std::time::Duration;

use komorebi_card::{Board, Card as _, CardError, CardTime, Cleanup, NocXy, Order, Power, Rect, Rule};
use komorebi_sim::{Card, Setting};
use support::*;

const A: NocXy = NocXy::new(1, 2);

#[test]
fn a_second_claim_names_the_holder_and_a_released_card_is_free() {
    let card = open(Card::builder());
    let other = card.clone();
    assert!(
        matches!(other.claim(POWER), Err(CardError::Busy { holder }) if holder.pid == std::process::id())
    );
    card.release();
    other.claim(POWER).unwrap();
}

#[test]
fn the_description_is_the_board_s() {
    let p150 = Card::builder().build();
    let description = p150.description();
    assert_eq!((description.grid().cores(), description.banks.len(), description.l2cpus.len()), (120, 8, 4));
    assert_eq!(Card::builder().columns(14).build().description().grid().cores(), 140);
    let p100 = open(Card::builder().board(Board::P100a));
    let banks = p100.description().banks.clone();
    assert_eq!(banks.len(), 7);
    for bank in &banks {
        p100.write(bank.noc0, 0x40, &u64::from(bank.channel).to_le_bytes(), Order::Bulk).unwrap();
    }
    for bank in &banks {
        assert_eq!(p100.read32(bank.noc1, 0x40).unwrap(), u32::from(bank.channel));
    }
}

#[test]
fn a_write_is_there_after_the_cost_table_s_time_and_a_read_takes_its_round_trip() {
    for (setting, write, read) in [(Setting::Low, 1, 2), (Setting::Nominal, 3, 4), (Setting::High, 7, 14)] {
        let card = open(exact().costs(setting));
        let began = card.now();
        card.write(A, 0x1000, &[1, 2, 3, 4], Order::Bulk).unwrap();
        run_for(&card, write * 1000 - 100).unwrap();
        assert_eq!(peek(&card, A, 0x1000), 0);
        run_for(&card, 200).unwrap();
        assert_eq!(peek(&card, A, 0x1000), 0x0403_0201);
        let began_read = card.now();
        assert_eq!(card.read32(A, 0x1000).unwrap(), 0x0403_0201);
        let took = card.now().since(began_read);
        assert!(
            took >= Duration::from_micros(read) && took < Duration::from_nanos(read * 1000 + 100),
            "{took:?}"
        );
        assert!(card.now() > began);
    }
}

#[test]
fn a_read_waits_for_earlier_writes_to_its_tile() {
    for seed in 0..4 {
        let card = open(Card::builder().seed(seed));
        let data: Vec<u8> = (0..2000u32).map(|i| (i * 5) as u8).collect();
        card.write(A, 0x2000, &data, Order::Bulk).unwrap();
        let mut back = vec![0; data.len()];
        card.read(A, 0x2000, &mut back).unwrap();
        assert_eq!(back, data, "seed {seed}");
    }
}

#[test]
fn bulk_writes_arrive_in_any_order_under_a_seed_and_strict_ones_never() {
    let overtakes = |order: Order, seed: u64| {
        let card = open(Card::builder().seed(seed));
        for i in 0..16u64 {
            card.write(A, 0x1000 + 64 * i, &1u32.to_le_bytes(), order).unwrap();
        }
        let mut overtaken = false;
        for _ in 0..80 {
            run_for(&card, 100).unwrap();
            let seen: Vec<u32> = (0..16).map(|i| peek(&card, A, 0x1000 + 64 * i)).collect();
            overtaken |= !seen.is_sorted_by(|a, b| a >= b);
        }
        card.fence(A).unwrap();
        assert!((0..16).all(|i| peek(&card, A, 0x1000 + 64 * i) == 1));
        overtaken
    };
    assert!((1..6).any(|seed| overtakes(Order::Bulk, seed)));
    assert!(!(0..6).any(|seed| overtakes(Order::Strict, seed)));
    assert!(!overtakes(Order::Bulk, 0));
}

#[test]
fn a_line_may_arrive_in_parts_under_a_seed() {
    let torn = (1..10).any(|seed| {
        let card = open(Card::builder().seed(seed));
        card.write(A, 0x1000, &[0xff; 64], Order::Bulk).unwrap();
        (0..60).any(|_| {
            run_for(&card, 100).unwrap();
            let words: Vec<u32> = (0..16).map(|i| peek(&card, A, 0x1000 + 4 * i)).collect();
            words.contains(&0) && words.contains(&u32::MAX)
        })
    });
    assert!(torn);
}

#[test]
fn a_multicast_reaches_the_tensix_tiles_of_its_rectangle() {
    let card = open(Card::builder());
    let tiles = Rect { start: NocXy::new(6, 3), end: NocXy::new(10, 4) };
    card.multicast(tiles, 0x1000, &7u64.to_le_bytes()).unwrap();
    card.fence(NocXy::new(7, 4)).unwrap();
    for (tile, value) in [((6, 3), 7), ((7, 4), 7), ((10, 3), 7), ((5, 3), 0), ((11, 3), 0), ((6, 5), 0)] {
        assert_eq!(peek(&card, NocXy::new(tile.0, tile.1), 0x1000), value, "{tile:?}");
    }
}

#[test]
fn relax_jumps_to_its_end_when_nothing_happens_and_a_poll_costs_100_ns() {
    let card = open(Card::builder());
    let hour = card.now() + Duration::from_secs(3600);
    assert_eq!(card.relax(hour).unwrap(), hour);
    let polled = card.relax(card.now()).unwrap();
    assert_eq!(polled.since(hour), Duration::from_nanos(100));
}

#[test]
fn a_card_serves_until_its_clock_ends_and_then_every_call_says_so() {
    let end = CardTime::from_nanos(komorebi_sim::time::END / komorebi_sim::time::UNITS_PER_NANO);
    let card = open(Card::builder());
    let before = CardTime::from_nanos(end.as_nanos() - 1_000_000);
    assert_eq!(card.relax(before).unwrap(), before);
    card.write32(A, 0x1000, 7).unwrap();
    assert_eq!(card.read32(A, 0x1000).unwrap(), 7);
    assert_eq!(card.relax(CardTime::from_nanos(u64::MAX)).unwrap(), end);
    for error in [card.relax(end).unwrap_err(), card.write32(A, 0x1000, 7).unwrap_err()] {
        assert!(error.to_string().contains("the clock of this simulated card is at its end"), "{error}");
    }
}

#[test]
fn a_misaligned_or_empty_request_is_refused_and_the_card_goes_on() {
    let card = open(Card::builder());
    for (address, bytes) in [(2, 4), (0, 3), (0, 0)] {
        assert!(matches!(
            card.write(A, address, &vec![0; bytes], Order::Bulk),
            Err(CardError::Request { .. })
        ));
        assert!(matches!(card.read(A, address, &mut vec![0; bytes]), Err(CardError::Request { .. })));
    }
    card.read32(A, 0).unwrap();
}

#[test]
fn after_a_fault_every_call_returns_it() {
    let card = open(Card::builder());
    let fault = card.write32(NocXy::new(15, 2), 0, 1).unwrap_err();
    assert!(
        matches!(&fault, CardError::Fault(f) if f.agent == "host" && f.rule == Rule::DisabledTile),
        "{fault}"
    );
    assert_eq!(card.read32(A, 0).unwrap_err(), fault);
    assert_eq!(card.relax(card.now()).unwrap_err(), fault);
    assert_eq!(card.fence(A).unwrap_err(), fault);
    assert_eq!(card.vote(POWER).unwrap_err(), fault);
}

#[test]
fn a_tensix_tile_without_a_vote_does_not_answer() {
    let card = Card::builder().build();
    card.claim(Power { l2cpu: true, ..Power::default() }).unwrap();
    let fault = card.read32(A, 0).unwrap_err();
    assert!(matches!(&fault, CardError::Fault(f) if f.rule == Rule::TensixClock), "{fault}");
}

#[test]
fn the_close_does_the_cleanup_write_holds_the_cores_and_keeps_memory() {
    let card = open(Card::builder());
    load(&card, A, 0, &baby(0, "for (;;) R(0x20000) = R(0x20000) + 1;"));
    start(&card, A, &[0]);
    run_for(&card, 20_000).unwrap();
    card.set_cleanup(Some(Cleanup { tile: A, address: 0x3_0000, value: 77 })).unwrap();
    card.release();
    let stopped = peek(&card, A, 0x2_0000);
    assert!(stopped > 0);
    run_for(&card, 20_000).unwrap();
    assert_eq!(peek(&card, A, 0x2_0000), stopped);
    card.claim(POWER).unwrap();
    assert_eq!(card.read32(A, SOFT_RESET).unwrap(), ALL_HELD);
    assert_eq!(card.read32(A, 0x3_0000).unwrap(), 77);
    assert_eq!(card.read32(A, 0x2_0000).unwrap(), stopped);
}

/// A core that writes its count to host memory without end.
fn writer(memory: &komorebi_card::HostMem) -> String {
    let (low, mid) = (memory.noc_address() as u32, memory.noc_address() >> 32);
    format!(
        "for (unsigned n = 1;; ++n) {{ R(0x20040) = n; NIU(0, 0, 0) = 0x20040; NIU(0, 0, 8) = self(0);
         NIU(0, 0, 0xc) = {low:#x}; NIU(0, 0, 0x10) = {mid:#x}; NIU(0, 0, 0x14) = {xy:#x};
         NIU(0, 0, 0x1c) = 0x2092; NIU(0, 0, 0x20) = 16; NIU(0, 0, 0x40) = 1;
         while (COUNTER(0, 1) != n) {{}} }}",
        xy = memory.tile().hi_word()
    )
}

#[test]
fn what_the_card_still_writes_after_a_close_is_lost_and_the_card_goes_on() {
    let card = open(Card::builder());
    let memory = card.host_mem(4096).unwrap();
    load(&card, A, 0, &baby(0, &writer(&memory)));
    start(&card, A, &[0]);
    run_for(&card, 50_000).unwrap();
    assert!(card.counters().events > 3 && card.counters().unmapped == 0);
    let (events, written) = (card.counters().events, memory.load_u64(0));
    assert!(written > 3);
    card.release();
    // The close takes a while, in which the core writes on; then it is held.
    let lost = card.counters().unmapped;
    assert!(lost > 3, "{lost}");
    assert!(card.counters().events <= events + 1 && memory.load_u64(0) <= written + 1);
    card.claim(POWER).unwrap();
    run_for(&card, 50_000).unwrap();
    assert_eq!(card.counters().unmapped, lost);
    let again = card.host_mem(4096).unwrap();
    assert_eq!((again.noc_address(), again.load_u64(0)), (memory.noc_address(), 0));
}

/// Hart 0 counts in LIM.
fn start_counting(card: &Card) {
    release(card, &hart(0x0800_0000, "for (uint64_t n = 1;; n++) R64(0x08010000) = n;"));
    run_for(card, 20_000).unwrap();
    assert!(count(card) > 10);
}

fn count(card: &Card) -> u32 {
    peek(card, CLUSTER, 0x0801_0000)
}

#[test]
fn the_x280_stops_at_the_first_step_of_a_close_or_at_the_last() {
    let ran_on = |at_once: bool| {
        let card = open(Card::builder().clock_stops_at_once(at_once));
        start_counting(&card);
        let before = count(&card);
        card.release();
        count(&card) - before
    };
    assert!(ran_on(false) > 10 * ran_on(true).max(10), "{} {}", ran_on(false), ran_on(true));
    // It goes on where it stood, unless its memory is gone.
    for lost in [false, true] {
        let card = open(Card::builder().lim_lost(lost));
        start_counting(&card);
        card.release();
        let stood = count(&card);
        assert_eq!(stood == 0, lost);
        if !lost {
            card.claim(POWER).unwrap();
            run_for(&card, 20_000).unwrap();
            assert!(count(&card) > stood);
        }
    }
}

#[test]
fn telemetry_says_what_a_driver_asks() {
    let card = open(Card::builder());
    assert_eq!(card.read32(ARC, 0x8003_0408).unwrap() & 7, 5);
    let (table, data) = (card.read32(ARC, 0x8003_0434).unwrap(), card.read32(ARC, 0x8003_0430).unwrap());
    let count = card.read32(ARC, u64::from(table) + 4).unwrap();
    let value = |tag: u32| {
        let entry = (0..count).map(|i| card.read32(ARC, u64::from(table) + 8 + 4 * u64::from(i)).unwrap());
        let entry = entry.into_iter().find(|entry| entry & 0xffff == tag).unwrap();
        card.read32(ARC, u64::from(data) + 4 * u64::from(entry >> 16)).unwrap()
    };
    assert_eq!(value(34), 0x0fff);
    assert_eq!((value(36), value(37), value(40)), (0xff, 0xf, 1));
    assert_eq!(u64::from(value(1)) << 32 >> 36 & 0xf_ffff, 0x40);
    assert_eq!((value(14), value(17)), (1350, 800));
    clock(&card, 80, 1);
    assert_eq!(value(17), 1000);
    card.vote(POWER).unwrap();
    assert_eq!(value(17), 800);
}

#[test]
fn host_memory_lies_top_down_within_one_large_window() {
    let card = open(Card::builder());
    let [a, b] = [card.host_mem(5000).unwrap(), card.host_mem(4096).unwrap()];
    assert_eq!(a.noc_address(), 0x1000_0000_0000_0000 + (1 << 58) - 8192);
    assert_eq!(b.noc_address(), a.noc_address() - 4096);
    for bytes in [usize::MAX, 1 << 60, (1 << 58) - 8192] {
        let refused = card.host_mem(bytes);
        assert!(
            matches!(refused, Err(CardError::HostMemory { bytes: said, .. }) if said == bytes),
            "{bytes:#x}"
        );
    }
    let c = card.host_mem(0).unwrap();
    assert_eq!((c.noc_address(), c.len()), (b.noc_address() - 4096, 4096), "no region lies in another one");
    assert_eq!(a.noc_address() >> 37, 0x9f_ffff | 0x1000_0000_0000_0000 >> 37);
    // A core reads host memory over the NoC: 64-byte congruent.
    b.write(64, &[1, 2, 3, 4, 5, 6, 7, 8]);
    let (low, mid) = (b.noc_address() as u32 + 64, b.noc_address() >> 32);
    let body = format!(
        "NIU(0, 0, 0x04) = {mid:#x}; NIU(0, 0, 0) = {low:#x}; NIU(0, 0, 8) = {xy:#x}; NIU(0, 0, 0xc) = 0x20040; NIU(0, 0, 0x14) = self(0);
         NIU(0, 0, 0x1c) = 0x2090; NIU(0, 0, 0x20) = 8; NIU(0, 0, 0x40) = 1;
         while (COUNTER(0, 2) != 1) {{}} R(0x20000) = 1;",
        xy = b.tile().hi_word()
    );
    load(&card, A, 0, &baby(0, &body));
    start(&card, A, &[0]);
    wait_for(&card, A, 0x2_0000, 1);
    assert_eq!(peek(&card, A, 0x2_0044), 0x0807_0605);
}
