//! A DRAM channel: one memory behind three ports. A port takes one request in 16.4 cycles from each NoC, the channel moves
//! 47 bytes a cycle, one read 24 of them (tensix.md §6).

use crate::message::{Body, Entry, Payload};
use crate::net::Net;
use crate::noc::port::Port;
use crate::noc::route::Raw;
use crate::noc::translate::{DRAM_ROWS, TileId};
use crate::noc::{identity, latency};
use crate::target::DRAM_BYTES;
use crate::time::Time;

/// A channel's controller. The memory is the machine's: the cluster beside it reaches it too.
#[derive(Clone)]
pub(crate) struct Dram {
    tile: TileId,
    channel: usize,
    /// When each port takes the next request of each NoC.
    ports: [[Time; 2]; 3],
    memory: Port,
}

impl Dram {
    pub(crate) fn new(tile: TileId, channel: u8) -> Self {
        Self { tile, channel: usize::from(channel), ports: [[0; 2]; 3], memory: Port::default() }
    }

    /// Applies a message.
    pub(crate) fn deliver(&mut self, at: Time, body: Body, net: &mut Net) {
        match body {
            Body::Write { address, data, entry, ack, .. } => {
                let taken = self.take(at, entry);
                let done = self.memory.take(taken, latency::dram_service(data.bytes().len() as u64));
                net.dram[self.channel].write(address, data.bytes());
                if let Some(ack) = ack {
                    net.acknowledge(self.tile, done, entry.noc, ack);
                }
            }
            Body::Read { address, entry, .. } if address >= DRAM_BYTES => {
                identity::answer(self.tile, self.router(net, entry), at, body, net);
            }
            Body::Read { address, bytes, entry, reply } => {
                let length = latency::dram_service(u64::from(bytes));
                let taken = self.take(at, entry);
                // What the channel has to do for others makes this one later.
                let wait = self.memory.take(taken + length, length) - length - taken;
                let memory = &net.dram[self.channel];
                let data = Payload::fill(bytes as usize, |out| memory.read(address, out));
                let stream = latency::dram_stream(u64::from(bytes)).max(latency::packet(64));
                let ready = taken + wait + latency::DRAM_ACCESS + stream;
                let start = ready - latency::packet(u64::from(bytes));
                net.reply_from(self.tile, self.router(net, entry), [start, ready], reply, data);
            }
            // Nothing else is ever sent here: requests are checked where they are made.
            _ => {}
        }
    }

    /// The router of the port that a request enters by.
    fn router(&self, net: &Net, entry: Entry) -> Raw {
        Raw::new(net.map.home(self.tile).raw.x, DRAM_ROWS[self.channel % 4][usize::from(entry.port)])
    }

    /// When the port that a request enters by takes it.
    fn take(&mut self, at: Time, entry: Entry) -> Time {
        let free = &mut self.ports[usize::from(entry.port)][entry.noc.index()];
        let taken = at.max(*free);
        *free = taken + latency::DRAM_REQUEST;
        taken
    }
}
