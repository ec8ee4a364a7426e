//! A request as a NIU's command buffer describes it (tensix.md §4), checked against the rules of the NoC.

use komorebi_card::NocXy;

use super::atomic::Atomic;
use crate::fault::{Rule, Violation};
use crate::message::ALL_BYTES;
use crate::noc::Noc;
use crate::noc::links::{Ticket, Towards};
use crate::noc::multicast::{self, Exclusion, Tiles};
use crate::noc::path::Axis;
use crate::noc::translate::{Kind, Place, TileId, Topology};
use crate::target::{self, Access};

/// The longest packet.
pub(crate) const PACKET: u32 = 16384;

/// The registers of one command buffer, as they were written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Registers {
    pub(crate) target: [u32; 3],
    pub(crate) ret: [u32; 3],
    pub(crate) tag: u32,
    pub(crate) control: u32,
    pub(crate) length: [u32; 2],
    pub(crate) data: u32,
    pub(crate) exclude: u32,
    pub(crate) accumulate: u32,
    pub(crate) secure: u32,
}

/// Where a request goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Destination {
    One(Place),
    Many(Tiles),
}

/// What a request does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    /// Bytes of another tile into the own L1.
    Read { from: Place, address: u64, into: u64, bytes: u32 },
    /// Bytes of the own L1 to other tiles; of them those that `enables` has a bit for.
    Write { from: u64, to: Destination, address: u64, bytes: u32, enables: u64, acked: bool },
    /// One register of other tiles.
    Inline { to: Destination, address: u64, value: u32, acked: bool },
    /// Changes a word of another L1; the old value goes to the own L1.
    Atomic { to: Destination, address: u64, atomic: Atomic, into: u64 },
}

/// A request on its way out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command {
    pub(crate) operation: Operation,
    pub(crate) transaction: u8,
    /// The static virtual channel that keeps it in order with others, if any.
    pub(crate) channel: Option<u8>,
    /// Whether the next request of the NIU belongs to the same transaction.
    pub(crate) linked: bool,
    /// The axis along which a multicast fans out.
    pub(crate) major: Axis,
    /// What each of its packets asks with, where it arrives, whether it had to wait.
    pub(crate) ticket: Option<Ticket>,
}

impl Command {
    /// Where its packets go.
    pub(crate) fn towards(&self) -> Towards {
        let to = match self.operation {
            Operation::Read { from, .. } => Destination::One(from),
            Operation::Write { to, .. } | Operation::Inline { to, .. } | Operation::Atomic { to, .. } => to,
        };
        match to {
            Destination::One(place) => Towards::One(place),
            Destination::Many(tiles) => Towards::Many(self.major, tiles),
        }
    }
}

impl Operation {
    /// Bytes of data behind the header of the request's packet.
    pub(crate) fn data(&self) -> u64 {
        match self {
            Self::Write { bytes, .. } => u64::from(*bytes),
            // The header has room for what the others carry.
            _ => 0,
        }
    }

    /// The first packet of a request longer than one, and what is left of it.
    pub(crate) fn split(self) -> (Self, Option<Self>) {
        let step = u64::from(PACKET);
        match self {
            Self::Read { from, address, into, bytes } if bytes > PACKET => (
                Self::Read { from, address, into, bytes: PACKET },
                Some(Self::Read { from, address: address + step, into: into + step, bytes: bytes - PACKET }),
            ),
            Self::Write { from, to, address, bytes, enables, acked } if bytes > PACKET => {
                let part = |by, bytes| Self::Write {
                    from: from + by,
                    to,
                    address: address + by,
                    bytes,
                    enables,
                    acked,
                };
                (part(0, PACKET), Some(part(step, bytes - PACKET)))
            }
            _ => (self, None),
        }
    }
}

impl Registers {
    /// Reads the request out of the registers of a NIU of `noc` at `own`.
    pub(crate) fn command(
        &self,
        map: &Topology,
        noc: Noc,
        tile: TileId,
        own: NocXy,
    ) -> Result<Command, Violation> {
        let control = self.control;
        let flag = |bit: u32| control >> bit & 1 == 1;
        self.check_control()?;
        let operation = match (control & 3, flag(3)) {
            (0, false) if !flag(5) => self.read(map, noc, own)?,
            (1, false) => self.atomic(map, noc, tile, own)?,
            (2, false) => self.write(map, noc, tile, own)?,
            (2, true) if !flag(2) => self.inline(map, noc, tile, own)?,
            _ => return Err(Violation::new(Rule::ControlWord, format!("NIU control {control:#x}"))),
        };
        let channel = flag(7).then_some((control >> 13 & 7) as u8);
        let major = if flag(16) { Axis::Y } else { Axis::X };
        let transaction = (self.tag >> 10 & 15) as u8;
        Ok(Command { operation, transaction, channel, linked: flag(6), major, ticket: None })
    }

    /// Brings the registers to the last packet of a request longer than one, as the hardware leaves them; false when they are
    /// there.
    pub(crate) fn advance(&mut self) -> bool {
        let transfer = matches!(self.control & 0xf, 0 | 2);
        let is_long = transfer && self.length[1] == 0 && self.length[0] > PACKET;
        if is_long {
            let sent = (self.length[0] - 1) / PACKET * PACKET;
            self.target[0] = self.target[0].wrapping_add(sent);
            self.ret[0] = self.ret[0].wrapping_add(sent);
            self.length[0] -= sent;
        }
        is_long
    }

    /// Checks what every request's control word and tag have to keep to.
    fn check_control(&self) -> Result<(), Violation> {
        let control = self.control;
        let flag = |bit: u32| control >> bit & 1 == 1;
        let refuse = |rule| Err(Violation::new(rule, format!("NIU control {control:#x}")));
        if flag(31) {
            return refuse(Rule::Accumulate);
        }
        if control & 0x7ffc_1c00 != 0 {
            let detail = format!("NIU control {control:#x} has bits above 17, or reserved ones");
            return Err(Violation::new(Rule::ControlWord, detail));
        }
        if flag(5) != flag(8) {
            return refuse(Rule::PathReserve);
        }
        let class = control >> 14 & 3;
        if flag(7) && (class == 2) != flag(5) || class == 3 {
            return refuse(Rule::ChannelClass);
        }
        if self.tag & 0x3c0 != 0 {
            return Err(Violation::new(Rule::PacketTag, format!("NIU packet tag {:#x}", self.tag)));
        }
        Ok(())
    }

    fn read(&self, map: &Topology, noc: Noc, own: NocXy) -> Result<Operation, Violation> {
        let (address, into, bytes) = (address(self.target), address(self.ret), self.length[0]);
        let from = place(map, noc, self.target[2])?;
        is_own(own, self.ret, "RET of a read")?;
        self.check_length(address, into)?;
        let kind = map.home(from.tile).kind;
        target::check(kind, address, u64::from(bytes), Access::Read)?;
        target::check(Kind::Tensix, into, u64::from(bytes), Access::OwnL1)?;
        let modulus = match kind {
            _ if target::is_register(kind, address) => 4,
            Kind::Dram(_) | Kind::Pcie => 64,
            _ => 16,
        };
        congruent(address, into, modulus)?;
        Ok(Operation::Read { from, address, into, bytes })
    }

    fn write(&self, map: &Topology, noc: Noc, tile: TileId, own: NocXy) -> Result<Operation, Violation> {
        let (from, address) = (address(self.target), address(self.ret));
        is_own(own, self.target, "TARG of a write")?;
        let (to, kind) = self.destination(map, noc, tile, self.ret[2])?;
        let acked = self.control >> 4 & 1 == 1;
        if self.control >> 2 & 1 == 1 {
            return self.enabled_write(from & !15, to, kind, address, acked);
        }
        let bytes = self.length[0];
        self.check_length(address, from)?;
        target::check(kind, address, u64::from(bytes), Access::Write)?;
        target::check(Kind::Tensix, from, u64::from(bytes), Access::OwnL1)?;
        congruent(from, address, if target::is_register(kind, address) { 4 } else { 16 })?;
        Ok(Operation::Write { from, to, address, bytes, enables: ALL_BYTES, acked })
    }

    /// A write of up to 64 bytes, of which AT_LEN_BE and AT_LEN_BE_1 have a bit each, from the line that the address is in.
    fn enabled_write(
        &self,
        from: u64,
        to: Destination,
        kind: Kind,
        address: u64,
        acked: bool,
    ) -> Result<Operation, Violation> {
        let enables = u64::from(self.length[1]) << 32 | u64::from(self.length[0]);
        let bytes = 64 - enables.leading_zeros();
        if kind != Kind::Tensix || address >= target::L1_BYTES || bytes == 0 {
            let detail = format!("write of the bytes {enables:#x} from {address:#x} of a {kind:?} tile");
            return Err(Violation::new(Rule::ByteEnables, detail));
        }
        let address = address & !15;
        target::check(kind, address, u64::from(bytes), Access::Write)?;
        target::check(Kind::Tensix, from, u64::from(bytes), Access::OwnL1)?;
        Ok(Operation::Write { from, to, address, bytes, enables, acked })
    }

    fn inline(&self, map: &Topology, noc: Noc, tile: TileId, own: NocXy) -> Result<Operation, Violation> {
        let address = address(self.target);
        is_own(own, self.ret, "RET of an inline write")?;
        let (to, kind) = self.destination(map, noc, tile, self.target[2])?;
        if kind == Kind::Tensix && address < target::L1_BYTES {
            let detail = format!("inline write of {:#x} to L1 address {address:#x}", self.data);
            return Err(Violation::new(Rule::InlineToL1, detail));
        }
        target::check(kind, address, 4, Access::Write)?;
        let enables = 0xf << (address & 12);
        if self.length[0] != enables {
            let detail = format!("inline write to {address:#x} with byte enables {:#x}", self.length[0]);
            return Err(Violation::new(Rule::ByteEnables, detail));
        }
        Ok(Operation::Inline { to, address, value: self.data, acked: self.control >> 4 & 1 == 1 })
    }

    fn atomic(&self, map: &Topology, noc: Noc, tile: TileId, own: NocXy) -> Result<Operation, Violation> {
        let (address, into) = (address(self.target), address(self.ret));
        let (to, kind) = self.destination(map, noc, tile, self.target[2])?;
        is_own(own, self.ret, "RET of an atomic")?;
        if kind != Kind::Tensix || address >= target::L1_BYTES {
            let detail = format!("NoC atomic on {address:#x} of a {kind:?} tile");
            return Err(Violation::new(Rule::AtomicPlace, detail));
        }
        let atomic = Atomic::decode(self.length[0], self.data, address)?;
        target::check(Kind::Tensix, address & !15, 16, Access::Write)?;
        target::check(Kind::Tensix, into, 4, Access::OwnL1)?;
        if into & 3 != 0 {
            return Err(Violation::new(Rule::AtomicForm, format!("NoC atomic that answers to {into:#x}")));
        }
        Ok(Operation::Atomic { to, address, atomic, into })
    }

    /// Checks the length of a transfer between `a` and `b`.
    fn check_length(&self, a: u64, b: u64) -> Result<(), Violation> {
        let bytes = self.length[0];
        if bytes == 0 || self.length[1] != 0 {
            let detail = format!("packet of {bytes} bytes, AT_LEN_BE_1 {:#x}", self.length[1]);
            return Err(Violation::new(Rule::PacketSize, detail));
        }
        if bytes > PACKET && (a | b) & 63 != 0 {
            let detail = format!(
                "packet of {bytes} bytes, which is split between multiples of 64 only, between {a:#x} and {b:#x}"
            );
            return Err(Violation::new(Rule::PacketSize, detail));
        }
        Ok(())
    }

    fn destination(
        &self,
        map: &Topology,
        noc: Noc,
        tile: TileId,
        hi: u32,
    ) -> Result<(Destination, Kind), Violation> {
        if self.control >> 5 & 1 == 0 {
            let place = place(map, noc, hi)?;
            return Ok((Destination::One(place), map.home(place.tile).kind));
        }
        let Ok(excluded) = Exclusion::decode(self.exclude) else {
            return Err(Violation::new(Rule::Exclusion, format!("BRCST_EXCLUDE {:#x}", self.exclude)));
        };
        let mut tiles = multicast_tiles(map, noc, hi, excluded)?;
        if self.control >> 17 & 1 == 0 {
            tiles.remove(tile);
        }
        Ok((Destination::Many(tiles), Kind::Tensix))
    }
}

fn address(register: [u32; 3]) -> u64 {
    u64::from(register[1]) << 32 | u64::from(register[0])
}

/// The coordinate in the low half of a HI register.
pub(crate) fn corner(hi: u32) -> NocXy {
    NocXy::new((hi & 63) as u8, (hi >> 6 & 63) as u8)
}

/// The tile a unicast HI register names.
pub(crate) fn place(map: &Topology, noc: Noc, hi: u32) -> Result<Place, Violation> {
    let xy = corner(hi);
    map.place(noc, xy).ok_or_else(|| {
        Violation::new(Rule::AbsentTile, format!("NoC request to {xy}, where there is no enabled tile"))
    })
}

/// The Tensix tiles that a multicast HI register names: NoC 0 begins at its least corner, NoC 1 at its greatest; from a
/// start behind the end it goes around the torus.
pub(crate) fn rectangle(map: &Topology, noc: Noc, hi: u32) -> Result<Tiles, Violation> {
    multicast_tiles(map, noc, hi, None)
}

fn multicast_tiles(
    map: &Topology,
    noc: Noc,
    hi: u32,
    excluded: Option<Exclusion>,
) -> Result<Tiles, Violation> {
    let (end, start) = (corner(hi), corner(hi >> 12));
    let refuse =
        |rule| Err(Violation::new(rule, format!("multicast from {start} to {end} on NoC {}", noc.index())));
    match multicast::tiles(map, noc, start, end, excluded) {
        None => refuse(Rule::RectangleCorner),
        Some(tiles) if tiles.is_empty() => refuse(Rule::NoReceiver),
        Some(tiles) => Ok(tiles),
    }
}

fn is_own(own: NocXy, register: [u32; 3], what: &str) -> Result<(), Violation> {
    if register[1] == 0 && register[2] == own.hi_word() {
        return Ok(());
    }
    let detail = format!("{what} names mid {:#x}, hi {:#x}, not {own}", register[1], register[2]);
    Err(Violation::new(Rule::NearEnd, detail))
}

fn congruent(a: u64, b: u64, modulus: u64) -> Result<(), Violation> {
    if a % modulus == b % modulus {
        return Ok(());
    }
    Err(Violation::new(
        Rule::Alignment,
        format!("transfer between {a:#x} and {b:#x}, which differ modulo {modulus}"),
    ))
}
