//! A request as a NIU's command buffer describes it (tensix.md §4), checked against the rules of the NoC.

use komorebi_card::{NocXy, Rect};

use crate::fault::{Rule, Violation};
use crate::noc::Noc;
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

/// Where a write goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Destination {
    One(Place),
    Many { tiles: Rect, include_self: bool },
}

/// What a request does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    /// Bytes of another tile into the own L1.
    Read { from: Place, address: u64, into: u64, bytes: u32 },
    /// Bytes of the own L1 to other tiles.
    Write { from: u64, to: Destination, address: u64, bytes: u32, acked: bool },
    /// One register of other tiles.
    Inline { to: Destination, address: u64, value: u32, acked: bool },
    /// Increments a word of another L1; the old value goes to the own L1.
    Increment { to: Place, address: u64, operand: u32, width: u8, into: u64 },
}

/// A request on its way out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command {
    pub(crate) operation: Operation,
    pub(crate) transaction: u8,
    /// The static virtual channel that keeps it in order with others, if any.
    pub(crate) channel: Option<u8>,
}

impl Operation {
    /// Bytes of data in the request's packet.
    pub(crate) fn bytes(&self) -> u32 {
        match self {
            Self::Write { bytes, .. } => *bytes,
            _ => 4,
        }
    }
}

impl Registers {
    /// Reads the request out of the registers of a NIU of `noc` at `own`.
    pub(crate) fn command(&self, map: &Topology, noc: Noc, own: NocXy) -> Result<Command, Violation> {
        let control = self.control;
        let flag = |bit: u32| control >> bit & 1 == 1;
        if control & !0x0003_ffff != 0 {
            return Err(Violation::new(
                Rule::ControlWord,
                format!("NIU control {control:#x} has bits above 17"),
            ));
        }
        if flag(5) != flag(8) {
            return Err(Violation::new(Rule::PathReserve, format!("NIU control {control:#x}")));
        }
        let operation = match (control & 3, flag(3)) {
            (0, false) => self.read(map, noc, own)?,
            (1, false) if !flag(5) => self.increment(map, noc, own)?,
            (2, false) if !flag(2) => self.write(map, noc, own)?,
            (2, true) => self.inline(map, noc, own)?,
            _ => return Err(Violation::new(Rule::ControlWord, format!("NIU control {control:#x}"))),
        };
        let channel = flag(7).then_some((control >> 13 & 7) as u8);
        Ok(Command { operation, transaction: (self.tag >> 10 & 15) as u8, channel })
    }

    fn read(&self, map: &Topology, noc: Noc, own: NocXy) -> Result<Operation, Violation> {
        let (address, into, bytes) = (address(self.target), address(self.ret), self.packet()?);
        let from = place(map, noc, self.target[2])?;
        is_own(own, self.ret, "RET of a read")?;
        let kind = map.home(from.tile).kind;
        target::check(kind, address, u64::from(bytes), Access::Read)?;
        target::check(Kind::Tensix, into, u64::from(bytes), Access::OwnL1)?;
        let modulus = match kind {
            Kind::Dram(_) | Kind::Pcie => 64,
            _ if target::is_register(kind, address) => 4,
            _ => 16,
        };
        congruent(address, into, modulus)?;
        Ok(Operation::Read { from, address, into, bytes })
    }

    fn write(&self, map: &Topology, noc: Noc, own: NocXy) -> Result<Operation, Violation> {
        let (from, address, bytes) = (address(self.target), address(self.ret), self.packet()?);
        is_own(own, self.target, "TARG of a write")?;
        let (to, kind) = self.destination(map, noc, self.ret[2])?;
        target::check(kind, address, u64::from(bytes), Access::Write)?;
        target::check(Kind::Tensix, from, u64::from(bytes), Access::OwnL1)?;
        congruent(from, address, if target::is_register(kind, address) { 4 } else { 16 })?;
        Ok(Operation::Write { from, to, address, bytes, acked: self.control >> 4 & 1 == 1 })
    }

    fn inline(&self, map: &Topology, noc: Noc, own: NocXy) -> Result<Operation, Violation> {
        let address = address(self.target);
        is_own(own, self.ret, "RET of an inline write")?;
        let (to, kind) = self.destination(map, noc, self.target[2])?;
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

    fn increment(&self, map: &Topology, noc: Noc, own: NocXy) -> Result<Operation, Violation> {
        let (address, into) = (address(self.target), address(self.ret));
        let to = place(map, noc, self.target[2])?;
        is_own(own, self.ret, "RET of an atomic")?;
        let kind = map.home(to.tile).kind;
        if kind != Kind::Tensix || address >= target::L1_BYTES {
            let detail = format!("NoC atomic on {address:#x} of a {kind:?} tile");
            return Err(Violation::new(Rule::AtomicPlace, detail));
        }
        let word = self.length[0];
        let lane = u64::from(word & 3);
        if word >> 12 != 1 || word & 0xf80 != 0 || address & 3 != 0 || lane != address >> 2 & 3 {
            let detail = format!("NoC atomic {word:#x} on {address:#x}");
            return Err(Violation::new(Rule::AtomicForm, detail));
        }
        target::check(Kind::Tensix, address, 4, Access::Write)?;
        target::check(Kind::Tensix, into, 4, Access::OwnL1)?;
        Ok(Operation::Increment { to, address, operand: self.data, width: (word >> 2 & 31) as u8 + 1, into })
    }

    fn packet(&self) -> Result<u32, Violation> {
        let bytes = self.length[0];
        if bytes == 0 || bytes > PACKET || self.length[1] != 0 {
            return Err(Violation::new(Rule::PacketSize, format!("packet of {bytes} bytes")));
        }
        Ok(bytes)
    }

    fn destination(&self, map: &Topology, noc: Noc, hi: u32) -> Result<(Destination, Kind), Violation> {
        if self.control >> 5 & 1 == 0 {
            let place = place(map, noc, hi)?;
            return Ok((Destination::One(place), map.home(place.tile).kind));
        }
        let tiles = rectangle(noc, hi)?;
        if self.exclude != 0 {
            return Err(Violation::new(Rule::Exclusion, format!("BRCST_EXCLUDE {:#x}", self.exclude)));
        }
        if map.tensix_in(tiles).next().is_none() {
            let detail = format!("multicast to {} .. {}", tiles.start, tiles.end);
            return Err(Violation::new(Rule::NoReceiver, detail));
        }
        Ok((Destination::Many { tiles, include_self: self.control >> 17 & 1 == 1 }, Kind::Tensix))
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

/// The rectangle a multicast HI register names: NoC 0 begins at its least corner, NoC 1 at its greatest.
pub(crate) fn rectangle(noc: Noc, hi: u32) -> Result<Rect, Violation> {
    let (end, start) = (corner(hi), corner(hi >> 12));
    let rect = match noc {
        Noc::Zero => Rect { start, end },
        Noc::One => Rect { start: end, end: start },
    };
    if rect.start.x > rect.end.x || rect.start.y > rect.end.y {
        let detail = format!("multicast from {start} to {end} on NoC {}", noc.index());
        return Err(Violation::new(Rule::RectangleCorner, detail));
    }
    Ok(rect)
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

/// The tiles of a rectangle, without an allocation.
pub(crate) struct Tiles {
    tiles: [TileId; 140],
    used: usize,
    next: usize,
}

impl FromIterator<TileId> for Tiles {
    fn from_iter<I: IntoIterator<Item = TileId>>(iter: I) -> Self {
        let mut tiles = Self { tiles: [TileId(0); 140], used: 0, next: 0 };
        for tile in iter {
            tiles.tiles[tiles.used] = tile;
            tiles.used += 1;
        }
        tiles
    }
}

impl Iterator for Tiles {
    type Item = TileId;

    fn next(&mut self) -> Option<TileId> {
        let tile = *self.tiles[..self.used].get(self.next)?;
        self.next += 1;
        Some(tile)
    }
}
