//! How fast the harts run here: a benchmark, run by hand.

mod hart_support;

use hart_support::{World, compile, hart};
use komorebi_sim::hart::{Rv32, Rv64, Stop, Xlen};
use komorebi_sim::time::NEVER;

/// Loads, stores, a product and branches, over memory of its own and shared.
const LOOP: &str = "
    .section .start,\"ax\"
    li a0, 0x40000
    li a1, 0x80000
    li a2, 20000000
    li a5, 12345
    1: lw a3, 0(a0)
    lw a4, 4(a1)
    mul a5, a5, a3
    add a5, a5, a4
    andi a6, a5, 63
    sh2add a7, a6, a1
    sw a5, 0(a7)
    beqz a6, 2f
    xor a3, a3, a5
    2: sw a3, 0(a0)
    addi a2, a2, -1
    bnez a2, 1b
    li t0, 0x10000010
    sw zero, 0(t0)
";

#[allow(clippy::disallowed_methods, reason = "a benchmark measures the machine it runs on")]
fn measure<X: Xlen>() {
    let source = format!(".attribute arch, \"rv{}im_zba_zbb\"\n{LOOP}", X::BITS);
    let mut world = World::new(X::ISA, &compile(X::ISA, "s", &source, "-O2"));
    let mut hart = hart::<X>(true);
    let start = std::time::Instant::now();
    let stop = hart.run(&mut world, NEVER);
    let seconds = start.elapsed().as_secs_f64();
    assert!(matches!(stop, Stop::Fault(fault) if fault.detail == "exit"));
    let instructions = hart.counters().instructions;
    println!(
        "{:?}: {instructions} instructions in {seconds:.3} s: {:.0} million a second",
        X::ISA,
        instructions as f64 / seconds / 1e6
    );
}

#[test]
#[ignore = "a benchmark: run it by hand, in release, with --nocapture"]
fn instructions_a_second() {
    measure::<Rv32>();
    measure::<Rv64>();
}
