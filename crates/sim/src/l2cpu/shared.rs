//! What the four harts of a cluster share, and what the NoC reaches.

use super::clint::{self, Clint};
use super::dram_offset;
use super::lim::Lim;
use super::peripherals::{Peripherals, RNMI_TRIGGER};
use crate::fault::{Rule, Violation};
use crate::message::{Body, Payload};
use crate::net::Net;
use crate::noc::translate::{Kind, TileId};
use crate::target::{HART_PERIPHERALS, LIM, PERIPHERALS};
use crate::time::{NEVER, Time};
use crate::watch::Watchers;

/// WAYENABLE.
const WAY_ENABLE: u64 = 0x0201_0008;

/// A cluster without its harts.
pub(crate) struct Shared {
    pub(crate) tile: TileId,
    /// The cluster's number.
    pub(crate) index: u8,
    /// Its local DRAM channel (host.md §6.1).
    pub(crate) channel: usize,
    pub(crate) lim: Lim,
    pub(crate) clint: Clint,
    pub(crate) peripherals: Peripherals,
    way_masks: [u64; 38],
    prefetchers: [[u32; 2]; 4],
    pub(crate) watchers: Watchers,
    /// Harts, as bits, that are parked: an interrupt has to rouse them first.
    pub(crate) parked: u32,
    /// Harts, as bits, whose interrupts may have changed.
    pub(crate) interrupts: u32,
    /// When each NIU is free.
    pub(crate) free_at: [Time; 2],
}

impl Shared {
    pub(crate) fn new(tile: TileId, index: u8) -> Self {
        Self {
            tile,
            index,
            channel: [5, 6, 7, 7][usize::from(index)],
            lim: Lim::new(),
            clint: Clint::new(),
            peripherals: Peripherals::new(),
            way_masks: [0xffff; 38],
            prefetchers: [[0; 2]; 4],
            watchers: Watchers::default(),
            parked: 0,
            interrupts: 0,
            free_at: [0; 2],
        }
    }

    /// An address as a hart would write it: the NoC has a second one for the peripherals.
    pub(crate) fn canonical(address: u64) -> u64 {
        if PERIPHERALS.contains(&address) {
            HART_PERIPHERALS.start + (address - PERIPHERALS.start)
        } else {
            address
        }
    }

    /// The harts, as bits, whose interrupts a store to a device register changes.
    pub(crate) fn interrupted(&self, address: u64, value: u64) -> u32 {
        match address {
            clint::BASE..CLINT_END => Clint::owner(address - clint::BASE).map_or(0, |hart| 1 << hart),
            _ if HART_PERIPHERALS.contains(&address) && address & 0xf_ffff == RNMI_TRIGGER => {
                (value as u32 ^ self.peripherals.rnmi) & 0xf
            }
            _ => 0,
        }
    }

    /// Loads 4 or 8 bytes of a device register.
    pub(crate) fn load(&mut self, at: Time, address: u64, bytes: u64) -> Result<u64, Violation> {
        match address {
            clint::BASE..CLINT_END => return self.clint.load(at, address - clint::BASE, bytes),
            _ if bytes == 8 => {
                let low = self.load_word(address)?;
                return Ok(u64::from(low) | u64::from(self.load_word(address + 4)?) << 32);
            }
            _ => {}
        }
        self.load_word(address).map(u64::from)
    }

    fn load_word(&mut self, address: u64) -> Result<u32, Violation> {
        Ok(match address {
            0x0201_0000 => 0x0006_1004, // L3 configuration: 4 banks, 16 ways; nobody depends on it
            WAY_ENABLE => self.lim.way_enable(),
            0x0201_000c => 0,
            0x0201_0800..0x0201_0930 => {
                let offset = address - 0x0201_0800;
                (self.way_masks[(offset >> 3) as usize] >> (offset % 8 * 8)) as u32
            }
            0x0203_0000..0x0203_8000 if address & 0x1ff8 == 0 => {
                self.prefetchers[(address >> 13 & 3) as usize][(address >> 2 & 1) as usize]
            }
            0x0300_8000 => 0,
            _ if HART_PERIPHERALS.contains(&address) => self.peripherals.load(address & 0xf_ffff)?,
            _ => return Err(unmapped("load", address)),
        })
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
        let interrupted = self.interrupted(address, value);
        if let clint::BASE..CLINT_END = address {
            self.clint.store(address - clint::BASE, bytes, value)?;
            if let Some(hart) = Clint::owner(address - clint::BASE) {
                let fires = self.clint.fires(hart);
                if fires != NEVER && fires > at {
                    net.push(self.tile.0, self.tile, fires, Body::Timer { hart: hart as u8 });
                }
            }
        } else {
            self.store_word(address, value as u32)?;
            if bytes == 8 {
                self.store_word(address + 4, (value >> 32) as u32)?;
            }
        }
        if interrupted != 0 {
            self.interrupts |= interrupted;
            net.limit = net.limit.min(at + 1);
        }
        Ok(())
    }

    fn store_word(&mut self, address: u64, value: u32) -> Result<(), Violation> {
        match address {
            WAY_ENABLE => self.lim.set_way_enable(value),
            0x0201_000c if value == 0 => Ok(()),
            0x0201_0800..0x0201_0930 => {
                let offset = address - 0x0201_0800;
                let mask = &mut self.way_masks[(offset >> 3) as usize];
                *mask = match offset % 8 {
                    0 => *mask & !0xffff_ffff | u64::from(value),
                    _ => *mask & 0xffff_ffff | u64::from(value) << 32,
                };
                Ok(())
            }
            0x0203_0000..0x0203_8000 if address & 0x1ff8 == 0 => {
                self.prefetchers[(address >> 13 & 3) as usize][(address >> 2 & 1) as usize] = value;
                Ok(())
            }
            _ if HART_PERIPHERALS.contains(&address) => self.peripherals.store(address & 0xf_ffff, value),
            _ => Err(unmapped("store", address)),
        }
    }

    /// The harts among the `parked` that a message concerns.
    pub(crate) fn awaited(&self, body: &Body, parked: u32) -> u32 {
        match body {
            Body::Write { address, data } => {
                let address = Self::canonical(*address);
                let mut harts = self.watchers.waiting(address, data.bytes().len() as u64);
                if !LIM.contains(&address) {
                    for (i, word) in data.bytes().as_chunks::<4>().0.iter().enumerate() {
                        let value = u64::from(u32::from_le_bytes(*word));
                        harts |= self.interrupted(address + 4 * i as u64, value) & parked;
                    }
                }
                harts
            }
            Body::Timer { hart } => 1 << hart & parked,
            Body::Clock { .. } => parked,
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
        } else if let Some(offset) = self.dram(net, address)? {
            net.dram[self.channel].write(offset, bytes);
        } else {
            for (i, word) in bytes.as_chunks::<4>().0.iter().enumerate() {
                self.store(at, address + 4 * i as u64, 4, u64::from(u32::from_le_bytes(*word)), net)?;
            }
        }
        self.watchers.written(address, bytes.len() as u64);
        Ok(())
    }

    /// A read over the NoC.
    pub(crate) fn read(
        &mut self,
        at: Time,
        address: u64,
        bytes: usize,
        net: &Net,
    ) -> Result<Payload, Violation> {
        let address = Self::canonical(address);
        if LIM.contains(&address) {
            let offset = self.lim.offset(address, bytes as u64)?;
            return Ok(Payload::fill(bytes, |out| self.lim.memory().read(offset, out)));
        }
        if let Some(offset) = self.dram(net, address)? {
            return Ok(Payload::fill(bytes, |out| net.dram[self.channel].read(offset, out)));
        }
        let mut read = Ok(());
        let data = Payload::fill(bytes, |out| {
            for (i, word) in out.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                match self.load(at, address + 4 * i as u64, 4) {
                    Ok(value) => *word = (value as u32).to_le_bytes(),
                    Err(violation) => read = Err(violation),
                }
            }
        });
        read.map(|()| data)
    }

    /// The offset into local DRAM, if the address lies in it and the channel works.
    pub(crate) fn dram(&self, net: &Net, address: u64) -> Result<Option<u64>, Violation> {
        let offset = dram_offset(address);
        if offset.is_some() && net.map.find(Kind::Dram(self.channel as u8)).is_none() {
            let detail = format!("access to local DRAM at {address:#x}, where the channel is disabled");
            return Err(Violation::new(Rule::LocalDram, detail));
        }
        Ok(offset)
    }
}

/// The end of the CLINT.
const CLINT_END: u64 = 0x0201_0000;

/// What an access outside everything known is.
pub(crate) fn unmapped(what: &str, address: u64) -> Violation {
    Violation::new(Rule::HartAddress, format!("{what} at {address:#x}"))
}
