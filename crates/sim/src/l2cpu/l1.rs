//! The tags of a hart's L1 data cache (host.md §6.1: 32 KiB, 4 ways, lines of 64 bytes). The bytes are the L3's.

/// Sets of 4 ways.
const SETS: usize = 128;
/// Ways of a set.
const WAYS: usize = 4;
/// No line.
const NONE: u64 = u64::MAX;

/// The numbers of the lines that it has, the last one used first.
#[derive(Clone)]
pub(super) struct L1 {
    sets: Box<[[u64; WAYS]; SETS]>,
    /// The line of the hart's last `lr`, while it stays.
    reserved: Option<u64>,
}

impl L1 {
    pub(super) fn new() -> Self {
        Self { sets: Box::new([[NONE; WAYS]; SETS]), reserved: None }
    }

    fn set(&mut self, number: u64) -> &mut [u64; WAYS] {
        &mut self.sets[number as usize % SETS]
    }

    /// An access of a line: true when it is there. Else it is from now on, and the line it replaces is given.
    pub(super) fn access(&mut self, number: u64) -> (bool, Option<u64>) {
        let set = self.set(number);
        let found = set.iter().position(|line| *line == number);
        let from = found.unwrap_or(WAYS - 1);
        let gone = set[from];
        set[..=from].rotate_right(1);
        set[0] = number;
        let gone = Some(gone).filter(|gone| found.is_none() && *gone != NONE);
        self.reserved.take_if(|line| gone == Some(*line));
        (found.is_some(), gone)
    }

    /// Reserves a line that it has. The reservation goes with the line: nobody else writes it while it is here.
    pub(super) fn reserve(&mut self, number: u64) {
        self.reserved = Some(number);
    }

    /// True when the line has been here since it was reserved.
    pub(super) fn has_reserved(&self, number: u64) -> bool {
        self.reserved == Some(number)
    }

    /// The line goes.
    pub(super) fn forget(&mut self, number: u64) {
        self.reserved.take_if(|line| *line == number);
        let set = self.set(number);
        if let Some(at) = set.iter().position(|line| *line == number) {
            set[at..].rotate_left(1);
            set[WAYS - 1] = NONE;
        }
    }

    /// All lines that it has.
    pub(super) fn lines(&self) -> Vec<u64> {
        self.sets.iter().flatten().copied().filter(|line| *line != NONE).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fifth_line_of_a_set_replaces_the_one_not_used_for_longest() {
        let mut l1 = L1::new();
        let line = |i: u64| 3 + i * SETS as u64;
        for i in 0..4 {
            assert_eq!(l1.access(line(i)), (false, None));
        }
        assert_eq!(l1.access(line(0)), (true, None));
        assert_eq!(l1.access(line(4)), (false, Some(line(1))));
        l1.forget(line(0));
        assert_eq!(l1.access(line(1)), (false, None));
        l1.reserve(line(2));
        assert!(l1.has_reserved(line(2)) && !l1.has_reserved(line(1)));
        l1.forget(line(2));
        l1.access(line(2));
        assert!(!l1.has_reserved(line(2)), "it came back");
        l1.reserve(line(2));
        let mut replacing = l1.clone();
        for i in 5..9 {
            replacing.access(line(i));
        }
        assert!(!replacing.has_reserved(line(2)), "it was replaced");
        let mut held = l1.lines();
        held.sort_unstable();
        assert_eq!(held, [line(1), line(2), line(3), line(4)]);
    }
}
