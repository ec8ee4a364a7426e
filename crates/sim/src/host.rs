//! The host: its clock, and its requests on their way. What the driver does for it is in [`driver`](crate::driver).

use std::os::fd::OwnedFd;

use komorebi_card::{CardError, CardTime, HostMem, NocXy, Order, Rect, check_request};

use crate::breakage::Plan;
use crate::costs::{HOST_CALL, HOST_POLL, host_transfer};
use crate::driver::Driver;
use crate::fault::{Rule, Violation};
use crate::host_side::REGIONS;
use crate::machine::Machine;
use crate::message::{Body, Entry, Payload, Reply};
use crate::net::HOST;
use crate::noc::Noc;
use crate::noc::translate::{Kind, Place, TileId};
use crate::target::{self, Access};
use crate::time::{END, Time, from_nanos, to_card};

/// The most a seed adds to a bulk write's way.
const DISORDER: Time = from_nanos(2_000);
/// Bulk writes up to this size may arrive line by line, or in parts of lines.
const FINE: usize = 4096;
/// When a read of what does not answer comes back with all ones (host.md §7).
const NO_ANSWER: Time = from_nanos(500_000_000);

/// What no longer answers the host.
#[derive(Clone, Default)]
pub(crate) struct Silent {
    /// Nothing does.
    pub(crate) all: bool,
    /// These tiles do not.
    pub(crate) tiles: Vec<TileId>,
    /// The read that showed it: the card is lost from then on.
    shown: Option<String>,
}

/// A card and its host.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) machine: Machine,
    pub(crate) driver: Driver,
    pub(crate) now: Time,
    /// When everything sent to each tile has landed.
    landed: Vec<Time>,
    /// When the last strict write lands.
    strict: Time,
    /// Draws for the seed's delays.
    draws: u64,
    /// What is to break.
    pub(crate) plan: Plan,
    pub(crate) silent: Silent,
}

impl Host {
    pub(crate) fn new(machine: Machine) -> Self {
        let tiles = machine.net.map.homes.len();
        Self {
            machine,
            driver: Driver::default(),
            now: 0,
            landed: vec![0; tiles],
            strict: 0,
            draws: 0,
            plan: Plan::default(),
            silent: Silent::default(),
        }
    }

    /// A reset of the card: `machine` as it is after power-on, nobody's claim, nothing that was to break.
    pub(crate) fn reset(&mut self, machine: Machine) {
        let (now, driver) = (self.now, self.driver.after_reset());
        *self = Self::new(machine);
        (self.now, self.strict, self.driver) = (now, now, driver);
    }

    /// The card and its host as they are; only the content of host memory is not in it.
    pub(crate) fn copy(&mut self) -> Self {
        self.machine.share();
        self.clone()
    }

    /// Becomes what it was `before`; gives the client whose claim is no more, or not yet.
    pub(crate) fn restore(&mut self, before: &Self) -> Option<u64> {
        let (driver, later) = self.driver.restored(&before.driver);
        *self = before.clone();
        self.driver = driver;
        later
    }

    pub(crate) fn now(&self) -> CardTime {
        to_card(self.now)
    }

    /// The same in units of virtual time.
    pub(crate) fn time(&self) -> Time {
        self.now
    }

    /// Lets the card catch up with the host, or says why it cannot.
    pub(crate) fn run(&mut self) -> Result<(), CardError> {
        self.run_to(self.now, false);
        self.check()
    }

    /// Runs the card as [`Machine::run`] does, and breaks on the way what is to break. One that is lost stays as it was when
    /// that showed: whatever it does, nobody hears of it.
    pub(crate) fn run_to(&mut self, until: Time, watch: bool) {
        if self.silent.all && self.silent.shown.is_some() {
            return;
        }
        while self.plan.next() <= until {
            let at = self.plan.next();
            self.machine.run(at, watch);
            if self.machine.fault.is_some() || watch && self.machine.net.host.wrote.is_some() {
                return;
            }
            self.take_step(at);
        }
        self.machine.run(until, watch);
    }

    pub(crate) fn check(&self) -> Result<(), CardError> {
        if let Some(what) = &self.silent.shown {
            return Err(CardError::Lost { what: what.clone() });
        }
        if let Some(fault) = &self.machine.fault {
            return Err(CardError::Fault(fault.clone()));
        }
        if self.now >= END {
            let hours = to_card(END).as_nanos() / 3_600_000_000_000;
            let what = format!(
                "the clock of this simulated card is at its end, after {hours} hours; build another card"
            );
            return Err(CardError::Request { what });
        }
        Ok(())
    }

    fn broken(&mut self, violation: Violation) -> CardError {
        let fault = self.machine.host_fault(self.now, violation);
        CardError::Fault(self.machine.fault.get_or_insert(fault).clone())
    }

    /// Fails for a tile that no longer answers, whose read gives all ones: the card is lost with it.
    pub(crate) fn answers(
        &mut self,
        tile: Option<TileId>,
        what: impl FnOnce() -> String,
    ) -> Result<(), CardError> {
        if self.plan.next() <= self.now {
            self.run()?;
        }
        if !self.silent.all && !tile.is_some_and(|tile| self.silent.tiles.contains(&tile)) {
            return Ok(());
        }
        self.now += NO_ANSWER;
        self.silent.shown = Some(format!("{} gave all ones", what()));
        self.check()
    }

    /// The tile a request goes to, checked.
    pub(crate) fn tile(
        &mut self,
        xy: NocXy,
        address: u64,
        bytes: usize,
        access: Access,
    ) -> Result<Place, CardError> {
        let map = &self.machine.net.map;
        let Some(place) = map.place(Noc::Zero, xy) else {
            let detail = format!("request to {xy}, where there is no enabled tile");
            return Err(self.broken(Violation::new(Rule::AbsentTile, detail)));
        };
        match target::check(map.home(place.tile).kind, address, bytes as u64, access) {
            Ok(()) => Ok(place),
            Err(violation) => Err(self.broken(violation)),
        }
    }

    /// Waits until everything that was sent has landed.
    pub(crate) fn wait_for_landings(&mut self) {
        self.now = self.landed.iter().fold(self.now, |now, landed| now.max(*landed));
    }

    pub(crate) fn write(
        &mut self,
        xy: NocXy,
        address: u64,
        bytes: &[u8],
        order: Order,
    ) -> Result<(), CardError> {
        self.check()?;
        check_request(address, bytes.len())?;
        let place = self.tile(xy, address, bytes.len(), Access::Write)?;
        self.now += HOST_CALL + host_transfer(bytes.len() as u64);
        self.machine.net.counters.noc_packets += 1;
        let arrival = self.now + self.machine.net.costs.host_write;
        match order {
            Order::Strict => {
                self.strict = self.strict.max(arrival);
                self.send(place, self.strict, address, Payload::new(bytes));
            }
            Order::Bulk if self.machine.net.seed.0 == 0 => {
                self.send(place, arrival, address, Payload::new(bytes))
            }
            Order::Bulk => self.scatter(place, arrival, address, bytes),
        }
        Ok(())
    }

    fn send(&mut self, place: Place, at: Time, address: u64, data: Payload) {
        let landed = &mut self.landed[place.tile.index()];
        *landed = at.max(*landed);
        self.machine.net.push(
            HOST,
            place.tile,
            at,
            Body::write(address, data, Entry::window(Noc::Zero, place)),
        );
    }

    /// Sends the lines of a bulk write so that they arrive in any order, some of them in words (host.md §8.4: a
    /// write-combining buffer may be sent in parts).
    fn scatter(&mut self, place: Place, at: Time, address: u64, bytes: &[u8]) {
        let line = if bytes.len() <= FINE { 64 } else { FINE };
        let (mut from, mut rest) = (address, bytes);
        while !rest.is_empty() {
            let n = rest.len().min(line - (from as usize & (line - 1)));
            let (part, tail) = rest.split_at(n);
            let words = line == 64 && self.draw(3) == 0;
            let size = if words { 8 } else { line };
            for (i, piece) in part.chunks(size).enumerate() {
                let delay = self.draw(DISORDER);
                self.send(place, at + delay, from + (i * size) as u64, Payload::new(piece));
            }
            (from, rest) = (from + n as u64, tail);
        }
    }

    fn draw(&mut self, bound: Time) -> Time {
        self.draws += 1;
        self.machine.net.seed.delay(HOST, self.draws, bound)
    }

    pub(crate) fn multicast(&mut self, tiles: Rect, address: u64, bytes: &[u8]) -> Result<(), CardError> {
        self.check()?;
        check_request(address, bytes.len())?;
        if let Err(violation) = target::check(Kind::Tensix, address, bytes.len() as u64, Access::Write) {
            return Err(self.broken(violation));
        }
        let targets: Vec<TileId> = self.machine.net.map.tensix_in(tiles).collect();
        if targets.is_empty() {
            let detail = format!("multicast to {} .. {}", tiles.start, tiles.end);
            return Err(self.broken(Violation::new(Rule::NoReceiver, detail)));
        }
        self.now += HOST_CALL + host_transfer(bytes.len() as u64);
        self.machine.net.counters.noc_packets += 1;
        let (arrival, data) = (self.now + self.machine.net.costs.host_write, Payload::new(bytes));
        for tile in targets {
            let delay = self.draw(DISORDER);
            let place = self.machine.net.map.place_of(tile);
            self.send(place, arrival + delay, address, data.clone());
        }
        Ok(())
    }

    pub(crate) fn read(&mut self, xy: NocXy, address: u64, bytes: &mut [u8]) -> Result<(), CardError> {
        self.check()?;
        check_request(address, bytes.len())?;
        let place = self.tile(xy, address, bytes.len(), Access::Read)?;
        let tile = place.tile;
        self.machine.net.counters.noc_packets += 1;
        let half = self.machine.net.costs.host_read / 2;
        // Not before earlier writes to that tile have landed (host.md §8.4).
        let at = (self.now + HOST_CALL + half).max(self.landed[tile.index()]);
        self.answers(Some(tile), || format!("a read of {address:#x} at {xy}"))?;
        let entry = Entry::window(Noc::Zero, place);
        let body = Body::Read { address, bytes: bytes.len() as u32, entry, reply: Reply::Host };
        self.machine.net.push(HOST, tile, at, body);
        self.now = at + half + host_transfer(bytes.len() as u64);
        self.run()?;
        // A cluster that has to ask its DRAM first answers later.
        let end = self.now + NO_ANSWER;
        loop {
            if let Some(data) = self.machine.net.host.reply.take() {
                bytes.copy_from_slice(data.bytes());
                return Ok(());
            }
            if self.now >= end {
                return Err(CardError::Lost { what: format!("read of {address:#x} at {xy}") });
            }
            self.now += HOST_POLL;
            self.run()?;
        }
    }

    pub(crate) fn fence(&mut self, xy: NocXy) -> Result<(), CardError> {
        self.check()?;
        let Some(place) = self.machine.net.map.place(Noc::Zero, xy) else {
            let detail = format!("fence of {xy}, where there is no enabled tile");
            return Err(self.broken(Violation::new(Rule::AbsentTile, detail)));
        };
        let half = self.machine.net.costs.host_read / 2;
        self.now = (self.now + HOST_CALL + half).max(self.landed[place.tile.index()]) + half;
        self.run()?;
        self.answers(Some(place.tile), || format!("the read back of a fence at {xy}"))
    }

    pub(crate) fn host_mem(&mut self, bytes: usize) -> Result<(HostMem, OwnedFd), CardError> {
        self.check()?;
        let net = &mut self.machine.net;
        let pcie = net.map.find(Kind::Pcie).map_or(NocXy::new(19, 24), |tile| net.map.home(tile).xy);
        if net.host.is_full() {
            let cause = format!(
                "the card's {REGIONS} outbound regions are taken (host.md §1.4); free one, or ask for one larger region"
            );
            return Err(CardError::HostMemory { bytes, cause });
        }
        let address = net.host.next_address(bytes).ok_or_else(|| {
            let cause = "the card's window to the host ends before; ask for less".to_owned();
            CardError::HostMemory { bytes, cause }
        })?;
        let (memory, file) = HostMem::shared(bytes, pcie, address)?;
        net.host.add(memory.clone());
        self.now += HOST_CALL;
        Ok((memory, file))
    }

    pub(crate) fn relax(&mut self, until: CardTime) -> Result<CardTime, CardError> {
        self.check()?;
        let until = from_nanos(until.as_nanos()).min(END);
        let poll = self.now + HOST_POLL;
        if until <= self.now || self.machine.net.host.wrote.take().is_some() {
            self.now = poll;
            self.run()?;
        } else {
            self.run_to(until, true);
            self.check()?;
            let wrote = self.machine.net.host.wrote.unwrap_or(until);
            self.now = self.now.max(wrote);
        }
        self.machine.net.host.wrote = None;
        Ok(self.now())
    }

    /// The place of a tile in the machine.
    pub(crate) fn find(&self, xy: NocXy) -> Option<TileId> {
        self.machine.net.map.place(Noc::Zero, xy).map(|place| place.tile)
    }
}
