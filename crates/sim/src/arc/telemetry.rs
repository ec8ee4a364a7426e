//! The telemetry table in CSM (host.md §4.3): the tags a driver reads.

use komorebi_card::Board;

use super::pll::Pll;
use crate::noc::latency::AICLK_MHZ;
use crate::noc::translate::Topology;
use crate::time::{Time, from_nanos};

/// How often the firmware writes its telemetry; not documented: an assumption.
const INTERVAL_MS: u64 = 100;

/// A tag and its value; an X280 clock changes with the PLL.
#[derive(Clone, Copy)]
enum Value {
    Word(u32),
    L2CpuMhz(usize),
    /// Rises by one in each update interval.
    Heartbeat,
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
            // Update interval, core voltage in mV, power in W, current in A: of a card that has not much to do.
            (5, word(INTERVAL_MS as u32)),
            (6, word(750)),
            (7, word(60)),
            (8, word(80)),
            // Limits: power, current, host's power, thermal.
            (9, word(300)),
            (10, word(400)),
            // Degrees, 16 bits behind the point.
            (11, word(45 << 16)),
            (14, word(AICLK_MHZ)),
            (15, word(960)),
            (16, word(800)),
            (17, Value::L2CpuMhz(0)),
            (18, Value::L2CpuMhz(1)),
            (19, Value::L2CpuMhz(2)),
            (20, Value::L2CpuMhz(3)),
            (21, word(0)),
            (22, word(trained)),
            (23, word(16000)),
            (28, word(0x1305_0000)),
            (29, word(0x0013_0500)),
            (30, word(0)),
            (31, word(40)),
            (32, Value::Heartbeat),
            (34, word(u32::from(map.harvest.columns))),
            (35, word(if board == Board::P100a { 0 } else { 0x3eef })),
            (36, word(u32::from(map.harvest.channels))),
            (37, word(0xf)),
            (38, word(1)),
            (40, word(1)),
            (41, word(1200)),
            (42, word(0x2d2d_2d2d)),
            (43, word(0x2d2d_2d2d)),
            (44, word(0x2d2d_2d2d)),
            (45, word(0x2d2d_2d2d)),
            (46, word(0)),
            (47, word(0)),
            (48, word(0)),
            (49, word(0)),
            (50, word(0)),
            (51, word(0x2d)),
            (55, word(300)),
            (56, word(90)),
            (60, word(0)),
            (61, word(0x5115)),
            (62, word(0x0001_2345)),
            (63, word(AICLK_MHZ)),
            (64, word(110)),
        ];
        Self { entries }
    }

    /// The word at `offset` of CSM.
    pub(crate) fn word(&self, offset: u64, at: Time, pll: &Pll, clocked: bool) -> u32 {
        let index = |base: u64| ((offset - base) / 4) as usize;
        match offset {
            0 => 0x100,
            4 => self.entries.len() as u32,
            8..Self::DATA => {
                self.entries.get(index(8)).map_or(0, |(tag, _)| u32::from(*tag) | (index(8) as u32) << 16)
            }
            _ => match self.entries.get(index(Self::DATA)) {
                Some((_, Value::Word(value))) => *value,
                Some((_, Value::Heartbeat)) => (at / from_nanos(INTERVAL_MS * 1_000_000)) as u32,
                Some((_, Value::L2CpuMhz(cluster))) if clocked => pll.mhz(*cluster).round() as u32,
                _ => 0,
            },
        }
    }
}
