//! A card goes on from a snapshot bit for bit: restored or forked, it gives the bytes, times, counts and faults of a card
//! of which none was ever taken.

mod support;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use komorebi_card::{Card as _, CardError, CardTime, Cleanup, HostMem, NocXy, Order, Rect};
use komorebi_sim::{Breakage, Builder, Card, When};
use support::grid::Grid;
use support::*;

/// Where the random choices of a scenario come from.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % bound
    }
}

/// The tiles of the scenarios: both sides of the chip.
const TILES: Rect = Rect { start: NocXy::new(6, 2), end: NocXy::new(11, 4) };

fn tiles() -> impl Iterator<Item = NocXy> {
    let columns = [6, 7, 10, 11];
    (2..=4).flat_map(move |y| columns.map(|x| NocXy::new(x, y)))
}

/// Everything that can be seen of a card, as one number and in part.
fn look(card: &Card, regions: &[HostMem]) -> String {
    let mut hasher = DefaultHasher::new();
    let mut bytes = vec![0; 0x4_0000];
    for tile in tiles() {
        assert!(card.peek(tile, 0, &mut bytes));
        bytes.hash(&mut hasher);
        card.pcs(tile).hash(&mut hasher);
    }
    let mut lim = vec![0; 0xc_0000];
    assert!(card.peek(CLUSTER, 0x0800_0000, &mut lim));
    lim.hash(&mut hasher);
    card.pcs(CLUSTER).hash(&mut hasher);
    for bank in &card.description().banks {
        assert!(card.peek(bank.noc0, 0, &mut bytes));
        bytes.hash(&mut hasher);
    }
    for region in regions {
        (0..region.len()).step_by(8).for_each(|at| region.load_u64(at).hash(&mut hasher));
    }
    let counters = card.counters();
    format!("{:x} {:?} {counters:?} {} {:?}", hasher.finish(), card.now(), card.calls(), card.holder())
}

/// Something to do with a card.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A command to all tiles, or to the leader.
    Send(bool),
    /// The card runs for that many nanoseconds, or until it writes host memory.
    Relax(u64),
    Read(u64),
    /// Host memory is written, which the card may read.
    Poke(u64),
    Break(u64),
}

fn steps(dice: &mut Dice, count: usize, faults: bool) -> Vec<Step> {
    let mut step = |_| match dice.below(if faults { 12 } else { 11 }) {
        0..3 => Step::Send(dice.below(3) > 0),
        3..9 => Step::Relax(1 + dice.below(2_000)),
        9 => Step::Read(dice.below(12)),
        10 => Step::Poke(dice.below(64)),
        _ => Step::Break(dice.below(7)),
    };
    (0..count).map(&mut step).collect()
}

fn breakage(kind: u64) -> Breakage {
    let (tile, time) = (NocXy::new(7, 3), Duration::from_nanos(700));
    match kind {
        0 => Breakage::Freeze { tile, hart: 3, time: Some(time) },
        1 => Breakage::Delay { to: TILES.start, packets: 3, by: time },
        2 => Breakage::Hold { tile, address: 0x2_3000, value: 3, time },
        3 => Breakage::Flip { tile, address: 0x2_4000, bits: 0x81 },
        4 => Breakage::Scramble { tile, address: 0x2_5000, bytes: 256 },
        5 => Breakage::Drop { to: NocXy::new(11, 4), packets: 1 },
        _ => Breakage::Refuse("not now".to_owned()),
    }
}

/// Does a step; what came of it.
fn take(grid: &mut Grid, step: Step) -> String {
    let card = grid.card.clone();
    let until = |nanos| card.now() + Duration::from_nanos(nanos);
    let told = match step {
        Step::Send(everybody) => {
            // One command at a time: the grid knows no second one.
            if grid.is_done() {
                grid.send(everybody);
            }
            String::new()
        }
        Step::Relax(nanos) => format!("{:?}", card.relax(until(nanos))),
        Step::Read(tile) => {
            let tile = tiles().nth(tile as usize).unwrap();
            format!("{:?} {:?}", card.read32(tile, 0x2_3000), card.read32(CLUSTER, 0x0801_2000))
        }
        Step::Poke(at) => {
            grid.memory.store_u64(8 * (128 + at as usize), at);
            String::new()
        }
        Step::Break(kind) => {
            let when = match kind % 3 {
                _ if kind == 6 => When::Call(2),
                0 => When::Now,
                _ => When::At(until(400)),
            };
            card.break_on(when, breakage(kind)).unwrap();
            // The second one is refused, before a step that counts on its calls.
            let reads = (0..if kind == 6 { 2 } else { 0 }).map(|_| card.read32(CLUSTER, 0x0801_2000));
            format!("{:?}", reads.collect::<Vec<_>>())
        }
    };
    format!("{step:?} {told} at {:?}, word {:x}", card.now(), grid.word())
}

fn play(grid: &mut Grid, steps: &[Step]) -> Vec<String> {
    let mut story: Vec<_> = steps.iter().map(|step| take(grid, *step)).collect();
    story.push(look(&grid.card, &grid.card.host_regions()));
    story
}

/// Snapshots at each of many points of a random scenario.
fn check(builder: &Builder, seed: u64, faults: bool) {
    let mut dice = Dice(seed);
    let steps = steps(&mut dice, 60, faults);
    let new = || Grid::start(builder.clone().seed(seed), TILES, seed.is_multiple_of(2));
    let never = play(&mut new(), &steps);
    let mut grid = new();
    let mut points = Vec::new();
    for (n, step) in steps.iter().enumerate() {
        if n % 7 == seed as usize % 7 {
            points.push((n, grid.card.snapshot(), grid.on(grid.card.clone())));
        }
        assert_eq!(take(&mut grid, *step), never[n], "seed {seed}, step {n}, snapshots before it");
    }
    let end = look(&grid.card, &grid.card.host_regions());
    assert_eq!(end, never[steps.len()], "seed {seed}: a card that snapshots were taken of");
    assert!(faults || grid.done() >= 3, "seed {seed}: {} commands were done", grid.done());
    // Forked first, in any order: nothing of the one is the other's.
    let mut forks: Vec<_> =
        points.iter().map(|(n, snapshot, then)| (*n, then.on(snapshot.fork().unwrap()))).collect();
    for (n, fork) in forks.iter_mut().rev() {
        assert_eq!(play(fork, &steps[*n..]), never[*n..], "seed {seed}: forked before step {n}");
    }
    assert_eq!(look(&grid.card, &grid.card.host_regions()), end, "the forks' card is untouched");
    for (n, snapshot, then) in points.iter().rev() {
        grid.card.restore(snapshot).unwrap();
        let mut grid = then.on(grid.card.clone());
        assert_eq!(play(&mut grid, &steps[*n..]), never[*n..], "seed {seed}: restored to step {n}");
    }
}

#[test]
fn a_grid_goes_on_from_any_point_as_if_it_had_never_been_stopped() {
    for seed in 0..6 {
        check(&Card::builder(), seed, false);
    }
}

#[test]
fn a_grid_that_polls_goes_on_in_the_same_way() {
    for seed in 0..3 {
        check(&Card::builder().parking(false), seed, false);
    }
}

#[test]
fn what_is_planned_to_break_breaks_after_a_snapshot_too() {
    for seed in 100..108 {
        check(&Card::builder(), seed, true);
    }
}

/// Cores that keep both NoCs, the DRAM and their caches busy, without an end.
fn traffic(builder: Builder) -> Card {
    let card = open(builder);
    let bank = card.description().banks[2].noc0;
    let stream = |noc: u32, at: u32| {
        format!(
            "for (uint32_t i = 0;; i++) {{
                 uint32_t there = (i % 7) * 0x4000, here = {at:#x} + (i % 3) * 0x4000;
                 read_from({noc}, {bank}, there, here, 0x4000);
                 uint32_t n = i + 1; while (COUNTER({noc}, 2) != n) {{ FENCE(); waiting(0); }}
                 for (uint32_t w = 0; w < 64; w += 4) R(here + w) = R(here + w) * 3 + i + w;
                 write_to({noc}, {bank}, here, there, 0x4000);
                 while (COUNTER({noc}, 1) != n) {{}}
             }}",
            bank = bank.hi_word()
        )
    };
    // Its cached copy of what the others write changes when the cache is flushed.
    let look = "uint32_t sum = 0; for (uint32_t i = 0;; i++) {
            sum = sum * 5 + R(0x30000 + 4 * (i % 24)); R(0xffb00000 + 4 * (i % 64)) = sum;
            if (i % 50 == 0) { R(0x21000) = sum / (i + 1); FENCE(); } }";
    let count = |xy: NocXy| {
        format!(
            "for (uint32_t n = 1;; n++) {{ increment(1, {}, 0x22000, n, 0x22100 + 4 * (n % 8));
                 while (COUNTER(1, 0) != n) {{ asm volatile(\"nop\"); }} R(0x22200) += R(0x22100 + 4 * (n % 8)); }}",
            xy.hi_word()
        )
    };
    for tile in tiles() {
        let images = [
            baby(0, &stream(0, 0x3_0000)),
            baby(1, &count(TILES.end)),
            cached(2, look),
            baby(
                3,
                "for (uint32_t n = 0;; n++) { uint32_t w; while ((w = R(0x22000)) == n) { FENCE(); waiting(CLOCK() + 300); } n = w; R(0x22300) += w; }",
            ),
        ];
        for (core, image) in images.iter().enumerate() {
            load(&card, tile, core, image);
        }
        start(&card, tile, &[0, 1, 2, 3]);
    }
    card
}

#[test]
fn traffic_of_noc_and_dram_goes_on_in_the_middle_of_its_transfers() {
    for seed in [0, 3, 11] {
        let mut dice = Dice(seed);
        let waits: Vec<u64> = (0..16).map(|_| 1 + dice.below(1_500)).collect();
        let go = |card: &Card, waits: &[u64]| {
            waits.iter().for_each(|nanos| run_for(card, *nanos).unwrap());
            look(card, &[])
        };
        let card = traffic(Card::builder().seed(seed));
        let mut points = Vec::new();
        for (n, nanos) in waits.iter().enumerate() {
            points.push((n, card.snapshot()));
            run_for(&card, *nanos).unwrap();
        }
        let end = look(&card, &[]);
        let never = traffic(Card::builder().seed(seed));
        assert_eq!(end, go(&never, &waits), "seed {seed}");
        for tile in tiles() {
            assert!(
                [0x2_1000, 0x2_2200, 0x2_2300, 0x3_0000].iter().any(|at| peek(&never, tile, *at) != 0),
                "{tile} is busy"
            );
        }
        assert!(peek(&never, TILES.end, 0x2_2300) != 0);
        for (n, snapshot) in points.iter().step_by(3) {
            assert_eq!(go(&snapshot.fork().unwrap(), &waits[*n..]), end, "seed {seed}, forked at {n}");
            card.restore(snapshot).unwrap();
            assert_eq!(go(&card, &waits[*n..]), end, "seed {seed}, restored to {n}");
        }
    }
}

#[test]
fn a_fault_comes_again_at_its_moment() {
    let card = open(Card::builder());
    let tile = NocXy::new(2, 3);
    load(&card, tile, 0, &baby(0, "for (uint32_t n = 0; n < 500; n++) R(0x20000) = n; R(0xffc00000) = 1;"));
    start(&card, tile, &[0]);
    let snapshot = card.snapshot();
    let fault = |card: &Card| run_for(card, 100_000).unwrap_err();
    let first = fault(&card);
    assert!(matches!(&first, CardError::Fault(fault) if fault.agent == "B"), "{first}");
    assert_eq!(fault(&snapshot.fork().unwrap()), first);
    let halted = card.snapshot();
    card.restore(&snapshot).unwrap();
    assert_eq!(fault(&card), first, "a restored card has not halted yet");
    assert_eq!(fault(&halted.fork().unwrap()), first, "one that had halted has");
}

#[test]
fn host_memory_is_restored_in_its_place_and_a_fork_has_its_own() {
    let card = open(Card::builder());
    let memory = card.host_mem(8192).unwrap();
    memory.store_u64(4096, 7);
    let snapshot = card.snapshot();
    let later = card.host_mem(4096).unwrap();
    memory.store_u64(4096, 8);
    let fork = snapshot.fork().unwrap();
    let [own] = &fork.host_regions()[..] else { panic!("one region: {:?}", fork.host_regions()) };
    assert_eq!((own.load_u64(4096), own.noc_address(), own.len()), (7, memory.noc_address(), 8192));
    own.store_u64(4096, 9);
    assert_eq!(memory.load_u64(4096), 8);
    card.restore(&snapshot).unwrap();
    assert_eq!((memory.load_u64(4096), own.load_u64(4096)), (7, 9));
    assert_eq!(card.host_regions().len(), 1);
    // The address is free again.
    assert_eq!(card.host_mem(4096).unwrap().noc_address(), later.noc_address());
    // What was given back since is the card's again.
    card.release();
    assert!(card.host_regions().is_empty());
    card.restore(&snapshot).unwrap();
    memory.store_u64(0, 5);
    assert_eq!(card.host_regions()[0].load_u64(0), 5);
}

#[test]
fn a_claim_of_a_later_moment_is_told_from_every_call_until_its_release() {
    let card = Card::builder().build();
    let (early, late) = (card.client(), card.client());
    early.claim(POWER).unwrap();
    early.write32(CLUSTER, 0x0800_0000, 3).unwrap();
    let snapshot = card.snapshot();
    let calls = early.calls();
    early.release();
    late.claim(POWER).unwrap();
    late.set_cleanup(Some(Cleanup { tile: CLUSTER, address: 0x0800_0000, value: 9 })).unwrap();
    card.restore(&snapshot).unwrap();
    let told = CardError::Restored { to: snapshot.at() };
    assert_eq!(late.read32(CLUSTER, 0x0800_0000).unwrap_err(), told);
    assert_eq!(late.relax(CardTime::from_nanos(0)).unwrap_err(), told);
    assert_eq!(late.write(CLUSTER, 0x0800_0000, &[1; 4], Order::Bulk).unwrap_err(), told);
    // The earlier claim stands again, with its calls, and the later one's end is none of its.
    assert_eq!(early.calls(), calls);
    late.release();
    assert!(card.holder().is_some());
    assert_eq!(early.read32(CLUSTER, 0x0800_0000).unwrap(), 3);
    early.release();
    late.claim(POWER).unwrap();
    assert_eq!(late.read32(CLUSTER, 0x0800_0000).unwrap(), 3);
}

#[test]
fn a_card_goes_back_to_no_other_cards_snapshot() {
    let (one, two) = (Card::builder().build(), Card::builder().build());
    let snapshot = one.snapshot();
    for card in [&two, &snapshot.fork().unwrap()] {
        let error = card.restore(&snapshot).unwrap_err();
        assert!(matches!(&error, CardError::Request { what } if what.contains("another card")), "{error}");
    }
    let fork = snapshot.fork().unwrap();
    fork.restore(&fork.snapshot()).unwrap();
}

#[test]
fn a_claim_that_was_released_since_is_closed_by_the_next_one() {
    let card = Card::builder().build();
    let early = card.client();
    early.claim(POWER).unwrap();
    let stop = Cleanup { tile: CLUSTER, address: 0x0800_0000, value: 9 };
    early.set_cleanup(Some(stop)).unwrap();
    early.keep_off(0x2_0000).unwrap();
    let memory = early.host_mem(4096).unwrap();
    let snapshot = card.snapshot();
    // Kept since, the claim stands, whoever else asks.
    card.restore(&snapshot).unwrap();
    assert!(matches!(card.client().claim(POWER), Err(CardError::Busy { .. })));
    assert_eq!(early.read32(CLUSTER, 0x0800_0000).unwrap(), 0);
    early.release();
    // The client itself, then another one, when nobody has a handle of the first any more.
    for next in [early, card.client()] {
        card.restore(&snapshot).unwrap();
        assert!(card.holder().is_some());
        assert_eq!(card.host_regions().len(), 1);
        next.claim(POWER).unwrap();
        assert!(next.host_regions().is_empty(), "{memory:?} is unmapped");
        assert_eq!(next.read32(CLUSTER, 0x0800_0000).unwrap(), 9, "the clean-up is done");
        load(&next, TILES.start, 0, &baby(0, "for (;;) {}"));
        start(&next, TILES.start, &[0]);
        run_for(&next, 10_000).unwrap();
        next.read32(TILES.start, 0x2_0004).unwrap(); // it has promised nothing
        assert!(matches!(card.client().claim(POWER), Err(CardError::Busy { .. })));
        next.release();
        assert!(card.holder().is_none());
    }
    // A client that was killed has not given it back: it lives again, and holds the card.
    let killed = card.client();
    killed.claim(POWER).unwrap();
    let snapshot = card.snapshot();
    killed.break_on(When::Now, Breakage::KillClient).unwrap();
    assert!(card.holder().is_none());
    card.restore(&snapshot).unwrap();
    assert!(matches!(card.client().claim(POWER), Err(CardError::Busy { .. })));
    killed.read32(CLUSTER, 0x0800_0000).unwrap();
    // Its release after a kill is one, though it does nothing.
    killed.break_on(When::Now, Breakage::KillClient).unwrap();
    killed.release();
    card.restore(&snapshot).unwrap();
    card.client().claim(POWER).unwrap();
}

#[test]
fn a_promise_of_a_client_without_the_card_is_refused_and_is_no_call() {
    let card = Card::builder().build();
    let snapshot = card.snapshot();
    let client = card.client();
    client.claim(POWER).unwrap();
    let held = card.snapshot();
    client.keep_off(0x2_0000).unwrap();
    assert_eq!(client.calls(), 1, "the claim");
    card.restore(&snapshot).unwrap();
    assert_eq!(client.keep_off(0x2_0000).unwrap_err(), CardError::Restored { to: snapshot.at() });
    client.claim(POWER).unwrap();
    client.break_on(When::Now, Breakage::KillClient).unwrap();
    assert!(matches!(client.keep_off(0x2_0000), Err(CardError::Lost { .. })));
    // A claim of that client that stands again, though the client has claimed since, takes no promise of the later one.
    client.release();
    card.restore(&held).unwrap();
    client.release();
    client.claim(POWER).unwrap();
    card.restore(&held).unwrap();
    assert_eq!(client.keep_off(0x2_0000).unwrap_err(), CardError::Restored { to: held.at() });
    let fault = open(Card::builder());
    load(&fault, TILES.start, 0, &baby(0, "R(0xffc00000) = 1;"));
    start(&fault, TILES.start, &[0]);
    let error = run_for(&fault, 10_000).unwrap_err();
    assert_eq!(fault.keep_off(0x2_0000).unwrap_err(), error);
}
