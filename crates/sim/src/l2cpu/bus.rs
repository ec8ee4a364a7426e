//! What an X280 hart sees of its cluster (host.md §6.3, costs.md).

use std::sync::Arc;

use super::clint::{self, TICK};
use super::peripherals::SCRATCH;
use super::shared::{Shared, unmapped};
use super::windows::{Through, is_window};
use super::{dram_offset, is_device};
use crate::fault::{Rule, Violation};
use crate::hart::{AmoOp, Bus, CodePage, Isa, Loaded, Nature, Refusal, Width};
use crate::message::{Body, Payload, Reply};
use crate::net::Net;
use crate::noc::latency::{self, CYCLE, LOOKAHEAD};
use crate::noc::translate::{Kind, Place};
use crate::target::{self, Access, HART_PERIPHERALS, LIM};
use crate::tile::command;
use crate::time::Time;

/// A load through a window that waits for its answer.
#[derive(Clone, Copy)]
pub(crate) struct Pending {
    address: u64,
    ticket: u32,
    /// The earliest the answer can be back.
    until: Time,
}

/// A hart's own things.
#[derive(Default)]
pub(crate) struct Own {
    /// When the last store through a window will be acknowledged.
    pub(crate) acked_at: Time,
    /// When its one outstanding uncached load is back (host.md §6.1).
    pub(crate) loaded_at: Time,
    pub(crate) pending: Option<Pending>,
    pub(crate) tickets: u32,
    /// X280 loads and stores that no cache serves.
    pub(crate) uncached: [u64; 2],
}

/// One hart's view, for the length of a run.
pub(crate) struct ClusterBus<'a> {
    pub(crate) hart: usize,
    pub(crate) cycle: Time,
    pub(crate) own: &'a mut Own,
    pub(crate) generation: &'a mut u64,
    pub(crate) shared: &'a mut Shared,
    pub(crate) net: &'a mut Net,
}

const ERROR_DEVICE: std::ops::Range<u64> = 0x3000..0x4000;

impl ClusterBus<'_> {
    /// Refuses an access that somebody else has to come before.
    #[inline]
    fn in_turn(&self, at: Time) -> Result<(), Refusal> {
        if at < self.net.limit { Ok(()) } else { Err(Refusal::Retry(at)) }
    }

    /// Lets parked harts catch up before something they wait for.
    fn announce(&mut self, at: Time, harts: u32) -> Result<(), Refusal> {
        if harts == 0 {
            return Ok(());
        }
        self.shared.watchers.rouse |= harts;
        Err(Refusal::Retry(at))
    }

    /// A load that takes the hart's one uncached slot.
    fn uncached(&mut self, at: Time, value: u64, cycles: u64) -> Loaded {
        self.own.uncached[0] += 1;
        let ready = self.own.loaded_at.max(at) + cycles * self.cycle;
        self.own.loaded_at = ready;
        Loaded { value, ready }
    }

    fn stored(&mut self, at: Time) -> Time {
        self.own.uncached[1] += 1;
        at + self.net.costs.store * self.cycle
    }

    fn registers(address: u64, width: Width) -> Result<(), Violation> {
        if matches!(width, Width::Word | Width::Double) {
            return Ok(());
        }
        let detail = format!("access of {} bytes to device register {address:#x}", width as u32);
        Err(Violation::new(Rule::DeviceWidth, detail))
    }

    /// The tile behind a window, for an access that is not a multicast.
    fn place(&self, through: &Through) -> Result<Place, Violation> {
        command::place(&self.net.map, through.noc, through.coordinates)
    }

    fn window_load(&mut self, at: Time, address: u64, width: Width) -> Result<Loaded, Refusal> {
        if let Some(pending) = self.own.pending
            && pending.address == address
        {
            return self.window_answer(at, pending);
        }
        let through = self.shared.peripherals.windows.through(address)?;
        if through.multicast {
            let detail = format!("load at {address:#x} through a multicast window");
            return Err(Violation::new(Rule::WindowLoad, detail).into());
        }
        let place = self.place(&through)?;
        let bytes = width as u64;
        target::check(self.net.map.home(place.tile).kind, through.address, bytes, Access::Read)?;
        let own = self.net.map.home(self.shared.tile).raw;
        let source = self.shared.tile.0;
        let leave = self.leave(at, &through);
        let arrival = self.net.asking(through.noc, own, place, leave) + self.net.delay(source);
        self.own.tickets = self.own.tickets.wrapping_add(1);
        let ticket = self.own.tickets;
        let after = self.net.answer(through.noc, own, place);
        let reply = Reply::Window { cluster: self.shared.index, hart: self.hart as u8, ticket, after };
        let body = Body::Read { address: through.address, bytes: bytes as u32, reply };
        self.net.push(source, place.tile, arrival, body);
        let until = arrival + LOOKAHEAD;
        self.own.pending = Some(Pending { address, ticket, until });
        Err(Refusal::Retry(until))
    }

    fn window_answer(&mut self, at: Time, pending: Pending) -> Result<Loaded, Refusal> {
        if at < pending.until {
            return Err(Refusal::Retry(pending.until));
        }
        let slot = &mut self.net.windows[usize::from(self.shared.index)][self.hart];
        let Some(answer) = slot.take_if(|answer| answer.ticket == pending.ticket) else {
            // The tile that answers has not come to it yet: it has, once others were let go first.
            return Err(Refusal::Retry(at + self.cycle));
        };
        self.own.pending = None;
        self.own.uncached[0] += 1;
        let ready = answer.at.max(at) + self.net.costs.window_load * self.cycle;
        self.own.loaded_at = ready;
        Ok(Loaded { value: answer.value, ready })
    }

    /// When a one-flit request leaves the NIU.
    fn leave(&mut self, at: Time, through: &Through) -> Time {
        self.net.counters.noc_packets += 1;
        let free = &mut self.shared.free_at[through.noc.index()];
        *free = at.max(*free) + CYCLE;
        *free
    }

    fn window_store(&mut self, at: Time, address: u64, width: Width, value: u64) -> Result<Time, Refusal> {
        let through = self.shared.peripherals.windows.through(address)?;
        if !matches!(width, Width::Word | Width::Double) {
            let detail = format!("store of {} bytes at {address:#x} through a window", width as u32);
            return Err(Violation::new(Rule::WindowWidth, detail).into());
        }
        let bytes = width as usize;
        let data = Payload::new(&value.to_le_bytes()[..bytes]);
        if !through.multicast {
            let place = self.place(&through)?;
            target::check(self.net.map.home(place.tile).kind, through.address, bytes as u64, Access::Write)?;
            let leave = self.leave(at, &through);
            self.window_write(leave, &through, place, data);
            return Ok(self.stored(at));
        }
        let rect = command::rectangle(through.noc, through.coordinates)?;
        target::check(Kind::Tensix, through.address, bytes as u64, Access::Write)?;
        let leave = self.leave(at, &through);
        let mut tiles = self.net.map.tensix_in(rect).collect::<command::Tiles>().peekable();
        if tiles.peek().is_none() {
            let detail = format!("multicast to {} .. {}", rect.start, rect.end);
            return Err(Violation::new(Rule::NoReceiver, detail).into());
        }
        for tile in tiles {
            let place = Place { tile, raw: self.net.map.home(tile).raw };
            self.window_write(leave, &through, place, data.clone());
        }
        Ok(self.stored(at))
    }

    fn window_write(&mut self, leave: Time, through: &Through, place: Place, data: Payload) {
        let (tile, own) = (self.shared.tile, self.net.map.home(self.shared.tile).raw);
        // A static channel would keep packets in order; windows without one promise nothing.
        let delay = if through.static_channel { 0 } else { self.net.delay(tile.0) };
        let travel = latency::write(through.noc, own, place.raw);
        let arrival = self.net.arrival(through.noc, own, place, leave) + delay;
        // Host memory is acknowledged by the PCIe tile, before it is written; what is sent after that stays behind it
        // (host.md §8.4).
        let entered = match self.net.map.home(place.tile).kind {
            Kind::Pcie => leave + delay + travel,
            _ => arrival,
        };
        self.own.acked_at = self.own.acked_at.max(entered + latency::write(through.noc, place.raw, own));
        self.net.push(tile.0, place.tile, arrival, Body::Write { address: through.address, data });
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
            return Ok(self.uncached(at, value, self.net.costs.lim_load));
        }
        if is_window(address) {
            return self.window_load(at, address, width);
        }
        if let Some(offset) = self.shared.dram(self.net, address)? {
            let value = self.net.dram[self.shared.channel].value(offset, bytes as usize);
            let ready = at + self.net.costs.cached_load * self.cycle;
            return Ok(Loaded { value, ready });
        }
        if ERROR_DEVICE.contains(&address) {
            return Err(Refusal::Trap { cause: 5, value: address });
        }
        if !is_device(address) {
            return Err(unmapped("load", address).into());
        }
        Self::registers(address, width)?;
        let value = self.shared.load(at, address, bytes)?;
        Ok(self.uncached(at, value, self.net.costs.clint_load))
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
        if let Some(offset) = self.shared.dram(self.net, address)? {
            self.net.dram[self.shared.channel].set_value(offset, bytes as usize, value);
            return Ok(at + self.cycle);
        }
        if ERROR_DEVICE.contains(&address) {
            return Err(Refusal::Trap { cause: 7, value: address });
        }
        if !is_device(address) {
            return Err(unmapped("store", address).into());
        }
        Self::registers(address, width)?;
        let concerned = self.shared.interrupted(address, value) & self.shared.parked;
        self.announce(at, concerned | self.shared.watchers.waiting(address, bytes))?;
        self.shared.store(at, address, bytes, value, self.net)?;
        self.shared.watchers.written(address, bytes);
        Ok(self.stored(at))
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
        let Some(offset) = self.shared.dram(self.net, address)? else {
            let detail = format!("atomic instruction at {address:#x}");
            return Err(Violation::new(Rule::HartAtomic, detail).into());
        };
        let dram = &mut self.net.dram[self.shared.channel];
        let old = dram.value(offset, width as usize);
        dram.set_value(offset, width as usize, crate::amo::apply(op, width, old, operand));
        Ok(Loaded { value: old, ready: at + self.net.costs.cached_load * self.cycle })
    }

    fn fence(&mut self, at: Time) -> Time {
        at.max(self.own.acked_at)
    }

    fn fence_i(&mut self, at: Time) -> Time {
        *self.generation += 1;
        at
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

    fn code(&mut self, pc: u64) -> Result<Arc<CodePage>, Refusal> {
        if LIM.contains(&pc) {
            let offset = self.shared.lim.offset(pc, 2)?;
            return Ok(self.shared.lim.memory_mut().code(Isa::Rv64, offset, &mut self.net.code));
        }
        if HART_PERIPHERALS.contains(&pc) && SCRATCH.contains(&(pc & 0xf_ffff)) {
            return Ok(self.shared.peripherals.scratch.code(Isa::Rv64, pc & 0xfff, &mut self.net.code));
        }
        if let Some(offset) = dram_offset(pc) {
            let net = &mut *self.net;
            return Ok(net.code.dram_page(&net.dram[self.shared.channel], offset));
        }
        Err(Violation::new(Rule::HartFetch, format!("jump to {pc:#x}")).into())
    }

    #[inline]
    fn code_generation(&self) -> u64 {
        *self.generation
    }

    fn nature(&self, address: u64) -> Nature {
        match address {
            _ if LIM.contains(&address) => Nature::Memory,
            0x0200_bff8..0x0200_c000 => Nature::Clock,
            clint::BASE..0x0201_0000 => Nature::Memory,
            _ => Nature::Effect,
        }
    }

    fn wake_time(&self, at: Time, value: u64) -> Time {
        at.max(value.saturating_mul(TICK))
    }
}
