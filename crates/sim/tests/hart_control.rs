//! Control registers of the X280 as the RISC-V privileged specification has them: what each bit takes, what is read-only,
//! counters, memory protection, reservations.

mod hart_support;

use hart_support::{EXIT, World, compile, hart, run_to_exit};
use komorebi_sim::hart::{Hart, Isa, Rv64, Stop};
use komorebi_sim::time::NEVER;

fn world(isa: Isa, body: &str) -> World {
    let source = format!(".section .start,\"ax\"\nli t0, {EXIT:#x}\n{body}\nsw zero, 0(t0)\n");
    World::new(isa, &compile(isa, "s", &source, "-O2"))
}

fn run(body: &str) -> Hart<Rv64> {
    let mut hart = hart::<Rv64>(true);
    run_to_exit(&mut hart, &mut world(Isa::Rv64, body));
    hart
}

/// Cause and value of the trap that `body` takes, and 0 in both when it takes none.
fn trapped(body: &str) -> (u64, u64) {
    let hart = run(&format!(
        "la t1, 9f\ncsrw mtvec, t1\nli a0, 0\nli a1, 0\n{body}\nj 8f\n.align 2\n9: csrr a0, mcause\ncsrr a1, mtval\n8:"
    ));
    (hart.register(10), hart.register(11))
}

/// What a register reads after all ones, and after zero, have been written to it.
fn writable(csr: u16) -> (u64, u64) {
    let hart = run(&format!(
        "li t1, -1\ncsrw {csr:#x}, t1\ncsrr a0, {csr:#x}\ncsrw {csr:#x}, zero\ncsrr a1, {csr:#x}"
    ));
    (hart.register(10), hart.register(11))
}

#[test]
fn registers_take_their_legal_bits_and_no_others() {
    const ALL: u64 = u64::MAX;
    let misa = 2 << 62 | 0x112d;
    for (csr, ones, zeros) in [
        (0x300, 1 << 63 | 3 << 13 | 3 << 11 | 1 << 7 | 1 << 3, 3 << 11),
        (0x301, misa, misa),
        (0x304, 0x888, 0),
        (0x305, ALL & !2, 0),
        (0x320, 5, 0),
        (0x340, ALL, 0),
        (0x341, ALL & !1, 0),
        (0x342, ALL, 0),
        (0x343, ALL, 0),
        (0x344, 0, 0),
        (0x323, 0, 0),
        (0xb03, 0, 0),
        (0xb1f, 0, 0),
        (0x3b0, (1 << 54) - 1, 0),
        (0x3b7, (1 << 54) - 1, 0),
        (0x3b8, 0, 0),
        (0x3bf, 0, 0),
        (0x3a2, 0, 0),
    ] {
        assert_eq!(writable(csr), (ones, zeros), "csr {csr:#x}");
    }
}

#[test]
fn a_read_only_register_traps_on_a_write_and_on_nothing_else() {
    // csrrs and csrrc with x0 or 0, and no other, do not write.
    for body in ["csrr t1, cycle", "csrrci t1, instret, 0", "csrrc t1, mhartid, zero", "csrr t1, 0xf15"] {
        assert_eq!(trapped(body), (0, 0), "{body}");
    }
    for (body, word) in [
        ("csrw cycle, zero", 0xc000_1073),
        ("csrrw t1, mhartid, t1", 0xf143_1373),
        ("csrrsi t1, instret, 1", 0xc020_e373),
        // A register that is not x0 writes though it holds 0.
        ("li t2, 0\ncsrrs t1, mhartid, t2", 0xf143_a373),
        ("csrrc t1, mvendorid, t1", 0xf113_3373),
    ] {
        assert_eq!(trapped(body), (2, word), "{body}");
    }
    // Registers of modes and units that are not there.
    for csr in [0x100, 0x180, 0x302, 0x306, 0x3a1, 0x3a4, 0x7a0, 0xc20] {
        assert_eq!(trapped(&format!("csrr t1, {csr:#x}")), (2, csr << 20 | 0x2373), "{csr:#x}");
    }
}

#[test]
fn a_register_is_read_before_it_is_written() {
    let hart = run(
        "li t1, 5\ncsrw mscratch, t1\nli t2, 6\ncsrrw t2, mscratch, t2\ncsrrs a0, mscratch, t1\ncsrrci a1, mscratch, 2\ncsrr a2, mscratch",
    );
    assert_eq!([7, 10, 11, 12].map(|number| hart.register(number)), [5, 6, 7, 5]);
}

#[test]
fn counters_are_set_before_the_next_instruction_and_stand_while_they_are_inhibited() {
    let hart = run(
        "li t1, 100\ncsrw minstret, t1\ncsrr a0, minstret\ncsrr a1, minstret\ncsrwi mcountinhibit, 4\ncsrr a2, minstret\n\
         csrr a3, minstret\ncsrwi mcountinhibit, 0\ncsrr a4, minstret\ncsrwi mcountinhibit, 1\ncsrr a5, mcycle\nnop\n\
         csrr a6, mcycle\ncsrw mcycle, t1\ncsrr a7, mcycle",
    );
    assert_eq!([10, 11, 12, 13].map(|number| hart.register(number)), [100, 101, 103, 103]);
    assert_eq!(hart.register(14), 103, "it counts on from the instruction behind");
    assert_eq!(hart.register(15), hart.register(16));
    assert_eq!(hart.register(17), 100);
}

#[test]
fn locked_entries_of_the_memory_protection_stay_until_reset() {
    // Entry 1 matches from the address of entry 0 on, may do everything, and is locked.
    let body = "li t1, 0x40\ncsrw pmpaddr0, t1\nli t1, 0x80\ncsrw pmpaddr1, t1\nli t1, 0x8f1a\ncsrw pmpcfg0, t1\n\
                csrw pmpcfg0, zero\ncsrw pmpaddr0, zero\ncsrw pmpaddr1, zero\n\
                csrr a0, pmpcfg0\ncsrr a1, pmpaddr0\ncsrr a2, pmpaddr1";
    let mut hart = run(body);
    assert_eq!([10, 11, 12].map(|number| hart.register(number)), [0x8f00, 0x40, 0x80]);
    hart.reset(0, hart.time());
    run_to_exit(&mut hart, &mut world(Isa::Rv64, "csrr a0, pmpcfg0\ncsrr a1, pmpaddr0"));
    assert_eq!((hart.register(10), hart.register(11)), (0, 0));
    let hart = run("li t1, 0x7f62\ncsrw pmpcfg0, t1\ncsrr a0, pmpcfg0");
    assert_eq!(hart.register(10), 0x1f00, "no reserved bits, and no writing without reading");
}

#[test]
fn an_entry_that_would_restrict_machine_mode_is_refused() {
    let mut world = world(Isa::Rv64, "li t1, 0x99\ncsrw pmpcfg0, t1");
    match hart::<Rv64>(true).run(&mut world, NEVER) {
        Stop::Fault(fault) => assert_eq!(fault.rule.code(), "KF0430", "{fault}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_reservation_is_for_its_address_its_width_and_one_store() {
    for (body, failed) in [
        ("lr.d a1, (t1)\nsc.d a0, t2, (t1)", 0),
        ("lr.d a1, (t1)\nsc.w a0, t2, (t1)", 1),
        ("lr.w a1, (t1)\nsc.d a0, t2, (t1)", 1),
        ("addi t3, t1, 8\nlr.d a1, (t1)\nsc.d a0, t2, (t3)", 1),
        ("lr.d a1, (t1)\nsc.d a1, t2, (t1)\nsc.d a0, t2, (t1)", 1),
        ("sc.d a0, t2, (t1)", 1),
    ] {
        let hart = run(&format!("li t1, 0x40000\nli t2, 7\n{body}\nld a2, 0(t1)"));
        assert_eq!(hart.register(10), failed, "{body}");
    }
    for (body, cause) in
        [("lr.d a0, (t1)", 4), ("sc.d a0, t2, (t1)", 6), ("lr.w a0, (t2)", 4), ("sc.w a0, t1, (t2)", 6)]
    {
        assert_eq!(trapped(&format!("li t1, 0x40004\nli t2, 0x40002\n{body}")).0, cause, "{body}");
    }
    // A trap in between takes it away.
    let hart = run(
        "li t1, 0x40000\nla t2, 9f\ncsrw mtvec, t2\nlr.d a1, (t1)\necall\n.align 2\n9: sc.d a0, t1, (t1)",
    );
    assert_eq!(hart.register(10), 1);
}

#[test]
fn vectored_interrupts_go_to_their_own_entries_and_exceptions_to_the_base() {
    let body = "la t1, 9f\nori t1, t1, 1\ncsrw mtvec, t1\nli t1, 0x88\ncsrw mie, t1\ncsrsi mstatus, 8\necall\n\
                .align 6\n9: j 1f\n.org 9b + 4 * 3\nli a2, 3\nj 8f\n.org 9b + 4 * 7\nli a2, 7\nj 8f\n1: csrr a0, mcause\nmret\n8:";
    let mut hart = hart::<Rv64>(true);
    hart.set_interrupts(0x80);
    run_to_exit(&mut hart, &mut world(Isa::Rv64, body));
    assert_eq!(hart.register(12), 7);
    let mut both = self::hart::<Rv64>(true);
    both.set_interrupts(0x88);
    run_to_exit(&mut both, &mut world(Isa::Rv64, body));
    assert_eq!(both.register(12), 3, "software before timer");
    let base = run("la t1, 9f\nori t1, t1, 1\ncsrw mtvec, t1\necall\n.align 6\n9: csrr a0, mcause");
    assert_eq!(base.register(10), 11);
}
