//! Random valid graphs and streams do on the dispatcher what the machines of `komorebi_abi` do: the same commands, events
//! and registers, whether they come to their end, are cancelled, find the job queue full or are late.

use std::collections::BTreeMap;

use komorebi_abi::engine::{Output, UploadKind};
use komorebi_tests::dispatcher::Setup;
use komorebi_tests::engine::generate::{self, Limits};
use komorebi_tests::engine::{Random, Watch};

fn bindings(random: &mut Random) -> Vec<u32> {
    let count = random.between(0, 16);
    (0..count).map(|_| if random.one_in(2) { random.below(8) } else { random.word() as u32 }).collect()
}

/// A deadline that is not met while nobody waits for it, in microseconds.
const FAR: u32 = 20_000;

/// Lets it come to its end, now and then by a CANCEL or its deadline somewhere.
fn finish(watch: &mut Watch, random: &mut Random, ends: &mut Ends) {
    // A near deadline may have passed before anything else that is done to it.
    if !watch.engines[0].has_near_deadline(FAR) && random.one_in(4) {
        for _ in 0..random.below(12) {
            watch.settle();
            watch.complete_one(random);
        }
        watch.settle();
        if !watch.engines[0].has_ended() && !watch.engines[0].spins() {
            // Any line waits for a free slot: without one the moment of a CANCEL is not known.
            if random.one_in(2) || !watch.expire(0) && watch.grid.busy.len() < watch.rig.setup.depth as usize
            {
                watch.cancel(0);
            }
        }
    }
    watch.finish(random);
    ends.note(*watch.engines[0].events.last().unwrap());
}

/// How engines ended: by the name of the reason, or `end`.
#[derive(Debug, Default)]
struct Ends {
    count: BTreeMap<&'static str, u32>,
    commands: u64,
}

impl Ends {
    fn note(&mut self, output: Output) {
        let how = match output {
            Output::Error(refusal) => refusal.reason.name().unwrap_or("a number nobody knows"),
            _ => "end",
        };
        *self.count.entry(how).or_default() += 1;
    }

    fn add(mut self, other: Self) -> Self {
        other.count.into_iter().for_each(|(how, n)| *self.count.entry(how).or_default() += n);
        self.commands += other.commands;
        self
    }
}

fn run(kind: UploadKind, seed: u64, runs: u32) -> Ends {
    let (mut random, mut ends) = (Random::new(seed), Ends::default());
    let grid = random.one_of(&[(12, 10), (3, 2), (4, 5), (1, 1)]);
    let depth = random.between(1, 16);
    let mut watch = Watch::new(Setup { seed: Some(seed), grid, depth, ..Setup::default() }.run());
    for run in 0..runs {
        let words = bindings(&mut random);
        let limits = Limits {
            cores: grid.0 * grid.1,
            handler: 1,
            handlers: 190,
            nodes: if random.one_in(10) { 60 } else { 14 },
            bindings: words.len() as u32,
            floods: true,
        };
        let mut image = match kind {
            UploadKind::Graph => generate::graph(&mut random, run as u16, limits),
            UploadKind::Stream => generate::stream(&mut random, run as u16, limits),
        };
        image.header.keep = kind == UploadKind::Graph && random.one_in(3);
        // Far, and met when the test waits for it; or near, and met wherever the engine is then.
        image.header.deadline_us = match random.below(12) {
            0..=2 => FAR,
            3 => random.between(1, 120),
            _ => 0,
        };
        watch.start(64 * random.below(100), &image.encode(), kind, &words);
        finish(&mut watch, &mut random, &mut ends);
        for _ in 0..random.below(4) {
            if watch.is_kept(0) {
                let words: Vec<u32> = words.iter().map(|_| random.word() as u32).collect();
                watch.restart(0, &words);
                finish(&mut watch, &mut random, &mut ends);
            }
        }
        if watch.is_kept(0) {
            watch.drop_kept(0);
        }
        watch.forget();
    }
    ends.commands = watch.commands;
    ends
}

/// So many cards, each with a seed of its own, and so many uploads on each.
fn check(kind: UploadKind, cards: std::ops::Range<u64>, runs: u32) {
    let mut ends = Ends::default();
    for seed in cards.clone() {
        ends = ends.add(run(kind, seed, runs));
        let done = seed + 1 - cards.start;
        if done.is_multiple_of(100) || seed + 1 == cards.end {
            println!("{done} cards, {runs} uploads each, {} commands, ends: {:?}", ends.commands, ends.count);
        }
    }
    for how in ["end", "cancelled", "deadline", "queue"] {
        assert!(
            ends.count.get(how).is_some_and(|count| *count >= 20),
            "{how} was hardly met: {:?}",
            ends.count
        );
    }
}

#[test]
fn graphs_do_what_the_machine_does() {
    check(UploadKind::Graph, 1..51, 50);
}

#[test]
fn streams_do_what_the_machine_does() {
    check(UploadKind::Stream, 1..51, 50);
}

#[test]
#[ignore = "a hundred thousand of each take some minutes"]
fn a_hundred_thousand_graphs() {
    check(UploadKind::Graph, 1001..2001, 100);
}

#[test]
#[ignore = "a hundred thousand of each take some minutes"]
fn a_hundred_thousand_streams() {
    check(UploadKind::Stream, 1001..2001, 100);
}
