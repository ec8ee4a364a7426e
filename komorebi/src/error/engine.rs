//! Facts about uploads and engines.

use std::fmt;
use std::time::Duration;

use komorebi_abi::constants::engine;
use komorebi_abi::engine::{BindError, Problem, Reason};

use super::host::{Activity, advice};
use crate::engine::{EngineEvent, EngineHandle, UploadState};
use crate::postmortem::{PostMortemFile, note};

/// An upload, a start or a release that the host does not send, since it cannot be right. Nothing was written.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UploadError {
    /// A graph or stream that breaks rules.
    #[error("the {what} cannot be uploaded{}", lines(problems))]
    Problems {
        /// Graph or stream.
        what: &'static str,
        /// Every rule it breaks.
        problems: Vec<Problem>,
    },
    /// It does not fit the upload region.
    #[error("{what} takes {bytes} bytes and the upload region has {free} free, {largest} of them in one piece; {}", room(*free, *bytes))]
    Room {
        /// What should have been written.
        what: &'static str,
        /// Its bytes, in whole lines.
        bytes: usize,
        /// Bytes that are free.
        free: u32,
        /// Bytes of the largest hole.
        largest: u32,
    },
    /// The upload is not in the state that the call needs.
    #[error("the upload with req {req} is {}; {}", state_text(*state), instead(*state))]
    State {
        /// Its req.
        req: u16,
        /// What it is.
        state: UploadState,
    },
    /// Another engine that runs, or another kept graph, has the same req.
    #[error(
        "another engine that runs or is kept has req {req}; give each its own req, or wait until that one has ended"
    )]
    Req {
        /// The req.
        req: u16,
    },
    /// An upload or engine of another run.
    #[error("the {what} is of load {load}, not of load {run}; use it with its own run")]
    Foreign {
        /// Upload or engine.
        what: &'static str,
        /// The load it is of.
        load: u32,
        /// The load of the run that was asked.
        run: u32,
    },
    /// A stream that is to be kept.
    #[error(
        "the upload with req {req} is a stream, and only graphs are kept; leave kept away and start it again"
    )]
    Keep {
        /// Its req.
        req: u16,
    },
    /// Bindings that are not those of the upload.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// More words than a start carries.
    #[error(
        "{found} binding words are given, a start carries {}; put the rest into a tensor and bind its address",
        engine::BINDINGS_MAX
    )]
    TooManyBindings {
        /// Words given.
        found: usize,
    },
    /// Names for bindings of bytes, which tell none.
    #[error(
        "bindings are given by name, and the upload is bytes that tell no names; give a list of words in the order of the bindings"
    )]
    Names,
}

fn lines(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("\n  {problem}")).collect()
}

fn room(free: u32, bytes: usize) -> &'static str {
    if free as usize >= bytes {
        "release an upload beside the largest hole"
    } else {
        "release uploads, or make it smaller"
    }
}

fn state_text(state: UploadState) -> &'static str {
    match state {
        UploadState::Idle => "not kept",
        UploadState::Running => "running",
        UploadState::Unknown => "running as far as is known",
        UploadState::Kept => "a kept graph",
        UploadState::Released => "released",
    }
}

fn instead(state: UploadState) -> &'static str {
    match state {
        UploadState::Idle => "start it",
        UploadState::Running => "wait for its end, or cancel it",
        UploadState::Unknown => "cancel its engine, which settles it",
        UploadState::Kept => "restart it",
        UploadState::Released => "upload it again",
    }
}

/// What was sent for an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineCall {
    /// RUN: a start or a restart.
    Run,
    /// CANCEL.
    Cancel,
}

impl fmt::Display for EngineCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Run => "RUN",
            Self::Cancel => "CANCEL",
        })
    }
}

/// The dispatcher rejected a RUN or CANCEL: four streams or two graphs run, no such req, an upload outside the region. The
/// run goes on.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the dispatcher rejected the {call} of the {} with req {}: {reason_name} (reason {reason}); {}", handle.kind().name(), handle.req(), engine_advice(*.call, *.reason))]
pub struct EngineRejected {
    /// The engine.
    pub handle: EngineHandle,
    /// What was rejected.
    pub call: EngineCall,
    /// A `KMD_REJECT_*` number.
    pub reason: u8,
    /// Its suffix in lower case; `unknown` for a number the headers lack.
    pub reason_name: &'static str,
}

fn engine_advice(call: EngineCall, reason: u8) -> String {
    match (komorebi_abi::wire::reject_name(reason), call) {
        (Some("engines"), _) => format!(
            "{} streams and {} graphs run at once, and {} graphs are kept: wait for one to end, or release one",
            engine::STREAMS_MAX,
            engine::GRAPHS_MAX,
            engine::KEPT_MAX
        ),
        (Some("req"), EngineCall::Run) => {
            "restart only a kept graph, and give each engine its own req".into()
        }
        (Some("req"), EngineCall::Cancel) => "no engine with this req runs or is kept".into(),
        (Some("upload"), _) => "upload whole graphs and streams, none of them shorter than its header".into(),
        _ => advice(reason).into_owned(),
    }
}

/// A stream or graph ended with an error event.
#[derive(Clone, Debug)]
pub struct EngineError {
    /// The engine.
    pub handle: EngineHandle,
    /// Its last event.
    pub event: EngineEvent,
    /// A `KM_STREAM_ERROR_*` number.
    pub reason: u32,
    /// Its suffix in lower case; `unknown` for a number the headers lack.
    pub reason_name: &'static str,
    /// The instruction that a stream's error is about.
    pub pc: Option<u32>,
    /// The node that a graph's error is about.
    pub node: Option<u32>,
}

impl std::error::Error for EngineError {}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, req) = (self.handle.kind().name(), self.handle.req());
        write!(f, "the {kind} with req {req} ended with an error: {}", self.reason_name)?;
        match (self.pc, self.node) {
            (Some(pc), _) => write!(f, " at instruction {pc}")?,
            (_, Some(node)) => write!(f, " at node {node}")?,
            _ => {}
        }
        let reason = Reason(self.reason);
        write!(f, " (reason {}): {}; {}", reason.0, reason.meaning(), reason.advice())
    }
}

/// An event was waited for that an engine cannot post any more: it has ended.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "the {} with req {} has ended with {events} events, and event {index}, counted from 0, is not among them; wait for one before it",
    handle.kind().name(),
    handle.req()
)]
pub struct EngineEnded {
    /// The engine.
    pub handle: EngineHandle,
    /// The event that was waited for.
    pub index: usize,
    /// How many it posted, its last one included.
    pub events: usize,
}

/// An engine did not end in time, or its RUN or CANCEL was not answered. The run is still loaded.
#[derive(Clone, Debug)]
pub struct EngineTimeout {
    /// The engine. After a RUN that was not answered its state is unknown.
    pub handle: EngineHandle,
    /// What was not answered; `None` when its end was waited for.
    pub call: Option<EngineCall>,
    /// How long the wait was, on the card's clock.
    pub timeout: Duration,
    /// What the dispatcher was doing, if the card could say.
    pub activity: Option<Activity>,
    /// The file with all that was read back, or why there is none, if one was asked for and the run was stopped.
    pub post_mortem: Option<PostMortemFile>,
}

impl std::error::Error for EngineTimeout {}

impl fmt::Display for EngineTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, req, timeout) = (self.handle.kind().name(), self.handle.req(), self.timeout);
        match self.call {
            None => write!(
                f,
                "the {kind} with req {req} has not ended within {timeout:?}; wait longer, or cancel it"
            )?,
            Some(call) => write!(
                f,
                "the {call} of the {kind} with req {req} was not answered within {timeout:?}; cancel it, or stop the run"
            )?,
        }
        if let Some(activity) = &self.activity {
            write!(f, "; {activity}")?;
        }
        note(f, self.post_mortem.as_ref())
    }
}
