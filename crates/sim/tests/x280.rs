//! The harts' side: windows, fences, interrupts, the NMI, clocks.

mod support;

use komorebi_card::{Card as _, NocXy, Order};
use komorebi_sim::{Builder, Card};
use support::*;

const A: NocXy = NocXy::new(3, 4);
/// The 64-bit word of LIM a test's result is in.
const RESULT: u64 = 0x0801_0000;

/// Runs a program on hart 0, windows 0 (tile A) to 3 set before; gives the result word.
fn run(builder: Builder, prepare: &dyn Fn(&Card), body: &str) -> (Card, u64) {
    let card = open(builder);
    let body = format!(
        "while (!R64(0x08011000)) {{}} uint64_t W = 0x80430000000, w = 1ull << 37;\n{body}\nFENCE(); R64(0x08011008) = 1;"
    );
    release(&card, &hart(0x0800_0000, &body));
    window(&card, 0, A.hi_word(), 0);
    let dram = card.description().banks[2].noc0.hi_word();
    window(&card, 1, dram, 0);
    prepare(&card);
    card.fence(CLUSTER).unwrap();
    card.write(CLUSTER, 0x0801_1000, &1u64.to_le_bytes(), Order::Strict).unwrap();
    wait_for(&card, CLUSTER, 0x0801_1008, 1);
    let result = u64::from(peek(&card, CLUSTER, RESULT)) | u64::from(peek(&card, CLUSTER, RESULT + 4)) << 32;
    (card, result)
}

/// Cycles of the hart's clock (1,000 MHz) that `body` takes, with the result of an empty one taken off.
fn cycles(body: &str) -> u64 {
    let measured = |body: &str| {
        let code = format!(
            "uint64_t a, b; for (int i = 0; i < 2; i++) {{ FENCE(); asm volatile(\"csrr %0, mcycle\" : \"=r\"(a) :: \"memory\"); {body}
             asm volatile(\"csrr %0, mcycle\" : \"=r\"(b) :: \"memory\"); }} R64({RESULT:#x}) = b - a;"
        );
        run(exact(), &|_| {}, &code).1
    };
    measured(body) - measured("")
}

#[test]
fn stores_through_windows_reach_l1_dram_and_rectangles() {
    let multicast = |card: &Card| window(card, 2, 5 | 6 << 6 | 3 << 12 | 5 << 18 | 1 << 24, 0);
    let (card, _) = run(
        Card::builder(),
        &multicast,
        "R64(W + 0x50000) = 0x1122334455667788; R(W + 0x50008) = 9; R64(W + w + 0x123440) = 5; R64(W + 2 * w + 0x60000) = 6;",
    );
    assert_eq!(
        (peek(&card, A, 0x5_0000), peek(&card, A, 0x5_0004), peek(&card, A, 0x5_0008)),
        (0x5566_7788, 0x1122_3344, 9)
    );
    assert_eq!(peek(&card, card.description().banks[2].noc1, 0x12_3440), 5);
    for (x, y) in (3..=5).flat_map(|x| (5..=6).map(move |y| (x, y))) {
        assert_eq!(peek(&card, NocXy::new(x, y), 0x6_0000), 6);
    }
    assert_eq!(peek(&card, NocXy::new(6, 5), 0x6_0000), 0);
}

#[test]
fn a_load_through_a_window_waits_for_its_answer() {
    let prepare = |card: &Card| {
        card.write(A, 0x5_0000, &0x0102_0304_0506_0708u64.to_le_bytes(), Order::Bulk).unwrap();
        card.fence(A).unwrap();
    };
    let (_, result) =
        run(Card::builder(), &prepare, &format!("R64({RESULT:#x}) = R64(W + 0x50000) + R(W + 0x50004);"));
    assert_eq!(result, 0x0102_0304_0506_0708 + 0x0102_0304);
    // Another column and row than (8, 3): 329 cycles at 1,350 MHz, and 40 of the hart's.
    let took = cycles("uint64_t x = R64(W + 0x50000); asm volatile(\"\" :: \"r\"(x + 1));");
    assert!(took.abs_diff(329 * 1000 / 1350 + 40) < 10, "{took} cycles");
}

#[test]
fn costs_are_those_of_the_table() {
    assert_eq!(cycles("uint64_t x = R64(0x08012000); asm volatile(\"\" :: \"r\"(x + 1));").abs_diff(35), 1);
    let stores = cycles("for (int k = 0; k < 4; k++) R64(0x08012000) = k; R64(0x08012000) = 4;");
    assert!((20..40).contains(&stores), "{stores}");
    // 8 hops east from column 8 to 16 and 17 - 16 + 3, one down: the fence waits for there and back.
    let there_and_back = cycles("R64(W + 0x50000) = 1; FENCE();");
    let hops = 12 + 1 + 5 + 11;
    assert!(there_and_back.abs_diff((80 + 11 * hops) * 1000 / 1350) < 12, "{there_and_back}");
}

#[test]
fn a_timer_interrupt_ends_a_wfi_and_a_software_interrupt_comes_from_outside() {
    let body = format!(
        "uint64_t now = R64(0x0200bff8); R64(0x02004000) = now + 500;
         asm volatile(\"csrw mie, %0\\n wfi\" :: \"r\"(0x80));
         uint64_t late = R64(0x0200bff8) - now; R64(0x02004000) = -1ull;
         R64(0x08011010) = 1;
         asm volatile(\"csrw mie, %0\\n wfi\" :: \"r\"(8));
         R64({RESULT:#x}) = late << 8 | R(0x02000000);"
    );
    let card = open(Card::builder());
    release(&card, &hart(0x0800_0000, &format!("{body} R64(0x08011008) = 1;")));
    wait_for(&card, CLUSTER, 0x0801_1010, 1);
    run_for(&card, 5_000).unwrap();
    assert_eq!(peek(&card, CLUSTER, 0x0801_1008), 0);
    card.write32(CLUSTER, 0x0200_0000, 1).unwrap();
    wait_for(&card, CLUSTER, 0x0801_1008, 1);
    let result = peek(&card, CLUSTER, RESULT);
    assert_eq!(result & 0xff, 1);
    assert!((500..505).contains(&(result >> 8)), "{} ticks", result >> 8);
}

#[test]
fn the_nmi_takes_back_a_hart_that_waits_in_a_loop_and_comes_again_while_it_is_high() {
    // The reset vector and both handlers are the image's start: a counter tells entries apart.
    let card = open(Card::builder());
    let body = format!(
        "uint64_t times = R64({RESULT:#x}) + 1; R64({RESULT:#x}) = times;
         uint64_t cause; asm volatile(\"csrr %0, 0x352\" : \"=r\"(cause)); R64(0x08011020) = cause;
         asm volatile(\"csrs 0x353, %0\" :: \"r\"(8));
         for (;;) {{ R64(0x08011000); asm volatile(\"add x0, sp, x0\"); }}"
    );
    release(&card, &hart(0x0800_0000, &body));
    wait_for(&card, CLUSTER, RESULT, 1);
    card.write32(CLUSTER, PERIPHERALS + 0x1_0414, 1).unwrap();
    run_for(&card, 10_000).unwrap();
    assert!(peek(&card, CLUSTER, RESULT) > 2);
    assert_eq!((peek(&card, CLUSTER, 0x0801_1020), peek(&card, CLUSTER, 0x0801_1024)), (2, 1 << 31));
    card.write32(CLUSTER, PERIPHERALS + 0x1_0414, 0).unwrap();
    card.fence(CLUSTER).unwrap();
    let entries = peek(&card, CLUSTER, RESULT);
    run_for(&card, 10_000).unwrap();
    assert_eq!(peek(&card, CLUSTER, RESULT), entries);
}

#[test]
fn stepping_the_pll_changes_the_harts_speed_and_a_power_message_takes_it_back() {
    let card = open(Card::builder());
    release(&card, &hart(0x0800_0000, &format!("for (uint64_t n = 0;; n++) {{ R64({RESULT:#x}) = n; }}")));
    let rate = || {
        card.fence(CLUSTER).unwrap();
        let before = peek(&card, CLUSTER, RESULT);
        run_for(&card, 100_000).unwrap();
        f64::from(peek(&card, CLUSTER, RESULT) - before)
    };
    let at_1000 = rate();
    clock(&card, 140, 1);
    run_for(&card, 10_000).unwrap();
    assert!((rate() / at_1000 - 1.75).abs() < 0.01);
    let (before, count) = (card.now(), || f64::from(peek(&card, CLUSTER, RESULT)));
    let counted = count();
    card.vote(POWER).unwrap();
    // On its way to 800 MHz it has been at 50 for 20 us.
    let (passed, turns) = ((card.now() - before).as_nanos() as f64, count() - counted);
    assert!((rate() / at_1000 - 0.8).abs() < 0.01);
    let slow = (1.75 * at_1000 / 100_000.0 * passed - turns) / (1.7 * at_1000 / 100_000.0);
    assert!((19_000.0..24_000.0).contains(&slow), "{slow} ns at 50 MHz");
}

#[test]
fn without_a_vote_the_harts_stand_still_and_then_go_on() {
    let card = open(Card::builder());
    release(&card, &hart(0x0800_0000, &format!("for (uint64_t n = 1;; n++) {{ R64({RESULT:#x}) = n; }}")));
    run_for(&card, 10_000).unwrap();
    card.release();
    let stopped = peek(&card, CLUSTER, RESULT);
    run_for(&card, 1_000_000).unwrap();
    assert_eq!(peek(&card, CLUSTER, RESULT), stopped);
    card.claim(POWER).unwrap();
    run_for(&card, 10_000).unwrap();
    let on = peek(&card, CLUSTER, RESULT);
    assert!(stopped > 1 && on > stopped && on < stopped + 4000, "{stopped}, then {on}");
}
