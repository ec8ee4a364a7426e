//! The event ring, and events as the caller sees them.

use std::marker::PhantomData;

use komorebi_abi::constants::event as e;
use komorebi_abi::wire::{RawEvent, event_lap};
use komorebi_card::HostMem;

use super::handles::{Handle, Progress, Slot};
use crate::Word;

/// What an event says of its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// Its group completed it.
    Done,
    /// Its group missed its deadline.
    Timeout,
    /// The answer to a PING.
    Pong,
    /// The dispatcher submitted nothing.
    Rejected,
}

/// The end of a command.
pub struct Event<R = ()> {
    /// The command.
    pub handle: Handle<R>,
    /// What became of it.
    pub kind: EventKind,
    /// The first core of its group (done), its completion slot (timeout) or the reason (rejected).
    pub auxiliary: u8,
    /// From submit to completion, in ticks of 20 ns of the X280's timer.
    pub ticks: u32,
    /// The leader's result word, for a command that asked for one.
    pub result: Option<u32>,
    of: PhantomData<fn() -> R>,
}

impl<R> Event<R> {
    /// The event of `handle` in `slot`; `None` before it has arrived.
    pub(crate) fn of(handle: Handle<R>, slot: &Slot) -> Option<Self> {
        let kind = match slot.progress {
            Progress::Done => EventKind::Done,
            Progress::Rejected => EventKind::Rejected,
            Progress::Pong => EventKind::Pong,
            Progress::Late => EventKind::Timeout,
            Progress::Pending | Progress::Forgotten => return None,
        };
        let result = (slot.result && kind == EventKind::Done).then_some(slot.value);
        Some(Self { handle, kind, auxiliary: slot.auxiliary, ticks: slot.ticks, result, of: PhantomData })
    }

    /// From submit to completion, in microseconds.
    pub fn microseconds(&self) -> f64 {
        f64::from(self.ticks) / f64::from(e::TICKS_PER_MICROSECOND)
    }
}

impl<R: Word> Event<R> {
    /// The command's result; the zero word's value for an event that is not of kind [`EventKind::Done`].
    pub fn value(&self) -> R {
        R::value(self.result.unwrap_or(0))
    }
}

impl<R> Clone for Event<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Event<R> {}

impl<R> std::fmt::Debug for Event<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Event")
            .field("handle", &self.handle)
            .field("kind", &self.kind)
            .field("auxiliary", &self.auxiliary)
            .field("ticks", &self.ticks)
            .field("result", &self.result)
            .finish()
    }
}

/// The host's end of the event ring.
pub(crate) struct EventRing {
    memory: HostMem,
    /// Events of the ring, a power of two.
    pub(crate) depth: u32,
    /// Events read.
    pub(crate) read: u64,
}

impl EventRing {
    /// Its words as they are.
    pub(crate) fn words(&self) -> Vec<u64> {
        let bytes = (self.depth * e::EVENT_BYTES) as usize;
        (0..bytes / 8).map(|word| self.memory.load_u64(8 * word)).collect()
    }

    pub(crate) fn new(memory: HostMem, depth: u32) -> Self {
        Self { memory, depth, read: 0 }
    }

    /// The next event, once both of its words are there.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<RawEvent> {
        let at = (self.read & u64::from(self.depth - 1)) as usize * e::EVENT_BYTES as usize;
        let words = [self.memory.load_u64(at), self.memory.load_u64(at + 8)];
        let event = RawEvent::decode(words, event_lap(self.read, self.depth))?;
        self.read += 1;
        Some(event)
    }
}
