//! A scenario: random programs on some tiles, and a host that looks on and meddles.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use komorebi_card::{Card as _, CardError, NocXy, Order};
use komorebi_sim::{Breakage, Card, CoreCounters, Registers, When};

use super::Dice;
use super::program::{self, PIECES, SHARED, SNIPPET_WORDS, SNIPPETS, Shape};
use super::support::*;

/// A column of ten tiles.
const COLUMN: u8 = 1;

/// How often what was seen.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) scenarios: u64,
    pub(crate) faults: u64,
    pub(crate) steps: u64,
    pub(crate) instructions: u64,
    pub(crate) forks: u64,
    pub(crate) rules: std::collections::BTreeMap<String, u64>,
}

/// What a scenario is made of.
struct Scenario {
    number: u64,
    seed: u64,
    tiles: Vec<NocXy>,
    images: Vec<Vec<Vec<u8>>>,
    snippets: Vec<u8>,
    cores: u32,
    steps: usize,
    /// The host meddles in one step of so many.
    meddles: u64,
    longest: u64,
}

impl Scenario {
    fn new(number: u64) -> Self {
        let dice = Dice::new(number);
        let seed = if dice.below(3) == 0 { 1 + dice.below(1000) } else { 0 };
        let tiles: Vec<_> = (0..1 + dice.below(4)).map(|y| NocXy::new(COLUMN, 2 + y as u8)).collect();
        let shape = Shape {
            statements: if dice.below(3) == 0 { 1 + dice.below(3) } else { 2 + dice.below(28) },
            wrong: [0, 0, 3, 10][dice.below(4) as usize],
        };
        let images = tiles
            .iter()
            .map(|_| (0..5).map(|core| program::image(&dice, core, &tiles, shape)).collect())
            .collect();
        let snippets = (0..SNIPPET_WORDS).flat_map(|_| program::snippet(&dice).to_le_bytes()).collect();
        let cores = match dice.below(3) {
            0 => 1 + dice.below(31) as u32,
            _ => 31,
        };
        let (steps, meddles) = (10 + dice.below(60) as usize, [1, 3, 1000][dice.below(3) as usize]);
        let longest = 3 + dice.below(9);
        Self { number, seed, tiles, images, snippets, cores, steps, meddles, longest }
    }

    fn begin(&self, parking: bool) -> Card {
        let card = open(Card::builder().columns(1).seed(self.seed).parking(parking));
        for (tile, images) in self.tiles.iter().zip(&self.images) {
            images.iter().enumerate().for_each(|(core, image)| load(&card, *tile, core, image));
            card.write(*tile, SNIPPETS.into(), &self.snippets, Order::Bulk).unwrap();
        }
        for tile in &self.tiles {
            // A program may break a rule before the next tile starts: the first step finds it.
            let held = (0..5)
                .filter(|core| self.cores >> core & 1 == 0)
                .fold(0, |held, core| held | CORE_BITS[core]);
            let _ = card.fence(*tile).and_then(|()| card.write32(*tile, SOFT_RESET, held));
        }
        card
    }
}

/// What is seen of a card.
#[derive(PartialEq, Eq, Debug)]
struct Seen {
    now: u64,
    bytes: Vec<u64>,
    cores: Vec<(CoreCounters, Registers)>,
    local: u64,
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// The first `bytes` of L1 of each tile, without a change to anything.
fn memories(card: &Card, tiles: &[NocXy], length: usize) -> Vec<u64> {
    let mut bytes = vec![0; length];
    let mut memory = |tile: &NocXy| {
        assert!(card.peek(*tile, 0, &mut bytes));
        hash(&bytes)
    };
    tiles.iter().map(&mut memory).collect()
}

fn look(card: &Card, tiles: &[NocXy]) -> Seen {
    let bytes = memories(card, tiles, 0x2_8000);
    let mut cores = Vec::new();
    let mut local = Vec::new();
    for tile in tiles {
        let counters = card.core_counters(*tile);
        cores.extend(counters.into_iter().enumerate().map(|(core, counters)| {
            let mut ram = vec![0; 0x1000];
            assert!(card.peek_local(*tile, core, 0xffb0_0000, &mut ram));
            local.extend(ram);
            (counters, card.registers(*tile, core).unwrap())
        }));
    }
    Seen { now: card.now().as_nanos(), bytes, cores, local: hash(&local) }
}

/// Something the host does to the card, and what it hears.
fn meddle(card: &Card, tiles: &[NocXy], dice: &Dice) -> Result<String, CardError> {
    let tile = tiles[dice.below(tiles.len() as u64) as usize];
    let at = match dice.below(3) {
        0 => u64::from(SHARED) + 4 * dice.below(16),
        1 => u64::from(PIECES) + 0x1000 * dice.below(5) + 4 * dice.below(64),
        _ => u64::from(PIECES) + 4 * dice.below(0x1400),
    };
    let core = dice.below(5) as usize;
    let now = |dice: &Dice| match dice.below(2) {
        0 => When::Now,
        _ => When::At(card.now() + Duration::from_nanos(dice.below(700))),
    };
    Ok(match dice.below(14) {
        0 | 1 => format!("{:x}", card.read32(tile, at)?),
        2 => {
            let bytes: Vec<u8> = (0..4 * (1 + dice.below(64))).map(|_| dice.below(256) as u8).collect();
            let order = if dice.below(2) == 0 { Order::Bulk } else { Order::Strict };
            card.write(tile, at, &bytes, order)?;
            "wrote".into()
        }
        3 => {
            // Other words where code is.
            let pc = CORE_PCS[core] + 0x40 + 4 * dice.below(16);
            card.write(tile, pc, &program::snippet(dice).to_le_bytes(), Order::Strict)?;
            "code".into()
        }
        4 => {
            card.write32(tile, SOFT_RESET, CORE_BITS[core])?;
            run_for(card, 1 + dice.below(300))?;
            card.write32(tile, SOFT_RESET, 0)?;
            "reset".into()
        }
        5 => format!("{:x}", card.read32(tile, 0xffb1_3138 + 4 * dice.below(5))?),
        6 => format!("{:x}", card.read32(tile, 0xffb1_21f0)?),
        7 => {
            let time = Some(Duration::from_nanos(1 + dice.below(900)));
            let when = now(dice);
            card.break_on(when, Breakage::Freeze { tile, hart: core, time })?;
            "freeze".into()
        }
        8 => {
            let when = now(dice);
            card.break_on(when, Breakage::Flip { tile, address: at, bits: 1 << dice.below(32) })?;
            "flip".into()
        }
        9 => {
            let (when, time) = (now(dice), Duration::from_nanos(dice.below(2_000)));
            card.break_on(when, Breakage::Hold { tile, address: at, value: 7, time })?;
            "hold".into()
        }
        10 => {
            let when = now(dice);
            card.break_on(when, Breakage::Delay { to: tile, packets: 2, by: Duration::from_nanos(500) })?;
            "delay".into()
        }
        11 => {
            card.fence(tile)?;
            "fence".into()
        }
        12 => format!("{:x}", card.read32(tile, 0xffb2_0200 + 4 * dice.below(64))?),
        _ => format!("{:x}", card.read32(tile, 0xffb4_0028 + 0x1000 * dice.below(5))?),
    })
}

/// A step: the host meddles, the card runs.
fn step(card: &Card, scenario: &Scenario, n: usize, settled: bool) -> Result<String, CardError> {
    let dice = Dice::new(scenario.number << 20 | n as u64);
    let told =
        if dice.below(scenario.meddles) == 0 { meddle(card, &scenario.tiles, &dice)? } else { String::new() };
    let most = 16 << dice.below(scenario.longest);
    run_for(card, 1 + dice.below(most))?;
    let deep = dice.below(4) == 0;
    if settled && deep {
        let seen = look(card, &scenario.tiles);
        return Ok(format!("{n}: {told} {seen:x?}"));
    }
    // What looks at memory alone lets no core come further.
    Ok(format!("{n}: {told} {:x?} at {}", memories(card, &scenario.tiles, 0x2_8000), card.now().as_nanos()))
}

/// Plays steps; the fault that ends it has its place in the story.
fn play(card: &Card, scenario: &Scenario, steps: std::ops::Range<usize>) -> Vec<String> {
    let mut story = Vec::new();
    for n in steps {
        match step(card, scenario, n, true) {
            Ok(told) => story.push(told),
            Err(error) => {
                story.push(format!("{n}: {error:?}"));
                break;
            }
        }
    }
    story
}

fn compare(scenario: &Scenario, what: &str, left: &[String], right: &[String]) {
    for (left, right) in left.iter().zip(right) {
        if left != right {
            panic!(
                "scenario {}, seed {}, {} tiles, cores {:05b}: {what}\n{left}\n{right}",
                scenario.number,
                scenario.seed,
                scenario.tiles.len(),
                scenario.cores
            );
        }
    }
    assert_eq!(left.len(), right.len(), "scenario {}: {what}", scenario.number);
}

/// Plays a scenario in all ways.
pub(crate) fn check(number: u64, told: &mut Told) {
    let scenario = Scenario::new(number);
    let strict = scenario.begin(false);
    let truth = play(&strict, &scenario, 0..scenario.steps);
    let ahead = scenario.begin(true);
    let story = play(&ahead, &scenario, 0..scenario.steps);
    compare(&scenario, "ahead and in strict turns", &story, &truth);
    // Looked at, and kept at every step.
    let watched = scenario.begin(true);
    let mut points = Vec::new();
    let mut story = Vec::new();
    for n in 0..truth.len() {
        points.push(watched.snapshot());
        if n % 3 == 0 {
            look(&watched, &scenario.tiles);
        }
        watched.digest();
        story.extend(play(&watched, &scenario, n..n + 1));
    }
    compare(&scenario, "looked at and in strict turns", &story, &truth);
    let dice = Dice::new(!number);
    for _ in 0..3 {
        let n = dice.below(points.len() as u64) as usize;
        let fork = points[n].fork().unwrap();
        let story = play(&fork, &scenario, n..scenario.steps);
        compare(&scenario, &format!("forked at {n}"), &story, &truth[n..]);
        told.forks += 1;
    }
    let n = dice.below(points.len() as u64) as usize;
    watched.restore(&points[n]).unwrap();
    compare(
        &scenario,
        &format!("restored to {n}"),
        &play(&watched, &scenario, n..scenario.steps),
        &truth[n..],
    );
    // At a fault, a tile may be before or behind another one.
    if truth.last().is_none_or(|last| !last.contains("Fault")) || scenario.tiles.len() == 1 {
        assert_eq!(strict.digest(), ahead.digest(), "scenario {number}");
    }
    told.scenarios += 1;
    told.steps += truth.len() as u64;
    told.instructions += strict.counters().tensix_instructions;
    if truth.len() < scenario.steps || truth.last().is_some_and(|last| last.contains("Fault")) {
        told.faults += 1;
        let rule =
            truth.last().and_then(|last| Some(last.split_once("rule: ")?.1.split(',').next()?.to_owned()));
        *told.rules.entry(rule.unwrap_or_default()).or_default() += 1;
    }
}
