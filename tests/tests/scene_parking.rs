//! Parking is exact: every scenario gives the same with and without it, to the nanosecond and the byte.

use komorebi_sim::Card;
use komorebi_tests::scene::{SCENARIOS, over_seeds, play};

#[test]
fn parking_changes_no_result_no_time_no_count_and_no_memory() {
    let scenarios = SCENARIOS.len() as u64;
    // Each scenario with seed 0 and with one of its own.
    over_seeds(0..2 * scenarios, |number| {
        let scenario = &SCENARIOS[(number % scenarios) as usize];
        let builder = Card::builder().seed(if number < scenarios { 0 } else { number });
        let parked = play(builder.clone().parking(true), scenario);
        let polling = play(builder.parking(false), scenario);
        if let Some(difference) = parked.difference(&polling) {
            panic!("{}, parked and polling: {difference}", scenario.name);
        }
    });
}
