//! Traps, interrupts and the resumable NMI of the X280; what a baby core refuses.

mod hart_support;

use hart_support::{CYCLE, EXIT, World, compile, hart, run_to_exit};
use komorebi_card::Rule;
use komorebi_sim::hart::{Fault, Hart, Isa, Rv32, Rv64, Stop, Xlen};
use komorebi_sim::time::NEVER;

/// Assembles `body`, which follows the exit address in t0.
fn world<X: Xlen>(body: &str) -> World {
    let source = format!(".section .start,\"ax\"\nli t0, {EXIT:#x}\n{body}\n");
    World::new(X::ISA, &compile(X::ISA, "s", &source, "-O2"))
}

/// The X280 runs `body` with a trap handler that leaves cause, value and pc in a0 to a2.
fn trapped(body: &str) -> Hart<Rv64> {
    let mut world = world::<Rv64>(&format!(
        "la t1, handler\ncsrw mtvec, t1\n{body}\n1: j 1b\n.align 2\nhandler:\ncsrr a0, mcause\ncsrr a1, mtval\n\
         csrr a2, mepc\ncsrr a3, mstatus\nsw zero, 0(t0)"
    ));
    let mut hart = hart::<Rv64>(true);
    run_to_exit(&mut hart, &mut world);
    hart
}

fn refused(body: &str) -> Fault {
    let mut world = world::<Rv32>(body);
    let mut hart = hart::<Rv32>(true);
    match hart.run(&mut world, NEVER) {
        Stop::Fault(fault) => *fault,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_x280_traps_with_cause_and_value() {
    for (body, cause, value) in [
        ("ecall", 11, 0),
        (".word 0xffffffff", 2, 0xffff_ffff),
        (".half 0", 2, 0),
        ("li t2, 0x40001\nlw t3, 0(t2)", 4, 0x4_0001),
        ("li t2, 0x40002\nsd t3, 0(t2)", 6, 0x4_0002),
        ("li t2, 0x40002\namoadd.w t3, t3, (t2)", 6, 0x4_0002),
        ("csrr t3, 0x5c0", 2, 0x5c00_2e73),
        ("csrw mhartid, t3", 2, 0xf14e_1073),
    ] {
        let hart = trapped(body);
        assert_eq!((hart.register(10), hart.register(11)), (cause, value), "{body}");
        assert_eq!(hart.counters().traps, 1, "{body}");
    }
}

#[test]
fn ebreak_traps_with_its_own_address() {
    let hart = trapped("ebreak");
    assert_eq!(hart.register(10), 3);
    assert_eq!(hart.register(11), hart.register(12));
}

#[test]
fn a_trap_disables_interrupts_and_mret_restores_them() {
    let hart = trapped("csrsi mstatus, 8\necall");
    assert_eq!(hart.register(13), 3 << 11 | 1 << 7, "MPIE set, MIE clear");
    let mut world = world::<Rv64>(
        "la t1, handler\ncsrw mtvec, t1\ncsrsi mstatus, 8\necall\ncsrr a0, mstatus\nsw zero, 0(t0)\n.align 2\n\
         handler: csrr t1, mepc\naddi t1, t1, 4\ncsrw mepc, t1\nmret",
    );
    let mut hart = self::hart::<Rv64>(true);
    run_to_exit(&mut hart, &mut world);
    assert_eq!(hart.register(10) & 8, 8);
}

#[test]
fn wfi_sleeps_until_an_enabled_interrupt_is_pending() {
    let mut world = world::<Rv64>(
        "la t1, handler\ncsrw mtvec, t1\nli t1, 8\ncsrw mie, t1\ncsrsi mstatus, 8\nwfi\nli a5, 1\n1: j 1b\n.align 2\n\
         handler: csrr a0, mcause\ncsrr a1, mepc\nsw zero, 0(t0)",
    );
    let mut hart = hart::<Rv64>(true);
    assert_eq!(hart.run(&mut world, NEVER), Stop::Wfi);
    assert_eq!(hart.run(&mut world, NEVER), Stop::Wfi, "it stays asleep");
    hart.set_interrupts(1 << 7);
    assert_eq!(hart.run(&mut world, NEVER), Stop::Wfi, "that one is not enabled");
    let after = hart.pc();
    hart.advance_to(1_000_000 * CYCLE);
    hart.set_interrupts(1 << 3);
    run_to_exit(&mut hart, &mut world);
    assert_eq!(hart.register(10), 1 << 63 | 3);
    assert_eq!(hart.register(11), after, "the interrupt is taken behind the wfi");
    assert_eq!(hart.register(15), 0);
    assert!(hart.time() > 1_000_000 * CYCLE);
}

#[test]
fn wfi_with_interrupts_off_goes_on_behind_it() {
    let mut world = world::<Rv64>("li t1, 8\ncsrw mie, t1\nwfi\nli a5, 1\nsw zero, 0(t0)");
    let mut hart = hart::<Rv64>(true);
    assert_eq!(hart.run(&mut world, NEVER), Stop::Wfi);
    hart.set_interrupts(8);
    run_to_exit(&mut hart, &mut world);
    assert_eq!(hart.register(15), 1);
}

#[test]
fn the_nmi_is_taken_once_and_mnret_returns() {
    let mut world = world::<Rv64>(
        "csrr a4, 0x353\n1: addi a5, a5, 1\nbnez a3, 2f\nj 1b\n2: csrr a6, 0x353\nsw zero, 0(t0)\n.org 0x1000\n\
         csrr a0, 0x352\ncsrr a1, 0x351\ncsrr a2, 0x353\nli a3, 1\n3: j 3b\n.word 0x70200073",
    );
    let mut hart = hart::<Rv64>(true);
    hart.set_nmi_handlers(0x1000, 0x2000);
    assert_eq!(hart.run(&mut world, 100 * CYCLE), Stop::Horizon);
    let interrupted = hart.pc();
    hart.set_nmi(true);
    // The handler ends in a loop: it is not entered again while NMIE is 0, though the level is still high.
    assert!(matches!(hart.run(&mut world, NEVER), Stop::Park(_)));
    assert_eq!(hart.counters().traps, 1);
    assert_eq!(hart.register(14), 1 << 3 | 3 << 11, "NMIE is 1 out of reset");
    assert_eq!(hart.register(10), 1 << 63 | 2);
    assert_eq!(hart.register(11), interrupted);
    assert_eq!(hart.register(12), 3 << 11);
    // On from the loop to the mnret behind it.
    hart.set_nmi(false);
    hart.resume(hart.time());
    let end = hart.pc();
    world.set_word(end, 0x7020_0073);
    run_to_exit(&mut hart, &mut world);
    assert_eq!(hart.register(16), 1 << 3 | 3 << 11);
}

#[test]
fn a_trap_in_the_nmi_handler_goes_to_the_exception_handler() {
    let mut world =
        world::<Rv64>("1: j 1b\n.org 0x1000\necall\n.org 0x1800\ncsrr a0, mcause\nsw zero, 0(t0)");
    let mut hart = hart::<Rv64>(true);
    hart.set_nmi_handlers(0x1000, 0x1800);
    assert_eq!(hart.run(&mut world, CYCLE), Stop::Horizon);
    hart.set_nmi(true);
    run_to_exit(&mut hart, &mut world);
    assert_eq!(hart.register(10), 11);
}

#[test]
fn lr_and_sc_fail_when_the_word_changed_in_between() {
    let mut world = world::<Rv64>(
        "li t1, 0x40000\nlr.w a0, (t1)\nli a1, 5\nsc.w a2, a1, (t1)\nsc.w a3, a1, (t1)\n\
         lr.d a4, (t1)\nli a1, 9\nsw a1, 0(t1)\nsc.d a5, a1, (t1)\nld a6, 0(t1)\nsw zero, 0(t0)",
    );
    let mut hart = hart::<Rv64>(true);
    world.set_word(0x4_0000, 0x8000_0001);
    run_to_exit(&mut hart, &mut world);
    let registers: Vec<u64> = (10..17).map(|number| hart.register(number)).collect();
    assert_eq!(registers, [0xffff_ffff_8000_0001, 9, 0, 1, 5, 1, 9]);
}

#[test]
fn counters_count_and_can_be_set() {
    let mut world = world::<Rv64>(
        "csrr a0, instret\ncsrr a1, instret\ncsrr a2, cycle\ncsrr a3, cycle\nli t1, 1000\ncsrw mcycle, t1\n\
         csrr a4, mcycle\ncsrwi 0x7c1, 5\ncsrrwi a5, 0x7c1, 6\nsw zero, 0(t0)",
    );
    let mut hart = hart::<Rv64>(true);
    run_to_exit(&mut hart, &mut world);
    assert_eq!(hart.register(11) - hart.register(10), 1);
    assert_eq!(hart.register(13) - hart.register(12), 1);
    assert_eq!(hart.register(14), 1001);
    assert_eq!(hart.register(15), 5);
}

#[test]
fn a_baby_core_is_core_0_with_its_own_misa() {
    let mut world = world::<Rv32>("csrr a0, mhartid\ncsrr a1, misa\ncsrr a2, mstatus\nsw zero, 0(t0)");
    let mut hart = hart::<Rv32>(true);
    run_to_exit(&mut hart, &mut world);
    assert_eq!([10, 11, 12].map(|number| hart.register(number)), [0, 0x4020_1123, 0x8000_6600]);
}

#[test]
fn a_baby_core_refuses_what_it_lacks_and_says_what_it_was() {
    for (body, said, rule) in [
        ("ecall", "ecall", Rule::NoTraps),
        ("ebreak", "ebreak", Rule::NoTraps),
        (".word 0xffffffff", "0xffffffff", Rule::Instruction),
        (".word 0x00000002", "coprocessor", Rule::CoprocessorWord),
        // lr.w: the cores have Zaamo without LR/SC.
        (".word 0x1000202f", "0x1000202f", Rule::Instruction),
        // ld
        (".word 0x00003003", "0x00003003", Rule::Instruction),
        // slli with a shift of 32
        (".word 0x02001013", "0x02001013", Rule::Instruction),
        ("li t1, 0x40001\nlw t2, 0(t1)", "0x40001", Rule::Misaligned),
        ("li t1, 0x40001\nsh t2, 0(t1)", "0x40001", Rule::Misaligned),
        ("li t1, 0x40002\n.insn r 0x2f, 2, 0, t2, t1, t1", "0x40002", Rule::Misaligned),
        ("csrr t1, 0x5c0", "0x5c0", Rule::ControlRegister),
        ("li t1, 0x40002\njr t1", "0x40002", Rule::Misaligned),
        ("li t1, 0x40000000\njr t1", "0x40000000", Rule::HartAddress),
        ("wfi", "0x10500073", Rule::Instruction),
    ] {
        let fault = refused(body);
        assert!(fault.detail.contains(said), "{body}: {fault}");
        assert_eq!(fault.rule, rule, "{body}: {fault}");
    }
}

#[test]
fn a_fault_leaves_the_pc_at_the_instruction_and_the_count_before_it() {
    let fault = refused("nop\necall");
    assert_eq!(fault.pc, 8 + 4);
    let mut world = world::<Rv32>("nop\necall");
    let mut hart = hart::<Rv32>(true);
    hart.run(&mut world, NEVER);
    assert_eq!(hart.counters().instructions, 3);
}

#[test]
fn code_that_is_written_over_is_fetched_anew() {
    for isa in [Isa::Rv32, Isa::Rv64] {
        // li a0, 7 over the instruction behind the store, which was decoded before.
        let body =
            "la t1, 1f\nli t2, 0x00700513\nsw t2, 0(t1)\n.balign 4\n1: .word 0x00100513\nsw zero, 0(t0)";
        let value = match isa {
            Isa::Rv32 => {
                let mut hart = hart::<Rv32>(true);
                run_to_exit(&mut hart, &mut world::<Rv32>(body));
                hart.register(10)
            }
            Isa::Rv64 => {
                let mut hart = hart::<Rv64>(true);
                run_to_exit(&mut hart, &mut world::<Rv64>(body));
                hart.register(10)
            }
        };
        assert_eq!(value, 7, "{isa:?}");
    }
}
