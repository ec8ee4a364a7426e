//! Random valid graphs and streams do on the dispatcher what the machines of `komorebi_abi` do: the same commands, events
//! and registers.

use komorebi_abi::engine::UploadKind;
use komorebi_tests::dispatcher::Setup;
use komorebi_tests::engine::generate::{self, Limits};
use komorebi_tests::engine::{Random, Watch};

fn bindings(random: &mut Random) -> Vec<u32> {
    let count = random.between(0, 16);
    (0..count).map(|_| if random.one_in(2) { random.below(8) } else { random.word() as u32 }).collect()
}

/// Lets it come to its end, now and then by a CANCEL somewhere.
fn finish(watch: &mut Watch, random: &mut Random) {
    if random.one_in(5) {
        for _ in 0..random.below(12) {
            watch.settle();
            watch.complete_one(random);
        }
        watch.settle();
        // Any line waits for a free slot: without one the moment of a CANCEL is not known.
        let runs = !watch.engines[0].has_ended() && !watch.engines[0].spins();
        if runs && watch.grid.busy.len() < watch.rig.setup.depth as usize {
            watch.cancel(0);
        }
    }
    watch.finish(random);
}

fn run(kind: UploadKind, seed: u64, runs: u32) -> u64 {
    let mut random = Random::new(seed);
    let grid = random.one_of(&[(12, 10), (3, 2), (4, 5), (1, 1)]);
    let depth = random.between(1, 16);
    let mut watch = Watch::new(Setup { seed, grid, depth, ..Setup::default() }.run());
    for run in 0..runs {
        let words = bindings(&mut random);
        let limits = Limits {
            cores: grid.0 * grid.1,
            handler: 1,
            handlers: 190,
            nodes: if random.one_in(10) { 60 } else { 14 },
            bindings: words.len() as u32,
        };
        let mut image = match kind {
            UploadKind::Graph => generate::graph(&mut random, run as u16, limits),
            UploadKind::Stream => generate::stream(&mut random, run as u16, limits),
        };
        image.header.keep = kind == UploadKind::Graph && random.one_in(3);
        watch.start(64 * random.below(100), &image.encode(), kind, &words);
        finish(&mut watch, &mut random);
        for _ in 0..random.below(4) {
            if watch.is_kept(0) {
                let words: Vec<u32> = words.iter().map(|_| random.word() as u32).collect();
                watch.restart(0, &words);
                finish(&mut watch, &mut random);
            }
        }
        if watch.is_kept(0) {
            watch.drop_kept(0);
        }
        watch.forget();
    }
    watch.commands
}

/// So many cards, each with a seed of its own, and so many uploads on each.
fn check(kind: UploadKind, cards: std::ops::Range<u64>, runs: u32) {
    let commands: u64 = cards.map(|seed| run(kind, seed, runs)).sum();
    println!("{commands} commands");
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
