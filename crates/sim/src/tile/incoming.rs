//! Packets that arrive at a Tensix tile: through the port of their NoC, into L1 or a register, and what they ask for in
//! return.

use super::cores::Core;
use super::debug::NOC_READER;
use super::niu::counter;
use super::shared::{Shared, unmapped};
use crate::fault::Violation;
use crate::message::{ALL_BYTES, Ack, Body, Entry, Payload, Reply};
use crate::net::Net;
use crate::noc::Noc;
use crate::noc::latency;
use crate::time::Time;

/// Counters of the receiving side, from [`counter::RECEIVED`] on.
mod received {
    pub(super) const ATOMICS_ANSWERED: usize = 0;
    pub(super) const WRITES_ACKED: usize = 1;
    pub(super) const READS_ANSWERED: usize = 2;
    pub(super) const WORDS_READ: usize = 3;
    pub(super) const REQUESTS: usize = 4;
    pub(super) const READS: usize = 5;
    pub(super) const ATOMICS: usize = 6;
    pub(super) const ACKED_WORDS: usize = 8;
    pub(super) const ACKED: usize = 0xa;
    pub(super) const ACKED_BEGUN: usize = 0xc;
}

impl Shared {
    /// Applies a message.
    pub(crate) fn deliver(&mut self, at: Time, body: Body, net: &mut Net) -> Result<(), Violation> {
        let Some(body) = self.pass_port(at, body, net) else { return Ok(()) };
        match body {
            Body::Write { address, data, enables, entry, ack } => {
                self.write(at, address, data.bytes(), enables, net)?;
                self.wrote(at, entry, data.bytes().len(), ack, net);
            }
            Body::Read { address, bytes, entry, reply } => {
                let data = self.read(at, address, bytes, net)?;
                let words = bytes.div_ceil(64);
                let counts =
                    [(received::READS, 1), (received::READS_ANSWERED, 1), (received::WORDS_READ, words)];
                self.received(entry.noc, &counts);
                let (mut start, mut ready) = (at, at);
                if let Reply::Niu { .. } | Reply::Line { .. } = reply {
                    // Answers follow one another out of the tile, beside its own requests.
                    let port = &mut self.nius[entry.noc.index()].answers_free_at;
                    start = at.max(*port);
                    ready = start + latency::packet(u64::from(bytes));
                    *port = ready;
                }
                let raw = net.map.home(self.tile).raw;
                net.reply_from(self.tile, raw, [start, ready], reply, data);
            }
            Body::Atomic { address, atomic, entry, reply } => {
                let old = self.l1.value(address, 4) as u32;
                let (start, lane) = (address & !15, (address >> 2 & 3) as usize);
                let line = std::array::from_fn(|i| self.l1.value(start + 4 * i as u64, 4) as u32);
                let changed = atomic.apply(line, lane);
                let (changes, bytes) = atomic.span(address);
                self.lose_code(changes, bytes);
                for (i, word) in changed.into_iter().enumerate().filter(|(i, word)| *word != line[*i]) {
                    self.l1.set_value(start + 4 * i as u64, 4, u64::from(word));
                }
                self.watchers.written(changes, bytes);
                self.received(entry.noc, &[(received::ATOMICS, 1), (received::ATOMICS_ANSWERED, 1)]);
                if let Reply::Niu { tile, noc, transaction, address, after } = reply {
                    let back = at + after + net.delay(self.tile.0);
                    let body = Body::AtomicDone { noc, transaction, address, value: old };
                    net.push(self.tile.0, tile, back, body);
                }
            }
            Body::Leave { noc, command } => self.leave(at, noc, command, net),
            Body::Linked { noc } => self.look_at_link(at, noc, net)?,
            Body::ReadDone { noc, transaction, address, data, .. } => {
                let bytes = data.bytes();
                self.lose_code(address, bytes.len() as u64);
                self.l1.write(address, bytes);
                self.watchers.written(address, bytes.len() as u64);
                let n = noc.index();
                self.count(n, counter::READ_RESPONSES, 1);
                self.count(n, counter::READ_WORDS, (bytes.len() as u32).div_ceil(64));
                self.count(n, counter::OUTSTANDING + usize::from(transaction), u32::MAX);
            }
            Body::AtomicDone { noc, transaction, address, value } => {
                self.lose_code(address, 4);
                self.l1.write(address, &value.to_le_bytes());
                self.watchers.written(address, 4);
                self.count(noc.index(), counter::ATOMIC_RESPONSES, 1);
                self.count(noc.index(), counter::OUTSTANDING + usize::from(transaction), u32::MAX);
            }
            Body::Ack { noc, transaction } => {
                self.count(noc.index(), counter::WRITE_ACKS, 1);
                self.count(noc.index(), counter::OUTSTANDING + usize::from(transaction), u32::MAX);
            }
            Body::Stored { core, width, address, value } => {
                self.land(at, Core::ALL[usize::from(core)], address, usize::from(width), value, net)?;
            }
            other => debug_assert!(other.concerns_no_core(), "{other:?} changes nothing"),
        }
        Ok(())
    }

    /// Lets a packet of a NIU come in behind what its port carries already; `None` when that is later.
    fn pass_port(&mut self, at: Time, mut body: Body, net: &mut Net) -> Option<Body> {
        let (noc, bytes, queued) = match &mut body {
            Body::Write { data, entry, .. } => (entry.noc, data.bytes().len(), &mut entry.queued),
            Body::Read { entry, .. } | Body::Atomic { entry, .. } => (entry.noc, 0, &mut entry.queued),
            Body::ReadDone { noc, data, queued, .. } => (*noc, data.bytes().len(), queued),
            _ => return Some(body),
        };
        if !std::mem::take(queued) {
            return Some(body);
        }
        let through = self.arrivals[noc.index()].take(at, latency::packet(bytes as u64));
        if through == at {
            return Some(body);
        }
        net.push(self.tile.0, self.tile, through, body);
        None
    }

    /// Counts a write, and acknowledges it if its sender waits for that.
    fn wrote(&mut self, at: Time, entry: Entry, bytes: usize, ack: Option<Ack>, net: &mut Net) {
        let posted = usize::from(ack.is_none());
        let words = (bytes as u32).div_ceil(64);
        let counts = [
            (received::ACKED_WORDS + posted, words),
            (received::ACKED + posted, 1),
            (received::ACKED_BEGUN + posted, 1),
            (received::WRITES_ACKED, 1 - posted as u32),
        ];
        self.received(entry.noc, &counts);
        if let Some(ack) = ack {
            net.acknowledge(self.tile, at, entry.noc, ack);
        }
    }

    /// Counts a request of another tile.
    fn received(&mut self, noc: Noc, counts: &[(usize, u32)]) {
        let niu = &mut self.nius[noc.index()];
        for (number, by) in [(received::REQUESTS, 1)].iter().chain(counts) {
            let counter = &mut niu.counters[counter::RECEIVED + number];
            *counter = counter.wrapping_add(*by);
        }
        let address = niu.counter_address(counter::RECEIVED);
        self.watchers.written(address, 4 * RECEIVED);
    }

    /// The cores that wait for a counter of the receiving side.
    pub(super) fn await_received(&self, noc: Noc) -> u32 {
        let address = self.nius[noc.index()].counter_address(counter::RECEIVED);
        self.watchers.waiting(address, 4 * RECEIVED)
    }

    /// A write over the NoC.
    fn write(
        &mut self,
        at: Time,
        address: u64,
        bytes: &[u8],
        enables: u64,
        net: &mut Net,
    ) -> Result<(), Violation> {
        if self.l1.holds(address, bytes.len() as u64) {
            self.lose_code(address, bytes.len() as u64);
            if enables == ALL_BYTES {
                self.l1.write(address, bytes);
            } else {
                for (i, byte) in bytes.iter().enumerate().filter(|(i, _)| enables >> i & 1 == 1) {
                    self.l1.set_value(address + i as u64, 1, u64::from(*byte));
                }
            }
            self.watchers.written(address, bytes.len() as u64);
            return Ok(());
        }
        let word = bytes.try_into().map_err(|_| unmapped("write", address))?;
        self.store(at, address, u32::from_le_bytes(word), net)
    }

    /// A read over the NoC.
    fn read(&mut self, at: Time, address: u64, bytes: u32, net: &Net) -> Result<Payload, Violation> {
        if self.l1.holds(address, u64::from(bytes)) {
            return Ok(Payload::fill(bytes as usize, |out| self.l1.read(address, out)));
        }
        Ok(Payload::new(&self.load(at, NOC_READER, address, net)?.to_le_bytes()))
    }
}

/// Counters of the receiving side.
const RECEIVED: u64 = 14;
