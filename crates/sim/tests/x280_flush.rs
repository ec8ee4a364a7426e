//! Lines that leave the caches: by a flush, because their place is needed, by themselves (host.md §6.6, §6.7).

mod support;

use std::time::Duration;

use komorebi_card::{Card as _, NocXy};
use komorebi_sim::{Breakage, Card, When};
use support::x280::*;
use support::*;

#[test]
fn a_flush_is_done_when_a_fence_after_it_is() {
    let program = Program::start(
        exact(),
        "R64(CACHED) = 7; uint64_t before = CSRR(\"mcycle\"); R64(0x02010200) = CACHED;
         uint64_t issued = CSRR(\"mcycle\"); FENCE(); uint64_t done = CSRR(\"mcycle\");
         RESULT(0) = issued - before; RESULT(1) = done - issued;",
    );
    let [issue, wait] = program.finish().results();
    assert!(issue < 20 && (60..400).contains(&wait), "{issue} and {wait} cycles");
}

/// Hart 1's load has been answered, but the line is late: memory is written past the caches, and the line flushed, meanwhile.
#[test]
fn a_flush_reaches_a_line_that_is_on_its_way() {
    let program = Program::start_all(
        Card::builder(),
        "if (id == 1) { HEAR(1); R(RESULTS + 0x100) = R(CACHED + 0x2000) + 1; }
         if (id == 0) { TELL(1); HEAR(2); R(UNCACHED + 0x2000) = 5; FENCE(); FLUSH64(CACHED + 0x2000); RESULT(0) = R(CACHED + 0x2000);
             while (R(RESULTS + 0x100) == 0) {} RESULT(1) = R(RESULTS + 0x100); }",
    );
    let late = Breakage::Delay { to: CLUSTER, packets: 1, by: Duration::from_micros(20) };
    program.wait(1).card.break_on(When::Now, late).unwrap();
    program.answer(1);
    run_for(&program.card, 2_000).unwrap();
    program.answer(2).finish();
    assert_eq!(program.results(), [5, 6]);
}

#[test]
fn a_write_back_takes_the_whole_line_and_what_others_wrote_beside_it() {
    let program = Program::start(
        exact(),
        "R(CACHED + 0x4000) = 1; TELL(1); HEAR(1); FLUSH64(CACHED + 0x4000); RESULT(0) = R(UNCACHED + 0x4004);",
    );
    program.wait(1).set_dram(0x4004, 5);
    assert_eq!(program.dram(0x4004), 5);
    program.answer(1).finish();
    assert_eq!((program.result(0), program.dram(0x4000), program.dram(0x4004)), (0, 1, 0));
}

#[test]
fn lines_leave_when_their_place_is_needed() {
    // With 10 ways (WAYENABLE 9) the eleventh line of a set pushes the first out, which was written.
    let body = |lines: u32| {
        format!("R(CACHED) = 3; for (uint64_t i = 1; i < {lines}; i++) R(CACHED + 0x20000 * i); FENCE();")
    };
    let [ten, eleven] = [10, 11].map(|lines| Program::start(exact(), &body(lines)));
    run_for(&ten.finish().card, 1000).unwrap();
    run_for(&eleven.finish().card, 1000).unwrap();
    assert_eq!((ten.dram(0), eleven.dram(0)), (0, 3));
}

#[test]
fn the_zero_device_in_a_pinned_way_is_scratch_memory_until_it_is_flushed() {
    // Way 3 is hart 0's alone while it fills it, then nobody's.
    let program = Program::start(
        Card::builder(),
        "for (int m = 0; m < 38; m++) R64(0x02010800 + 8 * m) = m == 34 ? 8 : 0xfff7;
         R64(0x0a000100) = 42; RESULT(0) = R64(0x0a000140);
         for (int m = 0; m < 38; m++) R64(0x02010800 + 8 * m) = 0xfff7;
         for (uint64_t i = 0; i < 40; i++) R(CACHED + 0x100 + 0x20000 * i);
         RESULT(1) = R64(0x0a000100); R(0x02010240) = 0x0a000100 >> 4; FENCE(); RESULT(2) = R64(0x0a000100);",
    );
    assert_eq!(program.finish().results(), [0, 42, 0]);
}

#[test]
fn without_a_pin_the_zero_device_forgets() {
    let program = Program::start(
        exact(),
        "R64(0x0a000100) = 42; for (uint64_t i = 0; i < 40; i++) R(CACHED + 0x100 + 0x20000 * i);
         RESULT(0) = R64(0x0a000100);",
    );
    assert_eq!(program.finish().result(0), 0);
}

#[test]
fn a_seed_writes_lines_back_by_itself_and_the_harts_see_no_difference() {
    let early = (0..12).filter(|seed| {
        let program = Program::start(
            Card::builder().seed(*seed),
            "R64(0x02030000) = 0x15811; uint64_t sum = 0;
             for (int i = 0; i < 64; i++) R64(CACHED + 64 * i) = i;
             TELL(1); HEAR(1);
             for (int i = 0; i < 64; i++) sum += R64(CACHED + 64 * i); RESULT(0) = sum;",
        );
        program.wait(1);
        run_for(&program.card, 40_000).unwrap();
        let written = (0..64).filter(|i| program.dram(64 * i) == *i as u32).count();
        program.answer(1).finish();
        assert_eq!(program.result(0), 2016, "seed {seed}");
        written > 1 && written < 64
    });
    assert_eq!(early.collect::<Vec<_>>(), (1..12).collect::<Vec<_>>());
}

#[test]
fn a_cached_window_takes_whole_lines_and_writes_them_back_when_it_likes() {
    let tile = NocXy::new(3, 4);
    let program = Program::start(
        exact(),
        "HEAR(1); uint64_t w = UP + LARGE + 0x50000; RESULT(0) = R(w + 4); R(w + 8) = 7; TELL(1); HEAR(2);
         RESULT(1) = R(w + 4); RESULT(2) = R(LARGE + 0x50004); FLUSH64(w); RESULT(3) = R(LARGE + 0x50004);",
    );
    window(&program.card, 0, tile.hi_word(), 0);
    let set = |value: u32| {
        program.card.write32(tile, 0x5_0004, value).unwrap();
        program.card.fence(tile).unwrap();
    };
    set(1);
    program.answer(1).wait(1);
    set(2);
    assert_eq!(peek(&program.card, tile, 0x5_0008), 0);
    program.answer(2).finish();
    // The line's old word came back over the newer one with the word that was written.
    assert_eq!(program.results(), [1, 1, 2, 1]);
    assert_eq!((peek(&program.card, tile, 0x5_0004), peek(&program.card, tile, 0x5_0008)), (1, 7));
}
