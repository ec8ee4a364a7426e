//! The Tensix tiles of a grid: where its cores are, and how they are reset, written and released together.

use komorebi_card::{Card, Description, Grid, NocXy, Rect, TENSIX_ROWS};

use super::registers::{SOFT_RESET, SOFT_RESET_CORES};
use crate::Result;

/// A program's grid on a card: core `i` is tile `i` of the first enabled columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tiles {
    pub(crate) grid: Grid,
    tiles: Vec<NocXy>,
    rects: Vec<Rect>,
}

impl Tiles {
    /// Maps `grid` onto the card; `None` when the card has fewer columns or rows.
    pub(crate) fn new(description: &Description, grid: Grid) -> Option<Self> {
        let whole = description.grid();
        if grid.width == 0 || grid.height == 0 || grid.width > whole.width || grid.height > whole.height {
            return None;
        }
        let columns = &description.columns[..grid.width as usize];
        let top = *TENSIX_ROWS.start();
        let rows = top..top + grid.height as u8;
        let tiles = rows.clone().flat_map(|y| columns.iter().map(move |&x| NocXy::new(x, y))).collect();
        let rects = runs(columns)
            .map(|(first, last)| Rect { start: NocXy::new(first, top), end: NocXy::new(last, rows.end - 1) })
            .collect();
        Some(Self { grid, tiles, rects })
    }

    /// All tiles, in core order.
    pub(crate) fn all(&self) -> &[NocXy] {
        &self.tiles
    }

    /// Writes the same bytes to every core.
    pub(crate) fn multicast(&self, card: &dyn Card, address: u64, bytes: &[u8]) -> Result<()> {
        for rect in &self.rects {
            card.multicast(*rect, address, bytes)?;
        }
        Ok(())
    }

    /// Writes the same register of every tile.
    pub(crate) fn multicast32(&self, card: &dyn Card, address: u64, value: u32) -> Result<()> {
        self.multicast(card, address, &value.to_le_bytes())
    }

    /// Waits until what was written to every tile has landed.
    pub(crate) fn fence(&self, card: &dyn Card) -> Result<()> {
        for tile in &self.tiles {
            card.fence(*tile)?;
        }
        Ok(())
    }

    /// Holds the five cores of every tile in reset, and returns once they are.
    pub(crate) fn hold(&self, card: &dyn Card) -> Result<()> {
        self.multicast32(card, SOFT_RESET, SOFT_RESET_CORES)?;
        self.fence(card)
    }

    /// Lets the five cores of every tile go.
    pub(crate) fn release(&self, card: &dyn Card) -> Result<()> {
        self.multicast32(card, SOFT_RESET, 0)
    }
}

/// First and last of each run of neighbouring Tensix columns: 1 to 7 and 10 to 16 are neighbours with a gap of other
/// tiles, which a multicast rectangle does not reach (host.md §3.4), but a column missing elsewhere ends a run.
fn runs(columns: &[u8]) -> impl Iterator<Item = (u8, u8)> {
    let next = |x: u8| if x == 7 { 10 } else { x + 1 };
    columns.chunk_by(move |&a, &b| next(a) == b).map(|run| (run[0], run[run.len() - 1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_spans_the_gap_of_other_tiles_and_ends_at_a_missing_column() {
        let all: Vec<u8> = (1..=7).chain(10..=14).collect();
        assert_eq!(runs(&all).collect::<Vec<_>>(), [(1, 14)]);
        assert_eq!(runs(&[1, 2, 4, 5]).collect::<Vec<_>>(), [(1, 2), (4, 5)]);
        assert_eq!(runs(&[7, 10]).collect::<Vec<_>>(), [(7, 10)]);
    }
}
