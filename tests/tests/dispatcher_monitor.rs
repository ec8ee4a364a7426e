//! The monitor: parking, starting, returns, traps, taking a hart back.

use komorebi_abi::constants::{layout, monitor};
use komorebi_tests::dispatcher::{Rig, Setup};

fn state(rig: &Rig, hart: u32) -> u32 {
    rig.hart(hart, monitor::STATE) as u32
}

#[test]
fn the_magic_and_the_version_stand_in_the_block_once_the_harts_are_parked() {
    let rig = Setup::default().boot();
    assert_eq!(rig.monitor_magic(), u64::from(monitor::MAGIC) | u64::from(monitor::VERSION) << 32);
    assert!((0..monitor::HARTS).all(|hart| state(&rig, hart) == monitor::HART_PARKED));
}

#[test]
fn an_image_gets_its_argument_and_stack_and_its_return_value_is_kept() {
    let rig = Setup::default().boot();
    for hart in 0..monitor::HARTS {
        // add a0, a0, sp; li s0, 0; csrw mtvec, zero; ret
        let entry = rig.place_code(&[0x0025_0533, 0x0000_0413, 0x3050_1073, 0x0000_8067]);
        rig.start_hart(hart, entry, 0x1234_0000_0000);
        let stack = layout::LIM_BASE + u64::from(layout::LIM_STACKS + (hart + 1) * layout::LIM_STACK_BYTES);
        rig.until("the image returned", |rig| rig.hart(hart, monitor::VALUE) == 0x1234_0000_0000 + stack);
        rig.until("the hart is parked", |rig| state(rig, hart) == monitor::HART_PARKED);
        assert_eq!(rig.hart(hart, monitor::ENTRY), 0);
    }
}

#[test]
fn a_trap_is_reported_with_cause_address_and_value_and_the_hart_takes_the_next_image() {
    let rig = Setup::default().boot();
    // nop; lw a0, 0(a0): the error device answers with an access fault
    let entry = rig.place_code(&[0x0000_0013, 0x0005_2503]);
    rig.start_hart(2, entry, 0x3000);
    rig.until("the trap is reported", |rig| state(rig, 2) == monitor::HART_TRAPPED);
    let [cause, pc, value] = [monitor::CAUSE, monitor::PC, monitor::TRAP_VALUE].map(|word| rig.hart(2, word));
    assert_eq!((cause, pc, value), (5, entry + 4, 0x3000));
    // li a0, 7; ret
    let entry = rig.place_code(&[0x0070_0513, 0x0000_8067]);
    rig.start_hart(2, entry, 0);
    rig.until("the next image returned", |rig| {
        state(rig, 2) == monitor::HART_PARKED && rig.hart(2, monitor::VALUE) == 7
    });
}

#[test]
fn a_hart_that_never_returns_is_taken_back_and_the_others_are_left_alone() {
    let rig = Setup::default().boot();
    let entry = rig.place_code(&[0x0000_006f]); // j .
    rig.start_hart(0, entry, 0);
    rig.start_hart(1, entry, 0);
    rig.until("both run", |rig| {
        state(rig, 0) == monitor::HART_RUNNING && state(rig, 1) == monitor::HART_RUNNING
    });
    rig.take_back(0);
    assert_eq!(state(&rig, 1), monitor::HART_RUNNING);
    let entry = rig.place_code(&[0x0000_006f, 0x0090_0513, 0x0000_8067]) + 4; // li a0, 9; ret
    rig.start_hart(0, entry, 0);
    rig.until("hart 0 ran another image", |rig| {
        state(rig, 0) == monitor::HART_PARKED && rig.hart(0, monitor::VALUE) == 9
    });
    rig.take_back(1);
}
