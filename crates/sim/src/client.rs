//! A client of the card: whoever holds one of its handles and their clones.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use komorebi_card::{CardError, CardTime};

/// The moment in `restored` of a client whose claim is of the card's present.
const PRESENT: u64 = u64::MAX;

/// What a card keeps of a client.
pub(crate) struct Client {
    /// No other client of this card has it; a fork's client has that of the one it goes on for.
    pub(crate) id: u64,
    calls: AtomicU64,
    dead: AtomicBool,
    refusal: Mutex<Option<String>>,
    /// The moment that the card was restored to, in nanoseconds, when this client's claim is of a later one.
    restored: AtomicU64,
}

/// What a snapshot keeps of a client.
#[derive(Clone)]
pub(crate) struct Saved {
    pub(crate) id: u64,
    calls: u64,
    dead: bool,
    refusal: Option<String>,
    restored: u64,
}

impl Client {
    pub(crate) fn new() -> Self {
        static CLIENTS: AtomicU64 = AtomicU64::new(1);
        let id = CLIENTS.fetch_add(1, Ordering::Relaxed);
        Self::of(Saved { id, calls: 0, dead: false, refusal: None, restored: PRESENT })
    }

    /// A client as it was, of another card.
    pub(crate) fn of(saved: Saved) -> Self {
        Self {
            id: saved.id,
            calls: AtomicU64::new(saved.calls),
            dead: AtomicBool::new(saved.dead),
            refusal: Mutex::new(saved.refusal),
            restored: AtomicU64::new(saved.restored),
        }
    }

    /// The client as it is.
    pub(crate) fn save(&self) -> Saved {
        Saved {
            id: self.id,
            calls: self.calls(),
            dead: self.is_dead(),
            refusal: self.refusal.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            restored: self.restored.load(Ordering::Relaxed),
        }
    }

    /// The client is again what it was.
    pub(crate) fn restore(&self, saved: &Saved) {
        self.calls.store(saved.calls, Ordering::Relaxed);
        self.dead.store(saved.dead, Ordering::Relaxed);
        self.restored.store(saved.restored, Ordering::Relaxed);
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = saved.refusal.clone();
    }

    /// The card was restored to `moment`, before this client's claim.
    pub(crate) fn outlive(&self, moment: CardTime) {
        self.restored.store(moment.as_nanos(), Ordering::Relaxed);
    }

    /// The client's next claim is of the card's present; true when its last one was not.
    pub(crate) fn renew(&self) -> bool {
        self.restored.swap(PRESENT, Ordering::Relaxed) != PRESENT
    }

    /// Fails for a client whose claim is of a later moment than the card.
    pub(crate) fn check_present(&self) -> Result<(), CardError> {
        match self.restored.load(Ordering::Relaxed) {
            PRESENT => Ok(()),
            nanos => Err(CardError::Restored { to: CardTime::from_nanos(nanos) }),
        }
    }

    /// Calls made.
    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Counts one more call and gives its number.
    pub(crate) fn count(&self) -> u64 {
        self.calls.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn kill(&self) {
        self.dead.store(true, Ordering::Relaxed);
    }

    fn is_dead(&self) -> bool {
        self.dead.load(Ordering::Relaxed)
    }

    /// Fails for a client that was killed.
    pub(crate) fn check_alive(&self) -> Result<(), CardError> {
        if self.is_dead() {
            return Err(CardError::Lost { what: "this client was killed".to_owned() });
        }
        Ok(())
    }

    /// The next call is refused.
    pub(crate) fn refuse(&self, what: String) {
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(what);
    }

    pub(crate) fn take_refusal(&self) -> Option<String> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
