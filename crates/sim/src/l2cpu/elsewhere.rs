//! A hart's accesses of what is neither LIM, nor the CLINT, nor a window: those that speed does not hang on.

use super::bus::ClusterBus;
use super::is_device;
use super::map::{Memory, Region, region};
use super::peripherals::SOFTWARE;
use super::shared::Shared;
use crate::fault::{Rule, Violation};
use crate::hart::{AmoOp, Loaded, Refusal, Width};
use crate::message::{Body, Entry, Payload};
use crate::noc::{Noc, latency};
use crate::target::{self, Access, HART_PERIPHERALS};
use crate::time::Time;

/// All its accesses are errors.
const ERROR_DEVICE: std::ops::Range<u64> = 0x3000..0x4000;
/// A load from it.
const LOAD_FAULT: u64 = 5;
/// A store or an atomic.
const STORE_FAULT: u64 = 7;

impl ClusterBus<'_> {
    #[cold]
    pub(super) fn load_elsewhere(&mut self, at: Time, address: u64, width: Width) -> Result<Loaded, Refusal> {
        match region(address) {
            Region::Cached(_) => return self.cached_load(at, address, width),
            Region::Uncached(Memory::Window(window)) => return self.window_load(at, window, width),
            Region::Uncached(Memory::Dram(offset)) => return self.dram_load(at, address, offset, width),
            _ => {}
        }
        if ERROR_DEVICE.contains(&address) {
            return Err(self.bus_error(at, LOAD_FAULT, address));
        }
        if !is_device(address) {
            return Err(unmapped("load", address).into());
        }
        Self::check_width(address, width)?;
        let concerned = self.shared.interrupted_by_load(address, width as u64) & self.shared.parked;
        self.announce(at, concerned)?;
        let value = self.shared.load(at, address, width as u64)?;
        self.follow_interrupts(at);
        Ok(self.uncached(at, value, self.net.costs.clint_load))
    }

    #[cold]
    pub(super) fn store_elsewhere(
        &mut self,
        at: Time,
        address: u64,
        width: Width,
        value: u64,
    ) -> Result<Time, Refusal> {
        match region(address) {
            Region::Cached(_) => return self.cached_store(at, address, width, value),
            Region::Uncached(Memory::Window(window)) => return self.window_store(at, window, width, value),
            Region::Uncached(Memory::Dram(offset)) => return self.dram_store(at, offset, width, value),
            _ => {}
        }
        if ERROR_DEVICE.contains(&address) {
            return Err(self.bus_error(at, STORE_FAULT, address));
        }
        if !is_device(address) {
            return Err(unmapped("store", address).into());
        }
        Self::check_width(address, width)?;
        self.store_device(at, address, width, value)?;
        self.own.acked_at = self.own.acked_at.max(self.shared.flushed_at);
        Ok(self.stored(at))
    }

    #[cold]
    pub(super) fn amo_elsewhere(
        &mut self,
        at: Time,
        address: u64,
        width: Width,
        op: AmoOp,
        operand: u64,
    ) -> Result<Loaded, Refusal> {
        if let Region::Cached(_) = region(address) {
            return self.cached_amo(at, address, width, op, operand);
        }
        if ERROR_DEVICE.contains(&address) {
            return Err(self.bus_error(at, STORE_FAULT, address));
        }
        // The one device that takes them (host.md §6.3).
        let software = HART_PERIPHERALS.contains(&address) && SOFTWARE.contains(&(address & 0xf_ffff));
        if software && width == Width::Word {
            let old = self.shared.load(at, address, 4)?;
            self.store_device(at, address, width, crate::amo::apply(op, width, old, operand))?;
            return Ok(self.uncached(at, old, self.net.costs.clint_load));
        }
        let detail = format!("atomic instruction at {address:#x}");
        Err(Violation::new(Rule::HartAtomic, detail).into())
    }

    /// A store to a device register, announced to the parked harts that it concerns.
    pub(super) fn store_device(
        &mut self,
        at: Time,
        address: u64,
        width: Width,
        value: u64,
    ) -> Result<(), Refusal> {
        let bytes = width as u64;
        let concerned = self.shared.interrupted(address, bytes, value) & self.shared.parked;
        let (start, length) = Shared::affected(address, bytes);
        self.announce(at, concerned | self.shared.watchers.waiting(start, length))?;
        self.shared.store(at, address, bytes, value, self.net)?;
        self.shared.watchers.written(start, length);
        if self.shared.interrupts != 0 {
            *self.generation += 1; // so that the hart comes out of its loop
        }
        Ok(())
    }

    /// The tile looks at the interrupts before anything later happens.
    fn follow_interrupts(&mut self, at: Time) {
        if self.shared.interrupts != 0 {
            self.net.limit = self.net.limit.min(at + 1);
        }
    }

    fn bus_error(&mut self, at: Time, cause: u64, address: u64) -> Refusal {
        self.shared.internal.bus_error(self.hart, address);
        self.shared.interrupt(at, 1 << self.hart);
        self.follow_interrupts(at);
        Refusal::Trap { cause, value: address }
    }

    /// Refuses parts of a device register.
    #[inline]
    pub(super) fn check_width(address: u64, width: Width) -> Result<(), Violation> {
        if matches!(width, Width::Word | Width::Double) {
            return Ok(());
        }
        let detail = format!("access of {} bytes to device register {address:#x}", width as u32);
        Err(Violation::new(Rule::DeviceWidth, detail))
    }

    /// A load of the uncached view of local DRAM: past the caches, at the channel itself.
    fn dram_load(&mut self, at: Time, address: u64, offset: u64, width: Width) -> Result<Loaded, Refusal> {
        if let Some(pending) = self.own.pending
            && pending.address == address
        {
            return self.window_answer(at, pending);
        }
        let place = self.shared.dram_place(self.net)?;
        target::check(self.net.map.home(place.tile).kind, offset, width as u64, Access::Read)?;
        // One address is accessed in order by one hart.
        let leave = self.leave(at, Noc::Zero);
        Err(self.ask(leave, Noc::Zero, place, (address, offset), width, self.own.dram_at))
    }

    fn dram_store(&mut self, at: Time, offset: u64, width: Width, value: u64) -> Result<Time, Refusal> {
        let place = self.shared.dram_place(self.net)?;
        let bytes = width as usize;
        target::check(self.net.map.home(place.tile).kind, offset, bytes as u64, Access::Write)?;
        let leave = self.leave(at, Noc::Zero);
        let (tile, own) = (self.shared.tile, self.net.map.home(self.shared.tile).raw);
        let arrival = self.net.arrival(Noc::Zero, own, place, leave) + self.net.delay(tile.0);
        let arrival = arrival.max(self.own.dram_at);
        self.own.dram_at = arrival;
        self.own.acked_at = self.own.acked_at.max(arrival + latency::write(Noc::Zero, place.raw, own));
        let data = Payload::new(&value.to_le_bytes()[..bytes]);
        let body = Body::write(offset, data, Entry::window(Noc::Zero, place));
        self.net.push(tile.0, place.tile, arrival, body);
        Ok(self.stored(at))
    }
}

/// What an access outside everything known is.
fn unmapped(what: &str, address: u64) -> Violation {
    Violation::new(Rule::HartAddress, format!("{what} at {address:#x}"))
}
