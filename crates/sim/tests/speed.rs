//! How fast the machine simulates; printed, not judged: `cargo test -p komorebi-sim --release --test speed -- --nocapture`.

mod support;

use std::time::{Duration, Instant};

use komorebi_card::{Card as _, NocXy, Rect};
use komorebi_sim::{Card, Counters};
use support::grid::Grid;

#[expect(clippy::disallowed_methods, reason = "it measures wall time, for people to read")]
fn wall(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn per_command(before: Counters, after: Counters, commands: u64) -> String {
    let per = |f: fn(&Counters) -> u64| (f(&after) - f(&before)) as f64 / commands as f64;
    format!(
        "{:.0} core instructions, {:.0} hart instructions, {:.0} loads and {:.0} stores of the hart, {:.0} packets, {:.0} messages, {:.0} tile turns, {:.0} hart turns",
        per(|c| c.tensix_instructions),
        per(|c| c.x280_instructions),
        per(|c| c.x280_uncached_loads),
        per(|c| c.x280_uncached_stores),
        per(|c| c.noc_packets),
        per(|c| c.messages),
        per(|c| c.tile_turns),
        per(|c| c.hart_turns)
    )
}

#[test]
fn speed_of_an_idle_and_of_a_busy_grid() {
    let mut grid =
        Grid::start(Card::builder(), Rect { start: NocXy::new(1, 2), end: NocXy::new(14, 11) }, true);
    grid.command(true);
    for (everybody, name) in [(true, "120 cores"), (false, "one core")] {
        let (before, began) = (grid.card.counters(), grid.card.now());
        let time = wall(|| {
            for _ in 0..200 {
                grid.command(everybody);
            }
        });
        let (after, virtual_time) = (grid.card.counters(), grid.card.now().since(began) / 200);
        println!(
            "a command to {name}: {:?} wall, {virtual_time:?} virtual; {}",
            time / 200,
            per_command(before, after, 200)
        );
    }
    let before = grid.card.counters();
    let end = grid.card.now() + Duration::from_secs(1);
    let time = wall(|| while grid.card.relax(end).unwrap() < end {});
    println!("an idle second: {time:?} wall; {}", per_command(before, grid.card.counters(), 1));
}
