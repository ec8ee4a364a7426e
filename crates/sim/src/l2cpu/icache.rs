//! The instruction cache of a hart (host.md §6.7): what was fetched stays until the hart's own `fence.i`.
//!
//! A page comes as a whole. LIM and the scratch memory have it at once. For one of local DRAM the hart stands until it is there:
//! of a cacheable page line by line through the L3, as data, of the uncached view as one read of the channel.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bus::ClusterBus;
use super::lines;
use super::map::{Memory, Region, region};
use super::peripherals::SCRATCH;
use super::shared::Shared;
use crate::fault::{Rule, Violation};
use crate::hart::{CodePage, Isa, Refusal};
use crate::message::{Body, Entry, Reply};
use crate::noc::Noc;
use crate::noc::latency::LOOKAHEAD;
use crate::target::{self, Access, HART_PERIPHERALS, LIM};
use crate::time::{NEVER, Time};

/// Lines of a page.
const LINES: u64 = CodePage::BYTES as u64 / lines::BYTES;

/// The pages that a hart has fetched, and the one it waits for.
#[derive(Clone, Default)]
pub(crate) struct InstructionCache {
    pages: BTreeMap<u64, Arc<CodePage>>,
    coming: Option<Coming>,
    /// Reads of whole pages that were asked for.
    asked: u32,
}

/// A page on its way.
#[derive(Clone)]
struct Coming {
    /// Its address over the size of a page.
    number: u64,
    bytes: Box<[u8; CodePage::BYTES]>,
    /// The lines, as bits, that are not there.
    missing: u64,
    /// Of the uncached view: which read brings it, and the earliest it can be there.
    read: Option<(u32, Time)>,
}

impl Coming {
    fn new(number: u64) -> Self {
        Self { number, bytes: Box::new([0; CodePage::BYTES]), missing: u64::MAX, read: None }
    }

    /// The numbers of the lines that are not there.
    fn missing(&self) -> impl Iterator<Item = u64> + use<> {
        let (first, missing) = (self.number * LINES, self.missing);
        (0..LINES).filter(move |line| missing >> line & 1 == 1).map(move |line| first + line)
    }

    fn put(&mut self, number: u64, line: &[u8; 64]) {
        let place = number % LINES;
        self.bytes.as_chunks_mut::<64>().0[place as usize] = *line;
        self.missing &= !(1 << place);
    }
}

/// The number of the page around `pc`.
fn number(pc: u64) -> u64 {
    pc / CodePage::BYTES as u64
}

impl InstructionCache {
    /// The page around `pc`, if it was fetched.
    pub(super) fn page(&self, pc: u64) -> Option<Arc<CodePage>> {
        self.pages.get(&number(pc)).cloned()
    }

    /// The page around `pc` was fetched.
    pub(super) fn keep(&mut self, pc: u64, page: &Arc<CodePage>) {
        self.pages.insert(number(pc), Arc::clone(page));
    }

    /// `fence.i`.
    pub(super) fn clear(&mut self) {
        self.pages.clear();
        self.coming = None;
    }

    /// The hart goes elsewhere: what it has asked for of the uncached view is asked for anew.
    pub(super) fn give_up(&mut self) {
        self.coming.take_if(|coming| coming.read.is_some());
    }

    /// A line has come, of which the L3 has all bytes.
    pub(super) fn line_arrived(&mut self, number: u64, line: &[u8; 64]) {
        let coming = self.coming.as_mut().filter(|coming| coming.read.is_none());
        if let Some(coming) = coming.filter(|coming| coming.number == number / LINES) {
            coming.put(number, line);
        }
    }

    /// A read of the uncached view is answered; false when nobody waits for it any more.
    pub(super) fn page_arrived(&mut self, ticket: u32, bytes: &[u8]) -> bool {
        let waits = |coming: &&mut Coming| coming.read.is_some_and(|(read, _)| read == ticket);
        let Some(coming) = self.coming.as_mut().filter(waits) else { return false };
        coming.bytes.copy_from_slice(bytes);
        coming.missing = 0;
        true
    }
}

impl ClusterBus<'_> {
    /// The page of code around `pc`, as memory or the L3 has it.
    pub(super) fn fetch_page(&mut self, at: Time, pc: u64) -> Result<Arc<CodePage>, Refusal> {
        if LIM.contains(&pc) {
            let offset = self.shared.lim.offset(pc, 2)?;
            return Ok(self.shared.lim.memory_mut().code(Isa::Rv64, offset, &mut self.net.code));
        }
        if HART_PERIPHERALS.contains(&pc) && SCRATCH.contains(&(pc & 0xf_ffff)) {
            return Ok(self.shared.peripherals.scratch.code(Isa::Rv64, pc & 0xfff, &mut self.net.code));
        }
        match region(pc) {
            Region::Cached(Memory::Zero | Memory::Dram(_)) | Region::Uncached(Memory::Dram(_)) => {
                self.dram_page(at, number(pc))
            }
            _ => Err(Violation::new(Rule::HartFetch, format!("jump to {pc:#x}")).into()),
        }
    }

    /// A page of local DRAM or the Zero device.
    fn dram_page(&mut self, at: Time, number: u64) -> Result<Arc<CodePage>, Refusal> {
        let coming = self.own.code.coming.take().filter(|coming| coming.number == number);
        let mut coming = coming.unwrap_or_else(|| Coming::new(number));
        let until = match region(number * CodePage::BYTES as u64) {
            Region::Uncached(Memory::Dram(offset)) => self.ask_page(at, offset, &mut coming)?,
            _ => self.take_lines(at, &mut coming)?,
        };
        // Lines come one behind the other, mostly.
        self.own.filling = coming.missing().last();
        if self.own.filling.is_none() {
            return Ok(self.net.code.page(Isa::Rv64, &coming.bytes));
        }
        self.own.code.coming = Some(coming);
        self.own.stands = until <= at;
        Err(Refusal::Retry(if until > at { until } else { NEVER }))
    }

    /// Takes the lines that the L3 has, and asks for the others; gives the earliest moment they can be there.
    fn take_lines(&mut self, at: Time, coming: &mut Coming) -> Result<Time, Violation> {
        let master = Shared::hart_master(self.hart);
        let mut until = at;
        for number in coming.missing() {
            if !self.shared.caches.has_whole(number) {
                until = until.max(self.shared.bring(at, number, master, self.net)?);
            }
            // One of the Zero device is there at once.
            if self.shared.caches.has_whole(number)
                && let Some(line) = self.shared.caches.lines.access(number)
            {
                coming.put(number, &line.bytes);
            }
        }
        Ok(until)
    }

    /// Asks for a page of the uncached view, once; gives the earliest moment it can be there.
    fn ask_page(&mut self, at: Time, offset: u64, coming: &mut Coming) -> Result<Time, Violation> {
        if let Some((_, until)) = coming.read {
            return Ok(until);
        }
        let (tile, bytes) = (self.shared.tile, CodePage::BYTES as u32);
        let place = self.shared.dram_place(self.net)?;
        target::check(self.net.map.home(place.tile).kind, offset, bytes.into(), Access::Read)?;
        let own = self.net.map.home(tile).raw;
        let leave = self.leave(at, Noc::Zero);
        let arrival = self.net.asking(Noc::Zero, own, place, leave) + self.net.delay(tile.0);
        let after = self.net.answer(Noc::Zero, own, place);
        self.own.code.asked = self.own.code.asked.wrapping_add(1);
        let ticket = self.own.code.asked;
        let reply = Reply::Code { tile, hart: self.hart as u8, ticket, after };
        let body = Body::Read { address: offset, bytes, entry: Entry::window(Noc::Zero, place), reply };
        self.net.push(tile.0, place.tile, arrival, body);
        let until = arrival + after.max(LOOKAHEAD);
        coming.read = Some((ticket, until));
        Ok(until)
    }
}
