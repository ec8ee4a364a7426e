//! Code in local DRAM: what the instruction cache, the L3 and memory have of it (host.md §6.7).

mod support;

use komorebi_sim::Card;
use support::window;
use support::x280::*;

#[test]
fn code_in_dram_is_what_the_instruction_cache_and_the_l3_have_of_it() {
    // A function of two instructions, li a0, n; ret: which n it gives.
    let li = |n: u32| n << 20 | 0x513;
    let program = Program::start(
        Card::builder(),
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
            "auto f = [](uint64_t at) { return reinterpret_cast<uint64_t (*)()>(at)(); };
             auto code = [](uint64_t n) { return 0x806700000513 | n << 20; };
             HEAR(1); R64(UNCACHED + 0x1000) = code(1); asm volatile(\"fence.i\"); RESULT(0) = f(UNCACHED + 0x1000);
             R64(LARGE + 0x2000) = code(2); asm volatile(\"fence.i\"); RESULT(1) = f(UNCACHED + 0x2000);
             R64(UNCACHED + 0x3000) = code(3); asm volatile(\"fence.i\"); RESULT(2) = f(CACHED + 0x3000);",
        );
        window(&program.card, 0, program.channel().hi_word(), 0);
        program.answer(1).finish();
        assert_eq!(program.results(), [1, 2, 3], "seed {seed}");
    }
}
