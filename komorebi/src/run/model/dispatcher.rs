//! The dispatcher as the protocol describes it, without a card: it takes lines, completes commands, posts events, and checks
//! that neither ring is ever overrun.

use std::sync::{Mutex, MutexGuard};

use komorebi_abi::constants::{command as c, event as e, layout};
use komorebi_abi::wire::{EventKind, Line, RawEvent, event_lap, line_phase};
use komorebi_card::{CardError, CardTime, Cleanup, Description, HostMem, NocXy, Order, Power, Rect};

pub(super) const TILE: NocXy = NocXy::new(8, 26);

/// A handler whose commands the dispatcher rejects.
pub(super) const REJECTED: u8 = 240;

pub(super) struct Model {
    lines: Vec<[u64; 8]>,
    depth: u32,
    slots: usize,
    events: HostMem,
    /// Lines the host has written, told and had consumed.
    written: u64,
    told: u64,
    pub(super) consumed: u64,
    /// Events the host has told it read, and has read in truth.
    told_read: u64,
    pub(super) read: u64,
    pub(super) posted: u64,
    /// Commands in flight: number, sequence.
    busy: Vec<(u16, u64)>,
    pub(super) sequence: u64,
}

/// A card with nothing but the two rings.
pub(super) struct Rings(Mutex<Model>);

impl Rings {
    pub(super) fn new(lines: u32, depth: u32, slots: usize, events: HostMem) -> Self {
        Self(Mutex::new(Model {
            lines: vec![[0; 8]; lines as usize],
            depth,
            slots,
            events,
            written: 0,
            told: 0,
            consumed: 0,
            told_read: 0,
            read: 0,
            posted: 0,
            busy: Vec::new(),
            sequence: 0,
        }))
    }

    pub(super) fn model(&self) -> MutexGuard<'_, Model> {
        self.0.lock().unwrap()
    }
}

impl Model {
    /// Does one thing, if there is one to do: takes the next line, or completes the command that `choice` picks.
    pub(super) fn turn(&mut self, choice: usize) -> bool {
        // Unread events, one a busy slot, and this line's.
        let events = self.posted - self.told_read + self.busy.len() as u64 + 1;
        let room = events <= u64::from(self.depth);
        let take = self.consumed < self.told && self.busy.len() < self.slots && room;
        if take && (choice.is_multiple_of(2) || self.busy.is_empty()) {
            self.take();
            return true;
        }
        if self.busy.is_empty() {
            return false;
        }
        let (number, sequence) = self.busy.swap_remove(choice / 2 % self.busy.len());
        self.post(EventKind::Done, number, (sequence as u32 & 0xFFFF) << e::AUX_SEQUENCE_SHIFT);
        true
    }

    fn take(&mut self) {
        let index = (self.consumed % self.lines.len() as u64) as usize;
        let (line, phases) = Line::decode(&self.lines[index]);
        let phase = line_phase(self.consumed, self.lines.len() as u32);
        assert_eq!(phases, [phase; 2], "line {} is the one of its lap, whole", self.consumed);
        assert_eq!(line.number, (self.consumed + 1) as u16);
        self.consumed += 1;
        match u32::from(line.handler) {
            handler if handler == u32::from(REJECTED) => self.post(EventKind::Rejected, line.number, 1),
            c::KM_HANDLER_PING => self.post(EventKind::Pong, line.number, 0),
            _ => {
                self.sequence += 1;
                self.busy.push((line.number, self.sequence));
            }
        }
    }

    fn post(&mut self, kind: EventKind, number: u16, auxiliary: u32) {
        assert!(
            self.posted - self.read < u64::from(self.depth),
            "an event the host has not read is overwritten"
        );
        let event =
            RawEvent { kind: Ok(kind), value: 0, auxiliary, ticks: 1, number, consumed: self.consumed as u8 };
        let words = event.encode(event_lap(self.posted, self.depth));
        let at = (self.posted % u64::from(self.depth)) as usize * e::EVENT_BYTES as usize;
        self.events.store_u64(at, words[0]);
        self.events.store_u64(at + 8, words[1]);
        self.posted += 1;
    }

    fn written(&mut self, offset: u64, bytes: &[u8]) {
        let words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        if offset == u64::from(layout::LIM_CONTROL + 8 * c::CONTROL_PROGRESS) {
            let word = words.into_iter().next().unwrap();
            let told = word & 0xFFFF_FFFF;
            assert_eq!(told, self.written & 0xFFFF_FFFF, "the progress is what was stored and fenced");
            self.told = self.written;
            self.told_read = word >> c::CONTROL_READ_SHIFT;
            assert_eq!(self.told_read, self.read, "the host tells what it has read");
            return;
        }
        let words: Vec<u64> = words.collect();
        let first = (offset - u64::from(layout::LIM_RING)) / u64::from(c::LINE_BYTES);
        for (i, line) in words.as_chunks::<8>().0.iter().enumerate() {
            let count = self.lines.len() as u64;
            assert_eq!(first + i as u64, self.written % count, "lines are stored in order");
            assert!(self.written - self.consumed < count, "a line that was not consumed is overwritten");
            self.lines[(first as usize + i) % count as usize] = *line;
            self.written += 1;
        }
        // The host's own rule: what it has not read and what it has stored without an event fit the ring.
        assert!(self.written - self.read <= u64::from(self.depth), "more commands than events fit");
    }
}

impl komorebi_card::Card for Rings {
    fn description(&self) -> &Description {
        unreachable!("the rings have none")
    }
    fn claim(&self, _: Power) -> Result<(), CardError> {
        Ok(())
    }
    fn release(&self) {}
    fn vote(&self, _: Power) -> Result<(), CardError> {
        Ok(())
    }
    fn set_cleanup(&self, _: Option<Cleanup>) -> Result<(), CardError> {
        Ok(())
    }
    fn write(&self, tile: NocXy, address: u64, bytes: &[u8], _: Order) -> Result<(), CardError> {
        assert_eq!(tile, TILE);
        self.model().written(address - layout::LIM_BASE, bytes);
        Ok(())
    }
    fn read(&self, _: NocXy, _: u64, _: &mut [u8]) -> Result<(), CardError> {
        unreachable!("nothing is read")
    }
    fn multicast(&self, _: Rect, _: u64, _: &[u8]) -> Result<(), CardError> {
        unreachable!("nothing is multicast")
    }
    fn fence(&self, _: NocXy) -> Result<(), CardError> {
        Ok(())
    }
    fn host_mem(&self, _: usize) -> Result<HostMem, CardError> {
        unreachable!("there is one ring")
    }
    fn now(&self) -> CardTime {
        CardTime::default()
    }
    fn relax(&self, until: CardTime) -> Result<CardTime, CardError> {
        Ok(until)
    }
}
