//! What the five cores of a Tensix tile share, and what the NoC reaches: L1 and registers.

use super::command::{self, Command, Destination, Operation};
use super::cores::Core;
use super::debug::{Debug, NOC_READER, SOFT_RESET_0};
use super::icache::InstructionCache;
use super::mailboxes::Mailboxes;
use super::map::CONFIG_WORDS;
use super::niu::{Asked, CMD_CTRL, Niu, counter};
use super::pcbufs::PcBuf;
use super::semaphores::Semaphores;
use super::streams::Streams;
use crate::code_memory::CodeMemory;
use crate::fault::{Rule, Violation};
use crate::message::{Body, Payload, Reply};
use crate::net::Net;
use crate::noc::Noc;
use crate::noc::latency::{self, CYCLE};
use crate::noc::translate::{Place, TileId};
use crate::seed::Seed;
use crate::target::L1_BYTES;
use crate::time::Time;
use crate::watch::Watchers;

/// A tile without its cores.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) tile: TileId,
    pub(crate) l1: CodeMemory,
    pub(crate) nius: [Niu; 2],
    pub(crate) streams: Streams,
    pub(crate) semaphores: Semaphores,
    pub(crate) debug: Debug,
    pub(crate) watchers: Watchers,
    /// Where the cores are, for the snapshot registers.
    pub(crate) pcs: [u64; 5],
    /// Set when SOFT_RESET_0 was written: the tile then resets or starts cores.
    pub(crate) reset_written: bool,
    /// The instruction caches, in the order of the cores.
    pub(crate) icaches: [InstructionCache; 5],
    /// True when a seed draws.
    pub(crate) loose: bool,
    /// Cores that have lost something of their caches and have not noticed, as bits.
    pub(crate) lost_code: u32,
    pub(crate) mailboxes: Mailboxes,
    pub(crate) pcbufs: [PcBuf; 3],
    /// Cores that one of them holds up, as bits.
    pub(crate) held_up: u32,
    /// The coprocessor's general registers, 64 a thread, and its configuration: memory, since nothing uses them.
    pub(crate) gprs: [u32; 192],
    pub(crate) config: [u32; CONFIG_WORDS],
    /// The TDMA clock gate register, as it was written.
    pub(crate) tdma_gate: u32,
}

impl Shared {
    pub(crate) fn new(tile: TileId, seed: Seed) -> Self {
        Self {
            tile,
            l1: CodeMemory::new(L1_BYTES),
            nius: [Niu::new(Noc::Zero), Niu::new(Noc::One)],
            streams: Streams::new(),
            semaphores: Semaphores::default(),
            debug: Debug::new(seed.clock_offset(tile.0)),
            watchers: Watchers::default(),
            pcs: [0; 5],
            reset_written: false,
            icaches: Core::ALL.map(|core| InstructionCache::new(seed, tile.0, core)),
            loose: seed.draws(),
            lost_code: 0,
            mailboxes: Mailboxes::default(),
            pcbufs: Default::default(),
            held_up: 0,
            gprs: [0; 192],
            config: [0; CONFIG_WORDS],
            tdma_gate: 0,
        }
    }

    /// Loads a register that both cores and the NoC reach.
    pub(crate) fn load(
        &mut self,
        at: Time,
        reader: usize,
        address: u64,
        net: &Net,
    ) -> Result<u32, Violation> {
        match address {
            0xffb1_2000..0xffb1_3000 => self.debug.load(at, reader, address & 0xfff),
            0xffb1_3138..0xffb1_314c => Ok(self.pcs[(address as usize - 0xffb1_3138) / 4] as u32),
            0xffb2_0000..0xffb4_0000 => {
                self.nius[(address >> 16 & 1) as usize].load(&net.map, self.tile, address & 0xffff)
            }
            0xffb4_0000..0xffb8_0000 => self.streams.load(address & 0x3_ffff),
            _ => Err(unmapped("load", address)),
        }
    }

    /// Stores to a register that both cores and the NoC reach.
    pub(crate) fn store(
        &mut self,
        at: Time,
        address: u64,
        value: u32,
        net: &mut Net,
    ) -> Result<(), Violation> {
        match address {
            0xffb1_2000..0xffb1_3000 => {
                self.debug.store(address & 0xfff, value)?;
                if address & 0xfff == SOFT_RESET_0 {
                    self.reset_written = true;
                    net.limit = net.limit.min(at + 1);
                }
            }
            0xffb2_0000..0xffb4_0000 => {
                let niu = &mut self.nius[(address >> 16 & 1) as usize];
                if let Asked::Send(buffer) = niu.store(address & 0xffff, value)? {
                    self.send(at, (address >> 16 & 1) as usize, buffer, net)?;
                }
            }
            0xffb4_0000..0xffb8_0000 => {
                self.streams.store(address & 0x3_ffff, value)?;
                if address & 0xfff == 0x28 || address & 0xfff == 0x438 {
                    self.watchers.written((address & !0xfff) + 0x4a4, 4);
                }
            }
            _ => return Err(unmapped("store", address)),
        }
        self.watchers.written(address, 4);
        Ok(())
    }

    /// The registers a store to a register can change, itself included: start and bytes.
    pub(crate) fn affected(address: u64) -> (u64, u64) {
        match address {
            0xffb2_0000..0xffb4_0000 if address & 0x7ff == CMD_CTRL => (address & !0xffff, 0x1_0000),
            0xffb4_0000..0xffb8_0000 => (address & !0xfff, 0x1000),
            _ => (address, 4),
        }
    }

    /// The cores, as bits, out of whose instruction caches a write to L1 drives something. None with seed 0.
    #[inline]
    pub(crate) fn losers(&self, address: u64, bytes: u64) -> u32 {
        if self.loose { self.find_losers(address, bytes) } else { 0 }
    }

    #[cold]
    fn find_losers(&self, address: u64, bytes: u64) -> u32 {
        if !self.l1.holds(address, bytes) || !self.l1.was_fetched(address, bytes) {
            return 0;
        }
        let loses = |core: &usize| self.icaches[*core].loses(address, bytes);
        (0..self.icaches.len()).filter(loses).fold(0, |cores, core| cores | 1 << core)
    }

    /// Such a write happens.
    #[inline]
    pub(crate) fn lose_code(&mut self, address: u64, bytes: u64) {
        let losers = self.losers(address, bytes);
        if losers == 0 {
            return;
        }
        for core in (0..self.icaches.len()).filter(|core| losers >> core & 1 == 1) {
            self.icaches[core].lose(address, bytes);
        }
        self.lost_code |= losers;
    }

    /// The cores that have loaded from L1, at `at` or later, what this message writes at `at`: it comes first.
    pub(crate) fn overtaken(&self, at: Time, body: &Body) -> u32 {
        let (address, bytes) = match body {
            Body::Write { address, data } | Body::ReadDone { address, data, .. } => {
                (*address, data.bytes().len() as u64)
            }
            Body::Increment { address, .. } | Body::AtomicDone { address, .. } => (*address, 4),
            Body::Stored { address, width, .. } => (*address, u64::from(*width)),
            _ => return 0,
        };
        let losers = self.losers(address, bytes);
        let ahead = self.watchers.loaded_ahead(at - 1, usize::MAX, address, bytes);
        match losers {
            0 => ahead,
            _ => ahead | losers & self.watchers.loaded_ahead(at - 1, usize::MAX, 0, u64::MAX),
        }
    }

    /// The parked cores that wait for what this message writes.
    pub(crate) fn awaited(&self, body: &Body) -> u32 {
        let watchers = &self.watchers;
        let waiting = |address: u64, bytes: u64| {
            let losers = self.losers(address, bytes);
            watchers.waiting(address, bytes) | losers & watchers.parked()
        };
        let niu = |noc: Noc| watchers.waiting(0xffb2_0000 + 0x1_0000 * noc.index() as u64, 0x1_0000);
        match body {
            Body::Write { address, data } => {
                let (start, bytes) = match *address {
                    0..L1_BYTES => (*address, data.bytes().len() as u64),
                    _ => Self::affected(*address),
                };
                waiting(start, bytes)
            }
            Body::Stored { address, width, .. } => match *address {
                0..L1_BYTES => waiting(*address, u64::from(*width)),
                _ => {
                    let (start, bytes) = Self::affected(*address);
                    waiting(start, bytes)
                }
            },
            Body::Read { .. }
            | Body::LookAgain
            | Body::Timer { .. }
            | Body::Line { .. }
            | Body::WriteBack { .. }
            | Body::Release
            | Body::Clock { .. }
            | Body::Gate { .. } => 0,
            Body::Increment { address, .. } => waiting(*address, 4),
            Body::Leave { noc, .. } | Body::Ack { noc, .. } => niu(*noc),
            Body::ReadDone { noc, address, data, .. } => {
                niu(*noc) | waiting(*address, data.bytes().len() as u64)
            }
            Body::AtomicDone { noc, address, .. } => niu(*noc) | waiting(*address, 4),
        }
    }

    fn count(&mut self, noc: usize, counter: usize, by: u32) {
        let niu = &mut self.nius[noc];
        niu.counters[counter] = niu.counters[counter].wrapping_add(by);
        if (counter::OUTSTANDING..0x30).contains(&counter) {
            niu.counters[counter] &= 0xff;
        }
        let address = niu.counter_address(counter);
        self.watchers.written(address, 4);
    }

    /// A core wrote CMD_CTRL: the request goes out once the port is free.
    fn send(&mut self, at: Time, noc: usize, buffer: u8, net: &mut Net) -> Result<(), Violation> {
        let niu = &mut self.nius[noc];
        let own = net.map.home(self.tile).xy;
        let command = niu.buffers[usize::from(buffer)].command(&net.map, niu.noc, own)?;
        let leave = at.max(niu.free_at) + latency::injection(u64::from(command.operation.bytes()));
        niu.free_at = leave;
        niu.busy[usize::from(buffer)] = true;
        let noc_id = niu.noc;
        net.counters.noc_packets += 1;
        let id = usize::from(command.transaction);
        self.count(noc, counter::COMMANDS, 1);
        match command.operation {
            Operation::Write { acked, .. } | Operation::Inline { acked, .. } => {
                self.count(noc, counter::LEAVING + id, 1);
                if acked {
                    self.count(noc, counter::OUTSTANDING + id, 1);
                }
            }
            Operation::Read { .. } | Operation::Increment { .. } => {
                self.count(noc, counter::OUTSTANDING + id, 1);
            }
        }
        net.push(self.tile.0, self.tile, leave, Body::Leave { noc: noc_id, buffer, command });
        Ok(())
    }

    /// A request's last flit leaves: its data is what L1 holds now.
    fn leave(&mut self, at: Time, noc: Noc, buffer: u8, command: Command, net: &mut Net) {
        let n = noc.index();
        self.nius[n].busy[usize::from(buffer)] = false;
        let busy = self.nius[n].base() + 0x800 * u64::from(buffer) + CMD_CTRL;
        self.watchers.written(busy, 4);
        let raw = net.map.home(self.tile).raw;
        let (transaction, id) = (command.transaction, usize::from(command.transaction));
        match command.operation {
            Operation::Read { from, address, into, bytes } => {
                self.count(n, counter::READS_SENT, 1);
                let after = net.answer(noc, raw, from);
                let reply = Reply::Niu { tile: self.tile, noc, transaction, address: into, after };
                let arrival = net.asking(noc, raw, from, at);
                self.post(arrival, from, command.channel, noc, Body::Read { address, bytes, reply }, net);
            }
            Operation::Increment { to, address, operand, width, into } => {
                self.count(n, counter::ATOMICS_SENT, 1);
                let after = latency::write(noc, to.raw, raw);
                let reply = Reply::Niu { tile: self.tile, noc, transaction, address: into, after };
                let arrival = net.arrival(noc, raw, to, at);
                let body = Body::Increment { address, operand, width, reply };
                self.post(arrival, to, command.channel, noc, body, net);
            }
            Operation::Write { from, to, address, bytes, acked } => {
                let data = Payload::fill(bytes as usize, |out| self.l1.read(from, out));
                self.sent(n, id, acked, bytes);
                self.spread(at, noc, to, command, acked, address, data, net);
            }
            Operation::Inline { to, address, value, acked } => {
                self.sent(n, id, acked, 4);
                self.spread(at, noc, to, command, acked, address, Payload::new(&value.to_le_bytes()), net);
            }
        }
    }

    fn sent(&mut self, noc: usize, id: usize, acked: bool, bytes: u32) {
        self.count(noc, counter::LEAVING + id, u32::MAX);
        let (requests, words) = match acked {
            true => (counter::ACKED_SENT, counter::ACKED_WORDS),
            false => (counter::POSTED_SENT, counter::POSTED_WORDS),
        };
        self.count(noc, requests, 1);
        self.count(noc, words, bytes.div_ceil(64));
    }

    /// Sends a write to each of its destinations, and promises their acknowledgements.
    #[expect(clippy::too_many_arguments, reason = "the parts of one packet")]
    fn spread(
        &mut self,
        at: Time,
        noc: Noc,
        to: Destination,
        command: Command,
        acked: bool,
        address: u64,
        data: Payload,
        net: &mut Net,
    ) {
        let raw = net.map.home(self.tile).raw;
        let one = |this: &mut Self, place: Place, net: &mut Net| {
            let arrival = net.arrival(noc, raw, place, at);
            let body = Body::Write { address, data: data.clone() };
            let arrival = this.post(arrival, place, command.channel, noc, body, net);
            if acked {
                let back = arrival + latency::write(noc, place.raw, raw) + net.delay(this.tile.0);
                net.push(this.tile.0, this.tile, back, Body::Ack { noc, transaction: command.transaction });
            }
        };
        match to {
            Destination::One(place) => one(self, place, net),
            Destination::Many { tiles, include_self } => {
                for tile in net.map.tensix_in(tiles).collect::<command::Tiles>() {
                    if tile != self.tile || include_self {
                        one(self, Place { tile, raw: net.map.home(tile).raw }, net);
                    }
                }
            }
        }
    }

    /// Sends to another tile, or this one; gives the arrival with the seed's delay.
    fn post(
        &mut self,
        arrival: Time,
        to: Place,
        channel: Option<u8>,
        noc: Noc,
        body: Body,
        net: &mut Net,
    ) -> Time {
        let mut arrival = arrival + net.delay(self.tile.0);
        if net.seed.0 != 0 {
            arrival = self.nius[noc.index()].in_order(net.map.homes.len(), to.tile, channel, arrival);
        }
        net.push(self.tile.0, to.tile, arrival, body);
        arrival
    }

    /// Applies a message.
    pub(crate) fn deliver(&mut self, at: Time, body: Body, net: &mut Net) -> Result<(), Violation> {
        match body {
            Body::Write { address, data } => self.write(at, address, data.bytes(), net)?,
            Body::Read { address, bytes, reply } => {
                let data = self.read(at, address, bytes, net)?;
                net.reply(self.tile, at, 0, reply, data);
            }
            Body::Increment { address, operand, width, reply } => {
                let old = self.l1.value(address, 4) as u32;
                let mask = u32::MAX >> (32 - u32::from(width));
                let new = old & !mask | old.wrapping_add(operand) & mask;
                self.lose_code(address, 4);
                self.l1.set_value(address, 4, u64::from(new));
                self.watchers.written(address, 4);
                if let Reply::Niu { tile, noc, transaction, address, after } = reply {
                    let back = at + after + net.delay(self.tile.0);
                    let body = Body::AtomicDone { noc, transaction, address, value: old };
                    net.push(self.tile.0, tile, back, body);
                }
            }
            Body::Leave { noc, buffer, command } => self.leave(at, noc, buffer, command, net),
            Body::ReadDone { noc, transaction, address, data } => {
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
                self.l1.set_value(address, 4, u64::from(value));
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
            Body::LookAgain
            | Body::Timer { .. }
            | Body::Line { .. }
            | Body::WriteBack { .. }
            | Body::Release
            | Body::Clock { .. }
            | Body::Gate { .. } => {}
        }
        Ok(())
    }

    /// A write over the NoC.
    fn write(&mut self, at: Time, address: u64, bytes: &[u8], net: &mut Net) -> Result<(), Violation> {
        if self.l1.holds(address, bytes.len() as u64) {
            self.lose_code(address, bytes.len() as u64);
            self.l1.write(address, bytes);
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

/// What a load or store outside every known region is.
pub(crate) fn unmapped(what: &str, address: u64) -> Violation {
    match address {
        0xffb1_3000..0xffb1_3138 => {
            let detail = format!("{what} at {address:#x}: the interrupt controller (PIC)");
            return Violation::new(Rule::TileUnit, detail);
        }
        0xffb1_3138..0xffb1_314c => {
            let detail = format!("{what} at {address:#x}: a pc snapshot is only read");
            return Violation::new(Rule::CoreAddress, detail);
        }
        _ => {}
    }
    Violation::new(Rule::CoreAddress, format!("{what} at {address:#x}"))
}

/// Cycles as time.
pub(crate) const fn cycles(n: u64) -> Time {
    n * CYCLE
}
