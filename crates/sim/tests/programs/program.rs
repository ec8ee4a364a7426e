//! Random programs of baby cores: what a core can do to itself, its tile, and other tiles.

use komorebi_card::NocXy;

use super::Dice;
use super::asm::*;
use super::support::CORE_PCS;

/// Where what all cores of a tile share lies, and one piece of 4 KiB a core.
pub(crate) const SHARED: u32 = 0x2_0000;
pub(crate) const PIECES: u32 = 0x2_1000;
/// Random instructions that others copy over code: words that do no harm.
pub(crate) const SNIPPETS: u32 = 0x1_f000;
pub(crate) const SNIPPET_WORDS: u64 = 64;
/// Where a program's subroutine lies, from its reset pc: it and others rewrite it and call it.
pub(super) const ROUTINE: u32 = 0x40;
/// Words of it that may be rewritten.
pub(super) const SLOTS: u64 = 16;

/// Registers with a task; the others below hold numbers.
pub(super) const SP: u32 = 2;
pub(super) const BASE: u32 = 16;
pub(super) const PIECE: u32 = 17;
pub(super) const LOCAL: u32 = 18;
pub(super) const NIU: u32 = 19;
pub(super) const CONTROL: u32 = 20;
pub(super) const SELF: u32 = 21;
pub(super) const CODE: u32 = 22;
pub(super) const ROUNDS: u32 = 23;
pub(super) const TURNS: u32 = 24;
pub(super) const AT: u32 = 25;
pub(super) const WORD: u32 = 26;
pub(super) const UNTIL: u32 = 27;
pub(super) const OTHER: u32 = 28;
pub(super) const CONFIG: u32 = 29;
pub(super) const OVERLAY: u32 = 30;
pub(super) const QUEUE: u32 = 31;
/// Registers of numbers: 5 to 15.
const FIRST: u64 = 5;
const NUMBERS: u64 = 11;

/// What kinds of statements there are.
const KINDS: u64 = 30;

/// A program of one core.
pub(crate) struct Program<'a> {
    pub(super) dice: &'a Dice,
    pub(super) core: usize,
    pub(super) tiles: &'a [NocXy],
    pub(super) words: Vec<u32>,
    /// The kinds of statements that it is made of.
    kinds: Vec<u64>,
    pub(super) nested: u32,
}

/// How long waits take and how much a program does, and whether it may break rules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Statements in its endless loop.
    pub(crate) statements: u64,
    /// One in so many statements may be wrong; 0 for none.
    pub(crate) wrong: u64,
}

/// The image of a core's program, to be loaded at its reset pc.
pub(crate) fn image(dice: &Dice, core: usize, tiles: &[NocXy], shape: Shape) -> Vec<u8> {
    let some = 2 + dice.below(KINDS);
    let kinds = (0..some).map(|_| dice.below(KINDS)).collect();
    let mut program = Program { dice, core, tiles, words: Vec::new(), kinds, nested: 0 };
    program.write(shape);
    assert!(program.words.len() < 0x1c00 / 4, "a program reaches into its data");
    program.words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A word that does no harm wherever it is executed.
pub(crate) fn snippet(dice: &Dice) -> u32 {
    let [a, b, c] = [0; 3].map(|_| (FIRST + dice.below(NUMBERS)) as u32);
    match dice.below(8) {
        0..3 => any_immediate(dice.below(9), a, b, dice.below(4096) as i32 - 2048),
        3..5 => any_register(dice.below(64), a, b, c),
        5 => lw(a, PIECE, 4 * dice.below(500) as i32),
        6 => sw(a, PIECE, 4 * dice.below(500) as i32),
        _ => addi(0, 0, 0),
    }
}

impl Program<'_> {
    pub(super) fn put(&mut self, word: u32) {
        self.words.push(word);
    }

    pub(super) fn put_all(&mut self, words: impl IntoIterator<Item = u32>) {
        self.words.extend(words);
    }

    pub(super) fn below(&self, bound: u64) -> u64 {
        self.dice.below(bound)
    }

    pub(super) fn number(&mut self) -> u32 {
        (FIRST + self.below(NUMBERS)) as u32
    }

    /// Puts a branch to a place that `body` ends at.
    pub(super) fn skip_unless(&mut self, funct3: u32, a: u32, b: u32, body: impl FnOnce(&mut Self)) {
        let at = self.words.len();
        self.put(0);
        body(self);
        let by = 4 * (self.words.len() - at) as i32;
        self.words[at] = branch(funct3, a, b, by);
    }

    /// Puts a branch back to the word of this number.
    pub(super) fn back(&mut self, funct3: u32, a: u32, b: u32, to: usize) {
        let by = 4 * (to as i32 - self.words.len() as i32);
        self.put(branch(funct3, a, b, by));
    }

    pub(super) fn write(&mut self, shape: Shape) {
        let start = self.words.len();
        self.put(0);
        // The subroutine.
        self.words.resize((ROUTINE / 4) as usize, addi(0, 0, 0));
        for _ in 0..SLOTS {
            let word = snippet(self.dice);
            self.put(word);
        }
        self.put(jalr(0, 1, 0));
        let by = 4 * (self.words.len() - start) as i32;
        self.words[start] = jal(0, by);
        self.set_up();
        let top = self.words.len();
        for _ in 0..shape.statements {
            self.statement();
            if shape.wrong != 0 && self.below(shape.wrong) == 0 {
                self.wrong();
            }
        }
        self.put(addi(ROUNDS, ROUNDS, 1));
        let by = 4 * (top as i32 - self.words.len() as i32);
        self.put(jal(0, by));
    }

    pub(super) fn set_up(&mut self) {
        let (core, own) = (self.core as u32, CORE_PCS[self.core] as u32);
        let noc = core & 1;
        let niu = 0xffb2_0000 + noc * 0x1_0000 + (core >> 1) * 0x800;
        for (register, value) in [
            (SP, 0xffb0_1000),
            (BASE, SHARED),
            (PIECE, PIECES + core * 0x1000),
            (LOCAL, 0xffb0_0000),
            (NIU, niu),
            (CONTROL, 0xffb1_2000),
            (CODE, own),
            (CONFIG, 0xffef_0000),
            (OVERLAY, 0xffb4_0000),
            (QUEUE, 0xffec_0000),
        ] {
            self.put_all(li(register, value));
        }
        for register in FIRST..FIRST + NUMBERS {
            let value = self.below(1 << 32) as u32;
            self.put_all(li(register as u32, value));
        }
        // The NIU of buffer 0 has the own coordinate.
        self.put_all(li(AT, 0xffb2_0148 + noc * 0x1_0000));
        self.put(lw(SELF, AT, 0));
        // The L0 data cache: off most of the time, so that cores run ahead.
        if self.below(8) != 0 {
            self.put(csr(6, 0, 0x7c0, 8));
        }
    }

    pub(super) fn statement(&mut self) {
        let kind = self.kinds[self.below(self.kinds.len() as u64) as usize];
        match kind {
            0 | 1 => self.load(),
            2 | 3 => self.store(),
            4 | 5 => self.walk(),
            6 => {
                let count = 1 + self.below(20);
                self.compute(count);
            }
            7 | 8 => self.wait(),
            9 => {
                self.address(2);
                let (a, b, choice) = (self.number(), self.number(), self.below(9));
                self.put(any_atomic(choice, a, AT, b));
            }
            10 => self.put(fence()),
            11 => {
                let number = self.number();
                self.put(lw(number, CONTROL, if self.dice.below(8) == 0 { 0x1f4 } else { 0x1f0 }));
            }
            12..15 => self.request(),
            15 | 16 => self.call(),
            17 => self.rewrite(),
            18 if self.core != 1 && self.below(3) == 0 => self.invalidate(),
            18 => self.call(),
            19 if self.below(4) == 0 => self.reset(),
            19 => self.look(),
            20 => self.mail(),
            21 => self.semaphore(),
            22 => self.stream(),
            23 => self.control_register(),
            24 | 25 => self.store_and_load(),
            26 => {
                // A branch over something.
                let (a, b, funct3) =
                    (self.number(), self.number(), [0, 1, 4, 5, 6, 7][self.below(6) as usize]);
                self.skip_unless(funct3, a, b, |program| {
                    program.load();
                    program.store();
                });
            }
            27 => {
                let turns = 2 + self.below(90);
                self.turns(turns, |program| {
                    program.load();
                    program.compute(2);
                });
            }
            28 => {
                let turns = 2 + self.below(30);
                self.turns(turns, |program| {
                    program.store();
                    program.load();
                    program.load();
                });
            }
            _ => {
                let turns = 2 + self.below(20);
                self.turns(turns, |program| {
                    program.wait();
                    program.store();
                });
            }
        }
    }
}
