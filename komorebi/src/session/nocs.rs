//! The cores' places on the network on chip.

use komorebi_card::{Core, Description, Grid, NocXy};

use super::Tiles;

/// The NoC places of the cores of the card's whole grid, for program arguments that name other cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nocs {
    grid: Grid,
    places: Vec<NocXy>,
}

impl Nocs {
    pub(crate) fn new(description: &Description) -> Self {
        let grid = description.grid();
        let places = Tiles::new(description, grid).map_or_else(Vec::new, |tiles| tiles.all().to_vec());
        Self { grid, places }
    }

    /// The grid they lie in.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// The translated place of a core, which both NoCs accept; `None` outside the grid.
    pub fn place(&self, core: Core) -> Option<NocXy> {
        self.places.get(core.0 as usize).copied()
    }

    /// Each core's place as `x | y << 16`, in core order.
    pub fn words(&self) -> Vec<u32> {
        self.places.iter().map(|place| u32::from(place.x) | u32::from(place.y) << 16).collect()
    }
}
