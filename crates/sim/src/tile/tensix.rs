//! A Tensix tile with its cores: running them, and resetting them.

use super::bus::{Own, TensixBus};
use super::cores::Core;
use super::csrs::CoreControl;
use super::debug::ALL_CORES;
use super::l0::L0;
use super::local_ram::LocalRam;
use super::order::Order;
use super::place::shown_places;
use super::shared::{Shared, cycles};
use super::store_queue::StoreQueue;
use super::undo::UndoLog;
use crate::fault::{Rule, Violation};
use crate::hart::{Costs, Hart, Rv32, Setup, Stop};
use crate::message::Body;
use crate::net::{HOST, Net};
use crate::noc::latency::CYCLE;
use crate::noc::translate::TileId;
use crate::runner::Tile;
use crate::seed::Seed;
use crate::slots::{Slots, State};
use crate::time::{NEVER, Time};
use crate::watch::Watchers;

/// A tile.
#[derive(Clone)]
pub(crate) struct Tensix {
    pub(crate) shared: Shared,
    slots: Slots<Rv32>,
    own: [Own; 5],
    /// The cores held in reset, as SOFT_RESET_0 had them last.
    held: u32,
    /// True while the tile's clock is gated.
    gated: bool,
    metered: bool,
    /// What the cores did that stand still, until they are reset.
    frozen: [Option<State>; 5],
}

impl Tensix {
    pub(crate) fn new(tile: TileId, seed: Seed, parking: bool) -> Self {
        let setup = Setup { hart_id: 0, costs: Costs::BABY, cycle: CYCLE, parking };
        let own = |core: Core| Own {
            core,
            ram: LocalRam::new(core),
            stores: StoreQueue::default(),
            l0: L0::new(seed.salt(8 * tile.0 + core.index() as u16)),
            order: Order::new(seed, 8 * tile.0 + core.index() as u16),
            control: CoreControl::default(),
            log: UndoLog::default(),
        };
        Self {
            shared: Shared::new(tile, seed, parking),
            slots: Slots::new(Core::ALL.map(|_| Hart::new(setup))),
            own: Core::ALL.map(own),
            held: ALL_CORES,
            gated: true,
            metered: false,
            frozen: [None; 5],
        }
    }

    /// Puts a meter on each core.
    pub(crate) fn meter(&mut self) {
        self.metered = true;
        self.slots.harts.iter_mut().for_each(Hart::put_meter);
    }

    /// A core; none of that number.
    pub(crate) fn hart(&self, core: usize) -> Option<&Hart<Rv32>> {
        self.slots.harts.get(core)
    }

    /// Copies local RAM of a core out; false outside it.
    pub(crate) fn peek_local(&self, core: usize, address: u64, out: &mut [u8]) -> bool {
        let Some(own) = self.own.get(core) else { return false };
        let end = address.checked_add(out.len() as u64);
        if !own.ram.holds(address) || !end.is_some_and(|end| out.is_empty() || own.ram.holds(end - 1)) {
            return false;
        }
        for (byte, at) in out.iter_mut().zip(address..) {
            *byte = own.ram.load(at, 1) as u8;
        }
        true
    }

    /// Instructions its cores retired up to `moment`.
    pub(crate) fn instructions(&self, moment: Time) -> u64 {
        self.slots.harts.iter().map(|hart| hart.settled_counters(moment).instructions).sum()
    }

    /// The cores, as bits, that have done something ahead of their turns after `moment`, where the card stands.
    pub(crate) fn beyond(&self, moment: Time) -> u32 {
        let harts = self.slots.harts.iter().enumerate();
        harts.fold(0, |cores, (core, hart)| cores | u32::from(hart.is_beyond(moment)) << core)
    }

    /// Where a core is.
    pub(crate) fn pc(&self, core: Core) -> u64 {
        self.slots.harts[core.index()].pc()
    }

    /// Stops a core where it is; it has come to `at`.
    pub(crate) fn freeze(&mut self, core: usize, at: Time) {
        if self.frozen[core].is_none() && self.slots.state(core) != State::Off {
            self.frozen[core] = Some(self.slots.turn_off(core, at, &mut self.shared.watchers));
            self.undo();
        }
    }

    /// Lets a frozen core go on; false for one that was reset meanwhile.
    pub(crate) fn thaw(&mut self, core: usize, at: Time) -> bool {
        let Some(state) = self.frozen[core].take() else { return false };
        // What a FIFO held up looks again: something may have changed meanwhile.
        let state = if state == State::Asleep { State::Running } else { state };
        self.slots.thaw(core, state, at, &mut self.shared.watchers);
        true
    }

    /// Holds the host to its promise: of a tile with a running core it touches this word of L1 alone.
    #[cold]
    fn check_promise(&self, body: &Body, word: u64) -> Result<(), Violation> {
        let (verb, address, bytes) = match body {
            Body::Write { address, data, .. } => ("write", *address, data.bytes().len() as u64),
            Body::Read { address, bytes, .. } => ("read", *address, u64::from(*bytes)),
            _ => return Ok(()),
        };
        let kept = word <= address && address + bytes <= word + 4;
        if self.held == ALL_CORES || !self.shared.l1.holds(address, bytes) || kept {
            return Ok(());
        }
        let running: Vec<&str> = Core::ALL
            .iter()
            .filter(|core| self.held >> core.reset_bit() & 1 == 0)
            .map(|core| core.name())
            .collect();
        let detail =
            format!("{verb} of {bytes} bytes at {address:#x} of L1 while {} run", running.join(", "));
        Err(Violation::new(Rule::RunningCore, detail))
    }

    /// The cores, as bits, that SOFT_RESET_0 now holds.
    fn newly_held(&self) -> u32 {
        let bits = self.shared.debug.soft_reset & !self.held;
        Core::ALL.iter().fold(0, |cores, core| cores | (bits >> core.reset_bit() & 1) << core.index())
    }

    /// Brings the cores in line with SOFT_RESET_0; those that it holds have come to `at`.
    fn reset(&mut self, at: Time) {
        let now = self.shared.debug.soft_reset;
        for core in Core::ALL {
            let bit = core.reset_bit();
            match (self.held >> bit & 1, now >> bit & 1) {
                (0, 1) => {
                    self.frozen[core.index()] = None;
                    self.shared.empty_fifos(core);
                    self.slots.turn_off(core.index(), at, &mut self.shared.watchers);
                    self.undo();
                    self.shared.debug.reset_reader(core);
                }
                (1, 0) => {
                    if self.held == ALL_CORES {
                        self.shared.owners.clear();
                    }
                    let own = &mut self.own[core.index()];
                    let mut start = at + CYCLE;
                    if !self.shared.debug.keeps_local_ram(core) {
                        own.ram.clear();
                        start = at + cycles(core.local_bytes() / 4);
                    }
                    own.stores = StoreQueue::default();
                    own.l0.reset();
                    self.shared.icaches[core.index()].clear();
                    self.shared.lost_code &= !(1 << core.index());
                    own.order.reset();
                    own.control = CoreControl::default();
                    self.shared.empty_fifos(core);
                    let pc = self.shared.debug.reset_pc(core);
                    self.slots.start(core.index(), pc, start, &mut self.shared.watchers);
                }
                _ => {}
            }
        }
        if self.held != now & ALL_CORES {
            self.held = now & ALL_CORES;
            self.look_again(at + CYCLE); // FIFOs were emptied: there is room in them
        }
    }

    /// Lets the cores that a FIFO holds up look whether they may go on.
    fn look_again(&mut self, at: Time) {
        let cores = std::mem::take(&mut self.shared.held_up);
        self.slots.rouse_all(cores, at, None, &mut self.shared.watchers);
    }
}

impl Tile for Tensix {
    type X = Rv32;

    fn id(&self) -> TileId {
        self.shared.tile
    }

    fn slots(&mut self) -> (&mut Slots<Rv32>, &mut Watchers) {
        (&mut self.slots, &mut self.shared.watchers)
    }

    fn run_hart(&mut self, index: usize, horizon: Time, net: &mut Net) -> Stop {
        let generation = &mut self.slots.code_generations[index];
        if self.shared.lost_code >> index & 1 == 1 {
            net.limit = 0; // so that it looks up at its next access to shared memory
        }
        let own = &mut self.own[index];
        let mine = own.owner();
        let mut bus = TensixBus { own, generation, shared: &mut self.shared, net, mine, reach: 0 };
        let hart = &mut self.slots.harts[index];
        let stop = match self.metered {
            false => hart.run(&mut bus, horizon),
            true => hart.run_metered(&mut bus, horizon),
        };
        self.shared.pcs[index] = hart.settled_pc();
        // A FIFO holds it up: it sleeps until something changes.
        if stop == Stop::Retry(NEVER) { Stop::Wfi } else { stop }
    }

    fn awaited(&self, body: &Body) -> u32 {
        self.shared.awaited(body)
    }

    fn overtaken(&mut self, at: Time, body: &Body) -> u32 {
        self.shared.overtaken(at, body)
    }

    fn undo(&mut self) {
        let harts = std::mem::take(&mut self.slots.undo);
        for own in self.own.iter_mut().filter(|own| harts >> own.core.index() & 1 == 1) {
            own.undo(&mut self.shared.l1, &mut self.shared.debug);
        }
    }

    fn deliver(&mut self, at: Time, source: u16, body: Body, net: &mut Net) -> Result<(), Violation> {
        if let Body::Gate { gated } = body {
            if gated {
                // The firmware puts every core in reset before (host.md §4.4).
                self.shared.debug.soft_reset = ALL_CORES;
                self.shared.reset_written = Some(at);
            }
            self.gated = gated;
            return Ok(());
        }
        if let Body::Stored { core, address, .. } = &body {
            self.own[usize::from(*core)].l0.store(*address);
        }
        if let Body::LookAgain = body {
            self.look_again(at);
            return Ok(());
        }
        // What was under way when the clock stopped still lands.
        if self.gated && source == HOST {
            return Err(Violation::new(Rule::TensixClock, "access to a Tensix tile without a clock"));
        }
        if let (HOST, Some(word)) = (source, net.host.keeps_off) {
            self.check_promise(&body, word)?;
        }
        self.shared.deliver(at, body, net)
    }

    fn shown(&self, body: &Body) -> u32 {
        match body {
            Body::Read { address, bytes, .. } => shown_places(*address, u64::from(*bytes)),
            _ => 0,
        }
    }

    #[inline]
    fn left(&mut self) -> Option<(u32, Time)> {
        if let Some(at) = self.shared.reset_written.take() {
            return Some((self.newly_held(), at));
        }
        let asked = self.shared.asked_place.take()?;
        self.shared.told_place = Some(asked);
        Some((1 << asked.core, asked.at))
    }

    fn follow_up(&mut self, _harts: u32, at: Time) {
        self.reset(at);
    }
}
