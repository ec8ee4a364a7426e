//! Handles of engines: one start of an upload each.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use komorebi_abi::engine::{Output, UploadKind};

use super::{EngineEvent, Untyped, Upload, Uploaded};
use crate::tensor::Memory;

/// How far an engine is, as far as its run has read events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineState {
    /// It was started and has not ended.
    Running,
    /// Its RUN was not answered in time: it may run. [`Run::cancel`](crate::Run::cancel) and
    /// [`Run::stop`](crate::Run::stop) settle it.
    Unknown,
    /// The dispatcher rejected its RUN: it never ran.
    Rejected,
    /// Its last event arrived.
    Ended,
}

/// A stream or graph that was started. It knows its run, as commands' handles do.
pub struct EngineHandle<T = Untyped> {
    pub(crate) engine: Arc<Engine>,
    of: PhantomData<fn() -> T>,
}

/// What a run keeps of an engine.
pub(crate) struct Engine {
    /// The run's load.
    pub(crate) load: u32,
    pub(crate) kind: UploadKind,
    pub(crate) req: u16,
    /// `None` for the restart of a graph that this run did not upload.
    pub(crate) upload: Option<Arc<Uploaded>>,
    life: Mutex<EngineLife>,
}

/// What changes.
pub(crate) struct EngineLife {
    pub(crate) state: EngineState,
    /// Why its RUN was rejected.
    pub(crate) rejected: Option<u8>,
    /// Why the last CANCEL of it was rejected.
    pub(crate) cancel_rejected: Option<u8>,
    /// It ended as a kept graph, which no CANCEL of this engine has dropped.
    pub(crate) kept: bool,
    /// It is no start, but the drop of a kept graph.
    pub(crate) dropping: bool,
    /// Its events with their ticks.
    pub(crate) events: Vec<(Output, u32)>,
    /// Offset of its bindings' line.
    pub(crate) line: Option<u32>,
    /// Memory of the tensors bound to it.
    pub(crate) tensors: Vec<Arc<Memory>>,
}

impl Engine {
    pub(crate) fn new(
        load: u32,
        kind: UploadKind,
        req: u16,
        upload: Option<Arc<Uploaded>>,
        line: Option<u32>,
        tensors: Vec<Arc<Memory>>,
    ) -> Arc<Self> {
        let life = EngineLife {
            state: EngineState::Running,
            rejected: None,
            cancel_rejected: None,
            kept: false,
            dropping: false,
            events: Vec::new(),
            line,
            tensors,
        };
        Arc::new(Self { load, kind, req, upload, life: Mutex::new(life) })
    }

    /// One that the host ran, for errors to name: no event of it comes.
    pub(crate) fn ended(load: u32, kind: UploadKind, req: u16) -> Arc<Self> {
        let engine = Self::new(load, kind, req, None, None, Vec::new());
        engine.life().state = EngineState::Ended;
        engine
    }

    pub(crate) fn life(&self) -> MutexGuard<'_, EngineLife> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn state(&self) -> EngineState {
        self.life().state
    }

    /// True when no event of it can come any more.
    pub(crate) fn over(&self) -> bool {
        matches!(self.state(), EngineState::Ended | EngineState::Rejected)
    }
}

impl<T> EngineHandle<T> {
    pub(crate) fn new(engine: Arc<Engine>) -> Self {
        Self { engine, of: PhantomData }
    }

    /// Stream or graph.
    pub fn kind(&self) -> UploadKind {
        self.engine.kind
    }

    /// What its events carry.
    pub fn req(&self) -> u16 {
        self.engine.req
    }

    /// What it runs; `None` for the restart of a graph that this run did not upload, and for what the host ran.
    pub fn upload(&self) -> Option<Upload<T>> {
        self.engine.upload.clone().map(Upload::new)
    }

    /// The number of the load whose run started it.
    pub fn load(&self) -> u32 {
        self.engine.load
    }

    /// How far it is.
    pub fn state(&self) -> EngineState {
        self.engine.state()
    }

    /// Every event that the run has read of it. Any wait of the run reads events.
    pub fn events(&self) -> Vec<EngineEvent<T>> {
        let life = self.engine.life();
        life.events.iter().map(|&(output, ticks)| EngineEvent::new(self, output, ticks)).collect()
    }

    /// Its event number `index`, once the run has read it.
    pub(crate) fn event(&self, index: usize) -> Option<EngineEvent<T>> {
        let &(output, ticks) = self.engine.life().events.get(index)?;
        Some(EngineEvent::new(self, output, ticks))
    }

    /// Its last event, once the run has read it.
    pub fn end(&self) -> Option<EngineEvent<T>> {
        let life = self.engine.life();
        let &(output, ticks) = life.events.last()?;
        output.is_last().then(|| EngineEvent::new(self, output, ticks))
    }
}

impl<T> Clone for EngineHandle<T> {
    fn clone(&self) -> Self {
        Self::new(self.engine.clone())
    }
}

impl<T> PartialEq for EngineHandle<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.engine, &other.engine)
    }
}

impl<T> Eq for EngineHandle<T> {}

impl<T> std::fmt::Debug for EngineHandle<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Engine { load, kind, req, .. } = &*self.engine;
        write!(f, "EngineHandle({}, req {req} of load {load}, {:?})", kind.name(), self.state())
    }
}
