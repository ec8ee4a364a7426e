//! Facts about cores that did not do their part.

use std::fmt;
use std::time::Duration;

use komorebi_abi::engine::UploadKind;
use komorebi_card::Group;

use super::merge::{all_threads, threads, write_cores};
use crate::engine::EngineHandle;
use crate::postmortem::{PostMortemFile, note};
use crate::state::{ResultBlock, ThreadState};

/// A core that did not do its part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateCore {
    /// Its index in the program's grid.
    pub core: u32,
    /// Its five threads: reader, writer, unpack, math, pack.
    pub threads: [ThreadState; 5],
}

impl fmt::Display for LateCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "core {}: {}", self.core, all_threads(&self.threads))
    }
}

/// Writes a line for all cores whose threads say the same.
pub(super) fn write_late(f: &mut fmt::Formatter<'_>, cores: &[LateCore]) -> fmt::Result {
    write_cores(f, cores.iter().map(|core| (core.core, all_threads(&core.threads))))
}

/// A group missed its deadline. The dispatcher stopped, the grid was stopped, its state was read back.
#[derive(Clone, Debug)]
pub struct CommandTimeout {
    /// The host's number of the command; `None` when it was not the host's.
    pub handle: Option<u64>,
    /// The engine that submitted it, and its graph's node or which of its stream's commands it was. For one that the host ran
    /// in the dispatcher's place the command has a number as well.
    pub engine: Option<(EngineHandle, u32)>,
    /// The load option `deadline`, which it missed.
    pub deadline: Duration,
    /// Its completion slot.
    pub slot: u8,
    /// The low 16 bits of its sequence number.
    pub sequence: u16,
    /// Its group, where the dispatcher or the host knows it.
    pub group: Option<Group>,
    /// The cores of the group that did not complete it, with where their threads were.
    pub cores: Vec<LateCore>,
    /// The dispatcher's result block, if it wrote one.
    pub result: Option<ResultBlock>,
    /// The file with all that was read back, or why there is none, if one was asked for.
    pub post_mortem: Option<PostMortemFile>,
}

impl std::error::Error for CommandTimeout {}

impl fmt::Display for CommandTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((engine, record)) = &self.engine {
            let (kind, req) = (engine.kind(), engine.req());
            let what = if kind == UploadKind::Graph { "node" } else { "command" };
            write!(f, "{what} {record} of the {} with req {req}", kind.name())?;
        }
        match (self.handle, &self.engine) {
            (Some(handle), Some(_)) => write!(f, ", command {handle} of the host's")?,
            (Some(handle), None) => write!(f, "command {handle}")?,
            (None, Some(_)) => {}
            (None, None) => f.write_str("a command")?,
        }
        write!(f, " (slot {}, sequence number ..{:#06x}", self.slot, self.sequence)?;
        if let Some(group) = self.group {
            write!(f, ", group {group}")?;
        }
        write!(
            f,
            ") missed its deadline of {:?} (load option `deadline`); the run is stopped",
            self.deadline
        )?;
        if self.cores.is_empty() && self.result.is_none() {
            f.write_str("; it could not be read back")?;
            return note(f, self.post_mortem.as_ref());
        }
        if self.cores.is_empty() {
            f.write_str(
                "; every core of the group had completed it when it was read back: give it a longer deadline",
            )?;
        }
        write_late(f, &self.cores)?;
        note(f, self.post_mortem.as_ref())
    }
}

/// A thread that was not back when the grid was reset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StuckThread {
    /// Its core.
    pub core: u32,
    /// `reader`, `writer`, `unpack`, `math` or `pack`.
    pub thread: &'static str,
    /// What it said last.
    pub state: ThreadState,
}

/// The grid's kernels did not return in time; their cores were put in reset.
#[derive(Clone, Debug)]
pub struct GridTimeout {
    /// How long they had: the session's `grid_timeout`, in an abort at most 2 s.
    pub timeout: Duration,
    /// The threads that were not back.
    pub threads: Vec<StuckThread>,
    /// The dispatcher's result block, if it wrote one.
    pub result: Option<ResultBlock>,
    /// The file with all that was read back, or why there is none, if one was asked for.
    pub post_mortem: Option<PostMortemFile>,
}

impl std::error::Error for GridTimeout {}

impl fmt::Display for GridTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} threads of the grid did not return within {:?} (`grid_timeout`, in an abort at most 2s) and were put in reset",
            self.threads.len(),
            self.timeout
        )?;
        let by_core = self.threads.chunk_by(|a, b| a.core == b.core);
        let said = |stuck: &[StuckThread]| threads(stuck.iter().map(|stuck| (stuck.thread, &stuck.state)));
        write_cores(f, by_core.map(|stuck| (stuck[0].core, said(stuck))))?;
        note(f, self.post_mortem.as_ref())
    }
}
