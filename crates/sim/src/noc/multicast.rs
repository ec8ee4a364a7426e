//! Which tiles a multicast reaches (tensix.md §4): its rectangle on the torus, less what is excluded, less what has opted
//! out.

use komorebi_card::NocXy;

use super::Noc;
use super::route::{HEIGHT, Raw, WIDTH};
use super::translate::{TileId, Topology};

/// A set of Tensix tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tiles([u64; 3]);

impl Tiles {
    /// Adds a tile.
    pub(crate) fn insert(&mut self, tile: TileId) {
        self.0[tile.index() / 64] |= 1 << (tile.index() % 64);
    }

    /// Adds the tiles from `first` on that `mask`, of fewer than 64, has a bit for.
    fn insert_from(&mut self, first: usize, mask: u64) {
        let (word, shift) = (first / 64, first % 64);
        self.0[word] |= mask << shift;
        if shift > 0 && word + 1 < self.0.len() {
            self.0[word + 1] |= mask >> (64 - shift);
        }
    }

    /// Takes a tile out.
    pub(crate) fn remove(&mut self, tile: TileId) {
        self.0[tile.index() / 64] &= !(1 << (tile.index() % 64));
    }

    /// True for one of them.
    pub(crate) fn holds(&self, tile: TileId) -> bool {
        self.0[tile.index() / 64] >> (tile.index() % 64) & 1 == 1
    }

    /// True without any.
    pub(crate) fn is_empty(self) -> bool {
        self.0 == [0; 3]
    }
}

impl FromIterator<TileId> for Tiles {
    fn from_iter<I: IntoIterator<Item = TileId>>(tiles: I) -> Self {
        let mut set = Self::default();
        tiles.into_iter().for_each(|tile| set.insert(tile));
        set
    }
}

impl Iterator for Tiles {
    type Item = TileId;

    /// The tiles in order, each taken out of the set.
    fn next(&mut self) -> Option<TileId> {
        let word = self.0.iter().position(|word| *word != 0)?;
        let bit = self.0[word].trailing_zeros();
        self.0[word] &= self.0[word] - 1;
        Some(TileId((64 * word) as u16 + bit as u16))
    }
}

/// The excluded part of a multicast, as BRCST_EXCLUDE has it: start x [13:8], start y [19:14], direction x 20, direction y
/// 21, enable 22 (the packing of tt-metal's dataflow API; coordinates of the NoC, host.md §2.2). What lies from the start
/// on in both directions is left out; a direction of 1 is taken for the increasing one: no source says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exclusion {
    start: (u8, u8),
    increasing: (bool, bool),
}

impl Exclusion {
    /// What the register says; `None` while it is not enabled.
    ///
    /// # Errors
    /// A register with bits this packing has no meaning for.
    pub(crate) fn decode(register: u32) -> Result<Option<Self>, ()> {
        if register == 0 {
            return Ok(None);
        }
        let start = ((register >> 8 & 63) as u8, (register >> 14 & 63) as u8);
        if register & !0x007f_ff00 != 0 || register >> 22 & 1 == 0 || start.0 >= WIDTH || start.1 >= HEIGHT {
            return Err(());
        }
        Ok(Some(Self { start, increasing: (register >> 20 & 1 == 1, register >> 21 & 1 == 1) }))
    }

    fn holds_column(&self, x: u8) -> bool {
        if self.increasing.0 { x >= self.start.0 } else { x <= self.start.0 }
    }

    fn holds_row(&self, y: u8) -> bool {
        if self.increasing.1 { y >= self.start.1 } else { y <= self.start.1 }
    }
}

/// The tiles between two corners, in the direction in which `noc` flows; where it starts behind the end, it goes around
/// the torus. `None` for a corner that leads off the grid.
pub(crate) fn tiles(
    map: &Topology,
    noc: Noc,
    start: NocXy,
    end: NocXy,
    excluded: Option<Exclusion>,
) -> Option<Tiles> {
    // Both corners are translated, then the spans are those of the NoC's own coordinates.
    let [(x0, y0), (x1, y1)] = [corner(map, noc, start)?, corner(map, noc, end)?];
    let spans = |at: u8, from: u8, to: u8| {
        if from <= to { (from..=to).contains(&at) } else { at <= to || at >= from }
    };
    let width = map.columns.len();
    let (mut columns, mut kept) = (0, 0);
    for i in 0..width {
        let x = own(noc, map.homes[i].raw)?.0;
        columns |= u64::from(spans(x, x0, x1)) << i;
        kept |= u64::from(!excluded.is_some_and(|excluded| excluded.holds_column(x))) << i;
    }
    let mut tiles = Tiles::default();
    for first in (0..map.cores()).step_by(width) {
        let y = own(noc, map.homes[first].raw)?.1;
        if spans(y, y0, y1) {
            let excluded = excluded.is_some_and(|excluded| excluded.holds_row(y));
            tiles.insert_from(first, if excluded { columns & kept } else { columns });
        }
    }
    Some(tiles)
}

/// A corner in the coordinates of `noc`.
pub(crate) fn corner(map: &Topology, noc: Noc, xy: NocXy) -> Option<(u8, u8)> {
    if xy.x > 31 || xy.y > 31 { None } else { own(noc, map.raw(noc, xy)) }
}

/// A place in the coordinates of `noc`.
pub(crate) fn own(noc: Noc, raw: Raw) -> Option<(u8, u8)> {
    if raw.x >= WIDTH || raw.y >= HEIGHT {
        return None;
    }
    Some(match noc {
        Noc::Zero => (raw.x, raw.y),
        Noc::One => (WIDTH - 1 - raw.x, HEIGHT - 1 - raw.y),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noc::translate::Harvest;

    fn map() -> Topology {
        Topology::new(Harvest { columns: Harvest::first(12), channels: 0xff })
    }

    fn xys(map: &Topology, tiles: Option<Tiles>) -> Vec<(u8, u8)> {
        tiles.unwrap().map(|tile| (map.home(tile).xy.x, map.home(tile).xy.y)).collect()
    }

    #[test]
    fn both_nocs_reach_one_rectangle_from_the_corner_they_come_to_first() {
        let (map, least, greatest) = (map(), NocXy::new(6, 2), NocXy::new(11, 4));
        let expected: Vec<_> = (2..=4).flat_map(|y| [6, 7, 10, 11].map(|x| (x, y))).collect();
        assert_eq!(xys(&map, tiles(&map, Noc::Zero, least, greatest, None)), expected);
        assert_eq!(xys(&map, tiles(&map, Noc::One, greatest, least, None)), expected);
    }

    #[test]
    fn a_start_behind_the_end_goes_around_the_torus() {
        let map = map();
        let around = xys(&map, tiles(&map, Noc::Zero, NocXy::new(13, 10), NocXy::new(2, 3), None));
        let expected: Vec<_> =
            [2, 3, 10, 11].into_iter().flat_map(|y| [1, 2, 13, 14].map(|x| (x, y))).collect();
        assert_eq!(around, expected);
        assert_eq!(xys(&map, tiles(&map, Noc::One, NocXy::new(2, 3), NocXy::new(13, 10), None)), expected);
    }

    #[test]
    fn an_exclusion_leaves_out_its_corner_of_the_rectangle() {
        let map = map();
        // Raw 3 is translated 3 while the disabled columns are 7 and 10.
        let excluded = Exclusion::decode(1 << 22 | 3 << 20 | 4 << 14 | 3 << 8).unwrap();
        let found = xys(&map, tiles(&map, Noc::Zero, NocXy::new(2, 3), NocXy::new(4, 5), excluded));
        assert_eq!(found, [(2, 3), (3, 3), (4, 3), (2, 4), (2, 5)]);
        let excluded = Exclusion::decode(1 << 22 | 4 << 14 | 3 << 8).unwrap();
        let found = xys(&map, tiles(&map, Noc::Zero, NocXy::new(2, 3), NocXy::new(4, 5), excluded));
        assert_eq!(found, [(4, 3), (4, 4), (2, 5), (3, 5), (4, 5)]);
        assert!(Exclusion::decode(1).is_err() && Exclusion::decode(1 << 22 | 17 << 8).is_err());
        assert!(Exclusion::decode(0).is_ok_and(|none| none.is_none()));
    }

    #[test]
    fn a_set_of_tiles_gives_them_in_order() {
        let mut tiles: Tiles = [139, 3, 64, 63].map(TileId).into_iter().collect();
        tiles.remove(TileId(3));
        assert_eq!(tiles.collect::<Vec<_>>(), [63, 64, 139].map(TileId));
        assert!(Tiles::default().is_empty() && !tiles.is_empty());
    }
}
