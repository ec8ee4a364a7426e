//! Everything that can go wrong above the seam, a variant for each row of the error table of host-api.
//!
//! Variants with many facts hold them in a box, so that a `Result` stays small on the paths that succeed.

mod core;
mod engine;
mod host;
mod kernel;
mod load;
mod merge;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use komorebi_card::{CardError, Fault, Holder};
use komorebi_simcard::ConnectError;

pub use self::core::{CommandTimeout, GridTimeout, LateCore, StuckThread};
pub use self::engine::{EngineCall, EngineEnded, EngineError, EngineRejected, EngineTimeout, UploadError};
pub use self::host::{Activity, ArgumentError, CardSetting, CommandRejected, TensorError, WaitTimeout};
pub use self::kernel::{FaultReport, HartTrap, KernelFailed};
pub use self::load::{ProgramError, SizeError, StartError};

/// The result of a call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, with the facts and what to do.
///
/// `Debug` is the message too, since `fn main() -> km::Result<()>` prints that; a message tells its causes itself.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such device.
    #[error("there is no card at {}, which {setting} asks for; list /dev/tenstorrent, or {}", path.display(), setting.undo())]
    NotPresent {
        /// The device node asked for.
        path: PathBuf,
        /// What asked for it.
        setting: CardSetting,
    },
    /// No simulated card is served where one was asked for.
    #[error("{cause}, or {} ({setting} asks for it)", setting.undo())]
    NoSimCard {
        /// Why there is no connection.
        cause: Box<ConnectError>,
        /// What asked for it.
        setting: CardSetting,
    },
    /// Something this version does not have.
    #[error("{what} is not in this version; {instead}")]
    NotInThisVersion {
        /// What was asked for.
        what: String,
        /// What to do.
        instead: String,
    },
    /// `KM_CARD` holds something else than a world.
    #[error(
        "KM_CARD is {value:?}; give `sim`, `sim:PATH` or `card:N`, or unset it to run on the simulated card"
    )]
    Environment {
        /// What it holds.
        value: OsString,
    },
    /// The X280 has no such clock.
    #[error("the X280 has no clock of {mhz} MHz; give 200, 800, 1000 or 1750")]
    PllClock {
        /// What was asked for, in MHz.
        mhz: u32,
    },
    /// Another live session holds the card.
    #[error("the card is held by {holder}; close its session first")]
    CardBusy {
        /// Who holds it.
        holder: Holder,
    },
    /// The signals that end a process cannot be listened to.
    #[error("signals cannot be listened to: {cause}; close the sessions before the process ends")]
    Signals {
        /// The system's answer.
        cause: String,
    },
    /// The session was closed.
    #[error("the session is closed; open another")]
    Closed,
    /// The session has a loaded run already.
    #[error("a run is loaded already; stop it before loading another")]
    Loaded,
    /// The last load ended and could not be stopped.
    #[error("what was loaded last has ended and could not be stopped; close the session and open another")]
    Unstopped,
    /// A program breaks rules, did not compile, or could not be read.
    #[error(transparent)]
    ProgramError(Box<ProgramError>),
    /// The program's kernels do not fit the session's kernel buffer.
    #[error(transparent)]
    KernelSizeError(Box<SizeError>),
    /// A kernel holds instructions its core lacks.
    #[error(transparent)]
    KernelInstructionError(Box<crate::build::InstructionError>),
    /// The program has threads on the X280's work clusters, which sessions do not run yet. Nothing was loaded.
    #[error("program `{program}` has {threads}, and X280 threads do not run yet; load it without")]
    ThreadsNotRun {
        /// The program.
        program: String,
        /// Its threads, as messages call them.
        threads: String,
    },
    /// The runtime's own firmware could not be built.
    #[error("the firmware cannot be built: {0}")]
    Firmware(Box<crate::build::Error>),
    /// An option of a load, or a setting of a session, is out of its range.
    #[error("{name} is {found}; {expected}")]
    LoadOption {
        /// The argument.
        name: &'static str,
        /// What it holds.
        found: String,
        /// Its range.
        expected: String,
    },
    /// The program or the card could not be started.
    #[error(transparent)]
    StartError(Box<StartError>),
    /// A tensor was asked for what it cannot do.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// A group is empty or does not lie inside the program's grid.
    #[error(transparent)]
    Group(#[from] komorebi_card::GroupError),
    /// A command's handler or arguments are not the program's.
    #[error(transparent)]
    Argument(Box<ArgumentError>),
    /// A handle of another run, or a range between handles of two runs.
    #[error("command {handle} is {}, not of load {run}; use a handle with the run it was submitted to", of_load(*load))]
    ForeignHandle {
        /// The command's number in its own run.
        handle: u64,
        /// The load it is of; `None` for a range between handles of two runs.
        load: Option<u32>,
        /// The load of the run that was asked.
        run: u32,
    },
    /// A wait for any of no commands, which nothing could end.
    #[error("wait_any was given no handles; give it one command to wait for at least")]
    NoHandles,
    /// A command that was forgotten.
    #[error(
        "the run keeps nothing for command {handle}; wait for a command once, and forget it only after that"
    )]
    Handle {
        /// The command's number.
        handle: u64,
    },
    /// A command's sequence number cannot be told: too many commands of other sources lay between.
    #[error(
        "the sequence number of command {handle} cannot be told: 32,768 commands of other sources or more were submitted since the host's last one"
    )]
    Sequence {
        /// The command's number.
        handle: u64,
    },
    /// The trace does not hold a command.
    #[error("the trace does not hold command {handle}: {why}")]
    NotTraced {
        /// The command's number.
        handle: u64,
        /// Why, and what to do.
        why: String,
    },
    /// A wait of the host ran out; the run is still loaded.
    #[error(transparent)]
    WaitTimeout(Box<WaitTimeout>),
    /// The dispatcher consumed a command and submitted nothing; the run goes on.
    #[error(transparent)]
    CommandRejected(#[from] CommandRejected),
    /// An upload, a start or a release that cannot be right: nothing was sent.
    #[error(transparent)]
    Upload(Box<UploadError>),
    /// The dispatcher rejected a RUN or CANCEL; the run goes on.
    #[error(transparent)]
    EngineRejected(Box<EngineRejected>),
    /// A stream or graph ended with an error event; the run goes on.
    #[error(transparent)]
    EngineError(Box<EngineError>),
    /// The engine has ended without the event that was waited for.
    #[error(transparent)]
    EngineEnded(Box<EngineEnded>),
    /// An engine did not end in time, or its RUN or CANCEL was not answered; the run is still loaded.
    #[error(transparent)]
    EngineTimeout(Box<EngineTimeout>),
    /// A group missed its deadline; the run is stopped and read back.
    #[error(transparent)]
    CommandTimeout(Box<CommandTimeout>),
    /// The dispatcher finished with another error, did not finish cleanly, or sent an event for a command not in flight.
    #[error(transparent)]
    KernelFailed(Box<KernelFailed>),
    /// The grid's kernels did not return within `grid_timeout`.
    #[error(transparent)]
    GridTimeout(Box<GridTimeout>),
    /// The card stopped answering.
    #[error("the card no longer answers ({what}); reset it")]
    DeviceLost {
        /// The access that showed it.
        what: String,
    },
    /// The run has died; the cause tells of what.
    #[error("the run has ended: {cause}")]
    RunEnded {
        /// The error that ended it.
        cause: Arc<Error>,
    },
    /// A rule of the hardware was broken; the card has halted.
    #[error(transparent)]
    Fault(Box<FaultReport>),
    /// A request that the seam refused, or memory that the host lacks for the card.
    #[error("the card cannot serve a request: {0}")]
    Card(Box<CardError>),
}

impl Error {
    /// The name of its variant.
    pub(crate) fn variant(&self) -> &'static str {
        match self {
            Self::CommandTimeout(_) => "CommandTimeout",
            Self::KernelFailed(_) => "KernelFailed",
            Self::GridTimeout(_) => "GridTimeout",
            Self::StartError(_) => "StartError",
            Self::WaitTimeout(_) => "WaitTimeout",
            Self::EngineTimeout(_) => "EngineTimeout",
            Self::Fault(_) => "Fault",
            Self::DeviceLost { .. } => "DeviceLost",
            _ => "another error",
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error {
    /// True when the card can do nothing more for this session, so that trying again is of no use.
    pub(crate) fn is_final(&self) -> bool {
        match self {
            Self::Closed | Self::Fault(_) | Self::DeviceLost { .. } => true,
            Self::Card(error) => matches!(**error, CardError::Restored { .. }),
            _ => false,
        }
    }
}

fn of_load(load: Option<u32>) -> String {
    load.map_or_else(|| "in a range between two runs".into(), |load| format!("of load {load}"))
}

impl From<CardError> for Error {
    fn from(error: CardError) -> Self {
        match error {
            CardError::NotPresent { path } => Self::NotPresent { path, setting: CardSetting::Given },
            CardError::Busy { holder } => Self::CardBusy { holder },
            CardError::Lost { what } => Self::DeviceLost { what },
            CardError::Fault(fault) => fault.into(),
            other => Self::Card(Box::new(other)),
        }
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::Fault(Box::new(FaultReport { fault, place: None, post_mortem: None }))
    }
}

macro_rules! boxed {
    ($($variant:ident($facts:ty)),* $(,)?) => {
        $(impl From<$facts> for Error {
            fn from(facts: $facts) -> Self {
                Self::$variant(Box::new(facts))
            }
        })*
    };
}

boxed!(
    ProgramError(ProgramError),
    KernelSizeError(SizeError),
    StartError(StartError),
    Argument(ArgumentError),
    WaitTimeout(WaitTimeout),
    Upload(UploadError),
    EngineRejected(EngineRejected),
    EngineError(EngineError),
    EngineEnded(EngineEnded),
    EngineTimeout(EngineTimeout),
    CommandTimeout(CommandTimeout),
    KernelFailed(KernelFailed),
    GridTimeout(GridTimeout),
    Fault(FaultReport),
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_main_that_returns_an_error_prints_its_message() {
        let cause =
            Arc::new(Error::from(CardError::HostMemory { bytes: 4096, cause: "out of memory".into() }));
        let error = Error::RunEnded { cause };
        let message = "the run has ended: the card cannot serve a request: no host memory of 4096 bytes for the card: out of memory";
        assert_eq!(format!("{error:?}"), message);
        assert_eq!(format!("{error:#?}"), message);
    }

    #[test]
    fn a_result_stays_small_on_the_paths_that_succeed() {
        assert!(size_of::<Error>() <= 64, "{}", size_of::<Error>());
        assert!(size_of::<Result<u64>>() <= 64, "{}", size_of::<Result<u64>>());
    }
}
