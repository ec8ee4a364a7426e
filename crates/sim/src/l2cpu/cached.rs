//! A hart's accesses through its caches (costs.md): a line is in its L1, or the L3's, or has to come.

use super::bus::ClusterBus;
use super::lines;
use super::shared::Shared;
use crate::fault::Violation;
use crate::hart::{AmoOp, Loaded, Refusal, Width};
use crate::time::{NEVER, Time};

impl ClusterBus<'_> {
    /// Takes the line of an access into the hart's L1; gives the cycles until a load has its value.
    fn take_line(&mut self, at: Time, address: u64) -> Result<u64, Refusal> {
        let number = address / lines::BYTES;
        if !self.shared.caches.has_whole(number) {
            let master = Shared::hart_master(self.hart);
            let is_new = self.shared.caches.lines.find(number).is_none();
            let until = self.shared.bring(at, number, master, self.net)?;
            if self.own.filling != Some(number) {
                self.own.filling = Some(number);
                if is_new {
                    self.shared.prefetch(at, number, self.hart, self.net)?;
                }
            }
            if !self.shared.caches.has_whole(number) {
                // A miss is resolved before anything else (host.md §6.1): the hart stands.
                self.own.stands = until <= at;
                return Err(Refusal::Retry(if until > at { until } else { NEVER }));
            }
        }
        self.own.filling = None;
        let hit = self.shared.caches.share(self.hart, number);
        Ok(if hit { self.net.costs.cached_load } else { self.net.costs.lim_load })
    }

    /// When a load has its value: a miss takes the hart's one slot.
    fn ready(&mut self, at: Time, cycles: u64) -> Time {
        if cycles == self.net.costs.cached_load {
            return at + cycles * self.cycle;
        }
        self.own.loaded_at = self.own.loaded_at.max(at) + cycles * self.cycle;
        self.own.loaded_at
    }

    pub(super) fn cached_load(&mut self, at: Time, address: u64, width: Width) -> Result<Loaded, Refusal> {
        let cycles = self.take_line(at, address)?;
        let value = self.line_value(address, width);
        Ok(Loaded { value, ready: self.ready(at, cycles) })
    }

    pub(super) fn cached_store(
        &mut self,
        at: Time,
        address: u64,
        width: Width,
        value: u64,
    ) -> Result<Time, Refusal> {
        let cycles = self.take_line(at, address)?;
        self.ready(at, cycles);
        self.set_line_value(at, address, width, value);
        Ok(at + self.cycle)
    }

    /// Atomics are done in the L1 (host.md §6.7).
    pub(super) fn cached_amo(
        &mut self,
        at: Time,
        address: u64,
        width: Width,
        op: AmoOp,
        operand: u64,
    ) -> Result<Loaded, Refusal> {
        let cycles = self.take_line(at, address)?;
        let old = self.line_value(address, width);
        self.set_line_value(at, address, width, crate::amo::apply(op, width, old, operand));
        Ok(Loaded { value: old, ready: self.ready(at, cycles) })
    }

    /// A load that reserves its line for as long as the L1 has it.
    pub(super) fn cached_reserve(&mut self, at: Time, address: u64, width: Width) -> Result<Loaded, Refusal> {
        let loaded = self.cached_load(at, address, width)?;
        self.shared.caches.l1[self.hart].reserve(address / lines::BYTES);
        Ok(loaded)
    }

    fn line_value(&self, address: u64, width: Width) -> u64 {
        let line = self.shared.caches.lines.find(address / lines::BYTES);
        line.map_or(0, |line| line.value(address % lines::BYTES, width as usize))
    }

    fn set_line_value(&mut self, at: Time, address: u64, width: Width, value: u64) {
        let number = address / lines::BYTES;
        let Some(line) = self.shared.caches.lines.find_mut(number) else { return };
        let (clean, others) = (!line.dirty, line.sharers & !(1 << self.hart));
        line.set_value(self.hart, address % lines::BYTES, width as usize, value);
        self.shared.caches.forget(number, others);
        if clean {
            self.shared.dirtied(at, number, self.net);
        }
    }

    /// `cflush.d.l1` and `cdiscard.d.l1`: of the line at an address, or of all when there is none.
    pub(super) fn leave_l1_line(
        &mut self,
        at: Time,
        address: Option<u64>,
        discard: bool,
    ) -> Result<Time, Violation> {
        if let Some(address) = address {
            Shared::check_cacheable(address)?;
        }
        let number = address.map(|address| address / lines::BYTES);
        self.shared.caches.leave_l1(self.hart, number, discard);
        Ok(at + self.cycle)
    }
}
