//! What is behind the caches of a cluster: local DRAM, windows, the Zero device. Lines go there and back as messages.

use super::lines::{self, Line};
use super::map::{self, Memory, Region};
use super::shared::Shared;
use crate::fault::{Rule, Violation};
use crate::message::{Body, Entry, Payload, Reply};
use crate::net::Net;
use crate::noc::Noc;
use crate::noc::latency::{self, LOOKAHEAD};
use crate::noc::translate::{Kind, Place};
use crate::target::{self, Access};
use crate::tile::command;
use crate::time::Time;

/// The memory behind a line; lines of cacheable addresses only are ever made.
fn behind(number: u64) -> Memory {
    match map::region(number * lines::BYTES) {
        Region::Cached(memory) => memory,
        _ => Memory::Zero,
    }
}

impl Shared {
    /// The channel beside the cluster.
    pub(super) fn dram_place(&self, net: &Net) -> Result<Place, Violation> {
        let Some(tile) = net.map.find(Kind::Dram(self.channel as u8)) else {
            return Err(Violation::new(
                Rule::LocalDram,
                format!("access to local DRAM, channel {}", self.channel),
            ));
        };
        Ok(net.map.place_of(tile))
    }

    /// Where the bytes of a line are: NoC, tile, address there.
    pub(super) fn source(
        &self,
        number: u64,
        access: Access,
        net: &Net,
    ) -> Result<Option<(Noc, Place, u64)>, Violation> {
        let at = number * lines::BYTES;
        match behind(number) {
            Memory::Zero => Ok(None),
            Memory::Dram(offset) => {
                let place = self.dram_place(net)?;
                target::check(net.map.home(place.tile).kind, offset, lines::BYTES, access)?;
                Ok(Some((Noc::Zero, place, offset)))
            }
            Memory::Window(address) => {
                let through = self.peripherals.windows.through(address)?;
                if through.is_multicast() {
                    return Err(Violation::new(
                        Rule::WindowLoad,
                        format!("line {at:#x} of a multicast window"),
                    ));
                }
                let place = command::place(&net.map, through.noc, through.coordinates)?;
                let kind = net.map.home(place.tile).kind;
                if target::is_register(kind, through.address) {
                    let detail = format!("line {at:#x}, which is {:#x} of a {kind:?} tile", through.address);
                    return Err(Violation::new(Rule::CachedRegister, detail));
                }
                target::check(kind, through.address, lines::BYTES, access)?;
                Ok(Some((through.noc, place, through.address)))
            }
        }
    }

    /// Asks for a line; gives the earliest moment it can be there.
    pub(super) fn ask(
        &mut self,
        at: Time,
        number: u64,
        (noc, place, address): (Noc, Place, u64),
        net: &mut Net,
    ) -> Time {
        net.counters.noc_packets += 1;
        let own = net.map.home(self.tile).raw;
        let free = &mut self.free_at[noc.index()];
        *free = at.max(*free) + latency::CYCLE;
        let leave = *free;
        let arrival = net.asking(noc, own, place, leave) + net.delay(self.tile.0);
        let arrival = arrival.max(self.caches.written_back);
        let after = net.answer(noc, own, place);
        let reply = Reply::Line { tile: self.tile, number, after };
        let body = Body::Read { address, bytes: 64, entry: Entry::window(noc, place), reply };
        net.push(self.tile.0, place.tile, arrival, body);
        arrival + after.max(LOOKAHEAD)
    }

    /// A line that was taken out goes: where it was written, to memory. Gives the moment that acknowledges it.
    pub(super) fn evict(&mut self, at: Time, line: Line, net: &mut Net) -> Result<Time, Violation> {
        self.caches.forget(line.number, line.sharers);
        if !line.dirty {
            return Ok(at);
        }
        if let Some(fill) = self.caches.fills.get_mut(&line.number) {
            fill.stale = true;
        }
        let Some((noc, place, address)) = self.source(line.number, Access::Write, net)? else {
            return Ok(at);
        };
        let own = net.map.home(self.tile).raw;
        let free = &mut self.free_at[noc.index()];
        *free = at.max(*free) + latency::packet(lines::BYTES);
        let leave = *free;
        let arrival = net.arrival(noc, own, place, leave) + net.delay(self.tile.0);
        for (from, n) in line.runs() {
            net.counters.noc_packets += 1;
            let data = Payload::new(&line.bytes[from..from + n]);
            let body = Body::write(address + from as u64, data, Entry::window(noc, place));
            net.push(self.tile.0, place.tile, arrival, body);
        }
        self.caches.written_back = self.caches.written_back.max(arrival);
        Ok(arrival + latency::write(noc, place.raw, own))
    }
}
