//! The caches of a cluster: bringing lines in, writing them back, flushing them (host.md §6.6, §6.7).
//!
//! All four harts and the NoC's accesses to cacheable addresses see the same bytes. Who reaches the memory behind them by
//! another way, through the uncached view or at the DRAM tile itself, sees what was written back, and what it writes there
//! is not seen here while a line of it is held. A line leaves when its place is needed or on a flush; under a seed a line
//! that was written may leave at any time, since hardware promises no time.

use std::collections::BTreeMap;

use super::l1::L1;
use super::lines::{self, Line, Lines};
use super::map::{self, Region};
use super::noc_read::NocRead;
use super::shared::Shared;
use crate::fault::{Rule, Violation};
use crate::message::Body;
use crate::net::Net;
use crate::target::Access;
use crate::time::{Time, from_nanos};

/// The L3's masters (host.md §6.6): requests of the NoC have one of 32, harts have one each.
const NOC_MASTERS: std::ops::RangeInclusive<usize> = 1..=32;
/// The master of hart 0.
const HART_MASTER: usize = 34;
/// The parts that draw from the seed.
const DRAWS: u16 = 0xca00;
/// The longest a seed lets a written line stay.
const STAYS: Time = from_nanos(20_000);

/// A line on its way.
#[derive(Clone, Copy)]
pub(super) struct Fill {
    master: usize,
    /// The earliest it can be there.
    until: Time,
    /// Memory has been written since it was asked for: it is to be asked for again.
    pub(super) stale: bool,
}

/// Their state.
#[derive(Clone)]
pub(crate) struct Caches {
    pub(super) lines: Lines,
    pub(super) l1: [L1; 4],
    pub(super) fills: BTreeMap<u64, Fill>,
    /// Reads of the NoC that wait for lines.
    pub(super) reads: Vec<NocRead>,
    /// The way masks of the 38 masters (host.md §6.6).
    pub(super) way_masks: [u64; 38],
    /// When the last line that was written back is in memory: nothing is read before.
    pub(super) written_back: Time,
    draws: u64,
}

impl Caches {
    pub(super) fn new() -> Self {
        Self {
            lines: Lines::new(),
            l1: std::array::from_fn(|_| L1::new()),
            fills: BTreeMap::new(),
            reads: Vec::new(),
            way_masks: [0xffff; 38],
            written_back: 0,
            draws: 0,
        }
    }

    /// What they hold is lost, as LIM is, which lies in ways of the L3.
    pub(super) fn lose(&mut self) {
        self.lines = Lines::new();
        self.l1 = std::array::from_fn(|_| L1::new());
    }

    /// True when all bytes of a line are here.
    pub(super) fn has_whole(&self, number: u64) -> bool {
        self.lines.find(number).is_some_and(|line| line.valid == u64::MAX)
    }

    /// The L1s of `harts`, as bits, let a line go that another has written.
    pub(super) fn forget(&mut self, number: u64, harts: u8) {
        for hart in (0..4).filter(|hart| harts >> hart & 1 == 1) {
            self.l1[hart].forget(number);
        }
    }

    /// A hart takes a line into its L1; true when it had it.
    pub(super) fn share(&mut self, hart: usize, number: u64) -> bool {
        let (hit, gone) = self.l1[hart].access(number);
        if let Some(line) = gone.and_then(|gone| self.lines.find_mut(gone)) {
            line.leave_l1(hart, false);
        }
        if let Some(line) = self.lines.access(number) {
            line.sharers |= 1 << hart;
            // What another L1 has written goes up, for both.
            line.owner.take_if(|owner| owner.hart != hart);
        }
        hit
    }

    /// `cflush.d.l1` and `cdiscard.d.l1` of a line, or of all.
    pub(super) fn leave_l1(&mut self, hart: usize, number: Option<u64>, discard: bool) {
        let numbers = number.map_or_else(|| self.l1[hart].lines(), |number| vec![number]);
        for number in numbers {
            self.l1[hart].forget(number);
            if let Some(line) = self.lines.find_mut(number) {
                line.leave_l1(hart, discard);
            }
        }
    }

    fn draw(&mut self, index: u8, bound: u64, net: &Net) -> u64 {
        self.draws += 1;
        net.seed.delay(DRAWS | u16::from(index), self.draws, bound)
    }
}

impl Shared {
    /// The master of a hart.
    pub(super) fn hart_master(hart: usize) -> usize {
        HART_MASTER + hart
    }

    /// One of the NoC's: which is not specified (host.md §6.6).
    pub(super) fn noc_master(&mut self, net: &Net) -> usize {
        let most = (NOC_MASTERS.end() - NOC_MASTERS.start()) as u64;
        NOC_MASTERS.start() + self.caches.draw(self.index, most, net) as usize
    }

    /// Asks for a line that is not there, or not whole; gives the earliest moment it can be. A line of the Zero device is
    /// there at once.
    pub(super) fn bring(
        &mut self,
        at: Time,
        number: u64,
        master: usize,
        net: &mut Net,
    ) -> Result<Time, Violation> {
        if let Some(fill) = self.caches.fills.get(&number) {
            return Ok(fill.until);
        }
        self.ways(number, master)?;
        let Some((noc, place, address)) = self.source(number, Access::Read, net)? else {
            self.install(at, number, master, &[0; 64], net)?;
            return Ok(at);
        };
        let until = self.ask(at, number, (noc, place, address), net);
        self.caches.fills.insert(number, Fill { master, until, stale: false });
        Ok(until)
    }

    /// Asks for the next line too, as the L2's prefetcher may inside 4 KiB (host.md §6.4): hardware leaves it open, and so
    /// does a seed.
    pub(super) fn prefetch(
        &mut self,
        at: Time,
        number: u64,
        hart: usize,
        net: &mut Net,
    ) -> Result<(), Violation> {
        let next = number + 1;
        let on = self.internal.prefetchers[hart][0] & 1 == 1 && !next.is_multiple_of(4096 / lines::BYTES);
        let wanted = on && net.seed.0 != 0 && self.caches.draw(self.index, 1, net) == 1;
        if wanted && self.caches.lines.find(next).is_none() {
            self.bring(at, next, Self::hart_master(hart), net)?;
        }
        Ok(())
    }

    /// A line has come.
    pub(super) fn line_arrived(
        &mut self,
        at: Time,
        number: u64,
        bytes: &[u8],
        net: &mut Net,
    ) -> Result<(), Violation> {
        let Some(fill) = self.caches.fills.remove(&number) else { return Ok(()) };
        if fill.stale {
            if let Some(source) = self.source(number, Access::Read, net)? {
                let until = self.ask(at, number, source, net);
                self.caches.fills.insert(number, Fill { until, stale: false, ..fill });
            }
            return Ok(());
        }
        let mut line = [0; 64];
        line.copy_from_slice(&bytes[..64]);
        self.install(at, number, fill.master, &line, net)?;
        self.serve_reads(at, number, net);
        Ok(())
    }

    /// Puts a clean line in, or the rest of one.
    pub(super) fn install(
        &mut self,
        at: Time,
        number: u64,
        master: usize,
        bytes: &[u8; 64],
        net: &mut Net,
    ) -> Result<(), Violation> {
        if let Some(line) = self.caches.lines.find_mut(number) {
            line.fill(bytes);
            return Ok(());
        }
        self.make_room(at, number, master, net)?.fill(bytes);
        Ok(())
    }

    /// The ways, as bits, that a master may bring a line into.
    fn ways(&self, number: u64, master: usize) -> Result<u32, Violation> {
        let enabled = (2u64 << self.lim.way_enable()) - 1;
        let ways = (self.caches.way_masks[master] & enabled) as u32;
        if ways != 0 {
            return Ok(ways);
        }
        Err(Violation::new(
            Rule::WayMask,
            format!("line {:#x} for L3 master {master}", number * lines::BYTES),
        ))
    }

    /// An empty line for `number`, which is not there.
    pub(super) fn make_room(
        &mut self,
        at: Time,
        number: u64,
        master: usize,
        net: &mut Net,
    ) -> Result<&mut Line, Violation> {
        let ways = self.ways(number, master)?;
        let (seed, index) = (net.seed, self.index);
        self.caches.draws += 1;
        let draws = self.caches.draws;
        let pick = |n: usize| {
            (seed.0 != 0).then(|| seed.delay(DRAWS | u16::from(index), draws, n as u64 - 1) as usize)
        };
        let gone = self.caches.lines.insert(number, ways, pick).1;
        if let Some(gone) = gone {
            self.evict(at, gone, net)?;
        }
        Ok(self.caches.lines.find_mut(number).expect("the line was just put in"))
    }

    /// A line was written that was clean: a seed may have it written back at any time.
    pub(super) fn dirtied(&mut self, at: Time, number: u64, net: &mut Net) {
        if net.seed.0 != 0 && self.caches.draw(self.index, 1, net) == 1 {
            let leaves = at + 1 + self.caches.draw(self.index, STAYS, net);
            net.push(self.tile.0, self.tile, leaves, Body::WriteBack { number });
        }
    }

    /// The moment has come that [`Shared::dirtied`] chose.
    pub(super) fn write_back(&mut self, at: Time, number: u64, net: &mut Net) -> Result<(), Violation> {
        let caches = &mut self.caches;
        let Some(way) = caches.lines.way(number) else { return Ok(()) };
        let pinned = caches.way_masks.iter().all(|mask| mask >> way & 1 == 0);
        if pinned || !caches.lines.find(number).is_some_and(|line| line.dirty) {
            return Ok(());
        }
        self.flush(at, number * lines::BYTES, net).map(drop)
    }

    /// FLUSH64 and FLUSH32: the line at `address` leaves all caches. Gives the moment that acknowledges it.
    pub(super) fn flush(&mut self, at: Time, address: u64, net: &mut Net) -> Result<Time, Violation> {
        Self::check_cacheable(address)?;
        let number = address / lines::BYTES;
        // One on its way was read too early.
        if let Some(fill) = self.caches.fills.get_mut(&number) {
            fill.stale = true;
        }
        match self.caches.lines.remove(number) {
            Some(line) => self.evict(at, line, net),
            None => Ok(at),
        }
    }

    /// The L2's flush of a hart: its L1 and L2 let the line go, the L3 has it still.
    pub(super) fn flush_l2(&mut self, hart: usize, address: u64) -> Result<(), Violation> {
        Self::check_cacheable(address)?;
        self.caches.leave_l1(hart, Some(address / lines::BYTES), false);
        Ok(())
    }

    /// Refuses an address that no cache holds.
    pub(super) fn check_cacheable(address: u64) -> Result<(), Violation> {
        if matches!(map::region(address), Region::Cached(_)) {
            return Ok(());
        }
        Err(Violation::new(Rule::Flush, format!("flush of {address:#x}, which is not cacheable")))
    }
}
