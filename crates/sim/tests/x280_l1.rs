//! A hart's L1: what it keeps and loses, what another hart's writes take from it, what it costs (host.md §6.7).

mod support;

use komorebi_sim::Card;
use support::exact;
use support::x280::*;

#[test]
fn an_l1_flush_keeps_what_was_written_and_a_discard_loses_it() {
    let body = "R(CACHED) = 1; CFLUSH(CACHED); R(CACHED) = 2; R(CACHED + 64) = 3; CDISCARD(CACHED + 4);
         RESULT(0) = R(CACHED); RESULT(1) = R(CACHED + 64);
         R(CACHED) = 4; R64(0x10104200) = CACHED | 0x13ull << 56; FENCE(); CDISCARD(CACHED); RESULT(2) = R(CACHED);
         R(CACHED) = 5; R(CACHED + 64) = 6; asm volatile(\".word 0xfc200073\" ::: \"memory\");
         RESULT(3) = R(CACHED); RESULT(4) = R(CACHED + 64);
         R(CACHED) = 7; asm volatile(\".word 0xfc000073\" ::: \"memory\"); CDISCARD(CACHED); RESULT(5) = R(CACHED);";
    let programs = [Card::builder(), exact()].map(|builder| Program::start(builder, body));
    for program in &programs {
        assert_eq!(program.finish().results(), [1, 3, 4, 4, 0, 7]);
    }
    assert_eq!(programs[1].dram(0), 0, "none of it reached memory");
}

#[test]
fn the_harts_of_a_cluster_see_each_other() {
    let program = Program::start_all(
        Card::builder(),
        "auto count = reinterpret_cast<volatile uint32_t *>(CACHED); 
         for (int i = 0; i < 100; i++) __atomic_fetch_add(count, id + 1, __ATOMIC_RELAXED);
         R(CACHED + 64 + 4 * id) = id + 1; __atomic_fetch_add(count + 1, 1, __ATOMIC_RELAXED);
         while (count[1] != 4) {}
         if (id == 0) { RESULT(0) = count[0]; RESULT(1) = R64(CACHED + 64); RESULT(2) = R64(CACHED + 72); }",
    );
    assert_eq!(program.finish().results(), [1000, 1 | 2 << 32, 3 | 4 << 32]);
}

#[test]
fn costs_are_a_hit_a_line_of_the_l3_and_a_round_trip_to_dram() {
    let cycles = |prepare: &str| {
        let body = format!(
            "uint64_t a, b, x; R64(CACHED + 64); RESULT(0);
             {prepare} FENCE(); asm volatile(\"csrr %0, mcycle\" : \"=r\"(a) :: \"memory\");
             x = R64(CACHED); asm volatile(\"\" :: \"r\"(x + 1));
             asm volatile(\"csrr %0, mcycle\" : \"=r\"(b) :: \"memory\"); RESULT(0) = b - a;"
        );
        Program::start(exact(), &body).finish().result(0)
    };
    let (hit, l3, miss) = (cycles("R64(CACHED);"), cycles("R64(CACHED); CFLUSH(CACHED);"), cycles(""));
    assert_eq!(l3 - hit, 35 - 3);
    // 375 cycles of access and the way around, at 1,350 MHz, then the L3's.
    assert!((375 * 1000 / 1350..500).contains(&(miss - l3)), "{miss} - {l3}");
}

/// Nothing of what others write changes the word that is reserved.
#[test]
fn a_reservation_is_gone_once_another_has_written_its_line() {
    let program = Program::start(
        exact(),
        "uint64_t failed = 2; uint32_t old; R(CACHED + 0x40) = 5;
         #define LR(at) asm volatile(\"lr.w %0, (%1)\" : \"=r\"(old) : \"r\"(CACHED + (at)) : \"memory\")
         #define SC(at) asm volatile(\"sc.w %0, %1, (%2)\" : \"=r\"(failed) : \"r\"(7), \"r\"(CACHED + (at)) : \"memory\")
         LR(0x40); SC(0x40); RESULT(0) = failed;
         LR(0x40); TELL(1); HEAR(1); SC(0x40); RESULT(1) = failed;
         LR(0x40); TELL(2); HEAR(2); RESULT(2) = R(CACHED + 0x44); SC(0x40); RESULT(3) = failed;
         LR(0x40); FLUSH64(CACHED + 0x40); FENCE(); RESULT(4) = R(CACHED + 0x40); SC(0x40); RESULT(5) = failed;",
    );
    program.wait(1).set_cached(0x80, 1);
    program.answer(1).wait(2).set_cached(0x44, 9);
    program.answer(2).finish();
    assert_eq!(program.results(), [0, 0, 9, 1, 7, 1]);
}
