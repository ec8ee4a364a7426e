//! A core goes on executing what its instruction cache holds when L1 is rewritten under it (tensix.md §2).

mod support;

use komorebi_card::{Card as _, NocXy, Order};
use komorebi_sim::Card;
use support::*;

const A: NocXy = NocXy::new(3, 3);
const B: NocXy = NocXy::new(4, 3);

/// `li a0, 2` and `ret`: what the functions below are rewritten to; `OLD` has 1.
const TOOLS: &str = r#"
#define LI(n) (0x513 | (n) << 20)
#define RET 0x8067
#define AT 0x40000
/* Stores, and waits until they have landed. */
static inline void put(uint32_t at, uint32_t word) {
    R(at) = word;
    uint32_t back = R(at);
    asm volatile("mv %0, %0" : "+r"(back) :: "memory");
}
static inline uint32_t call(uint32_t at) { return ((uint32_t (*)())at)(); }
static inline void invalidate(uint32_t cores) { R(0xffef02e4) = cores; }
static inline void pad() { asm volatile(".rept 24\n nop\n .endr" ::: "memory"); }
"#;

/// Runs `body` on `core`, with what `more` says on others, and gives the words from 0x20000 on.
fn run(seed: u64, parking: bool, programs: &[(usize, &str)]) -> [u32; 4] {
    let card = open(Card::builder().seed(seed).parking(parking));
    for (core, body) in programs {
        load(&card, A, *core, &baby_with(*core, TOOLS, body));
    }
    start(&card, A, &programs.iter().map(|(core, _)| *core).collect::<Vec<_>>());
    wait_for(&card, A, 0x2_00fc, 1);
    [0, 4, 8, 12].map(|offset| peek(&card, A, 0x2_0000 + offset))
}

const REWRITE: &str = "put(AT, LI(1)); put(AT + 4, RET); R(0x20000) = call(AT); put(AT, LI(2));";

#[test]
fn rewritten_code_runs_old_until_the_cache_is_invalidated() {
    let stale = format!("{REWRITE} R(0x20004) = call(AT); put(0x200fc, 1);");
    let fresh = format!("{REWRITE} invalidate(1); pad(); R(0x20004) = call(AT); put(0x200fc, 1);");
    let mut luck = [0; 3];
    for seed in 0..24 {
        for parking in [true, false] {
            let [first, second, ..] = run(seed, parking, &[(0, &stale)]);
            assert_eq!(first, 1);
            luck[second as usize] += 1;
            assert_eq!(run(seed, parking, &[(0, &fresh)])[..2], [1, 2], "seed {seed}");
        }
    }
    assert_eq!(run(0, true, &[(0, &stale)])[..2], [1, 1], "seed 0 keeps all lines");
    assert!(luck[1] > 4 && luck[2] > 4, "old code is legal, and so is new: {luck:?}");
}

#[test]
fn the_pipeline_may_hold_old_code_after_an_invalidation() {
    let hasty = format!("{REWRITE} invalidate(1); R(0x20004) = call(AT); put(0x200fc, 1);");
    let seen: Vec<u32> = (0..32).map(|seed| run(seed, true, &[(0, &hasty)])[1]).collect();
    assert_eq!(seen[0], 2);
    assert!(seen.contains(&1) && seen.contains(&2), "{seen:?}");
}

#[test]
fn code_that_was_never_fetched_is_never_old() {
    // In the page that the program itself runs in, far from it.
    let body = "put(0xf00, LI(1)); put(0xf04, RET); R(0x20000) = call(0xf00); put(0x200fc, 1);";
    for seed in 0..8 {
        assert_eq!(run(seed, true, &[(0, body)])[0], 1);
    }
}

#[test]
fn one_core_rewrites_and_invalidates_for_another() {
    // T0 calls, tells, waits, calls again; B rewrites in between, with and without config word 185.
    let caller = |wait: &str| {
        format!(
            "R(0x20000) = call(AT); put(0x20040, 1); while (!R(0x20044)) {{ {wait} }} pad(); R(0x20004) = call(AT); put(0x200fc, 1);"
        )
    };
    let writer =
        |then: &str| format!("while (!R(0x20040)) {{ waiting(0); }} put(AT, LI(2)); {then} put(0x20044, 1);");
    let first = "put(AT, LI(1)); put(AT + 4, RET);";
    for seed in 0..8 {
        for (parking, wait) in [(true, "waiting(0);"), (true, ""), (false, "")] {
            let caller = format!("while (!R(0x20048)) {{ waiting(0); }} {}", caller(wait));
            let invalidating = format!("{first} put(0x20048, 1); {}", writer("invalidate(2);"));
            let silent = format!("{first} put(0x20048, 1); {}", writer(""));
            assert_eq!(run(seed, parking, &[(0, &invalidating), (2, &caller)])[..2], [1, 2], "seed {seed}");
            let [one, two, ..] = run(seed, parking, &[(0, &silent), (2, &caller)]);
            assert!(one == 1 && (two == 1 || seed != 0 && two == 2), "seed {seed}: {one} {two}");
        }
    }
}

#[test]
fn a_waiting_core_that_is_told_to_forget_its_code_fetches_it_when_a_polling_one_does() {
    // With its L0 on, so that it does nothing ahead. The line of its loop has what follows, too, which B rewrites after that.
    let t0 = r#"asm volatile(".balign 64\n 1: add x0, sp, x0\n fence\n lw a1, 0(%0)\n li a3, 10\n 2: addi a3, a3, -1\n bnez a3, 2b\n"
        "beqz a1, 1b\n li a2, 1\n sw a2, 0(%1)" :: "r"(0x20040), "r"(0x20000) : "a1", "a2", "a3", "memory");"#;
    let t0 = cached(2, t0);
    let words = t0.as_chunks::<4>().0;
    let place = words.iter().position(|word| u32::from_le_bytes(*word) == 0x0010_0613); // li a2, 1
    let place = CORE_PCS[2] as usize + 4 * place.expect("it is there");
    let stored = |parking: bool, turns: u32| {
        let b = format!(
            "uint32_t until = CLOCK() + 2000; while ((int32_t)(CLOCK() - until) < 0) {{}}
             R(0x20040) = 0; for (uint32_t turns = {turns}; turns--;) asm volatile(\"nop\");
             invalidate(2); pad(); pad(); put({place:#x}, 0x00200613); pad(); pad(); put(0x20040, 1);"
        );
        let card = open(Card::builder().seed(0).parking(parking));
        load(&card, A, 2, &t0);
        load(&card, A, 0, &baby_with(0, TOOLS, &b));
        start(&card, A, &[0, 2]);
        run_for(&card, 10_000).unwrap();
        peek(&card, A, 0x2_0000)
    };
    for turns in 0..40 {
        assert_eq!([true, false].map(|parking| stored(parking, turns)), [1, 1], "{turns} turns");
    }
}

#[test]
fn a_write_over_the_noc_is_no_invalidation() {
    let body = "put(AT, LI(1)); put(AT + 4, RET); R(0x20000) = call(AT); put(0x20040, 1);\
                while (!R(0x20044)) {} R(0x20004) = call(AT); put(0x200fc, 1);";
    let after = |seed: u64| {
        let card = open(Card::builder().seed(seed));
        load(&card, A, 0, &baby_with(0, TOOLS, body));
        start(&card, A, &[0]);
        wait_for(&card, A, 0x2_0040, 1);
        card.write(A, 0x4_0000, &0x0020_0513u32.to_le_bytes(), Order::Strict).unwrap();
        card.fence(A).unwrap();
        card.write32(A, 0x2_0044, 1).unwrap();
        wait_for(&card, A, 0x2_00fc, 1);
        peek(&card, A, 0x2_0004)
    };
    assert_eq!(after(0), 1);
    let seen: Vec<u32> = (1..16).map(after).collect();
    assert!(seen.contains(&1) && seen.contains(&2), "{seen:?}");
}

#[test]
fn a_reset_empties_the_cache() {
    let card = open(Card::builder());
    let program = |n: u32| baby(0, &format!("R(0x20000) = {n}; R(0x200fc) = {n};"));
    for n in 1..4 {
        card.write32(A, SOFT_RESET, ALL_HELD).unwrap();
        card.fence(A).unwrap();
        load(&card, A, 0, &program(n));
        start(&card, A, &[0]);
        wait_for(&card, A, 0x2_00fc, n);
        assert_eq!(peek(&card, A, 0x2_0000), n);
    }
}

#[test]
fn nc_cannot_invalidate() {
    let card = open(Card::builder());
    load(&card, B, 1, &baby(1, "R(0xffef02e4) = 16;"));
    start(&card, B, &[1]);
    let fault = run_for(&card, 20_000).unwrap_err();
    assert!(fault.to_string().contains("0xffef02e4"), "{fault}");
}
