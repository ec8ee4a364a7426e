//! The state of a card at a moment: kept, gone back to, and gone on with on another card.
//!
//! A snapshot is the whole card: harts with what they wait for, what they have loaded ahead of their turns and the code
//! they hold, memories, registers, packets on their way, draws of the seed, what is planned to break, the claim and the
//! clients' calls; and the content of the host memory it reaches. The same calls from there on give the same bytes at
//! the same times. It costs little: pages of memory are shared until somebody writes them.

use std::sync::Arc;

use komorebi_card::{CardError, CardTime, HostMem};

use crate::card::{Card, Facts};
use crate::client::{Client, Saved};
use crate::host::Host;

/// A card as it was at a moment. Clones are the same snapshot.
///
/// It stays in the memory of this process: what it holds has the shape of this version's model. What outlives a process
/// is what the state came from, a [`Builder`](crate::Builder) and calls, since a card does the same again.
#[derive(Clone)]
pub struct Snapshot {
    kept: Arc<Kept>,
}

struct Kept {
    /// Those of the card it was taken of.
    facts: Arc<Facts>,
    host: Host,
    /// What each region of host memory held.
    regions: Vec<Vec<u64>>,
    /// The client that took it, and all clients.
    client: Saved,
    clients: Vec<Saved>,
}

impl Snapshot {
    /// The moment, on the card's clock.
    pub fn at(&self) -> CardTime {
        self.kept.host.now()
    }

    /// A card of its own that goes on from here, with the handle of the client that took the snapshot.
    ///
    /// Its host memory is its own, too, at the addresses and with the content of the other's:
    /// [`Card::host_regions`] gives it. A session cannot be forked: what it knows is in the process that opened it, and
    /// says where the other card's memory is. If one holds the card, so does the handle: calls of the seam go on where the
    /// session's left off, and a release closes it.
    ///
    /// # Errors
    /// [`CardError::HostMemory`] when there is no more host memory.
    pub fn fork(&self) -> Result<Card, CardError> {
        let kept = &*self.kept;
        let regions = &kept.host.machine.net.host;
        let copies = regions.regions().iter().zip(&kept.regions).map(|(region, words)| {
            let copy = HostMem::anonymous(region.len(), region.tile(), region.noc_address())?;
            fill(&copy, words);
            Ok(copy)
        });
        let copies = copies.collect::<Result<Vec<_>, CardError>>()?;
        let mut host = kept.host.clone();
        host.machine.net.host.replace(copies);
        Ok(Card::with_client(Facts::clone(&kept.facts), host, Client::of(kept.client.clone())))
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Snapshot(at {} ns)", self.at().as_nanos())
    }
}

impl Card {
    /// The card as it is. It changes nothing: the card goes on as if none had been taken.
    pub fn snapshot(&self) -> Snapshot {
        let mut host = self.host();
        let (client, clients) = (self.client.save(), self.clients());
        let host = host.copy();
        let regions = host.machine.net.host.regions().iter().map(content).collect();
        let clients = clients.iter().map(|client| client.save()).collect();
        Snapshot { kept: Arc::new(Kept { facts: self.facts().clone(), host, regions, client, clients }) }
    }

    /// Goes back to a snapshot of this card: its clock too, the clients' calls, and the content of the host memory that the
    /// card reached then, in its place. Memory that was allocated since is the card's no more.
    ///
    /// What the clients know is theirs. A client that has claimed the card since gets [`CardError::Restored`] from every
    /// call until its release or its next claim; so does a session that was opened since. One that was open at the moment
    /// of the snapshot goes on rightly if it has made no call since: this card cannot tell. A claim that has been released
    /// since stands again, for what goes on at the seam, until the next claim: the driver's close comes before that one.
    ///
    /// # Errors
    /// [`CardError::Request`] for a snapshot of another card.
    pub fn restore(&self, snapshot: &Snapshot) -> Result<(), CardError> {
        let kept = &*snapshot.kept;
        if !Arc::ptr_eq(&kept.facts, self.facts()) {
            let what = "this snapshot is of another card; a card goes back to its own".to_owned();
            return Err(CardError::Request { what });
        }
        let mut host = self.host();
        let later = host.restore(&kept.host);
        for (region, words) in host.machine.net.host.regions().iter().zip(&kept.regions) {
            fill(region, words);
        }
        for client in self.clients() {
            if let Some(saved) = kept.clients.iter().find(|saved| saved.id == client.id) {
                client.restore(saved);
            }
            if later == Some(client.id) {
                client.outlive(snapshot.at());
            }
        }
        Ok(())
    }

    /// The host memory that the card reaches, in the order in which it was allocated.
    pub fn host_regions(&self) -> Vec<HostMem> {
        self.host().machine.net.host.regions().to_vec()
    }
}

/// What host memory holds.
fn content(region: &HostMem) -> Vec<u64> {
    (0..region.len()).step_by(8).map(|at| region.load_u64(at)).collect()
}

fn fill(region: &HostMem, words: &[u64]) {
    words.iter().enumerate().for_each(|(i, word)| region.store_u64(8 * i, *word));
}
