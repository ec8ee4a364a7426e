//! The host's rules of room against the dispatcher's: neither ring is overrun, nothing waits for ever, every command has its
//! event, over many laps of both.

use std::time::Duration;

use komorebi_abi::constants::{command as c, event as e};
use komorebi_card::{CardTime, Group, HostMem};
use proptest::prelude::*;

use super::dispatcher::{REJECTED, Rings, TILE};
use crate::load::LoadOptions;
use crate::run::handles::Progress;
use crate::run::sequence::Sequence;
use crate::run::state::{Checked, State};

/// A host and a dispatcher, as large as these say.
struct Pair {
    state: State,
    rings: Rings,
}

impl Pair {
    fn new(lines: u32, depth: u32, batch: u32, slots: usize) -> Self {
        let events = HostMem::anonymous((depth * e::EVENT_BYTES) as usize, TILE, 0).unwrap();
        let options = LoadOptions {
            host_depth: lines,
            event_depth: depth,
            batch,
            settle: Duration::ZERO,
            ..LoadOptions::default()
        };
        let state = State::new(TILE, events.clone(), &options);
        Self { state, rings: Rings::new(lines, depth, slots, events) }
    }

    fn submit(&mut self, handler: u8) {
        let args = [0; c::ARGS_MAX as usize];
        let command = Checked { handler, flags: 0, group: Group::new(0, 1), words: 0, args };
        self.state.push(&command);
    }

    /// The host's part of a turn of a wait; true when it read or sent something.
    fn host(&mut self) -> bool {
        let before = self.state.events.read;
        assert!(self.state.read_events().is_ok(), "every event is of a command in flight");
        self.rings.model().read = self.state.events.read;
        let last = self.state.last();
        self.state.send(&self.rings, last, CardTime::default()).unwrap() || self.state.events.read > before
    }

    /// Turns until everything that was submitted is answered.
    fn finish(&mut self, mut choice: impl FnMut() -> usize) {
        let last = self.state.last();
        while self.state.table.oldest() <= last {
            let host = self.host();
            let model = self.rings.model().turn(choice());
            assert!(host || model, "both wait for each other");
        }
        let model = self.rings.model();
        assert_eq!((model.consumed, model.posted, self.state.events.read), (last, last, last));
    }
}

/// What happens next.
#[derive(Clone, Copy, Debug)]
enum Move {
    Submit(u8),
    Host,
    Dispatcher(usize),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        4 => prop::sample::select(vec![1_u8, 1, 1, REJECTED, c::KM_HANDLER_PING as u8]).prop_map(Move::Submit),
        2 => Just(Move::Host),
        5 => any::<usize>().prop_map(Move::Dispatcher),
    ];
    prop::collection::vec(one, 1..600)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn neither_ring_is_overrun_and_nothing_waits_for_ever(
        lines in 0_u32..=6, depth in 1_u32..=7, batch in 1_u32..=64, slots in 1_usize..=16, moves in moves(),
    ) {
        let mut pair = Pair::new(1 << lines, 1 << depth, batch, slots);
        for step in &moves {
            match *step {
                Move::Submit(handler) => pair.submit(handler),
                Move::Host => drop(pair.host()),
                Move::Dispatcher(choice) => drop(pair.rings.model().turn(choice)),
            }
        }
        let mut choice = moves.len();
        pair.finish(|| {
            choice = choice.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17) ^ 0x55;
            choice
        });
    }
}

#[test]
fn numbers_and_counts_go_on_past_16_bits() {
    const COMMANDS: u64 = 140_000;
    let mut pair = Pair::new(64, 128, 64, 16);
    for _ in 0..COMMANDS / 100 {
        for _ in 0..100 {
            pair.submit(1);
        }
        let mut choice = 0;
        pair.finish(|| {
            choice += 1;
            choice
        });
    }
    assert_eq!(pair.rings.model().sequence, COMMANDS);
    for number in [1, 65_535, 65_536, 65_537, 131_072, COMMANDS] {
        assert_eq!(pair.state.table.sequence(number), Sequence::Known(number));
        assert_eq!(pair.state.table.get(number).map(|slot| slot.progress), Some(Progress::Done));
    }
}
