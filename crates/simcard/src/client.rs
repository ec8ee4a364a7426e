//! A card in another process, as its client sees it.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use komorebi_card::{
    Card, CardError, CardTime, Cleanup, Description, HostMem, NocXy, Order, Power, Rect, check_request,
};

use crate::error::ConnectError;
use crate::line::{Line, PATIENCE};
use crate::wire::{Reply, Request};

/// A simulated card that a [`Server`](crate::Server) in another process serves.
///
/// Clones share the connection. The end of the last one, or of its process, is the driver's close. Writes are posted: what
/// is wrong with one is the error of the next call that waits for an answer and can fail, which then does nothing.
#[derive(Clone)]
pub struct RemoteCard {
    inner: Arc<Inner>,
}

struct Inner {
    path: PathBuf,
    description: Description,
    seed: u64,
    line: Mutex<Line>,
}

impl RemoteCard {
    /// Connects to the card that is served at `path`. Takes nothing: [`Card::claim`] does.
    ///
    /// # Errors
    /// [`ConnectError`] when nobody serves one there, or not one of this version, or who does is silent for 5 seconds.
    pub fn connect(path: impl AsRef<Path>) -> Result<Self, ConnectError> {
        let path = path.as_ref();
        Ok(Self::new(path, Line::connect(path)?))
    }

    /// The same over a connection to `path` that the caller has made.
    ///
    /// # Errors
    /// As [`connect`](Self::connect).
    pub fn over(stream: UnixStream, path: impl AsRef<Path>) -> Result<Self, ConnectError> {
        let path = path.as_ref();
        Ok(Self::new(path, Line::over(stream, path, PATIENCE)?))
    }

    fn new(path: &Path, (line, description, seed): (Line, Description, u64)) -> Self {
        let inner = Inner { path: path.to_path_buf(), description, seed, line: Mutex::new(line) };
        Self { inner: Arc::new(inner) }
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.inner.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn done(&self, request: &Request) -> Result<(), CardError> {
        self.line().call(request).map(|_| ())
    }
}

/// An answer of another kind than was asked for.
pub(crate) fn confused(reply: &Reply) -> CardError {
    CardError::Lost { what: format!("the simulated card answered {reply:?}") }
}

impl Card for RemoteCard {
    fn description(&self) -> &Description {
        &self.inner.description
    }

    fn claim(&self, power: Power) -> Result<(), CardError> {
        self.done(&Request::Claim(power))
    }

    fn release(&self) {
        // A card that has halted is released all the same; one that is gone needs no release.
        let _ = self.line().exchange(&Request::Release);
    }

    fn vote(&self, power: Power) -> Result<(), CardError> {
        self.done(&Request::Vote(power))
    }

    fn set_cleanup(&self, cleanup: Option<Cleanup>) -> Result<(), CardError> {
        self.done(&Request::SetCleanup(cleanup))
    }

    fn keep_off(&self, word: u64) -> Result<(), CardError> {
        self.done(&Request::KeepOff(word))
    }

    fn write(&self, tile: NocXy, address: u64, bytes: &[u8], order: Order) -> Result<(), CardError> {
        check_request(address, bytes.len())?;
        self.line().post(&Request::Write { tile, address, order }, bytes)
    }

    fn read(&self, tile: NocXy, address: u64, bytes: &mut [u8]) -> Result<(), CardError> {
        check_request(address, bytes.len())?;
        let what = || format!("a read of {} bytes at once", bytes.len());
        let length = u32::try_from(bytes.len()).map_err(|_| CardError::Request { what: what() })?;
        let mut line = self.line();
        let reply = line.call(&Request::Read { tile, address, bytes: length })?;
        if line.payload().len() != bytes.len() {
            return Err(confused(&reply));
        }
        bytes.copy_from_slice(line.payload());
        Ok(())
    }

    fn multicast(&self, tiles: Rect, address: u64, bytes: &[u8]) -> Result<(), CardError> {
        check_request(address, bytes.len())?;
        self.line().post(&Request::Multicast { tiles, address }, bytes)
    }

    fn fence(&self, tile: NocXy) -> Result<(), CardError> {
        self.done(&Request::Fence(tile))
    }

    fn host_mem(&self, bytes: usize) -> Result<HostMem, CardError> {
        let mut line = self.line();
        let reply = line.call(&Request::HostMem { bytes: bytes as u64 })?;
        match (reply, line.take_file()) {
            (Reply::Memory { tile, noc_address }, Some(file)) => HostMem::of_file(file, tile, noc_address),
            (other, _) => Err(confused(&other)),
        }
    }

    fn now(&self) -> CardTime {
        self.line().now()
    }

    fn relax(&self, until: CardTime) -> Result<CardTime, CardError> {
        match self.line().call(&Request::Relax(until))? {
            Reply::Reached(time) => Ok(time),
            other => Err(confused(&other)),
        }
    }
}

impl std::fmt::Debug for RemoteCard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Inner { path, description, seed, .. } = &*self.inner;
        write!(f, "RemoteCard({} at {}, seed {seed})", description.board, path.display())
    }
}
