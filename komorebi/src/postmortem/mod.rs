//! What is left of a failure, in one file: everything that was read back, and a story of it in plain words.

mod gather;
mod inspect;
mod save;
mod story;

use std::path::Path;

use serde::{Deserialize, Serialize};

pub(crate) use gather::Scene;
pub use inspect::inspect;
pub use save::PostMortemFile;
pub(crate) use save::{folder, note};

/// What a file of this kind begins with.
const FORMAT: &str = "komorebi post-mortem";
/// Grows when a reader of an older version could not read a file.
const VERSION: u32 = 1;

/// A failure of a run or of its load, with all that was read back: self-contained, as JSON.
///
/// Written into [`LoadOptions::post_mortem`](crate::LoadOptions::post_mortem) or the folder that `KM_POSTMORTEM` names; the error's
/// message names the file, or says why there is none. `cargo komorebi explain FILE` prints [`explain`](Self::explain).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PostMortem {
    format: String,
    version: u32,
    /// The error's variant.
    pub kind: String,
    /// Its message.
    pub message: String,
    /// The program.
    pub program: String,
    /// The number of its load in its process.
    pub load: u32,
    /// Columns and rows of its grid.
    pub grid: (u32, u32),
    /// World and board.
    pub card: String,
    /// The fingerprint of the headers that host and device code were built from.
    pub fingerprint: u32,
    /// When this was written, in nanoseconds of the card's clock.
    pub at: u64,
    /// The load option `deadline`, in nanoseconds; 0 where it is not known.
    pub deadline: u64,
    /// The handlers: number and name.
    pub handlers: Vec<(u8, String)>,
    /// The dispatcher; `None` when the card did not answer any more.
    pub dispatcher: Option<DispatcherRecord>,
    /// Commands of the host that have no event.
    pub commands: Vec<CommandRecord>,
    /// Each core's threads, in core order; empty while the program runs, or when they could not be read.
    pub cores: Vec<CoreRecord>,
    /// The event ring's words, as the host holds them.
    pub events: Vec<u64>,
    /// The trace of a run that has one, as Chrome's trace events.
    pub trace: Option<serde_json::Value>,
}

/// The dispatcher, as X280 cluster 0's local memory tells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DispatcherRecord {
    /// Where it is in its life.
    pub stage: String,
    /// Passes of its loop.
    pub passes: u64,
    /// Lines consumed.
    pub consumed: u64,
    /// Events posted.
    pub posted: u64,
    /// Commands in flight.
    pub busy: Vec<BusyRecord>,
    /// Its result block, if it wrote one.
    pub result: Option<String>,
    /// What the monitor says about each hart, with the place of one that trapped.
    pub harts: Vec<String>,
    /// The state words.
    pub state: Vec<u64>,
    /// The command ring.
    pub ring: Vec<u64>,
}

/// A command in flight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BusyRecord {
    /// Its slot.
    pub slot: u32,
    /// Its sequence number.
    pub sequence: u32,
    /// Its handler's number.
    pub handler: u8,
    /// Its first core.
    pub first: u32,
    /// Its cores.
    pub count: u32,
}

/// A command of the host that has no event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommandRecord {
    /// Its number.
    pub number: u64,
    /// Its first core; `None` for a queued one.
    pub first: Option<u32>,
    /// Its cores.
    pub count: u32,
    /// When it was stored into the ring, in nanoseconds of the card's clock; `None` when it was not, or too long ago.
    pub stored: Option<u64>,
}

/// A core.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoreRecord {
    /// Its index in the grid.
    pub core: u32,
    /// Reader, writer, unpack, math, pack.
    pub threads: Vec<ThreadRecord>,
}

/// A thread of a core.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThreadRecord {
    /// `reader`, `writer`, `unpack`, `math` or `pack`.
    pub thread: String,
    /// Where it is in its life.
    pub stage: String,
    /// Commands taken.
    pub taken: u32,
    /// Commands done.
    pub done: u32,
    /// The handler of the command at hand.
    pub handler: u32,
    /// Its sequence number.
    pub sequence: u32,
    /// The wait it ended in.
    pub wait: Option<WaitRecord>,
    /// Function and line in the program's own files: of that wait, or where a thread was that did not come back.
    pub place: Option<String>,
}

/// A wait.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitRecord {
    /// A [`WaitKind`](crate::state::WaitKind).
    pub kind: String,
    /// The same in words.
    pub what: String,
    /// The buffer, slot, NoC or address it is about.
    pub object: u32,
    /// The value waited for.
    pub wanted: u32,
    /// The value seen last.
    pub seen: u32,
}

impl PostMortem {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, String> {
        let bytes =
            komorebi_headers::read_file(path.as_ref(), usize::MAX).map_err(|error| error.to_string())?;
        Self::parse(&bytes)
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let value: serde_json::Value =
            serde_json::from_slice(bytes).map_err(|error| format!("it is no JSON: {error}"))?;
        let format = value["format"].as_str();
        if format != Some(FORMAT) {
            let found =
                format.map_or_else(|| "missing".to_owned(), |format| format.escape_debug().to_string());
            return Err(format!("its `format` is {found}, not `{FORMAT}`"));
        }
        let version = value["version"].as_u64();
        if version != Some(u64::from(VERSION)) {
            let found = version.map_or_else(|| "missing".to_owned(), |version| version.to_string());
            return Err(format!("its `version` is {found}, and this program reads version {VERSION}"));
        }
        serde_json::from_value(value).map_err(|error| error.to_string())
    }
}
