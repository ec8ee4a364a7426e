//! One NIU: four command buffers, counters and identity registers (tensix.md §4).

use rustc_hash::FxHashMap;

use super::command::{Command, Registers};
use crate::fault::{Rule, Violation};
use crate::noc::Noc;
use crate::noc::identity;
use crate::noc::translate::{TileId, Topology};
use crate::time::{Time, from_nanos};

/// Counter numbers (offset `0x200 + 4 i`).
pub(crate) mod counter {
    pub(crate) const ATOMIC_RESPONSES: usize = 0;
    pub(crate) const WRITE_ACKS: usize = 1;
    pub(crate) const READ_RESPONSES: usize = 2;
    pub(crate) const READ_WORDS: usize = 3;
    pub(crate) const COMMANDS: usize = 4;
    pub(crate) const READS_SENT: usize = 5;
    /// Posted ones, 7, there are none: all are answered.
    pub(crate) const ATOMICS_SENT: usize = 6;
    pub(crate) const ACKED_WORDS: usize = 8;
    pub(crate) const POSTED_WORDS: usize = 9;
    pub(crate) const ACKED_SENT: usize = 0xa;
    pub(crate) const POSTED_SENT: usize = 0xb;
    pub(crate) const ACKED_STARTED: usize = 0xc;
    pub(crate) const POSTED_STARTED: usize = 0xd;
    pub(crate) const READS_STARTED: usize = 0xe;
    pub(crate) const ATOMICS_STARTED: usize = 0xf;
    /// Outstanding requests of each transaction id; 8 bits, kept whole.
    pub(crate) const OUTSTANDING: usize = 0x10;
    /// Writes of each transaction id that have not left; the same.
    pub(crate) const LEAVING: usize = 0x20;
    /// The first of the receiving side's: atomics answered, writes acknowledged, reads answered, flits of their data, then
    /// requests accepted, reads, atomics, posted atomics, and of acknowledged and of posted writes flits, packets, and
    /// packets begun (the ISA documentation's page of NIU counters).
    pub(crate) const RECEIVED: usize = 0x30;
    /// Counters in the register file.
    pub(crate) const COUNT: usize = 0x40;
}

/// The channel of a transaction whose requests name none: a place of its own in the order.
const LINKED: u8 = 7;

/// How many microseconds a linked transaction may go without a request: fifty of the longest packets. On silicon it is to be closed promptly
/// (tensix.md §4); requests that belong together are sent within some hundred cycles.
const LINKED_MICROS: u64 = 10;
const LINKED_BOUND: Time = from_nanos(1_000 * LINKED_MICROS);

/// The offset of CMD_CTRL in a command buffer.
pub(crate) const CMD_CTRL: u64 = 0x40;
/// The offset of the register that clears the outstanding requests of transaction ids.
pub(crate) const CLEAR_OUTSTANDING: u64 = 0x60;
/// The offset of the counters.
pub(crate) const COUNTERS: u64 = 0x200;

/// What a store to a NIU asks for.
pub(crate) enum Asked {
    Nothing,
    /// The request in this buffer goes out.
    Send(u8),
    /// Counters of outstanding requests are 0.
    Cleared,
}

/// A NIU's state.
#[derive(Clone)]
pub(crate) struct Niu {
    pub(crate) noc: Noc,
    pub(crate) buffers: [Registers; 4],
    /// When the request of each buffer is accepted that is not yet.
    waiting: [Option<Time>; 4],
    /// The destination and channel of the transaction that a linked request left open.
    open: Option<(u32, Option<u8>)>,
    /// When the last linked request has left, and whether the tile looks again some time after.
    linked_at: Time,
    looks_again: bool,
    pub(crate) counters: [u32; counter::COUNT],
    /// When its port to the router is free for requests.
    pub(crate) free_at: Time,
    /// The same for answers to reads of others.
    pub(crate) answers_free_at: Time,
    /// The last arrival on each static channel, by the number of the tile that it was at.
    order: FxHashMap<u16, [Time; 8]>,
}

impl Niu {
    pub(crate) fn new(noc: Noc) -> Self {
        Self {
            noc,
            buffers: [Registers::default(); 4],
            waiting: [None; 4],
            open: None,
            linked_at: 0,
            looks_again: false,
            counters: [0; counter::COUNT],
            free_at: 0,
            answers_free_at: 0,
            order: FxHashMap::default(),
        }
    }

    /// The address of counter `i` as a core sees it.
    #[inline]
    pub(crate) fn counter_address(&self, i: usize) -> u64 {
        self.base() + COUNTERS + 4 * i as u64
    }

    /// The address of the NIU as a core sees it.
    #[inline]
    pub(crate) fn base(&self) -> u64 {
        0xffb2_0000 + 0x1_0000 * self.noc.index() as u64
    }

    /// True while the request of `buffer` is not accepted, and for a buffer that there is not.
    pub(super) fn is_busy(&self, buffer: usize) -> bool {
        self.waiting.get(buffer).is_none_or(Option::is_some)
    }

    /// The request of `buffer` is accepted at `start`.
    pub(super) fn accept(&mut self, buffer: u8, start: Time, now: Time) {
        self.waiting[usize::from(buffer)] = (start > now).then_some(start);
    }

    /// A packet has left: the buffers whose requests are accepted with that.
    pub(super) fn start_next(&mut self, at: Time) -> impl Iterator<Item = u64> + use<> {
        let mut freed = [false; 4];
        for (waiting, freed) in self.waiting.iter_mut().zip(&mut freed) {
            *freed = waiting.take_if(|start| *start <= at).is_some();
        }
        (0..4u64).zip(freed).filter_map(|(buffer, freed)| freed.then_some(buffer))
    }

    /// Checks a request against the transaction that the one before left open.
    pub(super) fn check_transaction(&self, buffer: u8, command: &Command) -> Result<(), Violation> {
        let to = self.destination(buffer);
        match self.open {
            Some((open, channel))
                if open != to
                    || (command.channel.is_some() && command.channel != channel && channel.is_some()) =>
            {
                let detail = format!("request to {to:#x} behind a linked one to {open:#x}");
                Err(Violation::new(Rule::LinkedChain, detail))
            }
            _ => Ok(()),
        }
    }

    /// Checks a request against the transaction that the one before left open, and takes it into it.
    pub(super) fn in_transaction(&mut self, buffer: u8, mut command: Command) -> Result<Command, Violation> {
        self.check_transaction(buffer, &command)?;
        if let Some((_, channel)) = self.open {
            command.channel = channel.or(Some(LINKED));
        } else if command.linked {
            command.channel = command.channel.or(Some(LINKED));
        }
        let to = self.destination(buffer);
        self.open = command.linked.then_some((to, command.channel.filter(|channel| *channel != LINKED)));
        Ok(command)
    }

    /// Where the request of a buffer goes: its upper word.
    fn destination(&self, buffer: u8) -> u32 {
        let registers = &self.buffers[usize::from(buffer)];
        let is_write = registers.control & 0xb == 2;
        if is_write { registers.ret[2] } else { registers.target[2] }
    }

    /// A linked request leaves at `at`: gives when to look whether the transaction was closed, unless somebody will.
    pub(super) fn link(&mut self, at: Time) -> Option<Time> {
        self.linked_at = at;
        (!std::mem::replace(&mut self.looks_again, true)).then_some(at + LINKED_BOUND)
    }

    /// Looks whether a linked transaction was closed; gives when to look again.
    pub(super) fn look_at_link(&mut self, at: Time) -> Result<Option<Time>, Violation> {
        self.looks_again = false;
        let Some((to, _)) = self.open else { return Ok(None) };
        let end = self.linked_at + LINKED_BOUND;
        if at < end {
            self.looks_again = true;
            return Ok(Some(end));
        }
        let noc = self.noc.index();
        let detail = format!("no request to {to:#x} for {LINKED_MICROS} us behind a linked one on NoC {noc}");
        Err(Violation::new(Rule::LinkedForLong, detail))
    }

    /// What a counter of 8 bits shows.
    ///
    /// # Errors
    /// A core's look at one that shows too few.
    fn look(&self, i: usize, by_core: bool) -> Result<u32, Violation> {
        let (count, shown) = (self.counters[i], self.counters[i] & 0xff);
        // Multicasts, which are acknowledged more than once, and a mask take it below 0: then it never meant anything.
        if by_core && (256..1 << 31).contains(&count) {
            let what =
                if i < counter::LEAVING { "outstanding requests" } else { "writes that have not left" };
            let detail = format!("load of NIU counter {i:#x}, which shows {shown} of {count} {what}");
            return Err(Violation::new(Rule::LostCount, detail));
        }
        Ok(shown)
    }

    /// Keeps an arrival at `tile` behind the earlier ones on the same static channel.
    pub(crate) fn in_order(&mut self, tile: TileId, channel: Option<u8>, arrival: Time) -> Time {
        let Some(channel) = channel else { return arrival };
        let last = &mut self.order.entry(tile.0).or_default()[usize::from(channel)];
        *last = arrival.max(*last + 1);
        *last
    }

    /// Loads the register at `offset` of the NIU of `tile`, for one of its cores or for the NoC.
    pub(crate) fn load(
        &self,
        map: &Topology,
        tile: TileId,
        offset: u64,
        by_core: bool,
    ) -> Result<u32, Violation> {
        let (buffer, register) = ((offset >> 11) as usize, offset & 0x7ff);
        let unknown = || Violation::new(Rule::NiuRegister, format!("load of NIU register {offset:#x}"));
        let registers = self.buffers.get(buffer).ok_or_else(unknown)?;
        let value = match register {
            0x00..=0x08 => registers.target[register as usize / 4],
            0x0c..=0x14 => registers.ret[register as usize / 4 - 3],
            0x18 => registers.tag,
            0x1c => registers.control,
            0x20 | 0x24 => registers.length[register as usize / 4 - 8],
            0x28 => registers.data,
            0x2c => registers.exclude,
            0x30 => registers.accumulate,
            0x34 => registers.secure,
            CMD_CTRL => u32::from(self.waiting[buffer].is_some()),
            0x44 | 0x48 => {
                return identity::load(map, self.noc, tile, map.home(tile).raw, register).ok_or_else(unknown);
            }
            _ if buffer != 0 => return Err(unknown()),
            0x64 => 4,
            0x68 => 0,
            0x240..=0x2bc => self.look((register as usize - 0x200) / 4, by_core)?,
            0x200..=0x2fc => self.counters[(register as usize - 0x200) / 4],
            _ => {
                return identity::load(map, self.noc, tile, map.home(tile).raw, register).ok_or_else(unknown);
            }
        };
        Ok(value)
    }

    /// Stores to the register at `offset`.
    pub(crate) fn store(&mut self, offset: u64, value: u32) -> Result<Asked, Violation> {
        let (buffer, register) = ((offset >> 11) as usize, offset & 0x7ff);
        let refuse =
            |rule| Err(Violation::new(rule, format!("store of {value:#x} to NIU register {offset:#x}")));
        let Some(registers) = self.buffers.get_mut(buffer) else {
            return refuse(Rule::NiuRegister);
        };
        if register <= CMD_CTRL && self.waiting[buffer].is_some() {
            return refuse(Rule::NiuBusy);
        }
        match register {
            0x00..=0x08 => registers.target[register as usize / 4] = value,
            0x0c..=0x14 => registers.ret[register as usize / 4 - 3] = value,
            0x18 => registers.tag = value,
            0x1c => registers.control = value,
            0x20 | 0x24 => registers.length[register as usize / 4 - 8] = value,
            0x28 => registers.data = value,
            0x2c => registers.exclude = value,
            0x30 => registers.accumulate = value,
            0x34 => registers.secure = value,
            CMD_CTRL if value == 1 => return Ok(Asked::Send(buffer as u8)),
            CMD_CTRL => return refuse(Rule::NiuSend),
            CLEAR_OUTSTANDING if buffer == 0 => {
                for id in (0..16).filter(|id| value >> id & 1 == 1) {
                    self.counters[counter::OUTSTANDING + id] = 0;
                }
                return Ok(Asked::Cleared);
            }
            _ => return refuse(Rule::NiuReadOnly),
        }
        Ok(Asked::Nothing)
    }
}
