//! Parking is exact: with and without it a program ends with the same registers, memory, counters and time.

mod hart_support;

use hart_support::{CLOCK, CYCLE, EXIT, TICK, World, compile, hart};
use komorebi_sim::hart::{Counters, Hart, Isa, Rv32, Rv64, Stop, Xlen};
use komorebi_sim::time::{NEVER, Time};
use proptest::prelude::*;

/// Where the flags are that the loops wait for.
const FLAGS: u64 = 0x4_0000;
const FLAG_COUNT: u64 = 6;

/// One wait loop of a program.
#[derive(Clone, Debug)]
struct Wait {
    /// The flag that ends it, when it is not 0.
    flag: u64,
    /// Another flag that it looks at, and stores nothing of.
    other: u64,
    /// Ticks from its start to its deadline, if it has one.
    deadline: Option<u32>,
    /// Whether it has the HINT.
    marked: bool,
    /// Instructions that only take time, in three places.
    filling: [Vec<u8>; 3],
}

fn filling() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(0..9u8, 0..5)
}

fn wait() -> impl Strategy<Value = Wait> {
    (
        0..FLAG_COUNT,
        0..FLAG_COUNT,
        prop::option::of(1..3000u32),
        any::<bool>(),
        [filling(), filling(), filling()],
    )
        .prop_map(|(flag, other, deadline, marked, filling)| Wait {
            flag,
            other,
            deadline,
            marked,
            filling,
        })
}

/// A write of somebody else: after how many units since the last one, to which flag, what.
type Change = (Time, u64, u32);

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let length = prop_oneof![1..60 * CYCLE, 1..5_000 * CYCLE];
    prop::collection::vec((length, 0..FLAG_COUNT, 0..3u32), 0..12)
}

fn fill(text: &mut String, what: &[u8]) {
    for kind in what {
        text.push_str(match kind {
            0 => "nop\n",
            1 => "mul t4, s0, s2\n",
            2 => "fence\n",
            3 => "lw t5, 0(sp)\n",
            4 => "lw t5, 8(s0)\nadd t5, t5, t5\n",
            5 => "li t4, 77\ndivu t4, s0, t4\n",
            6 => "beqz zero, 9f\nnop\n9:\n",
            7 => "lbu t6, 5(s0)\n",
            _ => "lw t5, 12(s0)\n",
        });
    }
}

fn program(waits: &[Wait]) -> String {
    let mut text = format!(
        ".section .start,\"ax\"\nli s0, {FLAGS:#x}\nli s2, {CLOCK:#x}\nli s4, 0x50000\naddi sp, sp, -64\nsw zero, 0(sp)\n"
    );
    for (number, wait) in waits.iter().enumerate() {
        let wakes = match wait.deadline {
            Some(ticks) => {
                text.push_str(&format!("lw s3, 0(s2)\nli t0, {ticks}\nadd s3, s3, t0\n"));
                "s3"
            }
            None => "x0",
        };
        text.push_str(&format!("loop{number}:\n"));
        if wait.marked {
            text.push_str(&format!(".insn r 0x33, 0, 0, x0, s0, {wakes}\n"));
        }
        fill(&mut text, &wait.filling[0]);
        text.push_str(&format!("lw t1, {}(s0)\n", 4 * wait.flag));
        fill(&mut text, &wait.filling[1]);
        text.push_str(&format!("bnez t1, exit{number}\n"));
        if wait.deadline.is_some() {
            text.push_str(&format!("lw t2, 0(s2)\nsub t3, t2, s3\nbgez t3, exit{number}\n"));
        }
        text.push_str(&format!("lw t6, {}(s0)\n", 4 * wait.other));
        fill(&mut text, &wait.filling[2]);
        text.push_str(&format!("j loop{number}\nexit{number}:\n"));
        // What a clock showed is not used after its iteration, nor is what had not been read yet.
        text.push_str("li t2, 0\nli t3, 0\nli t4, 0\nli t5, 0\nli t6, 0\n");
        text.push_str(
            "csrr t0, cycle\nsw t0, 0(s4)\ncsrr t0, instret\nsw t0, 4(s4)\nsw t1, 8(s4)\naddi s4, s4, 16\n",
        );
    }
    text.push_str(&format!("li t0, {EXIT:#x}\nsw zero, 0(t0)\n"));
    text
}

/// All that a program leaves behind.
#[derive(PartialEq, Eq)]
struct End {
    stop: String,
    time: Time,
    registers: Vec<u64>,
    counters: Counters,
    stores: Vec<(Time, u64, u64)>,
    memory: Vec<u8>,
}

impl std::fmt::Debug for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} at {} {:?} {:x?} {:x?}",
            self.stop, self.time, self.counters, self.registers, self.stores
        )
    }
}

/// Runs to `until`, with every resumption that falls before it; counts parkings.
fn run_until<X: Xlen>(hart: &mut Hart<X>, world: &mut World, until: Time, parkings: &mut u32) -> Stop {
    loop {
        let stop = hart.run(world, until);
        match &stop {
            Stop::Park(park) => {
                *parkings += 1;
                match park.wake {
                    Some(wake) if wake <= until => hart.resume(wake),
                    _ => return stop,
                }
            }
            _ => return stop,
        }
    }
}

fn end<X: Xlen>(image: &[u8], changes: &[Change], parking: bool, parkings: &mut u32) -> End {
    let mut world = World::new(X::ISA, image);
    let mut hart = hart::<X>(parking);
    let mut now = 0;
    let mut stop = Stop::Horizon;
    // At the end every flag is set, so that every wait ends.
    let last = (0..FLAG_COUNT).map(|flag| (if flag == 0 { 20_000 * CYCLE } else { 1 }, flag, 9));
    for (after, flag, value) in changes.iter().copied().chain(last) {
        now += after;
        stop = run_until(&mut hart, &mut world, now, parkings);
        let address = FLAGS + 4 * flag;
        if matches!(stop, Stop::Park(_)) && hart.watches(address, 4) {
            hart.resume(now);
            stop = run_until(&mut hart, &mut world, now, parkings);
        }
        if hart.watches(address, 4) {
            hart.touched();
        }
        world.set_word(address, value);
    }
    while matches!(stop, Stop::Horizon | Stop::Park(_)) {
        now += 1_000_000 * CYCLE;
        hart.resume(now);
        stop = run_until(&mut hart, &mut world, now, parkings);
    }
    End {
        stop: match stop {
            Stop::Fault(fault) => fault.detail,
            other => format!("{other:?}"),
        },
        time: hart.time(),
        registers: (0..32).map(|number| hart.register(number)).collect(),
        counters: hart.counters(),
        stores: world.stores,
        memory: world.memory,
    }
}

fn check<X: Xlen>(waits: &[Wait], schedules: &[Vec<Change>]) -> Result<(), TestCaseError> {
    let image = compile(X::ISA, "s", &program(waits), "-O2");
    for changes in schedules {
        let mut parkings = 0;
        let parked = end::<X>(&image, changes, true, &mut parkings);
        let polled = end::<X>(&image, changes, false, &mut 0);
        prop_assert_eq!(&polled.stop, "exit");
        prop_assert!(parked == polled, "parked: {:?}\npolled: {:?}", parked, polled);
    }
    Ok(())
}

fn cases() -> ProptestConfig {
    ProptestConfig {
        cases: 24,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_parked_baby_core_ends_as_a_polling_one(
        waits in prop::collection::vec(wait(), 1..4),
        schedules in prop::collection::vec(changes(), 8),
    ) {
        check::<Rv32>(&waits, &schedules)?;
    }

    #[test]
    fn a_parked_x280_hart_ends_as_a_polling_one(
        waits in prop::collection::vec(wait(), 1..4),
        schedules in prop::collection::vec(changes(), 8),
    ) {
        check::<Rv64>(&waits, &schedules)?;
    }
}

fn one(deadline: Option<u32>, marked: bool) -> Vec<u8> {
    let wait = Wait { flag: 0, other: 1, deadline, marked, filling: [vec![], vec![], vec![]] };
    compile(Isa::Rv32, "s", &program(&[wait]), "-O2")
}

#[test]
fn a_marked_loop_parks_after_two_equal_iterations_until_its_clock_value() {
    let mut world = World::new(Isa::Rv32, &one(Some(1_000_000), true));
    let mut hart = hart::<Rv32>(true);
    let Stop::Park(park) = hart.run(&mut world, NEVER) else { panic!("the loop does not park") };
    assert!(hart.counters().instructions < 60);
    assert_eq!(hart.watch().iter().map(|watch| watch.address()).collect::<Vec<_>>(), [FLAGS, FLAGS + 4]);
    let wake = park.wake.expect("a loop with a deadline wakes");
    assert!(wake > 1_000_000 * TICK * CYCLE);
    hart.resume(wake);
    assert!(hart.time() <= wake && wake < hart.time() + park.period);
    assert!(hart.counters().instructions > 100_000, "skipped iterations count");
    assert!(matches!(hart.run(&mut world, NEVER), Stop::Fault(fault) if fault.detail == "exit"));
}

#[test]
fn an_unmarked_loop_parks_when_its_registers_repeat() {
    let mut world = World::new(Isa::Rv32, &one(None, false));
    let mut hart = hart::<Rv32>(true);
    assert!(matches!(hart.run(&mut world, NEVER), Stop::Park(park) if park.wake.is_none()));
    assert!(hart.counters().instructions < 200);
}

#[test]
fn an_unmarked_loop_that_reads_a_clock_does_not_park() {
    let mut world = World::new(Isa::Rv32, &one(Some(10_000), false));
    let mut hart = hart::<Rv32>(true);
    assert!(matches!(hart.run(&mut world, NEVER), Stop::Fault(fault) if fault.detail == "exit"));
}

#[test]
fn a_change_reported_while_the_loop_runs_keeps_it_from_parking_on_the_old_value() {
    let mut world = World::new(Isa::Rv32, &one(None, true));
    let mut hart = hart::<Rv32>(true);
    // In small steps, so that the change falls into an iteration that has loaded the flag.
    let mut now = 0;
    while !hart.watches(FLAGS, 4) {
        now += CYCLE;
        assert_eq!(hart.run(&mut world, now), Stop::Horizon);
    }
    world.set_word(FLAGS, 1);
    hart.touched();
    assert!(matches!(hart.run(&mut world, NEVER), Stop::Fault(fault) if fault.detail == "exit"));
}

#[test]
fn a_parked_hart_stays_parked_until_it_is_resumed() {
    let mut world = World::new(Isa::Rv32, &one(None, true));
    let mut hart = hart::<Rv32>(true);
    let first = hart.run(&mut world, NEVER);
    assert!(matches!(first, Stop::Park(_)));
    assert_eq!(hart.run(&mut world, NEVER), first);
}
