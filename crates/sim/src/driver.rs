//! The driver: who holds the card, what it is asked to keep powered, and its close (host.md §1.3, §1.6).

use std::collections::BTreeMap;

use komorebi_card::{CardError, Cleanup, Holder, Order, Power, check_request};

use crate::costs::HOST_CALL;
use crate::host::Host;
use crate::message::Body;
use crate::net::HOST;
use crate::noc::latency::LOOKAHEAD;
use crate::noc::translate::{Kind, TileId};
use crate::target::Access;
use crate::time::{Time, from_nanos};

/// What the driver's close takes between the register write and the power message: pages unpinned, iATU regions
/// disabled, windows freed, the message queued (host.md §1.6). Not documented: an assumption.
const CLOSE: Time = from_nanos(200_000);

/// A client's claim.
#[derive(Clone)]
struct Claim {
    client: u64,
    /// No other claim of this card has it.
    number: u64,
    holder: Holder,
}

/// What the driver knows.
#[derive(Clone, Default)]
pub(crate) struct Driver {
    /// Whether the clusters' clock stops at the first step of a close, not at its last.
    pub(crate) stops_at_once: bool,
    /// Why every claim is refused, if it is.
    pub(crate) refuses: Option<String>,
    claim: Option<Claim>,
    power: Power,
    cleanup: Option<Cleanup>,
    ledger: Ledger,
}

/// What the clients have done with their claims, which a card cannot turn back.
#[derive(Clone, Default)]
struct Ledger {
    /// Claims so far.
    claims: u64,
    /// The last claim of each client that has not given it back, by client.
    kept: BTreeMap<u64, u64>,
}

impl Driver {
    /// The driver after a reset of the card.
    pub(crate) fn after_reset(&self) -> Self {
        let (refuses, ledger) = (self.refuses.clone(), self.ledger.clone());
        Self { stops_at_once: self.stops_at_once, refuses, ledger, ..Self::default() }
    }

    /// The driver as it was `before`, and the client whose claim is no more, or not yet.
    pub(crate) fn restored(&self, before: &Self) -> (Self, Option<u64>) {
        let number = before.claim.as_ref().map(|claim| claim.number);
        let later = self.claim.as_ref().filter(|claim| Some(claim.number) != number);
        (Self { ledger: self.ledger.clone(), ..before.clone() }, later.map(|claim| claim.client))
    }

    /// Whether its client has given the claim back, in a later moment than that of the card.
    fn is_over(&self, claim: &Claim) -> bool {
        self.ledger.kept.get(&claim.client) != Some(&claim.number)
    }
}

impl Host {
    pub(crate) fn claim(&mut self, client: u64, power: Power, holder: Holder) -> Result<(), CardError> {
        if let Some(what) = self.driver.refuses.clone() {
            return Err(CardError::Request { what });
        }
        if let Some(claim) = &self.driver.claim {
            if !self.driver.is_over(claim) {
                return Err(CardError::Busy { holder: claim.holder.clone() });
            }
            // Of a card that was restored: nobody is left who would close it.
            self.close();
        }
        self.check()?;
        self.vote(power)?;
        let ledger = &mut self.driver.ledger;
        ledger.claims += 1;
        let number = ledger.claims;
        ledger.kept.insert(client, number);
        self.driver.claim = Some(Claim { client, number, holder });
        Ok(())
    }

    pub(crate) fn holder(&self) -> Option<&Holder> {
        self.driver.claim.as_ref().map(|claim| &claim.holder)
    }

    /// The client has given back whatever it had claimed, in any moment of the card.
    pub(crate) fn give_back(&mut self, client: u64) {
        self.driver.ledger.kept.remove(&client);
    }

    /// The driver's close for the client, if it is the one that has claimed the card.
    pub(crate) fn release(&mut self, client: u64) {
        if self.driver.claim.as_ref().is_some_and(|claim| claim.client == client) {
            self.close();
        }
    }

    /// The driver's close for the card's holder, in its order (host.md §1.6): the register write; host memory unmapped;
    /// locks given back; windows freed, which changes nothing here; the power vote taken back. The last vote that goes puts
    /// the cores in reset, gates their clock and stops the X280's. What its holder sent has landed by then.
    fn close(&mut self) {
        self.driver.claim = None;
        self.machine.net.host.keeps_off = None;
        if let Some(cleanup) = self.driver.cleanup.take() {
            // A fault ends the card, and is what the next call returns.
            let _ = self.write(cleanup.tile, cleanup.address, &cleanup.value.to_le_bytes(), Order::Strict);
        }
        self.wait_for_landings();
        self.run_to(self.now, false);
        if self.driver.stops_at_once {
            self.machine.arc.power(self.now, false, &mut self.machine.net);
        }
        self.machine.net.host.unmap_all();
        self.now += CLOSE;
        let _ = self.vote(Power::default());
    }

    /// A power message (host.md §4.4): Tensix clocks follow the vote, the X280's go back to 800 MHz or stop.
    pub(crate) fn vote(&mut self, power: Power) -> Result<(), CardError> {
        self.now += HOST_CALL + self.machine.net.costs.host_write;
        // The management core answers long after everything that was sent before has landed.
        self.wait_for_landings();
        self.run()?;
        self.answers(self.machine.net.map.find(Kind::Arc), || "the management core's status".to_owned())?;
        if power.tensix != self.driver.power.tensix {
            let gated = !power.tensix;
            for tile in 0..self.machine.net.map.cores() {
                let at = self.now + LOOKAHEAD;
                self.machine.net.push(HOST, TileId(tile as u16), at, Body::Gate { gated });
            }
        }
        self.now += self.machine.arc.power(self.now, power.l2cpu, &mut self.machine.net);
        self.driver.power = power;
        self.now += self.machine.net.costs.host_write;
        self.run()
    }

    pub(crate) fn set_cleanup(&mut self, cleanup: Option<Cleanup>) -> Result<(), CardError> {
        self.check()?;
        if let Some(cleanup) = cleanup {
            check_request(cleanup.address, 4)?;
            self.tile(cleanup.tile, cleanup.address, 4, Access::Write)?;
        }
        self.driver.cleanup = cleanup;
        self.now += HOST_CALL;
        Ok(())
    }

    /// The holder's promise about L1; it ends with the release.
    pub(crate) fn keep_off(&mut self, client: u64, word: u64) -> Result<(), CardError> {
        self.check()?;
        if self.driver.claim.as_ref().is_some_and(|claim| claim.client == client) {
            self.machine.net.host.keeps_off = Some(word);
        }
        Ok(())
    }
}
