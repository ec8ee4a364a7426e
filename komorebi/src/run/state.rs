//! What a run keeps between calls: the queue, both rings, the table of commands.

use std::sync::Arc;

use komorebi_abi::constants::{command as c, event as e};
use komorebi_abi::wire::{EventKind, Line, RawEvent, line_phase};
use komorebi_card::{Card, CardTime, Group, HostMem, NocXy};

use super::engines::Engines;
use super::events::EventRing;
use super::handles::{Progress, Slot, Table};
use super::queue::Queue;
use super::ring::Ring;
use super::sequence::Sequence;
use super::stats::Stats;
use crate::engine::Engine;
use crate::load::LoadOptions;
use crate::session::HartState;
use crate::state::{ResultBlock, StopReport};
use crate::{Error, Result};

/// What ends a run.
pub(crate) enum Ending {
    /// A group missed its deadline.
    Late {
        /// The command, when it is the host's.
        number: Option<u64>,
        /// The engine, when the command is one's, and which of its records.
        engine: Option<(Arc<Engine>, u32)>,
        slot: u8,
        sequence: u16,
    },
    /// The dispatcher wrote its result though nobody told it to stop.
    Finished(ResultBlock),
    /// The dispatcher's hart no longer runs it.
    Gone(HartState),
    /// The dispatcher broke its protocol.
    Broken(String),
}

/// A checked command.
pub(crate) struct Checked {
    pub(crate) handler: u8,
    pub(crate) flags: u8,
    pub(crate) group: Group,
    pub(crate) words: u8,
    pub(crate) args: [u32; c::ARGS_MAX as usize],
}

pub(crate) struct State {
    pub(crate) queue: Queue,
    /// Room for a batch while it is checked, kept for the next one.
    pub(crate) batch: Vec<Checked>,
    pub(crate) ring: Ring,
    pub(crate) events: EventRing,
    pub(crate) table: Table,
    pub(crate) engines: Engines,
    pub(crate) stats: Stats,
    /// Commands whose event was read, and those of engines that need none.
    pub(crate) answered: u64,
    /// Rejections read of the caller's commands.
    pub(crate) rejections: u64,
    /// When the dispatcher's life is looked at next, while a wait sees no event.
    pub(crate) next_look: CardTime,
    /// What ended the run.
    pub(crate) ended: Option<Arc<Error>>,
    /// What was read back at its end.
    pub(crate) report: Option<StopReport>,
    /// A file tells of a wait that ran out: of one a load, since a caller may poll by waits.
    pub(crate) told_of_wait: bool,
}

impl State {
    /// The state of a run whose dispatcher is on `tile` and posts into `events`.
    pub(crate) fn new(tile: NocXy, events: HostMem, options: &LoadOptions) -> Self {
        // Twice the ring: room for a caller that submits a ring's worth while another is on the card.
        let habit = 2 * (options.host_depth + options.event_depth) as usize;
        Self {
            queue: Queue::new(habit),
            batch: Vec::new(),
            ring: Ring::new(tile, options.host_depth, options.batch, options.settle),
            events: EventRing::new(events, options.event_depth),
            table: Table::new(habit, options.trace),
            engines: Engines::default(),
            answered: 0,
            stats: Stats::default(),
            rejections: 0,
            next_look: CardTime::default(),
            ended: None,
            report: None,
            told_of_wait: false,
        }
    }

    /// Encodes a command into the queue and returns its number.
    #[inline]
    pub(crate) fn push(&mut self, command: &Checked) -> u64 {
        let flags = u32::from(command.flags);
        let slot = Slot::new(command.group, flags & c::KM_FLAG_QUEUE != 0, flags & c::KM_FLAG_RESULT != 0);
        let number = self.table.push(slot);
        let line = Line {
            handler: command.handler,
            flags: command.flags,
            first: command.group.first as u16,
            count: command.group.count as u16,
            words: command.words,
            number: number as u16,
            limit: 0,
            args: command.args,
        };
        // Command `n` is line `n - 1`: every command is one line, stored in order.
        self.queue.push(line.encode(line_phase(number - 1, self.ring.lines)).map(u64::to_le));
        number
    }

    /// The last command's number.
    pub(crate) fn last(&self) -> u64 {
        self.table.next() - 1
    }

    /// Commands stored that are not answered.
    #[inline]
    fn outstanding(&self) -> u64 {
        self.ring.stored - self.answered
    }

    /// Commands that may be stored now.
    #[inline]
    pub(crate) fn room(&mut self) -> u64 {
        // The 16 bits of a number name one command only while all outstanding ones lie within 65,536.
        let named = (self.table.oldest() + 0xFFFF).saturating_sub(self.ring.stored + 1);
        self.ring.room(self.outstanding(), self.events.depth).min(named)
    }

    /// True when the dispatcher may hold a line, or an engine's event, for events that the host has read and not told it
    /// so. While engines run it is told early, since they post without a command of the host's.
    #[inline]
    pub(crate) fn must_tell(&self) -> bool {
        let depth = u64::from(self.events.depth);
        let untold = self.events.read - self.ring.told_read;
        let full = untold + self.outstanding() + 1 > depth;
        let engines = self.engines.any();
        untold > 0 && (full && (engines || self.ring.unconsumed() > 0) || engines && 2 * untold >= depth)
    }

    /// Stores commands up to `upto` that have room, or tells the read count if the dispatcher may wait for it; false when
    /// there was nothing to send, or `deadline` came before the pause behind the last fence was over.
    pub(super) fn send(&mut self, card: &dyn Card, upto: u64, deadline: CardTime) -> Result<bool> {
        let queued = upto.saturating_sub(self.ring.stored);
        let count = if queued > 0 { self.room().min(queued) } else { 0 };
        if count > 0 {
            let State { ring, queue, events, .. } = self;
            if !ring.settle(card, deadline)? {
                return Ok(false);
            }
            ring.store(card, queue, count, events.read)?;
            return Ok(true);
        }
        let tell = self.must_tell();
        if tell {
            self.ring.tell(card, self.events.read)?;
        }
        Ok(tell)
    }

    /// Reads every event that has arrived.
    #[inline]
    pub(crate) fn read_events(&mut self) -> Result<(), Ending> {
        while let Some(event) = self.events.next() {
            self.ring.note_consumed(event.consumed);
            self.take(&event)?;
        }
        Ok(())
    }

    #[inline]
    fn take(&mut self, event: &RawEvent) -> Result<(), Ending> {
        let progress = match event.kind {
            Ok(EventKind::Done) => Progress::Done,
            Ok(EventKind::Rejected) => Progress::Rejected,
            Ok(EventKind::Pong) => Progress::Pong,
            Ok(EventKind::Timeout) => Progress::Late,
            Ok(EventKind::Engine | EventKind::Round | EventKind::End | EventKind::Error) => {
                let known = self.engines.take(event);
                return known.ok_or_else(|| broken(event, "of an engine that does not run"));
            }
            Err(kind) => {
                return Err(broken(event, &format!("of kind {kind}, which this host does not know")));
            }
        };
        if progress == Progress::Late && event.value & e::TIMEOUT_ENGINE != 0 {
            let engine = self.engines.engine(event.number).cloned();
            return Err(Ending::Late {
                number: None,
                engine: engine.map(|engine| (engine, event.value & !e::TIMEOUT_ENGINE)),
                slot: event.low_auxiliary(),
                sequence: event.sequence(),
            });
        }
        let oldest = self.table.oldest();
        let number = oldest + u64::from(event.number.wrapping_sub(oldest as u16));
        let known = number <= self.ring.stored;
        let slot = self.table.get_mut(number).filter(|slot| known && slot.progress == Progress::Pending);
        if progress == Progress::Late {
            let (slot_number, sequence) = (event.low_auxiliary(), event.sequence());
            let number = slot.map(|slot| {
                slot.progress = Progress::Late;
                slot.auxiliary = slot_number;
                slot.sequence = Sequence::Low(sequence);
                number
            });
            return Err(Ending::Late { number, engine: None, slot: slot_number, sequence });
        }
        let Some(slot) = slot else { return Err(broken(event, "for a command not in flight")) };
        self.answered += 1;
        slot.progress = progress;
        slot.auxiliary = event.low_auxiliary();
        slot.ticks = event.ticks;
        slot.value = event.value;
        if progress == Progress::Done {
            slot.sequence = Sequence::Low(event.sequence());
            if slot.queued {
                slot.first = u16::from(slot.auxiliary);
            }
        }
        if self.engines.is_abandoned(number) {
            self.table.forget(number);
        } else if progress != Progress::Done
            && self.engines.waits()
            && self.engines.settle(number, progress, event.low_auxiliary())
        {
            self.retire(number, progress);
        } else if progress == Progress::Rejected {
            self.rejections += 1;
        }
        Ok(())
    }

    /// Forgets a command of the engines' that is answered, and with a PONG those before it: they were not rejected.
    fn retire(&mut self, number: u64, progress: Progress) {
        self.table.forget(number);
        if progress == Progress::Pong {
            while let Some(accepted) = self.engines.accepted(number) {
                self.table.forget(accepted);
                self.answered += 1;
            }
        }
    }
}

#[cold]
fn broken(event: &RawEvent, what: &str) -> Ending {
    Ending::Broken(format!("it sent an event {what} (number {}, value {:#x})", event.number, event.value))
}
