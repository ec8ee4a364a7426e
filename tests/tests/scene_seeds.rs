//! What a program promises holds whatever the hardware leaves open: every scenario gives the same results with every seed.

use komorebi_sim::Card;
use komorebi_tests::scene::{SCENARIOS, over_seeds, play};

/// Seeds of the scenario whose bytes are compared with each.
const SEEDS: u64 = 32;

#[test]
fn every_seed_gives_the_same_bytes_at_times_of_its_own() {
    let pages = SCENARIOS.iter().find(|scenario| scenario.name == "pages through five threads").unwrap();
    let played = |seed: u64| play(Card::builder().seed(seed), pages);
    let first = played(0);
    assert_ne!(first.times(), played(1).times());
    over_seeds(1..SEEDS, |seed| assert_eq!(played(seed).promised(), first.promised()));
}

#[test]
fn every_scenario_gives_the_same_results_with_another_seed() {
    over_seeds(1..1 + SCENARIOS.len() as u64, |seed| {
        let scenario = &SCENARIOS[(seed - 1) as usize % SCENARIOS.len()];
        let [plain, other] = [0, seed].map(|seed| play(Card::builder().seed(seed), scenario));
        assert_eq!(plain.promised(), other.promised(), "{}", scenario.name);
    });
}
