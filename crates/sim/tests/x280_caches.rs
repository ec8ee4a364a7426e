//! The two views of local DRAM, and what coherency there is and is not (host.md §6.6, §6.7).

mod support;

use komorebi_card::{Card as _, NocXy, Order, Rule};
use komorebi_sim::{Breakage, Card, When};
use support::x280::*;
use support::*;

#[test]
fn a_store_through_the_caches_is_not_in_memory_until_it_is_flushed() {
    let program = Program::start(
        Card::builder(),
        "R64(CACHED + 0x1000) = 0x1122334455667788; TELL(1); HEAR(1);
         RESULT(0) = R64(UNCACHED + 0x1000); FLUSH64(CACHED + 0x1000); RESULT(1) = R64(UNCACHED + 0x1000);",
    );
    program.wait(1);
    let looked = |base: u64| peek(&program.card, CLUSTER, base + 0x1000);
    assert_eq!((looked(CACHED), looked(0x3000_0000)), (0x5566_7788, 0));
    assert_eq!((program.dram(0x1000), program.cached(0x1000)), (0, 0x5566_7788));
    assert_eq!(program.card.read32(CLUSTER, 0x3000_1000).unwrap(), 0, "the uncached view of the NoC");
    program.answer(1).finish();
    assert_eq!(program.results(), [0, 0x1122_3344_5566_7788]);
    assert_eq!((program.dram(0x1000), program.dram(0x1004)), (0x5566_7788, 0x1122_3344));
}

#[test]
fn a_flush_is_done_when_a_fence_after_it_is() {
    let program = Program::start(
        Card::builder(),
        "R64(CACHED) = 7; uint64_t before = CSRR(\"mcycle\"); R64(0x02010200) = CACHED;
         uint64_t issued = CSRR(\"mcycle\"); FENCE(); uint64_t done = CSRR(\"mcycle\");
         RESULT(0) = issued - before; RESULT(1) = done - issued;",
    );
    let [issue, wait] = program.finish().results();
    assert!(issue < 20 && (60..400).contains(&wait), "{issue} and {wait} cycles");
}

#[test]
fn a_line_that_is_held_hides_what_others_write_to_memory() {
    let program = Program::start(
        Card::builder(),
        "RESULT(0) = R(CACHED + 0x2000); TELL(1); HEAR(1); RESULT(1) = R(CACHED + 0x2000);
         RESULT(2) = R(UNCACHED + 0x2000); FLUSH64(CACHED + 0x2008); RESULT(3) = R(CACHED + 0x2000);",
    );
    program.wait(1).set_dram(0x2000, 5);
    assert_eq!((program.cached(0x2000), program.dram(0x2000)), (0, 5));
    program.answer(1).finish();
    assert_eq!(program.results(), [0, 0, 5, 5]);
}

#[test]
fn what_comes_through_the_cluster_is_coherent_with_its_harts() {
    let program = Program::start(
        Card::builder(),
        "R(CACHED + 0x40) = 1; R(CACHED + 0x80) = 2; TELL(1);
         while (R(CACHED + 0x44) != 9) {} RESULT(0) = R(CACHED + 0x40); RESULT(1) = R(CACHED + 0x48);",
    );
    program.wait(1);
    assert_eq!((program.cached(0x40), program.cached(0x80)), (1, 2));
    program.set_cached(0x48, 3);
    program.set_cached(0x44, 9);
    program.finish();
    assert_eq!(program.results(), [1, 3]);
    assert_eq!((program.dram(0x44), program.dram(0x48)), (0, 0));
}

#[test]
fn a_core_reaches_the_caches_through_the_cluster_and_memory_at_its_tile() {
    let program = Program::start(Card::builder(), "R(CACHED + 0x3000) = 77; TELL(1); HEAR(1);");
    program.wait(1);
    let core = NocXy::new(3, 4);
    // The NIU's MID register has the upper half of the address.
    let body = format!(
        "while (NIU(0, 1, 0x40)) {{}} NIU(0, 1, 0) = 0x30003000; NIU(0, 1, 4) = 0x4000; NIU(0, 1, 8) = {cluster};
         NIU(0, 1, 0xc) = 0x30000; NIU(0, 1, 0x10) = 0; NIU(0, 1, 0x14) = self(0); NIU(0, 1, 0x18) = 0;
         NIU(0, 1, 0x1c) = 0x2090; NIU(0, 1, 0x20) = 64; NIU(0, 1, 0x24) = 0; NIU(0, 1, 0x40) = 1;
         while (COUNTER(0, 2) != 1) {{}}
         read_from(0, {channel}, 0x3000, 0x30040, 64); while (COUNTER(0, 2) != 2) {{}} R(0x20000) = 1;",
        cluster = CLUSTER.hi_word(),
        channel = program.channel().hi_word(),
    );
    load(&program.card, core, 0, &baby(0, &body));
    start(&program.card, core, &[0]);
    wait_for(&program.card, core, 0x2_0000, 1);
    assert_eq!((peek(&program.card, core, 0x3_0000), peek(&program.card, core, 0x3_0040)), (77, 0));
}

#[test]
fn a_write_back_takes_the_whole_line_and_what_others_wrote_beside_it() {
    let program = Program::start(
        Card::builder(),
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
    let [ten, eleven] = [10, 11].map(|lines| Program::start(Card::builder(), &body(lines)));
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
        Card::builder(),
        "R64(0x0a000100) = 42; for (uint64_t i = 0; i < 40; i++) R(CACHED + 0x100 + 0x20000 * i);
         RESULT(0) = R64(0x0a000100);",
    );
    assert_eq!(program.finish().result(0), 0);
}

#[test]
fn an_l1_flush_keeps_what_was_written_and_a_discard_loses_it() {
    let program = Program::start(
        Card::builder(),
        "R(CACHED) = 1; CFLUSH(CACHED); R(CACHED) = 2; R(CACHED + 64) = 3; CDISCARD(CACHED + 4);
         RESULT(0) = R(CACHED); RESULT(1) = R(CACHED + 64);
         R(CACHED) = 4; R64(0x10104200) = CACHED | 0x13ull << 56; FENCE(); CDISCARD(CACHED); RESULT(2) = R(CACHED);
         R(CACHED) = 5; R(CACHED + 64) = 6; asm volatile(\".word 0xfc200073\" ::: \"memory\");
         RESULT(3) = R(CACHED); RESULT(4) = R(CACHED + 64);
         R(CACHED) = 7; asm volatile(\".word 0xfc000073\" ::: \"memory\"); CDISCARD(CACHED); RESULT(5) = R(CACHED);",
    );
    assert_eq!(program.finish().results(), [1, 3, 4, 4, 0, 7]);
    assert_eq!(program.dram(0), 0, "none of it reached memory");
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
fn clusters_that_share_a_channel_do_not_see_each_other() {
    // Clusters 2 and 3 are at channel 7 both; what one has read stays as it was.
    let card = open(Card::builder());
    let body = |body: &str| {
        harts(0x0800_0000, &format!("{X280}\nif (id) for (;;) asm volatile(\"wfi\");\n{body}\nTELL(1000);"))
    };
    prepare(&card, 2, &body("HEAR(1); R(CACHED) = 5; FLUSH64(CACHED);"), 0x0800_0000);
    prepare(
        &card,
        3,
        &body("R(CACHED); TELL(1); HEAR(1); RESULT(0) = R(CACHED); RESULT(1) = R(UNCACHED);"),
        0x0800_0000,
    );
    clock(&card, 128, 15);
    card.write32(ARC, 0x8003_0014, 0xcf).unwrap();
    clock(&card, 80, 1);
    let answer =
        |index: u8| card.write(cluster(index), 0x0801_1008, &1u64.to_le_bytes(), Order::Strict).unwrap();
    wait_for(&card, cluster(3), 0x0801_1000, 1);
    answer(2);
    wait_for(&card, cluster(2), 0x0801_1000, 1000);
    answer(3);
    wait_for(&card, cluster(3), 0x0801_1000, 1000);
    assert_eq!((peek(&card, cluster(3), 0x0801_0000), peek(&card, cluster(3), 0x0801_0008)), (0, 5));
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
fn costs_are_a_hit_a_line_of_the_l3_and_a_round_trip_to_dram() {
    let cycles = |prepare: &str| {
        let body = format!(
            "uint64_t a, b, x; R64(CACHED + 64); RESULT(0);
             {prepare} FENCE(); asm volatile(\"csrr %0, mcycle\" : \"=r\"(a) :: \"memory\");
             x = R64(CACHED); asm volatile(\"\" :: \"r\"(x + 1));
             asm volatile(\"csrr %0, mcycle\" : \"=r\"(b) :: \"memory\"); RESULT(0) = b - a;"
        );
        Program::start(Card::builder(), &body).finish().result(0)
    };
    let (hit, l3, miss) = (cycles("R64(CACHED);"), cycles("R64(CACHED); CFLUSH(CACHED);"), cycles(""));
    assert_eq!(l3 - hit, 35 - 3);
    // 375 cycles of access and the way around, at 1,350 MHz, then the L3's.
    assert!((375 * 1000 / 1350..500).contains(&(miss - l3)), "{miss} - {l3}");
}

#[test]
fn the_uncached_view_is_memory_itself_in_every_width_and_in_the_order_of_the_hart() {
    for seed in 0..4 {
        let program = Program::start(
            Card::builder().seed(seed),
            "R64(UNCACHED + 8) = 0x1122334455667788; *(volatile uint8_t *)(UNCACHED + 9) = 0xaa;
             *(volatile uint16_t *)(UNCACHED + 14) = 0xbbcc; RESULT(0) = R64(UNCACHED + 8);
             R(UNCACHED + 8) = 5; RESULT(1) = R(UNCACHED + 8); R(UNCACHED + (1ull << 32) + 12) = 6; RESULT(2) = R(UNCACHED + 12);",
        );
        assert_eq!(program.finish().results(), [0xbbcc_3344_5566_aa88, 5, 6], "seed {seed}");
    }
}

#[test]
fn a_cached_window_takes_whole_lines_and_writes_them_back_when_it_likes() {
    let tile = NocXy::new(3, 4);
    let program = Program::start(
        Card::builder(),
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

/// Nothing of what others write changes the word that is reserved.
#[test]
fn a_reservation_is_gone_once_another_has_written_its_line() {
    let program = Program::start(
        Card::builder(),
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

#[test]
fn aliases_of_a_line_are_lines_of_their_own() {
    let program = Program::start(
        Card::builder(),
        "R(CACHED); R(CACHED + (1ull << 32)) = 4; RESULT(0) = R(CACHED); RESULT(1) = R(CACHED + (1ull << 32));",
    );
    assert_eq!(program.finish().results(), [0, 4]);
}

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
fn parking_changes_neither_values_nor_times() {
    let run = |parking: bool, seed: u64| {
        let program = Program::start_all(
            Card::builder().parking(parking).seed(seed),
            "auto word = reinterpret_cast<volatile uint32_t *>(CACHED + 0x40 * id);
             for (int i = 0; i < 50; i++) { word[0] = word[0] + i; while (R(RESULTS + 0x400 + 4 * id) < i) { asm volatile(\"add x0, sp, x0\"); }
                 R(RESULTS + 0x400 + 4 * ((id + 1) & 3)) = i + 1; R(UNCACHED + 64 * id) = word[0]; }
             if (id == 0) { RESULT(0) = word[0]; RESULT(1) = CSRR(\"mcycle\"); }",
        );
        program.finish();
        (program.results::<2>(), program.card.counters().x280_instructions, program.card.now())
    };
    for seed in [0, 7] {
        assert_eq!(run(true, seed), run(false, seed), "seed {seed}");
    }
}

#[test]
fn a_hart_stands_for_a_line_that_gets_lost_until_the_nmi_takes_it_back() {
    // The handler is the program's start: the second time it does not load.
    let program = Program::start(
        Card::builder(),
        "if (RESULT(40)++ == 0) { TELL(1); HEAR(1); RESULT(0) = R(CACHED) + 1; TELL(2); }",
    );
    program.wait(1);
    let lost = Breakage::Drop { to: program.channel(), packets: 1 };
    program.card.break_on(When::Now, lost).unwrap();
    program.answer(1);
    run_for(&program.card, 100_000_000).unwrap();
    assert_eq!((peek(&program.card, CLUSTER, 0x0801_1000), program.result(0)), (1, 0));
    program.card.write32(CLUSTER, PERIPHERALS + 0x1_0414, 1).unwrap();
    program.finish();
    assert_eq!(program.result(0), 0);
}

#[test]
fn a_large_read_through_the_cluster_is_memory_with_what_the_caches_have_newer() {
    let program = Program::start(
        Card::builder(),
        "for (int i = 0; i < 300; i++) R(CACHED + 128 * i) = 1; TELL(1); HEAR(1);",
    );
    let bytes: Vec<u8> = (0..65536).map(|i| (i % 251) as u8).collect();
    program.wait(1);
    program.card.write(program.channel(), 0, &bytes, Order::Bulk).unwrap();
    program.card.fence(program.channel()).unwrap();
    let mut read = vec![0; bytes.len()];
    program.card.read(CLUSTER, CACHED, &mut read).unwrap();
    for (i, (ours, memory)) in read.chunks(128).zip(bytes.chunks(128)).enumerate() {
        let expected = if i < 300 {
            [vec![1, 0, 0, 0], vec![0; 60], memory[64..].to_vec()].concat()
        } else {
            memory.to_vec()
        };
        assert_eq!(ours, expected, "line {}", 2 * i);
    }
    // Written the same way, it is coherent, and memory stays behind.
    program.card.write(CLUSTER, CACHED, &vec![9; 4096], Order::Bulk).unwrap();
    program.card.read(CLUSTER, CACHED, &mut read[..4096]).unwrap();
    assert_eq!(
        (&read[..4096], program.dram(64)),
        (&[9; 4096][..], u32::from_le_bytes(bytes[64..68].try_into().unwrap()))
    );
}

/// What each of the four harts does to its own word of 32 lines, which share 8 sets of one way: 600 loads, stores, atomics
/// and flushes at random, compared with what it has done so far.
const CROWD: &str = "
    if (id == 0) { for (int m = 0; m < 38; m++) R64(0x02010800 + 8 * m) = 1; R64(0x02030000) = 0x15811; R(RESULTS + 0x200) = 1; }
    while (R(RESULTS + 0x200) == 0) {}
    volatile uint32_t mine[32]; for (int i = 0; i < 32; i++) mine[i] = 0;
    uint32_t x = id * 77 + 1, errors = 0;
    for (uint32_t n = 1; n <= 600; n++) {
        x = x * 1664525 + 1013904223;
        uint32_t line = x >> 8 & 31;
        uint64_t at = CACHED + (line & 3) * 0x20000 + (line >> 2) * 64 + 4 * id;
        uint32_t what = x >> 20 & 7;
        if (what < 2) { R(at) = n; mine[line] = n; }
        if (what == 2) { errors += __atomic_fetch_add(reinterpret_cast<volatile uint32_t *>(at), n, 0) != mine[line]; mine[line] = mine[line] + n; }
        if (what == 3) CFLUSH(at);
        if (what == 4) FLUSH64(at);
        if (what == 5) R64(0x10104200 + 0x4000 * ((id + 1) & 3)) = at;
        if (what > 5) errors += R(at) != mine[line];
    }
    for (uint32_t line = 0; line < 32; line++)
        errors += R(CACHED + (line & 3) * 0x20000 + (line >> 2) * 64 + 4 * id) != mine[line];
    R(RESULTS + 4 * id) = errors + 1;
    while (id == 0 && (R(RESULTS) == 0 || R(RESULTS + 4) == 0 || R(RESULTS + 8) == 0 || R(RESULTS + 12) == 0)) {}";

#[test]
fn harts_and_the_noc_that_crowd_a_few_sets_each_see_what_they_wrote() {
    for seed in 0..8 {
        let program = Program::start_all(Card::builder().seed(seed), CROWD);
        let address = |line: u64| CACHED + (line & 3) * 0x2_0000 + (line >> 2) * 64;
        let mut words = [0; 32];
        for n in 1..120u32 {
            let line = u64::from(n.wrapping_mul(2_654_435_761) >> 27);
            let at = address(line) + 32;
            if n % 3 == 0 {
                assert_eq!(
                    program.card.read32(CLUSTER, at).unwrap(),
                    words[line as usize],
                    "seed {seed}, {n}"
                );
            } else {
                program.card.write32(CLUSTER, at, n).unwrap();
                words[line as usize] = n;
            }
        }
        program.finish();
        assert_eq!(program.results(), [1 | 1 << 32, 1 | 1 << 32], "seed {seed}");
        for (line, word) in words.iter().enumerate() {
            let at = address(line as u64);
            program.card.write(CLUSTER, 0x0201_0200, &at.to_le_bytes(), Order::Strict).unwrap();
            program.card.fence(CLUSTER).unwrap();
            run_for(&program.card, 1_000).unwrap();
            assert_eq!(program.dram(at - CACHED + 32), *word, "seed {seed}, line {line} in memory");
        }
    }
}

#[test]
fn a_snapshot_has_the_lines_and_those_on_their_way() {
    let program = Program::start_all(Card::builder().seed(3), CROWD);
    run_for(&program.card, 20_000).unwrap();
    let snapshot = program.card.snapshot();
    let end = |card: Card| {
        let program = Program { card };
        program.finish();
        (program.results::<2>(), program.card.now(), program.card.counters().noc_packets)
    };
    let fork = end(snapshot.fork().unwrap());
    assert_eq!(fork, end(program.card.clone()));
    assert_eq!(fork.0, [1 | 1 << 32, 1 | 1 << 32]);
    assert!(fork.1.as_nanos() > snapshot.at().as_nanos() + 20_000, "it was taken before the end");
}

#[test]
fn rules_of_the_caches() {
    let tile = NocXy::new(3, 4);
    let prepare = |card: &Card| {
        window(card, 0, tile.hi_word(), 0);
        window(card, 1, 5 | 6 << 6 | 3 << 12 | 5 << 18 | 1 << 24, 0);
    };
    assert_faults(
        &prepare,
        &[
            ("R64(0x02010200) = UNCACHED;", Rule::Flush),
            ("R64(0x10104200) = 0x08000000;", Rule::Flush),
            ("CFLUSH(UNCACHED + 64);", Rule::Flush),
            ("R(0x02010200) = 0;", Rule::FlushWidth),
            ("R(UP + LARGE + 0xffb12000);", Rule::CachedRegister),
            ("R(UP + LARGE + (1ull << 37));", Rule::WindowLoad),
            ("R64(0x02010800 + 8 * 34) = 0; R(CACHED);", Rule::WayMask),
            ("__atomic_fetch_add(reinterpret_cast<volatile uint32_t *>(UNCACHED), 1, 0);", Rule::HartAtomic),
            ("__atomic_fetch_add(reinterpret_cast<volatile uint32_t *>(LARGE), 1, 0);", Rule::HartAtomic),
            ("asm volatile(\"lr.w t0, (%0)\" :: \"r\"(UNCACHED) : \"t0\");", Rule::HartAtomic),
            ("asm volatile(\"lr.d t0, (%0)\" :: \"r\"(0x08010000) : \"t0\");", Rule::HartAtomic),
            ("R(UNCACHED + 0xff000000);", Rule::DramReach),
            ("R(CACHED + 0xff000000);", Rule::DramReach),
            ("R(0x44c000000);", Rule::HartAddress),
            ("*(volatile uint8_t *)0x0200bff8;", Rule::DeviceWidth),
            ("*(volatile uint16_t *)0x02004000 = 1;", Rule::DeviceWidth),
            ("*(volatile uint8_t *)0x20010100;", Rule::DeviceWidth),
        ],
    );
}
