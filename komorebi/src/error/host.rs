//! Facts about calls of the host that could not be served.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use komorebi_abi::constants::command;
use komorebi_abi::program::ResultKind;

use super::kernel::Harts;
use crate::postmortem::{PostMortemFile, note};
use crate::session::HartState;
use crate::state::DispatcherState;

/// What asked for a card.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CardSetting {
    /// [`SessionBuilder::card`](crate::SessionBuilder::card).
    Card(u32),
    /// [`SessionBuilder::sim_card`](crate::SessionBuilder::sim_card).
    SimCard(PathBuf),
    /// `KM_CARD`, with what it holds.
    Variable(String),
    /// A card of the caller's own, given to [`SessionBuilder::on`](crate::SessionBuilder::on).
    Given,
}

impl CardSetting {
    /// How to run on the simulated card instead.
    pub(crate) const fn undo(&self) -> &'static str {
        match self {
            Self::Card(_) => "leave card(..) away and KM_CARD unset to run on the simulated card",
            Self::SimCard(_) => "leave sim_card(..) away and KM_CARD unset for a simulated card of its own",
            Self::Variable(_) => "unset KM_CARD to run on the simulated card",
            Self::Given => "give on(..) another card",
        }
    }
}

impl fmt::Display for CardSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Card(number) => write!(f, "card({number})"),
            Self::SimCard(path) => write!(f, "sim_card({path:?})"),
            Self::Variable(value) => write!(f, "KM_CARD={value}"),
            Self::Given => f.write_str("the card given to on(..)"),
        }
    }
}

/// A command whose handler, words or flags are not the program's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentError {
    /// The program has no handler of that name.
    #[error("program `{program}` has no handler `{name}`; {}", hint(nearest.as_deref(), known))]
    UnknownHandler {
        /// The program.
        program: String,
        /// The name asked for.
        name: String,
        /// The nearest name it has.
        nearest: Option<String>,
        /// All names it has.
        known: Vec<String>,
    },
    /// The program has no handler of that number.
    #[error("program `{program}` has no handler with number {number}; 0 is NOP, and {}", hint(None, known))]
    UnknownNumber {
        /// The program.
        program: String,
        /// The number asked for.
        number: u32,
        /// The names it has.
        known: Vec<String>,
    },
    /// The handler is declared with another number of words.
    #[error("handler `{name}` takes {expected} argument words, not {found}")]
    Words {
        /// The handler.
        name: String,
        /// Words given.
        found: usize,
        /// Words declared.
        expected: u32,
    },
    /// A result that the handler does not give.
    #[error("handler `{name}` gives {}, not a {}; {}", given(*expected), kind(*found), ask(*expected))]
    Result {
        /// The handler.
        name: String,
        /// The type asked for.
        found: ResultKind,
        /// What it declares.
        expected: Option<ResultKind>,
    },
    /// More words than a command carries.
    #[error(
        "a command carries {} argument words, not {found}; put the rest into a tensor and pass its address",
        command::ARGS_MAX
    )]
    TooMany {
        /// Words given.
        found: usize,
    },
    /// The columns of a batch differ in length.
    #[error("a batch of {expected} commands has {found} {what}; give one for all or one a command")]
    Columns {
        /// The column.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The batch's length.
        expected: usize,
    },
}

const fn kind(kind: ResultKind) -> &'static str {
    match kind {
        ResultKind::U32 => "u32",
        ResultKind::I32 => "i32",
        ResultKind::F32 => "f32",
    }
}

fn given(declared: Option<ResultKind>) -> String {
    declared.map_or_else(|| "no result".into(), |declared| format!("a {}", kind(declared)))
}

fn ask(declared: Option<ResultKind>) -> String {
    declared.map_or_else(
        || "leave result() away, or declare what it gives".into(),
        |declared| format!("ask for result::<{}>()", kind(declared)),
    )
}

fn hint(nearest: Option<&str>, known: &[String]) -> String {
    match nearest {
        Some(name) => format!("did you mean `{name}`?"),
        None if known.is_empty() => "it declares none".into(),
        None => format!("it has {}", known.join(", ")),
    }
}

/// The dispatcher consumed a command and submitted nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the dispatcher rejected command {handle}: {reason_name} (reason {reason}); {}", advice(*.reason))]
pub struct CommandRejected {
    /// The host's number of the command.
    pub handle: u64,
    /// A `KMD_REJECT_*` number.
    pub reason: u8,
    /// Its suffix in lower case; `unknown` for a number the headers lack.
    pub reason_name: &'static str,
}

pub(super) fn advice(reason: u8) -> std::borrow::Cow<'static, str> {
    let advice = match komorebi_abi::wire::reject_name(reason) {
        Some("queue") => {
            let most = command::JOB_QUEUE_LENGTH;
            return format!("keep at most {most} queued commands unfinished").into();
        }
        Some("exited") => "submit before stop",
        Some("engines") => "wait until a running stream or graph has ended",
        Some("req") => "give each running stream or graph its own req",
        _ => "host and dispatcher were built from different headers",
    };
    advice.into()
}

/// What the dispatcher was doing when a wait ran out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activity {
    /// Passes of its loop in the 20 ms before the second look: 0 means that it stands still.
    pub passes: u64,
    /// Its state at the second look.
    pub state: DispatcherState,
    /// What the monitor says about each hart of X280 cluster 0; the dispatcher runs on hart 0.
    pub harts: Vec<HartState>,
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.passes == 0 {
            f.write_str("the dispatcher stands still (its pass marker did not move in 20 ms)")?;
        } else {
            write!(f, "the dispatcher is alive ({} passes in 20 ms)", self.passes)?;
        }
        write!(f, ", {}; {}", self.state, Harts(&self.harts))
    }
}

/// A wait of the host ran out. The run is still loaded.
#[derive(Clone, Debug)]
pub struct WaitTimeout {
    /// How long it waited, on the card's clock.
    pub timeout: Duration,
    /// The commands waited for that have no event yet.
    pub pending: Vec<u64>,
    /// What the dispatcher was doing; `None` when the card could not be asked.
    pub activity: Option<Activity>,
    /// The file with all that was read back, or why there is none, if one was asked for and the run was stopped.
    pub post_mortem: Option<PostMortemFile>,
}

impl std::error::Error for WaitTimeout {}

impl fmt::Display for WaitTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no event within {:?} for ", self.timeout)?;
        match self.pending.as_slice() {
            [] => f.write_str("the dispatcher's end")?,
            [one] => write!(f, "command {one}")?,
            [first, .., last] => write!(f, "{} commands from {first} to {last}", self.pending.len())?,
        }
        f.write_str("; wait longer, or stop the run")?;
        if let Some(activity) = &self.activity {
            write!(f, "; {activity}")?;
        }
        note(f, self.post_mortem.as_ref())
    }
}

/// A tensor call that does not fit its tensor or the card's memory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TensorError {
    /// Data of another shape.
    #[error("the tensor has shape {expected:?}, not {found:?}")]
    Shape {
        /// The data's.
        found: Vec<usize>,
        /// The tensor's.
        expected: Vec<usize>,
    },
    /// A type that cannot hold the tensor's elements.
    #[error("the tensor holds {expected}, not {found}; {help}")]
    Type {
        /// The type asked for.
        found: &'static str,
        /// The tensor's.
        expected: &'static str,
        /// What to do.
        help: &'static str,
    },
    /// A shape without elements.
    #[error("a tensor of shape {shape:?} has no elements; give every dimension at least 1")]
    Empty {
        /// The shape.
        shape: Vec<usize>,
    },
    /// A range of pages outside the tensor.
    #[error("pages {first}..{end} lie outside the tensor, which has {pages} pages", end = first.saturating_add(*count))]
    Pages {
        /// The first page asked for.
        first: usize,
        /// Pages asked for.
        count: usize,
        /// Pages it has.
        pages: usize,
    },
    /// No room in the card's DRAM.
    #[error(
        "no {bytes} bytes are free at one address in all {banks} DRAM banks; {free} is the largest gap: drop tensors"
    )]
    Memory {
        /// Bytes of each bank asked for.
        bytes: u64,
        /// Banks.
        banks: usize,
        /// The largest free gap.
        free: u64,
    },
    /// A shape whose bytes are more than a number holds.
    #[error("a tensor of shape {shape:?} of {dtype} has more bytes than any memory; give it a smaller shape")]
    TooLarge {
        /// The shape.
        shape: Vec<usize>,
        /// The type of its elements.
        dtype: &'static str,
    },
    /// Bytes that are not those of all pages.
    #[error("the tensor's pages have {expected} bytes, not {found}; give all pages without their padding")]
    Bytes {
        /// Bytes given.
        found: usize,
        /// Bytes of all pages.
        expected: usize,
    },
    /// The tensor is of another session.
    #[error("the tensor is of another session; use it with its own")]
    Session,
    /// The tensor was freed.
    #[error("the tensor was freed")]
    Freed,
}
