//! The telemetry table in CSM (host.md §4.3): the tags a driver reads.

use komorebi_card::Board;

use super::pll::Pll;
use crate::noc::latency::AICLK_MHZ;
use crate::noc::translate::Topology;

/// A tag and its value; an X280 clock changes with the PLL.
#[derive(Clone, Copy)]
enum Value {
    Word(u32),
    L2CpuMhz(usize),
}

/// The table.
#[derive(Clone)]
pub(crate) struct Telemetry {
    entries: Vec<(u16, Value)>,
}

impl Telemetry {
    /// Where the data begins, behind version, count and entries.
    pub(crate) const DATA: u64 = 0x400;

    pub(crate) fn new(map: &Topology, board: Board) -> Self {
        let board_type: u64 = match board {
            Board::P100a => 0x43,
            Board::P150a => 0x40,
        };
        let id = board_type << 36 | 0x0001_2345;
        let trained =
            (0..8).filter(|c| map.harvest.channels >> c & 1 == 1).fold(0, |bits, c| bits | 1 << (2 * c));
        let word = Value::Word;
        let entries = vec![
            (1, word((id >> 32) as u32)),
            (2, word(id as u32)),
            (14, word(AICLK_MHZ)),
            (15, word(960)),
            (16, word(800)),
            (17, Value::L2CpuMhz(0)),
            (18, Value::L2CpuMhz(1)),
            (19, Value::L2CpuMhz(2)),
            (20, Value::L2CpuMhz(3)),
            (22, word(trained)),
            (28, word(0x1305_0000)),
            (34, word(u32::from(map.harvest.columns))),
            (35, word(if board == Board::P100a { 0 } else { 0x3eef })),
            (36, word(u32::from(map.harvest.channels))),
            (37, word(0xf)),
            (38, word(1)),
            (40, word(1)),
            (61, word(0x5115)),
            (62, word(0x0001_2345)),
            (63, word(AICLK_MHZ)),
        ];
        Self { entries }
    }

    /// The word at `offset` of CSM.
    pub(crate) fn word(&self, offset: u64, pll: &Pll, clocked: bool) -> u32 {
        let index = |base: u64| ((offset - base) / 4) as usize;
        match offset {
            0 => 0x100,
            4 => self.entries.len() as u32,
            8..Self::DATA => {
                self.entries.get(index(8)).map_or(0, |(tag, _)| u32::from(*tag) | (index(8) as u32) << 16)
            }
            _ => match self.entries.get(index(Self::DATA)) {
                Some((_, Value::Word(value))) => *value,
                Some((_, Value::L2CpuMhz(cluster))) if clocked => pll.mhz(*cluster).round() as u32,
                _ => 0,
            },
        }
    }
}
