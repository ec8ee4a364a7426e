//! A card goes on from a snapshot bit for bit: restored or forked, it gives the bytes, times, counts and faults of a card
//! of which none was ever taken.

mod claims;
mod scenario;
#[path = "../support/mod.rs"]
mod support;

use std::hash::{DefaultHasher, Hash, Hasher};

use komorebi_card::{Card as _, CardError, HostMem, NocXy, Rect};
use komorebi_sim::{Builder, Card};
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
