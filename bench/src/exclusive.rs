//! Exclusive NOPs, back to back on one group: what the dispatcher spends from one to the next, and how long that takes.

use crate::BenchError;
use crate::bed::{Bed, Feed, Setup, period};
use crate::figure::Reading;
use komorebi as km;
use komorebi_sim as sim;

/// Commands of a measurement.
const COMMANDS: u32 = 400;

/// A group that the figures are of.
#[derive(Clone, Copy)]
pub(crate) enum Cores {
    One,
    Twelve,
    All,
}

impl Cores {
    fn feed(self) -> Feed {
        match self {
            Self::One => |_| km::nop().on((0, 1)).exclusive(),
            Self::Twelve => |_| km::nop().on((0, 12)).exclusive(),
            Self::All => |_| km::nop().on((0, 120)).exclusive(),
        }
    }
}

/// What a counter of the card grows by a command.
pub(crate) fn count(cores: Cores, counter: fn(sim::Counters) -> u64) -> Result<Reading, BenchError> {
    Bed::load(Setup::default())?.count(counter, COMMANDS, cores.feed())
}

/// Card time from one command to the next, in microseconds.
pub(crate) fn card_time(cores: Cores) -> Result<Reading, BenchError> {
    period(Setup::default(), COMMANDS, cores.feed())
}
