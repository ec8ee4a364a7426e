//! From a translated coordinate to the tile behind it, as the tables of every NIU do (host.md §3).
//!
//! The tables the card's firmware writes are reproduced, aliases included, rather than a list of special cases.

use komorebi_card::{Board, NocXy, Rect, TENSIX_ROWS};

use super::Noc;
use super::route::{HEIGHT, Raw, WIDTH};

/// A simulated tile: an index into the machine's tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TileId(pub(crate) u16);

impl TileId {
    #[inline]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What sits at a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A Tensix tile.
    Tensix,
    /// X280 cluster of this number.
    L2Cpu(u8),
    /// DRAM channel of this number.
    Dram(u8),
    /// The PCIe instance wired to the host.
    Pcie,
    /// The management core.
    Arc,
    /// A disabled Tensix tile: nothing but its NIUs answers.
    Disabled,
}

/// Where a coordinate leads: a tile, through the router at `raw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) tile: TileId,
    pub(crate) raw: Raw,
    /// Which port of a DRAM channel, 0 to 2; 0 for every other tile.
    pub(crate) port: u8,
}

/// A tile as it sees itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home {
    pub(crate) kind: Kind,
    /// Its own translated coordinate (of a DRAM channel: port 0).
    pub(crate) xy: NocXy,
    pub(crate) raw: Raw,
}

/// Physical column of each bit of ENABLED_TENSIX_COL (host.md §3.4).
const COLUMN_OF_BIT: [u8; 14] = [1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11, 7, 10];
/// Physical rows of the ports of each group of DRAM channels (host.md §3.1).
pub(crate) const DRAM_ROWS: [[u8; 3]; 4] = [[0, 1, 11], [2, 10, 3], [9, 4, 8], [5, 7, 6]];
/// Physical rows of X280 clusters 0 to 3, in column 8.
const L2CPU_ROWS: [u8; 4] = [3, 9, 5, 7];
/// The DRAM channel that each X280 cluster calls local (host.md §6.1).
pub(crate) const LOCAL_CHANNELS: [u8; 4] = [5, 6, 7, 7];

/// Which units of a card work.
#[derive(Clone, Debug)]
pub(crate) struct Harvest {
    /// ENABLED_TENSIX_COL.
    pub(crate) columns: u16,
    /// ENABLED_GDDR.
    pub(crate) channels: u8,
}

/// Which units a card lacks that its board has, or could have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HarvestError {
    /// No column, or one beyond the fourteen.
    #[error("column mask {mask:#06x}: a card has 1 to 14 of the columns of bits 0 to 13 (host.md §3.4)")]
    Columns {
        /// ENABLED_TENSIX_COL as it was asked for.
        mask: u16,
    },
    /// A DRAM channel beyond the eight.
    #[error("DRAM channel {channel} cannot be off: a card has channels 0 to 7, and at most one of them off")]
    Channel {
        /// What was asked for.
        channel: u8,
    },
}

impl Harvest {
    /// The mask of `count` Tensix columns: the others are disabled from bit 13 downward.
    pub(crate) const fn first(count: u8) -> u16 {
        ((1u32 << count) - 1) as u16
    }

    /// The channels that work when one is off, or none.
    pub(crate) fn channels(off: Option<u8>) -> u8 {
        off.map_or(0xff, |channel| !(1u8 << channel))
    }
}

/// The DRAM channel that a board lacks unless told otherwise.
pub(crate) fn channel_off(board: Board) -> Option<u8> {
    match board {
        Board::P150a => None,
        Board::P100a => Some(1),
    }
}

/// The card's map.
#[derive(Clone)]
pub(crate) struct Topology {
    pub(crate) harvest: Harvest,
    /// Translated x of the enabled Tensix columns, ascending.
    pub(crate) columns: Vec<u8>,
    /// Every tile; Tensix tiles first, row by row.
    pub(crate) homes: Vec<Home>,
    places: [Box<[Option<Place>; 1024]>; 2],
    x_table: [u8; 32],
    y_table: [u8; 32],
    cores: usize,
}

impl Topology {
    pub(crate) fn new(harvest: Harvest) -> Self {
        let (x_table, columns) = x_table(&harvest);
        let y_table = y_table(&harvest);
        let mut homes = Vec::new();
        for y in TENSIX_ROWS {
            for &x in &columns {
                homes.push(Home {
                    kind: Kind::Tensix,
                    xy: NocXy::new(x, y),
                    raw: Raw::new(x_table[usize::from(x)], y),
                });
            }
        }
        let cores = homes.len();
        for (i, row) in L2CPU_ROWS.into_iter().enumerate() {
            homes.push(Home {
                kind: Kind::L2Cpu(i as u8),
                xy: NocXy::new(8, 26 + i as u8),
                raw: Raw::new(8, row),
            });
        }
        for channel in (0..8).filter(|c| harvest.channels >> c & 1 == 1) {
            let raw = Raw::new(if channel < 4 { 0 } else { 9 }, DRAM_ROWS[usize::from(channel % 4)][0]);
            let x = if x_table[17] == raw.x { 17 } else { 18 };
            let y = (12..24u8).step_by(3).find(|y| y_table[usize::from(*y)] == raw.y);
            homes.push(Home { kind: Kind::Dram(channel), xy: NocXy::new(x, y.unwrap_or(12)), raw });
        }
        homes.push(Home { kind: Kind::Pcie, xy: NocXy::new(19, 24), raw: Raw::new(2, 0) });
        homes.push(Home { kind: Kind::Arc, xy: NocXy::new(8, 0), raw: Raw::new(8, 0) });
        // The disabled columns, at the translated places that are left, from the east on.
        let places = (1..=7).chain(10..=16).filter(|x| !columns.contains(x));
        for (x, y) in places.flat_map(|x| TENSIX_ROWS.map(move |y| (x, y))) {
            let raw = Raw::new(x_table[usize::from(x)], y);
            homes.push(Home { kind: Kind::Disabled, xy: NocXy::new(x, y), raw });
        }
        let mut map = Self {
            harvest,
            columns,
            homes,
            places: [Box::new([None; 1024]), Box::new([None; 1024])],
            x_table,
            y_table,
            cores,
        };
        for noc in Noc::BOTH {
            for at in 0..1024u16 {
                let raw = map.raw(noc, NocXy::new((at & 31) as u8, (at >> 5) as u8));
                map.places[noc.index()][usize::from(at)] =
                    map.tile_at(raw).map(|tile| Place { tile, raw, port: port(raw) });
            }
        }
        map
    }

    /// What a NIU of `noc` makes of `xy`: rows 0 and 1 keep the raw x of that NoC (host.md §3.2).
    pub(crate) fn raw(&self, noc: Noc, xy: NocXy) -> Raw {
        let y = self.y_table[usize::from(xy.y)];
        let x = match noc {
            _ if xy.y > 1 => self.x_table[usize::from(xy.x)],
            Noc::Zero => xy.x,
            Noc::One => (WIDTH - 1).wrapping_sub(xy.x),
        };
        Raw { x, y }
    }

    fn tile_at(&self, raw: Raw) -> Option<TileId> {
        if raw.x >= WIDTH || raw.y >= HEIGHT {
            return None;
        }
        let channel = match raw.x {
            0 | 9 => DRAM_ROWS
                .iter()
                .position(|rows| rows.contains(&raw.y))
                .map(|g| g as u8 + if raw.x == 9 { 4 } else { 0 }),
            _ => None,
        };
        let found = self.homes.iter().position(|home| match home.kind {
            Kind::Dram(c) => channel == Some(c),
            _ => home.raw == raw,
        });
        found.map(|i| TileId(i as u16))
    }

    /// The tile behind a translated coordinate, as seen on `noc`; `None` where there is none, or a disabled one.
    #[inline]
    pub(crate) fn place(&self, noc: Noc, xy: NocXy) -> Option<Place> {
        if xy.x > 31 || xy.y > 31 {
            None
        } else {
            self.places[noc.index()][usize::from(xy.y) << 5 | usize::from(xy.x)]
        }
    }

    /// The place of a tile that has one router.
    pub(crate) fn place_of(&self, tile: TileId) -> Place {
        Place { tile, raw: self.home(tile).raw, port: 0 }
    }

    /// Tensix tiles.
    pub(crate) fn cores(&self) -> usize {
        self.cores
    }

    /// The home of `tile`.
    #[inline]
    pub(crate) fn home(&self, tile: TileId) -> &Home {
        &self.homes[tile.index()]
    }

    /// The first tile of this kind.
    pub(crate) fn find(&self, kind: Kind) -> Option<TileId> {
        self.homes.iter().position(|home| home.kind == kind).map(|i| TileId(i as u16))
    }

    /// The enabled Tensix tiles inside a rectangle: others have opted out of multicasts (tensix.md §4).
    pub(crate) fn tensix_in(&self, rect: Rect) -> impl Iterator<Item = TileId> + '_ {
        let width = self.columns.len();
        let rows = rect.start.y.max(*TENSIX_ROWS.start())..=rect.end.y.min(*TENSIX_ROWS.end());
        rows.flat_map(move |y| {
            let row = usize::from(y - TENSIX_ROWS.start()) * width;
            let columns = self.columns.iter().enumerate();
            columns
                .filter(move |(_, x)| (rect.start.x..=rect.end.x).contains(x))
                .map(move |(i, _)| TileId((row + i) as u16))
        })
    }

    /// The words of the x or y translation table registers of a NIU (six 5-bit entries each).
    pub(crate) fn table_word(&self, noc: Noc, y: bool, word: usize) -> u32 {
        let (table, size) = if y { (&self.y_table, HEIGHT) } else { (&self.x_table, WIDTH) };
        let entries = table.iter().skip(6 * word).take(6).enumerate();
        entries.fold(0, |bits, (i, &v)| {
            let v = if noc == Noc::One { (size - 1).wrapping_sub(v) & 31 } else { v };
            bits | u32::from(v) << (5 * i)
        })
    }
}

/// The port of its DRAM channel that a router is, 0 where there is none.
fn port(raw: Raw) -> u8 {
    if raw.x != 0 && raw.x != 9 {
        return 0;
    }
    DRAM_ROWS.iter().find_map(|rows| rows.iter().position(|y| *y == raw.y)).map_or(0, |port| port as u8)
}

/// The x table, and the translated x of the enabled Tensix columns.
fn x_table(harvest: &Harvest) -> ([u8; 32], Vec<u8>) {
    let places: Vec<u8> = (1..=7).chain(10..=16).collect();
    let enabled =
        |x: u8| COLUMN_OF_BIT.iter().position(|c| *c == x).is_some_and(|bit| harvest.columns >> bit & 1 == 1);
    let good: Vec<u8> = places.iter().copied().filter(|x| enabled(*x)).collect();
    let bad = places.iter().copied().filter(|x| !enabled(*x));
    let mut table = [0; 32];
    for x in [0, 8, 9] {
        table[usize::from(x)] = x;
    }
    for (x, raw) in places.iter().zip(&good) {
        table[usize::from(*x)] = *raw;
    }
    for (x, raw) in places.iter().rev().zip(bad) {
        table[usize::from(*x)] = raw;
    }
    // A missing channel in the west moves the west column last.
    let (first, last) = if harvest.channels & 0x0f == 0x0f { (0, 9) } else { (9, 0) };
    (table[17], table[18], table[19]) = (first, last, 2);
    let ethernet = [1, 16, 2, 15, 14, 4, 13, 12, 6, 11, 7, 10]; // all but channels 4 and 8
    table[20..32].copy_from_slice(&ethernet);
    let columns = places.into_iter().take(good.len()).collect();
    (table, columns)
}

fn y_table(harvest: &Harvest) -> [u8; 32] {
    let mut table = [0; 32];
    for y in 0..12 {
        table[usize::from(y)] = y;
    }
    let whole = |group: &usize| harvest.channels >> group & 0x11 == 0x11;
    let order = (0..4).filter(whole).chain((0..4).filter(|g| !whole(g)));
    for (group, at) in order.zip((12..24).step_by(3)) {
        table[at..at + 3].copy_from_slice(&DRAM_ROWS[group]);
    }
    (table[24], table[25], table[30]) = (0, 1, 2);
    table[26..30].copy_from_slice(&L2CPU_ROWS);
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(columns: u8, off: Option<u8>) -> Topology {
        Topology::new(Harvest { columns: Harvest::first(columns), channels: Harvest::channels(off) })
    }

    fn kind(map: &Topology, noc: Noc, x: u8, y: u8) -> Option<Kind> {
        map.place(noc, NocXy::new(x, y)).map(|place| map.home(place.tile).kind)
    }

    #[test]
    fn one_translated_coordinate_serves_both_nocs() {
        let map = map(12, None);
        for home in &map.homes {
            for noc in Noc::BOTH {
                let place = map.place(noc, home.xy).unwrap();
                assert_eq!(map.home(place.tile).xy, home.xy, "{noc:?}");
                assert_eq!(place.raw, home.raw, "{noc:?}");
            }
        }
        assert_eq!(kind(&map, Noc::Zero, 2, 0), Some(Kind::Pcie));
        assert_eq!(kind(&map, Noc::One, 2, 0), None);
        assert_eq!(kind(&map, Noc::One, 14, 0), Some(Kind::Pcie));
    }

    #[test]
    fn enabled_columns_are_packed_to_the_west_and_disabled_ones_lead_nowhere() {
        let map = map(12, None);
        assert_eq!(map.cores(), 120);
        assert_eq!(map.columns, [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14]);
        assert_eq!(map.place(Noc::Zero, NocXy::new(7, 2)).unwrap().raw, Raw::new(11, 2)); // raw 7 and 10 are off
        assert_eq!(kind(&map, Noc::Zero, 15, 2), Some(Kind::Disabled));
        assert_eq!(kind(&map, Noc::Zero, 16, 11), Some(Kind::Disabled));
        assert_eq!(self::map(14, None).cores(), 140);
    }

    #[test]
    fn three_ports_lead_to_each_dram_channel() {
        for off in (0..8).map(Some).chain([None]) {
            let map = map(12, off);
            for noc in Noc::BOTH {
                let mut ports = [0; 8];
                for (x, y) in [17, 18].into_iter().flat_map(|x| (12..24).map(move |y| (x, y))) {
                    if let Some(Kind::Dram(channel)) = kind(&map, noc, x, y) {
                        ports[usize::from(channel)] += 1;
                    }
                }
                let expected: Vec<i32> = (0..8).map(|c| if Some(c) == off { 0 } else { 3 }).collect();
                assert_eq!(ports.to_vec(), expected, "{off:?} off");
            }
            if let Some(off) = off {
                // It takes the last group of column 18, its partner the last of column 17.
                assert_eq!(kind(&map, Noc::Zero, 18, 21), None);
                assert_eq!(kind(&map, Noc::Zero, 17, 21), Some(Kind::Dram((off + 4) % 8)));
            }
        }
        let map = map(12, Some(1));
        assert_eq!(kind(&map, Noc::Zero, 18, 12), Some(Kind::Dram(0)));
    }

    #[test]
    fn a_rectangle_holds_the_tensix_tiles_inside_it_only() {
        let map = map(12, None);
        let rect = Rect { start: NocXy::new(6, 1), end: NocXy::new(11, 3) };
        let xys: Vec<_> = map.tensix_in(rect).map(|t| map.home(t).xy).collect();
        let expected: Vec<_> =
            [2, 3].into_iter().flat_map(|y| [6, 7, 10, 11].map(|x| NocXy::new(x, y))).collect();
        assert_eq!(xys, expected);
    }
}
