//! A group of cores, and the at most three rectangles it is made of.

use std::fmt;
use std::ops::Range;

use crate::Grid;

/// The cores a command runs on: `count` cores from core `first` on, in the order of the grid's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    /// The first core, which is also the group's leader.
    pub first: u32,
    /// The number of cores, at least 1.
    pub count: u32,
}

/// A group that is empty or does not lie inside its grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "group {first}..{end} does not lie inside the {grid} grid of {cores} cores; give 1 to {cores} cores below core {cores}",
    end = u64::from(*first) + u64::from(*count),
    cores = grid.cores()
)]
pub struct GroupError {
    /// The first core asked for.
    pub first: u32,
    /// The number of cores asked for.
    pub count: u32,
    /// The grid it should lie in.
    pub grid: Grid,
}

/// A rectangle in a program's grid: columns and rows, ends outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridRect {
    /// Columns.
    pub columns: Range<u32>,
    /// Rows.
    pub rows: Range<u32>,
}

impl Group {
    /// `count` cores from `first` on.
    pub const fn new(first: u32, count: u32) -> Self {
        Self { first, count }
    }

    /// Checks that the group has at least one core and lies inside `grid`.
    ///
    /// # Errors
    /// [`GroupError`] naming the group and the grid.
    pub fn check(self, grid: Grid) -> Result<Self, GroupError> {
        let end = u64::from(self.first) + u64::from(self.count);
        if self.count == 0 || end > u64::from(grid.cores()) {
            return Err(GroupError { first: self.first, count: self.count, grid });
        }
        Ok(self)
    }

    /// The at most three rectangles that cover the group exactly: the rest of its first row, whole rows, the
    /// start of its last row. Three multicasts instead of a store a core.
    pub fn rectangles(self, grid: Grid) -> impl Iterator<Item = GridRect> {
        let (width, end) = (grid.width, self.first + self.count);
        let (first_row, first_column) = (self.first / width, self.first % width);
        let (last_row, last_column) = (end / width, end % width); // last_column: cores in the unfinished row
        let mut parts = [const { None }; 3];
        if first_row == last_row {
            parts[0] = Some(GridRect { columns: first_column..last_column, rows: first_row..first_row + 1 });
        } else {
            let mut row = first_row;
            if first_column != 0 {
                parts[0] = Some(GridRect { columns: first_column..width, rows: row..row + 1 });
                row += 1;
            }
            if row < last_row {
                parts[1] = Some(GridRect { columns: 0..width, rows: row..last_row });
            }
            if last_column != 0 {
                parts[2] = Some(GridRect { columns: 0..last_column, rows: last_row..last_row + 1 });
            }
        }
        parts.into_iter().flatten()
    }
}

impl From<Range<u32>> for Group {
    /// `first..end`; an empty or reversed range is a group of 0 cores, which every check refuses.
    fn from(range: Range<u32>) -> Self {
        Self { first: range.start, count: range.end.saturating_sub(range.start) }
    }
}

impl From<(u32, u32)> for Group {
    /// `(first, count)`, as the Python host writes it.
    fn from((first, count): (u32, u32)) -> Self {
        Self { first, count }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.first, u64::from(self.first) + u64::from(self.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_cover_each_core_of_every_group_exactly_once() {
        for grid in [Grid::new(12, 10), Grid::new(14, 10), Grid::new(1, 10), Grid::new(7, 1)] {
            for first in 0..grid.cores() {
                for count in 1..=grid.cores() - first {
                    let mut cores: Vec<u32> = Group::new(first, count)
                        .rectangles(grid)
                        .flat_map(|r| {
                            r.rows.flat_map(move |y| r.columns.clone().map(move |x| y * grid.width + x))
                        })
                        .collect();
                    cores.sort_unstable();
                    assert_eq!(
                        cores,
                        (first..first + count).collect::<Vec<_>>(),
                        "{first}+{count} in {grid}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_group_outside_its_grid_is_refused_even_where_the_sum_overflows() {
        let grid = Grid::new(12, 10);
        for group in
            [Group::new(0, 0), Group::new(120, 1), Group::new(119, 2), Group::new(u32::MAX, u32::MAX)]
        {
            let error = group.check(grid).unwrap_err();
            assert_eq!((error.first, error.count), (group.first, group.count));
        }
        assert!(Group::new(119, 1).check(grid).is_ok());
    }
}
