//! The whole card: its tiles, and the order in which they run.
//!
//! Discrete events in one thread. The tile with the earliest next time runs, up to the moment at which any other
//! could first act on it: the next time of the others plus the least latency between tiles.

use komorebi_card::{Board, Fault, NocXy};

use crate::arc::Arc;
use crate::core_state::{CoreCounters, Registers};
use crate::costs::Setting;
use crate::counters::Counters;
use crate::digest::Digest;
use crate::dram::Dram;
use crate::fault::Violation;
use crate::huge::Huge;
use crate::l2cpu::Cluster;
use crate::net::{HOST, Net};
use crate::noc::identity;
use crate::noc::latency::LOOKAHEAD;
use crate::noc::translate::{Kind, TileId, Topology};
use crate::pcie;
use crate::profile::Profile;
use crate::runner::{self, Broken, By};
use crate::seed::Seed;
use crate::sparse::Sparse;
use crate::tile::{Core, Tensix};
use crate::time::{Time, to_card};

/// A card without its host.
#[derive(Clone)]
pub(crate) struct Machine {
    pub(crate) net: Net,
    tensix: Huge<Tensix>,
    clusters: Vec<Cluster>,
    drams: Vec<Dram>,
    pub(crate) arc: Arc,
    /// Up to where everything has happened: in tiles with a number below this up to that moment, in others before it.
    come: (Time, usize),
    /// The rule that was broken first; nothing runs after it.
    pub(crate) fault: Option<Fault>,
}

impl Machine {
    pub(crate) fn new(map: Topology, board: Board, seed: u64, setting: Setting, parking: bool) -> Self {
        let seed = Seed(seed);
        let cores = map.homes.iter().filter(|home| matches!(home.kind, Kind::Tensix)).count();
        let mut tensix = Huge::with_capacity(cores);
        let (mut clusters, mut drams) = (Vec::new(), Vec::new());
        for (i, home) in map.homes.iter().enumerate() {
            let tile = TileId(i as u16);
            match home.kind {
                Kind::Tensix => tensix.push(Tensix::new(tile, seed, parking)),
                Kind::L2Cpu(index) => clusters.push(Cluster::new(tile, index, setting, parking)),
                Kind::Dram(channel) => drams.push(Dram::new(tile, channel)),
                Kind::Pcie | Kind::Arc | Kind::Disabled => {}
            }
        }
        let arc = map.find(Kind::Arc).unwrap_or(TileId(0));
        let net = Net::new(map, seed, setting.costs());
        let arc = Arc::new(arc, &net, board);
        Self { net, tensix, clusters, drams, arc, come: (0, 0), fault: None }
    }

    /// Runs everything up to and including `until`; with `watch`, until the card has written host memory at most.
    pub(crate) fn run(&mut self, until: Time, watch: bool) {
        // A host that watches finds everything else where it is at the moment of the write.
        let host = if watch { self.net.map.find(Kind::Pcie).map(TileId::index) } else { None };
        if self.fault.is_some() {
            return;
        }
        self.net.until = until;
        while !(watch && self.net.host.wrote.is_some()) {
            let (at, tile) = self.net.next.first();
            if at > until || at == crate::time::NEVER {
                self.come = self.come.max((until.saturating_add(1), 0));
                return;
            }
            let mut bound = self.net.next.first_besides(tile).saturating_add(LOOKAHEAD);
            if let Some(host) = host {
                bound = bound.min(self.net.next.get(host).saturating_add(Time::from(tile <= host)));
            }
            self.net.counters.tile_turns += 1;
            self.net.start(tile, bound.min(until.saturating_add(1)));
            match self.run_tile(TileId(tile as u16), watch) {
                Ok(next) => self.net.next.set(tile, next),
                Err(broken) => {
                    self.net.stop();
                    return self.halt(tile, broken);
                }
            }
            self.net.stop();
        }
        if let (Some(at), Some(host)) = (self.net.host.wrote, host) {
            self.come = self.come.max((at, host));
        }
    }

    /// A rule was broken in `tile`: the card halts, and nothing is there that would come later.
    #[cold]
    fn halt(&mut self, tile: usize, broken: Broken) {
        self.come = self.come.max((broken.at, tile));
        (0..self.tensix.len()).for_each(|tile| self.bring_back(TileId(tile as u16)));
        self.fault = Some(self.report(TileId(tile as u16), broken));
    }

    /// Takes the cores of a Tensix tile that are ahead of where the card is back to there.
    fn bring_back(&mut self, tile: TileId) {
        let beyond = self.tensix[tile.index()].beyond(self.horizon(tile));
        if beyond != 0 {
            self.settle(tile, beyond);
        }
    }

    /// The last moment up to which everything has happened in a tile.
    fn horizon(&self, tile: TileId) -> Time {
        let (at, below) = self.come;
        if tile.index() < below { at } else { at.saturating_sub(1) }
    }

    /// Lets `harts`, as bits, of a tile come to the moment at which the card is. What one sees of them is then what there is to
    /// see, parked or not. After a fault everything stays where it is.
    pub(crate) fn settle(&mut self, tile: TileId, harts: u32) {
        if self.fault.is_some() {
            return;
        }
        let horizon = self.horizon(tile);
        self.net.start(tile.index(), horizon.saturating_add(1));
        let next = match self.net.map.home(tile).kind {
            Kind::Tensix => runner::settle_to(&mut self.tensix[tile.index()], harts, horizon, &mut self.net),
            Kind::L2Cpu(index) => {
                runner::settle_to(&mut self.clusters[usize::from(index)], harts, horizon, &mut self.net)
            }
            _ => self.net.next.get(tile.index()),
        };
        self.net.stop();
        self.net.next.set(tile.index(), next);
    }

    fn run_tile(&mut self, tile: TileId, watch: bool) -> Result<Time, Broken> {
        let cores = self.tensix.len();
        match self.net.map.home(tile).kind {
            Kind::Tensix => return runner::run(&mut self.tensix[tile.index()], &mut self.net),
            Kind::L2Cpu(_) => return runner::run(&mut self.clusters[tile.index() - cores], &mut self.net),
            _ => {}
        }
        loop {
            let due = self.net.due(tile);
            // A host that watches sees one write at a time, not what comes after it.
            if due >= self.net.bound || (watch && self.net.host.wrote.is_some()) {
                return Ok(due);
            }
            let Some((at, source, body)) = self.net.take(tile) else { return Ok(due) };
            let done = match self.net.map.home(tile).kind {
                Kind::Pcie => pcie::deliver(tile, at, body, &mut self.net),
                Kind::Arc => self.arc.deliver(at, body, &mut self.net),
                Kind::Disabled => identity::deliver(tile, at, body, &mut self.net),
                _ => {
                    self.drams[tile.index() - cores - self.clusters.len()].deliver(at, body, &mut self.net);
                    Ok(())
                }
            };
            done.map_err(|violation| Broken { by: By::Source(source), at, violation })?;
        }
    }

    /// Turns a broken rule into the card's fault.
    fn report(&self, tile: TileId, broken: Broken) -> Fault {
        let home = self.net.map.home(tile);
        let Broken { by, at, violation } = broken;
        let (tile, agent, pc) = match by {
            By::Hart(index, pc) => match home.kind {
                Kind::Tensix => (home.xy, Core::ALL[index].name().to_owned(), Some(pc)),
                _ => (home.xy, format!("hart {index}"), Some(pc)),
            },
            By::Source(HOST) => return self.host_fault(at, violation),
            By::Source(source) => {
                (self.net.map.homes[usize::from(source)].xy, format!("a message to {}", home.xy), None)
            }
        };
        Fault { rule: violation.rule, tile, agent, pc, detail: violation.detail, at: to_card(at) }
    }

    /// The fault of a request of the host.
    pub(crate) fn host_fault(&self, at: Time, violation: Violation) -> Fault {
        let pcie =
            self.net.map.find(Kind::Pcie).map_or(&self.net.map.homes[0], |tile| self.net.map.home(tile));
        let Violation { rule, detail } = violation;
        Fault { rule, tile: pcie.xy, agent: "host".to_owned(), pc: None, detail, at: to_card(at) }
    }

    /// Puts a meter on the harts of the tiles that are `chosen`.
    pub(crate) fn meter(&mut self, chosen: impl Fn(NocXy) -> bool) {
        for i in 0..self.net.map.homes.len() {
            let home = self.net.map.homes[i];
            match home.kind {
                Kind::Tensix if chosen(home.xy) => self.tensix[i].meter(),
                Kind::L2Cpu(index) if chosen(home.xy) => self.clusters[usize::from(index)].meter(),
                _ => {}
            }
        }
    }

    /// Whether the clusters' LIM loses its content while their clock stands.
    pub(crate) fn lose_lim(&mut self, lost: bool) {
        self.clusters.iter_mut().for_each(|cluster| cluster.loses_lim = lost);
    }

    /// Stops a hart where it is.
    pub(crate) fn freeze(&mut self, tile: TileId, hart: usize, at: Time) {
        self.settle(tile, 1 << hart);
        match self.net.map.home(tile).kind {
            Kind::Tensix => self.tensix[tile.index()].freeze(hart, at),
            Kind::L2Cpu(index) => self.clusters[usize::from(index)].freeze(hart, at),
            _ => {}
        }
    }

    /// Lets a hart that was frozen go on, unless it was reset meanwhile.
    pub(crate) fn thaw(&mut self, tile: TileId, hart: usize, at: Time) {
        let goes_on = match self.net.map.home(tile).kind {
            Kind::Tensix => self.tensix[tile.index()].thaw(hart, at),
            Kind::L2Cpu(index) => self.clusters[usize::from(index)].thaw(hart, at),
            _ => false,
        };
        if goes_on {
            self.wake(tile, at);
        }
    }

    /// Makes a hart of a cluster take an exception.
    pub(crate) fn trap(&mut self, tile: TileId, hart: usize, at: Time, cause: u64, value: u64) {
        self.settle(tile, 1 << hart);
        if let Kind::L2Cpu(index) = self.net.map.home(tile).kind {
            self.clusters[usize::from(index)].trap(hart, at, cause, value);
            self.wake(tile, at);
        }
    }

    /// The tile has something to do at `at`.
    fn wake(&mut self, tile: TileId, at: Time) {
        let at = at.min(self.net.next.get(tile.index()));
        self.net.next.set(tile.index(), at);
    }

    /// Makes the pages of every memory ones that copies share: a copy then costs what is not memory.
    pub(crate) fn share(&mut self) {
        self.net.dram.iter_mut().for_each(Sparse::share);
        self.clusters.iter_mut().for_each(|cluster| cluster.shared.share());
        self.tensix.iter_mut().for_each(|tile| tile.shared.l1.share());
    }

    /// Everything counted so far.
    pub(crate) fn counters(&self) -> Counters {
        let mut counters = self.net.counters;
        counters.tensix_instructions = self.tensix.iter().map(|tile| tile.instructions(self.come.0)).sum();
        for cluster in &self.clusters {
            counters.x280_instructions += cluster.instructions();
            counters.x280_uncached_loads += cluster.uncached()[0];
            counters.x280_uncached_stores += cluster.uncached()[1];
        }
        counters
    }

    /// What the cores of a Tensix tile or the harts of a cluster have done.
    pub(crate) fn core_counters(&self, tile: TileId) -> Vec<CoreCounters> {
        match self.net.map.home(tile).kind {
            Kind::Tensix => {
                let cores = Core::ALL.iter().filter_map(|core| self.tensix[tile.index()].hart(core.index()));
                cores.map(CoreCounters::of).collect()
            }
            Kind::L2Cpu(index) => (0..4)
                .filter_map(|hart| self.clusters[usize::from(index)].hart(hart))
                .map(CoreCounters::of)
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The registers of a core or a hart.
    pub(crate) fn registers(&self, tile: TileId, hart: usize) -> Option<Registers> {
        match self.net.map.home(tile).kind {
            Kind::Tensix => self.tensix[tile.index()].hart(hart).map(Registers::of),
            Kind::L2Cpu(index) => self.clusters[usize::from(index)].hart(hart).map(Registers::of),
            _ => None,
        }
    }

    /// The profile of a core or a hart that has a meter.
    pub(crate) fn profile(&self, tile: TileId, hart: usize) -> Option<Profile> {
        match self.net.map.home(tile).kind {
            Kind::Tensix => Profile::of(self.tensix[tile.index()].hart(hart)?),
            Kind::L2Cpu(index) => Profile::of(self.clusters[usize::from(index)].hart(hart)?),
            _ => None,
        }
    }

    /// Copies local RAM of a core out; false outside it.
    pub(crate) fn peek_local(&self, tile: TileId, core: usize, address: u64, out: &mut [u8]) -> bool {
        match self.net.map.home(tile).kind {
            Kind::Tensix => self.tensix[tile.index()].peek_local(core, address, out),
            _ => false,
        }
    }

    /// Hashes of all memory.
    pub(crate) fn digest(&mut self) -> Digest {
        let mut digest = Digest::default();
        for number in 0..self.tensix.len() {
            self.bring_back(TileId(number as u16));
            digest.l1 = digest.l1.wrapping_add(self.tensix[number].shared.l1.digest(number as u64));
        }
        for (number, cluster) in (0..).zip(&self.clusters) {
            digest.lim = digest.lim.wrapping_add(cluster.shared.lim.memory().digest(number));
        }
        for (number, channel) in (0..).zip(&self.net.dram) {
            digest.dram = digest.dram.wrapping_add(channel.digest(number));
        }
        digest
    }

    /// Copies memory out without a message; false where there is none.
    pub(crate) fn peek(&mut self, tile: TileId, address: u64, out: &mut [u8]) -> bool {
        let bytes = out.len() as u64;
        match self.net.map.home(tile).kind {
            Kind::Tensix if self.tensix[tile.index()].shared.l1.holds(address, bytes) => {
                self.bring_back(tile);
                self.tensix[tile.index()].shared.l1.read(address, out);
            }
            Kind::L2Cpu(index) => return self.clusters[usize::from(index)].peek(address, out, &self.net),
            Kind::Pcie => return self.net.host.read(address, out).is_ok(),
            Kind::Dram(channel) if self.net.dram[usize::from(channel)].holds(address, bytes) => {
                self.net.dram[usize::from(channel)].read(address, out);
            }
            _ => return false,
        }
        true
    }

    /// Where the cores of a Tensix tile or the harts of a cluster are.
    pub(crate) fn pcs(&self, tile: TileId) -> Vec<u64> {
        match self.net.map.home(tile).kind {
            Kind::Tensix => Core::ALL.iter().map(|core| self.tensix[tile.index()].pc(*core)).collect(),
            Kind::L2Cpu(index) => (0..4).map(|hart| self.clusters[usize::from(index)].pc(hart)).collect(),
            _ => Vec::new(),
        }
    }
}
