//! The same calls give the same bytes at the same times: again, and with parking off. A seed changes times only
//! where the hardware leaves them open.

mod support;

use komorebi_card::{CardTime, NocXy, Rect};
use komorebi_sim::{Builder, Card, Counters};
use support::grid::Grid;

/// What a run leaves behind: the host's times, and words of memory.
#[derive(Debug, PartialEq, Eq)]
struct Trace {
    times: Vec<CardTime>,
    words: Vec<u64>,
}

/// Twenty commands, every third to the leader alone, on 4 x 3 tiles across the middle of the chip.
fn play(builder: Builder, marked: bool) -> (Trace, Counters) {
    let tiles = Rect { start: NocXy::new(6, 2), end: NocXy::new(11, 4) };
    let mut grid = Grid::start(builder, tiles, marked);
    let mut trace = Trace { times: Vec::new(), words: Vec::new() };
    for n in 0..20 {
        trace.times.extend(grid.command(n % 3 != 0));
        trace.words.push(grid.word());
    }
    for tile in [tiles.start, NocXy::new(10, 3), tiles.end] {
        let mut bytes = [0; 16384];
        assert!(grid.card.peek(tile, 0x2_0000, &mut bytes));
        trace.words.extend(bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)));
    }
    (trace, grid.card.counters())
}

#[test]
fn the_same_calls_give_the_same_bytes_times_and_counts() {
    for seed in [0, 7] {
        let run = || play(Card::builder().seed(seed), seed % 2 == 0);
        assert_eq!(run(), run());
    }
}

#[test]
fn parking_changes_no_byte_and_no_time() {
    for seed in 0..6 {
        let (parked, counters) = play(Card::builder().seed(seed), seed % 2 == 0);
        let (polled, all) = play(Card::builder().seed(seed).parking(false), seed % 2 == 0);
        assert_eq!(parked.times, polled.times, "seed {seed}");
        assert_eq!(parked, polled, "seed {seed}");
        assert_eq!((counters.noc_packets, counters.events), (all.noc_packets, all.events));
    }
}

#[test]
fn a_seed_moves_times_and_no_result() {
    let (one, _) = play(Card::builder().seed(1), true);
    let (two, _) = play(Card::builder().seed(2), true);
    assert_ne!(one.times, two.times);
    let numbers = |trace: &Trace| trace.words[..20].iter().map(|word| *word as u32).collect::<Vec<_>>();
    assert_eq!(numbers(&one), (1..=20).collect::<Vec<_>>());
    assert_eq!(numbers(&one), numbers(&two));
}
