//! Whatever a client asks of a card, and whatever lies in its memory: an answer, an error or a fault, and the same every time.

mod support;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use komorebi_card::{Board, Card as _, CardError, CardTime, Cleanup, NocXy, Order, Power, Rect};
use komorebi_sim::{Breakage, Card, Setting, Snapshot, When};
use support::*;

/// Where random choices come from.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % bound
    }

    fn word(&mut self) -> u64 {
        self.below(1 << 31) << 33 ^ self.below(1 << 31) << 11 ^ self.below(1 << 31)
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }

    fn flag(&mut self) -> bool {
        self.below(2) == 0
    }

    fn tile(&mut self) -> NocXy {
        match self.below(8) {
            0..3 => NocXy::new(1, 2 + self.below(10) as u8),
            3 => CLUSTER,
            4 => ARC,
            5 => NocXy::new(19, 24),
            6 => NocXy::new(17 + self.below(2) as u8, 12 + self.below(12) as u8),
            _ => NocXy::new(self.below(256) as u8, self.below(256) as u8),
        }
    }

    /// An address around something, on its edges or anywhere.
    fn address(&mut self) -> u64 {
        const EDGES: [u64; 34] = [
            0,
            0x2_0000,
            0x18_0000,
            0xffb0_0000,
            0xffb1_1000,
            0xffb1_21b0,
            0xffb1_21f0,
            0xffb1_3138,
            0xffb1_4000,
            0xffb2_0000,
            0xffb2_0040,
            0xffb2_0200,
            0xffb3_0000,
            0xffb4_0000,
            0xffb8_0000,
            0xff00_0000,
            0xff10_0000,
            1 << 32,
            0x0200_0000,
            0x0201_0000,
            0x0800_0000,
            0x081e_0000,
            0x0a00_0000,
            0x0c00_0000,
            0x3000_0000,
            0x4000_3000_0000,
            0x1000_0000,
            0x1000_1040,
            0x8002_0500,
            0x8003_0014,
            0x800b_0000,
            PERIPHERALS,
            0x1400_0000_0000_0000,
            u64::MAX,
        ];
        let edge = self.one_of(&EDGES);
        let near = match self.below(4) {
            0 => 0,
            1 => 4 * self.below(64),
            2 => 4 * self.below(0x4_0000),
            _ => self.below(0x1000),
        };
        match self.below(9) {
            0 => self.word(),
            1 | 2 => edge.wrapping_sub(near),
            _ => edge.wrapping_add(near),
        }
    }

    fn bytes(&mut self) -> usize {
        match self.below(8) {
            0 => 0,
            1 => self.below(70) as usize,
            2 => 4096 + 4 * self.below(0x8000) as usize,
            _ => 4 << self.below(6),
        }
    }

    fn duration(&mut self) -> Duration {
        match self.below(6) {
            0 => Duration::ZERO,
            1 => Duration::MAX,
            _ => Duration::from_nanos(self.below(5_000)),
        }
    }

    fn power(&mut self) -> Power {
        Power { tensix: self.flag(), dram: self.flag(), l2cpu: self.flag(), busy: self.flag() }
    }

    fn breakage(&mut self) -> Breakage {
        let (tile, address, hart) = (self.tile(), self.address(), self.below(7) as usize);
        match self.below(12) {
            0 => Breakage::Hang(tile),
            1 => Breakage::Refuse("no".into()),
            2 => Breakage::KillClient,
            3 => Breakage::Poke { tile, address, bytes: vec![7; self.bytes()] },
            4 => Breakage::Flip { tile, address, bits: self.word() as u32 },
            5 => Breakage::Hold { tile, address, value: 3, time: Duration::from_nanos(self.below(5_000)) },
            6 => Breakage::Scramble { tile, address, bytes: self.bytes() },
            7 => Breakage::Freeze { tile, hart, time: Some(self.duration()) },
            8 => Breakage::Trap { tile, hart, cause: self.word(), value: self.word() },
            9 => Breakage::Drop { to: tile, packets: self.below(3) as u32 },
            10 => Breakage::Delay { to: tile, packets: self.below(3) as u32, by: self.duration() },
            _ if self.below(8) == 0 => Breakage::Lose,
            _ => Breakage::Freeze { tile, hart, time: None },
        }
    }
}

/// What came of a call, without what differs between processes.
fn tell<T: std::fmt::Debug>(done: Result<T, CardError>) -> String {
    match done {
        Ok(value) => format!("{value:?}"),
        Err(CardError::Busy { .. }) => "busy".into(),
        Err(error) => {
            let text = error.to_string();
            assert!(!text.is_empty() && text.len() < 1_000, "{text}");
            text
        }
    }
}

/// One call of a client; what came of it.
fn call(card: &Card, dice: &mut Dice, kept: &mut Vec<Snapshot>) -> String {
    let (tile, address, bytes) = (dice.tile(), dice.address(), dice.bytes());
    match dice.below(24) {
        0..4 => {
            let data: Vec<u8> = (0..bytes).map(|_| dice.below(256) as u8).collect();
            let order = if dice.flag() { Order::Bulk } else { Order::Strict };
            tell(card.write(tile, address, &data, order))
        }
        4..8 => {
            let mut data = vec![0; bytes];
            let done = tell(card.read(tile, address, &mut data));
            let mut hasher = DefaultHasher::new();
            data.hash(&mut hasher);
            format!("{done} {:x}", hasher.finish())
        }
        8 => {
            let tiles = Rect { start: dice.tile(), end: tile };
            tell(card.multicast(tiles, address, &vec![1; bytes]))
        }
        9 => tell(card.fence(tile)),
        10 => tell(card.vote(dice.power())),
        11 => {
            let cleanup = dice.flag().then_some(Cleanup { tile, address, value: 5 });
            tell(card.set_cleanup(cleanup))
        }
        12 => tell(card.keep_off(address)),
        13 => {
            let size = dice.one_of(&[0, 1, 8, 4096, 5000, usize::MAX, usize::MAX / 2, 1 << 58, 1 << 48]);
            tell(card.host_mem(size).map(|memory| (memory.len(), memory.noc_address())))
        }
        14..17 => {
            let until = match dice.below(6) {
                0 => CardTime::from_nanos(0),
                1 => card.now(),
                _ => card.now() + Duration::from_nanos(dice.below(20_000)),
            };
            tell(card.relax(until))
        }
        17 => {
            let when = match dice.below(3) {
                0 => When::Now,
                1 => When::At(CardTime::from_nanos(dice.one_of(&[
                    0,
                    1,
                    u64::MAX,
                    card.now().as_nanos() + 500,
                ]))),
                _ => When::Call(dice.one_of(&[0, 1, 3])),
            };
            tell(card.break_on(when, dice.breakage()))
        }
        18 => {
            let mut data = vec![0; bytes];
            let peeked = card.peek(tile, address, &mut data);
            let hart = dice.one_of(&[0, 1, 4, 5, usize::MAX]);
            let local = card.peek_local(
                tile,
                hart,
                dice.one_of(&[0xffb0_0000, 0xffb0_1ffc, address, u64::MAX]),
                &mut data,
            );
            format!(
                "{peeked} {local} {:?} {:?}",
                card.pcs(tile),
                card.registers(tile, hart).map(|regs| regs.pc)
            )
        }
        19 => {
            card.profile(tile, dice.below(7) as usize);
            format!("{:?} {:?} {:?}", card.counters(), card.core_counters(tile), card.digest())
        }
        20 => {
            kept.push(card.snapshot());
            kept.truncate(6);
            format!("{:?}", kept.last())
        }
        21 if !kept.is_empty() => {
            let at = dice.below(kept.len() as u64) as usize;
            let fork = kept[at].fork().map(|fork| fork.now());
            format!("{} {}", tell(fork), tell(card.restore(&kept[at])))
        }
        22 if dice.below(4) == 0 => {
            card.release();
            tell(card.claim(dice.power()))
        }
        23 if dice.below(6) == 0 => {
            card.reset();
            tell(card.claim(POWER))
        }
        _ => {
            if dice.flag() {
                card.mend();
            }
            String::new()
        }
    }
}

/// The calls of a client, by its number, and what came of each.
fn play(number: u64) -> Vec<String> {
    let mut dice = Dice(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut builder = Card::builder().columns(1).seed(dice.below(3)).parking(dice.below(4) != 0);
    builder = builder.costs(dice.one_of(&[Setting::Nominal, Setting::High, Setting::Low]));
    builder = if dice.below(4) == 0 { builder.board(Board::P100a) } else { builder };
    builder = if dice.below(4) == 0 { builder.meter(dice.tile()) } else { builder };
    builder = builder.lim_lost(dice.flag()).clock_stops_at_once(dice.flag());
    let card = open(builder);
    if dice.flag() {
        release(&card, &harts(0x0800_0000, "for (uint64_t n = 0;; n++) R64(0x08010000 + 8 * id) = n;"));
    }
    for core in 0..dice.below(5) as usize {
        load(&card, NocXy::new(1, 2), core, &baby(core, "for (uint32_t n = 0;; n++) R(0x20000) = n;"));
    }
    start(&card, NocXy::new(1, 2), &[0, 1]);
    let mut kept = Vec::new();
    let mut faults = 0;
    let mut story = Vec::new();
    while story.len() < 60 {
        let said = call(&card, &mut dice, &mut kept);
        story.push(format!("{said} at {}", card.now().as_nanos()));
        // A card that has halted, or is lost, says no more.
        if matches!(card.fence(NocXy::new(1, 2)), Err(CardError::Fault(_) | CardError::Lost { .. })) {
            faults += 1;
            card.reset();
            story.push(tell(card.client().claim(POWER)));
            card.reset();
            story.push(tell(card.claim(POWER)));
        }
    }
    story.push(format!("{faults} faults"));
    story
}

#[test]
fn a_card_answers_whatever_is_asked_of_it_and_answers_the_same_again() {
    for number in 0..12 {
        let [said, again] = [(); 2].map(|()| play(number));
        for (n, (said, again)) in said.iter().zip(&again).enumerate() {
            assert_eq!(said, again, "client {number}, call {n}");
        }
    }
}
