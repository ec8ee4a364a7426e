//! What the hardware forbids halts the card, and the fault names tile, core, pc and rule.

mod support;

use komorebi_card::{Card as _, CardError, Fault, NocXy, Rule};
use komorebi_sim::{Builder, Card};
use support::*;

const A: NocXy = NocXy::new(4, 4);
const B: NocXy = NocXy::new(5, 4);

/// The fault of a program on a core of tile A.
fn fault_of(core: usize, body: &str) -> Fault {
    fault_on(Card::builder(), core, body)
}

fn fault_on(builder: Builder, core: usize, body: &str) -> Fault {
    let card = open(builder);
    load(&card, A, core, &baby(core, body));
    start(&card, A, &[core]);
    match run_for(&card, 20_000) {
        Err(CardError::Fault(fault)) => fault,
        other => panic!("no fault but {other:?} for: {body}"),
    }
}

/// Each program breaks one rule; the fault's rule or detail says the words.
fn assert_faults(cases: &[(usize, &str, &str)]) {
    for (core, body, words) in cases {
        let fault = fault_of(*core, body);
        assert!(fault.rule.text().contains(words) || fault.detail.contains(words), "{body}: {fault}");
        assert_eq!(fault.tile, A, "{body}: {fault}");
        assert_eq!(fault.agent, ["B", "NC", "T0", "T1", "T2"][*core], "{body}: {fault}");
        let code = CORE_PCS[*core]..CORE_PCS[*core] + 0x1000;
        assert!(fault.pc.is_some_and(|pc| code.contains(&pc)), "{body}: {fault}");
    }
}

/// With a seed the store that sends may take effect later than the core makes it; what is wrong with the request is told there.
#[test]
fn a_request_behind_a_linked_one_is_the_core_s_that_sends_it_with_every_seed() {
    let body = format!(
        "send(0, 0, 0x20d2, 0x40000, self(0), 0x30000, {}, 64); write_to(0, 6|4<<6, 0x40000, 0x30000, 4);",
        B.hi_word()
    );
    for seed in 0..16 {
        let fault = fault_on(Card::builder().seed(seed), 0, &body);
        assert_eq!(fault.rule, Rule::LinkedChain, "seed {seed}: {fault}");
        let code = CORE_PCS[0]..CORE_PCS[0] + 0x1000;
        let told = fault.agent == "B" && fault.pc.is_some_and(|pc| code.contains(&pc));
        assert!(told, "seed {seed}: {fault}");
    }
}

#[test]
fn requests_that_a_niu_cannot_send() {
    let b = B.hi_word();
    let cases = [
        (format!("write_to(0, {b}, 0x40000, 0x30004, 64);"), "differ modulo 16"),
        ("read_from(0, 17 | 12 << 6, 0x1010, 0x30000, 64);".to_owned(), "differ modulo 64"),
        (format!("write_to(0, {b}, 0x40010, 0x30010, 16385);"), "1 to 16384 bytes"),
        (format!("write_to(0, {b}, 0x40000, 0x30000, 0);"), "1 to 16384 bytes"),
        (format!("write_to(0, {b}, 0x40000, 0x17fff0, 32);"), "32 bytes at 0x17fff0"),
        (format!("write_to(0, {b}, 0x17fff0, 0x30000, 32);"), "32 bytes at 0x17fff0"),
        ("write_to(0, 15 | 2 << 6, 0x40000, 0x30000, 64);".to_owned(), "disabled tile"),
        ("write_to(0, 8 | 2 << 6, 0x40000, 0x30000, 64);".to_owned(), "absent tile"),
        ("read_from(0, 17 | 12 << 6, 0xffb20200, 0x30000, 4);".to_owned(), "registers of the table"),
        ("write_to(0, 17 | 12 << 6, 0x40000, 0xffb20100, 4);".to_owned(), "only read"),
        (format!("send(0, 0, 0x2092, 0x40000, {b}, 0x30000, {b}, 64);"), "own coordinate"),
        (format!("send(0, 0, 0x2192, 0x40000, self(0), 0x30000, {b}, 64);"), "path reserve"),
        (format!("send(0, 0, 0x80b2, 0x40000, self(0), 0x30000, {b} | {b} << 12, 64);"), "path reserve"),
        (format!("send(0, 0, 0xa092, 0x40000, self(0), 0x30000, {b}, 64);"), "class of a static channel"),
        (
            format!("send(0, 0, 0x01b2, 0x40000, self(0), 0x30000, {b} | {b} << 12, 64);"),
            "class of a static channel",
        ),
        (format!("send(0, 0, 0x80002092, 0x40000, self(0), 0x30000, {b}, 64);"), "BH-86"),
        (format!("send(0, 0, 0x08002092, 0x40000, self(0), 0x30000, {b}, 64);"), "bits above 17"),
        (format!("send(0, 0, 0x2093, 0x40000, self(0), 0x30000, {b}, 64);"), "NIU control 0x2093"),
        (
            "send(0, 0, 0x81b2, 0x40000, self(0), 0x30000, (9|5<<6) | (8|3<<6) << 12, 64);".to_owned(),
            "Tensix tiles",
        ),
        (
            format!(
                "NIU(0, 0, 0x2c) = 1; send(0, 0, 0x81b2, 0x40000, self(0), 0x30000, {b} | {b} << 12, 64);"
            ),
            "BRCST_EXCLUDE",
        ),
        (
            format!(
                "send(0, 0, 0x20d2, 0x40000, self(0), 0x30000, {b}, 64); write_to(0, 6|4<<6, 0x40000, 0x30000, 4);"
            ),
            "behind a linked one",
        ),
        (
            format!("NIU(0, 0, 0x24) = 0; send(0, 0, 0x2096, 0x40000, self(0), 0xffb40028, {b}, 15);"),
            "byte enables",
        ),
        (format!("send(0, 3, 0x2091, 0x50000, {b}, 0x20000, self(0), 0x9000);"), "accumulate"),
        (format!("send(0, 3, 0x2091, 0x50000, {b}, 0x20000, self(0), 0x5000);"), "tile map"),
        (format!("NIU(0, 2, 0x28) = 1; send(0, 2, 0x208a, 0x30000, {b}, 0, self(0), 0xf);"), "inline write"),
        (format!("increment(0, {b}, 0xffb40028, 1, 0x20000);"), "NoC atomic"),
        (format!("increment(0, {}, 0x08000000, 1, 0x20000);", CLUSTER.hi_word()), "NoC atomic"),
        (format!("write_to(0, {b}, 0x40000, 0xffb11000, 4);"), "control registers, NIUs"),
        ("NIU(0, 0, 0x40) = 2;".to_owned(), "CMD_CTRL"),
        ("NIU(0, 0, 0x100) = 0;".to_owned(), "only read"),
        (
            format!(
                "write_to(0, {b}, 0x40000, 0x30000, 16384); write_to(0, {b}, 0x40000, 0x30000, 4); NIU(0, 0, 0) = 0;"
            ),
            "CMD_CTRL reads 0",
        ),
    ];
    for (body, words) in &cases {
        assert_faults(&[(0, body, words)]);
    }
}

#[test]
fn addresses_that_a_core_does_not_have() {
    assert_faults(&[
        (0, "R(0x180000);", "load at 0x180000"),
        (1, "R(0xffef0000) = 1;", "store at 0xffef0000"),
        (0, "R(0xffe80020);", "PCBufs"),
        (0, "R(0xffea0020) = 1;", "PCBufs"),
        (1, "R(0xffe80020) = 0;", "store at 0xffe80020"),
        (2, "R(0xffe90020) = 0;", "store at 0xffe90020"),
        (2, "R(0xffb01000) = 0;", "store at 0xffb01000"),
        (1, "R(0xffb11024) = 0x3f;", "store at 0xffb11024"),
        (4, "*(volatile uint16_t *)0xffb40028 = 1;", "4 bytes at a time"),
        (0, "R(0xffb40024);", "register 0x24 of stream 0"),
        (0, "asm volatile(\".word 0\");", "coprocessor"),
        (0, "asm volatile(\"sw sp, 0(%0)\" :: \"r\"(0x20002));", "not a multiple of 4"),
    ]);
}

#[test]
fn floating_point_that_is_not_modelled_is_refused_by_name() {
    assert_faults(&[
        (0, "asm volatile(\"csrr a0, 0x003\" ::: \"a0\");", "which flags"),
        (1, "asm volatile(\"csrwi 0x003, 0\");", "which flags"),
        (2, "asm volatile(\"csrs 0x7c0, %0\" :: \"r\"(1 << 30));", "bf16 arithmetic"),
        (3, "asm volatile(\"csrs 0x7c0, %0\" :: \"r\"(1u << 31));", "bf16 arithmetic"),
        (4, "asm volatile(\".word 0x00c58553\");", "the mode dyn"), // fadd.s with rne
        (4, "asm volatile(\".word 0x18c5f553\");", "is no instruction"), // fdiv.s
        (4, "asm volatile(\".word 0x5805f553\");", "is no instruction"), // fsqrt.s
        (4, "asm volatile(\".word 0x02c5f553\");", "is no instruction"), // fadd.d
    ]);
}

#[test]
fn a_host_that_promised_to_leaves_the_memory_of_running_cores_alone() {
    let running = |promise: bool| {
        let card = open(Card::builder());
        if promise {
            card.keep_off(0x2_0000).unwrap();
        }
        load(&card, A, 0, &baby(0, "while (!R(0x20000)) {} R(0x20004) = 1;"));
        start(&card, A, &[0]);
        run_for(&card, 10_000).unwrap();
        card
    };
    running(false).read32(A, 0x2_0004).unwrap();
    let card = running(true);
    card.read32(B, 0x2_0004).unwrap(); // no core of that tile runs
    card.write32(A, 0x2_0000, 1).unwrap();
    card.fence(A).unwrap();
    card.write32(A, SOFT_RESET, ALL_HELD).unwrap();
    assert_eq!(card.read32(A, 0x2_0004).unwrap(), 1);

    let read = running(true).read32(A, 0x2_0004).unwrap_err();
    assert!(read.to_string().contains("read of 4 bytes at 0x20004 of L1 while B run"), "{read}");
    let card = running(true);
    card.write32(A, 0x1_fffc, 1).unwrap();
    let write = card.fence(A).unwrap_err();
    assert!(
        matches!(&write, CardError::Fault(f) if f.agent == "host" && f.rule == Rule::RunningCore),
        "{write}"
    );

    let card = running(true);
    card.release();
    card.claim(POWER).unwrap();
    load(&card, A, 0, &baby(0, "for (;;) {}"));
    start(&card, A, &[0]);
    run_for(&card, 10_000).unwrap();
    card.read32(A, 0x2_0004).unwrap(); // a new holder has promised nothing
}

#[test]
fn code_is_fetched_from_l1_only() {
    let fault = fault_of(3, "((void (*)())0xffb00000)();");
    assert!(fault.pc == Some(0xffb0_0000) && fault.rule == Rule::CoreFetch, "{fault}");
}

#[test]
fn a_hart_that_breaks_a_rule_is_named() {
    let card = open(Card::builder());
    release(&card, &hart(0x0800_0000, "for (;;) R64(0x80430000000) = 1;"));
    card.write32(CLUSTER, PERIPHERALS + 0xe04, B.hi_word() | 1 << 27).unwrap();
    let fault = run_for(&card, 20_000).unwrap_err();
    assert!(
        matches!(&fault, CardError::Fault(f) if f.agent == "hart 0" && f.tile == CLUSTER && f.rule == Rule::LinkedWindow),
        "{fault}"
    );
}

#[test]
fn lim_ends_where_the_ways_are_cache() {
    let card = open(Card::builder());
    card.write32(CLUSTER, 0x0201_0008, 9).unwrap();
    card.write32(CLUSTER, 0x080b_fffc, 1).unwrap();
    card.fence(CLUSTER).unwrap();
    card.write32(CLUSTER, 0x080c_0000, 1).unwrap();
    let fault = card.fence(CLUSTER).unwrap_err();
    assert!(matches!(&fault, CardError::Fault(f) if f.rule == Rule::LimEnd), "{fault}");
}

#[test]
fn harts_leave_reset_once_at_a_low_clock_with_their_vectors_set() {
    let fault = |prepare: &dyn Fn(&Card)| {
        let card = open(Card::builder());
        prepare(&card);
        card.write32(ARC, 0x8003_0014, 0x1f).unwrap();
        match run_for(&card, 10_000).unwrap_err() {
            CardError::Fault(fault) => fault.rule,
            other => panic!("{other}"),
        }
    };
    assert_eq!(fault(&|_| {}), Rule::ReleaseClock);
    assert_eq!(fault(&|card| clock(card, 128, 15)), Rule::ReleaseVectors);
    let again = fault(&|card| {
        release(card, &hart(0x0800_0000, ""));
        card.write32(ARC, 0x8003_0014, 0xf).unwrap();
    });
    assert_eq!(again, Rule::ResetBits);
}
