//! External interrupts through the PLIC, the MSI catcher and the software interrupt bits; `wfi`, the NMI and its exception
//! handler, bus errors, what keeps a hart from fetching (host.md §6.3, §6.5).

mod support;

use std::time::Duration;

use komorebi_card::{Card as _, CardError, Order, Power, Rule};
use komorebi_sim::{Breakage, Card, When};
use support::x280::*;
use support::*;

/// The MSI catcher and the software interrupt bits over the NoC.
const MSI: u64 = PERIPHERALS + 0x6_0000;
const SOFTWARE: u64 = PERIPHERALS + 0x1_0404;

/// The PLIC as a program sees it, and a handler that notes cause and claim of each interrupt as results 8, 9 and so on, and
/// empties the MSI catcher into results 20, 21 and so on. It uses t0 to t4: an interrupt comes in `WAIT` only.
const PLIC: &str = r#"
    #define PRIORITY(source) R(0x0c000000 + 4 * (source))
    #define ENABLE(context, source) R(0x0c002000 + 0x80 * (context) + (source) / 32 * 4) |= 1u << (source) % 32
    #define THRESHOLD(context) R(0x0c200000 + 0x1000 * (context))
    #define CLAIM(context) R(0x0c200004 + 0x1000 * (context))
    #define WAIT() asm volatile("csrsi mstatus, 8\n wfi\n csrci mstatus, 8" ::: "t0", "t1", "t2", "t3", "t4", "memory")
    asm volatile(
        "la t0, 1f\n csrw mtvec, t0\n j 9f\n .balign 4\n"
        "1: li t0, 0x08010040\n 2: ld t1, 0(t0)\n beqz t1, 3f\n addi t0, t0, 16\n j 2b\n"
        "3: csrr t1, mcause\n slli t1, t1, 1\n ori t1, t1, 1\n sd t1, 0(t0)\n csrr t1, mhartid\n slli t1, t1, 13\n"
        "li t2, 0x0c200004\n add t2, t2, t1\n lw t1, 0(t2)\n sd t1, 8(t0)\n"
        "li t3, 0x20060000\n li t4, 0x080100a0\n 4: lw t0, 8(t3)\n andi t0, t0, 0x100\n beqz t0, 5f\n"
        "lw t0, 0(t3)\n sd t0, 0(t4)\n addi t4, t4, 8\n j 4b\n"
        "5: sw t1, 0(t2)\n mret\n 9:" ::: "t0", "t1", "t2", "t3", "t4", "memory");
"#;

/// What the handler notes as the cause: it shifts the interrupt bit out and sets bit 0.
const EXTERNAL: u64 = 11 << 1 | 1;

fn program(builder: komorebi_sim::Builder, body: &str) -> Program {
    Program::start(builder, &format!("{PLIC}\n{body}"))
}

fn push(program: &Program, value: u32) {
    program.card.write32(CLUSTER, MSI, value).unwrap();
}

#[test]
fn a_message_wakes_a_hart_that_claims_and_completes_it() {
    let program = program(
        Card::builder(),
        "PRIORITY(6) = 1; ENABLE(0, 6); CSRW(\"mie\", 1 << 11); TELL(1); WAIT(); TELL(2); WAIT();
         RESULT(0) = CSRR(\"mip\"); RESULT(1) = CLAIM(0);",
    );
    program.wait(1);
    run_for(&program.card, 10_000).unwrap();
    push(&program, 0x1234);
    program.wait(2);
    push(&program, 0x5678);
    program.finish();
    assert_eq!(program.results::<2>(), [0, 0]);
    let noted: Vec<_> = (8..14).map(|i| program.result(i)).collect();
    assert_eq!(noted, [EXTERNAL, 6, EXTERNAL, 6, 0, 0]);
    assert_eq!(program.result(20), 0x5678, "each one was read alone");
}

#[test]
fn what_a_hart_has_not_enabled_does_not_wake_it() {
    // Not at the PLIC's priority 0, not below the threshold, not without mie; with mie alone `wfi` ends and no trap is taken.
    let program = program(
        Card::builder(),
        "ENABLE(0, 6); CSRW(\"mie\", 1 << 11 | 1 << 3); TELL(1); asm volatile(\"wfi\"); RESULT(0) = CSRR(\"mip\"); R(0x02000000) = 0;
         PRIORITY(6) = 2; THRESHOLD(0) = 2; RESULT(1) = CSRR(\"mip\"); THRESHOLD(0) = 1; RESULT(2) = CSRR(\"mip\");
         CSRW(\"mie\", 1 << 3); TELL(2); asm volatile(\"wfi\"); RESULT(3) = CSRR(\"mip\"); R(0x02000000) = 0;
         CSRW(\"mie\", 1 << 11); asm volatile(\"wfi\"); RESULT(4) = R(0x20060000);",
    );
    let soft = || program.card.write32(CLUSTER, 0x0200_0000, 1).unwrap();
    program.wait(1);
    push(&program, 7);
    run_for(&program.card, 10_000).unwrap();
    assert_eq!(peek(&program.card, CLUSTER, 0x0801_1000), 1);
    soft();
    program.wait(2);
    run_for(&program.card, 10_000).unwrap();
    assert_eq!(peek(&program.card, CLUSTER, 0x0801_1000), 2);
    soft();
    program.finish();
    assert_eq!(program.results(), [1 << 3, 0, 1 << 11, 1 << 11 | 1 << 3, 7]);
}

#[test]
fn a_software_bit_interrupts_the_hart_that_enabled_its_source_until_it_is_cleared() {
    // Bit 35 is source 40; hart 2 waits for it, hart 0 sets it with an atomic, and the host clears it.
    let body = format!(
        "{PLIC} if (id == 2) {{ PRIORITY(40) = 3; ENABLE(4, 40); CSRW(\"mie\", 1 << 11); TELL(1); WAIT(); RESULT(0) = CSRR(\"mip\"); TELL(2); }}
         if (id == 0) {{ HEAR(1); __atomic_fetch_or(reinterpret_cast<volatile uint32_t *>(0x20010408), 8, 0); while (R64(0x08011000) != 2) {{}} }}"
    );
    let program = Program::start_all(Card::builder(), &body);
    program.wait(1).answer(1);
    // High after each completion, it comes again and again.
    wait_for(&program.card, CLUSTER, 0x0801_0058, 40);
    run_for(&program.card, 5_000).unwrap();
    assert_eq!(peek(&program.card, CLUSTER, 0x0801_1000), 1);
    assert_eq!([8, 9, 10, 11].map(|i| program.result(i)), [EXTERNAL, 40, EXTERNAL, 40]);
    program.card.write32(CLUSTER, SOFTWARE + 4, 0).unwrap();
    program.finish();
    assert_eq!(program.result(0), 0);
}

#[test]
fn what_is_pending_stays_so_until_it_is_claimed_from_anywhere() {
    let card = open(Card::builder());
    let set = |address: u64, value: u32| card.write32(CLUSTER, address, value).unwrap();
    set(0x0c00_00a0, 3);
    set(0x0c00_2204, 1 << 8);
    set(SOFTWARE + 4, 8);
    set(SOFTWARE + 4, 0);
    card.fence(CLUSTER).unwrap();
    let word = |address: u64| card.read32(CLUSTER, address).unwrap();
    assert_eq!(word(0x0c00_1004), 1 << 8);
    assert_eq!([word(0x0c20_4004), word(0x0c20_4004), word(0x0c00_1004)], [40, 0, 0]);
}

#[test]
fn the_msi_catcher_holds_sixteen_words_and_has_a_high_water_source() {
    let program = program(
        Card::builder(),
        "PRIORITY(7) = 1; ENABLE(0, 7); R(0x2006000c) = 4; CSRW(\"mie\", 1 << 11); TELL(1); asm volatile(\"wfi\");
         RESULT(0) = R(0x20060008); TELL(2); HEAR(1);
         RESULT(1) = R(0x20060008); uint64_t last = 0, n = 0; while (R(0x20060008) & 0x100) { last = R(0x20060000); n++; }
         RESULT(2) = last; RESULT(3) = n; RESULT(4) = R(0x20060000); RESULT(5) = R(0x2ff60008);",
    );
    program.wait(1);
    (0..11).for_each(|i| push(&program, i));
    run_for(&program.card, 10_000).unwrap();
    assert_eq!(peek(&program.card, CLUSTER, 0x0801_1000), 1);
    push(&program, 11);
    program.wait(2);
    (12..20).for_each(|i| push(&program, i));
    program.answer(1).finish();
    assert_eq!(program.results(), [0x301, 0x300, 15, 16, 0, 1]);
}

#[test]
fn an_interrupt_reaches_a_hart_that_is_parked_at_the_same_moment_as_one_that_polls() {
    let run = |parking: bool| {
        let program = program(
            Card::builder().parking(parking),
            "PRIORITY(6) = 1; ENABLE(0, 6); CSRW(\"mie\", 1 << 11); TELL(1); CSRW(\"mstatus\", 8);
             asm volatile(\"1: add x0, sp, x0\\n ld a0, 0(%0)\\n beqz a0, 1b\" :: \"r\"(RESULTS + 8 * 9) : \"a0\", \"t0\", \"t1\", \"t2\", \"t3\", \"t4\", \"memory\");
             CSRW(\"mstatus\", 0); RESULT(0) = CSRR(\"mcycle\");",
        );
        program.wait(1);
        run_for(&program.card, 20_000).unwrap();
        push(&program, 5);
        program.finish();
        program.results::<16>()
    };
    assert_eq!(run(true), run(false));
    assert_eq!(run(true)[8..10], [EXTERNAL, 6]);
}

#[test]
fn the_status_shows_who_waits_and_who_has_ceased() {
    let program = Program::start_all(
        Card::builder(),
        "if (id == 1) asm volatile(\".word 0x30500073\"); if (id == 2) asm volatile(\"wfi\");
         if (id == 3) { while (R64(0x08011000) != 2) {} }
         if (id == 0) { for (int i = 0; i < 100; i++) R64(RESULTS); RESULT(0) = R(0x20010400); RESULT(1) = R(0x03008000); R(0x02000004) = 1; }",
    );
    program.finish();
    assert_eq!(program.results(), [4 << 8 | 2, 2 << 4 | 4]);
    // Not even the NMI wakes a hart that has ceased.
    let pc = program.card.pcs(CLUSTER)[1];
    program.card.write32(CLUSTER, PERIPHERALS + 0x1_0414, 2).unwrap();
    run_for(&program.card, 10_000).unwrap();
    assert_eq!(program.card.pcs(CLUSTER)[1], pc);
}

#[test]
fn a_store_of_eight_bytes_reaches_both_of_its_registers() {
    // The last software interrupt bits and, above them, the NMI triggers: hart 0 raises hart 1's.
    let program = Program::start_all(
        Card::builder(),
        "if (id == 1) { if (CSRR(\"0x352\")) { R64(0x20010410) = 0; R(RESULTS + 8) = CSRR(\"0x352\"); TELL(1000); for (;;) asm volatile(\"wfi\"); }
             TELL(1); for (;;) asm volatile(\"wfi\"); }
         if (id == 0) { while (R64(0x08011000) != 1) {} R64(0x20010410) = 2ull << 32; while (R(RESULTS + 8) == 0) {} }",
    );
    program.finish();
    assert_eq!(program.result(1), 2);
}

/// Loads a program that handles the NMI of hart 0 and one that handles exceptions in it.
fn set_handlers(card: &Card, nmi: &str, exception: &str) {
    for (at, body, register) in [(0x0802_0000, nmi, 0x1_0418), (0x0803_0000, exception, 0x1_0420)] {
        let image = harts(at, &format!("{X280}\n{body}\nTELL(1000);"));
        card.write(CLUSTER, at, &image, Order::Bulk).unwrap();
        card.write32(CLUSTER, PERIPHERALS + register, at as u32).unwrap();
    }
    card.fence(CLUSTER).unwrap();
}

#[test]
fn an_exception_in_the_nmi_handler_goes_to_its_own_handler() {
    let program = Program::start(Card::builder(), "TELL(1); HEAR(1);");
    program.wait(1);
    set_handlers(
        &program.card,
        "RESULT(0) = CSRR(\"0x352\"); RESULT(1) = CSRR(\"0x353\"); asm volatile(\".word 0\");",
        "RESULT(2) = CSRR(\"mcause\"); RESULT(3) = CSRR(\"0x353\") & 8;",
    );
    program.card.write32(CLUSTER, PERIPHERALS + 0x1_0414, 1).unwrap();
    program.finish();
    assert_eq!(program.results(), [1 << 63 | 2, 0x1800, 2, 0]);
}

#[test]
fn the_error_device_traps_and_tells_the_bus_error_unit_whose_interrupt_is_an_nmi() {
    let program = Program::start(
        Card::builder(),
        "asm volatile(\"la t0, 1f\\n csrw mtvec, t0\\n j 2f\\n .balign 4\\n 1: csrr t0, mepc\\n addi t0, t0, 4\\n csrw mepc, t0\\n mret\\n 2:\" ::: \"t0\");
         #define ERROR(word) asm volatile(\".option push\\n .option norvc\\n\" word \" t1, 0(%0)\\n.option pop\" :: \"r\"(0x3000) : \"t0\", \"t1\", \"memory\")
         ERROR(\"lw\"); RESULT(0) = CSRR(\"mcause\"); RESULT(1) = CSRR(\"mtval\"); ERROR(\"sw\"); RESULT(2) = CSRR(\"mcause\");
         RESULT(3) = R64(0x01700020); RESULT(4) = R64(0x01700000);
         R64(0x01700010) = 0x20; ERROR(\"lw\"); RESULT(5) = R64(0x01700000) << 32 | R64(0x01700008);
         TELL(1); HEAR(1); R64(0x01700028) = 0x20; for (;;) {}",
    );
    program.wait(1);
    set_handlers(&program.card, "RESULT(6) = CSRR(\"0x352\");", "");
    program.answer(1).finish();
    assert_eq!(program.results(), [5, 0x3000, 7, 0x20, 0, 5 << 32 | 0x3000, 1 << 63 | 3]);
}

#[test]
fn a_hart_whose_fetch_is_suppressed_leaves_reset_without_a_step() {
    let card = open(Card::builder());
    prepare(&card, 0, &harts(0x0800_0000, "R(0x08010000 + 8 * id) = 1;"), 0x0800_0000);
    card.write32(CLUSTER, PERIPHERALS + 0x1_0400, 5 << 16).unwrap();
    card.fence(CLUSTER).unwrap();
    clock(&card, 128, 15);
    card.write32(ARC, 0x8003_0014, 0x1f).unwrap();
    let started = || -> Vec<u32> {
        run_for(&card, 20_000).unwrap();
        (0..4).map(|hart| peek(&card, CLUSTER, 0x0801_0000 + 8 * hart)).collect()
    };
    assert_eq!(started(), [0, 1, 0, 1]);
    card.write32(CLUSTER, PERIPHERALS + 0x1_0400, 1 << 16).unwrap();
    assert_eq!(started(), [0, 1, 1, 1]);
}

#[test]
fn four_tiles_have_four_harts_each_and_start_from_any_memory_that_holds_code() {
    let card = open(Card::builder());
    let image = harts(0x0800_0000, "R(0x08010000 + 8 * id) = id + 1;");
    // A jump to LIM from the scratch memory and from both views of local DRAM: lui t0, 0x8000; jr t0.
    let jump: Vec<u8> = [0x0800_02b7u32, 0x0002_8067].iter().flat_map(|word| word.to_le_bytes()).collect();
    let vectors = [0x0800_0000, 0x2001_0100, CACHED + 0x1000, 0x3000_2000];
    for (index, vector) in vectors.into_iter().enumerate() {
        let tile = cluster(index as u8);
        match index {
            1 => card.write(tile, PERIPHERALS + 0x1_0100, &jump, Order::Strict).unwrap(),
            2 | 3 => card.write(tile, vector, &jump, Order::Strict).unwrap(),
            _ => {}
        }
        prepare(&card, index as u8, &image, vector);
    }
    clock(&card, 128, 15);
    for reset in [0x1f, 0x3f, 0x7f, 0xff] {
        card.write32(ARC, 0x8003_0014, reset).unwrap();
        run_for(&card, 30_000).unwrap();
    }
    for index in 0..4 {
        let words: Vec<_> = (0..4).map(|hart| peek(&card, cluster(index), 0x0801_0000 + 8 * hart)).collect();
        assert_eq!(words, [1, 2, 3, 4], "cluster {index}");
    }
}

#[test]
fn rules_of_release_and_of_the_registers() {
    let fault = |prepare: &dyn Fn(&Card) -> Result<(), CardError>, rule: Rule| {
        let card = open(Card::builder());
        match prepare(&card).and_then(|()| run_for(&card, 50_000)) {
            Err(CardError::Fault(fault)) => assert_eq!(fault.rule, rule, "{fault}"),
            other => panic!("no fault but {other:?}: {rule}"),
        }
    };
    let image = harts(0x0800_0000, "");
    let reset = |card: &Card, value: u32| card.write32(ARC, 0x8003_0014, value);
    let ready = |card: &Card| prepare(card, 0, &image, 0x0800_0000);
    let slow = |card: &Card| {
        ready(card);
        clock(card, 128, 15);
    };
    let read = |address: u64| move |card: &Card| card.read32(CLUSTER, address).map(drop);
    let write = |address: u64, value: u32| move |card: &Card| card.write32(CLUSTER, address, value);
    let and_reset = |before: &dyn Fn(&Card), values: &[u32], card: &Card| {
        before(card);
        values.iter().try_for_each(|value| reset(card, *value))
    };
    fault(&|card| and_reset(&ready, &[0x1f], card), Rule::ReleaseClock);
    let stands = |card: &Card| {
        ready(card);
        card.write32(ARC, 0x8002_0514, 0x0101_0100).unwrap();
    };
    fault(&|card| and_reset(&stands, &[0x1f], card), Rule::ReleaseClock);
    fault(&|card| and_reset(&slow, &[0x10], card), Rule::ResetBits);
    fault(&|card| and_reset(&slow, &[0x1f, 0x0f], card), Rule::ResetBits);
    fault(&|card| and_reset(&|card| clock(card, 128, 15), &[0x1f], card), Rule::ReleaseVectors);
    fault(&|card| card.write32(ARC, 0x8002_0504, 2 | 66 << 16), Rule::PllStep);
    fault(&|card| card.write32(ARC, 0x8002_0504, 2 | 63 << 16), Rule::PllRange);
    fault(&|card| card.write32(ARC, 0x8002_0514, 0x0101_0103), Rule::PostdivStep);
    fault(&|card| card.write32(ARC, 0x8002_0500, 0), Rule::PllRegister);
    fault(&write(SOFTWARE, 1), Rule::SoftwareBits);
    fault(&write(0x0c00_1000, 1), Rule::Plic);
    fault(&read(0x2008_0000), Rule::Peripheral); // the DMA engine
    fault(&read(PERIPHERALS + 0x5_6044), Rule::Peripheral); // a NIU
    fault(&read(0xffff_ffff_ff00_0044), Rule::ClusterReach); // the same from the NoC
    for address in [0, 0x1000_0000, 0x1001_8000, 0x0201_0100, 0x1010_4300] {
        fault(&read(address), Rule::HartAddress); // debug device, trace, what L3 and L2 have besides
    }
    fault(&read(0x3000), Rule::ClusterReach); // the error device
    fault(&|card| write(0x0201_0008, 4)(card).and_then(|()| write(0x0201_0008, 3)(card)), Rule::LimWays);
    let beyond = read(0x0800_0000 + 11 * 0x2_0000);
    fault(&|card| write(0x0201_0008, 4)(card).and_then(|()| beyond(card)), Rule::LimEnd);
    let stopped = |card: &Card| card.vote(Power { l2cpu: false, ..POWER });
    fault(&|card| stopped(card).and_then(|()| read(0x0800_0000)(card)), Rule::ClusterClock);
}

#[test]
fn an_interrupt_that_comes_while_a_waiting_hart_is_frozen_wakes_it_after_that() {
    let program = program(Card::builder(), "CSRW(\"mie\", 1 << 3); TELL(1); asm volatile(\"wfi\");");
    program.wait(1);
    run_for(&program.card, 1_000).unwrap();
    let freeze = Breakage::Freeze { tile: CLUSTER, hart: 0, time: Some(Duration::from_micros(50)) };
    program.card.break_on(When::Now, freeze).unwrap();
    program.card.write32(CLUSTER, 0x0200_0000, 1).unwrap();
    run_for(&program.card, 20_000).unwrap();
    assert_eq!(peek(&program.card, CLUSTER, 0x0801_1000), 1);
    program.finish();
}

#[test]
fn a_timer_that_fires_while_the_clock_stands_wakes_a_waiting_hart_after_that() {
    let body =
        "CSRW(\"mie\", 1 << 7); R64(0x02004000) = R64(0x0200bff8) + 1000; TELL(1); asm volatile(\"wfi\");";
    let program = program(Card::builder(), body);
    program.wait(1);
    let power = |l2cpu| program.card.vote(Power { l2cpu, ..POWER }).unwrap();
    power(false);
    run_for(&program.card, 100_000).unwrap();
    power(true);
    program.finish();
}

#[test]
fn a_hart_that_has_ceased_takes_no_exception() {
    let body = r#"asm volatile("la t0, 1f\n csrw mtvec, t0" ::: "t0"); TELL(1); asm volatile(".word 0x30500073\n .balign 4\n 1:"); TELL(2);"#;
    let program = program(Card::builder(), body);
    program.wait(1);
    run_for(&program.card, 1_000).unwrap();
    let trap = Breakage::Trap { tile: CLUSTER, hart: 0, cause: 5, value: 0 };
    program.card.break_on(When::Now, trap).unwrap();
    run_for(&program.card, 10_000).unwrap();
    assert_eq!(peek(&program.card, CLUSTER, 0x0801_1000), 1);
}

#[test]
fn registers_hold_what_is_written_to_them() {
    let card = open(Card::builder());
    for (address, value) in [
        (0x4000, 0x1234),
        (0x0170_1010, 0x20),
        (0x0201_0800 + 8 * 37, 0xff0f),
        (0x0203_4000, 0x15811),
        (0x0203_4004, 0x38_c84e),
        (0x1010_d008, 0x1f),
        (0x0c00_0018, 5),
        (0x0c00_2084, 0xffff_ffff),
        (0x0c20_3000, 3),
        (PERIPHERALS + 0x6_000c, 3),
    ] {
        card.write32(CLUSTER, address, value).unwrap();
        assert_eq!(card.read32(CLUSTER, address).unwrap(), value, "{address:#x}");
    }
    assert_eq!(card.read32(CLUSTER, 0x0201_0000).unwrap(), 0x0609_1004);
    assert_eq!(card.read32(CLUSTER, 0x1010_4000).unwrap(), 0x0608_0801);
    let junk = card.read32(CLUSTER, PERIPHERALS + 0x1_0008).unwrap();
    card.write32(CLUSTER, PERIPHERALS + 0x1_0008, 0x0800_0000).unwrap();
    card.write32(CLUSTER, PERIPHERALS + 0x1_000c, 0xffff_ffff).unwrap();
    assert_ne!(junk, 0);
    // The hart's address of the same register, in one of its repetitions.
    assert_eq!(
        (card.read32(CLUSTER, 0x2ff1_0008).unwrap(), card.read32(CLUSTER, 0x2011_000c).unwrap()),
        (0x0800_0000, 0x7fff)
    );
}
