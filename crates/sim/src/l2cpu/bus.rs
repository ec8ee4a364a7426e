//! What an X280 hart sees of its cluster (host.md §6.3, costs.md).

use std::sync::Arc;

use super::clint::{self, TICK};
use super::icache::InstructionCache;
use super::lines;
use super::map::{Region, region};
use super::multicast;
use super::shared::{CLINT_END, Shared};
use super::windows::{Ordering, Through, is_window};
use crate::fault::{Rule, Violation};
use crate::hart::{AmoOp, Bus, CodePage, Loaded, Nature, Near, Refusal, Width};
use crate::message::{Body, Entry, Payload, Reply};
use crate::net::Net;
use crate::noc::Noc;
use crate::noc::latency::{self, CYCLE, LOOKAHEAD};
use crate::noc::translate::{Kind, Place};
use crate::target::{self, Access, LIM};
use crate::tile::command;
use crate::time::{NEVER, Time};

/// A load through a window that waits for its answer.
#[derive(Clone, Copy)]
pub(crate) struct Pending {
    pub(super) address: u64,
    /// The earliest the answer can be back.
    until: Time,
}

/// A hart's own things.
#[derive(Clone, Default)]
pub(crate) struct Own {
    /// When the last store through a window will be acknowledged.
    pub(crate) acked_at: Time,
    /// When its one outstanding uncached load is back (host.md §6.1).
    pub(crate) loaded_at: Time,
    pub(crate) pending: Option<Pending>,
    /// X280 loads and stores that no cache serves.
    pub(crate) uncached: [u64; 2],
    /// When the last store to local DRAM past the caches is there.
    pub(crate) dram_at: Time,
    /// The line whose miss it waits for.
    pub(crate) filling: Option<u64>,
    /// It stands until that line comes, or the answer to a load through a window.
    pub(crate) stands: bool,
    pub(crate) code: InstructionCache,
}

impl Own {
    /// The hart goes elsewhere: the load or the fetch that it waits for is made anew.
    pub(super) fn give_up(&mut self) {
        self.pending = None;
        self.code.give_up();
    }
}

/// One hart's view, for the length of a run.
pub(crate) struct ClusterBus<'a> {
    pub(crate) hart: usize,
    pub(crate) cycle: Time,
    /// How long a load from LIM takes, and the issue of a store.
    pub(crate) lim_load: Time,
    pub(crate) store: Time,
    pub(crate) own: &'a mut Own,
    pub(crate) generation: &'a mut u64,
    pub(crate) shared: &'a mut Shared,
    pub(crate) net: &'a mut Net,
}

impl ClusterBus<'_> {
    /// Refuses an access that somebody else has to come before.
    #[inline]
    fn in_turn(&self, at: Time) -> Result<(), Refusal> {
        if at < self.net.limit { Ok(()) } else { Err(Refusal::Retry(at)) }
    }

    /// Lets parked harts catch up before something they wait for.
    pub(super) fn announce(&mut self, at: Time, harts: u32) -> Result<(), Refusal> {
        if harts == 0 {
            return Ok(());
        }
        self.shared.watchers.rouse |= harts;
        Err(Refusal::Retry(at))
    }

    /// A load that takes the hart's one uncached slot.
    pub(super) fn uncached(&mut self, at: Time, value: u64, cycles: u64) -> Loaded {
        self.slot(at, value, cycles * self.cycle)
    }

    #[inline(always)]
    fn slot(&mut self, at: Time, value: u64, takes: Time) -> Loaded {
        self.own.uncached[0] += 1;
        let ready = self.own.loaded_at.max(at) + takes;
        self.own.loaded_at = ready;
        Loaded { value, ready }
    }

    #[inline(always)]
    pub(super) fn stored(&mut self, at: Time) -> Time {
        self.own.uncached[1] += 1;
        at + self.store
    }

    /// The tile behind a window, for an access that is not a multicast.
    fn place(&self, through: &Through) -> Result<Place, Violation> {
        command::place(&self.net.map, through.noc, through.coordinates)
    }

    pub(super) fn window_load(&mut self, at: Time, address: u64, width: Width) -> Result<Loaded, Refusal> {
        if let Some(pending) = self.own.pending
            && pending.address == address
        {
            return self.window_answer(at, pending);
        }
        let through = self.shared.peripherals.windows.through(address)?;
        if through.is_multicast() {
            let detail = format!("load at {address:#x} through a multicast window");
            return Err(Violation::new(Rule::WindowLoad, detail).into());
        }
        let place = self.place(&through)?;
        let kind = self.net.map.home(place.tile).kind;
        target::check(kind, through.address, width as u64, Access::Read)?;
        let leave = self.leave(at, through.noc);
        Err(self.ask(leave, through.noc, place, (address, through.address), width, 0))
    }

    /// Sends the request of a load of the hart's address, which is `address.1` of a tile, not to be there before
    /// `earliest`; the hart comes again for the answer.
    pub(super) fn ask(
        &mut self,
        leave: Time,
        noc: Noc,
        place: Place,
        address: (u64, u64),
        width: Width,
        earliest: Time,
    ) -> Refusal {
        let own = self.net.map.home(self.shared.tile).raw;
        let source = self.shared.tile.0;
        let arrival = self.net.asking(noc, own, place, leave) + self.net.delay(source);
        let arrival = arrival.max(earliest);
        let ticket = self.net.windows[usize::from(self.shared.index)][self.hart].ask();
        let after = self.net.answer(noc, own, place);
        let reply = Reply::Window { cluster: self.shared.index, hart: self.hart as u8, ticket, after };
        let entry = Entry::window(noc, place);
        let body = Body::Read { address: address.1, bytes: width as u32, entry, reply };
        self.net.push(source, place.tile, arrival, body);
        let until = arrival + LOOKAHEAD;
        self.own.pending = Some(Pending { address: address.0, until });
        Refusal::Retry(until)
    }

    pub(super) fn window_answer(&mut self, at: Time, pending: Pending) -> Result<Loaded, Refusal> {
        if at < pending.until {
            return Err(Refusal::Retry(pending.until));
        }
        let Some(answer) = self.net.windows[usize::from(self.shared.index)][self.hart].take() else {
            // It is late, or lost: the hart is told when it comes.
            self.own.stands = true;
            return Err(Refusal::Retry(NEVER));
        };
        self.own.pending = None;
        self.own.uncached[0] += 1;
        let ready = answer.at.max(at) + self.net.costs.window_load * self.cycle;
        self.own.loaded_at = ready;
        Ok(Loaded { value: answer.value, ready })
    }

    /// When a one-flit request leaves the NIU.
    pub(super) fn leave(&mut self, at: Time, noc: Noc) -> Time {
        self.net.counters.noc_packets += 1;
        let free = &mut self.shared.free_at[noc.index()];
        *free = at.max(*free) + CYCLE;
        *free
    }

    pub(super) fn window_store(
        &mut self,
        at: Time,
        address: u64,
        width: Width,
        value: u64,
    ) -> Result<Time, Refusal> {
        let through = self.shared.peripherals.windows.through(address)?;
        if !matches!(width, Width::Word | Width::Double) {
            let detail = format!("store of {} bytes at {address:#x} through a window", width as u32);
            return Err(Violation::new(Rule::WindowWidth, detail).into());
        }
        let bytes = width as usize;
        let data = Payload::new(&value.to_le_bytes()[..bytes]);
        let Some(hi) = through.multicast else {
            let place = self.place(&through)?;
            target::check(self.net.map.home(place.tile).kind, through.address, bytes as u64, Access::Write)?;
            let leave = self.leave(at, through.noc);
            self.window_write(leave, &through, place, data);
            return Ok(self.stored(at));
        };
        let tiles = command::rectangle(&self.net.map, through.noc, through.coordinates)?;
        target::check(Kind::Tensix, through.address, bytes as u64, Access::Write)?;
        let leave = self.leave(at, through.noc);
        let tiles = match hi {
            0 => tiles,
            _ => multicast::targets(&self.net.map, through.noc, (tiles, through.coordinates), hi)?,
        };
        for tile in tiles {
            let place = self.net.map.place_of(tile);
            self.window_write(leave, &through, place, data.clone());
        }
        Ok(self.stored(at))
    }

    fn window_write(&mut self, leave: Time, through: &Through, place: Place, data: Payload) {
        let (tile, own) = (self.shared.tile, self.net.map.home(self.shared.tile).raw);
        let delay = self.net.delay(tile.0);
        let travel = latency::write(through.noc, own, place.raw);
        let mut arrival = self.net.arrival(through.noc, own, place, leave) + delay;
        if through.ordering == Ordering::Strict {
            let last = &mut self.shared.strict_at[through.noc.index()];
            arrival = arrival.max(*last);
            *last = arrival;
        }
        // Host memory is acknowledged by the PCIe tile, before it is written; what is sent after that stays behind it
        // (host.md §8.4).
        let entered = match self.net.map.home(place.tile).kind {
            Kind::Pcie => leave + delay + travel,
            _ => arrival,
        };
        let acked = match through.ordering {
            Ordering::Posted => leave,
            _ => entered + latency::write(through.noc, place.raw, own),
        };
        self.own.acked_at = self.own.acked_at.max(acked);
        let body = Body::write(through.address, data, Entry::window(through.noc, place));
        self.net.push(tile.0, place.tile, arrival, body);
    }
}

impl Bus for ClusterBus<'_> {
    #[inline]
    fn is_private(&self, _address: u64) -> bool {
        false
    }

    fn load(&mut self, at: Time, address: u64, width: Width) -> Result<Loaded, Refusal> {
        self.in_turn(at)?;
        let bytes = width as u64;
        if LIM.contains(&address) {
            let offset = self.shared.lim.offset(address, bytes)?;
            let value = self.shared.lim.memory().value(offset, bytes as usize);
            return Ok(self.slot(at, value, self.lim_load));
        }
        if is_window(address) {
            return self.window_load(at, address, width);
        }
        if (clint::BASE..CLINT_END).contains(&address) {
            Self::check_width(address, width)?;
            let value = self.shared.clint.load(at, address - clint::BASE, bytes)?;
            return Ok(self.uncached(at, value, self.net.costs.clint_load));
        }
        self.load_elsewhere(at, address, width)
    }

    fn store(&mut self, at: Time, address: u64, width: Width, value: u64) -> Result<Time, Refusal> {
        self.in_turn(at)?;
        let bytes = width as u64;
        if LIM.contains(&address) {
            let offset = self.shared.lim.offset(address, bytes)?;
            self.announce(at, self.shared.watchers.waiting(address, bytes))?;
            self.shared.lim.memory_mut().set_value(offset, bytes as usize, value);
            self.shared.watchers.written(address, bytes);
            return Ok(self.stored(at));
        }
        if is_window(address) {
            return self.window_store(at, address, width, value);
        }
        if (clint::BASE..CLINT_END).contains(&address) {
            Self::check_width(address, width)?;
            self.store_device(at, address, width, value)?;
            return Ok(self.stored(at));
        }
        self.store_elsewhere(at, address, width, value)
    }

    #[inline(always)]
    fn near(&self) -> Near {
        let load = self.net.limit;
        Near { load, store: if self.shared.watchers.is_alone() { load } else { 0 } }
    }

    #[inline(always)]
    fn near_load(&mut self, at: Time, address: u64, width: Width) -> Option<Loaded> {
        let offset = self.shared.lim.quick_offset(address)?;
        let value = self.shared.lim.memory().quick_value(offset, width as usize)?;
        Some(self.slot(at, value, self.lim_load))
    }

    #[inline(always)]
    fn near_store(&mut self, at: Time, address: u64, width: Width, value: u64) -> Option<Time> {
        let offset = self.shared.lim.quick_offset(address)?;
        self.shared.lim.memory_mut().quick_set(offset, width as usize, value)?;
        Some(self.stored(at))
    }

    #[inline(always)]
    fn quick_load(&mut self, at: Time, address: u64, width: Width, plain: bool) -> Option<(Loaded, bool)> {
        if !plain || at >= self.net.limit {
            return None;
        }
        Some((self.near_load(at, address, width)?, true))
    }

    #[inline(always)]
    fn quick_store(&mut self, at: Time, address: u64, width: Width, value: u64) -> Option<(Time, bool)> {
        if at >= self.net.limit || !self.shared.watchers.is_word_unheard(address) {
            return None;
        }
        Some((self.near_store(at, address, width, value)?, true))
    }

    fn amo(
        &mut self,
        at: Time,
        address: u64,
        width: Width,
        op: AmoOp,
        operand: u64,
    ) -> Result<Loaded, Refusal> {
        self.in_turn(at)?;
        self.amo_elsewhere(at, address, width, op, operand)
    }

    fn load_reserved(&mut self, at: Time, address: u64, width: Width) -> Result<Loaded, Refusal> {
        self.in_turn(at)?;
        if let Region::Cached(_) = region(address) {
            return self.cached_reserve(at, address, width);
        }
        Err(Violation::new(Rule::HartAtomic, format!("a reservation at {address:#x}")).into())
    }

    fn is_reserved(&self, address: u64) -> bool {
        self.shared.caches.l1[self.hart].has_reserved(address / lines::BYTES)
    }

    fn fence(&mut self, at: Time) -> Time {
        at.max(self.own.acked_at)
    }

    fn fence_i(&mut self, at: Time) -> Time {
        *self.generation += 1;
        self.own.code.clear();
        // What the hart has stored before is where it fetches from.
        self.fence(at)
    }

    fn leave_l1(&mut self, at: Time, address: Option<u64>, discard: bool) -> Result<Time, Refusal> {
        Ok(self.leave_l1_line(at, address, discard)?)
    }

    fn csr_read(&mut self, at: Time, csr: u16) -> Result<Option<Loaded>, Refusal> {
        let value = match csr {
            0xc01 => at / TICK, // time
            _ => return Ok(None),
        };
        Ok(Some(Loaded { value, ready: at + self.net.costs.clint_load * self.cycle }))
    }

    fn csr_write(&mut self, _at: Time, _csr: u16, _value: u64) -> Result<bool, Refusal> {
        Ok(false)
    }

    fn code(&mut self, at: Time, pc: u64) -> Result<Arc<CodePage>, Refusal> {
        if let Some(page) = self.own.code.page(pc) {
            return Ok(page);
        }
        self.in_turn(at)?;
        let page = self.fetch_page(at, pc)?;
        self.own.code.keep(pc, &page);
        Ok(page)
    }

    #[inline]
    fn is_interrupted(&self) -> bool {
        self.shared.interrupts != 0
    }

    #[inline]
    fn code_generation(&self) -> u64 {
        *self.generation
    }

    fn packets(&self) -> u64 {
        self.net.counters.noc_packets
    }

    fn nature(&self, address: u64) -> Nature {
        match address {
            _ if LIM.contains(&address) => Nature::Memory,
            0x0200_bff8..0x0200_c000 => Nature::Clock,
            clint::BASE..CLINT_END => Nature::Memory,
            _ => Nature::Effect,
        }
    }

    fn wake_time(&self, at: Time, value: u64) -> Time {
        at.max(value.saturating_mul(TICK))
    }
}
