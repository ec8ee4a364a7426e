//! Messages waiting for their time: one inbox a tile, and a tree that knows which tile is next.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::message::Body;
use crate::time::{END, NEVER, Time};

/// A message's place in its inbox: earliest first, then by source, then in the order the source sent.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Entry {
    at: Time,
    /// Source in the high 16 bits, its sequence number below.
    key: u64,
    slot: u32,
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.key).cmp(&(self.at, self.key)) // reversed: the heap gives its greatest
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The inboxes of all tiles. Bodies live in slots that are used again, so a steady state allocates nothing.
#[derive(Clone)]
pub(crate) struct Queue {
    inboxes: Vec<BinaryHeap<Entry>>,
    slots: Vec<Option<Body>>,
    free: Vec<u32>,
}

impl Queue {
    pub(crate) fn new(tiles: usize) -> Self {
        Self { inboxes: (0..tiles).map(|_| BinaryHeap::new()).collect(), slots: Vec::new(), free: Vec::new() }
    }

    pub(crate) fn push(&mut self, tile: usize, at: Time, source: u16, sequence: u64, body: Body) {
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = Some(body);
                slot
            }
            None => {
                self.slots.push(Some(body));
                (self.slots.len() - 1) as u32
            }
        };
        self.inboxes[tile].push(Entry { at, key: u64::from(source) << 48 | sequence, slot });
    }

    /// When the next message to `tile` is due.
    #[inline]
    pub(crate) fn next(&self, tile: usize) -> Time {
        self.inboxes[tile].peek().map_or(NEVER, |entry| entry.at)
    }

    /// What the next message to `tile` does.
    pub(crate) fn peek(&self, tile: usize) -> Option<&Body> {
        self.slots[self.inboxes[tile].peek()?.slot as usize].as_ref()
    }

    /// The same to change it, with its time.
    pub(crate) fn peek_mut(&mut self, tile: usize) -> Option<(Time, &mut Body)> {
        let entry = self.inboxes[tile].peek()?;
        Some((entry.at, self.slots[entry.slot as usize].as_mut()?))
    }

    /// Takes the next message to `tile`, with its source.
    pub(crate) fn pop(&mut self, tile: usize) -> Option<(Time, u16, Body)> {
        let entry = self.inboxes[tile].pop()?;
        self.free.push(entry.slot);
        let body = self.slots[entry.slot as usize].take()?;
        Some((entry.at, (entry.key >> 48) as u16, body))
    }

    /// Who sent the next message to `tile`.
    pub(crate) fn source(&self, tile: usize) -> Option<u16> {
        Some((self.inboxes[tile].peek()?.key >> 48) as u16)
    }

    /// The next message to `tile` comes later by that much; among what its source has sent it keeps its place.
    pub(crate) fn postpone(&mut self, tile: usize, by: Time) {
        if let Some(entry) = self.inboxes[tile].pop() {
            self.inboxes[tile].push(Entry { at: entry.at.saturating_add(by), ..entry });
        }
    }
}

/// Bits of a tile's number below its time in an entry of [`NextTimes`].
const TILE_BITS: u32 = 8;
const _: () = assert!(END >> (64 - TILE_BITS) == 0, "a moment of a card's clock fits beside it");

/// The next time of every tile, and which of them is least: a tree of minima.
#[derive(Clone)]
pub(crate) struct NextTimes {
    /// A time with its tile below, [`NextTimes::NONE`] for never. Leaves from `leaves` on; an inner node holds the lesser of
    /// its two children, so that at one moment the lower number comes first.
    nodes: Vec<u64>,
    leaves: usize,
}

impl NextTimes {
    const NONE: u64 = u64::MAX;

    pub(crate) fn new(tiles: usize) -> Self {
        assert!(tiles <= 1 << TILE_BITS, "{tiles} tiles");
        let leaves = tiles.next_power_of_two();
        Self { nodes: vec![Self::NONE; 2 * leaves], leaves }
    }

    /// A moment further away than a card ever runs is never.
    #[inline]
    fn entry(tile: usize, at: Time) -> u64 {
        if at >> (64 - TILE_BITS) == 0 { at << TILE_BITS | tile as u64 } else { Self::NONE }
    }

    #[inline]
    fn time(entry: u64) -> Time {
        if entry == Self::NONE { NEVER } else { entry >> TILE_BITS }
    }

    /// The next time of `tile`.
    #[inline]
    pub(crate) fn get(&self, tile: usize) -> Time {
        Self::time(self.nodes[self.leaves + tile])
    }

    #[inline]
    pub(crate) fn set(&mut self, tile: usize, at: Time) {
        let mut i = self.leaves + tile;
        let mut least = Self::entry(tile, at);
        self.nodes[i] = least;
        while i > 1 {
            least = least.min(self.nodes[i ^ 1]);
            i /= 2;
            if self.nodes[i] == least {
                break;
            }
            self.nodes[i] = least;
        }
    }

    /// The earliest tile and its time.
    #[inline]
    pub(crate) fn first(&self) -> (Time, usize) {
        match self.nodes[1] {
            Self::NONE => (NEVER, 0),
            entry => (entry >> TILE_BITS, (entry & ((1 << TILE_BITS) - 1)) as usize),
        }
    }

    /// The earliest time of any tile but `tile`.
    #[inline]
    pub(crate) fn first_besides(&self, tile: usize) -> Time {
        let mut i = self.leaves + tile;
        let mut least = Self::NONE;
        while i > 1 {
            least = least.min(self.nodes[i ^ 1]);
            i /= 2;
        }
        Self::time(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn messages_come_by_time_then_source_then_sequence() {
        let mut queue = Queue::new(2);
        for (at, source, sequence) in [(5, 2, 0), (5, 1, 8), (5, 1, 7), (3, 9, 0), (9, 0, 0)] {
            let body = Body::Ack { noc: crate::noc::Noc::Zero, transaction: sequence as u8 };
            queue.push(1, at, source, sequence, body);
        }
        assert_eq!(queue.next(0), NEVER);
        assert_eq!(queue.next(1), 3);
        let order: Vec<_> = std::iter::from_fn(|| queue.pop(1)).map(|(at, source, _)| (at, source)).collect();
        assert_eq!(order, [(3, 9), (5, 1), (5, 1), (5, 2), (9, 0)]);
    }

    #[test]
    fn a_postponed_message_keeps_its_place_among_those_of_its_source() {
        let mut queue = Queue::new(1);
        for (at, sequence) in [(3, 1), (7, 2), (7, 0)] {
            let body = Body::Ack { noc: crate::noc::Noc::Zero, transaction: sequence as u8 };
            queue.push(0, at, 4, sequence, body);
        }
        assert_eq!(queue.source(0), Some(4));
        queue.postpone(0, 4);
        let next = || match queue.pop(0)?.2 {
            Body::Ack { transaction, .. } => Some(transaction),
            _ => None,
        };
        assert_eq!(std::iter::from_fn(next).collect::<Vec<_>>(), [0, 1, 2]);
    }

    proptest! {
        #[test]
        fn the_tree_agrees_with_a_search(sets in prop::collection::vec((0usize..13, 0u64..20), 1..60)) {
            let (mut tree, mut plain) = (NextTimes::new(13), [NEVER; 13]);
            for (tile, at) in sets {
                tree.set(tile, at);
                plain[tile] = at;
                let first = plain.iter().enumerate().map(|(i, t)| (*t, i)).min().unwrap();
                prop_assert_eq!(tree.first(), first);
                for i in 0..13 {
                    let others = plain.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, t)| *t).min().unwrap();
                    prop_assert_eq!(tree.first_besides(i), others);
                    prop_assert_eq!(tree.get(i), plain[i]);
                }
            }
        }
    }
}
