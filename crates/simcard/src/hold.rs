//! Which connection holds the card.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use komorebi_card::{Card as _, CardError, Holder, Power};
use komorebi_sim::Card;

use crate::process::Process;

/// Who has the card.
struct Hold {
    /// The card as this client has it.
    card: Card,
    connection: u64,
    /// `None` when it could not be told at its connect: such a holder is believed to live.
    process: Option<Process>,
}

/// Process `pid`, which takes the card now. The time is for people who ask who has it: nothing goes by it.
fn taker(pid: u32) -> Holder {
    let command = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    Holder { pid, command: command.trim_end().to_owned(), since: Some(SystemTime::now()) }
}

/// A card and its hold, which a request keeps as long as it takes.
pub(crate) struct Held {
    /// The card as somebody has it who does not hold it.
    pub(crate) card: Card,
    hold: Mutex<Option<Hold>>,
}

impl Held {
    pub(crate) fn new(card: Card) -> Self {
        Self { card, hold: Mutex::new(None) }
    }

    fn hold(&self) -> MutexGuard<'_, Option<Hold>> {
        self.hold.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the card for a connection of `process`. The driver's close of a holder that died comes first, also when
    /// somebody who inherited it keeps its connection open.
    pub(crate) fn claim(
        &self,
        connection: u64,
        process: Option<Process>,
        pid: u32,
        power: Power,
    ) -> Result<(), CardError> {
        let mut hold = self.hold();
        let dead = |hold: &Hold| hold.process.is_some_and(|process| !process.lives());
        if let Some(hold) = hold.take_if(|hold| dead(hold)) {
            tracing::info!("the holder is dead: closing the card for it");
            hold.card.release();
        }
        let card = self.card.client();
        card.claim_for(power, taker(pid))?;
        *hold = Some(Hold { card, connection, process });
        Ok(())
    }

    /// The driver's close, when the connection holds the card.
    pub(crate) fn release(&self, connection: u64) {
        let mut hold = self.hold();
        if let Some(hold) = hold.take_if(|hold| hold.connection == connection) {
            hold.card.release();
        }
    }

    /// Does `work` for the connection that holds the card, and for no other.
    pub(crate) fn with<T>(
        &self,
        connection: u64,
        work: impl FnOnce(&Card) -> Result<T, CardError>,
    ) -> Result<T, CardError> {
        match &*self.hold() {
            Some(hold) if hold.connection == connection => work(&hold.card),
            _ => {
                Err(CardError::Request { what: "the card is not held by this client; claim it first".into() })
            }
        }
    }

    /// Who holds the card; nobody when the holder died.
    pub(crate) fn holder(&self) -> Option<Holder> {
        let hold = self.hold();
        let lives = hold.as_ref()?.process.is_none_or(Process::lives);
        self.card.holder().filter(|_| lives)
    }
}
