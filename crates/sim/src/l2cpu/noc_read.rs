//! The NoC at cacheable addresses of a cluster: through the L3, coherent with the harts (host.md §6.7).

use std::collections::BTreeSet;

use super::lines;
use super::map::{Memory, Region, is_within, region};
use super::shared::Shared;
use crate::fault::Violation;
use crate::message::{Body, Entry, Payload, Reply};
use crate::net::Net;
use crate::noc::Noc;
use crate::noc::latency;
use crate::target::{self, Access};
use crate::time::Time;

/// A read that waits for lines.
#[derive(Clone)]
pub(super) struct NocRead {
    address: u64,
    bytes: Vec<u8>,
    missing: BTreeSet<u64>,
    reply: Reply,
}

/// The lines that a range touches: number, offset in the line, offset in the range, length.
fn parts(address: u64, bytes: usize) -> impl Iterator<Item = (u64, u64, usize, usize)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let at = address + done as u64;
        let (number, offset) = (at / lines::BYTES, at % lines::BYTES);
        let length = (bytes - done).min((lines::BYTES - offset) as usize);
        let part = (number, offset, done, length);
        done += length;
        (length > 0).then_some(part)
    })
}

impl Shared {
    /// Writes memory of the cluster from outside.
    pub(super) fn noc_write(
        &mut self,
        at: Time,
        address: u64,
        bytes: &[u8],
        net: &mut Net,
    ) -> Result<(), Violation> {
        if let Region::Uncached(Memory::Dram(offset)) = region(address) {
            let place = self.dram_place(net)?;
            target::check(net.map.home(place.tile).kind, offset, bytes.len() as u64, Access::Write)?;
            let own = net.map.home(self.tile).raw;
            let arrival = at + latency::write(Noc::Zero, own, place.raw);
            let entry = Entry::window(Noc::Zero, place);
            let body = Body::write(offset, Payload::new(bytes), entry);
            net.push(self.tile.0, place.tile, arrival, body);
            return Ok(());
        }
        for (number, offset, from, length) in parts(address, bytes.len()) {
            self.noc_write_line(at, number, offset, &bytes[from..from + length], net)?;
        }
        Ok(())
    }

    fn noc_write_line(
        &mut self,
        at: Time,
        number: u64,
        offset: u64,
        bytes: &[u8],
        net: &mut Net,
    ) -> Result<(), Violation> {
        let master = self.noc_master(net);
        if self.caches.lines.access(number).is_none() {
            self.make_room(at, number, master, net)?;
        }
        let Some(line) = self.caches.lines.find_mut(number) else { return Ok(()) };
        let (sharers, clean) = (line.sharers, !line.dirty);
        line.put(offset, bytes);
        let whole = line.valid == u64::MAX;
        self.caches.forget(number, sharers);
        if clean {
            self.dirtied(at, number, net);
        }
        if !whole {
            self.bring(at, number, master, net)?;
        }
        Ok(())
    }

    /// Reads memory of the cluster from outside, and answers once every line is there.
    pub(super) fn noc_read(
        &mut self,
        at: Time,
        address: u64,
        bytes: usize,
        reply: Reply,
        net: &mut Net,
    ) -> Result<(), Violation> {
        if let Region::Uncached(Memory::Dram(offset)) = region(address) {
            let place = self.dram_place(net)?;
            target::check(net.map.home(place.tile).kind, offset, bytes as u64, Access::Read)?;
            let own = net.map.home(self.tile).raw;
            let arrival = at + latency::request(Noc::Zero, own, place.raw);
            let entry = Entry::window(Noc::Zero, place);
            let body = Body::Read { address: offset, bytes: bytes as u32, entry, reply };
            net.push(self.tile.0, place.tile, arrival, body);
            return Ok(());
        }
        let mut read = NocRead { address, bytes: vec![0; bytes], missing: BTreeSet::new(), reply };
        for (number, ..) in parts(address, bytes) {
            let master = self.noc_master(net);
            let whole =
                |shared: &Self| shared.caches.lines.find(number).is_some_and(|line| line.valid == u64::MAX);
            if !whole(self) {
                self.bring(at, number, master, net)?;
            }
            match whole(self) {
                true => self.copy_line(number, &mut read),
                false => drop(read.missing.insert(number)),
            }
        }
        self.finish(at, read, net);
        Ok(())
    }

    /// Copies local DRAM, in the view of the address, or the Zero device out; false outside them.
    pub(super) fn peek(&self, address: u64, out: &mut [u8], net: &Net) -> bool {
        let bytes = out.len() as u64;
        if !is_within(address, bytes) {
            return false;
        }
        let (memory, cached) = match region(address) {
            Region::Cached(memory) => (memory, true),
            Region::Uncached(memory) => (memory, false),
            Region::Other => return false,
        };
        match memory {
            Memory::Dram(offset) => net.dram[self.channel].read(offset, out),
            Memory::Zero | Memory::Window(_) => out.fill(0),
        }
        for (number, offset, from, length) in parts(address, out.len()).filter(|_| cached) {
            let Some(line) = self.caches.lines.find(number) else { continue };
            let has = |byte: usize| line.valid >> (offset as usize + byte) & 1 == 1;
            for byte in (0..length).filter(|byte| has(*byte)) {
                out[from + byte] = line.bytes[offset as usize + byte];
            }
        }
        true
    }

    /// A line is there that reads may have waited for.
    pub(super) fn serve_reads(&mut self, at: Time, number: u64, net: &mut Net) {
        if self.caches.reads.is_empty() {
            return;
        }
        for mut read in std::mem::take(&mut self.caches.reads) {
            if read.missing.remove(&number) {
                self.copy_line(number, &mut read);
            }
            self.finish(at, read, net);
        }
    }

    fn finish(&mut self, at: Time, read: NocRead, net: &mut Net) {
        match read.missing.is_empty() {
            true => net.reply(self.tile, at, read.reply, Payload::new(&read.bytes)),
            false => self.caches.reads.push(read),
        }
    }

    /// Copies what a read wants of a line; what an L1 has written goes up for it.
    fn copy_line(&mut self, number: u64, read: &mut NocRead) {
        let Some(line) = self.caches.lines.access(number) else { return };
        line.owner = None;
        let (start, end) = (number * lines::BYTES, read.address + read.bytes.len() as u64);
        let (from, to) = (start.max(read.address), (start + lines::BYTES).min(end));
        let part = &line.bytes[(from - start) as usize..(to - start) as usize];
        read.bytes[(from - read.address) as usize..][..part.len()].copy_from_slice(part);
    }
}
