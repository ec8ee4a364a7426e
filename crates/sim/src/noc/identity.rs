//! What every NIU says of itself and of its NoC: registers that firmware wrote once (tensix.md §4, host.md §3.2, §5.4).

use super::Noc;
use super::route::{HEIGHT, Raw, WIDTH};
use super::translate::{Kind, TileId, Topology};
use crate::fault::Violation;
use crate::message::{Body, Payload};
use crate::net::Net;
use crate::time::Time;

/// The NIUs of a tile that has them where a Tensix tile has.
pub(crate) const NIUS: std::ops::Range<u64> = 0xffb2_0000..0xffb4_0000;
/// The NIU of the tiles that show one, of the NoC in use; also at [`HIGH_NIUS`].
pub(crate) const HIGH_NIU: std::ops::Range<u64> = 0xffff_ffff_ff00_0000..0xffff_ffff_ff00_1000;
/// The same, where the ISA documentation has it.
pub(crate) const HIGH_NIUS: std::ops::Range<u64> = 0xffff_ffff_ffb2_0000..0xffff_ffff_ffb4_0000;

/// The NIU and the offset in it that an address over `noc` reaches, of a tile other than a Tensix.
pub(crate) fn register(noc: Noc, address: u64) -> Option<(Noc, u64)> {
    let of = |address: u64| (Noc::BOTH[(address >> 16 & 1) as usize], address & 0xffff);
    match address {
        _ if NIUS.contains(&address) || HIGH_NIUS.contains(&address) => Some(of(address)),
        _ if HIGH_NIU.contains(&address) => Some((noc, address & 0xffff)),
        _ => None,
    }
}

/// The register at `offset` of the NIU of `noc` of a tile at `raw`.
pub(crate) fn load(map: &Topology, noc: Noc, tile: TileId, raw: Raw, offset: u64) -> Option<u32> {
    let home = map.home(tile);
    Some(match offset {
        0x44 => node_id(noc, raw),
        0x48 => endpoint(home.kind, tile) | (noc.index() as u32) << 24,
        0x100 => 1 << 14 | u32::from(home.kind == Kind::Disabled) << 12,
        0x104 => 0,
        0x108 => opted_out(map, noc),
        0x110 => match noc {
            Noc::Zero => 0x3,
            Noc::One => 0xc00,
        },
        0x118..=0x12c => map.table_word(noc, false, (offset as usize - 0x118) / 4),
        0x130..=0x144 => map.table_word(noc, true, (offset as usize - 0x130) / 4),
        0x148 => home.xy.hi_word(),
        0x150 => 0,
        0x154 => 0x3,
        // The table for DRAM coordinates is not used (host.md §3.2).
        0x158..=0x170 => 0,
        _ => return None,
    })
}

/// Answers a read of a register of a NIU; requests are checked where they are made.
pub(crate) fn answer(tile: TileId, raw: Raw, at: Time, body: Body, net: &mut Net) {
    if let Body::Read { address, bytes, entry, reply } = body {
        let word = |i: u64| {
            let (noc, offset) = register(entry.noc, address + 4 * i)?;
            load(&net.map, noc, tile, raw, offset)
        };
        let words: Vec<u8> =
            (0..u64::from(bytes / 4)).flat_map(|i| word(i).unwrap_or(0).to_le_bytes()).collect();
        net.reply(tile, at, reply, Payload::new(&words));
    }
}

/// Applies a message to a disabled tile.
pub(crate) fn deliver(tile: TileId, at: Time, body: Body, net: &mut Net) -> Result<(), Violation> {
    answer(tile, net.map.home(tile).raw, at, body, net);
    Ok(())
}

/// True for an offset at which there is a register that [`load`] knows.
pub(crate) fn is_known(offset: u64) -> bool {
    matches!(offset, 0x44 | 0x48 | 0x100..=0x108 | 0x110..=0x148 | 0x150..=0x170) && offset.is_multiple_of(4)
}

/// NODE_ID: the physical coordinate on this NoC.
fn node_id(noc: Noc, raw: Raw) -> u32 {
    let (x, y, first) = match noc {
        Noc::Zero => (raw.x, raw.y, 1 << 28),
        Noc::One => (WIDTH - 1 - raw.x, HEIGHT - 1 - raw.y, 0),
    };
    u32::from(x) | u32::from(y) << 6 | u32::from(WIDTH) << 12 | u32::from(HEIGHT) << 19 | first
}

/// ENDPOINT_ID without its NoC: index and type (host.md §5.4).
fn endpoint(kind: Kind, tile: TileId) -> u32 {
    match kind {
        Kind::Tensix | Kind::Disabled => u32::from(tile.0 & 0xff) | 0x0100 << 8,
        Kind::L2Cpu(index) => u32::from(index) | 0x0901 << 8,
        Kind::Dram(channel) => u32::from(channel) | 0x0800 << 8,
        Kind::Pcie => 2 | 0x0300 << 8,
        Kind::Arc => 0x0500 << 8,
    }
}

/// Columns of `noc` that take no multicast: DRAM, the middle, and the disabled Tensix columns.
fn opted_out(map: &Topology, noc: Noc) -> u32 {
    let columns = map.homes.iter().filter(|home| home.kind == Kind::Tensix).map(|home| home.raw.x);
    columns.fold(0x1_ffff, |mask, x| mask & !(1 << if noc == Noc::Zero { x } else { WIDTH - 1 - x }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_id_is_the_physical_coordinate_of_each_noc() {
        assert_eq!(node_id(Noc::Zero, Raw::new(2, 0)), 0x1061_1002);
        assert_eq!(node_id(Noc::One, Raw::new(2, 0)), 0x0061_12ce);
    }
}
