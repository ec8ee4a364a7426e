//! The handle to a simulated card.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use komorebi_card::{CardError, CardTime, Cleanup, Description, Holder, HostMem, NocXy, Order, Power, Rect};

use crate::builder::Builder;
use crate::counters::Counters;
use crate::host::Host;

/// A simulated Blackhole card.
///
/// Clones are handles to the same card, which outlives the sessions that use it: what one session leaves in LIM, in
/// L1 and in the harts, the next one finds.
#[derive(Clone)]
pub struct Card {
    inner: Arc<Inner>,
}

struct Inner {
    description: Description,
    seed: u64,
    host: Mutex<Host>,
}

impl Card {
    /// What a card is made of: a p150a with 12 columns unless told otherwise.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn new(description: Description, seed: u64, host: Host) -> Self {
        Self { inner: Arc::new(Inner { description, seed, host: Mutex::new(host) }) }
    }

    fn host(&self) -> MutexGuard<'_, Host> {
        self.inner.host.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The seed it was built with.
    pub fn seed(&self) -> u64 {
        self.inner.seed
    }

    /// What it has counted.
    pub fn counters(&self) -> Counters {
        self.host().machine.counters()
    }

    /// Copies memory (L1, LIM, DRAM) out as it is now, at no cost and with no effect. False where there is none.
    pub fn peek(&self, tile: NocXy, address: u64, bytes: &mut [u8]) -> bool {
        let host = self.host();
        host.find(tile).is_some_and(|tile| host.machine.peek(tile, address, bytes))
    }

    /// The program counters of a Tensix tile's cores (B, NC, T0, T1, T2) or of a cluster's harts, at no cost.
    pub fn pcs(&self, tile: NocXy) -> Vec<u64> {
        let host = self.host();
        host.find(tile).map_or_else(Vec::new, |tile| host.machine.pcs(tile))
    }
}

impl komorebi_card::Card for Card {
    fn description(&self) -> &Description {
        &self.inner.description
    }

    fn claim(&self, power: Power) -> Result<(), CardError> {
        let mut host = self.host();
        if host.is_held() {
            return Err(CardError::Busy { holder: Holder { pid: std::process::id() } });
        }
        host.claim(power)
    }

    fn release(&self) {
        self.host().release();
    }

    fn vote(&self, power: Power) -> Result<(), CardError> {
        self.host().vote(power)
    }

    fn set_cleanup(&self, cleanup: Option<Cleanup>) -> Result<(), CardError> {
        self.host().set_cleanup(cleanup)
    }

    fn write(&self, tile: NocXy, address: u64, bytes: &[u8], order: Order) -> Result<(), CardError> {
        self.host().write(tile, address, bytes, order)
    }

    fn read(&self, tile: NocXy, address: u64, bytes: &mut [u8]) -> Result<(), CardError> {
        self.host().read(tile, address, bytes)
    }

    fn multicast(&self, tiles: Rect, address: u64, bytes: &[u8]) -> Result<(), CardError> {
        self.host().multicast(tiles, address, bytes)
    }

    fn fence(&self, tile: NocXy) -> Result<(), CardError> {
        self.host().fence(tile)
    }

    fn host_mem(&self, bytes: usize) -> Result<HostMem, CardError> {
        self.host().host_mem(bytes)
    }

    fn now(&self) -> CardTime {
        self.host().now()
    }

    fn relax(&self, until: CardTime) -> Result<CardTime, CardError> {
        self.host().relax(until)
    }
}

impl std::fmt::Debug for Card {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Description { board, columns, .. } = &self.inner.description;
        write!(f, "sim::Card({board}, {} columns, seed {})", columns.len(), self.inner.seed)
    }
}
