//! A look at a card from outside.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use komorebi_card::{
    Card, CardError, CardTime, Cleanup, Description, Holder, HostMem, NocXy, Order, Power, Rect,
};

use crate::client::confused;
use crate::error::ConnectError;
use crate::line::Line;
use crate::wire::{Reply, Request};

/// A connection that reads memory of a card, whoever holds it, at no cost and with no effect. Every other call is refused.
pub struct Look {
    line: Mutex<Line>,
    description: Description,
}

impl Look {
    /// Connects to the card that is served at `path`.
    ///
    /// # Errors
    /// As [`RemoteCard::connect`](crate::RemoteCard::connect).
    pub fn connect(path: impl AsRef<Path>) -> Result<Self, ConnectError> {
        let (line, description, _) = Line::connect(path.as_ref())?;
        Ok(Self { line: Mutex::new(line), description })
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who holds it.
    ///
    /// # Errors
    /// [`CardError::Lost`] when its process is gone.
    pub fn holder(&self) -> Result<Option<Holder>, CardError> {
        match self.line().call(&Request::Holder)? {
            Reply::Holder(holder) => Ok(holder),
            other => Err(confused(&other)),
        }
    }
}

fn refused<T>() -> Result<T, CardError> {
    Err(CardError::Request { what: "a look at a card reads memory and changes nothing".into() })
}

impl Card for Look {
    fn description(&self) -> &Description {
        &self.description
    }

    fn claim(&self, _: Power) -> Result<(), CardError> {
        refused()
    }

    fn release(&self) {}

    fn vote(&self, _: Power) -> Result<(), CardError> {
        refused()
    }

    fn set_cleanup(&self, _: Option<Cleanup>) -> Result<(), CardError> {
        refused()
    }

    fn write(&self, _: NocXy, _: u64, _: &[u8], _: Order) -> Result<(), CardError> {
        refused()
    }

    fn read(&self, tile: NocXy, address: u64, bytes: &mut [u8]) -> Result<(), CardError> {
        let what = || format!("no memory of {} bytes at {address:#x} of {tile}", bytes.len());
        let length = u32::try_from(bytes.len()).map_err(|_| CardError::Request { what: what() })?;
        let mut line = self.line();
        match line.call(&Request::Peek { tile, address, bytes: length })? {
            Reply::Bytes if line.payload().len() == bytes.len() => {
                bytes.copy_from_slice(line.payload());
                Ok(())
            }
            Reply::Nothing => Err(CardError::Request { what: what() }),
            other => Err(confused(&other)),
        }
    }

    fn multicast(&self, _: Rect, _: u64, _: &[u8]) -> Result<(), CardError> {
        refused()
    }

    fn fence(&self, _: NocXy) -> Result<(), CardError> {
        refused()
    }

    fn host_mem(&self, _: usize) -> Result<HostMem, CardError> {
        refused()
    }

    fn now(&self) -> CardTime {
        let mut line = self.line();
        // One that cannot say keeps the clock where it was.
        let _ = line.call(&Request::Now);
        line.now()
    }

    fn relax(&self, _: CardTime) -> Result<CardTime, CardError> {
        refused()
    }
}
