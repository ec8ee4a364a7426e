//! The modes of the harts' windows (host.md §6.4): multicasts that skip and exclude, ordering, both NoCs, repetitions.

mod support;

use std::time::Duration;

use komorebi_card::{Card as _, NocXy, Rule};
use komorebi_sim::{Breakage, Card, When};
use support::x280::*;
use support::*;

/// Columns 3 to 6, rows 4 to 7.
const RECTANGLE: u32 = 6 | 7 << 6 | 3 << 12 | 4 << 18 | 1 << 24;
/// Low word: the window's NoC is 1.
const NOC1: u32 = 1 << 31;
const STRICT: u32 = 1 << 25;
const POSTED: u32 = 2 << 25;

/// The tiles of the rectangle and around it that got the word.
fn reached(card: &Card) -> Vec<(u8, u8)> {
    let all = (2..=9u8).flat_map(|y| [1, 2, 3, 4, 5, 6, 7].map(|x| (x, y)));
    all.filter(|(x, y)| peek(card, NocXy::new(*x, *y), 0x5_0000) == 9).collect()
}

/// Sends one word through large window 0, set to these words.
fn multicast(lo: u32, hi: u32) -> Vec<(u8, u8)> {
    let program = Program::start(Card::builder().columns(14), "HEAR(1); R(LARGE + 0x50000) = 9; FENCE();");
    window(&program.card, 0, lo, 0);
    high(&program.card, hi);
    program.answer(1).finish();
    reached(&program.card)
}

/// Sets the high word of large window 0.
fn high(card: &Card, hi: u32) {
    card.write32(CLUSTER, PERIPHERALS + 0xe08, hi).unwrap();
    card.fence(CLUSTER).unwrap();
}

fn grid(columns: &[u8], rows: &[u8]) -> Vec<(u8, u8)> {
    rows.iter().flat_map(|y| columns.iter().map(|x| (*x, *y))).collect()
}

#[test]
fn a_multicast_keeps_skips_and_excludes_by_raw_coordinates() {
    assert_eq!(multicast(RECTANGLE, 0), grid(&[3, 4, 5, 6], &[4, 5, 6, 7]));
    assert_eq!(multicast(RECTANGLE, 1 << 3 | 1 << 5 | 8 << 24), grid(&[3, 5], &[4, 5, 6, 7]));
    assert_eq!(multicast(RECTANGLE, 2 << 7 | 1 << 9 | 12 << 24), grid(&[3, 4, 5, 6], &[4, 5, 7]));
    // Neither x >= 5 nor y >= 6.
    let quadrant = 1 << 22 | 5 << 11 | 6 << 16 | 3 << 20 | 12 << 24;
    let left = multicast(RECTANGLE, quadrant);
    assert_eq!(left, [grid(&[3, 4, 5, 6], &[4, 5]), grid(&[3, 4], &[6, 7])].concat());
}

#[test]
fn a_window_of_noc_1_starts_its_rectangle_at_the_other_corner() {
    let swapped = 3 | 4 << 6 | 6 << 12 | 7 << 18 | 1 << 24 | NOC1;
    assert_eq!(multicast(swapped, 0), grid(&[3, 4, 5, 6], &[4, 5, 6, 7]));
    assert_eq!(multicast(swapped, 1 << 3 | 1 << 5 | 8 << 24), grid(&[4, 6], &[4, 5, 6, 7]));
}

#[test]
fn a_unicast_window_ignores_what_is_for_multicasts_in_its_high_word() {
    assert_eq!(multicast(3 | 4 << 6, 0xffff_ffff), [(3, 4)]);
}

/// Which of 16 stores of their number to one word came last, by seed.
fn last(ordering: u32) -> Vec<u32> {
    let order = |seed: u64| {
        let program = Program::start(
            Card::builder().seed(seed),
            "HEAR(1); for (int i = 1; i <= 16; i++) R(LARGE + 0x50000) = i; FENCE();",
        );
        window(&program.card, 0, 3 | 4 << 6 | ordering, 0);
        run_for(&program.answer(1).finish().card, 2_000).unwrap();
        peek(&program.card, NocXy::new(3, 4), 0x5_0000)
    };
    (1..7).map(order).collect()
}

#[test]
fn stores_through_a_strict_window_arrive_as_they_were_made_and_others_need_not() {
    assert_eq!(last(STRICT), [16; 6]);
    assert_ne!(last(0), [16; 6]);
    assert_ne!(last(POSTED), [16; 6]);
}

#[test]
fn a_fence_waits_for_the_target_but_not_behind_a_posted_window() {
    let cycles = |ordering: u32| {
        let program = Program::start(
            Card::builder(),
            "HEAR(1); R(LARGE + 0x50000) = 1; FENCE(); uint64_t a = CSRR(\"mcycle\"); R(LARGE + 0x50000) = 2; FENCE();
             RESULT(0) = CSRR(\"mcycle\") - a;",
        );
        window(&program.card, 0, 3 | 4 << 6 | ordering, 0);
        program.answer(1).finish().result(0)
    };
    let (default, strict, posted) = (cycles(0), cycles(STRICT), cycles(POSTED));
    assert_eq!(default, strict);
    assert!(default > 200 && posted < 20, "{default} and {posted} cycles");
}

#[test]
fn windows_repeat_and_small_ones_are_where_the_map_has_them() {
    let program = Program::start(
        Card::builder(),
        "R(0x20000000 + 16 * 223) = 0; R(0x20000008 + 16 * 223) = 3 | 4 << 6; FENCE();
         R(SMALL + (223 << 21) + 0x50000) = 1; R(SMALL + (1ull << 29) + (223 << 21) + 0x50004) = 2;
         R(0x2ff00e00) = 0; R(0x2ff00e04) = 3 | 4 << 6; FENCE(); R(LARGE + (1ull << 42) + 0x50008) = 3;
         RESULT(0) = R(LARGE + 0x50004); FENCE();",
    );
    program.finish();
    let word = |at: u64| peek(&program.card, NocXy::new(3, 4), 0x5_0000 + at);
    assert_eq!((program.result(0), word(0), word(4), word(8)), (2, 1, 2, 3));
}

#[test]
fn rules_of_the_windows() {
    let set = |lo: u32, hi: u32| {
        move |card: &Card| {
            window(card, 0, lo, 0);
            high(card, hi);
        }
    };
    for (lo, hi, body, rule) in [
        (3 | 4 << 6 | 1 << 27, 0, "R(LARGE) = 1;", Rule::LinkedWindow),
        (3 | 4 << 6 | 1 << 28, 0, "R(LARGE);", Rule::StaticWindow),
        (3 | 4 << 6 | 1 << 30, 0, "R(LARGE) = 1;", Rule::WindowReserved),
        (3 | 4 << 6 | 3 << 25, 0, "R(LARGE) = 1;", Rule::WindowOrdering),
        (RECTANGLE, 1 << 3 | 1 << 5, "R(LARGE) = 1;", Rule::Destinations),
        (RECTANGLE, 7 << 24, "R(LARGE) = 1;", Rule::Destinations),
        (RECTANGLE, 0, "R(LARGE);", Rule::WindowLoad),
        (8 | 4 << 6, 0, "R(LARGE) = 1;", Rule::AbsentTile),
        (3 | 4 << 6, 0, "*(volatile uint8_t *)LARGE = 1;", Rule::WindowWidth),
    ] {
        assert_faults(&set(lo, hi), &[(body, rule)]);
    }
}

/// The handler of the NMI is the program's start.
#[test]
fn a_hart_stands_for_a_load_that_gets_lost_until_the_nmi_and_loads_anew_after_it() {
    let program = Program::start(
        Card::builder(),
        "if (RESULT(40)++ == 0) { HEAR(1); RESULT(0) = R(LARGE + 0x50000) + 1; }
         R(LARGE + 0x50000) = 9; FENCE(); RESULT(1) = R(LARGE + 0x50000);",
    );
    let tile = NocXy::new(3, 4);
    window(&program.card, 0, tile.hi_word(), 0);
    program.card.break_on(When::Now, Breakage::Drop { to: tile, packets: 1 }).unwrap();
    program.answer(1);
    run_for(&program.card, 20_000).unwrap();
    let (instructions, turns) =
        (program.card.counters().x280_instructions, program.card.counters().hart_turns);
    run_for(&program.card, 1_000_000).unwrap();
    assert_eq!(program.card.counters().x280_instructions, instructions);
    let turns = program.card.counters().hart_turns - turns;
    assert!(turns < 100, "{turns} turns while it stands");
    assert_eq!((program.result(0), program.result(40)), (0, 1));
    program.card.write32(CLUSTER, PERIPHERALS + 0x1_0414, 1).unwrap();
    program.finish();
    assert_eq!(program.results(), [0, 9]);
}

/// The NMI comes while the request is late: what it is answered with is no answer to the handler's own load.
#[test]
fn an_answer_that_comes_after_the_nmi_is_dropped() {
    let program = Program::start(
        Card::builder(),
        "if (RESULT(40)++ == 0) { HEAR(1); RESULT(0) = R(LARGE + 0x50000) + 1; }
         HEAR(2); R(LARGE + 0x50000) = 9; FENCE(); RESULT(1) = R(LARGE + 0x50000);",
    );
    let tile = NocXy::new(3, 4);
    window(&program.card, 0, tile.hi_word(), 0);
    let late = Breakage::Delay { to: tile, packets: 1, by: Duration::from_micros(10) };
    program.card.break_on(When::Now, late).unwrap();
    program.answer(1);
    run_for(&program.card, 2_000).unwrap();
    program.card.write32(CLUSTER, PERIPHERALS + 0x1_0414, 1).unwrap();
    run_for(&program.card, 50_000).unwrap();
    program.answer(2).finish();
    assert_eq!(program.results(), [0, 9]);
}

#[test]
fn a_late_answer_lets_the_hart_go_on_when_it_is_there() {
    let took = |by: u64| {
        let program = Program::start(
            Card::builder(),
            "HEAR(1); uint64_t a = CSRR(\"mcycle\"); RESULT(0) = R(LARGE + 0x50000) + 1; FENCE(); RESULT(1) = CSRR(\"mcycle\") - a;",
        );
        let tile = NocXy::new(3, 4);
        window(&program.card, 0, tile.hi_word(), 0);
        let late = Breakage::Delay { to: tile, packets: 1, by: Duration::from_micros(by) };
        program.card.break_on(When::Now, late).unwrap();
        let [value, took] = program.answer(1).finish().results();
        assert_eq!(value, 1);
        took
    };
    // At 1,000 MHz.
    assert!(took(10).abs_diff(took(0) + 10_000) < 4, "{} and {} cycles", took(0), took(10));
}

#[test]
fn a_rectangle_whose_start_is_past_its_end_goes_on_at_the_other_edge() {
    // From column 6 on to 3, and from row 9 on to 3: rows 0 and 1 have no Tensix tiles, nor columns 8 and 9.
    let wrapping = 3 | 4 << 6 | 6 << 12 | 9 << 18 | 1 << 24;
    let columns = [1, 2, 3, 6, 7];
    assert_eq!(multicast(wrapping, 0), grid(&columns, &[2, 3, 4, 9]));
}
