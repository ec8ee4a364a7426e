//! What the cores of a tile share besides L1: mailboxes, PCBufs, semaphores, registers, resets (tensix.md §1 to §3).

mod support;

use komorebi_card::{Card as _, CardError, NocXy, Rule};
use komorebi_sim::{Breakage, Card, When};
use support::*;

const A: NocXy = NocXy::new(3, 3);
const B: NocXy = NocXy::new(4, 3);
const SEEDS: [u64; 4] = [0, 1, 2, 3];

const TOOLS: &str = r#"
#define MAILBOX(k) R(0xffec0000 + 0x1000 * (k))
#define ASK(k) R(0xffec0004 + 0x1000 * (k))
#define SEMAPHORE(i) R(0xffe80020 + 4 * (i))
#define CSR(n) ({ uint32_t v; asm volatile("csrr %0, " #n : "=r"(v)); v; })
#define SET(n, v) asm volatile("csrw " #n ", %0" :: "r"(v))
static inline void put(uint32_t at, uint32_t word) {
    R(at) = word;
    uint32_t back = R(at);
    asm volatile("mv %0, %0" : "+r"(back) :: "memory");
}
static inline void seen(uint32_t word) { asm volatile("mv %0, %0" : "+r"(word) :: "memory"); }
"#;

fn begin(seed: u64, parking: bool, programs: &[(usize, &str)]) -> Card {
    let card = open(Card::builder().seed(seed).parking(parking));
    for (core, body) in programs {
        load(&card, A, *core, &baby_with(*core, TOOLS, body));
    }
    start(&card, A, &programs.iter().map(|(core, _)| *core).collect::<Vec<_>>());
    card
}

/// The words from 0x20000 on once each program has written a 1 to its last, at 0x20100 and so on.
fn run(seed: u64, parking: bool, programs: &[(usize, &str)]) -> (Vec<u32>, u64) {
    let ended: Vec<String> = programs
        .iter()
        .enumerate()
        .map(|(n, (_, body))| format!("{body} put({:#x}, 1);", 0x2_0100 + 4 * n))
        .collect();
    let programs: Vec<(usize, &str)> =
        programs.iter().zip(&ended).map(|((core, _), body)| (*core, body.as_str())).collect();
    let card = begin(seed, parking, &programs);
    for n in 0..programs.len() {
        wait_for(&card, A, 0x2_0100 + 4 * n as u64, 1);
    }
    ((0..32).map(|word| peek(&card, A, 0x2_0000 + 4 * word)).collect(), card.now().as_nanos())
}

/// The same on some seeds, with and without parking.
fn always(programs: &[(usize, &str)], check: impl Fn(&[u32])) {
    for seed in SEEDS {
        let parked = run(seed, true, programs);
        assert_eq!(parked, run(seed, false, programs), "seed {seed}: parking changes nothing");
        check(&parked.0);
    }
}

#[test]
fn a_mailbox_keeps_the_order_and_a_load_from_an_empty_one_waits() {
    // B to T1, which is slow; T1 back to B, which waits; T2 has nothing for either.
    let b =
        "for (uint32_t n = 1; n <= 20; ++n) MAILBOX(2) = n; put(0x20000, MAILBOX(2)); put(0x20004, ASK(3));";
    let t1 = "uint32_t wrong = 0; for (uint32_t n = 1; n <= 20; ++n) { wrong += MAILBOX(0) != n;\
              uint32_t then = CLOCK() + 60; while ((int32_t)(CLOCK() - then) < 0) {} } put(0x20008, wrong); MAILBOX(0) = 77;";
    always(&[(0, b), (3, t1)], |words| assert_eq!(words[..3], [77, 0, 0]));
}

#[test]
fn a_sender_has_four_words_in_flight() {
    // T0 counts what it could send while nobody receives.
    let t0 = "for (uint32_t n = 1; n <= 3; ++n) MAILBOX(0) = n; MAILBOX(2) = 4; put(0x20000, 4); MAILBOX(3) = 5; put(0x20004, 5);";
    let card = begin(0, true, &[(2, t0)]);
    run_for(&card, 20_000).unwrap();
    assert_eq!([peek(&card, A, 0x2_0000), peek(&card, A, 0x2_0004)], [4, 0]);
    let b = "put(0x20008, ASK(1)); put(0x2000c, MAILBOX(1)); while (R(0x20004) != 5) waiting(0); put(0x20010, 1);";
    load(&card, A, 0, &baby_with(0, TOOLS, b));
    start(&card, A, &[0, 2]);
    wait_for(&card, A, 0x2_0010, 1);
    assert_eq!([peek(&card, A, 0x2_0008), peek(&card, A, 0x2_000c)], [1, 1]);
}

#[test]
fn a_reset_empties_the_mailboxes_that_the_core_writes() {
    let card = begin(0, true, &[(2, "MAILBOX(0) = 9; put(0x20000, 1);")]);
    wait_for(&card, A, 0x2_0000, 1);
    let b = "put(0x20004, ASK(1)); put(0x20008, 1);";
    load(&card, A, 0, &baby_with(0, TOOLS, b));
    card.write32(A, SOFT_RESET, ALL_HELD).unwrap();
    start(&card, A, &[0]);
    wait_for(&card, A, 0x2_0008, 1);
    assert_eq!(peek(&card, A, 0x2_0004), 0);
}

#[test]
fn a_pcbuf_holds_16_words_and_tells_b_when_its_core_waits() {
    let b = "for (uint32_t n = 1; n <= 40; ++n) { R(0xffe90000) = n; if (n == 16) put(0x20000, R(0x20008)); }\
             seen(R(0xffe90000)); put(0x20004, R(0x20008));";
    // T1 begins late, and takes its time; it stores nothing after the last.
    let t1 = "uint32_t then = CLOCK() + 3000; while ((int32_t)(CLOCK() - then) < 0) {}\
              for (uint32_t n = 1; n <= 40; ++n) { uint32_t word = R(0xffe80000); if (word == n) put(0x20008, n); }\
              R(0xffe80000) = 5; put(0x20104, 1); (void)R(0xffe80000);";
    always(&[(0, b), (3, t1)], |words| assert_eq!(words[..3], [0, 40, 40]));
}

#[test]
fn a_blocked_core_waits_until_it_is_reset() {
    let card =
        begin(0, true, &[(0, "(void)R(0xffe80000); put(0x20000, 1);"), (2, "put(0x20004, 1); for (;;) {}")]);
    run_for(&card, 100_000).unwrap();
    assert_eq!([peek(&card, A, 0x2_0000), peek(&card, A, 0x2_0004)], [0, 1]);
    card.write32(A, SOFT_RESET, ALL_HELD).unwrap();
    load(&card, A, 0, &baby_with(0, TOOLS, "put(0x20000, 7);"));
    start(&card, A, &[0]);
    wait_for(&card, A, 0x2_0000, 7);
}

#[test]
fn a_reset_that_makes_room_in_a_fifo_lets_its_sender_go_on() {
    // T0 takes nothing; NC holds it in reset while B waits with its seventeenth word.
    let b = "for (uint32_t n = 1; n <= 17; ++n) { put(0x20000, n); R(0xffe80000) = n; } put(0x20004, R(0x20008));";
    let nc = "uint32_t then = CLOCK() + 3000; while ((int32_t)(CLOCK() - then) < 0) {}\
              put(0x2000c, R(0x20004)); put(0x20008, R(0x20000)); R(0xffb121b0) = 0x7000;";
    for seed in SEEDS {
        let end = |parking: bool| {
            let card = begin(seed, parking, &[(0, b), (1, nc), (2, "for (;;) {}")]);
            wait_for(&card, A, 0x2_0004, 17);
            assert_eq!(peek(&card, A, 0x2_000c), 0, "it did not wait");
            card.now()
        };
        assert_eq!(end(true), end(false), "seed {seed}: parking changes nothing");
    }
}

#[test]
fn a_core_starts_when_another_releases_it_whatever_that_one_does_then() {
    // NC goes on for thousands of cycles in its own memory; B waits, parked or not.
    let b = "while (!R(0x20020)) waiting(0);";
    let nc = "put(0x20000, CLOCK()); R(0xffb121b0) = 0x6000; for (uint32_t n = 0; n < 3000; ++n) asm volatile(\"nop\");";
    for parking in [true, false] {
        let card = open(Card::builder().parking(parking));
        for (core, body) in [(0, b), (1, nc), (2, "put(0x20004, CLOCK());")] {
            load(&card, A, core, &baby_with(core, TOOLS, body));
        }
        start(&card, A, &[0, 1]);
        run_for(&card, 20_000).unwrap();
        let cycles = peek(&card, A, 0x2_0004).wrapping_sub(peek(&card, A, 0x2_0000));
        assert!((1024..1200).contains(&cycles), "{cycles} cycles, parking {parking}");
    }
}

#[test]
fn words_on_their_way_at_a_reset_are_lost_and_later_ones_arrive() {
    // B sends, resets T0, sends again: T0 gets the second word alone, whichever of them was late.
    let b = "for (uint32_t n = 1; n <= 40; ++n) { R(0xffe80000) = n; R(0xffb121b0) = 0x47000; R(0xffb121b0) = 0x46000;\
             R(0xffe80000) = 100 + n; while (R(0x20008) != 100 + n) waiting(0); }";
    let t0 = "uint32_t word = R(0xffe80000); if (word < 100) put(0x20000, word); put(0x20008, word);";
    for seed in 0..12 {
        let end = |parking: bool| {
            let card = begin(seed, parking, &[(0, b), (2, t0)]);
            wait_for(&card, A, 0x2_0008, 140);
            assert_eq!(peek(&card, A, 0x2_0000), 0, "seed {seed}: a word came from before the reset");
            card.now()
        };
        assert_eq!(end(true), end(false), "seed {seed}: parking changes nothing");
    }
}

#[test]
fn a_sender_that_restarts_at_once_sends_what_arrives() {
    // T0 sends the number of its start to B, and keeps its RAM; NC restarts it while that word may be on its way.
    let nc = "R(0xffb12224) = 1; for (uint32_t n = 0; n < 40; ++n) {\
              R(0xffb121b0) = 0x6000; for (uint32_t m = 0; m < n; ++m) (void)R(0x20040);\
              R(0xffb121b0) = 0x7000; R(0xffb121b0) = 0x6000; for (uint32_t m = 0; m < 200; ++m) (void)R(0x20040);\
              while (R(0x20008) != R(0x2000c)) {} R(0xffb121b0) = 0x7000; }\
              put(0x20000, 1);";
    let t0 = "uint32_t n = R(0xffb00100) + 1; R(0xffb00100) = n; MAILBOX(0) = n; put(0x2000c, n);";
    let b = "for (;;) { uint32_t word = MAILBOX(1); if (word <= R(0x20008)) put(0x20004, word); put(0x20008, word); }";
    for seed in 0..12 {
        let end = |parking: bool| {
            let card = open(Card::builder().seed(seed).parking(parking));
            for (core, body) in [(0, b), (1, nc), (2, t0)] {
                load(&card, A, core, &baby_with(core, TOOLS, body));
            }
            start(&card, A, &[0, 1]);
            wait_for(&card, A, 0x2_0000, 1);
            assert_eq!(peek(&card, A, 0x2_0004), 0, "seed {seed}: the words came in another order");
            card.now()
        };
        assert_eq!(end(true), end(false), "seed {seed}: parking changes nothing");
    }
}

#[test]
fn a_core_that_waits_for_what_another_changes_goes_on_when_a_polling_one_does() {
    // T1's own registers, which B has elsewhere; the TDMA clock gate; the configuration; outstanding requests that B forgets.
    let request = format!("read_from(0, {}, 0x30000, 0x30000, 64);", B.hi_word());
    for (place, until, change) in [
        ("0xffe00008", "!= 0", "R(0xffe00108) = 1;"),
        ("0xffb11024", "!= 0", "R(0xffb11024) = 1;"),
        ("0xffef0010", "!= 0", "R(0xffef0010) = 1;"),
        ("0xffb20240", "== 0", "R(0xffb20060) = 1;"),
    ] {
        let ends = [true, false].map(|parking| {
            let card = open(Card::builder().parking(parking));
            // The request's answer never comes.
            card.break_on(When::Now, Breakage::Drop { to: B, packets: 1 }).unwrap();
            let b = format!(
                "{request} put(0x20020, 1); for (uint32_t until = CLOCK() + 900; (int32_t)(CLOCK() - until) < 0;) {{}} {change}"
            );
            let t1 = format!("while (!R(0x20020)) {{}} do waiting(0); while (!(R({place}) {until})); put(0x20000, CLOCK());");
            for (core, body) in [(0, b), (3, t1)] {
                load(&card, A, core, &baby_with(core, TOOLS, &body));
            }
            start(&card, A, &[0, 3]);
            run_for(&card, 20_000).unwrap();
            peek(&card, A, 0x2_0000)
        });
        assert!(ends[1] != 0 && ends[0] == ends[1], "{place}: {ends:?}");
    }
}

#[test]
fn general_registers_and_configuration_are_memory() {
    // T1's register 5 is B's 69; both banks; T0 sees its own.
    let b = "put(0xffe00000 + 4 * 69, 5); put(0xffef0000 + 4 * 180, 6); put(0xffef0380 + 4 * 223, 8); MAILBOX(2) = 1;";
    let t1 = "(void)MAILBOX(0); FENCE(); put(0x20000, R(0xffe00000 + 20)); put(0x20004, R(0xffef0000 + 720));\
              put(0x20008, R(0xffef0380 + 892)); put(0xffe00000 + 252, 9); put(0x2000c, R(0xffe00000 + 252));\
              R(0xffe80004) = 0; put(0x20010, R(0xffe80004)); put(0x20014, R(0xffe80008));";
    always(&[(0, b), (3, t1)], |words| assert_eq!(words[..6], [5, 6, 8, 9, 0, 0]));
}

#[test]
fn the_latched_word_of_the_clock_is_for_a_core_that_reads_it_alone() {
    let both = "seen(CLOCK()); seen(R(0xffb121f8));";
    let nc = format!(
        "for (uint32_t n = 0; n < 50; ++n) {{ {both} }} put(0x20000, 1); while (!R(0x20020)) waiting(0); put(0x20004, 1); {both} put(0x20008, 1);"
    );
    // It waits for its clock, and then for ever.
    let b = "while (!R(0x20000)) waiting(0); uint32_t end = CLOCK() + 500; while ((int32_t)(CLOCK() - end) < 0) waiting(end);\
             put(0x20020, 1); while (!R(0x20040)) { seen(CLOCK()); waiting(0); }";
    let faults = [true, false].map(|parking| {
        let card = begin(0, parking, &[(0, b), (1, &nc)]);
        let error = run_for(&card, 20_000).unwrap_err();
        let CardError::Fault(fault) = &error else { panic!("{error}") };
        assert_eq!((fault.rule, fault.agent.as_str()), (Rule::ClockLatch, "NC"), "{fault}");
        assert!(fault.to_string().contains("while B reads the clock, too"), "{fault}");
        let mut words = [0; 12];
        assert!(card.peek(A, 0x2_0000, &mut words));
        assert_eq!(words, [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
        (error, card.now())
    });
    assert_eq!(faults[0], faults[1], "parking changes nothing");
}

#[test]
fn a_core_that_resets_itself_executes_no_instruction_after_that() {
    // B keeps its RAM, and tells at its second start what it found there.
    let first = "if (R(0xffb00100)) { put(0x20000, R(0xffb00100)); for (;;); }\
                 put(0xffb12224, 1 << 6); put(0x20004, 1); R(0xffb00100) = 7; R(0xffb121b0) = 0x47800;";
    for (seed, parking) in SEEDS.map(|seed| (seed, true)).into_iter().chain([(0, false)]) {
        let ends = ["", "R(0xffb00100) = 8; asm volatile(\".rept 40\\n nop\\n .endr\");"].map(|then| {
            let card = begin(seed, parking, &[(0, &format!("{first}{then}"))]);
            run_for(&card, 20_000).unwrap();
            let instructions = card.counters().tensix_instructions;
            assert_eq!((peek(&card, A, 0x2_0004), card.read32(A, SOFT_RESET).unwrap()), (1, ALL_HELD));
            start(&card, A, &[0]);
            run_for(&card, 20_000).unwrap();
            assert_eq!(peek(&card, A, 0x2_0000), 7, "seed {seed}, parking {parking}");
            instructions
        });
        assert_eq!(ends[0], ends[1], "seed {seed}, parking {parking}");
    }
}

#[test]
fn a_core_sees_its_own_ram_by_the_slow_path_too() {
    let t2 = "R(0xffb00004) = 12; FENCE(); put(0x20000, R(0xffb1c004)); R(0xffb1c008) = 13; FENCE(); put(0x20004, R(0xffb00008));";
    always(&[(4, t2)], |words| assert_eq!(words[..2], [12, 13]));
}

#[test]
fn a_core_starts_once_its_ram_is_cleared_and_its_registers_are_zero() {
    // B takes 2048 cycles, T0 1024; DISABLE_RESET leaves the RAM alone.
    let body = "uint32_t s11; asm volatile(\"mv %0, s11\\n li s11, 77\" : \"=r\"(s11)); put(R(0x20018) ? 0x2001c : 0x20018, s11 + 1);\
                put(R(0xffb00100) ? 0x20010 : 0x20000, CLOCK()); put(0xffb00100, 1);";
    let card = begin(0, true, &[(0, body), (2, &body.replace("0x20010 : 0x20000", "0x20014 : 0x20004"))]);
    run_for(&card, 20_000).unwrap();
    let words = [0, 4].map(|offset| peek(&card, A, 0x2_0000 + offset));
    assert!((1000..1100).contains(&(words[0] - words[1])), "{words:?}");
    card.write32(A, SOFT_RESET, ALL_HELD).unwrap();
    card.write32(A, 0xffb1_2224, 1 << 6).unwrap(); // B keeps its RAM
    start(&card, A, &[0, 2]);
    run_for(&card, 20_000).unwrap();
    let again = [0x10, 0x14, 0x4].map(|offset| peek(&card, A, 0x2_0000 + offset));
    assert!(again[0] != 0 && again[1] == 0 && again[2] > words[1], "{again:?}");
    assert_eq!(
        [0x18, 0x1c].map(|offset| peek(&card, A, 0x2_0000 + offset)),
        [1, 1],
        "a register kept its value"
    );
}

#[test]
fn control_registers_have_the_documented_values() {
    let nc = "put(0x20000, CSR(0x301)); put(0x20004, CSR(0x300)); put(0x20008, CSR(0xf14)); put(0x2000c, CSR(0x7c0));\
              SET(0x7c3, 1); SET(0x7c6, 4); put(0x20010, CSR(0x7c3) + CSR(0x7c6)); SET(0x320, -1); put(0x20014, CSR(0x320));\
              uint32_t a = CSR(0xb00), b = CSR(0xc00); put(0x20018, b - a); SET(0xb80, 7); put(0x2001c, CSR(0xc80));\
              uint32_t i = CSR(0xb02); asm volatile(\"nop\\n nop\"); put(0x20020, CSR(0xc02) - i); SET(0xb84, 3); put(0x20024, CSR(0xb84));\
              SET(0x323, 0); put(0x20028, CSR(0x323)); asm volatile(\"csrsi 0x7c0, 2\"); put(0x2002c, CSR(0x7c0));";
    always(&[(1, nc)], |words| {
        // The prelude has switched the L0 cache off: bit 3, above the store-merge timer's 16.
        assert_eq!(words[..6], [0x4020_1123, 0x8000_6600, 0, 0x2_0008, 5, 0x18]);
        assert!((1..6).contains(&words[6]), "{}", words[6]);
        assert_eq!(words[7..12], [7, 3, 3, 0, 0x2_000a]);
    });
}

#[test]
fn cfg0_switches_the_branch_predictor_and_the_merging_of_stores() {
    let time = |prepare: &str, body: &str| {
        let body = format!(
            "{prepare} uint32_t a = CLOCK(); for (uint32_t n = 0; n < 100; ++n) {{ {body} }} put(0x20000, CLOCK() - a);"
        );
        run(0, true, &[(0, &body)]).0[0]
    };
    let off = "asm volatile(\"csrsi 0x7c0, 2\");";
    let (on, off) = (time("", "asm volatile(\"\");"), time(off, "asm volatile(\"\");"));
    assert!((off - on).abs_diff(400) < 20, "four cycles a turn: {on} {off}");
    let apart = "uint32_t bit = 1 << 12; asm volatile(\"csrs 0x7c0, %0\" :: \"r\"(bit));";
    let stores = "R(0x30000) = n; R(0x30004) = n; R(0x30008) = n; R(0x3000c) = n; FENCE();";
    let (merged, apart) = (time("", stores), time(apart, stores));
    assert!(apart > merged + 100 * 10, "{merged} {apart}");
}

/// The fault of a program.
fn fault_of(core: usize, body: &str) -> String {
    let card = begin(0, true, &[(core, body)]);
    match run_for(&card, 20_000) {
        Err(CardError::Fault(fault)) => fault.to_string(),
        other => panic!("no fault but {other:?} for: {body}"),
    }
}

#[test]
fn what_is_not_modelled_is_refused_by_its_name() {
    for (core, body, words) in [
        (
            2,
            "asm volatile(\".word %0\" :: \"i\"((0x42000000u << 2) | (0x42000000u >> 30)));",
            "UNPACR (0x42000000)",
        ),
        (0, "asm volatile(\".word 0\");", "zeroed memory, which pushes the coprocessor's opcode 0"),
        (3, "R(0xffe40000) = 0x26000000;", "MVMUL (0x26000000)"),
        (0, "R(0xffe60000) = 0x10000000;", "ZEROACC"),
        (2, "R(0xffe50000) = 0x10000000;", "nothing"),
        (2, "R(0xffb80000) = 1;", "MOP expander"),
        (4, "(void)R(0xffbd8000);", "window onto Dst"),
        (1, "(void)R(0xffe00000);", "the coprocessor, which NC does not reach"),
        (1, "R(0xffec0000) = 1;", "a mailbox that NC does not have"),
        (0, "(void)R(0xffef0700);", "nothing"),
        (0, "(void)R(0xffb11000);", "TDMA-RISC"),
        (1, "(void)R(0xffb11024);", "TDMA-RISC, which NC does not have"),
        (0, "(void)R(0xffb13000);", "interrupt controller (PIC)"),
        (0, "R(0xffb13138) = 1;", "a pc snapshot is only read"),
        (0, "(void)R(0xffb18000);", "the RAM of T0 through its slow path, by B"),
        (0, "(void)R(0xffb12064);", "array read"),
        (0, "R(0xffb12090) = 1;", "PCBuf override"),
        (0, "R(0xffb121b0) = 0x47840;", "resets the mover"),
        (0, "(void)CSR(0xbc0);", "tt_cfg_qstatus"),
        (2, "SET(0xbca, 0);", "intp_restore_pc"),
        (4, "(void)CSR(0xc22);", "vlenb"),
        (0, "(void)CSR(0x344);", "mip"),
        (0, "(void)CSR(0xf11);", "mvendorid"),
        (0, "SET(0xc00, 1);", "cycle"),
        (0, "SET(0x7c0, 1 << 30);", "bf16"),
        (0, "SET(0x323, 4);", "no event is modelled"),
        (0, "asm volatile(\"ecall\");", "ecall"),
        (0, "asm volatile(\".insn r 0x2f,2,8,x5,%0,x0\" :: \"r\"(0x30000));", "no instruction of this core"),
    ] {
        let fault = fault_of(core, body);
        assert!(fault.contains(words), "{body}: {fault}");
    }
}

#[test]
fn what_the_noc_must_not_touch_is_refused_by_its_name() {
    for (address, words) in [
        (0xffb0_0000, "a core's own RAM"),
        (0xffb1_1000, "TDMA-RISC"),
        (0xffb1_4000, "TEN-4534"),
        (0xffb1_c000, "TEN-4534"),
        (0xffb1_3000, "interrupt controller (PIC)"),
        (0xffe4_0000, "which only its cores reach"),
        (0xffef_02e4, "which only its cores reach"),
    ] {
        let card = open(Card::builder());
        let fault = card.read32(A, address).unwrap_err().to_string();
        assert!(fault.contains(words), "{address:#x}: {fault}");
    }
}
