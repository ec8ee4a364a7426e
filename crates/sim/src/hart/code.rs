//! A page of decoded instructions.
//!
//! Its operations do not know where it lies, so that tiles that hold the same bytes at different places, or a
//! hundred of them at the same, share one page.
//!
//! Operations lie in the order in which they are executed while nothing jumps. Where instructions of two bytes and of four
//! mix, one may start at every second byte, and which do only running tells: first come those that follow one another from
//! the page's beginning, then those that start elsewhere, each up to where it meets what is there ([`Op::goto`]).

use super::decode::{Op, decode};
use super::isa::Isa;

/// 4 KiB of memory, decoded.
#[derive(Clone, Debug)]
pub struct CodePage {
    isa: Isa,
    pub(super) ops: Box<[Op]>,
    /// The number of the operation at each place, where it is not the place.
    numbers: Box<[u16]>,
    /// The bytes, and the first half of the next page once it has been needed.
    halves: Box<[u16]>,
}

impl CodePage {
    /// Bytes of memory in a page.
    pub const BYTES: usize = 4096;
    /// Bytes that an instruction cache of a baby core fetches at once. Not documented: an assumption.
    pub(crate) const LINE: usize = 64;
    /// Lines of a page.
    pub(crate) const LINES: usize = Self::BYTES / Self::LINE;
    /// Places of a page where an instruction may start at every second byte.
    const HALVES: usize = Self::BYTES / 2;

    /// Decodes a page. Bytes that are no instruction only matter when they are reached.
    pub fn decode(isa: Isa, bytes: &[u8; Self::BYTES]) -> Self {
        let half = |at: usize| u16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]]);
        let halves: Box<[u16]> = (0..Self::HALVES).map(half).chain([0]).collect();
        let word = |at: usize| u32::from(halves[at]) | u32::from(halves[at + 1]) << 16;
        let (ops, numbers) = match isa {
            Isa::Rv32 => {
                let words = Self::HALVES / 2;
                let ops = (0..words).map(|at| decode(isa, word(2 * at)).at(at));
                (ops.chain([Op::end().at(words)]).collect(), Vec::new())
            }
            Isa::Rv64 => chains(|at| match halves[at] {
                half if at + 1 == Self::HALVES && half & 3 == 3 => Op::straddle(half),
                _ => decode(isa, word(at)),
            }),
        };
        let mut page = Self { isa, ops: ops.into(), numbers: numbers.into(), halves };
        (0..page.ops.len()).for_each(|number| page.link(number));
        page.pair();
        page
    }

    /// Makes pairs of what is executed in one step. A line of a cache may come without the next one.
    fn pair(&mut self) {
        let lines = self.isa == Isa::Rv32;
        for number in 1..self.ops.len() {
            if !(lines && number % Self::line(0).len() == 0) {
                self.ops[number - 1] = self.ops[number - 1].pair(self.ops[number]);
            }
        }
    }

    /// Makes operation `number` a jump within the page, if it is one.
    fn link(&mut self, number: usize) {
        let op = self.ops[number];
        let target = op.target(self.slot()).and_then(|place| self.number(usize::try_from(place).ok()?));
        if let Some(to) = target {
            self.ops[number] = op.near(number, to);
        }
    }

    /// log2 of the bytes from place to place.
    fn slot(&self) -> u32 {
        match self.isa {
            Isa::Rv32 => 2,
            Isa::Rv64 => 1,
        }
    }

    /// The number of the operation at a place, of one inside.
    #[inline]
    pub(super) fn number(&self, place: usize) -> Option<usize> {
        match self.isa {
            Isa::Rv32 => (place < Self::HALVES / 2).then_some(place),
            Isa::Rv64 => self.numbers.get(place).map(|number| usize::from(*number)),
        }
    }

    /// The same page for a core that has fetched the lines in `mask` of it, bit by bit, and no others.
    pub(crate) fn only(&self, mask: u64) -> Self {
        let mut page = self.clone();
        for line in (0..Self::LINES).filter(|line| mask >> line & 1 == 0) {
            for place in Self::line(line) {
                page.ops[place] = Op::unfetched().at(place);
            }
        }
        page
    }

    /// True when the lines in `mask` are the same as in `other`.
    pub(crate) fn agrees(&self, mask: u64, other: &Self) -> bool {
        let mut lines = (0..Self::LINES).filter(|line| mask >> line & 1 == 1);
        lines.all(|line| self.ops[Self::line(line)] == other.ops[Self::line(line)])
    }

    /// This page with `line` as it is in `from`.
    pub(crate) fn with_line(&self, line: usize, from: &Self) -> Self {
        let mut page = self.clone();
        page.ops[Self::line(line)].copy_from_slice(&from.ops[Self::line(line)]);
        let of_line = line * Self::LINE / 2..(line + 1) * Self::LINE / 2;
        page.halves[of_line.clone()].copy_from_slice(&from.halves[of_line]);
        page
    }

    /// The operations of a line; whoever has lines has instructions of four bytes.
    fn line(line: usize) -> std::ops::Range<usize> {
        const OPS: usize = CodePage::LINE / 4;
        line * OPS..(line + 1) * OPS
    }

    /// The operation at `pc`.
    pub(super) fn op(&self, pc: u64) -> Option<Op> {
        let place = (pc % Self::BYTES as u64) as usize >> self.slot();
        self.ops.get(self.number(place)?).map(|op| op.single())
    }

    /// The instruction set that the page was decoded for.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The page with the instruction at its end completed by the half that starts the next page.
    pub(super) fn with_last(&self, half: u16, next: u16) -> Self {
        let mut page = self.clone();
        let last = Self::HALVES - 1;
        if let Some(number) = self.number(last) {
            page.ops[number] = decode(self.isa, u32::from(half) | u32::from(next) << 16).at(last);
            page.link(number);
        }
        page.halves[Self::HALVES] = next;
        page
    }

    /// The first two bytes, for an instruction that starts in the page before.
    pub(super) fn first_half(&self) -> u16 {
        self.halves[0]
    }

    /// The instruction at `pc`, as long as it is.
    pub(super) fn instruction(&self, pc: u64) -> u32 {
        let at = (pc % Self::BYTES as u64 / 2) as usize;
        let half = u32::from(self.halves[at]);
        match half & 3 {
            3 => half | u32::from(self.halves[at + 1]) << 16,
            _ => half,
        }
    }
}

/// The operations of a page in which one may start at each half, and the number of the one at each. Each is followed by what
/// is executed next: an end of the page, too, is the only one behind what it is behind.
fn chains(decode: impl Fn(usize) -> Op) -> (Vec<Op>, Vec<u16>) {
    const NONE: u16 = u16::MAX;
    let mut ops = Vec::with_capacity(CodePage::HALVES + CodePage::HALVES / 2);
    let mut numbers = vec![NONE; CodePage::HALVES];
    for start in 0..CodePage::HALVES {
        let mut at = start;
        while let Some(number) = numbers.get_mut(at)
            && *number == NONE
        {
            *number = ops.len() as u16;
            let op = decode(at).at(at);
            ops.push(op);
            at += op.size() as usize / 2;
        }
        match numbers.get(at) {
            _ if at == start => {}
            Some(number) => ops.push(Op::goto(usize::from(*number)).at(at)),
            None => ops.push(Op::end().at(at)),
        }
    }
    (ops, numbers)
}
