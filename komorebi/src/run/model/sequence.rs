//! The host's extension of 16-bit sequence numbers against the rules of the contract (host-api, "Engines").

use komorebi_card::Group;
use proptest::prelude::*;

use crate::run::handles::{Progress, Slot, Table};
use crate::run::sequence::{Sequence, SequenceClock};

/// One command of the host: how its number comes from those before it.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Behind so many commands of other sources.
    Ahead { others: u64, queued: bool },
    /// Queued, and its number is so far behind the highest.
    Behind { lag: u64 },
}

/// What the contract says: true numbers in, and which of them the host can tell.
#[derive(Default)]
struct Reference {
    highest: u64,
}

impl Reference {
    /// The command's true number, and whether the host must know it.
    fn step(&mut self, step: Step) -> (u64, bool, bool) {
        match step {
            Step::Ahead { others, queued } => {
                self.highest += others + 1;
                // Exact while fewer than 32,768 commands of other sources lie between.
                (self.highest, queued, others < 32_768)
            }
            // A lag of up to 2,048 is the queue's; more is read as a gap.
            Step::Behind { lag } => (self.highest - lag, true, lag <= 2_048),
        }
    }
}

/// Gaps up to 65,534, whose edges come often. What lies beyond 63,486 looks like a lag to a queued command.
fn others(most: u64) -> impl Strategy<Value = u64> {
    prop_oneof![3 => 0_u64..4, 2 => 32_764_u64..32_772, 1 => most - 3..=most, 1 => 0..=most]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => others(63_486).prop_map(|others| Step::Ahead { others, queued: false }),
        2 => others(63_486).prop_map(|others| Step::Ahead { others, queued: true }),
        2 => prop_oneof![1_u64..20, 2_040_u64..2_056, 1_u64..4_000].prop_map(|lag| Step::Behind { lag }),
    ]
}

/// The steps' true numbers with what the host must tell; a lag that would lead before the first command is left out.
fn truth(steps: &[Step]) -> Vec<(u64, bool, bool)> {
    let mut reference = Reference::default();
    let mut numbers = Vec::new();
    for &step in steps {
        if let Step::Behind { lag } = step
            && lag >= reference.highest
        {
            continue;
        }
        let read_as_a_gap = matches!(step, Step::Behind { lag } if lag > 2_048);
        numbers.push(reference.step(step));
        if read_as_a_gap {
            // The host goes on from the gap it has seen: nothing behind it can be compared with the truth.
            break;
        }
    }
    numbers
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn numbers_are_exact_within_the_limits_and_refused_beyond_them(steps in prop::collection::vec(step(), 1..60)) {
        let mut clock = SequenceClock::default();
        for (index, (number, queued, told)) in truth(&steps).into_iter().enumerate() {
            let expected = if told { Sequence::Known(number) } else { Sequence::Lost };
            prop_assert_eq!(clock.extend(number as u16, queued), expected, "command {} of {:?}", index, steps);
        }
    }

    #[test]
    fn the_order_of_events_and_of_forgetting_changes_no_number(
        steps in prop::collection::vec(step(), 1..30),
        shuffle in prop::collection::vec(any::<prop::sample::Index>(), 30),
        forgotten in prop::collection::vec(any::<bool>(), 30),
    ) {
        let numbers = truth(&steps);
        let mut table = Table::new(4, 0);
        for (_, queued, _) in &numbers {
            table.push(Slot::new(Group::new(0, 1), *queued, false));
        }
        let mut left: Vec<usize> = (0..numbers.len()).collect();
        let mut told = vec![Sequence::None; numbers.len()];
        let mut at = 0;
        while !left.is_empty() {
            let command = left.remove(shuffle[at % shuffle.len()].index(left.len()));
            at += 1;
            let slot = table.get_mut(command as u64 + 1).unwrap();
            (slot.progress, slot.sequence) = (Progress::Done, Sequence::Low(numbers[command].0 as u16));
            // Those whose commands before them all have events are final; they may be forgotten.
            for (index, told) in told.iter_mut().enumerate() {
                let settled = !left.iter().any(|pending| *pending <= index);
                if settled && *told == Sequence::None {
                    *told = table.sequence(index as u64 + 1);
                    if forgotten[index % forgotten.len()] {
                        table.forget(index as u64 + 1);
                    }
                }
            }
        }
        for (index, (number, _, known)) in numbers.iter().enumerate() {
            let expected = if *known { Sequence::Known(*number) } else { Sequence::Lost };
            prop_assert_eq!(told[index], expected, "command {} of {:?}", index, steps);
        }
    }
}

#[test]
fn a_gap_of_65536_cannot_be_told_from_none() {
    let mut clock = SequenceClock::default();
    assert_eq!(clock.extend(1, false), Sequence::Known(1));
    let low = (2_u64 + 65_536) as u16;
    assert_eq!(clock.extend(low, false), Sequence::Known(2), "as the contract says");
}
