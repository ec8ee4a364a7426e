//! Coordinates as types: a NoC place, a rectangle of Tensix tiles, a core of a program's grid.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A translated NoC coordinate: one pair that both NoCs accept (host.md §3.2).
///
/// Ordered by row, then column, as a rectangle is walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NocXy {
    /// Column, 0 to 31.
    pub x: u8,
    /// Row, 0 to 31.
    pub y: u8,
}

impl NocXy {
    /// The place in column `x` and row `y`.
    pub const fn new(x: u8, y: u8) -> Self {
        Self { x, y }
    }

    /// The word device code puts into a NIU's HI register: `x | y << 6` (tensix.md §4).
    pub const fn hi_word(self) -> u32 {
        self.x as u32 | (self.y as u32) << 6
    }
}

impl fmt::Display for NocXy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.x, self.y)
    }
}

/// A rectangle of tiles, both corners inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rect {
    /// The corner with the least column and row.
    pub start: NocXy,
    /// The corner with the greatest column and row.
    pub end: NocXy,
}

impl Rect {
    /// True when `tile` lies inside.
    pub const fn contains(self, tile: NocXy) -> bool {
        self.start.x <= tile.x && tile.x <= self.end.x && self.start.y <= tile.y && tile.y <= self.end.y
    }
}

/// A program's grid of cores: `width` columns by `height` rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Grid {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Grid {
    /// A grid of `width` columns by `height` rows.
    pub const fn new(width: u32, height: u32) -> Self {
        Self { width, height }
    }

    /// The number of cores.
    pub const fn cores(self) -> u32 {
        self.width * self.height
    }

    /// The core with index `core`: column `core % width`, row `core / width`.
    pub const fn place(self, core: Core) -> (u32, u32) {
        (core.0 % self.width, core.0 / self.width)
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {}", self.width, self.height)
    }
}

/// A core's index in its program's grid, row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Core(pub u32);

impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "core {}", self.0)
    }
}
