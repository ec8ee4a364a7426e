//! A core that is parked stands, to whoever stops it or looks at it, where one that polls stands at that moment.

mod support;

use std::time::Duration;

use komorebi_card::{Card as _, CardTime, NocXy, Order, Rect};
use komorebi_sim::{Breakage, Card, CoreCounters, Registers, When};
use support::grid::Grid;
use support::*;

const A: NocXy = NocXy::new(3, 3);
const SEEDS: [u64; 2] = [0, 7];
/// The register that shows where B is, of five.
const PCS: u64 = 0xffb1_3138;

/// Waits of all kinds, one a core: marked on two words, with a deadline, on L1 and a counter, unmarked, and no wait at all.
const WAITS: [&str; 5] = [
    "for (uint32_t n = 1;; n++) while (R(0x20000) < n) { FENCE(); (void)R(0x20040); waiting(0); }",
    "for (;;) { uint32_t until = CLOCK() + 300; while ((int32_t)(CLOCK() - until) < 0) { if (R(0x20000) == 77) break; waiting(until); } }",
    "while (R(0x20004) != 1) { FENCE(); if (COUNTER(0, 1) == 9) break; waiting(0); }",
    "while (R(0x20004) != 1) {}",
    "",
];

/// A tile whose cores run `programs`.
fn tile(parking: bool, seed: u64, programs: &[(usize, &str)]) -> Card {
    let card = open(Card::builder().parking(parking).seed(seed));
    for (core, body) in programs {
        load(&card, A, *core, &baby(*core, body));
    }
    start(&card, A, &programs.iter().map(|(core, _)| *core).collect::<Vec<_>>());
    card
}

fn waiting_tile(parking: bool, seed: u64) -> Card {
    tile(parking, seed, &(0..5).zip(WAITS).collect::<Vec<_>>())
}

/// Four harts that wait: marked, with a deadline, unmarked, and not at all. A trap tells where it came.
fn cluster_of_waits(parking: bool) -> Card {
    let body = r#"
        asm volatile("csrw mtvec, %0" :: "r"(0x08002000));
        if (id == 0) for (uint64_t n = 1;; n++) while (R64(0x08010000) < n) asm volatile("add x0, sp, x0");
        if (id == 1) for (;;) { uint64_t until = R64(0x0200bff8) + 20;
            while (R64(0x0200bff8) < until) { if (R64(0x08010008)) break; asm volatile("add x0, sp, %0" :: "r"(until)); } }
        if (id == 2) while (R64(0x08010008) != 1) {}
    "#;
    let handler = r#"
        asm volatile("csrr a0, mepc\n csrr a1, mcycle\n csrr a2, minstret\n csrr a3, mhartid\n slli a3, a3, 8\n li a4, 0x08011000\n add a3, a3, a4\n"
                     "ld a5, 0(a3)\n addi a5, a5, 1\n sd a5, 0(a3)\n slli a5, a5, 5\n andi a5, a5, 0xff\n add a3, a3, a5\n"
                     "sd a0, 0(a3)\n sd a1, 8(a3)\n sd a2, 16(a3)\n mret" ::: "memory");
    "#;
    let card = open(Card::builder().parking(parking));
    card.write(CLUSTER, 0x0800_2000, &harts(0x0800_2000, handler)[..], Order::Bulk).unwrap();
    release(&card, &harts(0x0800_0000, body));
    card
}

/// The moment, and what is seen of each core.
fn look(card: &Card, at: NocXy) -> (u64, Vec<(CoreCounters, Registers)>) {
    let counters = card.core_counters(at).into_iter();
    let seen = counters.enumerate().map(|(core, counters)| (counters, card.registers(at, core).unwrap()));
    (card.now().as_nanos(), seen.collect())
}

/// Writes a word of all cards' memories.
fn write(cards: &[Card; 2], at: NocXy, address: u64, word: u64) {
    cards.iter().for_each(|card| card.write(at, address, &word.to_le_bytes(), Order::Strict).unwrap());
}

/// It is the same of a card whose cores are parked and of one whose cores poll, after so many nanoseconds more.
fn alike(cards: &[Card; 2], at: NocXy, after: u64, when: &str) {
    cards.iter().for_each(|card| run_for(card, after).unwrap());
    alike_now(cards, at, when);
}

fn alike_now(cards: &[Card; 2], at: NocXy, when: &str) {
    let [(parked_at, parked), (polling_at, polling)] = cards.each_ref().map(|card| look(card, at));
    assert_eq!(parked_at, polling_at, "{when}");
    for (core, (parked, polling)) in parked.iter().zip(&polling).enumerate() {
        assert_eq!(parked, polling, "core {core}, parked and polling, {when}");
    }
}

#[test]
fn parked_cores_are_seen_where_polling_ones_are() {
    for seed in SEEDS {
        let cards = [true, false].map(|parking| waiting_tile(parking, seed));
        for look in 0..60 {
            alike(&cards, A, 97 + 31 * look, &format!("look {look}"));
            if look % 7 == 3 {
                write(&cards, A, 0x2_0000, look / 7);
            }
        }
    }
}

#[test]
fn a_wait_that_begins_where_another_one_ended_is_one_of_its_own() {
    // Both are over when their time is: what lies between their HINTs is always the same, too, and is no turn of either.
    for cycles in [60, 90, 200, 333, 470, 1000] {
        let body = format!(
            "for (;;) {{ uint32_t old = R(0x20000), until = CLOCK() + {cycles};
                 while (R(0x20000) == old) {{
                     FENCE(); (void)R(0x20040);
                     if ((int32_t)(CLOCK() - until) >= 0) break;
                     waiting(until);
                 }}
                 (void)R(0x20080); }}"
        );
        let cards = [true, false].map(|parking| tile(parking, 0, &[(0, &body)]));
        for look in 0..40 {
            let seen = cards.each_ref().map(|card| {
                run_for(card, 97 + 31 * look).unwrap();
                (card.core_counters(A), card.pcs(A))
            });
            assert_eq!(seen[0], seen[1], "parked and polling, waits of {cycles} cycles, look {look}");
        }
    }
}

#[test]
fn looking_changes_nothing() {
    for seed in SEEDS {
        let cards = [seed; 2].map(|seed| waiting_tile(true, seed));
        for look in 0..40 {
            run_for(&cards[0], 97).unwrap();
            run_for(&cards[1], 97).unwrap();
            assert!((0..5).all(|core| cards[0].registers(A, core).is_some()));
            if look % 7 == 3 {
                write(&cards, A, 0x2_0000, look / 7);
            }
        }
        alike(&cards, A, 40, "one looked at");
    }
}

#[test]
fn a_host_reads_where_parked_cores_are() {
    for seed in SEEDS {
        let cards = [true, false].map(|parking| waiting_tile(parking, seed));
        for look in 0..40 {
            let pcs = cards.each_ref().map(|card| {
                run_for(card, 90 + 13 * look).unwrap();
                (0..5).map(|core| card.read32(A, PCS + 4 * core).unwrap()).collect::<Vec<_>>()
            });
            assert_eq!(pcs[0], pcs[1], "parked and polling, look {look}");
        }
    }
}

#[test]
fn a_core_reads_where_parked_ones_are() {
    // NC looks, and writes down.
    let nc = "for (uint32_t n = 0; n < 200; n++) { R(0x30000 + 8 * n) = R(0xffb13138); R(0x30004 + 8 * n) = R(0xffb13144);
              for (uint32_t i = 0; i < n; i++) asm volatile(\"nop\"); }";
    let seen = [true, false].map(|parking| {
        let card = tile(parking, 0, &[(0, WAITS[0]), (1, nc), (3, WAITS[3])]);
        run_for(&card, 60_000).unwrap();
        (0..400).map(|i| peek(&card, A, 0x3_0000 + 4 * i)).collect::<Vec<_>>()
    });
    assert_ne!(seen[0][0], seen[0][398], "it stands in one place");
    assert_eq!(seen[0], seen[1], "parked and polling");
}

#[test]
fn a_core_that_the_host_resets_while_it_is_parked_has_done_what_a_polling_one_has() {
    for seed in SEEDS {
        let cards = [true, false].map(|parking| waiting_tile(parking, seed));
        for turn in 0..40u32 {
            alike(&cards, A, u64::from(150 + 17 * turn), &format!("turn {turn}"));
            for card in &cards {
                let held = (0..5).filter(|core| (turn + 1) >> core & 1 == 1);
                card.write32(A, SOFT_RESET, held.fold(0, |held, core| held | CORE_BITS[core])).unwrap();
            }
        }
    }
}

#[test]
fn a_core_that_another_resets_while_it_is_parked_has_done_what_a_polling_one_has() {
    let nc = "for (uint32_t n = 1;; n++) { uint32_t until = CLOCK() + 190 + n % 61; while ((int32_t)(CLOCK() - until) < 0) {}
              R(0xffb121b0) = n & 1 ? 0x7800 : 0; R(0x30000) = n; }";
    let cards = [true, false].map(|parking| {
        tile(parking, 0, &[(0, WAITS[0]), (1, nc), (2, WAITS[2]), (3, WAITS[3]), (4, WAITS[4])])
    });
    for turn in 0..40 {
        alike(&cards, A, 150 + 17 * turn, &format!("turn {turn}"));
    }
}

#[test]
fn a_core_that_resets_itself_stops_there() {
    let nc =
        "uint32_t until = CLOCK() + 500; while ((int32_t)(CLOCK() - until) < 0) {} R(0xffb121b0) = 0x40000;
              for (uint32_t i = 0;; i++) R(0xffb00010) = i;";
    let cards = [true, false].map(|parking| tile(parking, 0, &[(0, WAITS[0]), (1, nc), (3, WAITS[3])]));
    alike(&cards, A, 5_000, "at the end");
}

#[test]
fn a_core_that_is_frozen_while_it_is_parked_goes_on_as_a_polling_one() {
    for seed in SEEDS {
        let cards = [true, false].map(|parking| waiting_tile(parking, seed));
        for turn in 0..40 {
            for card in &cards {
                let time = Some(Duration::from_nanos(60 + 7 * turn));
                let hart = turn as usize % 5;
                card.break_on(When::Now, Breakage::Freeze { tile: A, hart, time }).unwrap();
            }
            alike(&cards, A, 50, &format!("frozen, turn {turn}"));
            alike(&cards, A, 400 + 17 * turn, &format!("thawed, turn {turn}"));
        }
    }
}

#[test]
fn parked_harts_are_seen_where_polling_ones_are() {
    let cards = [true, false].map(cluster_of_waits);
    for look in 0..60 {
        alike(&cards, CLUSTER, 97 + 31 * look, &format!("look {look}"));
        if look % 7 == 3 {
            write(&cards, CLUSTER, 0x0801_0000, look / 7);
        }
    }
}

#[test]
fn a_hart_that_waits_in_lim_that_becomes_cache_breaks_the_rule_when_a_polling_one_does() {
    for mark in ["", "asm volatile(\"add x0, sp, x0\");"] {
        let faults = [true, false].map(|parking| {
            let card = open(Card::builder().parking(parking));
            release(&card, &hart(0x0800_0000, &format!("while (!R64(0x080b0000)) {{ {mark} }}")));
            run_for(&card, 5_000).unwrap();
            card.write32(CLUSTER, 0x0201_0008, 12).unwrap();
            run_for(&card, 20_000).unwrap_err().to_string()
        });
        assert!(faults[1].contains("KF0410") && faults[0] == faults[1], "{faults:?}");
    }
}

#[test]
fn a_trap_comes_to_a_parked_hart_where_it_comes_to_a_polling_one() {
    let cards = [true, false].map(cluster_of_waits);
    for turn in 0..40 {
        for card in &cards {
            let trap = Breakage::Trap { tile: CLUSTER, hart: turn as usize % 4, cause: 5, value: turn };
            let at = CardTime::from_nanos(card.now().as_nanos() + 10 + turn);
            card.break_on(When::At(at), trap).unwrap();
        }
        alike(&cards, CLUSTER, 150 + 17 * turn, &format!("turn {turn}"));
        let told = cards
            .each_ref()
            .map(|card| (0..256).map(|word| peek(card, CLUSTER, 0x0801_1000 + 4 * word)).collect::<Vec<_>>());
        assert_eq!(told[0], told[1], "the handler of a parked and a polling hart, turn {turn}");
    }
}

#[test]
fn a_hart_whose_clock_stops_while_it_is_parked_goes_on_as_a_polling_one() {
    let cards = [true, false].map(cluster_of_waits);
    for turn in 0..12 {
        alike(&cards, CLUSTER, 150 + 17 * turn, &format!("turn {turn}"));
        for card in &cards {
            let power = |l2cpu| komorebi_card::Power { l2cpu, ..POWER };
            card.vote(power(false)).unwrap();
            run_for(card, 300 + turn).unwrap();
            card.vote(power(true)).unwrap();
        }
    }
    alike(&cards, CLUSTER, 500, "at the end");
}

#[test]
fn an_interrupt_comes_to_a_busy_hart_at_the_same_instruction_whoever_else_is_parked() {
    // Hart 3 counts in its registers; a hart beside it, and a tile, poll or are parked.
    let cards = [true, false].map(|parking| {
        let card = cluster_of_waits(parking);
        load(&card, A, 0, &baby(0, WAITS[0]));
        start(&card, A, &[0]);
        card
    });
    for turn in 0..20 {
        for card in &cards {
            let trap = Breakage::Trap { tile: CLUSTER, hart: 3, cause: 5, value: turn };
            card.break_on(When::Now, trap).unwrap();
        }
        alike(&cards, CLUSTER, 90 + 13 * turn, &format!("turn {turn}"));
    }
}

#[test]
fn a_host_that_a_write_wakes_finds_the_cores_where_polling_ones_are() {
    let tiles = Rect { start: NocXy::new(1, 2), end: NocXy::new(2, 3) };
    for seed in SEEDS {
        let mut grids = [true, false]
            .map(|parking| Grid::start(Card::builder().seed(seed).parking(parking), tiles, true));
        let cards = grids.each_ref().map(|grid| grid.card.clone());
        for command in 0..6 {
            grids.iter_mut().for_each(|grid| grid.send(command % 2 == 0));
            while !grids[0].is_done() {
                let end = cards[0].now() + Duration::from_millis(1);
                for card in &cards {
                    card.relax(end).unwrap();
                }
                for tile in [tiles.start, tiles.end, CLUSTER] {
                    alike_now(&cards, tile, &format!("command {command}, {tile}"));
                }
            }
        }
    }
}
