//! A cluster with its harts: running them, releasing them, their clock and interrupts.

use super::bus::{ClusterBus, Own};
use super::shared::Shared;
use crate::costs::Setting;
use crate::fault::Violation;
use crate::hart::{Costs, Hart, Rv64, Setup, Stop};
use crate::message::Body;
use crate::net::{HOST, Net};
use crate::noc::translate::TileId;
use crate::runner::Tile;
use crate::slot::{Slot, State};
use crate::target::LIM;
use crate::time::{Time, cycle};
use crate::watch::Watchers;

/// A cluster.
pub(crate) struct Cluster {
    pub(crate) shared: Shared,
    slots: [Slot<Rv64>; 4],
    own: [Own; 4],
    released: bool,
    /// The length of a cycle; 0 while the clock stands.
    cycle: Time,
    /// What the harts did when the clock stopped.
    frozen: [State; 4],
}

impl Cluster {
    pub(crate) fn new(tile: TileId, index: u8, setting: Setting, parking: bool) -> Self {
        let costs = match setting {
            Setting::Low => Costs::X280_LOW,
            Setting::Nominal => Costs::X280_NOMINAL,
            Setting::High => Costs::X280_HIGH,
        };
        let slot = |hart| Slot::new(Hart::new(Setup { hart_id: hart, costs, cycle: cycle(800), parking }));
        Self {
            shared: Shared::new(tile, index),
            slots: [0, 1, 2, 3].map(slot),
            own: Default::default(),
            released: false,
            cycle: 0,
            frozen: [State::Off; 4],
        }
    }

    /// Instructions its harts retired.
    pub(crate) fn instructions(&self) -> u64 {
        self.slots.iter().map(|slot| slot.hart.counters().instructions).sum()
    }

    /// Loads and stores of its harts that no cache served.
    pub(crate) fn uncached(&self) -> [u64; 2] {
        self.own.iter().fold([0, 0], |sum, own| [sum[0] + own.uncached[0], sum[1] + own.uncached[1]])
    }

    /// Where a hart is.
    pub(crate) fn pc(&self, hart: usize) -> u64 {
        self.slots[hart].hart.pc()
    }

    /// Copies LIM out; false outside it.
    pub(crate) fn peek(&self, address: u64, out: &mut [u8]) -> bool {
        let inside = LIM.contains(&address) && self.shared.lim.offset(address, out.len() as u64).is_ok();
        if inside {
            self.shared.lim.memory().read(address - LIM.start, out);
        }
        inside
    }

    fn release(&mut self, at: Time) -> Result<(), Violation> {
        let refuse = |detail: String, rule| Err(Violation::new(detail, rule));
        if self.released {
            let detail = format!("a second release of the harts of L2CPU {}", self.shared.index);
            return refuse(detail, "harts leave reset once per reset of the card (host.md §6.5)");
        }
        let peripherals = &self.shared.peripherals;
        let mut vectors = [0; 4];
        for (hart, vector) in vectors.iter_mut().enumerate() {
            let handlers = peripherals.rnmi_handlers[hart];
            let (Some(pc), [Some(_), Some(_)]) = (peripherals.reset_vectors[hart], handlers) else {
                let detail = format!(
                    "release of L2CPU {} with no vector or RNMI handler for hart {hart}",
                    self.shared.index
                );
                return refuse(
                    detail,
                    "reset vectors and RNMI handlers of all four harts are set before (host.md §6.5)",
                );
            };
            *vector = pc;
        }
        for (slot, pc) in self.slots.iter_mut().zip(vectors) {
            slot.code_generation += 1;
            slot.hart.reset(pc, at);
            slot.state = State::Running(at);
        }
        self.released = true;
        Ok(())
    }

    fn set_clock(&mut self, at: Time, cycle: Time) {
        if cycle == 0 && self.cycle != 0 {
            for (slot, frozen) in self.slots.iter_mut().zip(&mut self.frozen) {
                *frozen = std::mem::replace(&mut slot.state, State::Off);
            }
        } else if cycle != 0 {
            for (slot, frozen) in self.slots.iter_mut().zip(&mut self.frozen) {
                if self.cycle == 0 {
                    slot.state = std::mem::replace(frozen, State::Off);
                    if let State::Running(_) = slot.state {
                        slot.hart.advance_to(at);
                        slot.state = State::Running(slot.hart.time());
                    }
                }
                slot.hart.set_cycle(cycle);
            }
        }
        self.cycle = cycle;
    }
}

impl Tile for Cluster {
    type X = Rv64;

    fn id(&self) -> TileId {
        self.shared.tile
    }

    fn slots(&self) -> &[Slot<Rv64>] {
        &self.slots
    }

    fn slots_mut(&mut self) -> (&mut [Slot<Rv64>], &mut Watchers) {
        (&mut self.slots, &mut self.shared.watchers)
    }

    fn run_hart(&mut self, index: usize, horizon: Time, net: &mut Net) -> Stop {
        let parked = |(i, slot): (usize, &Slot<Rv64>)| u32::from(matches!(slot.state, State::Parked(_))) << i;
        self.shared.parked = self.slots.iter().enumerate().map(parked).sum();
        let Slot { hart, code_generation, .. } = &mut self.slots[index];
        let mut bus = ClusterBus {
            hart: index,
            cycle: self.cycle,
            own: &mut self.own[index],
            generation: code_generation,
            shared: &mut self.shared,
            net,
        };
        hart.run(&mut bus, horizon)
    }

    fn awaited(&self, body: &Body) -> u32 {
        let parked = |(i, slot): (usize, &Slot<Rv64>)| u32::from(matches!(slot.state, State::Parked(_))) << i;
        self.shared.awaited(body, self.slots.iter().enumerate().map(parked).sum())
    }

    fn deliver(&mut self, at: Time, source: u16, body: Body, net: &mut Net) -> Result<(), Violation> {
        match body {
            Body::Clock { cycle } => {
                self.set_clock(at, cycle);
                return Ok(());
            }
            // What was under way when the clock stopped still lands.
            _ if self.cycle == 0 && source == HOST => {
                let rule = "an X280 cluster is left alone while its clock stands; vote for L2CPU power first (host.md §6.7)";
                return Err(Violation::new("access to an X280 cluster without a clock", rule));
            }
            Body::Write { address, data } => self.shared.write(at, address, data.bytes(), net)?,
            Body::Read { address, bytes, reply } => {
                let data = self.shared.read(at, address, bytes as usize, net)?;
                net.reply(self.shared.tile, at, 0, reply, data);
            }
            Body::Timer { hart } => self.shared.interrupts |= 1 << hart,
            Body::Release => self.release(at)?,
            // Nothing else is ever sent here: requests are checked where they are made.
            _ => {}
        }
        Ok(())
    }

    fn follow_up(&mut self, at: Time, _net: &mut Net) {
        let harts = std::mem::take(&mut self.shared.interrupts);
        if harts == 0 {
            return;
        }
        for (i, slot) in self.slots.iter_mut().enumerate().filter(|(i, _)| harts >> i & 1 == 1) {
            let [handler, exception] = self.shared.peripherals.rnmi_handlers[i].map(|pc| pc.unwrap_or(0));
            slot.hart.set_nmi_handlers(handler, exception);
            slot.hart.set_nmi(self.shared.peripherals.rnmi >> i & 1 == 1);
            slot.hart.set_interrupts(self.shared.clint.pending(i, at));
            if slot.state == State::Asleep {
                slot.rouse(i, at, &mut self.shared.watchers);
            }
        }
    }
}
