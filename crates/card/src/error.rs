//! What can go wrong below the seam.

use std::path::PathBuf;

use crate::{CardTime, NocXy};

/// The process that holds a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
}

/// A rule of the hardware that device code or the host broke; the card has halted and answers every later call with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{agent} at tile {tile}, pc {pc:#x}: {detail} ({rule})")]
pub struct Fault {
    /// The tile the offender sits on (the PCIe tile for the host).
    pub tile: NocXy,
    /// Who did it: `host`, a baby core's name (`B`, `NC`, `T0`, `T1`, `T2`), `hart 0`, ...
    pub agent: String,
    /// Its program counter; 0 for the host.
    pub pc: u64,
    /// What it did, with addresses and values.
    pub detail: String,
    /// The rule, with the section of the hardware pages it comes from.
    pub rule: &'static str,
    /// When, on the card's clock.
    pub at: CardTime,
}

/// An error of a [`Card`](crate::Card) call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CardError {
    /// There is no such device.
    #[error("there is no card at {}; list /dev/tenstorrent, or leave card(..) away to run on the simulated card", path.display())]
    NotPresent {
        /// The device node asked for.
        path: PathBuf,
    },
    /// Another live session holds the card.
    #[error("the card is held by process {}; close its session first", holder.pid)]
    Busy {
        /// Who holds it.
        holder: Holder,
    },
    /// The card stopped answering: a read gave all ones, or the device went away.
    #[error("the card no longer answers ({what}); reset it")]
    Lost {
        /// The access that showed it.
        what: String,
    },
    /// A rule of the hardware was broken; the card has halted.
    #[error("the card halted: {0}")]
    Fault(#[from] Fault),
    /// A request the seam refuses before it reaches the card.
    #[error("{what}")]
    Request {
        /// What was asked, and the rule against it.
        what: String,
    },
    /// The host could not give memory for the card to write.
    #[error("no host memory of {bytes} bytes for the card: {cause}")]
    HostMemory {
        /// Bytes asked for.
        bytes: usize,
        /// The system's answer.
        cause: String,
    },
}
