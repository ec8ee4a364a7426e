//! Stores of a core to different regions take effect in any order unless they are ordered (tensix.md §2, "Memory ordering"):
//! programs that are right by luck differ over seeds, those that keep the rules do not.

mod support;

use komorebi_card::NocXy;
use komorebi_sim::Card;
use support::*;

const A: NocXy = NocXy::new(3, 3);
const B: NocXy = NocXy::new(4, 3);
const SEEDS: std::ops::Range<u64> = 0..12;

/// Core numbers of the support module.
const CORE_B: usize = 0;
const CORE_NC: usize = 1;
const CORE_T0: usize = 2;
const CORE_T1: usize = 3;

const TOOLS: &str = r#"
#define RECEIVED R(0xffb41028)
#define ACKED R(0xffb41020)
#define SEMAPHORE R(0xffe8000c + 0x20)
/* The safe pattern: store, load back, use; what follows comes after it. */
static inline void put(uint32_t at, uint32_t word) {
    R(at) = word;
    uint32_t back = R(at);
    asm volatile("mv %0, %0" : "+r"(back) :: "memory");
}
static inline void seen(uint32_t word) { asm volatile("mv %0, %0" : "+r"(word) :: "memory"); }
"#;

/// Runs programs on tile A until each has set its word from 0x200f0 on; gives the word at 0x20000 and the card's time.
fn run(seed: u64, parking: bool, programs: &[(usize, String)]) -> (u32, u64) {
    use komorebi_card::Card as _;
    let card = open(Card::builder().seed(seed).parking(parking));
    for (n, (core, body)) in programs.iter().enumerate() {
        let body = format!("{body} put({:#x}, 1);", 0x2_00f0 + 4 * n);
        load(&card, A, *core, &baby_with(*core, TOOLS, &body));
    }
    start(&card, A, &programs.iter().map(|(core, _)| *core).collect::<Vec<_>>());
    for n in 0..programs.len() {
        wait_for(&card, A, 0x2_00f0 + 4 * n as u64, 1);
    }
    (peek(&card, A, 0x2_0000), card.now().as_nanos())
}

/// How often each seed sees what must not be.
fn errors(programs: &[(usize, String)]) -> Vec<u32> {
    SEEDS
        .map(|seed| {
            let parked = run(seed, true, programs);
            assert_eq!(parked, run(seed, false, programs), "seed {seed}: parking changes nothing");
            parked.0
        })
        .collect()
}

fn assert_right(programs: &[(usize, String)]) {
    assert_eq!(errors(programs), [0; 12], "{programs:?}");
}

/// Seed 0 has everything in order; others do not.
fn assert_lucky(programs: &[(usize, String)]) {
    let errors = errors(programs);
    assert_eq!(errors[0], 0);
    assert!(errors.iter().any(|n| *n != 0), "{programs:?}");
}

/// B writes a word of L1 and pushes a page; NC waits for the page and reads the word.
fn push(store: &str) -> [(usize, String); 2] {
    [
        (
            CORE_B,
            format!(
                "for (uint32_t n = 1; n <= 40; ++n) {{ {store} RECEIVED = n; while (ACKED != n) waiting(0); }}"
            ),
        ),
        (
            CORE_NC,
            "uint32_t wrong = 0; for (uint32_t n = 1; n <= 40; ++n) { while (RECEIVED != n) waiting(0);\
             wrong += R(0x30000) != n; ACKED = n; } put(0x20000, wrong);"
                .to_owned(),
        ),
    ]
}

#[test]
fn a_push_overtakes_the_page_that_was_not_read_back() {
    assert_lucky(&push("R(0x30000) = n;"));
    assert_lucky(&push("R(0x30000) = n; FENCE();"));
    assert_right(&push("put(0x30000, n);"));
    assert_right(&push("R(0x30000) = n; FENCE(); seen(R(0x30004));"));
}

#[test]
fn a_load_that_nobody_uses_orders_nothing() {
    assert_lucky(&push("R(0x30000) = n; (void)R(0x30000);"));
}

#[test]
fn an_atomic_waits_for_the_stores_before_it() {
    assert_right(&push(
        "R(0x30000) = n; uint32_t old; asm volatile(\".insn r 0x2f,2,0,%0,%1,%2\" : \"=r\"(old) : \"r\"(0x30040), \"r\"(1) : \"memory\"); seen(old);",
    ));
}

#[test]
fn a_request_overtakes_the_word_it_sends() {
    let send = |store: &str| {
        let round = format!(
            "{store} uint32_t acks = COUNTER(0, 1); write_to(0, {}, 0x30000, 0x30000, 4);\
             while (COUNTER(0, 1) == acks) waiting(0);\
             uint32_t reads = COUNTER(0, 2); read_from(0, {}, 0x30000, 0x30010, 4);\
             while (COUNTER(0, 2) == reads) waiting(0);\
             wrong += R(0x30010) != n;",
            B.hi_word(),
            B.hi_word()
        );
        [(
            CORE_B,
            format!(
                "uint32_t wrong = 0; for (uint32_t n = 1; n <= 40; ++n) {{ {round} }} put(0x20000, wrong);"
            ),
        )]
    };
    assert_lucky(&send("R(0x30000) = n;"));
    assert_right(&send("put(0x30000, n);"));
}

#[test]
fn a_counter_read_behind_a_command_may_be_old() {
    let count = |between: &str| {
        let round = format!(
            "uint32_t before = COUNTER(0, 4); write_to(0, {}, 0x30000, 0x30000, 4); {between}\
             wrong += COUNTER(0, 4) != before + 1; while (COUNTER(0, 0x1 ) != n) waiting(0);",
            B.hi_word()
        );
        [(
            CORE_B,
            format!(
                "uint32_t wrong = 0; for (uint32_t n = 1; n <= 40; ++n) {{ {round} }} put(0x20000, wrong);"
            ),
        )]
    };
    assert_lucky(&count(""));
    assert_right(&count("seen(NIU(0, 0, 0x40));"));
}

#[test]
fn a_semaphore_overtakes_l1() {
    let post = |store: &str| {
        [
            (
                CORE_T0,
                format!(
                    "for (uint32_t n = 1; n <= 40; ++n) {{ {store} SEMAPHORE = 0; while (ACKED != n) waiting(0); }}"
                ),
            ),
            (
                CORE_T1,
                "uint32_t wrong = 0; for (uint32_t n = 1; n <= 40; ++n) { while (!SEMAPHORE) waiting(0);\
                 SEMAPHORE = 1; seen(SEMAPHORE); wrong += R(0x30000) != n; ACKED = n; } put(0x20000, wrong);"
                    .to_owned(),
            ),
        ]
    };
    assert_lucky(&post("R(0x30000) = n;"));
    assert_right(&post("put(0x30000, n);"));
}

/// Each of two cores stores to a word of L1 and loads the other's: not both may miss it, once the loads come after.
fn cross(prepare: &str, between: &str) -> [(usize, String); 2] {
    let side = |mine: u32, other: u32, count: &str| {
        format!(
            "{prepare} uint32_t wrong = 0; for (uint32_t n = 1; n <= 60; ++n) {{\
             put({mine:#x} + 8, n); while (R({other:#x} + 8) < n) {{}}\
             R({mine:#x}) = n; {between} uint32_t there = R({other:#x});\
             put({mine:#x} + 12, there); put({mine:#x} + 4, n); while (R({other:#x} + 4) < n) {{}}\
             wrong += there != n && R({other:#x} + 12) != n; put({mine:#x} + 16, n); while (R({other:#x} + 16) < n) {{}}\
             }} {count}"
        )
    };
    [(CORE_B, side(0x3_0000, 0x3_0100, "put(0x20000, wrong);")), (CORE_NC, side(0x3_0100, 0x3_0000, ""))]
}

#[test]
fn a_load_overtakes_an_older_store_unless_a_fence_is_between() {
    assert_lucky(&cross("", ""));
    assert_right(&cross("", "FENCE();"));
    assert_right(&cross("", "seen(R(0x30000)); seen(R(0x30100));"));
}

#[test]
fn a_memory_attribute_or_cfg0_keeps_loads_behind_stores() {
    assert_right(&cross("asm volatile(\"csrwi 0x7c1, 1\");", ""));
    assert_right(&cross("asm volatile(\"csrsi 0x7c0, 1\");", ""));
}

#[test]
fn a_core_sees_its_own_stores() {
    let own = "uint32_t wrong = 0; for (uint32_t n = 1; n <= 200; ++n) {\
               R(0x30000) = n; *(volatile uint8_t *)0x30001 = 0x5a; *(volatile uint16_t *)0x30006 = (uint16_t)n;\
               wrong += R(0x30000) != ((n & ~0xff00u) | 0x5a00); wrong += *(volatile uint8_t *)0x30001 != 0x5a;\
               wrong += R(0x30004) >> 16 != n; RECEIVED = n; wrong += RECEIVED != n; } put(0x20000, wrong);";
    for core in [CORE_B, CORE_T1] {
        assert_right(&[(core, own.to_owned())]);
    }
}
