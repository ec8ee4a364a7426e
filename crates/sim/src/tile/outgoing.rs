//! Requests of a Tensix tile's own NIUs, from CMD_CTRL to the packet (tensix.md §4).
//!
//! A request is accepted when the port takes up its first packet: CMD_CTRL reads 0 from then on. Its data is what L1 holds
//! when the last flit leaves.

use super::command::{Command, Destination, Operation};
use super::niu::{CMD_CTRL, counter};
use super::shared::Shared;
use crate::fault::Violation;
use crate::message::{Ack, Body, Entry, Payload, Reply};
use crate::net::Net;
use crate::noc::Noc;
use crate::noc::latency;
use crate::noc::translate::Place;
use crate::time::Time;

impl Shared {
    /// A core wrote CMD_CTRL: the request goes out once the port is free.
    pub(super) fn send(&mut self, at: Time, noc: usize, buffer: u8, net: &mut Net) -> Result<(), Violation> {
        let niu = &mut self.nius[noc];
        let own = net.map.home(self.tile).xy;
        let command = niu.buffers[usize::from(buffer)].command(&net.map, niu.noc, self.tile, own)?;
        let command = niu.in_transaction(buffer, command)?;
        let noc_id = niu.noc;
        net.counters.noc_packets += 1;
        let mut rest = Some(command.operation);
        let mut start = at;
        while let Some(operation) = rest {
            let operation = {
                let (first, left) = operation.split();
                rest = left;
                first
            };
            let niu = &mut self.nius[noc];
            start = at.max(niu.free_at);
            let leave = start + latency::packet(operation.data());
            niu.free_at = leave;
            self.commanded(noc, usize::from(command.transaction), &operation);
            let mut command = Command { operation, ..command };
            command.ticket = net.depart(self.tile, noc_id, &command, start);
            net.push(self.tile.0, self.tile, leave, Body::Leave { noc: noc_id, command });
        }
        if self.nius[noc].buffers[usize::from(buffer)].advance() {
            self.watchers.written(self.nius[noc].base() + 0x800 * u64::from(buffer), CMD_CTRL);
        }
        // The last packet is accepted when the one before it has left.
        self.nius[noc].accept(buffer, start, at);
        if command.linked {
            let look = self.nius[noc].link(self.nius[noc].free_at);
            self.look_at_link_at(look, noc_id, net);
        }
        Ok(())
    }

    /// Looks whether a linked transaction was closed.
    pub(super) fn look_at_link(&mut self, at: Time, noc: Noc, net: &mut Net) -> Result<(), Violation> {
        let again = self.nius[noc.index()].look_at_link(at)?;
        self.look_at_link_at(again, noc, net);
        Ok(())
    }

    fn look_at_link_at(&self, at: Option<Time>, noc: Noc, net: &mut Net) {
        if let Some(at) = at {
            net.push(self.tile.0, self.tile, at, Body::Linked { noc });
        }
    }

    /// Counts what CMD_CTRL counts at once, and what comes with a packet's being started.
    fn commanded(&mut self, noc: usize, id: usize, operation: &Operation) {
        self.count(noc, counter::COMMANDS, 1);
        let started = match operation {
            Operation::Read { .. } => counter::READS_STARTED,
            Operation::Atomic { .. } => counter::ATOMICS_STARTED,
            Operation::Write { acked: true, .. } | Operation::Inline { acked: true, .. } => {
                counter::ACKED_STARTED
            }
            Operation::Write { .. } | Operation::Inline { .. } => counter::POSTED_STARTED,
        };
        self.count(noc, started, 1);
        if !matches!(started, counter::POSTED_STARTED) {
            self.count(noc, counter::OUTSTANDING + id, 1);
        }
        if let Operation::Write { .. } = operation {
            self.count(noc, counter::LEAVING + id, 1);
        }
    }

    /// A packet's last flit leaves: its data is what L1 holds now.
    pub(super) fn leave(&mut self, at: Time, noc: Noc, command: Command, net: &mut Net) {
        let n = noc.index();
        for freed in self.nius[n].start_next(at) {
            let busy = self.nius[n].base() + 0x800 * freed + CMD_CTRL;
            self.watchers.written(busy, 4);
        }
        let raw = net.map.home(self.tile).raw;
        let (transaction, id) = (command.transaction, usize::from(command.transaction));
        match command.operation {
            Operation::Read { from, address, into, bytes } => {
                self.count(n, counter::READS_SENT, 1);
                let after = net.answer(noc, raw, from);
                let reply = Reply::Niu { tile: self.tile, noc, transaction, address: into, after };
                let arrival = net.asking(noc, raw, from, at);
                let body = Body::Read { address, bytes, entry: Entry::of(noc, from, command.ticket), reply };
                self.post(arrival, from, command, noc, body, net);
            }
            Operation::Atomic { to, address, atomic, into } => {
                self.count(n, counter::ATOMICS_SENT, 1);
                self.spread(to, net, |this, place, net| {
                    let after = latency::write(noc, place.raw, raw);
                    let reply = Reply::Niu { tile: this.tile, noc, transaction, address: into, after };
                    let arrival = net.arrival(noc, raw, place, at);
                    let body =
                        Body::Atomic { address, atomic, entry: Entry::of(noc, place, command.ticket), reply };
                    this.post(arrival, place, command, noc, body, net);
                });
            }
            Operation::Write { from, to, address, bytes, enables, acked } => {
                let data = Payload::fill(bytes as usize, |out| self.l1.read(from, out));
                self.count(n, counter::LEAVING + id, u32::MAX);
                self.sent(n, acked, bytes);
                self.write_to(at, noc, to, command, acked, &Data { address, data, enables }, net);
            }
            Operation::Inline { to, address, value, acked } => {
                self.sent(n, acked, 4);
                let data = Data { address, data: Payload::new(&value.to_le_bytes()), enables: u64::MAX };
                self.write_to(at, noc, to, command, acked, &data, net);
            }
        }
    }

    fn sent(&mut self, noc: usize, acked: bool, bytes: u32) {
        let (requests, words) = match acked {
            true => (counter::ACKED_SENT, counter::ACKED_WORDS),
            false => (counter::POSTED_SENT, counter::POSTED_WORDS),
        };
        self.count(noc, requests, 1);
        self.count(noc, words, bytes.div_ceil(64));
    }

    /// Sends a write to each of its destinations, which acknowledge it if they are to.
    #[expect(clippy::too_many_arguments, reason = "the parts of one packet")]
    fn write_to(
        &mut self,
        at: Time,
        noc: Noc,
        to: Destination,
        command: Command,
        acked: bool,
        data: &Data,
        net: &mut Net,
    ) {
        let raw = net.map.home(self.tile).raw;
        self.spread(to, net, |this, place, net| {
            let after = latency::write(noc, place.raw, raw) as u32;
            let ack = acked.then_some(Ack { tile: this.tile, transaction: command.transaction, after });
            let Data { address, data, enables } = data.clone();
            let body =
                Body::Write { address, data, enables, entry: Entry::of(noc, place, command.ticket), ack };
            let arrival = net.arrival(noc, raw, place, at);
            this.post(arrival, place, command, noc, body, net);
        });
    }

    /// Does `one` for each destination.
    fn spread(&mut self, to: Destination, net: &mut Net, mut one: impl FnMut(&mut Self, Place, &mut Net)) {
        match to {
            Destination::One(place) => one(self, place, net),
            Destination::Many(tiles) => {
                for tile in tiles {
                    let place = net.map.place_of(tile);
                    one(self, place, net);
                }
            }
        }
    }

    /// Sends to another tile, or this one, with the seed's delay. A read is faster than a write: on the same static channel it
    /// stays behind, whatever the seed (tensix.md §4, "Ordering guarantees").
    fn post(&mut self, arrival: Time, to: Place, command: Command, noc: Noc, body: Body, net: &mut Net) {
        let arrival = arrival + net.delay(self.tile.0);
        let arrival = self.nius[noc.index()].in_order(to.tile, command.channel, arrival);
        if let Some(ticket) = command.ticket {
            net.expect(ticket, to.tile, arrival);
        }
        net.push(self.tile.0, to.tile, arrival, body);
    }
}

/// What a write carries.
#[derive(Clone)]
struct Data {
    address: u64,
    data: Payload,
    enables: u64,
}
