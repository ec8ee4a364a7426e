//! A core's accesses to what only the cores of its tile reach: semaphores, FIFOs, the coprocessor's registers.
//!
//! A load from an empty FIFO and a store into a full one hold the core up until something changes. On silicon the region
//! waits and the core may go on for a while.

use super::bus::TensixBus;
use super::cores::Core;
use super::map::{self, Place};
use super::shared::Shared;
use super::{mailboxes, streams};
use crate::fault::Violation;
use crate::hart::{Loaded, Refusal, Width};
use crate::message::Body;
use crate::net::Net;
use crate::noc::latency::CYCLE;
use crate::time::{NEVER, Time};

/// Cycles of a load (tensix.md §2).
mod cost {
    pub(super) const FIFO: u64 = 3;
    pub(super) const REGISTER: u64 = 4;
    pub(super) const SLOW_RAM: u64 = 8;
}

/// The word of the configuration that invalidates instruction caches, and the one of the other bank (tensix.md §2).
const INVALIDATE: usize = 185;

/// Where the semaphores are.
const SEMAPHORES: u64 = 0xffe8_0020;

impl TensixBus<'_> {
    /// Loads from `address`.
    #[cold]
    pub(super) fn load_device(&mut self, at: Time, address: u64, width: Width) -> Result<Loaded, Refusal> {
        let core = self.own.core;
        let place = map::place(core, address, None)?;
        if let Place::OwnRam(local) = place {
            let value = self.own.ram.load(local, width as usize);
            return Ok(Loaded { value, ready: at + cost::SLOW_RAM * CYCLE });
        }
        Self::word(address, width)?;
        let shared = &mut *self.shared;
        let (value, cost) = match place {
            Place::Semaphore(i) => (shared.semaphores.load(i), cost::FIFO),
            Place::DoneCheck => (0, cost::FIFO),
            Place::PcBuf(thread) if core == Core::B => match shared.pcbufs[thread].is_idle() {
                true => (0, cost::FIFO),
                false => return Err(self.hold_up()),
            },
            Place::PcBuf(thread) => match shared.pcbufs[thread].take() {
                Some(word) => (word, cost::FIFO),
                None => {
                    if shared.pcbufs[thread].wait() {
                        self.something_changes(at);
                    }
                    return Err(self.hold_up());
                }
            },
            Place::Mailbox { other, asks } => {
                let own = mailboxes::number(core).unwrap_or(0);
                match shared.mailboxes.waiting(other, own) {
                    waiting if asks => (u32::from(waiting != 0), cost::FIFO),
                    0 => return Err(self.hold_up()),
                    _ => (shared.mailboxes.take(other, own).unwrap_or(0), cost::FIFO),
                }
            }
            Place::Gpr(i) => (shared.gprs[i], cost::REGISTER),
            Place::Config(i) => (shared.config[i], cost::REGISTER),
            Place::TdmaGate => (shared.tdma_gate, cost::REGISTER),
            Place::OwnRam(_) => unreachable!("it is loaded from above"),
        };
        if matches!(place, Place::PcBuf(_) | Place::Mailbox { asks: false, .. }) {
            self.something_changes(at);
        }
        Ok(Loaded { value: u64::from(value), ready: at + cost * CYCLE })
    }

    /// Stores to `address`; it takes effect now.
    #[cold]
    pub(super) fn store_device(
        &mut self,
        at: Time,
        address: u64,
        width: Width,
        value: u64,
    ) -> Result<(), Refusal> {
        let core = self.own.core;
        let place = map::place(core, address, Some(value as u32))?;
        if let Place::OwnRam(local) = place {
            self.own.ram.store(local, width as usize, value);
            return Ok(());
        }
        Self::word(address, width)?;
        let word = value as u32;
        match place {
            Place::Semaphore(_) => {
                self.announce(at, address, 4)?;
                self.shared.store_semaphore(address, word);
            }
            Place::PcBuf(_) | Place::Mailbox { .. } => {
                self.send_word(place)?;
                self.shared.receive_word(at, core, address, word, self.net);
            }
            Place::Gpr(i) => self.shared.gprs[i] = word,
            Place::Config(INVALIDATE) => self.invalidate_code(at, word)?,
            Place::Config(i) => self.shared.config[i] = word,
            Place::TdmaGate => self.shared.tdma_gate = word,
            // A load waits for what was pushed before; the store before it does nothing.
            Place::DoneCheck => {}
            Place::OwnRam(_) => unreachable!("it is stored to above"),
        }
        Ok(())
    }

    /// A word goes into a FIFO, once there is room.
    pub(super) fn send_word(&mut self, place: Place) -> Result<(), Refusal> {
        let own = mailboxes::number(self.own.core).unwrap_or(0);
        match place {
            // Nothing happens to what a compute core stores there.
            Place::PcBuf(thread) if self.own.core == Core::B => {
                if self.shared.pcbufs[thread].is_full() {
                    return Err(self.hold_up());
                }
                self.shared.pcbufs[thread].leave();
            }
            Place::Mailbox { other, .. } => {
                if self.shared.mailboxes.is_full(own) {
                    return Err(self.hold_up());
                }
                self.shared.mailboxes.leave(own, other);
            }
            _ => {}
        }
        Ok(())
    }

    /// The core tries again when something has changed.
    fn hold_up(&mut self) -> Refusal {
        self.shared.held_up |= 1 << self.own.core.index();
        Refusal::Retry(NEVER)
    }

    fn something_changes(&mut self, at: Time) {
        self.shared.something_changes(at, self.net);
    }
}

impl Shared {
    /// A core stores to a semaphore.
    pub(super) fn store_semaphore(&mut self, address: u64, word: u32) {
        self.semaphores.store(((address - SEMAPHORES) / 4) as usize, word);
        self.watchers.written(address, 4);
    }

    /// A word that `core` has sent arrives in a FIFO.
    pub(super) fn receive_word(&mut self, at: Time, core: Core, address: u64, word: u32, net: &mut Net) {
        match map::place(core, address, Some(word)) {
            Ok(Place::PcBuf(thread)) if core == Core::B => self.pcbufs[thread].arrive(word),
            Ok(Place::Mailbox { other, .. }) => {
                self.mailboxes.arrive(mailboxes::number(core).unwrap_or(0), other, word);
            }
            _ => return,
        }
        self.something_changes(at, net);
    }

    /// Cores that a FIFO holds up look again, in the next cycle.
    fn something_changes(&mut self, at: Time, net: &mut Net) {
        if self.held_up != 0 {
            net.push(self.tile.0, self.tile, at + CYCLE, Body::LookAgain);
        }
    }

    /// What the reset of `core` empties (tensix.md §3).
    pub(super) fn empty_fifos(&mut self, core: Core) {
        self.held_up &= !(1 << core.index());
        self.mailboxes.reset(core);
        if let Some(thread) = core.thread() {
            self.pcbufs[thread].reset();
        }
    }

    /// Checks a store to a register without doing it.
    pub(super) fn check_store(&self, address: u64, net: &Net) -> Result<(), Violation> {
        match address {
            0xffb2_0000..0xffb4_0000 => {
                let niu = &self.nius[(address >> 16 & 1) as usize];
                let buffer = (address >> 11 & 0x1f) as usize;
                let own = net.map.home(self.tile).xy;
                let Some(registers) = niu.buffers.get(buffer) else { return Ok(()) };
                let command = registers.command(&net.map, niu.noc, self.tile, own)?;
                niu.check_transaction(buffer as u8, &command)
            }
            _ => streams::check_store(address & 0x3_ffff),
        }
    }
}
