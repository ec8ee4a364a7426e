//! Queued commands that can wait for cores all at once: more than the job queue holds end the graph.

use super::check::{Plan, PlannedBody};
use super::order::Ancestors;
use crate::constants::command::JOB_QUEUE_LENGTH;
use crate::engine::{Place, Problems, Rule};

/// Reports one more queued command without order between them than the queue holds.
pub(super) fn check(plan: &Plan, ancestors: &Ancestors, problems: &mut Problems) {
    let sequence = &plan.order.sequence;
    let queued =
        |node: u32| matches!(&plan.bodies[node as usize], PlannedBody::Command(command) if command.queued);
    let mut chains = Chains::new(ancestors);
    for rank in (0..sequence.len() as u32).filter(|rank| queued(sequence[*rank as usize])) {
        chains.add(rank);
        if chains.count > JOB_QUEUE_LENGTH {
            let first = chains.unordered(rank).into_iter().map(|rank| sequence[rank as usize]).min();
            let over = sequence[rank as usize];
            return problems.conflict(
                Rule::QueueFull,
                Place::Queued(over),
                Place::Queued(first.unwrap_or(over)),
                "the first of the queued commands",
                format!(
                    "of {} queued commands more than {JOB_QUEUE_LENGTH} have no order between them; the job queue holds {JOB_QUEUE_LENGTH}",
                    sequence.iter().filter(|node| queued(**node)).count()
                ),
                "let some be `after` others, or give them groups of their own",
            );
        }
    }
}

/// The fewest chains, each of nodes that follow one another, that hold all nodes so far: as many as there are nodes in the
/// largest set without order between them (Dilworth). Each node but the first of its chain is matched with one before it.
struct Chains<'a> {
    ancestors: &'a Ancestors,
    count: u32,
    /// Ranks so far.
    members: Vec<u64>,
    /// Those with no next one in their chain.
    last: Vec<u64>,
    next: Vec<u32>,
    before: Vec<u32>,
}

const NONE: u32 = u32::MAX;

fn put(set: &mut [u64], rank: u32) {
    set[rank as usize / 64] |= 1 << (rank % 64);
}

fn take(set: &mut [u64], rank: u32) {
    set[rank as usize / 64] &= !(1 << (rank % 64));
}

fn holds(set: &[u64], rank: u32) -> bool {
    set[rank as usize / 64] >> (rank % 64) & 1 != 0
}

/// The highest rank in both sets up to that of `rank`: a near one is the most likely to be free.
fn common(set: &[u64], other: &[u64], rank: u32) -> Option<u32> {
    let used = rank as usize / 64 + 1;
    let words = set[..used].iter().zip(&other[..used]).map(|(a, b)| a & b);
    let (at, word) = words.enumerate().rev().find(|(_, word)| *word != 0)?;
    Some(at as u32 * 64 + 63 - word.leading_zeros())
}

impl<'a> Chains<'a> {
    fn new(ancestors: &'a Ancestors) -> Self {
        let words = ancestors.words();
        Self {
            ancestors,
            count: 0,
            members: vec![0; words],
            last: vec![0; words],
            next: vec![NONE; words * 64],
            before: vec![NONE; words * 64],
        }
    }

    /// Adds a node that none so far is after.
    fn add(&mut self, rank: u32) {
        if let Some(end) = common(self.ancestors.row(rank), &self.last, rank) {
            self.link(end, rank);
        } else if !self.rearrange(rank) {
            self.count += 1;
        }
        put(&mut self.members, rank);
        put(&mut self.last, rank);
    }

    fn link(&mut self, earlier: u32, later: u32) {
        take(&mut self.last, earlier);
        self.next[earlier as usize] = later;
        self.before[later as usize] = earlier;
    }

    /// Finds a node room in the chains by giving others another one before them: an augmenting path of the matching.
    fn rearrange(&mut self, rank: u32) -> bool {
        let mut unseen = self.members.clone();
        // Each wants the place of the next one, behind the node before it.
        let mut path = vec![rank];
        while let Some(later) = path.last().copied() {
            let row = self.ancestors.row(later);
            if let Some(mut end) = common(row, &self.last, later) {
                while let Some(later) = path.pop() {
                    let freed = self.before[later as usize];
                    self.link(end, later);
                    end = freed;
                }
                return true;
            }
            match common(row, &unseen, later) {
                Some(earlier) => {
                    path.push(self.next[earlier as usize]);
                    // The next one of a node before this one in its chain is before the next one of this: whatever room it
                    // could find, this finds too.
                    let mut seen = earlier;
                    while seen != NONE && holds(&unseen, seen) {
                        take(&mut unseen, seen);
                        seen = self.before[seen as usize];
                    }
                }
                None => drop(path.pop()),
            }
        }
        false
    }

    /// A largest set without order between them, with the rank that was added last, which made it larger.
    fn unordered(&self, rank: u32) -> Vec<u32> {
        // Of each chain the last; what is after the whole of another chain is in no such set.
        let ranks = (0..=rank).filter(|rank| holds(&self.last, *rank));
        let mut set: Vec<u32> = ranks.collect();
        while let Some(at) = set.iter().position(|later| {
            set.iter().any(|earlier| earlier < later && self.ancestors.has(*later, *earlier))
        }) {
            match self.before[set[at] as usize] {
                NONE => drop(set.swap_remove(at)),
                before => set[at] = before,
            }
        }
        set
    }
}
