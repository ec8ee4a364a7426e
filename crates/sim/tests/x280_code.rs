//! Code in local DRAM: what the instruction cache, the L3 and memory have of it (host.md §6.7).

mod support;

use std::time::Duration;

use komorebi_card::Card as _;
use komorebi_sim::{Breakage, Card, When};
use support::x280::*;
use support::{CLUSTER, PERIPHERALS, exact, run_for, window};

/// `code(n)` is li a0, n; ret, and `f(at)` the call of what is there.
const FUNCTIONS: &str = "auto f = [](uint64_t at) { return reinterpret_cast<uint64_t (*)()>(at)(); };
     auto code = [](uint64_t n) { return 0x806700000513 | n << 20; };";

#[test]
fn code_in_dram_is_what_the_instruction_cache_and_the_l3_have_of_it() {
    // A function of two instructions, li a0, n; ret: which n it gives.
    let li = |n: u32| n << 20 | 0x513;
    let program = Program::start(
        exact(),
        "auto f = reinterpret_cast<uint64_t (*)()>(CACHED);
         HEAR(1); RESULT(0) = f(); TELL(1); HEAR(2); RESULT(1) = f(); asm volatile(\"fence.i\"); RESULT(2) = f();
         TELL(2); HEAR(3); asm volatile(\"fence.i\"); RESULT(3) = f(); FLUSH64(CACHED); asm volatile(\"fence.i\"); RESULT(4) = f();",
    );
    program.set_dram(0, li(1));
    program.set_dram(4, 0x8067);
    program.answer(1).wait(1).set_cached(0, li(2));
    program.answer(2).wait(2);
    program.set_dram(0, li(3));
    program.answer(3).finish();
    assert_eq!(program.results(), [1, 1, 2, 2, 2]);
}

#[test]
fn code_that_a_hart_writes_through_its_caches_is_there_after_its_fence_i_even_when_it_has_just_left_them() {
    // li a0, n; ret, written to the first line of each of 11 pages, of which one set of 10 ways holds 10.
    for seed in [0, 3, 4] {
        let program = Program::start(
            Card::builder().seed(seed),
            "uint64_t sum = 0;
             for (uint64_t i = 0; i < 11; i++) { R(CACHED + 0x20000 * i) = (i + 1) << 20 | 0x513; R(CACHED + 0x20000 * i + 4) = 0x8067; }
             asm volatile(\"fence.i\");
             for (uint64_t i = 0; i < 11; i++) sum += reinterpret_cast<uint64_t (*)()>(CACHED + 0x20000 * i)();
             RESULT(0) = sum; RESULT(1) = R(CACHED);",
        );
        assert_eq!(program.finish().results(), [66, 1 << 20 | 0x513], "seed {seed}");
    }
}

#[test]
fn code_that_a_hart_writes_past_its_caches_is_there_after_its_fence_i() {
    // li a0, n; ret through the uncached view and through a window at the channel's tile; executed in both views.
    for seed in [0, 3, 4] {
        let program = Program::start(
            Card::builder().seed(seed),
            &format!("{FUNCTIONS}
             HEAR(1); R64(UNCACHED + 0x1000) = code(1); asm volatile(\"fence.i\"); RESULT(0) = f(UNCACHED + 0x1000);
             R64(LARGE + 0x2000) = code(2); asm volatile(\"fence.i\"); RESULT(1) = f(UNCACHED + 0x2000);
             R64(UNCACHED + 0x3000) = code(3); asm volatile(\"fence.i\"); RESULT(2) = f(CACHED + 0x3000);"),
        );
        window(&program.card, 0, program.channel().hi_word(), 0);
        program.answer(1).finish();
        assert_eq!(program.results(), [1, 2, 3], "seed {seed}");
    }
}

#[test]
fn code_in_lim_and_in_the_scratch_memory_stays_as_it_was_fetched_until_a_fence_i() {
    for at in ["0x08020000", "0x20010100"] {
        // Stores to the CLINT, and code in nine other pages of LIM, are no fence.i.
        let program = Program::start(
            Card::builder(),
            &format!(
                "{FUNCTIONS}
                 auto put = [](uint64_t at, uint64_t code) {{ R(at) = code; R(at + 4) = code >> 32; }};
                 for (uint64_t page = 1; page < 10; page++) put(0x08020000 + 0x1000 * page, code(9));
                 put({at}, code(1)); asm volatile(\"fence.i\"); RESULT(0) = f({at}); put({at}, code(2)); FENCE();
                 RESULT(1) = f({at}); R(0x02000000) = 0; RESULT(2) = f({at});
                 for (uint64_t page = 1; page < 10; page++) f(0x08020000 + 0x1000 * page);
                 RESULT(3) = f({at}); asm volatile(\"fence.i\"); RESULT(4) = f({at});"
            ),
        );
        assert_eq!(program.finish().results(), [1, 1, 1, 1, 2], "{at}");
    }
}

#[test]
fn a_page_of_code_takes_its_way_from_memory_and_no_time_from_the_caches() {
    let program = Program::start(
        Card::builder(),
        &format!(
            "{FUNCTIONS}
             auto took = [&](uint64_t at) {{ uint64_t start = CSRR(\"mcycle\"); f(at); return CSRR(\"mcycle\") - start; }};
             for (uint64_t page = 1; page < 4; page++) R64(UNCACHED + 0x1000 * page) = code(page);
             asm volatile(\"fence.i\");
             RESULT(0) = took(CACHED + 0x1000); RESULT(1) = took(CACHED + 0x1000);
             RESULT(2) = took(UNCACHED + 0x2000); RESULT(3) = took(UNCACHED + 0x2000);
             asm volatile(\"fence.i\"); RESULT(4) = took(CACHED + 0x1000); RESULT(5) = took(UNCACHED + 0x2000);"
        ),
    );
    let took = program.finish().results::<6>();
    let from_memory = |cycles: u64| (100..3000).contains(&cycles);
    assert_eq!(took.map(from_memory), [true, false, true, false, false, true], "{took:?}");
    assert!(took[0] > took[2] && took[1] < 30, "64 lines take longer than one read: {took:?}");
}

#[test]
fn a_fetch_sees_the_stores_that_are_in_memory_when_its_request_is() {
    // The hart waits for none of its second stores, but goes to their code some cycles later. A request is some 20 ns faster
    // than a store, and both take about 90 ns.
    let results = |view: &str| {
        let tries: String = (0..16)
            .map(|i| {
                let page = 0x1000 * (i + 1);
                format!(
                    "{{ uint64_t to = UNCACHED + {page}, from = {view} + {page}, is = code(2);
                     asm volatile(\"mv %0, %0\\n mv %1, %1\\n mv %2, %2\" : \"+r\"(to), \"+r\"(from), \"+r\"(is));
                     R64(to) = is - 0x100000; FENCE();
                     R64(to) = is; asm volatile(\".rept {}\\n nop\\n .endr\"); RESULT({i}) = f(from); FENCE(); }}",
                    8 * i
                )
            })
            .collect();
        Program::start(exact(), &format!("{FUNCTIONS} {tries}")).finish().results::<16>()
    };
    for view in ["CACHED", "UNCACHED"] {
        let results = results(view);
        let old = results.iter().take_while(|result| **result == 1).count();
        assert!(
            (1..6).contains(&old) && results[old..].iter().all(|result| *result == 2),
            "{view}: {results:?}"
        );
    }
}

#[test]
fn a_fetch_sees_no_store_that_is_late() {
    let program = Program::start(
        exact(),
        &format!(
            "{FUNCTIONS}
             R64(UNCACHED + 0x3000) = code(3); TELL(1); HEAR(1);
             R64(UNCACHED + 0x3000) = code(4); asm volatile(\".rept 100\\n nop\\n .endr\"); RESULT(0) = f(UNCACHED + 0x3000); TELL(2); HEAR(2);
             asm volatile(\"fence.i\"); RESULT(1) = f(UNCACHED + 0x3000);"
        ),
    );
    program.wait(1);
    let by = Duration::from_micros(50);
    let late = Breakage::Delay { to: program.channel(), packets: 1, by };
    program.card.break_on(When::Now, late).unwrap();
    program.answer(1).wait(2);
    run_for(&program.card, 100_000).unwrap();
    program.answer(2).finish();
    assert_eq!(program.results(), [3, 4]);
}

#[test]
fn a_hart_stands_for_a_page_of_code_that_gets_lost_until_the_nmi_takes_it_back() {
    for view in ["CACHED", "UNCACHED"] {
        // The handler is the program's start: the second time it does not jump; the third time the page comes.
        let program = Program::start(
            Card::builder(),
            &format!(
                "{FUNCTIONS}
                 if (RESULT(40)++ == 0) {{ R64(UNCACHED + 0x1000) = code(5); TELL(1); HEAR(1); f({view} + 0x1000); TELL(2); }}
                 TELL(3); HEAR(3); RESULT(0) = f({view} + 0x1000);"
            ),
        );
        program.wait(1);
        let lost = Breakage::Drop { to: program.channel(), packets: 1 };
        program.card.break_on(When::Now, lost).unwrap();
        program.answer(1);
        run_for(&program.card, 100_000_000).unwrap();
        assert_eq!(support::peek(&program.card, CLUSTER, 0x0801_1000), 1, "{view}");
        program.card.write32(CLUSTER, PERIPHERALS + 0x1_0414, 1).unwrap();
        program.wait(3);
        program.card.write32(CLUSTER, PERIPHERALS + 0x1_0414, 0).unwrap();
        program.answer(3);
        if view == "UNCACHED" {
            assert_eq!(program.finish().result(0), 5);
        }
    }
}
