//! What the five cores of a Tensix tile share, and what the NoC reaches: L1 and registers.

use super::command::{Command, Operation};
use super::cores::Core;
use super::debug::{Debug, NOC_READER, SOFT_RESET_0};
use super::icache::InstructionCache;
use super::mailboxes::Mailboxes;
use super::map::CONFIG_WORDS;
use super::niu::{Asked, CLEAR_OUTSTANDING, CMD_CTRL, Niu, counter};
use super::owners::Owners;
use super::pcbufs::PcBuf;
use super::place::{PlaceLoad, shown_place};
use super::semaphores::Semaphores;
use super::streams::Streams;
use crate::code_memory::CodeMemory;
use crate::fault::{Rule, Violation};
use crate::message::Body;
use crate::net::Net;
use crate::noc::Noc;
use crate::noc::latency::CYCLE;
use crate::noc::port::Port;
use crate::noc::translate::TileId;
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
    /// What came in over each NoC.
    pub(super) arrivals: [Port; 2],
    pub(crate) streams: Streams,
    pub(crate) semaphores: Semaphores,
    pub(crate) debug: Debug,
    pub(crate) watchers: Watchers,
    pub(crate) owners: Owners,
    /// Where the cores are, for the snapshot registers.
    pub(crate) pcs: [u64; 5],
    /// When SOFT_RESET_0 was written: the tile then resets or starts cores.
    pub(crate) reset_written: Option<Time>,
    /// A core's load of a snapshot register that waits for its answer, and the last one that has it.
    pub(crate) asked_place: Option<PlaceLoad>,
    pub(crate) told_place: Option<PlaceLoad>,
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
    pub(crate) fn new(tile: TileId, seed: Seed, parking: bool) -> Self {
        Self {
            tile,
            l1: CodeMemory::new(L1_BYTES),
            nius: [Niu::new(Noc::Zero), Niu::new(Noc::One)],
            arrivals: [Port::default(); 2],
            streams: Streams::new(),
            semaphores: Semaphores::default(),
            debug: Debug::new(seed.clock_offset(tile.0)),
            watchers: Watchers::default(),
            // A store that takes effect later than it is made is nobody's to take back.
            owners: Owners::new(parking && !seed.draws()),
            pcs: [0; 5],
            reset_written: None,
            asked_place: None,
            told_place: None,
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
        if let Some(core) = shown_place(address) {
            return Ok(self.pcs[core] as u32);
        }
        match address {
            0xffb1_2000..0xffb1_3000 => self.debug.load(at, reader, address & 0xfff),
            0xffb2_0000..0xffb4_0000 => {
                let niu = &self.nius[(address >> 16 & 1) as usize];
                niu.load(&net.map, self.tile, address & 0xffff, reader != NOC_READER)
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
                    self.reset_written = Some(at);
                    net.limit = net.limit.min(at + 1);
                }
            }
            0xffb2_0000..0xffb4_0000 => {
                let niu = &mut self.nius[(address >> 16 & 1) as usize];
                match niu.store(address & 0xffff, value)? {
                    Asked::Nothing => {}
                    Asked::Send(buffer) => self.send(at, (address >> 16 & 1) as usize, buffer, net)?,
                    Asked::Cleared => {
                        let first = niu.counter_address(counter::OUTSTANDING);
                        self.watchers.written(first, 4 * 16);
                    }
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

    /// Before a core stores to a register: the counters of a circular buffer are one core's each.
    #[inline]
    pub(super) fn count_buffer(&mut self, core: Core, address: u64, value: u32) -> Result<(), Violation> {
        match address {
            0xffb4_0000..0xffb8_0000 => self.streams.count(core, address & 0x3_ffff, value),
            _ => Ok(()),
        }
    }

    /// The registers a store to a register can change, itself included: start and bytes.
    pub(crate) fn affected(address: u64) -> (u64, u64) {
        match address {
            0xffb2_0000..0xffb4_0000
                if address & 0x7ff == CMD_CTRL || address & 0xffff == CLEAR_OUTSTANDING =>
            {
                (address & !0xffff, 0x1_0000)
            }
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

    /// The cores that have done ahead of their turns, at `at` or later, what this message comes before: they have loaded what
    /// it writes, or own what it touches, which is everybody's then.
    pub(crate) fn overtaken(&mut self, at: Time, body: &Body) -> u32 {
        let ahead = self.watchers.ahead();
        if ahead == 0 {
            return 0;
        }
        let (address, bytes) = match body {
            Body::Read { address, bytes, .. } => {
                return self.owners.share(*address, u64::from(*bytes), ahead);
            }
            Body::Leave {
                command: Command { operation: Operation::Write { from, bytes, .. }, .. }, ..
            } => {
                return self.owners.share(*from, u64::from(*bytes), ahead);
            }
            Body::Write { address, data, .. } | Body::ReadDone { address, data, .. } => {
                (*address, data.bytes().len() as u64)
            }
            Body::Atomic { address, atomic, .. } => atomic.span(*address),
            Body::AtomicDone { address, .. } => (*address, 4),
            Body::Stored { address, width, .. } => (*address, u64::from(*width)),
            _ => return 0,
        };
        let losers = self.losers(address, bytes);
        let loaded = self.watchers.loaded_ahead(at - 1, usize::MAX, address, bytes);
        loaded | losers & ahead | self.owners.share(address, bytes, ahead)
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
            Body::Write { address, data, entry, .. } => {
                let (start, bytes) = match *address {
                    0..L1_BYTES => (*address, data.bytes().len() as u64),
                    _ => Self::affected(*address),
                };
                waiting(start, bytes) | self.await_received(entry.noc)
            }
            Body::Stored { address, width, .. } => match *address {
                0..L1_BYTES => waiting(*address, u64::from(*width)),
                _ => {
                    let (start, bytes) = Self::affected(*address);
                    waiting(start, bytes)
                }
            },
            // The counters of the receiving side change.
            Body::Read { entry, .. } => self.await_received(entry.noc),
            Body::Atomic { address, atomic, entry, .. } => {
                let (start, bytes) = atomic.span(*address);
                waiting(start, bytes) | self.await_received(entry.noc)
            }
            Body::Leave { noc, .. } | Body::Ack { noc, .. } => niu(*noc),
            Body::ReadDone { noc, address, data, .. } => {
                niu(*noc) | waiting(*address, data.bytes().len() as u64)
            }
            Body::AtomicDone { noc, address, .. } => niu(*noc) | waiting(*address, 4),
            other => {
                debug_assert!(other.concerns_no_core(), "{other:?} wakes nobody");
                0
            }
        }
    }

    pub(super) fn count(&mut self, noc: usize, counter: usize, by: u32) {
        let niu = &mut self.nius[noc];
        niu.counters[counter] = niu.counters[counter].wrapping_add(by);
        let address = niu.counter_address(counter);
        self.watchers.written(address, 4);
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
