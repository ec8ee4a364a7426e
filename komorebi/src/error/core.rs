//! Facts about cores that did not do their part.

use std::fmt;

use komorebi_card::Group;

use crate::state::{ResultBlock, ThreadState};

/// A core of a late group that did not complete its command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateCore {
    /// Its index in the program's grid.
    pub core: u32,
    /// Its five threads: reader, writer, unpack, math, pack.
    pub threads: [ThreadState; 5],
}

impl fmt::Display for LateCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "core {}:", self.core)?;
        for (i, thread) in self.threads.iter().enumerate() {
            write!(f, "{} {thread}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

/// A group missed its deadline. The dispatcher stopped, the grid was stopped, its state was read back.
#[derive(Clone, Debug)]
pub struct CommandTimeout {
    /// The host's number of the command; `None` when it was not the host's.
    pub handle: Option<u64>,
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
}

impl std::error::Error for CommandTimeout {}

impl fmt::Display for CommandTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.handle {
            Some(handle) => write!(f, "command {handle}")?,
            None => f.write_str("a command")?,
        }
        write!(f, " (slot {}, sequence number ..{:#06x}", self.slot, self.sequence)?;
        if let Some(group) = self.group {
            write!(f, ", group {group}")?;
        }
        f.write_str(") missed its deadline; the run is stopped")?;
        const SHOWN: usize = 4;
        for core in self.cores.iter().take(SHOWN) {
            write!(f, "; {core}")?;
        }
        if self.cores.len() > SHOWN {
            write!(f, "; and {} more cores", self.cores.len() - SHOWN)?;
        }
        if self.cores.is_empty() {
            f.write_str(
                "; every core of the group had completed it when it was read back: give it a longer deadline",
            )?;
        }
        Ok(())
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
    /// How long they had, in the card's milliseconds.
    pub milliseconds: u64,
    /// The threads that were not back.
    pub threads: Vec<StuckThread>,
    /// The dispatcher's result block, if it wrote one.
    pub result: Option<ResultBlock>,
}

impl std::error::Error for GridTimeout {}

impl fmt::Display for GridTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} threads of the grid did not return within {} ms and were put in reset",
            self.threads.len(),
            self.milliseconds
        )?;
        for stuck in self.threads.iter().take(4) {
            write!(f, "; core {} {} {}", stuck.core, stuck.thread, stuck.state)?;
        }
        Ok(())
    }
}
