//! The grid's side: what the dispatcher published, in the order of its sequence numbers.

use komorebi_abi::constants::{command as c, core, launch};

use crate::dispatcher::{Published, Rig};

/// A command as the cores of its group see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The completion slot it is in.
    pub slot: u32,
    /// Its publish word.
    pub published: Published,
    /// Its argument words in use.
    pub args: Vec<u32>,
}

impl Seen {
    /// Does its group share a core with [first, first + count)?
    pub fn overlaps(&self, first: u32, count: u32) -> bool {
        self.published.first < first + count && first < self.published.first + self.published.count
    }
}

/// The commands in flight.
#[derive(Debug, Default)]
pub struct Grid {
    /// The sequence number given last.
    pub sequence: u32,
    /// Commands not completed.
    pub busy: Vec<Seen>,
}

impl Grid {
    /// A grid on which `sequence` commands were submitted before.
    pub fn after(sequence: u32) -> Self {
        Self { sequence, busy: Vec::new() }
    }

    /// The next command, if it is visible to every core that is looked at: first and last of its group.
    ///
    /// # Panics
    /// When slot, group and mailboxes do not agree, or a slot is used twice.
    pub fn next(&mut self, rig: &Rig) -> Option<Seen> {
        let wanted = self.sequence + 1;
        let slot =
            (0..rig.setup.depth).find(|slot| rig.state(launch::STATE_SLOTS + slot) as u32 == wanted)?;
        let published = Published::decode(rig.state(launch::STATE_SLOTS + slot));
        let last = published.first + published.count - 1;
        if [published.first, last].iter().any(|core| rig.published(*core, slot) != published) {
            return None; // on its way
        }
        if (rig.mailbox(last, core::CONTROL_DOORBELL) as u32) < wanted {
            return None;
        }
        let args = |core: u32| -> Vec<u32> {
            let words = (0..c::ARGS_MAX / 2)
                .map(|i| rig.mailbox(core, core::CONTROL_BODIES + core::BODY_BYTES * slot + 8 * i));
            words.flat_map(|pair| [pair as u32, (pair >> 32) as u32]).take(published.args as usize).collect()
        };
        let seen = Seen { slot, published, args: args(published.first) };
        assert_eq!(args(last), seen.args, "the last core of the group sees other arguments: {seen:?}");
        assert!(self.busy.iter().all(|other| other.slot != slot), "slot {slot} is used twice: {seen:?}");
        self.sequence = wanted;
        self.busy.push(seen.clone());
        Some(seen)
    }

    /// Completes the command at `index` of `busy`.
    pub fn complete(&mut self, rig: &Rig, index: usize, result: u32) -> Seen {
        let seen = self.busy.remove(index);
        rig.complete(seen.slot, seen.published.sequence, result);
        seen
    }

    /// Indices of `busy` that may complete next: the oldest of each leader.
    pub fn oldest(&self) -> Vec<usize> {
        let first = |index: &usize| {
            let leader = self.busy[*index].published.first;
            self.busy[..*index].iter().all(|other| other.published.first != leader)
        };
        (0..self.busy.len()).filter(first).collect()
    }
}
