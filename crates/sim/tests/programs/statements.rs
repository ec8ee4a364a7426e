//! The statements of a random program.

use komorebi_card::NocXy;

use super::asm::*;
use super::program::*;
use super::support::CORE_PCS;

impl Program<'_> {
    /// Puts an address of `1 << width` bytes alignment into AT, drawn when the program runs or now.
    pub(super) fn address(&mut self, width: u32) {
        let mask = 0x7ff & !((1 << width) - 1);
        let (number, place) = (self.number(), self.below(16));
        match place {
            0..5 => {
                self.put(andi(AT, number, mask & 0xff));
                self.put(add(AT, BASE, AT));
            }
            5..9 => {
                self.put(andi(AT, number, mask));
                self.put(add(AT, PIECE, AT));
            }
            9..11 => {
                self.put(andi(AT, number, mask));
                self.put(add(AT, LOCAL, AT));
            }
            // The piece of another core, at its ends or anywhere.
            11..13 => {
                let to = PIECES + self.below(5) as u32 * 0x1000 + self.below(4) as u32 * 0x400;
                self.put_all(li(OTHER, to));
                self.put(andi(AT, number, mask & 0x1f));
                self.put(add(AT, OTHER, AT));
            }
            // Numbers beside the code that others copy.
            13 => {
                self.put_all(li(OTHER, SNIPPETS + 0x400));
                self.put(andi(AT, number, mask & 0x3f));
                self.put(add(AT, OTHER, AT));
            }
            // Behind the core's own code, in its page.
            14 => {
                self.put(andi(AT, number, mask & 0x3c));
                self.put(add(AT, CODE, AT));
                self.put_all(li(OTHER, 0x1c00));
                self.put(add(AT, AT, OTHER));
            }
            _ => {
                let word = SHARED + 4 * self.below(16) as u32;
                self.put_all(li(AT, word));
            }
        }
    }

    pub(super) fn load(&mut self) {
        let funct3 = [0, 1, 2, 2, 2, 4, 5][self.below(7) as usize];
        self.address(funct3 & 3);
        let number = self.number();
        self.put(load(funct3, number, AT, 0));
    }

    pub(super) fn store(&mut self) {
        let funct3 = [0, 1, 2, 2, 2][self.below(5) as usize];
        self.address(funct3);
        let number = self.number();
        self.put(store(funct3, number, AT, 0));
    }

    pub(super) fn compute(&mut self, count: u64) {
        for _ in 0..count {
            let [a, b, c] = [0; 3].map(|_| self.number());
            let choice = self.below(64);
            let word = match self.below(3) {
                0 => any_immediate(choice, a, b, self.below(4096) as i32 - 2048),
                _ => any_register(choice, a, b, c),
            };
            self.put(word);
        }
    }

    /// A loop of so many turns.
    pub(super) fn turns(&mut self, turns: u64, body: impl FnOnce(&mut Self)) {
        // An inner one has the count of the outer one.
        if self.nested > 0 {
            return body(self);
        }
        self.nested += 1;
        self.put_all(li(TURNS, turns as u32));
        let top = self.words.len();
        body(self);
        self.put(addi(TURNS, TURNS, -1));
        // A body longer than a branch reaches is not made of this.
        if self.words.len() - top < 900 {
            self.back(1, TURNS, 0, top);
        }
        self.nested -= 1;
    }

    /// Walks through the own piece, or local memory, storing all the way.
    pub(super) fn walk(&mut self) {
        let base = if self.below(4) == 0 { LOCAL } else { PIECE };
        let (stride, number, other) = (4 << self.below(3), self.number(), self.number());
        let turns = 1 + self.below(120);
        self.put(addi(AT, base, 4 * self.below(64) as i32));
        self.turns(turns, |program| {
            program.put(lw(number, AT, 0));
            program.put(add(other, other, number));
            program.put(sw(other, AT, 4 * (other as i32 & 3)));
            program.put(addi(AT, AT, stride));
        });
    }

    /// Waits for a change of a word, at most for so long; with or without the mark.
    pub(super) fn wait(&mut self) {
        let (cycles, marked, fenced) = (8 + self.below(900) as u32, self.below(3) != 0, self.below(2) == 0);
        let clock = self.below(4) != 0;
        let second = self.below(4);
        let value = self.number();
        match self.below(4) {
            0 => self.put(addi(AT, PIECE, 4 * self.below(8) as i32)),
            _ => self.put(addi(AT, BASE, 4 * self.below(16) as i32)),
        }
        self.put(lw(value, AT, 0));
        self.put(lw(UNTIL, CONTROL, 0x1f0));
        self.put_all(li(OTHER, cycles));
        self.put(add(UNTIL, UNTIL, OTHER));
        let top = self.words.len();
        self.put(lw(WORD, AT, 0));
        self.put(0);
        let out = self.words.len() - 1;
        if fenced {
            self.put(fence());
        }
        match second {
            0 => self.put(lw(OTHER, BASE, 0x80)),
            1 => self.put(lw(OTHER, OVERLAY, 0x28)),
            2 if self.core >> 1 == 0 => self.put(lw(OTHER, NIU, 0x204)),
            _ => {}
        }
        if clock {
            self.put(lw(OTHER, CONTROL, 0x1f0));
            self.put(r((0x20, 0), OTHER, OTHER, UNTIL));
            self.put(branch(5, OTHER, 0, 0));
            let late = self.words.len() - 1;
            if marked {
                // What was read of a clock is used in no later turn: the contract of the HINT.
                self.put(addi(OTHER, 0, 0));
                self.put(waiting(UNTIL));
            }
            self.back(0, 0, 0, top);
            let by = 4 * (self.words.len() - late) as i32;
            self.words[late] = branch(5, OTHER, 0, by);
        } else {
            // The others move on: it ends when one changes the word. So it looks for a limited number of turns.
            self.put(addi(WORD, WORD, 0));
            if marked {
                self.put(waiting(UNTIL));
            }
            self.put(lw(OTHER, CONTROL, 0x1f0));
            self.put(r((0x20, 0), OTHER, OTHER, UNTIL));
            self.put(any_immediate(1, OTHER, OTHER, 31));
            self.back(1, OTHER, 0, top);
        }
        let by = 4 * (self.words.len() - out) as i32;
        self.words[out] = branch(1, WORD, value, by);
        self.put(add(value, value, WORD));
    }

    /// A counter of the NIU that the core sends with.
    pub(super) fn await_requests(&mut self) {
        self.put_all(li(AT, 0xffb2_0000 + (self.core as u32 & 1) * 0x1_0000 + 0x240));
        let marked = self.below(2) == 0;
        let top = self.words.len();
        self.put(lw(WORD, AT, 4 * self.core as i32));
        self.put(branch(0, WORD, 0, 0));
        let out = self.words.len() - 1;
        if marked {
            self.put(waiting(0));
        }
        self.back(0, 0, 0, top);
        let by = 4 * (self.words.len() - out) as i32;
        self.words[out] = branch(0, WORD, 0, by);
    }

    /// A place of a tile's L1 that a request may name, below `room`.
    pub(super) fn place(&mut self, room: u64) -> u32 {
        let at = match self.below(8) {
            0..3 => SHARED as u64 + self.below(16) * 4,
            3..6 => PIECES as u64 + self.below(5) * 0x1000 + self.below(0x1000 - room.min(0xf00)),
            // Another one's subroutine, with what does no harm there.
            6 => CORE_PCS[self.below(5) as usize] + u64::from(ROUTINE) + 16 * self.below(SLOTS / 4),
            _ => PIECES as u64 + self.below(0x5000 - room),
        };
        at as u32
    }

    pub(super) fn send(&mut self, control: u32, target: (u32, u32), ret: (u32, u32), length: u32) {
        let top = self.words.len();
        self.put(lw(WORD, NIU, 0x40));
        self.back(1, WORD, 0, top);
        let hi = |program: &mut Self, value: u32, offset: i32| {
            if value == 0 {
                program.put(sw(SELF, NIU, offset));
            } else {
                program.put_all(li(WORD, value));
                program.put(sw(WORD, NIU, offset));
            }
        };
        self.put_all(li(WORD, target.0));
        self.put(sw(WORD, NIU, 0x00));
        hi(self, target.1, 0x08);
        self.put_all(li(WORD, ret.0));
        self.put(sw(WORD, NIU, 0x0c));
        hi(self, ret.1, 0x14);
        self.put_all(li(WORD, (self.core as u32) << 10));
        self.put(sw(WORD, NIU, 0x18));
        self.put_all(li(WORD, control));
        self.put(sw(WORD, NIU, 0x1c));
        self.put_all(li(WORD, length));
        self.put(sw(WORD, NIU, 0x20));
        self.put(addi(WORD, 0, 1));
        self.put(sw(WORD, NIU, 0x40));
    }

    pub(super) fn other(&mut self) -> NocXy {
        self.tiles[self.below(self.tiles.len() as u64) as usize]
    }

    pub(super) fn bytes(&mut self) -> u32 {
        match self.below(8) {
            0..5 => 4 << self.below(4),
            5 => 1 + self.below(64) as u32,
            6 => 64 + self.below(192) as u32,
            _ => 1024 + self.below(1024) as u32,
        }
    }

    pub(super) fn request(&mut self) {
        let (xy, bytes) = (self.other().hi_word(), self.bytes());
        let there = self.place(2048);
        let is_code = there < 0x1_f000;
        match self.below(6) {
            0 | 1 => {
                let (from, bytes) = if is_code {
                    (SNIPPETS + 16 * self.below(SNIPPET_WORDS / 4) as u32, 16)
                } else {
                    (PIECES + self.core as u32 * 0x1000 + (there & 15) + 16 * self.below(100) as u32, bytes)
                };
                let posted = self.below(4) == 0;
                let ordered = if self.below(3) == 0 { 0x80 } else { 0 };
                let control = if posted { 0x2082 } else { 0x2092 } | ordered;
                self.send(control, (from, 0), (there, xy), bytes);
            }
            2 | 3 => {
                let into = PIECES + self.core as u32 * 0x1000 + (there & 15) + 16 * self.below(100) as u32;
                self.send(0x2090, (there, xy), (into, 0), bytes);
            }
            4 => {
                let at = if is_code { SHARED } else { there & !3 };
                let by = self.number();
                let top = self.words.len();
                self.put(lw(WORD, NIU, 0x40));
                self.back(1, WORD, 0, top);
                self.put(sw(by, NIU, 0x28));
                let into = PIECES + self.core as u32 * 0x1000 + 4 * self.below(256) as u32;
                self.send(0x2091, (at, xy), (into, 0), 0x107c | (at >> 2 & 3));
            }
            _ => {
                // To all tiles, in the order that the NoC reaches them.
                let (first, last) = (self.tiles[0], self.tiles[self.tiles.len() - 1]);
                let (start, end) = if self.core & 1 == 0 { (first, last) } else { (last, first) };
                let rectangle = end.hi_word() | start.hi_word() << 12;
                let (from, bytes) = if is_code {
                    (SNIPPETS + 16 * self.below(SNIPPET_WORDS / 4) as u32, 16)
                } else {
                    (PIECES + self.core as u32 * 0x1000 + (there & 15) + 16 * self.below(100) as u32, bytes)
                };
                let including = if self.below(2) == 0 { 0x2_0000 } else { 0 };
                // Its acknowledgements do not take its outstanding count to 0: they are nobody's.
                self.send(0x81a2 | including, (from, 0), (there, rectangle), bytes);
            }
        }
        if self.below(3) != 0 {
            self.await_requests();
        }
    }

    /// Calls a subroutine: the own one, or that of another core of the tile.
    pub(super) fn call(&mut self) {
        let core = if self.below(3) == 0 { self.below(5) as usize } else { self.core };
        self.put_all(li(AT, CORE_PCS[core] as u32 + ROUTINE));
        self.put(jalr(1, AT, 4 * self.below(SLOTS) as i32));
    }

    /// Rewrites a word of a subroutine, and tells the caches or does not.
    pub(super) fn rewrite(&mut self) {
        let core = if self.below(3) == 0 { self.below(5) as usize } else { self.core };
        let slot = 4 * self.below(SLOTS) as i32;
        let word = snippet(self.dice);
        self.put_all(li(AT, CORE_PCS[core] as u32 + ROUTINE));
        self.put_all(li(WORD, word));
        self.put(sw(WORD, AT, slot));
        if self.core != 1 && self.below(3) != 0 {
            self.invalidate();
        }
        if self.below(2) == 0 {
            self.put_all(li(AT, CORE_PCS[core] as u32 + ROUTINE));
            self.put(jalr(1, AT, slot));
        }
    }

    pub(super) fn invalidate(&mut self) {
        self.put_all(li(WORD, 1 + self.below(31) as u32));
        self.put(sw(WORD, CONFIG, 0x2e4));
    }

    /// Resets a core of the tile, for a while.
    pub(super) fn reset(&mut self) {
        let bits = [1 << 11, 1 << 18, 1 << 12, 1 << 13, 1 << 14];
        let core = self.below(5) as usize;
        if core == self.core && self.below(4) != 0 {
            return;
        }
        let keep = self.below(2) == 0;
        if keep {
            self.put(addi(WORD, 0, 0x155));
            self.put(sw(WORD, CONTROL, 0x224));
        }
        self.put_all(li(WORD, bits[core]));
        self.put(sw(WORD, CONTROL, 0x1b0));
        let pause = self.below(40);
        self.compute(pause);
        self.put(sw(0, CONTROL, 0x1b0));
    }

    /// A mailbox: a word to another core, or one that is there.
    pub(super) fn mail(&mut self) {
        if self.core == 1 {
            return self.store();
        }
        let box_of = (self.below(4) as u32) << 12;
        self.put_all(li(OTHER, box_of));
        self.put(add(AT, QUEUE, OTHER));
        let number = self.number();
        match self.below(3) {
            0 if self.below(8) == 0 => self.put(lw(number, AT, 0)),
            0 | 1 => {
                self.put(lw(WORD, AT, 4));
                self.skip_unless(0, WORD, 0, |program| program.put(lw(number, AT, 0)));
            }
            _ => self.put(sw(number, AT, 0)),
        }
    }

    pub(super) fn semaphore(&mut self) {
        let number = self.number();
        self.put_all(li(AT, 0xffe8_0000));
        match self.core {
            0 => {
                let offset = (self.below(3) as u32) << 16;
                self.put_all(li(AT, 0xffe8_0000 + offset));
                if self.below(6) == 0 {
                    self.put(sw(number, AT, 0));
                }
            }
            1 => {}
            _ => {
                let offset = 0x20 + 4 * self.below(8) as i32;
                match self.below(8) {
                    0..4 => self.put(sw(number, AT, offset)),
                    4..7 => self.put(lw(number, AT, offset)),
                    _ => self.put(lw(number, AT, 0)),
                }
            }
        }
    }

    pub(super) fn stream(&mut self) {
        let number = self.number();
        let register = [0x20, 0x28, 0x438, 0x4a4][self.below(4) as usize];
        let loads = register != 0x438 && self.below(2) == 0;
        let stream = match register {
            // One core counts there.
            0x20 | 0x28 if !loads => self.core as u32,
            _ => self.below(5) as u32,
        };
        self.put_all(li(OTHER, stream << 12));
        self.put(add(AT, OVERLAY, OTHER));
        self.put(if loads { lw(number, AT, register) } else { sw(number, AT, register) });
    }

    pub(super) fn control_register(&mut self) {
        let number = self.number();
        match self.below(8) {
            0 => self.put(csr(2, number, 0xb00, 0)),
            1 => self.put(csr(2, number, 0xb02, 0)),
            2 => self.put(csr(1, number, 0x7c3, number)),
            // The L0 data cache on and off.
            3 => self.put(csr(7, 0, 0x7c0, 8)),
            4 | 5 => self.put(csr(6, 0, 0x7c0, 8)),
            // Every access as if behind a fence, and not.
            6 => self.put(csr(5, 0, 0x7c1, 1)),
            _ => self.put(csr(5, 0, 0x7c1, 0)),
        }
    }

    /// A store, then a load of the same bytes or of some of them, then a use.
    pub(super) fn store_and_load(&mut self) {
        self.address(2);
        let (number, other) = (self.number(), self.number());
        self.put(sw(number, AT, 0));
        match self.below(3) {
            0 => self.put(lw(other, AT, 0)),
            1 => self.put(load(5, other, AT, 2)),
            _ => self.put(load(4, other, AT, 3)),
        }
        if self.below(2) == 0 {
            let use_of = self.number();
            self.put(add(use_of, use_of, other));
        }
    }

    /// Where another core is: it may be anywhere.
    pub(super) fn look(&mut self) {
        let number = self.number();
        self.put_all(li(AT, 0xffb1_3138));
        self.put(lw(number, AT, 4 * self.below(5) as i32));
    }

    /// Something that breaks a rule, if the program comes there.
    pub(super) fn wrong(&mut self) {
        let number = self.number();
        let word = match self.below(12) {
            0 => 0x0010_0073,
            1 => 0,
            2 => self.below(1 << 32) as u32,
            3 => lw(number, PIECE, 1 + self.below(3) as i32),
            4 => sw(number, PIECE, 1 + self.below(3) as i32),
            5 => lw(number, number, 0),
            6 => jalr(1, number, 0),
            7 => sw(number, NIU, 0x40),
            8 => sw(number, CONTROL, 4 * self.below(0x200) as i32),
            9 => lw(number, QUEUE, 8),
            10 => csr(2, number, self.below(4096) as u32, 0),
            _ => any_atomic(0, number, LOCAL, number),
        };
        // Seldom taken.
        let (a, b) = (self.number(), self.number());
        self.put(andi(WORD, a, 0x1f));
        self.put(andi(OTHER, b, 0x1f));
        self.skip_unless(1, WORD, OTHER, |program| program.put(word));
    }
}
