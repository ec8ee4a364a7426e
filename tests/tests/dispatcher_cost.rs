//! What a command costs the dispatcher: instructions and uncached accesses, counted (costs.md: the contract of speed).
//!
//! The numbers are printed (`--nocapture`); the bounds are what a change must not exceed.

use std::time::Duration;

use komorebi_abi::wire::Line;
use komorebi_sim::Counters;
use komorebi_tests::dispatcher::{Rig, Setup, command};

/// Instructions, uncached loads, uncached stores a command.
#[derive(Clone, Copy, Debug)]
struct Cost {
    instructions: f64,
    loads: f64,
    stores: f64,
}

/// Runs `rounds` full rings of commands `line(i)`, each completed by a grid that is always ahead of the dispatcher.
fn cost(setup: Setup, rounds: u32, line: impl Fn(u32) -> Line) -> Cost {
    let mut rig = setup.run();
    let mut sequence = 0;
    // The first ring warms up: groups get their windows.
    round(&mut rig, &mut sequence, &line);
    let from = rig.card.counters();
    for _ in 0..rounds {
        round(&mut rig, &mut sequence, &line);
    }
    let to = rig.card.counters();
    let each =
        |count: fn(&Counters) -> u64| (count(&to) - count(&from)) as f64 / f64::from(rounds * setup.lines);
    Cost {
        instructions: each(|c| c.x280_instructions),
        loads: each(|c| c.x280_uncached_loads),
        stores: each(|c| c.x280_uncached_stores),
    }
}

fn round(rig: &mut Rig, sequence: &mut u32, line: &impl Fn(u32) -> Line) {
    let Setup { depth, lines, .. } = rig.setup;
    for i in 0..lines {
        rig.store(line(i));
    }
    rig.commit();
    // Completions of all that are in flight, at once: the dispatcher is never kept waiting by the grid for long.
    for from in (0..lines).step_by(depth as usize) {
        for i in from..(from + depth).min(lines) {
            *sequence += 1;
            let slot = rig.find_published(u32::from(line(i).first), *sequence);
            rig.complete(slot, *sequence, 0);
        }
    }
    for _ in 0..lines {
        rig.event();
    }
    rig.show_read();
    rig.pass(Duration::from_micros(10));
}

fn check(what: &str, cost: Cost, instructions: f64, loads: f64) {
    println!(
        "{what}: {:.1} instructions, {:.2} uncached loads, {:.2} uncached stores a command",
        cost.instructions, cost.loads, cost.stores
    );
    assert!(cost.instructions <= instructions && cost.loads <= loads, "{what}: {cost:?}");
}

#[test]
fn a_command_for_one_core_at_depth_16() {
    let setup = Setup { depth: 16, ..Setup::default() };
    check("NOP, one core", cost(setup, 8, |_| command(0, 5, 1)), 250.0, 20.0);
    let args = |_| Line { words: 4, ..command(1, 5, 1) };
    check("four arguments, one core", cost(setup, 8, args), 300.0, 24.0);
}

#[test]
fn commands_for_groups() {
    let setup = Setup { depth: 15, ..Setup::default() };
    let groups = |i: u32| Line { words: 4, ..command(1, (i % 15 * 8) as u16, 8) };
    check("four arguments, 15 groups of 8 cores", cost(setup, 8, groups), 400.0, 30.0);
    let setup = Setup { depth: 16, ..Setup::default() };
    check("NOP, 120 cores", cost(setup, 8, |_| command(0, 0, 120)), 300.0, 22.0);
}
