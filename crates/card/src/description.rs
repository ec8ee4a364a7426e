//! What a card is: the facts a session reads once, when it opens one.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Grid, NocXy};

/// Rows of Tensix tiles on every board: y 2 to 11 (host.md §3.1).
pub const TENSIX_ROWS: std::ops::RangeInclusive<u8> = 2..=11;

/// Which of the worlds behind the seam a card lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum World {
    /// The simulated card of this project.
    Simulated,
    /// Tenstorrent's functional simulator.
    TtSim,
    /// A device on this machine.
    Silicon,
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Simulated => "simulated card",
            Self::TtSim => "ttsim",
            Self::Silicon => "card",
        })
    }
}

/// A Blackhole product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Board {
    /// p100a: 120 Tensix cores, 7 DRAM banks.
    P100a,
    /// p150a: 120 or 140 Tensix cores, 8 DRAM banks.
    P150a,
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::P100a => "p100a",
            Self::P150a => "p150a",
        })
    }
}

/// One DRAM bank: a channel, and the port each NoC should use for it.
///
/// The controller can deadlock when several ports of a channel are mixed (host.md §3.5), so every client keeps
/// to these two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DramBank {
    /// The physical channel, 0 to 7.
    pub channel: u8,
    /// The port for NoC 0 and for the host.
    pub noc0: NocXy,
    /// The port for NoC 1.
    pub noc1: NocXy,
    /// Usable bytes from address 0 on.
    pub bytes: u64,
}

/// One X280 cluster (an L2CPU tile of four harts).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct L2Cpu {
    /// The cluster's number, 0 to 3, in the firmware's order (host.md §6.1).
    pub index: u8,
    /// Its tile.
    pub tile: NocXy,
    /// The DRAM channel its harts call local.
    pub channel: u8,
}

/// Clocks in MHz, as telemetry names them when the card is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clocks {
    /// Tensix cores and both NoCs.
    pub aiclk_mhz: u32,
    /// The four X280 clusters.
    pub l2cpu_mhz: u32,
}

/// The facts of one card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// Which world it lives in.
    pub world: World,
    /// The product.
    pub board: Board,
    /// Translated x of each enabled Tensix column, ascending.
    pub columns: Vec<u8>,
    /// DRAM banks in the order tensors are interleaved over them.
    pub banks: Vec<DramBank>,
    /// Enabled X280 clusters.
    pub l2cpus: Vec<L2Cpu>,
    /// The PCIe tile wired to the host.
    pub pcie: NocXy,
    /// The ARC tile.
    pub arc: NocXy,
    /// Clocks when the card was opened.
    pub clocks: Clocks,
}

impl Description {
    /// The largest grid a program can have here.
    pub fn grid(&self) -> Grid {
        let width = u32::try_from(self.columns.len()).unwrap_or(u32::MAX);
        Grid::new(width, u32::from(TENSIX_ROWS.end() - TENSIX_ROWS.start() + 1))
    }
}
