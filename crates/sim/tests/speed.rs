//! How fast the machine simulates, printed: `cargo test -p komorebi-sim --release --test speed -- --ignored --nocapture`.

mod support;

use std::time::Duration;

use komorebi_card::{Card as _, NocXy, Rect};
use komorebi_sim::{Card, Counters};
use support::grid::Grid;

/// Processor time of this thread that `work` takes: other programs do not count.
fn processor(work: impl FnOnce()) -> Duration {
    let spent = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        Duration::from_nanos(text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0))
    };
    let before = spent();
    work();
    spent() - before
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
#[ignore = "a benchmark: run it by hand, in release, with --nocapture"]
fn speed_of_an_idle_and_of_a_busy_grid() {
    let mut grid =
        Grid::start(Card::builder(), Rect { start: NocXy::new(1, 2), end: NocXy::new(14, 11) }, true);
    grid.command(true);
    for (everybody, name, commands) in [(true, "120 cores", 500), (false, "one core", 20_000)] {
        let (before, began) = (grid.card.counters(), grid.card.now());
        let time = processor(|| {
            for _ in 0..commands {
                grid.command(everybody);
            }
        });
        let (after, virtual_time) = (grid.card.counters(), grid.card.now().since(began) / commands);
        println!(
            "a command to {name}: {:?}, {virtual_time:?} virtual; {}",
            time / commands,
            per_command(before, after, u64::from(commands))
        );
    }
    let before = grid.card.counters();
    let end = grid.card.now() + Duration::from_secs(30);
    let time = processor(|| while grid.card.relax(end).unwrap() < end {});
    println!("an idle second: {:?}; {}", time / 30, per_command(before, grid.card.counters(), 30));
}
