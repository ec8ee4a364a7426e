//! The caches as a whole: crowds, lost lines, snapshots, rules (host.md §6.6, §6.7).

mod support;

use komorebi_card::{Card as _, NocXy, Order, Rule};
use komorebi_sim::{Breakage, Card, When};
use support::x280::*;
use support::*;

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
fn lines_are_lost_with_lim_whose_ways_are_the_l3s() {
    for (lost, there) in [(false, 5), (true, 0)] {
        let program = Program::start(exact().lim_lost(lost), "R(CACHED + 0x1000) = 5; TELL(1); HEAR(1);");
        program.wait(1).card.release();
        assert_eq!(peek(&program.card, CLUSTER, CACHED + 0x1000), there, "lost: {lost}");
    }
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
