//! What a graph or stream gives when the host runs it.

use std::marker::PhantomData;

use komorebi_abi::constants::event::EVENT_AUX_MASK;
use komorebi_abi::engine::{EngineCommand, Finish, Output, Refusal, UploadKind};

use super::{EngineEventKind, EngineType, Untyped};

/// The end of a graph or stream that [`Run::run_hostfed`](crate::Run::run_hostfed) ran.
pub struct HostfedResult<T = Untyped> {
    /// How it ended: [`End`](EngineEventKind::End) or [`Error`](EngineEventKind::Error), the kind of its last event.
    pub status: EngineEventKind,
    /// Why it ended with an error, and where: a stream's pc or a graph's node. `None` for one that ended well.
    pub error: Option<Refusal>,
    /// Its registers at the end.
    pub registers: [u32; 32],
    /// A graph's rounds; 1 for a stream that ended.
    pub runs: u32,
    /// Its commands in the order of their submission: `record` is the graph's node or the stream's command, `node` the
    /// graph's node again, or the program counter of the SUBMIT or ENQUEUE.
    pub commands: Vec<EngineCommand>,
    /// Its events, the last one included, as the dispatcher would post them.
    pub events: Vec<Output>,
    /// Stream or graph.
    pub kind: UploadKind,
    of: PhantomData<fn() -> T>,
}

impl<T> HostfedResult<T> {
    pub(crate) fn new(kind: UploadKind, finish: Finish) -> Self {
        let Finish { output, registers, runs, commands, events } = finish;
        let (status, error) = match output {
            Output::Error(refusal) => (EngineEventKind::Error, Some(refusal)),
            _ => (EngineEventKind::End, None),
        };
        Self { status, error, registers, runs, commands, events, kind, of: PhantomData }
    }

    /// True when it ended without an error.
    pub fn ended(&self) -> bool {
        self.status == EngineEventKind::End
    }
}

impl<T: EngineType> HostfedResult<T> {
    /// What it ended with, as [`EngineEvent::end`](crate::EngineEvent::end) gives it; that of zeros after an error.
    pub fn end(&self) -> T::End {
        match self.events.last() {
            Some(&Output::End(first, second)) => T::end(first & EVENT_AUX_MASK, second),
            Some(&Output::Halt(value)) => T::end(value, 0),
            _ => T::end(0, 0),
        }
    }
}

impl<T> std::fmt::Debug for HostfedResult<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { status, error, runs, commands, events, kind, .. } = self;
        f.debug_struct("HostfedResult")
            .field("kind", kind)
            .field("status", status)
            .field("error", error)
            .field("runs", runs)
            .field("commands", &commands.len())
            .field("last", &events.last())
            .finish()
    }
}
