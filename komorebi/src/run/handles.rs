//! Handles of commands, and what the run keeps for each.

use std::collections::VecDeque;
use std::marker::PhantomData;

use komorebi_card::Group;

use super::sequence::{Sequence, SequenceClock};

/// A command of a run: the run's load, its number, 1 for the first, and the type of its result.
pub struct Handle<R = ()> {
    number: u64,
    load: u32,
    of: PhantomData<fn() -> R>,
}

/// The load of a range whose ends are of two runs: no run's (loads count from 1).
pub(crate) const NO_LOAD: u32 = 0;

impl<R> Handle<R> {
    pub(crate) const fn new(load: u32, number: u64) -> Self {
        Self { number, load, of: PhantomData }
    }

    /// The command's number.
    pub const fn number(self) -> u64 {
        self.number
    }

    /// The number of the load whose run the command is of, as [`Run::load`](crate::Run::load) tells it.
    pub const fn load(self) -> u32 {
        self.load
    }

    /// All commands from this one to `last`, both included. Where the two are of different runs, no run takes them.
    pub const fn through(self, last: Self) -> Handles<R> {
        let one = self.load == last.load;
        let end = if one && last.number < self.number {
            self.number
        } else if last.number < self.number {
            self.number + 1 // not empty, so that whoever uses it is told
        } else {
            last.number + 1
        };
        Handles { next: self.number, end, load: if one { self.load } else { NO_LOAD }, of: PhantomData }
    }
}

impl<R> Clone for Handle<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Handle<R> {}

impl<R> PartialEq for Handle<R> {
    fn eq(&self, other: &Self) -> bool {
        (self.load, self.number) == (other.load, other.number)
    }
}

impl<R> Eq for Handle<R> {}

impl<R> std::fmt::Debug for Handle<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Handle({} of load {})", self.number, self.load)
    }
}

/// Handles of commands submitted together, in order.
pub struct Handles<R = ()> {
    next: u64,
    end: u64,
    load: u32,
    of: PhantomData<fn() -> R>,
}

impl<R> Handles<R> {
    pub(crate) const fn new(load: u32, first: u64, count: u64) -> Self {
        Self { next: first, end: first + count, load, of: PhantomData }
    }
}

impl<R> Clone for Handles<R> {
    fn clone(&self) -> Self {
        Self { next: self.next, end: self.end, load: self.load, of: PhantomData }
    }
}

impl<R> std::fmt::Debug for Handles<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Handles({}..{} of load {})", self.next, self.end, self.load)
    }
}

impl<R> Iterator for Handles<R> {
    type Item = Handle<R>;

    fn next(&mut self) -> Option<Self::Item> {
        (self.next < self.end).then(|| {
            self.next += 1;
            Handle::new(self.load, self.next - 1)
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.end - self.next) as usize;
        (left, Some(left))
    }
}

impl<R> ExactSizeIterator for Handles<R> {}

/// How far a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// In the queue or on the card.
    Pending,
    /// Its event arrived.
    Done,
    /// Its event says that it was rejected.
    Rejected,
    /// The answer to a PING.
    Pong,
    /// It missed its deadline.
    Late,
    /// The caller has its event.
    Forgotten,
}

/// What the run keeps for a command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) progress: Progress,
    /// First core, slot or reason.
    pub(crate) auxiliary: u8,
    /// True when the dispatcher chooses the first core.
    pub(crate) queued: bool,
    /// True when the event carries a result word.
    pub(crate) result: bool,
    pub(crate) first: u16,
    pub(crate) count: u16,
    pub(crate) ticks: u32,
    pub(crate) value: u32,
    /// The dispatcher's number.
    pub(crate) sequence: Sequence,
}

impl Slot {
    pub(crate) fn new(group: Group, queued: bool, result: bool) -> Self {
        Self {
            progress: Progress::Pending,
            auxiliary: 0,
            queued,
            result,
            first: group.first as u16,
            count: group.count as u16,
            ticks: 0,
            value: 0,
            sequence: Sequence::None,
        }
    }
}

/// The slots of all commands that are not forgotten, by number.
pub(crate) struct Table {
    slots: VecDeque<Slot>,
    /// Number of the first slot.
    first: u64,
    /// The lowest number that may still be pending.
    oldest: u64,
    /// Knows the sequence numbers of all commands before `oldest`.
    clock: SequenceClock,
    /// The sequence numbers from 1 to this are traced.
    traced: u32,
    /// Of the commands that left the table those that are traced, by number.
    kept: Vec<(u64, Slot)>,
}

impl Table {
    pub(crate) fn new(capacity: usize, traced: u32) -> Self {
        Self {
            slots: VecDeque::with_capacity(capacity),
            first: 1,
            oldest: 1,
            clock: SequenceClock::default(),
            traced,
            kept: Vec::new(),
        }
    }

    /// Is it the sequence number of a traced command?
    fn is_traced(&self, sequence: Sequence) -> bool {
        matches!(sequence, Sequence::Known(sequence) if sequence <= u64::from(self.traced))
    }

    /// What was kept of the commands that are traced, by number. The sequence numbers of others cannot become known any more.
    pub(crate) fn take_traced(&mut self) -> Vec<(u64, Slot)> {
        self.oldest();
        let mut clock = self.clock;
        let mut kept = std::mem::take(&mut self.kept);
        for (number, slot) in (self.first..).zip(&self.slots) {
            let sequence = match slot.sequence {
                Sequence::Low(low) => clock.extend(low, slot.queued),
                known => known,
            };
            if self.is_traced(sequence) {
                kept.push((number, Slot { sequence, ..*slot }));
            }
        }
        kept
    }

    /// The number the next command gets.
    #[inline]
    pub(crate) fn next(&self) -> u64 {
        self.first + self.slots.len() as u64
    }

    #[inline]
    pub(crate) fn push(&mut self, slot: Slot) -> u64 {
        let number = self.next();
        self.slots.push_back(slot);
        number
    }

    #[inline]
    pub(crate) fn get(&self, number: u64) -> Option<&Slot> {
        self.slots.get(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut Slot> {
        self.slots.get_mut(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    /// The lowest number whose command is pending, or the next command's.
    #[inline]
    pub(crate) fn oldest(&mut self) -> u64 {
        let mut at = (self.oldest - self.first) as usize;
        while let Some(slot) = self.slots.get_mut(at).filter(|slot| slot.progress != Progress::Pending) {
            if let Sequence::Low(low) = slot.sequence {
                slot.sequence = self.clock.extend(low, slot.queued);
            }
            at += 1;
        }
        self.oldest = self.first + at as u64;
        self.oldest
    }

    /// The sequence number of `number`: of one that is done before an earlier one, as far as the commands before it tell.
    pub(crate) fn sequence(&mut self, number: u64) -> Sequence {
        let oldest = self.oldest();
        let Some(&Slot { sequence: sequence @ Sequence::Low(_), .. }) = self.get(number) else {
            return self.get(number).map_or(Sequence::None, |slot| slot.sequence);
        };
        let mut clock = self.clock;
        let before = self.slots.range((oldest - self.first) as usize..=(number - self.first) as usize);
        before.fold(sequence, |last, slot| match slot.sequence {
            Sequence::Low(low) => clock.extend(low, slot.queued),
            _ => last,
        })
    }

    /// Releases what is kept for `number`.
    #[inline]
    pub(crate) fn forget(&mut self, number: u64) {
        if let Some(slot) = self.get_mut(number) {
            slot.progress = Progress::Forgotten;
        }
        if self.slots.front().is_some_and(|slot| slot.progress == Progress::Forgotten) {
            self.oldest(); // tells the clock their sequence numbers
        }
        while self.slots.front().is_some_and(|slot| slot.progress == Progress::Forgotten) {
            let left = self.slots.pop_front();
            if let Some(slot) = left.filter(|slot| self.is_traced(slot.sequence)) {
                self.kept.push((self.first, slot));
            }
            self.first += 1;
        }
    }

    /// Numbers of all commands that did not end well or not at all: pending ones, and the late one.
    pub(crate) fn open(&self) -> impl Iterator<Item = u64> {
        let numbered = (self.first..).zip(&self.slots);
        let open = |progress| matches!(progress, Progress::Pending | Progress::Late);
        numbered.filter(move |(_, slot)| open(slot.progress)).map(|(number, _)| number)
    }

    /// Numbers of all pending commands.
    pub(crate) fn pending(&self) -> impl Iterator<Item = u64> {
        let numbered = (self.first..).zip(&self.slots);
        numbered.filter(|(_, slot)| slot.progress == Progress::Pending).map(|(number, _)| number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot() -> Slot {
        Slot::new(Group::new(0, 1), false, false)
    }

    #[test]
    fn forgotten_commands_leave_the_table_once_no_earlier_one_is_kept() {
        let mut table = Table::new(4, 0);
        let numbers: Vec<u64> = (0..4).map(|_| table.push(slot())).collect();
        assert_eq!(numbers, [1, 2, 3, 4]);
        table.forget(2);
        assert_eq!(table.slots.len(), 4);
        table.forget(1);
        assert_eq!(table.slots.len(), 2);
        assert!(table.get(2).is_none());
        assert_eq!(table.pending().collect::<Vec<_>>(), [3, 4]);
        assert_eq!(table.next(), 5);
    }

    #[test]
    fn the_oldest_pending_command_is_found_past_those_that_are_done() {
        let mut table = Table::new(4, 0);
        for _ in 0..3 {
            table.push(slot());
        }
        table.get_mut(1).unwrap().progress = Progress::Done;
        assert_eq!(table.oldest(), 2);
        table.get_mut(2).unwrap().progress = Progress::Rejected;
        table.get_mut(3).unwrap().progress = Progress::Done;
        assert_eq!(table.oldest(), 4);
    }

    #[test]
    fn sequence_numbers_follow_the_order_of_the_commands_not_that_of_their_events() {
        let mut table = Table::new(4, 0);
        for _ in 0..4 {
            table.push(slot());
        }
        let done = |table: &mut Table, number: u64, low: u16| {
            let slot = table.get_mut(number).unwrap();
            (slot.progress, slot.sequence) = (Progress::Done, Sequence::Low(low));
        };
        // Command 1 takes its time while an engine submits 70,000 others.
        done(&mut table, 2, 30_000);
        done(&mut table, 3, 60_000);
        table.forget(2);
        done(&mut table, 4, (80_000 % 65_536) as u16);
        assert_eq!(table.sequence(4), Sequence::Known(80_000), "as far as the commands before it tell");
        assert_eq!(table.sequence(1), Sequence::None);
        done(&mut table, 1, 7);
        assert_eq!(table.sequence(1), Sequence::Known(7));
        assert_eq!(table.sequence(4), Sequence::Known(80_000));
        table.forget(3);
        table.forget(1);
        assert_eq!(table.slots.len(), 1);
        assert_eq!(table.sequence(4), Sequence::Known(80_000));
    }
}
