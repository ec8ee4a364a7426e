//! A DRAM channel: one memory behind three ports, served one request at a time (tensix.md §6).

use crate::message::{Body, Payload};
use crate::net::Net;
use crate::noc::latency;
use crate::noc::translate::TileId;
use crate::time::Time;

/// A channel's controller. The memory is the machine's: the cluster beside it reaches it too.
#[derive(Clone)]
pub(crate) struct Dram {
    tile: TileId,
    channel: usize,
    free_at: Time,
}

impl Dram {
    pub(crate) fn new(tile: TileId, channel: u8) -> Self {
        Self { tile, channel: usize::from(channel), free_at: 0 }
    }

    /// Applies a message.
    pub(crate) fn deliver(&mut self, at: Time, body: Body, net: &mut Net) {
        match body {
            Body::Write { address, data } => {
                self.serve(at, data.bytes().len());
                net.dram[self.channel].write(address, data.bytes());
            }
            Body::Read { address, bytes, reply } => {
                let wait = self.serve(at, bytes as usize);
                let memory = &net.dram[self.channel];
                let data = Payload::fill(bytes as usize, |out| memory.read(address, out));
                net.reply(self.tile, at, wait, reply, data);
            }
            // Nothing else is ever sent here: requests are checked where they are made.
            _ => {}
        }
    }

    /// Takes a turn of the controller; how long the request waits for it and is served.
    fn serve(&mut self, at: Time, bytes: usize) -> Time {
        self.free_at = self.free_at.max(at) + latency::dram_service(bytes as u64);
        self.free_at - at
    }
}
