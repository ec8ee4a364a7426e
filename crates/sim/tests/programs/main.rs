//! Random programs on many cores at once: whatever they do to each other, a card that lets its cores run ahead and park, one
//! that takes strict turns, one that is looked at and goes on from snapshots, and one that does it all again are the same.

mod asm;
mod play;
mod program;
mod statements;
#[path = "../support/mod.rs"]
mod support;

use std::cell::Cell;

/// Where random choices come from.
pub(crate) struct Dice(Cell<u64>);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        let dice = Self(Cell::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1));
        (0..4).for_each(|_| _ = dice.next());
        dice
    }

    /// xorshift64*
    fn next(&self) -> u64 {
        let mut state = self.0.get();
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        self.0.set(state);
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&self, bound: u64) -> u64 {
        (self.next() >> 24) % bound
    }
}

/// The scenarios to play: `KM_SCENARIOS=from..to` for a long run by hand.
fn scenarios(few: std::ops::Range<u64>) -> std::ops::Range<u64> {
    let Ok(text) = std::env::var("KM_SCENARIOS") else { return few };
    let (from, to) = text.split_once("..").expect("KM_SCENARIOS=from..to");
    from.parse().unwrap()..to.parse().unwrap()
}

#[test]
fn random_programs_do_the_same_ahead_of_their_turns_parked_and_in_strict_turns() {
    let mut told = play::Told::default();
    for scenario in scenarios(0..40) {
        play::check(scenario, &mut told);
        if scenario % 500 == 499 {
            eprintln!("{scenario}: {told:?}");
        }
    }
    eprintln!("{told:?}");
    assert!(
        told.faults > 0 && told.faults < told.scenarios,
        "some break a rule, and others do not: {told:?}"
    );
}
