//! L1 that a core has to itself: the simulator lets it run far ahead there, and takes it back when somebody else comes.
//! Five cores of a tile keep to their own pieces of L1 and now and then go into one another's, while another tile's cores
//! read, write and change them over the NoC and the host looks, writes, resets and freezes. A card that parks its harts lets
//! them run ahead, one that does not takes strict turns: both have the same bytes, and each core the same place and
//! counts, at every moment at which the host looks.

mod support;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use komorebi_card::{Card as _, CardError, CardTime, HostMem, NocXy, Order};
use komorebi_sim::{Breakage, Card, When};
use support::*;

/// The tile whose cores are looked at, and one that disturbs it.
const A: NocXy = NocXy::new(3, 3);
const B: NocXy = NocXy::new(4, 3);
/// Where the pieces of the cores are, 64 KiB each, and what they are told and tell.
const PIECES: u64 = 0x2_0000;
const SEEDS: u64 = 0x1_f000;
const DONE: u64 = 0x1_f100;

/// What the programs have in common: numbers, addresses, and things to do.
const TOOLS: &str = r#"
/* In local RAM: beside the code they would be nobody's own. */
#define s R(0xffb00000)
#define acc R(0xffb00004)
static inline uint32_t next() { s = s * 1664525u + 1013904223u; return s >> 8; }
static inline uint32_t in_piece(uint32_t core) { return 0x20000 + core * 0x10000 + (next() & 0xfffc); }
static inline uint32_t amo(uint32_t at, uint32_t by) {
    uint32_t old;
    asm volatile(".insn r 0x2f,2,0,%0,%1,%2" : "=r"(old) : "r"(at), "r"(by) : "memory");
    return old;
}
/* Words one after the other, each from the one before. */
static void walk(uint32_t core, uint32_t count) {
    uint32_t at = in_piece(core), sum = acc;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t to = (at & ~0xffffu) | ((at + 4 * i) & 0xfffc);
        sum = sum * 5 + R(to) + i;
        R(to) = sum;
    }
    acc = sum;
}
static void parts(uint32_t core) {
    uint32_t at = in_piece(core);
    for (uint32_t i = 0; i < 12; i++) {
        *(volatile uint8_t *)(at + i % 4) = acc >> i;
        acc += *(volatile uint16_t *)(at + (i & 2)) * 7;
        *(volatile uint16_t *)(at + (~i & 2)) = acc >> (i & 3);
    }
}
static void in_local_ram(void) {
    volatile uint32_t *local = (volatile uint32_t *)0xffb00100;
    for (uint32_t i = 0; i < 20; i++) { local[(acc + i) % 64] += acc; acc = acc * 3 + local[i * 7 % 64]; }
}
/* Until a word changes or the clock has come, with and without the mark. */
static void await(uint32_t at, uint32_t cycles, bool marked) {
    uint32_t until = CLOCK() + cycles, old = R(at);
    while (R(at) == old && (int32_t)(CLOCK() - until) < 0) { if (marked) waiting(until); }
    acc += R(at);
}
/* Posts 16 bytes to the host. */
static inline void post(int noc, uint32_t xy, uint32_t from, uint32_t low, uint32_t middle) {
    while (NIU(noc, 2, 0x40)) {}
    NIU(noc, 2, 0x00) = from; NIU(noc, 2, 0x04) = 0; NIU(noc, 2, 0x08) = self(noc);
    NIU(noc, 2, 0x0c) = low; NIU(noc, 2, 0x10) = middle; NIU(noc, 2, 0x14) = xy;
    NIU(noc, 2, 0x18) = 0; NIU(noc, 2, 0x1c) = 0x2092; NIU(noc, 2, 0x20) = 16; NIU(noc, 2, 0x24) = 0;
    NIU(noc, 2, 0x40) = 1;
}
static void poll(uint32_t at, uint32_t turns) {
    uint32_t sum = acc;
    for (uint32_t i = 0; i < turns; i++) sum += R(at) + i;
    acc = sum;
}
"#;

/// A core of tile A; of them B and NC use a NoC each.
fn program(core: usize, rounds: u32, end: &str) -> Vec<u8> {
    let there = B.hi_word();
    let sends = match core {
        0 | 1 => format!(
            "case 13: {{ uint32_t from = in_piece({core}); R(from) = acc; R(from + 4 & 0x7fffc) = n;
                 write_to({core}, {there}, from & ~15, 0x40000 + (next() & 0xff0), 64);
                 for (uint32_t i = 0; i < 40; i++) R((from & ~15) + 4 * (i % 16)) = acc + i;
                 acks++; while (COUNTER({core}, 1) != acks) {{ waiting(0); }} break; }}
             case 14: {{ uint32_t into = in_piece({core}) & 0x7ffc0;
                 read_from({core}, {there}, 0x40000 + (next() & 0xff0 & ~63) + (into & 63), into, 64); reads++;
                 if (n & 1) walk({core}, 30);
                 while (COUNTER({core}, 2) != reads) {{ if (n & 2) waiting(0); }}
                 acc += R(into) + R(into + 60); break; }}
             case 15: {{ uint32_t into = in_piece({core});
                 increment({core}, {there}, 0x40000 + (next() & 0xffc), n, into); atomics++;
                 while (COUNTER({core}, 0) != atomics) {{ waiting(0); }} acc += R(into); break; }}"
        ),
        _ => format!(
            "case 13: poll(in_piece({core}), 100); break;
             case 14: await(in_piece({core}), 3 * (next() & 0xff), n & 1); break;
             case 15: parts({core}); break;"
        ),
    };
    let body = format!(
        "s = R({seed:#x}); acc = {core}; uint32_t acks = 0, reads = 0, atomics = 0;
         for (uint32_t n = 0; n < {rounds}; n++) {{
             switch (next() % 16) {{
             case 0: case 1: walk({core}, 3 + next() % 40); break;
             case 2: walk({core}, 100 + next() % 500); break;
             case 3: parts({core}); break;
             case 4: in_local_ram(); break;
             case 5: acc += CLOCK(); R(in_piece({core})) = acc; break;
             case 6: acc += R(in_piece(next() % 5)); break;
             case 7: if (n & 1) R(in_piece(next() % 5)) = acc; break;
             case 8: acc += amo(in_piece(n % 8 ? {core} : next() % 5), acc); break;
             case 9: FENCE(); acc = acc / ((n & 15) + 1) + n; break;
             case 10: await(in_piece(n & 2 ? {core} : next() % 5), next() & 0x3ff, n & 1); break;
             case 11: if (n % 4 == 0) walk(next() % 5, 20); break;
             case 12: if (n % 4 == 0) parts(next() % 5); else poll(in_piece({core}), 70); break;
             {sends}
             }}
             if (n % 8 == 0) {{ R(in_piece({core})) = acc ^ CLOCK(); s ^= acc; }}
         }}
         {end}
         R({done:#x}) = acc | 1;",
        seed = SEEDS + 4 * core as u64,
        done = DONE + 4 * core as u64,
    );
    baby_with(core, TOOLS, &body)
}

/// A core of tile B, which disturbs tile A without an end, and now and then writes to the host.
fn disturber(core: usize, host: &HostMem) -> Vec<u8> {
    let there = A.hi_word();
    let (low, middle, host) = (host.noc_address() as u32, host.noc_address() >> 32, host.tile().hi_word());
    let body = format!(
        "s = R({seed:#x}); acc = 9; uint32_t acks = 0, reads = 0, atomics = 0;
         for (uint32_t n = 0;; n++) {{
             uint32_t at = 0x20000 + (next() % 5) * 0x10000 + (next() & 0xffc0);
             switch (next() % 4) {{
             case 0: walk({core}, 30); write_to({core}, {there}, 0x20000 + {core} * 0x10000, at, 4 << next() % 12 & 0x7fc | 4); acks++; break;
             case 1: read_from({core}, {there}, at, 0x20000 + {core} * 0x10000 + (next() & 0x3fc0), 64); reads++; break;
             case 2: increment({core}, {there}, at + 12, n, 0x20000 + {core} * 0x10000); atomics++; break;
             case 3: walk({core}, 1 + next() % 200); break;
             }}
             if (n % 8 == 7) {{ post({core}, {host}, 0x20000 + {core} * 0x10000 + (next() & 0xfff0), {low:#x}, {middle:#x}); acks++; }}
             while (COUNTER({core}, 1) != acks || COUNTER({core}, 2) != reads || COUNTER({core}, 0) != atomics) {{ waiting(0); }}
             acc += R(0x20000 + {core} * 0x10000 + 64);
             await(0x1f200, next() & 0x1ff, n & 1);
         }}",
        seed = SEEDS + 4 * core as u64,
    );
    baby_with(core, TOOLS, &body)
}

/// Where the host's random choices come from.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % bound
    }
}

/// A card with both tiles at work.
fn begin(seed: u64, scenario: u64, parking: bool, images: &[Vec<u8>]) -> Card {
    let card = open(Card::builder().seed(seed).parking(parking));
    let host = card.host_mem(4096).unwrap();
    for tile in [A, B] {
        for core in 0..5 {
            let number = ((scenario * 77 + core) as u32).wrapping_mul(2_654_435_761);
            card.write32(tile, SEEDS + 4 * core, number ^ u32::from(tile == B)).unwrap();
        }
    }
    (0..5).for_each(|core| load(&card, A, core, &images[core]));
    (0..2).for_each(|core| load(&card, B, core, &disturber(core, &host)));
    start(&card, B, &[0, 1]);
    start(&card, A, &[0, 1, 2, 3, 4]);
    card
}

/// All that the programs of these tiles have written.
fn look(card: &Card, tiles: &[NocXy]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut bytes = vec![0; 0x8_0000 - SEEDS as usize];
    for tile in tiles {
        assert!(card.peek(*tile, SEEDS, &mut bytes));
        bytes.hash(&mut hasher);
    }
    hasher.finish()
}

/// Something the host does; what it sees of it.
fn step(card: &Card, dice: &mut Dice, freezes: bool) -> String {
    let at = PIECES + 0x1_0000 * dice.below(5) + dice.below(0x3f00) * 4;
    let core = dice.below(5);
    match dice.below(16) {
        0 => format!("{:x?}", card.read32(A, at).ok()),
        1 => {
            let bytes: Vec<u8> = (0..4 * (1 + dice.below(64))).map(|_| dice.below(256) as u8).collect();
            card.write(A, at, &bytes, Order::Bulk).unwrap();
            String::new()
        }
        2 => {
            // One of the compute cores begins anew.
            let bit = CORE_BITS[2 + core as usize % 3];
            card.write32(A, SOFT_RESET, bit).unwrap();
            run_for(card, 1 + dice.below(300)).unwrap();
            card.write32(A, SOFT_RESET, 0).unwrap();
            String::new()
        }
        // Where a hart is in its own memory when it is frozen differs.
        3 if freezes => {
            let time = Some(Duration::from_nanos(1 + dice.below(900)));
            let when = match dice.below(2) {
                0 => When::Now,
                _ => When::At(card.now() + Duration::from_nanos(dice.below(700))),
            };
            card.break_on(when, Breakage::Freeze { tile: A, hart: core as usize, time }).unwrap();
            String::new()
        }
        4 => {
            card.break_on(When::Now, Breakage::Flip { tile: A, address: at, bits: 0x8001 }).unwrap();
            String::new()
        }
        _ => String::new(),
    }
}

/// Plays a scenario of the host; gives what it has seen, and how far each core has come.
fn play(card: &Card, scenario: u64, steps: std::ops::Range<usize>) -> Vec<String> {
    steps
        .map(|n| {
            let mut dice = Dice(scenario << 32 | n as u64);
            let told = step(card, &mut dice, scenario >= 200);
            let most = 16 << dice.below(8);
            let end = card.now() + Duration::from_nanos(1 + dice.below(most));
            while card.relax(end).unwrap() < end {
                // The card has written host memory: it stands earlier than cores have come.
                look(card, &[A, B]);
                card.registers(A, n % 5);
            }
            let counts =
                card.core_counters(A).into_iter().map(|c| (c.instructions, c.shared_loads, c.shared_stores));
            let seen = (card.pcs(A), counts.collect::<Vec<_>>());
            format!("step {n}: {told} {:x} {seen:?} at {:?}", look(card, &[A, B]), card.now())
        })
        .collect()
}

fn programs(rounds: u32) -> Vec<Vec<u8>> {
    (0..5).map(|core| program(core, rounds, "")).collect()
}

#[test]
fn cores_that_run_ahead_in_their_own_memory_leave_the_bytes_of_strict_turns_at_every_moment() {
    let images = programs(1_000_000);
    for scenario in 0..24 {
        let seed = if scenario % 6 == 5 { scenario } else { 0 };
        let [ahead, strict] = [true, false].map(|parking| {
            let card = begin(seed, scenario, parking, &images);
            play(&card, scenario, 0..60)
        });
        for (ahead, strict) in ahead.iter().zip(&strict) {
            assert_eq!(ahead, strict, "scenario {scenario}");
        }
    }
}

#[test]
fn cores_that_come_to_an_end_have_done_what_strict_turns_do() {
    let images = programs(300);
    for scenario in 100..108 {
        let [ahead, strict] = [true, false].map(|parking| {
            let card = begin(0, scenario, parking, &images);
            (0..5).for_each(|core| {
                let end = CardTime::from_nanos(4_000_000);
                while peek(&card, A, DONE + 4 * core) == 0 {
                    assert!(card.now() < end, "core {core} of scenario {scenario} does not come to its end");
                    run_for(&card, 500).unwrap();
                }
            });
            let accesses =
                card.core_counters(A).into_iter().map(|core| (core.shared_loads, core.shared_stores));
            (card.now(), look(&card, &[A, B]), accesses.collect::<Vec<_>>())
        });
        assert_eq!(ahead, strict, "scenario {scenario}");
    }
}

#[test]
fn a_card_in_the_middle_of_it_goes_on_from_a_snapshot_and_looking_changes_nothing() {
    let images = programs(1_000_000);
    for scenario in 200..206 {
        let card = begin(0, scenario, true, &images);
        let mut points = Vec::new();
        let mut story = Vec::new();
        for n in 0..40 {
            points.push(card.snapshot());
            card.registers(A, n % 5);
            card.digest();
            story.extend(play(&card, scenario, n..n + 1));
        }
        for (n, point) in points.iter().enumerate().step_by(7) {
            assert_eq!(
                play(&point.fork().unwrap(), scenario, n..40),
                story[n..],
                "scenario {scenario}, forked at {n}"
            );
        }
    }
}

#[test]
fn a_fault_finds_the_other_cores_where_strict_turns_have_them() {
    for scenario in 300..320 {
        let mut images = programs(1_000_000);
        images[2] = program(2, 20 + 3 * (scenario % 11) as u32, "R(0xffc00000) = 1;");
        let [ahead, strict] = [true, false].map(|parking| {
            let card = begin(0, scenario, parking, &images);
            let fault = match run_for(&card, 1_000_000) {
                Err(CardError::Fault(fault)) => fault,
                other => panic!("no fault: {other:?}"),
            };
            (fault, look(&card, &[A]))
        });
        assert_eq!(ahead, strict, "scenario {scenario}");
    }
}

#[test]
fn a_fault_elsewhere_finds_the_bytes_of_its_moment() {
    // Long walks and nothing else: each core is far ahead most of the time.
    let body = |core: usize| {
        format!("s = {core}; acc = 1; for (;;) {{ walk({core}, 3000); R(in_piece({core})) = CLOCK(); }}")
    };
    let images: Vec<_> = (0..5).map(|core| baby_with(core, TOOLS, &body(core))).collect();
    let delay = |wrong: &str, n: u64| {
        let turns = 100 + 37 * n;
        baby(0, &format!("for (uint32_t i = 0; i < {turns}; i++) R(0xffb00000) = i; {wrong}"))
    };
    let begin = |parking: bool, image: &[u8]| {
        let card = open(Card::builder().parking(parking));
        (0..5).for_each(|core| load(&card, A, core, &images[core]));
        load(&card, B, 0, image);
        start(&card, A, &[0, 1, 2, 3, 4]);
        start(&card, B, &[0]);
        card
    };
    let bytes = |card: &Card| {
        let mut bytes = vec![0; 0x5_0000];
        assert!(card.peek(A, PIECES, &mut bytes));
        bytes
    };
    for n in 0..12 {
        let halted = begin(true, &delay("R(0xffc00000) = 1;", n));
        let Err(CardError::Fault(fault)) = run_for(&halted, 100_000) else { panic!("no fault") };
        let strict = begin(false, &delay("", n));
        // A tile may be 40 cycles before or behind another, as in strict turns.
        let [before, after] = [0, 61].map(|more| {
            let moment = CardTime::from_nanos(fault.at.as_nanos() - 30 + more);
            while strict.relax(moment).unwrap() < moment {}
            bytes(&strict)
        });
        let wrong = bytes(&halted)
            .iter()
            .zip(before.iter().zip(&after))
            .position(|(now, (a, b))| now != a && now != b);
        assert_eq!(wrong, None, "fault {n}, at {:?}", fault.at);
        assert_eq!(halted.digest(), halted.digest());
    }
}
