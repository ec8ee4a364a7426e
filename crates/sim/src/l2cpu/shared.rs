//! What the four harts of a cluster share, and what the NoC reaches.

use super::caches::Caches;
use super::clint::{self, Clint};
use super::internal::{self, Internal};
use super::is_device;
use super::lim::Lim;
use super::peripherals::{MSI, Peripherals, RNMI_TRIGGER, SOFTWARE, STATUS};
use super::plic::Plic;
use crate::fault::{Rule, Violation};
use crate::message::{Body, Payload, Reply};
use crate::net::Net;
use crate::noc::translate::{LOCAL_CHANNELS, TileId};
use crate::target::{HART_PERIPHERALS, LIM, PERIPHERALS};
use crate::time::{NEVER, Time};
use crate::watch::Watchers;

/// The end of the CLINT.
pub(crate) const CLINT_END: u64 = 0x0201_0000;
/// The L3's topology: 4 banks, 16 ways, 512 sets, lines of 64 bytes (host.md §6.1), as SiFive's driver reads it.
const L3_CONFIG: (u64, u32) = (0x0201_0000, 6 << 24 | 9 << 16 | 16 << 8 | 4);
/// WAYENABLE.
const WAY_ENABLE: u64 = 0x0201_0008;
/// FLUSH64 and FLUSH32 of the L3.
const FLUSH: [u64; 2] = [0x0201_0200, 0x0201_0240];
/// The way masks.
const WAY_MASKS: std::ops::Range<u64> = 0x0201_0800..0x0201_0930;
/// The harts' wfi and cease status.
const WFI_STATUS: u64 = 0x0300_8000;
/// Bits of an address in the flush registers of an L2; the highest byte is a command, which SiFive's driver sets.
const FLUSH_ADDRESS: u64 = (1 << 47) - 1;

/// A cluster without its harts.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) tile: TileId,
    /// The cluster's number.
    pub(crate) index: u8,
    /// Its local DRAM channel (host.md §6.1).
    pub(crate) channel: usize,
    pub(crate) lim: Lim,
    pub(crate) clint: Clint,
    pub(crate) peripherals: Peripherals,
    pub(crate) caches: Caches,
    pub(crate) plic: Plic,
    pub(crate) internal: Internal,
    pub(crate) watchers: Watchers,
    /// Harts, as bits, that are parked: an interrupt has to rouse them first.
    pub(crate) parked: u32,
    /// Harts, as bits, whose interrupts may have changed.
    pub(crate) interrupts: u32,
    /// When that was.
    interrupted_at: Time,
    /// Since when each hart waits in a `wfi`; [`NEVER`] while it does not.
    pub(crate) asleep: [Time; 4],
    /// The harts, as bits, that have executed `cease`.
    pub(crate) ceased: u32,
    /// When each NIU is free.
    pub(crate) free_at: [Time; 2],
    /// When the last write of a strictly ordered window arrives, by NoC.
    pub(crate) strict_at: [Time; 2],
    /// When the last flush of a line is acknowledged.
    pub(crate) flushed_at: Time,
}

impl Shared {
    pub(crate) fn new(tile: TileId, index: u8) -> Self {
        Self {
            tile,
            index,
            channel: usize::from(LOCAL_CHANNELS[usize::from(index)]),
            lim: Lim::new(),
            clint: Clint::new(),
            peripherals: Peripherals::new(),
            caches: Caches::new(),
            plic: Plic::new(),
            internal: Internal::default(),
            watchers: Watchers::default(),
            parked: 0,
            interrupts: 0,
            interrupted_at: 0,
            asleep: [NEVER; 4],
            ceased: 0,
            free_at: [0; 2],
            strict_at: [0; 2],
            flushed_at: 0,
        }
    }

    /// Makes the pages of its memories ones that copies share.
    pub(crate) fn share(&mut self) {
        self.lim.memory_mut().share();
        self.peripherals.scratch.share();
    }

    /// An address as a hart would write it: the NoC has a second one for the peripherals.
    pub(crate) fn canonical(address: u64) -> u64 {
        if PERIPHERALS.contains(&address) {
            HART_PERIPHERALS.start + (address - PERIPHERALS.start)
        } else {
            address
        }
    }

    /// The harts, as bits, whose interrupts a store of 4 or 8 bytes to device registers changes.
    pub(crate) fn interrupted(&self, address: u64, bytes: u64, value: u64) -> u32 {
        let second = if bytes == 8 { self.interrupted_by_word(address + 4, (value >> 32) as u32) } else { 0 };
        self.interrupted_by_word(address, value as u32) | second
    }

    fn interrupted_by_word(&self, address: u64, value: u32) -> u32 {
        match address {
            clint::BASE..CLINT_END => Clint::owner(address - clint::BASE).map_or(0, |hart| 1 << hart),
            _ if HART_PERIPHERALS.contains(&address) => match address & 0xf_ffff {
                RNMI_TRIGGER => (value ^ self.peripherals.rnmi) & 0xf,
                STATUS => (self.peripherals.suppress_fetch & !(value >> 16)) & 0xf,
                offset if SOFTWARE.contains(&offset) || MSI.contains(&offset) => self.plic.harts(),
                _ => 0,
            },
            Plic::BASE..Plic::END => 0xf,
            internal::BUS_ERRORS_START..internal::BUS_ERRORS_END => 1 << ((address >> 12) & 3),
            _ => 0,
        }
    }

    /// What a store can change for whoever waits, as start and bytes: itself, or LIM, whose ways become cache. A hart that waits
    /// there comes to its fault.
    pub(crate) fn affected(address: u64, bytes: u64) -> (u64, u64) {
        match address {
            WAY_ENABLE => (LIM.start, LIM.end - LIM.start),
            _ => (address, bytes),
        }
    }

    /// The same of a load, word by word: a claim, and what takes from the MSI catcher.
    pub(crate) fn interrupted_by_load(&self, address: u64, bytes: u64) -> u32 {
        let takes = |address: u64| match address {
            Plic::BASE..Plic::END => address & 0xfff == 4,
            _ => HART_PERIPHERALS.contains(&address) && MSI.contains(&(address & 0xf_ffff)),
        };
        match (address..address + bytes).step_by(4).any(takes) {
            true => self.plic.harts(),
            false => 0,
        }
    }

    /// The interrupts of these harts, as bits, may change at `at`.
    pub(crate) fn interrupt(&mut self, at: Time, harts: u32) {
        self.interrupts |= harts;
        self.interrupted_at = at;
    }

    /// The harts whose interrupts may have changed, and when.
    pub(crate) fn take_interrupts(&mut self) -> (u32, Time) {
        (std::mem::take(&mut self.interrupts), self.interrupted_at)
    }

    /// The PLIC looks at its sources, which may have changed.
    fn sample(&mut self) {
        let peripherals = &self.peripherals;
        self.plic.sample(|source| peripherals.is_high(source));
    }

    /// The harts, as bits, that wait in a `wfi`, and those that have ceased.
    fn statuses(&self, at: Time) -> [u32; 2] {
        let is = |hart: &usize| self.asleep[*hart] <= at;
        let asleep = (0..self.asleep.len()).filter(is).fold(0, |harts, hart| harts | 1 << hart);
        [asleep & !self.ceased, asleep & self.ceased]
    }

    /// Loads 4 or 8 bytes of a device register.
    pub(crate) fn load(&mut self, at: Time, address: u64, bytes: u64) -> Result<u64, Violation> {
        match address {
            clint::BASE..CLINT_END => return self.clint.load(at, address - clint::BASE, bytes),
            _ if bytes == 8 => {
                let low = self.load_word(at, address)?;
                return Ok(u64::from(low) | u64::from(self.load_word(at, address + 4)?) << 32);
            }
            _ => {}
        }
        self.load_word(at, address).map(u64::from)
    }

    fn load_word(&mut self, at: Time, address: u64) -> Result<u32, Violation> {
        let interrupted = self.interrupted_by_load(address, 4);
        let value = match address {
            _ if address == L3_CONFIG.0 => L3_CONFIG.1,
            WAY_ENABLE => self.lim.way_enable(),
            0x0201_000c => 0,
            _ if WAY_MASKS.contains(&address) => {
                let offset = address - WAY_MASKS.start;
                (self.caches.way_masks[(offset >> 3) as usize] >> (offset % 8 * 8)) as u32
            }
            // wfi, cease: four bits each, in the order that the map names them.
            WFI_STATUS => {
                let [asleep, ceased] = self.statuses(at);
                asleep | ceased << 4
            }
            Plic::BASE..Plic::END => self.plic.load(address - Plic::BASE)?,
            _ if HART_PERIPHERALS.contains(&address) => match address & 0xf_ffff {
                // cease, halt, wfi, debug: four bits each.
                STATUS => {
                    let [asleep, ceased] = self.statuses(at);
                    self.peripherals.load(STATUS)? | ceased | asleep << 8
                }
                offset => self.peripherals.load(offset)?,
            },
            _ => self.internal.load(address).ok_or_else(|| internal::refuse("load", address))?,
        };
        if interrupted != 0 {
            self.sample();
            self.interrupt(at, interrupted);
        }
        Ok(value)
    }

    /// Stores 4 or 8 bytes to a device register.
    pub(crate) fn store(
        &mut self,
        at: Time,
        address: u64,
        bytes: u64,
        value: u64,
        net: &mut Net,
    ) -> Result<(), Violation> {
        let interrupted = self.interrupted(address, bytes, value);
        if let clint::BASE..CLINT_END = address {
            self.clint.store(address - clint::BASE, bytes, value)?;
            if let Some(hart) = Clint::owner(address - clint::BASE) {
                let fires = self.clint.fires(hart);
                if fires != NEVER && fires > at {
                    net.push(self.tile.0, self.tile, fires, Body::Timer { hart: hart as u8 });
                }
            }
        } else if let Some(flush) = self.flush_register(address, bytes, value)? {
            let acked = match flush {
                Flush::L3(address) => self.flush(at, address, net)?,
                Flush::L2(hart, address) => {
                    self.flush_l2(hart, address)?;
                    at
                }
            };
            self.flushed_at = self.flushed_at.max(acked);
        } else {
            self.store_word(address, value as u32)?;
            if bytes == 8 {
                self.store_word(address + 4, (value >> 32) as u32)?;
            }
        }
        if interrupted != 0 {
            self.interrupt(at, interrupted);
            net.limit = net.limit.min(at + 1);
        }
        Ok(())
    }

    /// What a store of a flush register asks for.
    fn flush_register(&self, address: u64, bytes: u64, value: u64) -> Result<Option<Flush>, Violation> {
        let l2 = internal::flushed_l2(address);
        let flush = match address {
            _ if address == FLUSH[0] => Flush::L3(value),
            _ if address == FLUSH[1] => return Ok(Some(Flush::L3((value & 0xffff_ffff) << 4))),
            _ => match l2 {
                Some(hart) => Flush::L2(hart, value & FLUSH_ADDRESS),
                None => return Ok(None),
            },
        };
        if bytes != 8 {
            let detail = format!("store of {bytes} bytes to flush register {address:#x}");
            return Err(Violation::new(Rule::FlushWidth, detail));
        }
        Ok(Some(flush))
    }

    fn store_word(&mut self, address: u64, value: u32) -> Result<(), Violation> {
        match address {
            WAY_ENABLE => self.lim.set_way_enable(value),
            0x0201_000c if value == 0 => Ok(()),
            _ if WAY_MASKS.contains(&address) => {
                let offset = address - WAY_MASKS.start;
                let mask = &mut self.caches.way_masks[(offset >> 3) as usize];
                *mask = match offset % 8 {
                    0 => *mask & !0xffff_ffff | u64::from(value),
                    _ => *mask & 0xffff_ffff | u64::from(value) << 32,
                };
                Ok(())
            }
            Plic::BASE..Plic::END => {
                self.plic.store(address - Plic::BASE, value)?;
                self.sample();
                Ok(())
            }
            _ if HART_PERIPHERALS.contains(&address) => {
                let offset = address & 0xf_ffff;
                self.peripherals.store(offset, value)?;
                if SOFTWARE.contains(&offset) || MSI.contains(&offset) {
                    self.sample();
                }
                Ok(())
            }
            _ => self.internal.store(address, value).ok_or_else(|| internal::refuse("store", address)),
        }
    }

    /// The harts among the `parked` that a message concerns.
    pub(crate) fn awaited(&self, body: &Body, parked: u32) -> u32 {
        match body {
            Body::Write { address, data, .. } => {
                let address = Self::canonical(*address);
                let (start, bytes) = Self::affected(address, data.bytes().len() as u64);
                let mut harts = self.watchers.waiting(start, bytes);
                if is_device(address) {
                    for (i, word) in data.bytes().as_chunks::<4>().0.iter().enumerate() {
                        let value = u32::from_le_bytes(*word);
                        harts |= self.interrupted_by_word(address + 4 * i as u64, value) & parked;
                    }
                }
                harts
            }
            Body::Read { address, bytes, .. } => {
                let address = Self::canonical(*address);
                match is_device(address) {
                    true => self.interrupted_by_load(address, u64::from(*bytes)) & parked,
                    false => 0,
                }
            }
            Body::Timer { hart } => 1 << hart & parked,
            _ => 0,
        }
    }

    /// A write over the NoC.
    pub(crate) fn write(
        &mut self,
        at: Time,
        address: u64,
        bytes: &[u8],
        net: &mut Net,
    ) -> Result<(), Violation> {
        let address = Self::canonical(address);
        if LIM.contains(&address) {
            let offset = self.lim.offset(address, bytes.len() as u64)?;
            self.lim.memory_mut().write(offset, bytes);
        } else if is_device(address) {
            let mut rest = bytes;
            while let Some((word, tail)) = rest.split_first_chunk::<4>() {
                let at_word = address + (bytes.len() - rest.len()) as u64;
                // A register that takes 8 bytes gets them at once.
                match rest.split_first_chunk::<8>() {
                    Some((double, tail))
                        if FLUSH[0] == at_word || internal::flushed_l2(at_word).is_some() =>
                    {
                        self.store(at, at_word, 8, u64::from_le_bytes(*double), net)?;
                        rest = tail;
                    }
                    _ => {
                        self.store(at, at_word, 4, u64::from(u32::from_le_bytes(*word)), net)?;
                        rest = tail;
                    }
                }
            }
        } else {
            self.noc_write(at, address, bytes, net)?;
        }
        let (start, bytes) = Self::affected(address, bytes.len() as u64);
        self.watchers.written(start, bytes);
        Ok(())
    }

    /// A read over the NoC, and its answer.
    pub(crate) fn read(
        &mut self,
        at: Time,
        address: u64,
        bytes: usize,
        reply: Reply,
        net: &mut Net,
    ) -> Result<(), Violation> {
        let address = Self::canonical(address);
        let data = if LIM.contains(&address) {
            let offset = self.lim.offset(address, bytes as u64)?;
            Payload::fill(bytes, |out| self.lim.memory().read(offset, out))
        } else if is_device(address) {
            let mut read = Ok(());
            let data = Payload::fill(bytes, |out| {
                for (i, word) in out.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                    match self.load(at, address + 4 * i as u64, 4) {
                        Ok(value) => *word = (value as u32).to_le_bytes(),
                        Err(violation) => read = Err(violation),
                    }
                }
            });
            read?;
            data
        } else {
            return self.noc_read(at, address, bytes, reply, net);
        };
        net.reply(self.tile, at, reply, data);
        Ok(())
    }
}

/// A line to be flushed.
enum Flush {
    L3(u64),
    L2(usize, u64),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_of_threshold_and_claim_at_once_is_a_claim() {
        let mut shared = Shared::new(TileId(0), 0);
        shared.plic.store(0x2100, 1 << 6).unwrap(); // hart 1 takes source 6
        let threshold = Plic::BASE + 0x20_0000;
        assert_eq!([4, 8].map(|bytes| shared.interrupted_by_load(threshold, bytes)), [0, 2]);
    }
}
