//! A look at a card from outside.

use std::path::Path;

use komorebi_card::{CardError, CardTime, Description, Holder, NocXy};

use crate::client::confused;
use crate::error::ConnectError;
use crate::line::Line;
use crate::wire::{Reply, Request};

/// A connection that reads memory of a card, whoever holds it, at no cost and with no effect.
pub struct Look {
    line: Line,
    description: Description,
}

impl Look {
    /// Connects to the card that is served at `path`.
    ///
    /// # Errors
    /// As [`RemoteCard::connect`](crate::RemoteCard::connect).
    pub fn connect(path: impl AsRef<Path>) -> Result<Self, ConnectError> {
        let (line, description, _) = Line::connect(path.as_ref())?;
        Ok(Self { line, description })
    }

    /// The card's facts.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Who holds it.
    ///
    /// # Errors
    /// [`CardError::Lost`] when its process is gone.
    pub fn holder(&mut self) -> Result<Option<Holder>, CardError> {
        match self.line.call(&Request::Holder)? {
            Reply::Holder(holder) => Ok(holder),
            other => Err(confused(&other)),
        }
    }

    /// Its clock.
    ///
    /// # Errors
    /// As [`holder`](Self::holder).
    pub fn now(&mut self) -> Result<CardTime, CardError> {
        self.line.call(&Request::Now)?;
        Ok(self.line.now())
    }

    /// Copies memory (L1, LIM, DRAM) out as it is now; false where there is none.
    ///
    /// # Errors
    /// As [`holder`](Self::holder); [`CardError::Request`] for more bytes than a request may ask for.
    pub fn read(&mut self, tile: NocXy, address: u64, bytes: &mut [u8]) -> Result<bool, CardError> {
        let what = || format!("a read of {} bytes at once", bytes.len());
        let length = u32::try_from(bytes.len()).map_err(|_| CardError::Request { what: what() })?;
        match self.line.call(&Request::Peek { tile, address, bytes: length })? {
            Reply::Bytes if self.line.payload().len() == bytes.len() => {
                bytes.copy_from_slice(self.line.payload());
                Ok(true)
            }
            Reply::Nothing => Ok(false),
            other => Err(confused(&other)),
        }
    }
}
