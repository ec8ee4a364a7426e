//! What a window's high word takes out of a multicast rectangle (host.md §2.2, §6.4): a pattern of kept and skipped
//! columns and rows, and a quadrant. Both go by the raw coordinates of the window's NoC.

use crate::fault::{Rule, Violation};
use crate::noc::Noc;
use crate::noc::multicast::{Tiles, corner, own};
use crate::noc::route::{HEIGHT, WIDTH};
use crate::noc::translate::{TileId, Topology};
use crate::tile::command;

/// The fields of a high word.
struct Shape {
    x: Axis,
    y: Axis,
    excludes: bool,
    /// Software's count of the destinations; 0 leaves it to the hardware.
    destinations: u32,
}

/// One axis: where the rectangle starts, its pattern, the edge of the quadrant.
struct Axis {
    start: u8,
    /// Places on the axis: it is a ring.
    size: u8,
    keep: u8,
    skip: u8,
    edge: u8,
    upward: bool,
}

impl Axis {
    fn is_patterned(&self) -> bool {
        self.keep != 0 && self.skip != 0
    }

    fn keeps(&self, at: u8) -> bool {
        !self.is_patterned()
            || (at + self.size - self.start) % self.size % (self.keep + self.skip) < self.keep
    }

    fn is_beyond(&self, at: u8) -> bool {
        if self.upward { at >= self.edge } else { at <= self.edge }
    }
}

fn shape(hi: u32, start: (u8, u8)) -> Shape {
    let bits = |at: u32, n: u32| (hi >> at & ((1 << n) - 1)) as u8;
    let flag = |at: u32| hi >> at & 1 == 1;
    Shape {
        x: Axis {
            start: start.0,
            size: WIDTH,
            keep: bits(3, 2),
            skip: bits(5, 2),
            edge: bits(11, 5),
            upward: flag(20),
        },
        y: Axis {
            start: start.1,
            size: HEIGHT,
            keep: bits(7, 2),
            skip: bits(9, 2),
            edge: bits(16, 4),
            upward: flag(21),
        },
        excludes: flag(22),
        destinations: hi >> 24,
    }
}

/// The Tensix tiles that a multicast through a window with high word `hi` reaches of a rectangle's tiles; with them come
/// the coordinates that name its corners.
pub(super) fn targets(
    map: &Topology,
    noc: Noc,
    (tiles, corners): (Tiles, u32),
    hi: u32,
) -> Result<Tiles, Violation> {
    let start = corner(map, noc, command::corner(corners >> 12)).unwrap_or((0, 0));
    let shape = shape(hi, start);
    let reached = |tile: &TileId| {
        own(noc, map.home(*tile).raw).is_some_and(|(x, y)| {
            let excluded = shape.excludes && shape.x.is_beyond(x) && shape.y.is_beyond(y);
            shape.x.keeps(x) && shape.y.keeps(y) && !excluded
        })
    };
    let count = tiles.filter(reached).count() as u32;
    let free = !shape.excludes && !shape.x.is_patterned() && !shape.y.is_patterned();
    if shape.destinations != count && !(free && shape.destinations == 0) {
        let detail = format!("num_dest {} of a multicast to {count} tiles", shape.destinations);
        return Err(Violation::new(Rule::Destinations, detail));
    }
    Ok(tiles.filter(reached).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noc::translate::Harvest;
    use komorebi_card::NocXy;

    /// The tiles that `hi` leaves of columns 1 to 4 and rows 2 to 5.
    fn reached(noc: Noc, hi: u32) -> Result<Vec<(u8, u8)>, Violation> {
        let map = Topology::new(Harvest { columns: Harvest::first(14), channels: 0xff });
        let (least, greatest) = (NocXy::new(1, 2).hi_word(), NocXy::new(4, 5).hi_word());
        let corners = if noc == Noc::Zero { greatest | least << 12 } else { least | greatest << 12 };
        let tiles = targets(&map, noc, (command::rectangle(&map, noc, corners)?, corners), hi)?;
        Ok(tiles.map(|tile| (map.home(tile).xy.x, map.home(tile).xy.y)).collect())
    }

    fn grid(columns: &[u8], rows: &[u8]) -> Vec<(u8, u8)> {
        rows.iter().flat_map(|y| columns.iter().map(|x| (*x, *y))).collect()
    }

    #[test]
    fn a_pattern_keeps_and_skips_from_the_start_of_the_rectangle() {
        let every_other_column = 1 << 3 | 1 << 5;
        assert_eq!(reached(Noc::Zero, every_other_column | 8 << 24).unwrap(), grid(&[1, 3], &[2, 3, 4, 5]));
        // Three rows of four: on NoC 1 the count starts at the bottom.
        let rows = 3 << 7 | 1 << 9;
        assert_eq!(reached(Noc::Zero, rows | 12 << 24).unwrap(), grid(&[1, 2, 3, 4], &[2, 3, 4]));
        assert_eq!(reached(Noc::One, rows | 12 << 24).unwrap(), grid(&[1, 2, 3, 4], &[3, 4, 5]));
        // One of the two numbers alone is no pattern.
        assert_eq!(reached(Noc::Zero, 1 << 3).unwrap().len(), 16);
    }

    #[test]
    fn a_quadrant_is_taken_out_by_the_raw_coordinates_of_the_noc() {
        let exclude = |x: u32, y: u32, up: u32, n: u32| 1 << 22 | x << 11 | y << 16 | up << 20 | n << 24;
        // x >= 3 and y >= 4: a quarter.
        let left = reached(Noc::Zero, exclude(3, 4, 3, 12)).unwrap();
        assert!(
            !left.contains(&(3, 4))
                && !left.contains(&(4, 5))
                && left.contains(&(3, 3))
                && left.contains(&(2, 5))
        );
        // The same numbers on NoC 1, where column 3 is 13 and row 4 is 7: x <= 13 and y <= 7.
        assert_eq!(reached(Noc::One, exclude(13, 7, 0, 12)).unwrap(), left);
    }

    #[test]
    fn a_wrong_number_of_destinations_is_refused() {
        assert!(reached(Noc::Zero, 1 << 3 | 1 << 5).is_err());
        assert!(reached(Noc::Zero, 15 << 24).is_err());
        assert_eq!(reached(Noc::Zero, 16 << 24).unwrap().len(), 16);
    }
}
