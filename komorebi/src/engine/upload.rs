//! Uploads: what a run wrote into its upload region.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use komorebi_abi::engine::UploadKind;

use super::Untyped;
use crate::tensor::Memory;

/// What becomes of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UploadState {
    /// It lies in the region and nobody runs it.
    Idle,
    /// An engine runs it.
    Running,
    /// The dispatcher was told to run it, or to drop it, and did not answer.
    Unknown,
    /// A graph that ended and stays for a restart.
    Kept,
    /// Its lines are free again.
    Released,
}

/// An upload in a run's upload region. `T` is the declared graph or stream, or [`Untyped`].
pub struct Upload<T = Untyped> {
    pub(crate) uploaded: Arc<Uploaded>,
    of: PhantomData<fn() -> T>,
}

/// What a run keeps of an upload.
pub(crate) struct Uploaded {
    /// The run's load.
    pub(crate) load: u32,
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
    pub(crate) kind: UploadKind,
    pub(crate) req: u16,
    /// The header's first word, for the keep bit.
    pub(crate) head: u64,
    /// Names of its bindings; `None` for bytes, which tell none.
    pub(crate) names: Option<Vec<Option<String>>>,
    life: Mutex<UploadLife>,
}

/// What changes.
pub(crate) struct UploadLife {
    pub(crate) state: UploadState,
    pub(crate) keep: bool,
    /// Memory of the tensors bound to a kept graph.
    pub(crate) tensors: Vec<Arc<Memory>>,
}

impl Uploaded {
    pub(crate) fn new(
        (load, offset, bytes): (u32, u32, u32),
        kind: UploadKind,
        (req, keep, head): (u16, bool, u64),
        names: Option<Vec<Option<String>>>,
    ) -> Arc<Self> {
        let life = Mutex::new(UploadLife { state: UploadState::Idle, keep, tensors: Vec::new() });
        Arc::new(Self { load, offset, bytes, kind, req, head, names, life })
    }

    pub(crate) fn life(&self) -> MutexGuard<'_, UploadLife> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn state(&self) -> UploadState {
        self.life().state
    }
}

impl<T> Upload<T> {
    pub(crate) fn new(uploaded: Arc<Uploaded>) -> Self {
        Self { uploaded, of: PhantomData }
    }

    /// Its offset in the upload region, in bytes.
    pub fn offset(&self) -> u32 {
        self.uploaded.offset
    }

    /// Its bytes: whole lines of 64.
    pub fn bytes(&self) -> u32 {
        self.uploaded.bytes
    }

    /// Stream or graph.
    pub fn kind(&self) -> UploadKind {
        self.uploaded.kind
    }

    /// What its events carry.
    pub fn req(&self) -> u16 {
        self.uploaded.req
    }

    /// Whether the graph stays after its end event, as its header says now.
    pub fn keep(&self) -> bool {
        self.uploaded.life().keep
    }

    /// What becomes of it, as far as the run has read events.
    pub fn state(&self) -> UploadState {
        self.uploaded.state()
    }

    /// The number of the load whose run wrote it.
    pub fn load(&self) -> u32 {
        self.uploaded.load
    }
}

impl<T> Clone for Upload<T> {
    fn clone(&self) -> Self {
        Self::new(self.uploaded.clone())
    }
}

impl<T> std::fmt::Debug for Upload<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Uploaded { load, offset, bytes, kind, req, .. } = &*self.uploaded;
        let (kind, state) = (kind.name(), self.state());
        write!(f, "Upload({kind}, req {req}, {bytes} bytes at {offset} of load {load}, {state:?})")
    }
}
