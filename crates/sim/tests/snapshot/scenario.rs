//! Random scenarios of a grid, played from many of their points.

use std::time::Duration;

use komorebi_card::{Card as _, NocXy};
use komorebi_sim::{Breakage, Builder, Card, When};

use super::support::grid::Grid;
use super::support::*;
use super::{Dice, TILES, look, tiles};

/// Something to do with a card.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A command to all tiles, or to the leader.
    Send(bool),
    /// The card runs for that many nanoseconds, or until it writes host memory.
    Relax(u64),
    Read(u64),
    /// Host memory is written, which the card may read.
    Poke(u64),
    Break(u64),
}

fn steps(dice: &mut Dice, count: usize, faults: bool) -> Vec<Step> {
    let mut step = |_| match dice.below(if faults { 12 } else { 11 }) {
        0..3 => Step::Send(dice.below(3) > 0),
        3..9 => Step::Relax(1 + dice.below(2_000)),
        9 => Step::Read(dice.below(12)),
        10 => Step::Poke(dice.below(64)),
        _ => Step::Break(dice.below(7)),
    };
    (0..count).map(&mut step).collect()
}

fn breakage(kind: u64) -> Breakage {
    let (tile, time) = (NocXy::new(7, 3), Duration::from_nanos(700));
    match kind {
        0 => Breakage::Freeze { tile, hart: 3, time: Some(time) },
        1 => Breakage::Delay { to: TILES.start, packets: 3, by: time },
        2 => Breakage::Hold { tile, address: 0x2_3000, value: 3, time },
        3 => Breakage::Flip { tile, address: 0x2_4000, bits: 0x81 },
        4 => Breakage::Scramble { tile, address: 0x2_5000, bytes: 256 },
        5 => Breakage::Drop { to: NocXy::new(11, 4), packets: 1 },
        _ => Breakage::Refuse("not now".to_owned()),
    }
}

/// Does a step; what came of it.
fn take(grid: &mut Grid, step: Step) -> String {
    let card = grid.card.clone();
    let until = |nanos| card.now() + Duration::from_nanos(nanos);
    let told = match step {
        Step::Send(everybody) => {
            // One command at a time: the grid knows no second one.
            if grid.is_done() {
                grid.send(everybody);
            }
            String::new()
        }
        Step::Relax(nanos) => format!("{:?}", card.relax(until(nanos))),
        Step::Read(tile) => {
            let tile = tiles().nth(tile as usize).unwrap();
            format!("{:?} {:?}", card.read32(tile, 0x2_3000), card.read32(CLUSTER, 0x0801_2000))
        }
        Step::Poke(at) => {
            grid.memory.store_u64(8 * (128 + at as usize), at);
            String::new()
        }
        Step::Break(kind) => {
            let when = match kind % 3 {
                _ if kind == 6 => When::Call(2),
                0 => When::Now,
                _ => When::At(until(400)),
            };
            card.break_on(when, breakage(kind)).unwrap();
            // The second one is refused, before a step that counts on its calls.
            let reads = (0..if kind == 6 { 2 } else { 0 }).map(|_| card.read32(CLUSTER, 0x0801_2000));
            format!("{:?}", reads.collect::<Vec<_>>())
        }
    };
    format!("{step:?} {told} at {:?}, word {:x}", card.now(), grid.word())
}

fn play(grid: &mut Grid, steps: &[Step]) -> Vec<String> {
    let mut story: Vec<_> = steps.iter().map(|step| take(grid, *step)).collect();
    story.push(look(&grid.card, &grid.card.host_regions()));
    story
}

/// Snapshots at each of many points of a random scenario.
fn check(builder: &Builder, seed: u64, faults: bool) {
    let mut dice = Dice(seed);
    let steps = steps(&mut dice, 60, faults);
    let new = || Grid::start(builder.clone().seed(seed), TILES, seed.is_multiple_of(2));
    let never = play(&mut new(), &steps);
    let mut grid = new();
    let mut points = Vec::new();
    for (n, step) in steps.iter().enumerate() {
        if n % 7 == seed as usize % 7 {
            points.push((n, grid.card.snapshot(), grid.on(grid.card.clone())));
        }
        assert_eq!(take(&mut grid, *step), never[n], "seed {seed}, step {n}, snapshots before it");
    }
    let end = look(&grid.card, &grid.card.host_regions());
    assert_eq!(end, never[steps.len()], "seed {seed}: a card that snapshots were taken of");
    assert!(faults || grid.done() >= 3, "seed {seed}: {} commands were done", grid.done());
    // Forked first, in any order: nothing of the one is the other's.
    let mut forks: Vec<_> =
        points.iter().map(|(n, snapshot, then)| (*n, then.on(snapshot.fork().unwrap()))).collect();
    for (n, fork) in forks.iter_mut().rev() {
        assert_eq!(play(fork, &steps[*n..]), never[*n..], "seed {seed}: forked before step {n}");
    }
    assert_eq!(look(&grid.card, &grid.card.host_regions()), end, "the forks' card is untouched");
    for (n, snapshot, then) in points.iter().rev() {
        grid.card.restore(snapshot).unwrap();
        let mut grid = then.on(grid.card.clone());
        assert_eq!(play(&mut grid, &steps[*n..]), never[*n..], "seed {seed}: restored to step {n}");
    }
}

#[test]
fn a_grid_goes_on_from_any_point_as_if_it_had_never_been_stopped() {
    for seed in 0..6 {
        check(&Card::builder(), seed, false);
    }
}

#[test]
fn a_grid_that_polls_goes_on_in_the_same_way() {
    for seed in 0..3 {
        check(&Card::builder().parking(false), seed, false);
    }
}

#[test]
fn what_is_planned_to_break_breaks_after_a_snapshot_too() {
    for seed in 100..108 {
        check(&Card::builder(), seed, true);
    }
}
