//! What can go wrong below the seam.

use std::fmt;
use std::path::PathBuf;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::{CardTime, Fault};

/// The process that holds a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// Its command's name, as the kernel keeps it (`/proc/PID/comm`): 15 bytes at most; empty where it is not told.
    pub command: String,
    /// Since when it holds the card, by the wall clock; `None` for a simulated card in the process of its holder, where none is read.
    pub since: Option<SystemTime>,
}

impl Holder {
    /// Process `pid`, of which no more is told.
    pub fn new(pid: u32) -> Self {
        Self { pid, command: String::new(), since: None }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {}", self.pid)?;
        if !self.command.is_empty() {
            write!(f, " (`{}`)", self.command)?;
        }
        match self.since {
            Some(since) => write!(f, " since {}", humantime::format_rfc3339_seconds(since)),
            None => Ok(()),
        }
    }
}

/// An error of a [`Card`](crate::Card) call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum CardError {
    /// There is no such device.
    #[error("there is no card at {}; list /dev/tenstorrent, or leave card(..) away to run on the simulated card", path.display())]
    NotPresent {
        /// The device node asked for.
        path: PathBuf,
    },
    /// Another live session holds the card.
    #[error("the card is held by {holder}; close its session first")]
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
        /// The system's answer, or what is too small for that many bytes.
        cause: String,
    },
    /// A simulated card was restored to a moment before this client's claim; its session is of a card that is no more.
    #[error("the simulated card was restored to {} ns of its clock, before this client claimed it; close this session and open another", to.as_nanos())]
    Restored {
        /// The moment, on the card's clock.
        to: CardTime,
    },
}

/// Refuses a request that is empty or does not lie on words, as [`Card::write`](crate::Card::write) says.
///
/// # Errors
/// [`CardError::Request`].
pub fn check_request(address: u64, bytes: usize) -> Result<(), CardError> {
    if bytes > 0 && address.is_multiple_of(4) && bytes.is_multiple_of(4) {
        return Ok(());
    }
    let what = format!(
        "{bytes} bytes at {address:#x}: a request has at least 4 bytes and lies on 4-byte boundaries"
    );
    Err(CardError::Request { what })
}
