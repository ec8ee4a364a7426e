//! The command ring: batches of lines into the X280's memory, and the rules of room.

use std::collections::VecDeque;
use std::time::Duration;

use komorebi_abi::constants::{command as c, layout};
use komorebi_card::{Card, CardTime, NocXy, Order};

use super::queue::Queue;
use crate::Result;

/// The host's end of the command ring.
pub(crate) struct Ring {
    /// The cluster's tile.
    tile: NocXy,
    /// Lines of the ring, a power of two.
    pub(crate) lines: u32,
    batch: u32,
    settle: Duration,
    /// No store before this, the pause after a fence included.
    quiet_until: CardTime,
    /// Lines stored.
    pub(crate) stored: u64,
    /// Lines consumed, as the events tell.
    consumed: u64,
    /// Events read, as last stored.
    pub(crate) told_read: u64,
    /// Lines stored with each of the last batches, all before it included, and when.
    batches: VecDeque<(u64, CardTime)>,
}

/// Batches whose times are kept.
const KEPT: usize = 64;

impl Ring {
    pub(crate) fn new(tile: NocXy, lines: u32, batch: u32, settle: Duration) -> Self {
        let quiet_until = CardTime::default();
        Self {
            tile,
            lines,
            batch,
            settle,
            quiet_until,
            stored: 0,
            consumed: 0,
            told_read: 0,
            batches: VecDeque::with_capacity(KEPT),
        }
    }

    /// An event says how many lines were consumed, mod 256. At most 64 are outstanding, so a count outside them is an
    /// older one and says nothing new.
    #[inline]
    pub(crate) fn note_consumed(&mut self, low: u8) {
        let more = u64::from(low.wrapping_sub(self.consumed as u8));
        if more <= self.unconsumed() {
            self.consumed += more;
        }
    }

    /// Lines stored that the host does not know to be consumed.
    #[inline]
    pub(crate) fn unconsumed(&self) -> u64 {
        self.stored - self.consumed
    }

    /// Lines that may be stored now, for commands whose events are counted by `outstanding` of `depth`.
    #[inline]
    pub(crate) fn room(&self, outstanding: u64, depth: u32) -> u64 {
        let lines = u64::from(self.lines) - self.unconsumed();
        let events = u64::from(depth).saturating_sub(outstanding);
        lines.min(events).min(u64::from(self.batch))
    }

    /// Lets the card run until the pause behind the last fence is over; false when `deadline` came first.
    pub(crate) fn settle(&mut self, card: &dyn Card, deadline: CardTime) -> Result<bool> {
        if self.quiet_until == CardTime::default() {
            return Ok(true);
        }
        loop {
            let now = card.now();
            if now >= self.quiet_until {
                return Ok(true);
            }
            if now >= deadline {
                return Ok(false);
            }
            card.relax(self.quiet_until.min(deadline))?;
        }
    }

    /// Stores the first `count` lines of `queue`, one fence, then the new progress with the events read. The pause behind
    /// the fence before it must be over ([`settle`](Self::settle)).
    pub(crate) fn store(&mut self, card: &dyn Card, queue: &mut Queue, count: u64, read: u64) -> Result<()> {
        let mut lines = queue.front(count as usize);
        let mut at = self.stored % u64::from(self.lines);
        while !lines.is_empty() {
            let until_wrap = (u64::from(self.lines) - at) as usize;
            let (part, rest) = lines.split_at(lines.len().min(until_wrap));
            let address = layout::LIM_BASE + u64::from(layout::LIM_RING) + at * u64::from(c::LINE_BYTES);
            card.write(self.tile, address, bytemuck::cast_slice(part), Order::Bulk)?;
            (lines, at) = (rest, 0);
        }
        card.fence(self.tile)?;
        queue.advance(count as usize);
        self.stored += count;
        self.tell(card, read)?;
        if self.batches.len() == KEPT {
            self.batches.pop_front();
        }
        self.batches.push_back((self.stored, card.now()));
        self.fenced(card);
        Ok(())
    }

    /// When line `number`, counted from 1, was stored; `None` when it was not, or too many batches ago.
    pub(crate) fn stored_at(&self, number: u64) -> Option<CardTime> {
        let at = self.batches.iter().position(|&(stored, _)| stored >= number)?;
        // The first batch that is kept may have begun at any line.
        (at > 0 || self.batches.len() < KEPT).then(|| self.batches[at].1)
    }

    /// The pause behind a fence starts now.
    pub(crate) fn fenced(&mut self, card: &dyn Card) {
        if !self.settle.is_zero() {
            self.quiet_until = card.now() + self.settle;
        }
    }

    /// Stores the progress word: lines stored and events read, in one store (PROTOCOL.md, "Command ring").
    pub(crate) fn tell(&mut self, card: &dyn Card, read: u64) -> Result<()> {
        let word = (self.stored & 0xFFFF_FFFF) | read << c::CONTROL_READ_SHIFT;
        let address = layout::LIM_BASE + u64::from(layout::LIM_CONTROL + 8 * c::CONTROL_PROGRESS);
        card.write(self.tile, address, &word.to_le_bytes(), Order::Strict)?;
        self.told_read = read;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring() -> Ring {
        Ring::new(NocXy::new(8, 26), 64, 64, Duration::ZERO)
    }

    #[test]
    fn a_line_is_free_again_only_when_an_event_says_it_was_consumed() {
        let mut ring = ring();
        assert_eq!(ring.room(0, 128), 64);
        ring.stored = 64;
        assert_eq!(ring.room(64, 128), 0);
        ring.note_consumed(10);
        assert_eq!(ring.room(60, 128), 10);
        ring.note_consumed(10);
        assert_eq!(ring.unconsumed(), 54);
    }

    #[test]
    fn the_count_of_consumed_lines_goes_on_past_256() {
        let mut ring = ring();
        for consumed in 1..2000_u64 {
            ring.stored = consumed + 20;
            ring.note_consumed(consumed as u8);
            assert_eq!(ring.unconsumed(), 20);
        }
    }

    #[test]
    fn an_older_count_that_arrives_late_changes_nothing_it_should_not() {
        let mut ring = ring();
        ring.stored = 64;
        ring.note_consumed(40);
        assert_eq!(ring.unconsumed(), 24);
        ring.note_consumed(30);
        assert_eq!(ring.unconsumed(), 24);
    }

    #[test]
    fn a_command_is_stored_only_while_its_event_surely_fits() {
        let ring = ring();
        assert_eq!(ring.room(120, 128), 8);
        assert_eq!(ring.room(128, 128), 0);
        assert_eq!(ring.room(0, 4), 4);
    }
}
