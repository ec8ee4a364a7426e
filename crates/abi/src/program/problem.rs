//! A broken rule, with its place in the model.

use std::fmt;

use super::Rule;

/// Where in a [`ProgramModel`](super::ProgramModel) a problem lies. Numbers are positions in its lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the model's fields")]
pub enum Place {
    Program,
    Grid,
    Depth,
    KernelBytes,
    BufferIndex(usize),
    BufferPageBytes(usize),
    BufferPages(usize),
    Buffers,
    HandlerName(usize),
    HandlerNumber(usize),
    HandlerArg(usize, usize),
    Define(usize),
    ThreadCluster(usize),
    ThreadSources(usize),
    ThreadSource(usize, usize),
    ThreadWords(usize),
    ThreadDeadline(usize),
    Region(usize, usize),
    RegionName(usize, usize),
    SharedRegion(usize),
    SharedRegionName(usize),
}

/// A rule that a program breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The rule.
    pub rule: Rule,
    /// Where.
    pub place: Place,
    /// The other end of a conflict, if it has one, with what it is.
    pub other: Option<(Place, String)>,
    /// What was found and what was expected.
    pub message: String,
    /// The edit that mends it.
    pub help: Option<String>,
    /// The number to write in this place, where the help says one: how it is written depends on what gives the number.
    pub number: Option<u32>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule.code(), self.message)?;
        if let Some(help) = &self.help {
            write!(f, "; {help}")?;
        }
        Ok(())
    }
}
