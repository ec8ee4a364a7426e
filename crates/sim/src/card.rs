//! The handle to a simulated card.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use komorebi_card::{CardError, CardTime, Cleanup, Description, Holder, HostMem, NocXy, Order, Power, Rect};

use crate::breakage::{Breakage, When};
use crate::builder::Builder;
use crate::client::Client;
use crate::core_state::{CoreCounters, Registers};
use crate::counters::Counters;
use crate::digest::Digest;
use crate::host::Host;
use crate::noc::translate::TileId;
use crate::profile::Profile;

/// A simulated Blackhole card.
///
/// Clones are handles to the same card, which outlives the sessions that use it: what one session leaves in LIM, in
/// L1 and in the harts, the next one finds.
#[derive(Clone)]
pub struct Card {
    inner: Arc<Inner>,
    pub(crate) client: Arc<Client>,
}

struct Inner {
    facts: Arc<Facts>,
    host: Mutex<Host>,
    /// Every client that somebody still has a handle of. Locked after `host` only.
    clients: Mutex<Vec<Weak<Client>>>,
}

/// What does not change in the life of a card. No two cards share it.
#[derive(Clone)]
pub(crate) struct Facts {
    description: Description,
    builder: Builder,
}

impl Card {
    /// What a card is made of: a p150a with 12 columns unless told otherwise.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn new(description: Description, builder: Builder, host: Host) -> Self {
        Self::with_client(Facts { description, builder }, host, Client::new())
    }

    pub(crate) fn with_client(facts: Facts, host: Host, client: Client) -> Self {
        let (facts, client) = (Arc::new(facts), Arc::new(client));
        let clients = Mutex::new(vec![Arc::downgrade(&client)]);
        Self { inner: Arc::new(Inner { facts, host: Mutex::new(host), clients }), client }
    }

    pub(crate) fn facts(&self) -> &Arc<Facts> {
        &self.inner.facts
    }

    /// The clients that somebody still has a handle of.
    pub(crate) fn clients(&self) -> Vec<Arc<Client>> {
        let mut clients = self.inner.clients.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|client| client.strong_count() > 0);
        clients.iter().filter_map(Weak::upgrade).collect()
    }

    pub(crate) fn host(&self) -> MutexGuard<'_, Host> {
        self.inner.host.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The host, for a call of this handle's client.
    fn call<T>(&self, call: impl FnOnce(&mut Host) -> Result<T, CardError>) -> Result<T, CardError> {
        let mut host = self.host();
        host.begin_call(&self.client)?;
        call(&mut host)
    }

    /// The host, and a tile whose harts have come to the card's moment: what is seen of them does not hang on parking.
    fn settled(&self, tile: NocXy) -> Option<(MutexGuard<'_, Host>, TileId)> {
        let mut host = self.host();
        let tile = host.find(tile)?;
        host.machine.settle(tile, u32::MAX);
        Some((host, tile))
    }

    /// A handle of another client of the same card: with calls, a life and a claim of its own. Clones share their client.
    #[must_use]
    pub fn client(&self) -> Self {
        let client = Arc::new(Client::new());
        let mut clients = self.inner.clients.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|client| client.strong_count() > 0);
        clients.push(Arc::downgrade(&client));
        drop(clients);
        Self { inner: self.inner.clone(), client }
    }

    /// Calls this handle's client has made, as [`When::Call`] counts them.
    pub fn calls(&self) -> u64 {
        self.client.calls()
    }

    /// Breaks something: now, at a moment, or at a call of this handle's client.
    ///
    /// # Errors
    /// [`CardError::Request`] for a tile, memory or a hart that the card does not have; nothing is planned then.
    pub fn break_on(&self, when: When, breakage: Breakage) -> Result<(), CardError> {
        self.host().plan(&self.client, when, breakage)
    }

    /// Resets the card, as a card that is lost or whose X280 stands still needs: memory empty, harts held, nobody's claim,
    /// nothing left to break. Its clock goes on. A client that has it open finds it as strange as a card would be.
    pub fn reset(&self) {
        self.host().reset(self.inner.facts.builder.machine());
    }

    /// Nothing more breaks: what was planned is not done, packets that were to get lost or late arrive. What is broken
    /// stays so, but a hart that was frozen for a time goes on after it.
    pub fn mend(&self) {
        self.host().mend();
    }

    /// The seed it was built with.
    pub fn seed(&self) -> u64 {
        self.inner.facts.builder.seed_of()
    }

    /// What it has counted. Of a core that is parked at this moment, what it does meanwhile is not in it yet:
    /// [`core_counters`](Self::core_counters) has it.
    pub fn counters(&self) -> Counters {
        self.host().machine.counters()
    }

    /// What each core of a Tensix tile (B, NC, T0, T1, T2) or hart of a cluster has done; nothing for other tiles.
    pub fn core_counters(&self, tile: NocXy) -> Vec<CoreCounters> {
        self.settled(tile).map_or_else(Vec::new, |(host, tile)| host.machine.core_counters(tile))
    }

    /// What the instructions of a core or hart took that has a meter ([`Builder::meter`]).
    pub fn profile(&self, tile: NocXy, hart: usize) -> Option<Profile> {
        let (host, tile) = self.settled(tile)?;
        host.machine.profile(tile, hart)
    }

    /// The registers of a core (0 to 4: B, NC, T0, T1, T2) or of a cluster's hart (0 to 3), at no cost and with no effect.
    ///
    /// It stands before its first access after the card's moment that concerns others than itself, or, where there is none, up to
    /// some cycles of its own work after that moment.
    pub fn registers(&self, tile: NocXy, hart: usize) -> Option<Registers> {
        let (host, tile) = self.settled(tile)?;
        host.machine.registers(tile, hart)
    }

    /// Copies the local RAM of a core out, at the address the core has it at. As [`peek`](Self::peek).
    pub fn peek_local(&self, tile: NocXy, core: usize, address: u64, bytes: &mut [u8]) -> bool {
        self.settled(tile).is_some_and(|(host, tile)| host.machine.peek_local(tile, core, address, bytes))
    }

    /// Copies memory out as it is now, at no cost and with no effect: L1 of a Tensix tile, DRAM, LIM and what else is memory to
    /// the harts of a cluster, and at the PCIe tile host memory, in words. False where there is none.
    pub fn peek(&self, tile: NocXy, address: u64, bytes: &mut [u8]) -> bool {
        let mut host = self.host();
        host.find(tile).is_some_and(|tile| host.machine.peek(tile, address, bytes))
    }

    /// Hashes of all memory as it is now, at no cost and with no effect: two cards with the same bytes have the same ones.
    pub fn digest(&self) -> Digest {
        self.host().machine.digest()
    }

    /// Takes the card for `holder`, a process that this one serves; else as [`claim`](komorebi_card::Card::claim).
    ///
    /// # Errors
    /// As `claim`.
    pub fn claim_for(&self, power: Power, holder: Holder) -> Result<(), CardError> {
        let mut host = self.host();
        host.begin_claim(&self.client)?;
        host.claim(self.client.id, power, holder)?;
        self.client.renew();
        Ok(())
    }

    /// Who holds it.
    pub fn holder(&self) -> Option<Holder> {
        self.host().holder().cloned()
    }

    /// Host memory, with the file by which a process that this one serves maps it, too.
    ///
    /// # Errors
    /// As [`host_mem`](komorebi_card::Card::host_mem).
    pub fn shared_host_mem(&self, bytes: usize) -> Result<(HostMem, OwnedFd), CardError> {
        self.call(|host| host.host_mem(bytes))
    }

    /// The program counters of a Tensix tile's cores (B, NC, T0, T1, T2) or of a cluster's harts, at no cost.
    pub fn pcs(&self, tile: NocXy) -> Vec<u64> {
        self.settled(tile).map_or_else(Vec::new, |(host, tile)| host.machine.pcs(tile))
    }
}

impl komorebi_card::Card for Card {
    fn description(&self) -> &Description {
        &self.inner.facts.description
    }

    fn claim(&self, power: Power) -> Result<(), CardError> {
        self.claim_for(power, Holder::new(std::process::id()))
    }

    fn release(&self) {
        let mut host = self.host();
        host.give_back(self.client.id);
        if self.client.renew() {
            return; // what it had claimed is not of this card's present
        }
        // A close is not refused; the driver has closed for a client that died.
        let _ = host.begin_call(&self.client);
        host.release(self.client.id);
    }

    fn vote(&self, power: Power) -> Result<(), CardError> {
        self.call(|host| host.vote(power))
    }

    fn set_cleanup(&self, cleanup: Option<Cleanup>) -> Result<(), CardError> {
        self.call(|host| host.set_cleanup(cleanup))
    }

    fn keep_off(&self, word: u64) -> Result<(), CardError> {
        let mut host = self.host();
        // A promise is no call of the driver: none is counted, nothing breaks at it.
        self.client.check_present()?;
        self.client.check_alive()?;
        host.keep_off(self.client.id, word)
    }

    fn write(&self, tile: NocXy, address: u64, bytes: &[u8], order: Order) -> Result<(), CardError> {
        self.call(|host| host.write(tile, address, bytes, order))
    }

    fn read(&self, tile: NocXy, address: u64, bytes: &mut [u8]) -> Result<(), CardError> {
        self.call(|host| host.read(tile, address, bytes))
    }

    fn multicast(&self, tiles: Rect, address: u64, bytes: &[u8]) -> Result<(), CardError> {
        self.call(|host| host.multicast(tiles, address, bytes))
    }

    fn fence(&self, tile: NocXy) -> Result<(), CardError> {
        self.call(|host| host.fence(tile))
    }

    fn host_mem(&self, bytes: usize) -> Result<HostMem, CardError> {
        Ok(self.shared_host_mem(bytes)?.0)
    }

    fn now(&self) -> CardTime {
        self.host().now()
    }

    fn relax(&self, until: CardTime) -> Result<CardTime, CardError> {
        self.call(|host| host.relax(until))
    }
}

impl std::fmt::Debug for Card {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Description { board, columns, .. } = &self.inner.facts.description;
        write!(f, "sim::Card({board}, {} columns, seed {})", columns.len(), self.seed())
    }
}
