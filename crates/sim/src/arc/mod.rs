//! The management core's tile (host.md §4): status, telemetry, message queues, the X280's reset and clock. Its firmware
//! is not simulated, what it left behind and what it answers is.

mod commands;
mod pll;
mod queues;
mod telemetry;

use crate::fault::{Rule, Violation};
use crate::message::{Body, Payload};
use crate::net::Net;
use crate::noc::latency::LOOKAHEAD;
use crate::noc::translate::{Kind, TileId, Topology};
use crate::noc::{Noc, identity};
use crate::time::{Time, cycle, from_nanos};
use commands::{Effect, Message};
use pll::Pll;
use queues::Queues;
use telemetry::Telemetry;

/// The window onto its memory, of which the telemetry table takes the beginning.
const CSM: std::ops::Range<u64> = 0x1000_0000..0x1008_0000;
/// PLL 4, which clocks the X280 clusters.
const PLL4: std::ops::Range<u64> = 0x8002_0500..0x8002_0600;
/// L2CPU_RESET.
const L2CPU_RESET: u64 = 0x8003_0014;
/// SCRATCH_RAM 0.
const SCRATCH: u64 = 0x8003_0400;
/// The 50 MHz reference counter, low and high.
const REFERENCE: [u64; 2] = [0x8003_00e0, 0x8003_00e4];
/// One cycle of it.
const REFERENCE_CYCLE: Time = cycle(50);
/// How long the X280's clock is the reference's while the firmware sets PLL 4 anew, four times. Not documented: an assumption.
const RELOCK: Time = from_nanos(20_000);
/// Where a write makes the firmware look at its queues: the MSI catcher, and the interrupt bits of ARC_MISC_CNTL.
const KICKS: [u64; 2] = [0x800b_0000, 0x8003_0100];
/// From a kick to the answer; not documented: an assumption.
const HANDLING: Time = from_nanos(10_000);
/// Its NIUs as it sees them itself.
const NIUS: [std::ops::Range<u64>; 2] = [0x8005_0000..0x8005_1000, 0x8005_8000..0x8005_9000];

/// SCRATCH 1: the power cable's limit in watts behind its mark (host.md §4.2).
const POWER_LIMIT: u32 = 0xcab1_0258;

/// True for addresses that answer.
pub(crate) fn is_mapped(address: u64) -> bool {
    CSM.contains(&address)
        || NIUS.iter().any(|niu| niu.contains(&address))
        || matches!(address, 0x8002_0000..0x8002_0600 | 0x8003_0000..0x8003_0500 | 0x800b_0000)
}

/// The tile.
#[derive(Clone)]
pub(crate) struct Arc {
    tile: TileId,
    pll: Pll,
    telemetry: Telemetry,
    queues: Queues,
    /// The answer to a message that takes time, and until when it does.
    answering: Option<(usize, Message)>,
    busy_until: Time,
    l2cpu_reset: u32,
    /// Whether any vote keeps the clusters' clock on.
    clocked: bool,
}

impl Arc {
    pub(crate) fn new(tile: TileId, net: &Net, board: komorebi_card::Board) -> Self {
        let telemetry = Telemetry::new(&net.map, board);
        Self {
            tile,
            pll: Pll::new(),
            telemetry,
            queues: Queues::new(),
            answering: None,
            busy_until: 0,
            l2cpu_reset: 0xf,
            clocked: false,
        }
    }

    /// A power message: the clusters' clock goes back to the firmware's 800 MHz by way of the reference's 50, or stops
    /// (host.md §4.4). How long the message takes.
    pub(crate) fn power(&mut self, at: Time, l2cpu: bool, net: &mut Net) -> Time {
        self.pll = Pll::new();
        self.clocked = l2cpu;
        if !l2cpu {
            self.set_clocks(at, net);
            return 0;
        }
        for cluster in 0..4 {
            self.set_clock(at, cluster, REFERENCE_CYCLE, net);
        }
        self.set_clocks(at + RELOCK, net);
        RELOCK
    }

    /// Applies a message.
    pub(crate) fn deliver(&mut self, at: Time, body: Body, net: &mut Net) -> Result<(), Violation> {
        match body {
            Body::Write { address, data, entry, ack, .. } => {
                let (words, _) = data.bytes().as_chunks::<4>();
                for (i, word) in words.iter().enumerate() {
                    self.store(at, address + 4 * i as u64, u32::from_le_bytes(*word), net)?;
                }
                if let Some(ack) = ack {
                    net.acknowledge(self.tile, at, entry.noc, ack);
                }
            }
            Body::Read { address, .. } if identity::register(Noc::Zero, address).is_some() => {
                identity::answer(self.tile, net.map.home(self.tile).raw, at, body, net);
            }
            Body::Read { address, bytes, reply, .. } => {
                let mut words = Vec::with_capacity(bytes as usize);
                for at_word in (address..address + u64::from(bytes)).step_by(4) {
                    words.extend_from_slice(&self.load(at, at_word, &net.map)?.to_le_bytes());
                }
                net.reply(self.tile, at, reply, Payload::new(&words));
            }
            Body::Messages => self.handle_messages(at, net)?,
            // Nothing else is ever sent here: requests are checked where they are made.
            _ => {}
        }
        Ok(())
    }

    fn load(&self, at: Time, address: u64, map: &Topology) -> Result<u32, Violation> {
        let reference = at / REFERENCE_CYCLE;
        let niu = NIUS.iter().position(|niu| niu.contains(&address));
        Ok(match address {
            _ if CSM.contains(&address) => {
                let offset = address - CSM.start;
                let queued = self.queues.load(CSM.start, offset);
                queued.unwrap_or_else(|| self.telemetry.word(offset, at, &self.pll, self.clocked))
            }
            _ if niu.is_some() => {
                let noc = Noc::BOTH[niu.unwrap_or(0)];
                let raw = map.home(self.tile).raw;
                identity::load(map, noc, self.tile, raw, address & 0xfff)
                    .ok_or_else(|| unknown("load", address))?
            }
            _ if PLL4.contains(&address) => {
                self.pll.load(address - PLL4.start).ok_or_else(|| unknown("load", address))?
            }
            0x8002_0040 => 0x1f, // every PLL is locked
            L2CPU_RESET => self.l2cpu_reset,
            a if a == REFERENCE[0] => reference as u32,
            a if a == REFERENCE[1] => (reference >> 32) as u32,
            SCRATCH.. => match (address - SCRATCH) / 4 {
                2 => 0x5, // BOOT_STATUS0: initialised, message queue ready
                11 => (CSM.start + Queues::BLOCK) as u32,
                12 => (CSM.start + Telemetry::DATA) as u32,
                13 => CSM.start as u32,
                _ => 0,
            },
            0x8003_0060 => 0,
            0x8003_0064 => POWER_LIMIT,
            _ if KICKS.contains(&address) => 0,
            _ => return Err(unknown("load", address)),
        })
    }

    fn store(&mut self, at: Time, address: u64, value: u32, net: &mut Net) -> Result<(), Violation> {
        match address {
            L2CPU_RESET => self.release(at, value, net),
            _ if PLL4.contains(&address) => {
                self.pll.store(address - PLL4.start, value)?;
                self.set_clocks(at, net);
                Ok(())
            }
            _ if CSM.contains(&address) && self.queues.store(address - CSM.start, value) => Ok(()),
            _ if CSM.contains(&address) => Err(Violation::new(
                Rule::ManagementMemory,
                format!("store of {value:#x} to CSM at {address:#x}"),
            )),
            // tt-umd sets one of the interrupt's bits, tt-kmd writes the catcher.
            _ if address == KICKS[0] || address == KICKS[1] && value & 0xf_0000 != 0 => {
                net.push(self.tile.0, self.tile, at + HANDLING, Body::Messages);
                Ok(())
            }
            _ => Err(unknown("store", address)),
        }
    }

    /// Answers the messages in the queues.
    fn handle_messages(&mut self, at: Time, net: &mut Net) -> Result<(), Violation> {
        if at < self.busy_until {
            return Ok(()); // it looks again then
        }
        if let Some((queue, answer)) = self.answering.take() {
            self.queues.answer(queue, answer);
        }
        while let Some((queue, request)) = self.queues.take() {
            let (answer, effect) = commands::handle(request);
            match effect {
                Effect::Nothing => {}
                Effect::Breaks => {
                    let detail = format!("message {:#x} in queue {queue}", request[0] & 0xff);
                    return Err(Violation::new(Rule::ManagementCommand, detail));
                }
                Effect::Power { l2cpu, tensix } => {
                    let took = self.power(at, l2cpu.unwrap_or(self.clocked), net);
                    if let Some(tensix) = tensix {
                        for tile in 0..net.map.cores() {
                            let tile = TileId(tile as u16);
                            net.push(self.tile.0, tile, at + LOOKAHEAD, Body::Gate { gated: !tensix });
                        }
                    }
                    if took > 0 {
                        (self.busy_until, self.answering) = (at + took, Some((queue, answer)));
                        net.push(self.tile.0, self.tile, at + took, Body::Messages);
                        return Ok(());
                    }
                }
            }
            self.queues.answer(queue, answer);
        }
        Ok(())
    }

    fn release(&mut self, at: Time, value: u32, net: &mut Net) -> Result<(), Violation> {
        let (old, detail) =
            (self.l2cpu_reset, format!("L2CPU_RESET {:#x} written over {:#x}", value, self.l2cpu_reset));
        if value & 0xf != 0xf || value & !0xff != 0 || old & !value != 0 {
            return Err(Violation::new(Rule::ResetBits, detail));
        }
        for cluster in (0..4u8).filter(|i| (value & !old) >> (4 + i) & 1 == 1) {
            let mhz = self.pll.mhz(usize::from(cluster));
            if !self.clocked || mhz == 0.0 || mhz > 200.0 {
                let detail = format!("{detail} with the X280 clock at {mhz} MHz");
                return Err(Violation::new(Rule::ReleaseClock, detail));
            }
            if let Some(tile) = net.map.find(Kind::L2Cpu(cluster)) {
                net.push(self.tile.0, tile, at + LOOKAHEAD, Body::Release);
            }
        }
        self.l2cpu_reset = value;
        Ok(())
    }

    fn set_clocks(&self, at: Time, net: &mut Net) {
        for cluster in 0..4u8 {
            let cycle = if self.clocked { self.pll.cycle(usize::from(cluster)) } else { 0 };
            self.set_clock(at, cluster, cycle, net);
        }
    }

    fn set_clock(&self, at: Time, cluster: u8, cycle: Time, net: &mut Net) {
        if let Some(tile) = net.map.find(Kind::L2Cpu(cluster)) {
            net.push(self.tile.0, tile, at + LOOKAHEAD, Body::Clock { cycle });
        }
    }
}

fn unknown(what: &str, address: u64) -> Violation {
    Violation::new(Rule::ArcRegister, format!("{what} of ARC register {address:#x}"))
}
