//! What a baby core sees of its tile (tensix.md §1, §2).

use std::sync::Arc;

use super::cores::Core;
use super::csrs::CoreControl;
use super::debug::Debug;
use super::l0::L0;
use super::local_ram::LocalRam;
use super::niu::CMD_CTRL;
use super::order::{self, Order};
use super::owners::Owner;
use super::place::{PLACES, PlaceLoad, shown_place};
use super::shared::{Shared, cycles};
use super::store_queue::StoreQueue;
use super::undo::UndoLog;
use crate::code_memory::CodeMemory;
use crate::fault::{Rule, Violation};
use crate::hart::{AmoOp, Bus, CodePage, Loaded, Nature, Near, Refusal, Width};
use crate::net::Net;
use crate::target::L1_BYTES;
use crate::time::Time;

/// Cycles of a load by region (tensix.md §2).
pub(super) mod cost {
    pub(super) const LOCAL: u64 = 2;
    pub(super) const REGISTER: u64 = 7;
    pub(super) const L0_HIT: u64 = 2;
    pub(in crate::tile) const L1: u64 = 8;
    pub(super) const AMO: u64 = 12;
}

/// A core's own things, besides the hart. What every access looks at comes first.
#[derive(Clone)]
#[repr(C)]
pub(crate) struct Own {
    pub(crate) core: Core,
    pub(crate) stores: StoreQueue,
    pub(crate) ram: LocalRam,
    pub(crate) l0: L0,
    pub(crate) order: Order,
    pub(crate) control: CoreControl,
    pub(crate) log: UndoLog,
}

impl Own {
    /// Whose L1 is that the core alone has touched: nobody's while it reads L1 through its data cache.
    pub(crate) fn owner(&self) -> Owner {
        if self.l0.is_off() { Owner::of(self.core.index()) } else { Owner::NONE }
    }

    /// Puts back what the core has replaced ahead of its turn.
    pub(crate) fn undo(&mut self, l1: &mut CodeMemory, debug: &mut Debug) {
        let (stores, clock) = self.log.kept();
        self.stores.restore(stores);
        if let Some(before) = clock {
            debug.restore_reader(self.core.index(), before);
        }
        while let Some((address, word)) = self.log.pop() {
            match self.ram.holds(address) {
                true => self.ram.store(address, 4, word),
                false => l1.set_value(address, 4, word),
            }
        }
    }
}

/// One core's view, for the length of a run.
pub(crate) struct TensixBus<'a> {
    pub(crate) own: &'a mut Own,
    pub(crate) generation: &'a mut u64,
    pub(crate) shared: &'a mut Shared,
    pub(crate) net: &'a mut Net,
    /// The core, as an owner of L1.
    pub(crate) mine: Owner,
    /// Until when the core may access what it owns ahead of its turn; else 0.
    pub(crate) reach: Time,
}

/// What lies at an address, as far as every core has it.
enum Region {
    L1,
    Register,
    /// What only cores reach, and not all of them.
    Device,
}

/// Where an address lies.
#[inline]
fn region(address: u64) -> Region {
    match address {
        0..L1_BYTES => Region::L1,
        0xffb1_2000..0xffb1_3000 | 0xffb2_0000..0xffb8_0000 => Region::Register,
        _ if PLACES.contains(&address) => Region::Register,
        _ => Region::Device,
    }
}

impl TensixBus<'_> {
    /// Refuses an access that somebody else has to come before.
    #[inline]
    fn in_turn(&mut self, at: Time) -> Result<(), Refusal> {
        if at < self.net.limit { Ok(()) } else { Err(self.look_up(at)) }
    }

    /// Not now. A core that has lost code notices it here, before the access.
    #[cold]
    fn look_up(&mut self, at: Time) -> Refusal {
        let core = self.own.core.index();
        if self.shared.lost_code >> core & 1 == 1 {
            self.shared.lost_code &= !(1 << core);
            self.shared.icaches[core].notice();
            *self.generation += 1;
        }
        Refusal::Retry(at)
    }

    /// Before a write that may drive lines out of instruction caches.
    #[inline]
    fn write_code(&mut self, at: Time, address: u64, bytes: u64) -> Result<(), Refusal> {
        let losers = self.shared.losers(address, bytes);
        if losers == 0 {
            return Ok(());
        }
        let own = self.own.core.index();
        let others = losers & !(1 << own);
        self.shared.watchers.announce_to(others, at, own).map_err(|()| Refusal::Retry(at))?;
        self.shared.lose_code(address, bytes);
        if losers >> own & 1 == 1 {
            self.net.limit = 0; // so that it looks up at its next access
        }
        Ok(())
    }

    /// Invalidates the instruction caches of `cores`, by the bits of config word 185.
    pub(super) fn invalidate_code(&mut self, at: Time, cores: u32) -> Result<(), Refusal> {
        let own = self.own.core;
        let named = Core::ALL.into_iter().filter(|core| cores >> core.icache_bit() & 1 == 1);
        let others = named.clone().filter(|core| *core != own).fold(0, |bits, core| bits | 1 << core.index());
        self.shared.watchers.announce_to(others, at, own.index()).map_err(|()| Refusal::Retry(at))?;
        for core in named {
            if core == own {
                self.shared.icaches[core.index()].invalidate(at);
                *self.generation += 1;
            } else {
                self.shared.icaches[core.index()].invalidate_later();
            }
        }
        self.shared.lost_code |= others;
        Ok(())
    }

    /// Lets parked cores catch up before a write.
    #[inline]
    pub(super) fn announce(&mut self, at: Time, address: u64, bytes: u64) -> Result<(), Refusal> {
        let watchers = &mut self.shared.watchers;
        if watchers.is_unheard(address, bytes) {
            return Ok(());
        }
        let (parked, ahead) = (
            watchers.waiting(address, bytes),
            watchers.loaded_ahead(at, self.own.core.index(), address, bytes),
        );
        if parked | ahead == 0 {
            return Ok(());
        }
        watchers.rouse |= parked & !ahead;
        watchers.take_back |= ahead;
        Err(Refusal::Retry(at))
    }

    pub(super) fn word(address: u64, width: Width) -> Result<(), Violation> {
        if width == Width::Word {
            return Ok(());
        }
        let detail = format!("access of {} bytes to register {address:#x}", width as u32);
        Err(Violation::new(Rule::RegisterWidth, detail))
    }

    fn load_shared(&mut self, at: Time, address: u64, width: Width) -> Result<Loaded, Refusal> {
        if !self.is_own_clock(address) {
            self.in_turn(at)?;
        }
        if !self.own.order.is_empty()
            && let Some(loaded) = self.load_behind(at, address, width)?
        {
            return Ok(loaded);
        }
        let (value, cost) = match region(address) {
            Region::L1 if self.own.l0.is_off() => {
                self.touch(at, address)?;
                return Ok(self.loaded(at, address, width));
            }
            Region::L1 => {
                self.touch(at, address)?;
                let (value, hit) = self.own.l0.load(&self.shared.l1, address, width as usize);
                (value, if hit { cost::L0_HIT } else { cost::L1 })
            }
            Region::Register => {
                Self::word(address, width)?;
                if let Some(core) = shown_place(address) {
                    self.ask_place(at, core)?;
                }
                let value = self.shared.load(at, self.own.core.index(), address, self.net)?;
                (u64::from(value), cost::REGISTER)
            }
            Region::Device => return self.load_device(at, address, width),
        };
        Ok(Loaded { value, ready: at + cycles(cost) })
    }

    /// True of a core that is to execute nothing more.
    #[inline]
    fn has_reset_itself(&self) -> bool {
        self.shared.reset_written.is_some() && self.shared.debug.holds(self.own.core)
    }

    /// Where a core is, the tile has to look first.
    #[cold]
    fn ask_place(&mut self, at: Time, core: usize) -> Result<(), Refusal> {
        let asked = Some(PlaceLoad { at, reader: self.own.core.index(), core });
        if self.shared.told_place == asked {
            return Ok(());
        }
        self.shared.asked_place = asked;
        Err(Refusal::Retry(at))
    }

    fn store_shared(&mut self, at: Time, address: u64, width: Width, value: u64) -> Result<Time, Refusal> {
        self.in_turn(at)?;
        if self.own.order.is_loose() {
            return self.store_loose(at, address, width, value);
        }
        self.perform(at, address, width, value)
    }

    /// A store that takes effect now; when the core may go on.
    #[inline]
    pub(super) fn perform(
        &mut self,
        at: Time,
        address: u64,
        width: Width,
        value: u64,
    ) -> Result<Time, Refusal> {
        match region(address) {
            Region::L1 => {
                self.touch(at, address)?;
                self.announce(at, address, width as u64)?;
                self.write_code(at, address, width as u64)?;
                self.shared.l1.set_value(address, width as usize, value);
                self.own.l0.store(address);
                self.shared.watchers.written(address, width as u64);
                return Ok(self.own.stores.l1(at, address));
            }
            Region::Register => {
                Self::word(address, width)?;
                let (start, bytes) = Shared::affected(address);
                self.announce(at, start, bytes)?;
                self.shared.count_buffer(self.own.core, address, value as u32)?;
                self.shared.store(at, address, value as u32, self.net)?;
                if self.has_reset_itself() {
                    *self.generation += 1; // so that the core looks for its next instruction before it executes it
                }
            }
            Region::Device => self.store_device(at, address, width, value)?,
        }
        Ok(self.own.stores.other(at))
    }
}

impl Bus for TensixBus<'_> {
    #[inline]
    fn is_private(&self, address: u64) -> bool {
        self.own.ram.holds(address)
    }

    #[inline]
    fn load(&mut self, at: Time, address: u64, width: Width) -> Result<Loaded, Refusal> {
        if self.own.ram.holds(address) {
            let value = self.own.ram.load(address, width as usize);
            return Ok(Loaded { value, ready: at + cycles(cost::LOCAL) });
        }
        self.load_shared(at, address, width)
    }

    #[inline]
    fn store(&mut self, at: Time, address: u64, width: Width, value: u64) -> Result<Time, Refusal> {
        if self.own.ram.holds(address) {
            self.own.ram.store(address, width as usize, value);
            return Ok(self.own.stores.other(at));
        }
        self.store_shared(at, address, width, value)
    }

    #[inline(always)]
    fn near(&self) -> Near {
        let own = &*self.own;
        if !own.l0.is_off() || !own.order.is_empty() {
            return Near::NEVER;
        }
        let heard = own.order.is_loose() || !self.shared.watchers.is_alone();
        Near { load: self.net.limit.max(self.reach), store: if heard { 0 } else { self.net.limit } }
    }

    #[inline(always)]
    fn near_load(&mut self, at: Time, address: u64, width: Width) -> Option<Loaded> {
        let owner = self.shared.owners.of(address);
        if owner != self.mine && (owner != Owner::ALL || at >= self.net.limit) {
            return None;
        }
        let value = self.shared.l1.quick_value(address, width as usize)?;
        Some(Loaded { value, ready: at + cycles(cost::L1) })
    }

    #[inline(always)]
    fn near_store(&mut self, at: Time, address: u64, width: Width, value: u64) -> Option<Time> {
        let owner = self.shared.owners.of(address);
        if owner == self.mine {
            self.shared.l1.quick_set_data(address, width as usize, value)?;
        } else if owner == Owner::ALL {
            self.shared.l1.quick_set(address, width as usize, value)?;
        } else {
            return None;
        }
        Some(self.own.stores.l1(at, address))
    }

    #[inline(always)]
    fn quick_load(&mut self, at: Time, address: u64, width: Width, plain: bool) -> Option<(Loaded, bool)> {
        if self.own.ram.holds_aligned(address, width as usize) {
            let value = self.own.ram.load(address, width as usize);
            return Some((Loaded { value, ready: at + cycles(cost::LOCAL) }, false));
        }
        let owner = self.shared.owners.of(address);
        let mine = owner == self.mine && (plain && at < self.net.limit || at < self.reach);
        let anybodys = || {
            owner == Owner::ALL
                && plain
                && at < self.net.limit
                && self.own.l0.is_off()
                && self.own.order.is_empty()
        };
        if !mine && !anybodys() {
            return None;
        }
        let value = self.shared.l1.quick_value(address, width as usize)?;
        Some((Loaded { value, ready: at + cycles(cost::L1) }, true))
    }

    #[inline(always)]
    fn quick_store(&mut self, at: Time, address: u64, width: Width, value: u64) -> Option<(Time, bool)> {
        if self.own.ram.holds_aligned(address, width as usize) {
            self.own.ram.store(address, width as usize, value);
            return Some((self.own.stores.other(at), false));
        }
        if at >= self.net.limit {
            return None;
        }
        let owner = self.shared.owners.of(address);
        if owner == self.mine {
            self.shared.l1.quick_set_data(address, width as usize, value)?;
            return Some((self.own.stores.l1(at, address), true));
        }
        if owner != Owner::ALL
            || !self.own.l0.is_off()
            || self.own.order.is_loose()
            || !self.shared.watchers.is_word_unheard(address)
        {
            return None;
        }
        self.shared.l1.quick_set(address, width as usize, value)?;
        Some((self.own.stores.l1(at, address), true))
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
        if address >= L1_BYTES || width != Width::Word {
            let detail = format!("atomic of {} bytes at {address:#x}", width as u32);
            return Err(Violation::new(Rule::CoreAtomic, detail).into());
        }
        // Behind the core's stores, which L1 performs in order.
        let settled = self.own.order.settled(order::Region::L1);
        if settled > at {
            return Err(Refusal::Retry(settled));
        }
        self.own.order.fence();
        self.touch(at, address)?;
        self.announce(at, address, 4)?;
        self.write_code(at, address, 4)?;
        self.own.l0.flush();
        let old = self.shared.l1.value(address, 4);
        self.shared.l1.set_value(address, 4, crate::amo::apply(op, width, old, operand));
        self.shared.watchers.written(address, 4);
        Ok(Loaded { value: old, ready: at + cycles(cost::AMO) })
    }

    fn fence(&mut self, at: Time) -> Time {
        self.own.l0.flush();
        self.own.order.fence();
        self.own.stores.drained(at)
    }

    fn fence_i(&mut self, at: Time) -> Time {
        at // it does nothing on a baby core (tensix.md §2)
    }

    fn csr_read(&mut self, at: Time, csr: u16) -> Result<Option<Loaded>, Refusal> {
        let value = self.own.control.read(csr)?;
        Ok(value.map(|value| Loaded { value: u64::from(value), ready: at + cycles(1) }))
    }

    fn csr_write(&mut self, _at: Time, csr: u16, value: u64) -> Result<bool, Refusal> {
        let own = &mut *self.own;
        let written = own.control.write(csr, value as u32)?;
        own.l0.configure(own.control.cfg0, own.control.is_fenced());
        own.order.strict = own.control.keeps_order();
        own.stores.merges = own.control.merges();
        self.mine = own.owner();
        Ok(written)
    }

    fn code(&mut self, _at: Time, pc: u64) -> Result<Arc<CodePage>, Refusal> {
        if pc >= L1_BYTES {
            return Err(Violation::new(Rule::CoreFetch, format!("jump to {pc:#x}")).into());
        }
        Ok(self.shared.icaches[self.own.core.index()].view(pc, &mut self.net.code))
    }

    fn fetch(&mut self, at: Time, pc: u64) -> Result<Arc<CodePage>, Refusal> {
        self.in_turn(at)?;
        self.share_page(at, pc)?;
        let icache = &mut self.shared.icaches[self.own.core.index()];
        let prefetches = self.own.control.prefetches();
        let (page, leaves) = icache.fetch(at, pc, prefetches, &mut self.shared.l1, &mut self.net.code);
        if leaves {
            *self.generation += 1;
        }
        Ok(page)
    }

    #[inline]
    fn is_interrupted(&self) -> bool {
        self.has_reset_itself()
    }

    #[inline]
    fn code_generation(&self) -> u64 {
        *self.generation
    }

    #[inline]
    fn load_ahead(&mut self, at: Time, address: u64, width: Width) -> Option<Loaded> {
        if address < L1_BYTES && self.may_go_ahead() { self.load_noted(at, address, width) } else { None }
    }

    fn begin_ahead(&mut self, at: Time, span: Time) -> Time {
        self.begin(at, span)
    }

    fn owns(&mut self, address: u64) -> bool {
        self.owns_at(address)
    }

    fn load_own(&mut self, at: Time, address: u64, width: Width) -> Option<Loaded> {
        (at < self.reach).then(|| self.loaded(at, address, width))
    }

    #[inline(always)]
    fn store_ahead(&mut self, at: Time, address: u64, width: Width, value: u64) -> Option<(Time, bool)> {
        self.store_logged(at, address, width, value)
    }

    fn latch_ahead(&mut self, address: u64) {
        if let Some(before) = self.shared.debug.reader(self.own.core.index(), address) {
            self.own.log.note_clock(before);
        }
    }

    #[inline]
    fn may_go_ahead(&self) -> bool {
        self.own.l0.is_off() && self.net.limit != 0 && self.own.order.is_empty()
    }

    /// It has lost code, and looks up at that access: polling, it would fetch again what memory holds then.
    fn may_park(&self) -> bool {
        self.net.limit != 0
    }

    fn is_command_buffer(&self, address: u64) -> bool {
        (0xffb2_0000..0xffb4_0000).contains(&address) && address & 0x7ff == CMD_CTRL
    }

    /// The wall clock: what a core latches of it is its own (`debug.rs`), but for the right to load it.
    fn is_own_clock(&self, address: u64) -> bool {
        matches!(address, 0xffb1_21f0 | 0xffb1_21f4)
    }

    fn nature(&self, address: u64) -> Nature {
        match address {
            _ if self.is_own_clock(address) => Nature::Clock,
            _ if PLACES.contains(&address) => Nature::Clock,
            0..L1_BYTES if self.own.l0.is_fickle() => Nature::Effect,
            // What other cores change without a word.
            0xffb1_1000..0xffb1_2000 | 0xffe0_0000..0xffe1_0000 => Nature::Effect,
            // The latch of the clock, and FIFOs.
            0xffb1_21f8 | 0xffe8_0000..0xffe8_0020 | 0xffe9_0000..0xfff0_0000 => Nature::Effect,
            // What the core's own stores will change.
            _ if !self.own.order.is_empty() => Nature::Effect,
            _ => Nature::Memory,
        }
    }

    fn wake_time(&self, at: Time, value: u64) -> Time {
        self.shared.debug.when(at, value as u32)
    }
}
