//! Random graphs and streams whose commands change a tensor, ended from outside at any moment, by a CANCEL or by their
//! deadline. How far they come only the card's time says: what they leave must be what the interpreter left at some moment.

use std::time::Duration;

use km::Card as _;
use komorebi as km;
use komorebi_abi::engine::EngineCommand;
use komorebi_tests::engine::case::{Case, Left, Source, assert_same};
use komorebi_tests::engine::memory::{WORDS, apply};
use komorebi_tests::engine::{Random, Side};

const TIMEOUT: Duration = Duration::from_secs(5);
/// What ends an upload comes within so many microseconds of its start.
const LATEST: u32 = 60;
const UPLOADS: u64 = 1_000;
/// Uploads on one pair of cards.
const PER_CARD: u64 = 100;

/// What ends a case.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Cancel,
    Deadline,
}

impl By {
    const fn reason(self) -> &'static str {
        match self {
            Self::Cancel => "cancelled",
            Self::Deadline => "deadline",
        }
    }
}

fn with_deadline(source: Source, microseconds: u64) -> Source {
    match source {
        Source::Graph(graph) => Source::Graph(graph.deadline_us(microseconds)),
        Source::Stream(stream) => Source::Stream(stream.deadline_us(microseconds)),
    }
}

/// Every state of the tensor that the commands come through, the first and the last included.
fn states(case: &Case, commands: &[EngineCommand]) -> Vec<Vec<u32>> {
    let mut words = case.bytes.clone();
    let after = commands.iter().map(|command| {
        apply(&mut words, command);
        words.clone()
    });
    [case.bytes.clone()].into_iter().chain(after.collect::<Vec<_>>()).collect()
}

/// Holds what an upload left that was ended against a run of the interpreter to the end.
fn assert_left_on_the_way(case: &Case, left: &Left, whole: &Left, commands: &[EngineCommand]) {
    let Case { seed, source, .. } = case;
    let (_, before) = left.events.split_last().expect("its error event");
    assert!(whole.events.starts_with(before), "seed {seed}: {before:?} are not first in {:?}", whole.events);
    let states = states(case, commands);
    match source {
        // Commands go out in one order: some of them, from the first on.
        Source::Stream(_) => {
            assert!(states.contains(&left.words), "seed {seed}: no number of commands leaves this")
        }
        // Which of the nodes that could run did is open; what writes a page has one order.
        Source::Graph(_) => {
            for (page, words) in left.words.chunks(WORDS).enumerate() {
                let at = page * WORDS..(page + 1) * WORDS;
                let known = states.iter().any(|state| state[at.clone()] == *words);
                assert!(known, "seed {seed}: page {page} never held this: {words:x?}");
            }
        }
    }
}

/// Starts a case, ends it after `microseconds`, and gives what it left.
fn interrupted(side: &Side, case: &Case, by: By, microseconds: u32) -> Left {
    let mut case = case.clone();
    if by == By::Deadline {
        case.source = with_deadline(case.source, microseconds.max(1).into());
    }
    let (upload, handle) = side.start(0, &case);
    if by == By::Cancel {
        let until = side.card.now() + Duration::from_micros(microseconds.into());
        while side.card.now() < until {
            side.card.relax(until).unwrap();
        }
        side.run.cancel(&handle, TIMEOUT).unwrap();
    }
    side.finish(0, &case, &upload, &handle)
}

#[test]
fn what_a_cancel_or_a_deadline_at_any_moment_leaves_is_what_the_interpreter_came_through() {
    let mut ended = [0_u64; 2];
    for card in 0..UPLOADS / PER_CARD {
        let (dispatcher, interpreter) =
            (Side::new(2 * card, Default::default()), Side::new(2 * card + 1, Default::default()));
        for seed in card * PER_CARD..(card + 1) * PER_CARD {
            let mut random = Random::new(seed);
            let kind = random.one_of(&[km::UploadKind::Graph, km::UploadKind::Stream]);
            let by = random.one_of(&[By::Cancel, By::Deadline]);
            let case = Case::new(kind, 2_000_000 + seed, seed & 0xFFFF);
            let (whole, commands) = interpreter.hostfed(0, &case);
            let left = interrupted(&dispatcher, &case, by, random.below(LATEST));
            let reason = komorebi_abi::engine::Reason(left.events.last().unwrap().3.unwrap_or(0)).name();
            if reason == Some(by.reason()) {
                assert_left_on_the_way(&case, &left, &whole, &commands);
                ended[usize::from(by == By::Deadline)] += 1;
            } else {
                assert_same(&case, &left, &whole);
            }
            if seed % 8 == 0 {
                dispatcher.works();
            }
        }
        dispatcher.run.stop(TIMEOUT).unwrap();
        interpreter.run.stop(TIMEOUT).unwrap();
    }
    println!("of {UPLOADS} uploads {} were cancelled and {} late", ended[0], ended[1]);
    assert!(ended.iter().all(|count| *count > UPLOADS / 8), "{ended:?}");
    assert!(ended.iter().sum::<u64>() < UPLOADS, "none came to its end: {ended:?}");
}
