//! Floating point of the X280 apart from its arithmetic, which `hart_qemu.rs` judges: when it is on, registers, traps, time.

mod hart_support;

use hart_support::{CYCLE, EXIT, World, compile, hart, run_to_exit};
use komorebi_sim::hart::{Hart, Isa, Rv64, Stop};

const ON: &str = "li t6, 0x2000\ncsrs mstatus, t6\n";

fn world(body: &str) -> World {
    let source = format!(
        ".attribute arch, \"rv64imafdc_zicsr_zfh\"\n.section .start,\"ax\"\nli t0, {EXIT:#x}\n{body}\nsw zero, 0(t0)\n"
    );
    World::new(Isa::Rv64, &compile(Isa::Rv64, "s", &source, "-O2"))
}

fn run(body: &str) -> Hart<Rv64> {
    let mut hart = hart::<Rv64>(true);
    run_to_exit(&mut hart, &mut world(body));
    hart
}

/// Runs `body`, whose trap leaves cause and value.
fn trapped(body: &str) -> (u64, u64) {
    let hart = run(&format!(
        "la t1, handler\ncsrw mtvec, t1\n{body}\n1: j 1b\n.align 2\nhandler: csrr a0, mcause\ncsrr a1, mtval"
    ));
    (hart.register(10), hart.register(11))
}

#[test]
fn floating_point_that_is_off_is_illegal_and_the_value_is_the_instruction() {
    for (body, value) in [
        ("fadd.d f1, f2, f3", 0x0231_70d3),
        ("fmv.x.w a0, f1", 0xe000_8553),
        (".option rvc\nc.fld f8, 0(x8)", 0x2000),
        (".option rvc\nc.fsdsp f8, 8(sp)", 0xa422),
        ("flw f1, 0(sp)", 0x0001_2087),
        ("fsh f1, 0(sp)", 0x0011_1027),
        ("csrr a0, fflags", 0x0010_2573),
        ("csrwi fcsr, 0", 0x0030_5073),
    ] {
        assert_eq!(trapped(body), (2, value), "{body}");
    }
}

#[test]
fn misaligned_accesses_trap_as_integer_ones_do() {
    for (body, cause) in [
        ("fld f1, 4(t2)", 4),
        ("flw f1, 2(t2)", 4),
        ("flh f1, 1(t2)", 4),
        ("fsd f1, 4(t2)", 6),
        ("fsh f1, 1(t2)", 6),
    ] {
        let (found, value) = trapped(&format!("{ON}li t2, 0x40000\n{body}"));
        assert_eq!((found, value & !7), (cause, 0x4_0000), "{body}");
    }
}

#[test]
fn reserved_rounding_modes_are_illegal() {
    assert_eq!(trapped(&format!("{ON}.word 0x023150d3")), (2, 0x0231_50d3), "5 in the instruction");
    assert_eq!(trapped(&format!("{ON}fsrmi 5\nfadd.d f1, f2, f3")), (2, 0x0231_70d3), "5 in frm");
    let hart = run(&format!("{ON}fsrmi 7\nfadd.d f1, f2, f3, rne\nfsgnj.d f1, f2, f3\nfrrm a0"));
    assert_eq!(hart.register(10), 7, "what does not ask frm does not mind");
}

#[test]
fn writing_floating_point_state_makes_it_dirty() {
    let dirty = 1 << 63 | 3 << 13;
    for (body, expected) in [
        ("fmv.x.d a1, f1\nfeq.d a1, f1, f2", 1 << 13),
        ("fmv.d.x f1, zero", dirty),
        ("csrwi fflags, 0", dirty),
        ("fld f1, 0(zero)", dirty),
        ("fsd f1, -8(sp)", 1 << 13),
        // Of two quiet ones this is invalid.
        ("fmv.x.d a1, f0\nflt.s a1, f1, f2", dirty),
    ] {
        let hart = run(&format!("{ON}{body}\ncsrr a0, mstatus"));
        assert_eq!(hart.register(10) & (1 << 63 | 3 << 13), expected, "{body}");
    }
}

#[test]
fn narrow_values_are_boxed_in_ones_and_others_count_as_not_a_number() {
    let hart = run(&format!(
        "{ON}li t1, 0x40000\nli t2, 0x3c003f8000000000\nsd t2, 0(t1)\nflw f1, 4(t1)\nflh f2, 6(t1)\nfld f3, 0(t1)\n\
         fadd.s f4, f1, f3\nfsw f3, 8(t1)\nlw a0, 8(t1)\nfmv.x.w a1, f1\nfmv.x.h a2, f2\nfclass.s a3, f3"
    ));
    assert_eq!(hart.float_register(1), 0xffff_ffff_3c00_3f80);
    assert_eq!(hart.float_register(2), 0xffff_ffff_ffff_3c00);
    assert_eq!(hart.float_register(4), 0xffff_ffff_7fc0_0000, "f3 is no boxed single");
    assert_eq!(hart.register(10), 0, "stores take the low bits as they are");
    assert_eq!([11, 12].map(|number| hart.register(number)), [0x3c00_3f80, 0x3c00]);
    assert_eq!(hart.register(13), 1 << 9);
}

#[test]
fn the_flags_accrue_until_they_are_cleared() {
    let hart = run(&format!(
        "{ON}fmv.d.x f1, zero\nli t1, 3\nfcvt.d.w f2, t1\nfdiv.d f3, f2, f1\nfrflags a0\nfdiv.d f4, f1, f1\nfrflags a1\n\
         fdiv.d f5, f2, f2\nfsflagsi a2, 0\nli t1, 7\nfcvt.d.w f6, t1\nfdiv.d f3, f2, f6\nfrflags a3\nfscsr a4, zero\nfrcsr a5"
    ));
    assert_eq!([10, 11, 12, 13, 14, 15].map(|number| hart.register(number)), [8, 0x18, 0x18, 1, 1, 0]);
}

#[test]
fn the_registers_are_cleared_by_reset() {
    let mut hart = run(&format!("{ON}li t1, -1\nfmv.d.x f31, t1\nfsrmi 3"));
    assert_eq!(hart.float_register(31), u64::MAX);
    hart.reset(0, hart.time());
    assert_eq!(hart.float_register(31), 0);
    run_to_exit(&mut hart, &mut world("csrr a0, mstatus\nli t6, 0x2000\ncsrs mstatus, t6\nfrcsr a1"));
    assert_eq!(hart.register(10) >> 13 & 3, 0, "off");
    assert_eq!(hart.register(11), 0);
}

/// Cycles from in front of `body` until its results are there.
fn cycles(body: &str) -> u64 {
    let hart = run(&format!("{ON}nop\ncsrr a0, mcycle\n{body}\nfence\ncsrr a1, mcycle"));
    // The first csrr, and the fence's two.
    hart.register(11) - hart.register(10) - 3
}

#[test]
fn a_result_is_waited_for_by_its_user_and_by_a_fence() {
    assert_eq!(cycles(""), 0);
    for (body, expected) in [
        ("fadd.s f1, f2, f3", 5),
        ("fadd.d f1, f2, f3", 7),
        ("fmadd.d f1, f2, f3, f4", 7),
        ("fadd.d f1, f2, f3\nfadd.d f4, f2, f3", 8),
        ("fadd.d f1, f2, f3\nfadd.d f4, f1, f3", 14),
        ("fmadd.d f1, f2, f3, f4\nfmadd.d f5, f2, f3, f1", 14),
        ("fsgnj.d f1, f2, f3", 3),
        ("feq.d a5, f2, f3", 3),
        ("fcvt.w.d a5, f2\nadd a5, a5, a5", 4),
        ("fdiv.s f1, f2, f3", 27),
        ("fsqrt.d f1, f2\nfdiv.h f3, f4, f5", 56 + 14),
        ("fdiv.h f1, f2, f3\nadd a5, a5, a5", 14),
        // A load of the test's world takes 8.
        ("fld f1, 0(zero)\nfld f2, 0(zero)", 9),
        ("fld f1, 0(zero)\nfadd.d f2, f1, f1", 15),
    ] {
        assert_eq!(cycles(body), expected, "{body}");
    }
}

#[test]
fn a_store_waits_for_its_value() {
    let mut hart = hart::<Rv64>(true);
    let mut world =
        world(&format!("{ON}li t1, 0x40000\nnop\nsd zero, 0(t1)\nfadd.d f1, f2, f3\nfsd f1, 0(t1)"));
    run_to_exit(&mut hart, &mut world);
    assert_eq!(world.stores[1].0 - world.stores[0].0, (1 + 7) * CYCLE);
}

/// A shared load or store is not made later than the horizon; private ones are.
#[test]
fn shared_floating_point_accesses_keep_to_the_horizon() {
    for (body, counts) in [
        ("fld f1, 0(t1)", (1, 0)),
        ("fsd f1, 0(t1)", (0, 1)),
        ("fld f1, -8(sp)", (0, 0)),
        ("fsd f1, -8(sp)", (0, 0)),
    ] {
        let mut world = world(&format!("{ON}li t1, 0x40000\n1: {body}\nj 1b"));
        let mut hart = hart::<Rv64>(true);
        assert_eq!(hart.run(&mut world, 0), Stop::Horizon);
        while hart.time() < 400 * CYCLE {
            let (before, horizon) = (hart.counters(), hart.time() - 1);
            assert_eq!(hart.run(&mut world, horizon), Stop::Horizon);
            let after = hart.counters();
            assert_eq!(
                (after.shared_loads, after.shared_stores),
                (before.shared_loads, before.shared_stores)
            );
            assert_eq!(hart.run(&mut world, horizon + 1), Stop::Horizon);
            let after = hart.counters();
            let made = (after.shared_loads - before.shared_loads, after.shared_stores - before.shared_stores);
            assert!(made == counts || made == (0, 0), "{body}: {made:?}");
        }
    }
}

/// A loop whose floating-point register counts has the same integer registers each time.
#[test]
fn a_loop_that_computes_in_floating_point_does_not_park() {
    let body = format!(
        "{ON}li t1, 100000\nfcvt.d.w f2, t1\nli t1, 1\nfcvt.d.w f3, t1\n\
         1: fadd.d f1, f1, f3\nfeq.d t1, f1, f2\nbeqz t1, 1b\nfcvt.w.d a0, f1"
    );
    let ends = [true, false].map(|parking| {
        let mut hart = hart::<Rv64>(parking);
        run_to_exit(&mut hart, &mut world(&body));
        (hart.register(10), hart.time(), hart.counters())
    });
    assert_eq!(ends[0], ends[1]);
    assert_eq!(ends[0].0, 100_000);
}
