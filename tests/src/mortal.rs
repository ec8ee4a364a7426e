//! A card whose client dies at its n-th call.

use std::sync::{Arc, Mutex, PoisonError};

use komorebi_card::{Card, CardError, CardTime, Cleanup, Description, HostMem, NocXy, Order, Power, Rect};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// How the client dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    /// This process is killed: SIGKILL.
    Kill,
    /// The driver closes the card for it; nothing that this client does afterwards reaches it.
    Close,
}

/// A call: its name, and the address it is about.
type Call = (&'static str, u64);

/// How far its client has come.
#[derive(Default)]
struct Life {
    calls: u64,
    last: Option<Call>,
    dead: bool,
}

/// A card with a client that has so many calls to live. Calls like the one before count once: the steps of a clock, the
/// fences of a grid.
#[derive(Clone)]
pub struct Mortal<C> {
    card: C,
    death: Death,
    life: Arc<Mutex<Life>>,
    last: u64,
}

impl<C: Card> Mortal<C> {
    /// The client dies instead of its call number `last`, counted from 1.
    pub fn new(card: C, death: Death, last: u64) -> Self {
        Self { card, death, life: Arc::default(), last }
    }

    /// The client dies now.
    pub fn die(&self) {
        let mut life = self.life.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut life.dead, true) {
            return;
        }
        match self.death {
            Death::Kill => kill(Pid::this(), Signal::SIGKILL).expect("a process may kill itself"),
            Death::Close => self.card.release(),
        }
    }

    /// Calls so far.
    pub fn calls(&self) -> u64 {
        self.life.lock().unwrap_or_else(PoisonError::into_inner).calls
    }

    /// The card, for one call more.
    fn call(&self, call: Call) -> Result<&C, CardError> {
        let due = {
            let mut life = self.life.lock().unwrap_or_else(PoisonError::into_inner);
            if life.last != Some(call) {
                life.calls += 1;
            }
            life.last = Some(call);
            life.calls >= self.last
        };
        if due {
            self.die();
        }
        if self.life.lock().unwrap_or_else(PoisonError::into_inner).dead {
            return Err(CardError::Lost { what: "its client is dead".into() });
        }
        Ok(&self.card)
    }
}

impl<C: Card> Card for Mortal<C> {
    fn description(&self) -> &Description {
        self.card.description()
    }

    fn claim(&self, power: Power) -> Result<(), CardError> {
        self.call(("claim", 0))?.claim(power)
    }

    fn release(&self) {
        if let Ok(card) = self.call(("release", 0)) {
            card.release();
        }
    }

    fn vote(&self, power: Power) -> Result<(), CardError> {
        self.call(("vote", 0))?.vote(power)
    }

    fn set_cleanup(&self, cleanup: Option<Cleanup>) -> Result<(), CardError> {
        self.call(("set_cleanup", 0))?.set_cleanup(cleanup)
    }

    fn keep_off(&self, word: u64) -> Result<(), CardError> {
        self.card.keep_off(word) // a promise is no request: nothing to die at
    }

    fn write(&self, tile: NocXy, address: u64, bytes: &[u8], order: Order) -> Result<(), CardError> {
        self.call(("write", address))?.write(tile, address, bytes, order)
    }

    fn read(&self, tile: NocXy, address: u64, bytes: &mut [u8]) -> Result<(), CardError> {
        self.call(("read", address))?.read(tile, address, bytes)
    }

    fn multicast(&self, tiles: Rect, address: u64, bytes: &[u8]) -> Result<(), CardError> {
        self.call(("multicast", address))?.multicast(tiles, address, bytes)
    }

    fn fence(&self, tile: NocXy) -> Result<(), CardError> {
        self.call(("fence", 0))?.fence(tile)
    }

    fn host_mem(&self, bytes: usize) -> Result<HostMem, CardError> {
        self.call(("host_mem", 0))?.host_mem(bytes)
    }

    fn now(&self) -> CardTime {
        self.card.now()
    }

    fn relax(&self, until: CardTime) -> Result<CardTime, CardError> {
        self.call(("relax", 0))?.relax(until)
    }
}
