//! What can be read after a run has ended.

use std::sync::Arc;

use super::{ResultBlock, ThreadState};
use crate::{Error, Trace};

/// The five threads of a core, as they ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreState {
    /// Reader, writer, unpack, math, pack.
    pub threads: [ThreadState; 5],
}

impl CoreState {
    /// The reader's state.
    pub fn reader(&self) -> &ThreadState {
        &self.threads[0]
    }

    /// The writer's state.
    pub fn writer(&self) -> &ThreadState {
        &self.threads[1]
    }
}

/// A run after its end: the dispatcher's result and each core's state.
#[derive(Clone, Debug)]
pub struct StopReport {
    /// The dispatcher's result block, if it wrote one.
    pub result: Option<ResultBlock>,
    /// Each core of the grid, in core order; empty when the card could not be read any more.
    pub cores: Vec<CoreState>,
    /// The trace of a run loaded with one; `None` when the card could not be read any more.
    pub trace: Option<Trace>,
    /// What ended the run before it was stopped.
    pub cause: Option<Arc<Error>>,
}
