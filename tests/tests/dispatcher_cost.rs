//! What a command costs the dispatcher, with real kernels on the grid: instructions and uncached accesses, counted
//! (costs.md: the contract of speed), and the time from one command to the next in the model's nominal setting.
//!
//! The numbers are printed (`--nocapture`); the bounds are what a change must not exceed.

use std::time::Duration;

use komorebi as km;
use komorebi_card::Card as _;
use komorebi_sim::Card;

const TIMEOUT: Duration = Duration::from_secs(5);
/// `take` has four argument words and does nothing.
const READER: &str = "#include <komorebi/kernel.h>\nKM_HANDLER(Take) { static_cast<void>(args.a); }\n";

/// Which commands to send.
#[derive(Clone, Copy)]
struct Load {
    what: &'static str,
    /// Cores of a group.
    count: u32,
    /// Groups, side by side, in turn.
    groups: u32,
    /// Four argument words, or none.
    args: bool,
}

/// Per command: nanoseconds, instructions, uncached loads, uncached stores.
fn cost(load: Load) -> [f64; 4] {
    let card = Card::builder().build();
    let session = km::Session::builder().on(&card).open().unwrap();
    let words = ["a", "b", "c", "d"].map(|name| (name, km::ArgKind::U32));
    let program = km::Program::new("cost")
        .with_sources(km::build::Sources::new().file("reader.cpp", READER.as_bytes()))
        .handler_with("take", 1, &words, None)
        .depth(16);
    let run = session.load(program).unwrap();
    let submit = |i: u32| {
        let group = (i % load.groups * load.count, load.count);
        match load.args {
            true => run.submit(km::call("take", &[i, 1, 2, 3]).on(group)).unwrap(),
            false => run.submit(km::nop().on(group)).unwrap(),
        }
    };
    // The time of 60 commands less that of 30: what is once a batch, the host's link above all, falls out.
    let time = |commands: u32| {
        let once = || {
            let from = card.now();
            let handles: Vec<_> = (0..commands).map(submit).collect();
            run.wait(&handles, TIMEOUT).unwrap();
            (card.now() - from).as_nanos()
        };
        (0..4).map(|_| once()).min().unwrap() as f64
    };
    let period = (time(60) - time(30)) / 30.0;
    let from = card.counters();
    time(60);
    let to = card.counters();
    let each = |to: u64, from: u64| (to - from) as f64 / 240.0;
    run.stop(TIMEOUT).unwrap();
    [
        period,
        each(to.x280_instructions, from.x280_instructions),
        each(to.x280_uncached_loads, from.x280_uncached_loads),
        each(to.x280_uncached_stores, from.x280_uncached_stores),
    ]
}

/// Checks a load against bounds for nanoseconds, instructions and loads.
fn check(load: Load, bounds: [f64; 3]) {
    let [time, instructions, loads, stores] = cost(load);
    let what = load.what;
    println!(
        "{what}: {time:.0} ns, {instructions:.0} instructions, {loads:.1} uncached loads, {stores:.1} stores a command"
    );
    for (found, bound) in [time, instructions, loads].into_iter().zip(bounds) {
        assert!(found <= bound, "{what}: {found:.1}, at most {bound}");
    }
}

#[test]
fn a_nop_for_one_core() {
    check(Load { what: "NOP, 1 core", count: 1, groups: 1, args: false }, [500.0, 250.0, 10.0]);
}

#[test]
fn a_command_with_arguments_for_one_core() {
    check(Load { what: "4 words, 1 core", count: 1, groups: 1, args: true }, [900.0, 280.0, 12.0]);
}

#[test]
fn a_nop_for_the_whole_grid() {
    check(Load { what: "NOP, 120 cores", count: 120, groups: 1, args: false }, [550.0, 280.0, 12.0]);
}

#[test]
fn commands_with_arguments_for_groups_in_turn() {
    check(
        Load { what: "4 words, 15 groups of 8 cores", count: 8, groups: 15, args: true },
        [1000.0, 330.0, 15.0],
    );
}
