//! The L3's lines, which hold what all caches of a cluster hold: each is inclusive of the ones below (host.md §6.7).
//!
//! A line has its newest bytes here, whoever wrote them, and says which L1 data caches have it. The one that has written
//! it keeps what the levels above it hold (`Owner::above`), which is all that `cdiscard.d.l1` leaves.

/// Bytes of a line.
pub(super) const BYTES: u64 = 64;
/// Sets of the L3: 128 KiB of lines in each way.
const SETS: u64 = 2048;

/// A hart that has written a line since its L1 data cache took it.
#[derive(Clone)]
pub(super) struct Owner {
    pub(super) hart: usize,
    /// The bytes of the levels above its L1, and whether they are newer than memory.
    above: [u8; 64],
    dirty: bool,
}

/// A line.
#[derive(Clone)]
pub(super) struct Line {
    /// Its address over [`BYTES`].
    pub(super) number: u64,
    pub(super) bytes: [u8; 64],
    /// The bytes it has, as bits: a write of the NoC brings its own, the rest is on its way.
    pub(super) valid: u64,
    /// True when memory is older.
    pub(super) dirty: bool,
    /// The harts whose L1 data cache has it, as bits.
    pub(super) sharers: u8,
    pub(super) owner: Option<Owner>,
    way: u32,
    /// When it was used last, as a count.
    used: u64,
}

impl Line {
    /// The bits of `valid` for `bytes` bytes at `offset`.
    pub(super) fn mask(offset: u64, bytes: u64) -> u64 {
        (u64::MAX >> (64 - bytes)) << offset
    }

    /// The little-endian value of `width` bytes at `offset`.
    pub(super) fn value(&self, offset: u64, width: usize) -> u64 {
        let mut value = [0; 8];
        value[..width].copy_from_slice(&self.bytes[offset as usize..][..width]);
        u64::from_le_bytes(value)
    }

    /// Takes bytes from memory where it has none.
    pub(super) fn fill(&mut self, from: &[u8; 64]) {
        for (i, byte) in from.iter().enumerate().filter(|(i, _)| self.valid >> i & 1 == 0) {
            self.bytes[i] = *byte;
        }
        self.valid = u64::MAX;
    }

    /// A write from outside the harts: what the L1s have of it goes.
    pub(super) fn put(&mut self, offset: u64, bytes: &[u8]) {
        self.bytes[offset as usize..][..bytes.len()].copy_from_slice(bytes);
        self.valid |= Self::mask(offset, bytes.len() as u64);
        self.dirty = true;
        self.owner = None;
        self.sharers = 0;
    }

    /// A write of `hart`, whose L1 has the line and is the only one from now on.
    pub(super) fn set_value(&mut self, hart: usize, offset: u64, width: usize, value: u64) {
        if self.owner.as_ref().is_none_or(|owner| owner.hart != hart) {
            self.owner = Some(Owner { hart, above: self.bytes, dirty: self.dirty });
        }
        self.bytes[offset as usize..][..width].copy_from_slice(&value.to_le_bytes()[..width]);
        self.dirty = true;
        self.sharers = 1 << hart;
    }

    /// The L1 of `hart` lets it go; what it wrote goes to the levels above, or is lost.
    pub(super) fn leave_l1(&mut self, hart: usize, discard: bool) {
        self.sharers &= !(1 << hart);
        if let Some(owner) = self.owner.take_if(|owner| owner.hart == hart)
            && discard
        {
            (self.bytes, self.dirty) = (owner.above, owner.dirty);
        }
    }

    /// The runs of bytes it has: offset and length.
    pub(super) fn runs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let mut valid = u128::from(self.valid);
        let mut at = 0;
        std::iter::from_fn(move || {
            if valid == 0 {
                return None;
            }
            let skip = valid.trailing_zeros() as usize;
            let run = (valid >> skip).trailing_ones() as usize;
            let start = at + skip;
            at = start + run;
            valid >>= skip + run;
            Some((start, run))
        })
    }
}

/// All lines of a cluster.
#[derive(Clone)]
pub(super) struct Lines {
    sets: Vec<Vec<Line>>,
    uses: u64,
}

impl Lines {
    pub(super) fn new() -> Self {
        Self { sets: vec![Vec::new(); SETS as usize], uses: 0 }
    }

    fn set(number: u64) -> usize {
        (number % SETS) as usize
    }

    pub(super) fn find(&self, number: u64) -> Option<&Line> {
        self.sets[Self::set(number)].iter().find(|line| line.number == number)
    }

    /// The line, for an access.
    pub(super) fn access(&mut self, number: u64) -> Option<&mut Line> {
        self.uses += 1;
        let uses = self.uses;
        let line = self.sets[Self::set(number)].iter_mut().find(|line| line.number == number)?;
        line.used = uses;
        Some(line)
    }

    /// The same without a use that the choice of a victim would see.
    pub(super) fn find_mut(&mut self, number: u64) -> Option<&mut Line> {
        self.sets[Self::set(number)].iter_mut().find(|line| line.number == number)
    }

    /// Takes a line out.
    pub(super) fn remove(&mut self, number: u64) -> Option<Line> {
        let set = &mut self.sets[Self::set(number)];
        let at = set.iter().position(|line| line.number == number)?;
        Some(set.swap_remove(at))
    }

    /// Makes room for a line that is not there in one of `ways`, as bits, not none: gives the line that had to go. `draw`
    /// chooses among a number of victims; `None` takes the one not used for longest.
    pub(super) fn insert(
        &mut self,
        number: u64,
        ways: u32,
        draw: impl FnOnce(usize) -> Option<usize>,
    ) -> (&mut Line, Option<Line>) {
        self.uses += 1;
        let uses = self.uses;
        let set = &mut self.sets[Self::set(number)];
        let taken = set.iter().fold(0, |taken, line| taken | 1 << line.way);
        let free = ways & !taken;
        let mut gone = None;
        let way = if free == 0 {
            let mut victims: Vec<usize> = (0..set.len()).filter(|at| ways >> set[*at].way & 1 == 1).collect();
            victims.sort_by_key(|at| set[*at].used);
            let victim = set.swap_remove(victims[draw(victims.len()).unwrap_or(0)]);
            let way = victim.way;
            gone = Some(victim);
            way
        } else {
            free.trailing_zeros()
        };
        set.push(Line {
            number,
            bytes: [0; 64],
            valid: 0,
            dirty: false,
            sharers: 0,
            owner: None,
            way,
            used: uses,
        });
        let last = set.len() - 1;
        (&mut set[last], gone)
    }

    /// The way that holds a line.
    pub(super) fn way(&self, number: u64) -> Option<u32> {
        self.find(number).map(|line| line.way)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_set_gives_up_the_line_not_used_for_longest_of_the_ways_allowed() {
        let mut lines = Lines::new();
        for i in 0..3 {
            assert!(lines.insert(5 + i * SETS, 0b111, |_| None).1.is_none());
        }
        lines.access(5);
        let gone =
            |lines: &mut Lines, ways| lines.insert(9 * SETS + 5, ways, |_| None).1.map(|line| line.number);
        assert_eq!(gone(&mut lines.clone(), 0b111), Some(5 + SETS));
        assert_eq!(gone(&mut lines.clone(), 0b100), Some(5 + 2 * SETS));
        assert_eq!(gone(&mut lines.clone(), 0b1000), None);
        let drawn = lines.insert(9 * SETS + 5, 0b111, |n| Some(n - 1)).1.map(|line| line.number);
        assert_eq!(drawn, Some(5));
        assert!(lines.find(5).is_none() && lines.find(9 * SETS + 5).is_some());
    }

    #[test]
    fn a_discard_leaves_what_the_levels_above_hold_and_a_flush_what_was_written() {
        let mut lines = Lines::new();
        let (line, _) = lines.insert(1, 1, |_| None);
        line.fill(&[7; 64]);
        line.set_value(2, 8, 4, 0x0102_0304);
        let mut other = line.clone();
        line.leave_l1(2, true);
        assert_eq!((line.value(8, 4), line.dirty), (0x0707_0707, false));
        other.leave_l1(2, false);
        other.leave_l1(2, true);
        assert_eq!((other.value(8, 4), other.dirty), (0x0102_0304, true));
    }

    #[test]
    fn a_line_of_a_narrow_write_gives_the_bytes_it_has() {
        let mut lines = Lines::new();
        let (line, _) = lines.insert(1, 1, |_| None);
        line.put(4, &[1; 8]);
        line.put(60, &[2; 4]);
        assert_eq!(line.runs().collect::<Vec<_>>(), [(4, 8), (60, 4)]);
        line.fill(&[9; 64]);
        assert_eq!(
            (line.value(0, 8), line.value(8, 4), line.bytes[60]),
            (0x0101_0101_0909_0909, 0x0101_0101, 2)
        );
        assert_eq!(line.runs().collect::<Vec<_>>(), [(0, 64)]);
    }
}
