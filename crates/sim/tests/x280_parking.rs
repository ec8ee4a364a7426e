//! Four harts of a cluster at random: what they do with LIM, caches, local DRAM, windows, timers and one another's interrupts, while
//! a core writes to them and the host interrupts, freezes, stops and changes their clock. Parked or polling, each has the
//! same place, counts and memory at every moment at which the host looks.

mod support;

use std::time::Duration;

use komorebi_card::{Card as _, NocXy, Order, Power};
use komorebi_sim::{Breakage, Card, When};
use support::*;

/// The tile behind window 0, whose core writes to the cluster.
const A: NocXy = NocXy::new(3, 3);
/// Where each hart finds its seed.
const SEEDS: u64 = 0x0801_2000;

/// What each hart does without an end. LIM has 512 words for all of them, of which eight are waited for more often.
const PROGRAM: &str = r#"
    #define NEXT() (s = s * 6364136223846793005ull + 1442695040888963407ull, s >> 33)
    #define WORD(n) (0x08014000 + (((n) & 0x1ff) << 3))
    #define MTIME R64(0x0200bff8)
    #define CSRR(csr) ({ uint64_t value; asm volatile("csrr %0, " csr : "=r"(value) :: "memory"); value; })
    #define WAITING(wake) asm volatile("add x0, sp, %0" :: "r"(wake))
    const uint64_t CACHED = 0x400030000000, UNCACHED = 0x30010000, WINDOW = 0x80430020000;
    uint64_t s = R64(0x08012000 + 8 * id), sum = id;
    asm volatile("csrw mtvec, %0\n csrw mie, %1\n csrsi mstatus, 8" :: "r"(0x08002000), "r"(1 << 3 | 1 << 7));
    for (uint64_t n = 0;; n++) {
        switch (NEXT() % 18) {
        case 0: { uint64_t at = WORD(NEXT()); for (int i = 0; i < 20; i++) { sum = sum * 5 + R64(at); R64(at) = sum; } break; }
        case 1: { uint64_t at = WORD(NEXT()), old = R64(at), until = MTIME + 3;
                  while (R64(at) == old) { if (MTIME >= until) break; WAITING(until); } sum += R64(at); break; }
        case 2: { uint64_t at = WORD(NEXT()), old = R64(at); for (int i = 0; i < 30 && R64(at) == old; i++) {} sum ^= R64(at); break; }
        case 3: { uint64_t at = WORD(NEXT() & 7), until = MTIME + 20;
                  while (R64(at) != 77) { if (MTIME >= until) break; WAITING(until); } break; }
        case 4: R64(WORD(NEXT() & 7)) = sum; break;
        case 5: sum += MTIME; break;
        case 6: sum += CSRR("mcycle") ^ CSRR("minstret") << 8; break;
        case 7: R(0x02000000 + 4 * (NEXT() & 3)) = 1; break;
        case 8: asm volatile("wfi"); break;
        case 9: R64(0x02004000 + 8 * id) = MTIME + (NEXT() & 15); break;
        case 10: { uint64_t at = CACHED + ((NEXT() & 0x3f) << 6) + 8 * id; sum += R64(at); R64(at) = sum; break; }
        case 11: __atomic_fetch_add(reinterpret_cast<volatile uint64_t *>(CACHED + ((NEXT() & 0xf) << 6)), sum, 0); break;
        case 12: { uint64_t at = UNCACHED + ((NEXT() & 0x3f) << 6); R64(at) = sum; FENCE(); sum += R64(at); break; }
        case 13: sum += R64(WINDOW + ((NEXT() & 0xff) << 3)); break;
        case 14: R64(WINDOW + ((NEXT() & 0xff) << 3)) = sum; if (n & 1) FENCE(); break;
        case 15: sum = sum / ((n & 15) + 1) + n; break;
        case 16: asm volatile("csrci mstatus, 8"); sum += R64(WORD(NEXT())); asm volatile("csrsi mstatus, 8"); break;
        case 17: asm volatile("fence.i"); break;
        }
        R64(0x08013000 + 8 * id) = sum;
    }
"#;

/// An interrupt: it notes cause, place and count, and takes its reason away. Its first instruction stands nowhere else.
const HANDLER: &str = r#"
    asm volatile(
        "csrw mscratch, a0\n addi sp, sp, -32\n sd a3, 0(sp)\n sd a4, 8(sp)\n csrr a0, mhartid\n"
        "slli a3, a0, 6\n lui a4, 0x8015\n add a3, a3, a4\n csrr a4, mcause\n sd a4, 0(a3)\n csrr a4, mepc\n sd a4, 8(a3)\n"
        "csrr a4, minstret\n sd a4, 16(a3)\n"
        "slli a3, a0, 2\n lui a4, 0x2000\n add a3, a3, a4\n sw x0, 0(a3)\n"
        "slli a3, a0, 3\n lui a4, 0x2004\n add a3, a3, a4\n li a4, -1\n sd a4, 0(a3)\n"
        "ld a3, 0(sp)\n ld a4, 8(sp)\n addi sp, sp, 32\n csrr a0, mscratch\n mret" ::: "memory");
"#;
const FIRST: u32 = 0x3405_1073;

/// The handler without what a program does before its body.
fn handler() -> Vec<u8> {
    let image = harts(0x0800_2000, HANDLER);
    let at = (0..image.len()).step_by(2).find(|at| image[*at..].starts_with(&FIRST.to_le_bytes()));
    let mut image = image[at.expect("the first instruction is there")..].to_vec();
    image.resize(image.len().next_multiple_of(4), 0);
    image
}

/// Where the host's random choices come from.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % bound
    }
}

fn begin(scenario: u64, parking: bool) -> Card {
    // Every third one with a seed of its own.
    let seed = if scenario % 3 == 2 { scenario } else { 0 };
    let card = open(Card::builder().seed(seed).parking(parking));
    card.write(CLUSTER, 0x0800_2000, &handler(), Order::Bulk).unwrap();
    for hart in 0..4 {
        let seed = (scenario * 8 + hart).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        card.write(CLUSTER, SEEDS + 8 * hart, &seed.to_le_bytes(), Order::Bulk).unwrap();
    }
    let writer = format!(
        "for (uint32_t n = 1;; n++) {{ for (int i = 0; i < 200; i++) R(0xffb00000) = i;
             R(0x30000) = n; R(0x30004) = 3 * n; uint32_t back = R(0x30004); asm volatile(\"mv %0, %0\" : \"+r\"(back) :: \"memory\");
             write_to(0, {}, 0x30000, 0x08014000 + (8 * (n & 7) & ~15), 8); while (COUNTER(0, 1) != n) {{}} }}",
        CLUSTER.hi_word()
    );
    load(&card, A, 0, &baby(0, &writer));
    start(&card, A, &[0]);
    release(&card, &harts(0x0800_0000, PROGRAM));
    window(&card, 0, A.hi_word(), 0);
    card
}

/// Something the host does.
fn step(card: &Card, dice: &mut Dice) {
    let hart = dice.below(4);
    match dice.below(8) {
        0 => card.write32(CLUSTER, 0x0200_0000 + 4 * hart, 1).unwrap(),
        1 => card.write32(CLUSTER, 0x0801_4000 + 8 * dice.below(8), 77).unwrap(),
        2 => {
            let time = Some(Duration::from_nanos(1 + dice.below(3000)));
            card.break_on(When::Now, Breakage::Freeze { tile: CLUSTER, hart: hart as usize, time }).unwrap();
        }
        3 if hart == 0 => {
            card.vote(Power { l2cpu: false, ..POWER }).unwrap();
            run_for(card, dice.below(5000)).unwrap();
            card.vote(POWER).unwrap();
        }
        4 => clock(card, 80 + hart as u32, 1),
        _ => {}
    }
}

#[test]
fn harts_that_are_parked_leave_what_polling_ones_do_at_every_moment() {
    let mut traps = 0;
    for scenario in 0..12 {
        let cards = [true, false].map(|parking| begin(scenario, parking));
        for n in 0..40 {
            let [parked, polling] = cards.each_ref().map(|card| {
                let mut dice = Dice(scenario << 32 | n);
                step(card, &mut dice);
                let most = 64 << dice.below(7);
                run_for(card, 1 + dice.below(most)).unwrap();
                (card.core_counters(CLUSTER), card.pcs(CLUSTER), card.digest(), card.now())
            });
            assert_eq!(parked, polling, "scenario {scenario}, step {n}");
            traps += u64::from(n == 39) * parked.0.iter().map(|hart| hart.traps).sum::<u64>();
        }
    }
    assert!(traps > 100, "{traps} interrupts");
}
