//! What the host pays for a command: submit and its share of the waits, against a card that costs nothing. `value` is
//! the median of the rounds, `best` the least of them.
//!
//! Prints a JSON line a figure: `cargo run --release -p komorebi --example host_path`.

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use komorebi as km;
use support::counting::{Counting, allocations};
use support::null_card::NullCard;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const TIMEOUT: Duration = Duration::from_secs(1);
/// Commands of a round: a batch.
const ROUND: u64 = 64;
const ROUNDS: usize = 20_000;

fn main() -> km::Result<()> {
    let session = km::Session::builder().on(&NullCard::new()).open()?;
    let run = session.load(km::Program::new("nop").handler("step", 1))?;
    round(&run)?;
    let mut rounds = vec![0.0; ROUNDS];
    let before = allocations();
    for nanoseconds in &mut rounds {
        *nanoseconds = timed(&run)?;
    }
    let allocated = allocations() - before;
    rounds.sort_by(f64::total_cmp);
    let (best, median) = (rounds[0], rounds[ROUNDS / 2]);
    let commands = ROUND * ROUNDS as u64;
    println!(
        "{{\"name\":\"host_ns\",\"value\":{median:.1},\"unit\":\"ns\",\"best\":{best:.1},\"commands\":{commands}}}"
    );
    println!("{{\"name\":\"host_allocations\",\"value\":{allocated},\"unit\":\"\",\"commands\":{commands}}}");
    run.stop(TIMEOUT)?;
    Ok(())
}

/// Nanoseconds a command of one round.
#[allow(clippy::disallowed_methods, reason = "a benchmark measures wall time")]
fn timed(run: &km::Run) -> km::Result<f64> {
    let start = Instant::now();
    round(run)?;
    Ok(start.elapsed().as_nanos() as f64 / ROUND as f64)
}

fn round(run: &km::Run) -> km::Result<()> {
    let words = [1, 2, 3, 4];
    let first = run.submit(km::call(1, &words).on((0, 8)))?;
    let mut last = first;
    for i in 1..ROUND as u32 {
        last = run.submit(km::call(1, &words).on((i % 15 * 8, 8)))?;
    }
    run.wait(last, TIMEOUT)?;
    run.forget(first.through(last))
}
