//! What instructions cost, and where a hart stops.

mod hart_support;

use hart_support::{CYCLE, EXIT, PRIVATE, World, compile, hart};
use komorebi_sim::hart::{Hart, Rv32, Stop, Xlen};
use komorebi_sim::time::NEVER;

fn world(body: &str) -> World {
    let source = format!(".section .start,\"ax\"\nli t0, {EXIT:#x}\n{body}\nsw zero, 0(t0)\n");
    World::new(Rv32::ISA, &compile(Rv32::ISA, "s", &source, "-O2"))
}

/// Cycles of `body`, apart from what every program here has.
fn cycles(body: &str) -> u64 {
    let run = |body: &str| {
        let mut hart = hart::<Rv32>(true);
        hart.set_register(8, 0x4_0000);
        hart.set_register(9, PRIVATE.start);
        let stop = hart.run(&mut world(body), NEVER);
        assert!(matches!(&stop, Stop::Fault(fault) if fault.detail == "exit"), "{stop:?}");
        hart.time()
    };
    let (with, without) = (run(body), run(""));
    assert_eq!((with - without) % CYCLE, 0);
    (with - without) / CYCLE
}

#[test]
fn an_alu_instruction_takes_a_cycle() {
    assert_eq!(cycles("add a0, a1, a2\nxori a3, a0, 1\nlui a4, 5"), 3);
}

#[test]
fn a_product_is_late_by_one_only_for_its_consumer() {
    assert_eq!(cycles("mul a0, a1, a2\nnop\nadd a3, a0, a0"), 3);
    assert_eq!(cycles("mul a0, a1, a2\nadd a3, a0, a0"), 3);
    assert_eq!(cycles("mul a0, a1, a2\nmul a4, a1, a2\nmul a5, a1, a2"), 3);
}

#[test]
fn a_division_takes_from_2_to_33_cycles_by_its_dividend() {
    assert_eq!(cycles("li a1, 7\ndiv a0, a1, zero"), 1 + 2);
    assert_eq!(cycles("li a1, 7\nli a2, 1\ndiv a0, a1, a2"), 2 + 2);
    assert_eq!(cycles("lui a1, 0x80000\nli a2, -1\ndiv a0, a1, a2"), 2 + 2);
    assert_eq!(cycles("li a2, 3\ndivu a0, zero, a2"), 1 + 6);
    assert_eq!(cycles("li a1, -1\nli a2, 3\ndivu a0, a1, a2"), 2 + 33);
    assert_eq!(cycles("li a1, -1\nli a2, 3\ndiv a0, a1, a2"), 2 + 6);
}

#[test]
fn a_load_stalls_only_its_consumer() {
    assert_eq!(cycles("lw a0, 0(s1)\nadd a1, a0, a0"), 3, "private: 2 cycles");
    assert_eq!(cycles("lw a0, 0(s0)\nadd a1, a0, a0"), 9, "shared: 8 cycles");
    assert_eq!(cycles("lw a0, 0(s0)\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nadd a1, a0, a0"), 9);
    assert_eq!(cycles("lw a0, 0(s0)\nlw a1, 4(s0)\nlw a2, 8(s0)\nadd a3, a0, a1\nadd a3, a3, a2"), 11);
    assert_eq!(cycles("lw a0, 0(s0)\nli a0, 1\nadd a1, a0, a0"), 3, "overwritten before it came");
}

#[test]
fn a_branch_predicted_wrong_costs_a_bubble_of_4() {
    assert_eq!(cycles("beq zero, zero, 1f\n1:"), 5, "forward, taken");
    assert_eq!(cycles("bne zero, zero, 1f\n1:"), 1, "forward, not taken");
    assert_eq!(
        cycles("li a0, 3\n1: addi a0, a0, -1\nbnez a0, 1b"),
        1 + 3 + 2 + 5,
        "backward: twice right, once wrong"
    );
    assert_eq!(cycles("j 1f\n1:"), 1);
}

#[test]
fn the_wait_hint_waits_for_outstanding_loads() {
    assert_eq!(cycles("lw a0, 0(s0)\n.insn r 0x33, 0, 0, x0, s0, x0"), 9);
}

#[test]
fn a_fence_waits_for_outstanding_loads() {
    assert_eq!(cycles("lw a0, 0(s0)\nfence"), 8 + 2);
}

fn started(body: &str) -> (Hart<Rv32>, World) {
    let mut hart = hart::<Rv32>(true);
    hart.set_register(8, 0x4_0000);
    hart.set_register(9, PRIVATE.start);
    (hart, world(body))
}

#[test]
fn a_hart_stops_in_front_of_a_shared_access_that_is_later_than_the_horizon() {
    for access in ["lw a0, 0(s0)", "sw a0, 0(s0)", ".insn r 0x2f, 2, 0, a0, s0, a0", "csrr a0, cycle"] {
        let (mut hart, mut world) = started(&format!("nop\nnop\n{access}"));
        // li t0 is two instructions: the access is at cycle 4.
        assert_eq!(hart.run(&mut world, 4 * CYCLE - 1), Stop::Horizon, "{access}");
        assert_eq!((hart.time(), hart.pc(), hart.counters().instructions), (4 * CYCLE, 16, 4), "{access}");
        assert!(world.stores.is_empty());
        let stop = hart.run(&mut world, 4 * CYCLE);
        assert!(hart.counters().instructions > 4, "{access}: {stop:?}");
    }
}

#[test]
fn private_work_runs_ahead_and_ends_at_a_backward_jump_past_the_horizon() {
    let (mut hart, mut world) = started("lw a0, 0(s1)\nsw a0, 4(s1)\n1: addi a1, a1, 1\nj 1b");
    assert_eq!(hart.run(&mut world, 20 * CYCLE), Stop::Horizon);
    // It looks around 64 cycles behind the horizon.
    assert!(hart.time() > 20 * CYCLE && hart.time() < 88 * CYCLE);
    assert_eq!(hart.counters().shared_loads + hart.counters().shared_stores, 0);
}

#[test]
fn stopping_often_changes_nothing() {
    let body = "li a2, 50\n1: lw a0, 0(s0)\naddi a0, a0, 3\nmul a1, a0, a2\nsw a1, 0(s0)\nlw a3, 0(s1)\nfence\n\
                sw a1, 0(s1)\naddi a2, a2, -1\nbnez a2, 1b";
    let (mut whole, mut whole_world) = started(body);
    assert!(matches!(whole.run(&mut whole_world, NEVER), Stop::Fault(_)));
    let (mut steps, mut steps_world) = started(body);
    let mut horizon = 0;
    while steps.run(&mut steps_world, horizon) == Stop::Horizon {
        horizon += CYCLE / 3;
    }
    assert_eq!(steps.time(), whole.time());
    assert_eq!(steps.counters(), whole.counters());
    assert_eq!(steps_world.stores, whole_world.stores);
}

#[test]
fn a_new_clock_counts_from_where_it_changed() {
    let (mut hart, mut world) = started("nop\n1: csrr a0, cycle\nj 1b");
    assert_eq!(hart.run(&mut world, 100 * CYCLE), Stop::Horizon);
    let before = hart.time();
    let count = hart.register(10);
    hart.set_cycle(10 * CYCLE);
    assert_eq!(hart.run(&mut world, before + 1000 * CYCLE), Stop::Horizon);
    assert!(hart.time() - before >= 1000 * CYCLE);
    assert!((100..=104).contains(&(hart.register(10) - count)), "{}", hart.register(10) - count);
}
