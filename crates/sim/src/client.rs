//! A client of the card: whoever holds one of its handles and their clones.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a card keeps of a client.
pub(crate) struct Client {
    /// No other client of this process has it.
    pub(crate) id: u64,
    calls: AtomicU64,
    dead: AtomicBool,
    refusal: Mutex<Option<String>>,
}

impl Client {
    pub(crate) fn new() -> Self {
        static CLIENTS: AtomicU64 = AtomicU64::new(1);
        let id = CLIENTS.fetch_add(1, Ordering::Relaxed);
        Self { id, calls: AtomicU64::new(0), dead: AtomicBool::new(false), refusal: Mutex::new(None) }
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

    pub(crate) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::Relaxed)
    }

    /// The next call is refused.
    pub(crate) fn refuse(&self, what: String) {
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(what);
    }

    pub(crate) fn take_refusal(&self) -> Option<String> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
