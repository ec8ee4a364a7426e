//! Stores that take effect later than the core makes them: see `order.rs`.

use super::bus::{TensixBus, cost};
use super::cores::Core;
use super::map;
use super::niu::CMD_CTRL;
use super::order::{Found, Region};
use super::shared::{Shared, cycles};
use crate::fault::Violation;
use crate::hart::{Loaded, Refusal, Width};
use crate::message::Body;
use crate::net::Net;
use crate::target::L1_BYTES;
use crate::time::Time;

impl TensixBus<'_> {
    /// A store where a seed may let it take effect later; all that can be wrong with it is told now.
    #[cold]
    pub(super) fn store_loose(
        &mut self,
        at: Time,
        address: u64,
        width: Width,
        value: u64,
    ) -> Result<Time, Refusal> {
        let Some(region) = map::region(self.own.core, address) else {
            return self.perform(at, address, width, value);
        };
        let settled = self.own.order.settled(region);
        match region {
            Region::L1 => {}
            // Only what sends a request can be late: the rest of a command buffer is for nobody but the request.
            Region::Niu(_) if settled > at => return Err(Refusal::Retry(settled)),
            Region::Niu(_) if address & 0x7ff != CMD_CTRL || value != 1 || self.is_busy(address) => {
                return self.perform(at, address, width, value);
            }
            Region::Niu(_) | Region::Overlay => {
                Self::word(address, width)?;
                self.shared.check_store(address, self.net)?;
                self.shared.count_buffer(self.own.core, address, value as u32)?;
            }
            Region::Semaphores | Region::PcBuf(_) | Region::Mailbox(_) => Self::word(address, width)?,
        }
        let effect = self.own.order.plan(at, region);
        if effect == at {
            let free = self.perform(at, address, width, value)?;
            self.own.order.store(at, region, address, width as u64, value);
            return Ok(free);
        }
        if let Region::PcBuf(_) | Region::Mailbox(_) = region {
            self.send_word(map::place(self.own.core, address, Some(value as u32))?)?;
        }
        self.own.order.store(at, region, address, width as u64, value);
        let core = self.own.core.index() as u8;
        let tile = self.shared.tile;
        self.net.push(tile.0, tile, effect, Body::Stored { core, width: width as u8, address, value });
        Ok(match region {
            Region::L1 => {
                self.own.l0.store(address);
                self.lose_own_code(address, width as u64);
                self.own.stores.l1(at, address)
            }
            _ => self.own.stores.other(at),
        })
    }

    /// What the core's store will drive out of its own instruction cache goes now: it may look nowhere before it runs there.
    fn lose_own_code(&mut self, address: u64, bytes: u64) {
        let own = self.own.core.index();
        if self.shared.losers(address, bytes) >> own & 1 == 1 {
            self.shared.icaches[own].lose(address, bytes);
            self.shared.lost_code |= 1 << own;
            self.net.limit = 0;
        }
    }

    fn is_busy(&self, address: u64) -> bool {
        let buffer = (address >> 11 & 0x1f) as usize;
        self.shared.nius[(address >> 16 & 1) as usize].is_busy(buffer)
    }

    /// A load while stores of the core are on their way: what it finds of them.
    #[cold]
    pub(super) fn load_behind(
        &mut self,
        at: Time,
        address: u64,
        width: Width,
    ) -> Result<Option<Loaded>, Refusal> {
        let Some(region) = map::region(self.own.core, address) else { return Ok(None) };
        match self.own.order.load(at, region, address, width as u64) {
            Found::Memory => Ok(None),
            Found::After(effect) => Err(Refusal::Retry(effect)),
            Found::Own(value, effect) => Ok(Some(Loaded { value, ready: effect + cycles(cost::L1) })),
        }
    }
}

impl Shared {
    /// A core's store takes effect.
    pub(super) fn land(
        &mut self,
        at: Time,
        core: Core,
        address: u64,
        width: usize,
        value: u64,
        net: &mut Net,
    ) -> Result<(), Violation> {
        match address {
            0..L1_BYTES => {
                self.lose_code(address, width as u64);
                self.l1.set_value(address, width, value);
                self.watchers.written(address, width as u64);
            }
            0xffb2_0000..0xffb8_0000 => self.store(at, address, value as u32, net)?,
            0xffe8_0020..0xffe8_0040 if core != Core::B => self.store_semaphore(address, value as u32),
            _ => self.receive_word(at, core, address, value as u32, net),
        }
        Ok(())
    }
}
