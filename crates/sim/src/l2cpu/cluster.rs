//! A cluster with its harts: running them, releasing them, their clock and interrupts.

use super::bus::{ClusterBus, Own};
use super::peripherals::SCRATCH;
use super::shared::Shared;
use crate::costs::Setting;
use crate::fault::{Rule, Violation};
use crate::hart::{Costs, Hart, Rv64, Setup, Stop};
use crate::message::Body;
use crate::net::{HOST, Net};
use crate::noc::translate::TileId;
use crate::runner::Tile;
use crate::slots::{Slots, State};
use crate::target::{HART_PERIPHERALS, LIM};
use crate::time::{NEVER, Time, cycle};
use crate::watch::Watchers;

/// The harts of a cluster, as bits.
const ALL_HARTS: u32 = 0xf;

/// A cluster.
#[derive(Clone)]
pub(crate) struct Cluster {
    pub(crate) shared: Shared,
    slots: Slots<Rv64>,
    own: [Own; 4],
    /// Where the harts start that have left reset and fetch nothing yet.
    suppressed: [Option<u64>; 4],
    metered: bool,
    /// Whether LIM loses its content while the clock stands.
    pub(crate) loses_lim: bool,
    /// The length of a cycle; 0 while the clock stands.
    cycle: Time,
    /// What it is from a moment on that has come.
    new_clock: Option<(Time, Time)>,
    /// What the harts did when the clock stopped.
    frozen: [State; 4],
    /// What the harts did that stand still for good.
    still: [Option<State>; 4],
}

impl Cluster {
    pub(crate) fn new(tile: TileId, index: u8, setting: Setting, parking: bool) -> Self {
        let costs = match setting {
            Setting::Low => Costs::X280_LOW,
            Setting::Nominal => Costs::X280_NOMINAL,
            Setting::High => Costs::X280_HIGH,
        };
        let hart = |hart_id| Hart::new(Setup { hart_id, costs, cycle: cycle(800), parking });
        Self {
            shared: Shared::new(tile, index),
            slots: Slots::new((0..4).map(hart)),
            own: Default::default(),
            suppressed: [None; 4],
            loses_lim: false,
            metered: false,
            cycle: 0,
            new_clock: None,
            frozen: [State::Off; 4],
            still: [None; 4],
        }
    }

    /// Puts a meter on each hart.
    pub(crate) fn meter(&mut self) {
        self.metered = true;
        self.slots.harts.iter_mut().for_each(Hart::put_meter);
    }

    /// A hart; none of that number.
    pub(crate) fn hart(&self, hart: usize) -> Option<&Hart<Rv64>> {
        self.slots.harts.get(hart)
    }

    /// Instructions its harts retired.
    pub(crate) fn instructions(&self) -> u64 {
        self.slots.harts.iter().map(|hart| hart.counters().instructions).sum()
    }

    /// Loads and stores of its harts that no cache served.
    pub(crate) fn uncached(&self) -> [u64; 2] {
        self.own.iter().fold([0, 0], |sum, own| [sum[0] + own.uncached[0], sum[1] + own.uncached[1]])
    }

    /// Where a hart is.
    pub(crate) fn pc(&self, hart: usize) -> u64 {
        self.slots.harts[hart].pc()
    }

    /// Copies LIM, the scratch memory, local DRAM in either view, or the Zero device out; false outside them.
    pub(crate) fn peek(&self, address: u64, out: &mut [u8], net: &Net) -> bool {
        let scratch = address.wrapping_sub(HART_PERIPHERALS.start);
        if LIM.contains(&address) {
            let offset = self.shared.lim.offset(address, out.len() as u64);
            return offset.map(|offset| self.shared.lim.memory().read(offset, out)).is_ok();
        }
        if SCRATCH.contains(&scratch) {
            let inside = out.len() as u64 <= SCRATCH.end - scratch;
            if inside {
                self.shared.peripherals.scratch.read(scratch & 0xfff, out);
            }
            return inside;
        }
        self.shared.peek(address, out, net)
    }

    /// Stops a hart where it is; it has come to `at`.
    pub(crate) fn freeze(&mut self, hart: usize, at: Time) {
        if self.still[hart].is_some() {
            return;
        }
        let state = match self.cycle {
            // It does nothing already: what it did when the clock stopped waits for both then.
            0 => std::mem::replace(&mut self.frozen[hart], State::Off),
            _ => self.slots.turn_off(hart, at, &mut self.shared.watchers),
        };
        // One in reset has nothing to go on with: the next freeze is another one.
        self.still[hart] = Some(state).filter(|state| *state != State::Off);
    }

    /// Lets a frozen hart go on.
    pub(crate) fn thaw(&mut self, hart: usize, at: Time) -> bool {
        let Some(state) = self.still[hart].take() else { return false };
        if self.cycle == 0 {
            self.frozen[hart] = state; // with the clock
            return false;
        }
        self.slots.thaw(hart, state, at, &mut self.shared.watchers);
        self.look_at_interrupts(1 << hart, at);
        true
    }

    /// Makes a hart take an exception that has come to `at`; one that does not run, or has ceased, takes none.
    pub(crate) fn trap(&mut self, hart: usize, at: Time, cause: u64, value: u64) {
        if self.slots.harts[hart].has_ceased() {
            return;
        }
        let state = self.slots.turn_off(hart, at, &mut self.shared.watchers);
        if state == State::Off {
            return;
        }
        self.slots.harts[hart].forget_ahead();
        self.slots.harts[hart].advance_to(at);
        self.slots.harts[hart].take_trap(cause, value);
        self.own[hart].give_up();
        self.slots.run(hart, &mut self.shared.watchers);
    }

    fn release(&mut self, at: Time, net: &Net) -> Result<(), Violation> {
        self.shared.dram_place(net)?;
        let peripherals = &self.shared.peripherals;
        let mut vectors = [0; 4];
        for (hart, vector) in vectors.iter_mut().enumerate() {
            let handlers = peripherals.rnmi_handlers[hart];
            let (Some(pc), [Some(_), Some(_)]) = (peripherals.reset_vectors[hart], handlers) else {
                let detail = format!(
                    "release of L2CPU {} with no vector or RNMI handler for hart {hart}",
                    self.shared.index
                );
                return Err(Violation::new(Rule::ReleaseVectors, detail));
            };
            *vector = pc;
        }
        for (hart, pc) in vectors.into_iter().enumerate() {
            match self.shared.peripherals.suppress_fetch >> hart & 1 {
                0 => self.slots.start(hart, pc, at, &mut self.shared.watchers),
                _ => self.suppressed[hart] = Some(pc),
            }
        }
        Ok(())
    }

    /// Lets a hart go on that stands because of a line or an answer.
    fn stand_no_more(&mut self, hart: usize, at: Time) {
        if std::mem::take(&mut self.own[hart].stands) && self.slots.state(hart) == State::Running {
            self.slots.harts[hart].advance_to(at);
            self.slots.run(hart, &mut self.shared.watchers);
        }
    }

    /// Starts the hart that left reset with its fetches suppressed, once they are not.
    fn unsuppress(&mut self, hart: usize, at: Time) {
        if self.shared.peripherals.suppress_fetch >> hart & 1 == 1 || self.cycle == 0 {
            return;
        }
        if let Some(pc) = self.suppressed[hart].take() {
            self.slots.start(hart, pc, at, &mut self.shared.watchers);
        }
    }

    /// The interrupts of these harts, as bits, may have changed: those that wait for one look.
    fn look_at_interrupts(&mut self, harts: u32, at: Time) {
        for i in (0..4).filter(|i| harts >> i & 1 == 1) {
            self.unsuppress(i, at);
            let [handler, exception] = self.shared.peripherals.rnmi_handlers[i].map(|pc| pc.unwrap_or(0));
            let hart = &mut self.slots.harts[i];
            hart.set_nmi_handlers(handler, exception);
            hart.set_nmi(self.shared.peripherals.rnmi >> i & 1 == 1);
            hart.set_bus_error(self.shared.internal.interrupting() >> i & 1 == 1);
            hart.set_interrupts(self.shared.clint.pending(i, at) | self.shared.plic.pending(i));
            if hart.is_interrupted() {
                self.own[i].give_up(); // the handler's loads are others
            }
            self.stand_no_more(i, at);
            if self.slots.state(i) == State::Asleep {
                self.slots.rouse(i, at, None, &mut self.shared.watchers);
            }
        }
    }

    fn set_clock(&mut self, at: Time, cycle: Time) {
        if self.loses_lim && cycle == 0 && self.cycle != 0 {
            self.shared.lim.lose();
            self.shared.caches.lose();
            self.slots.code_generations.iter_mut().for_each(|generation| *generation += 1);
            self.own.iter_mut().for_each(|own| own.code.clear());
        }
        for hart in 0..self.frozen.len() {
            if cycle == 0 {
                if self.cycle != 0 {
                    self.frozen[hart] = self.slots.turn_off(hart, at, &mut self.shared.watchers);
                }
                continue;
            }
            if self.cycle == 0 {
                match std::mem::replace(&mut self.frozen[hart], State::Off) {
                    State::Off => {}
                    State::Asleep => self.slots.put_to_sleep(hart),
                    // Parked ones had come to the moment at which the clock stopped.
                    State::Running | State::Parked => {
                        self.slots.harts[hart].advance_to(at);
                        self.slots.run(hart, &mut self.shared.watchers);
                    }
                }
            }
            self.slots.harts[hart].set_cycle(cycle);
        }
        self.cycle = cycle;
    }
}

impl Tile for Cluster {
    type X = Rv64;

    fn id(&self) -> TileId {
        self.shared.tile
    }

    fn slots(&mut self) -> (&mut Slots<Rv64>, &mut Watchers) {
        (&mut self.slots, &mut self.shared.watchers)
    }

    fn run_hart(&mut self, index: usize, horizon: Time, net: &mut Net) -> Stop {
        self.shared.parked = self.slots.parked();
        let mut bus = ClusterBus {
            hart: index,
            cycle: self.cycle,
            lim_load: net.costs.lim_load * self.cycle,
            store: net.costs.store * self.cycle,
            own: &mut self.own[index],
            generation: &mut self.slots.code_generations[index],
            shared: &mut self.shared,
            net,
        };
        let hart = &mut self.slots.harts[index];
        let stop = match self.metered {
            false => hart.run(&mut bus, horizon),
            true => hart.run_metered(&mut bus, horizon),
        };
        self.shared.asleep[index] = NEVER;
        if let Stop::Wfi = stop {
            self.shared.asleep[index] = hart.time();
            self.shared.ceased |= u32::from(hart.has_ceased()) << index;
        }
        stop
    }

    fn awaited(&self, body: &Body) -> u32 {
        self.shared.awaited(body, self.slots.parked())
    }

    fn undo(&mut self) {
        self.slots.undo = 0; // these harts store nothing ahead of their turns
    }

    fn overtaken(&mut self, _at: Time, _body: &Body) -> u32 {
        0
    }

    fn deliver(&mut self, at: Time, source: u16, body: Body, net: &mut Net) -> Result<(), Violation> {
        match body {
            Body::Clock { cycle } => {
                self.new_clock = Some((cycle, at));
                return Ok(());
            }
            // What was under way when the clock stopped still lands.
            _ if self.cycle == 0 && source == HOST => {
                return Err(Violation::new(Rule::ClusterClock, "access to an X280 cluster without a clock"));
            }
            Body::Write { address, data, entry, ack, .. } => {
                self.shared.write(at, address, data.bytes(), net)?;
                if let Some(ack) = ack {
                    net.acknowledge(self.shared.tile, at, entry.noc, ack);
                }
            }
            Body::Read { address, bytes, reply, .. } => {
                self.shared.read(at, address, bytes as usize, reply, net)?;
            }
            Body::Answered { hart } => self.stand_no_more(usize::from(hart), at),
            Body::Line { number, data } => {
                self.shared.line_arrived(at, number, data.bytes(), net)?;
                let caches = &self.shared.caches;
                if let Some(line) = caches.lines.find(number).filter(|_| caches.has_whole(number)) {
                    self.own.iter_mut().for_each(|own| own.code.line_arrived(number, &line.bytes));
                }
                for hart in 0..self.own.len() {
                    if self.own[hart].filling == Some(number) {
                        self.stand_no_more(hart, at);
                    }
                }
            }
            Body::Code { hart, ticket, data } => {
                let hart = usize::from(hart);
                if self.own[hart].code.page_arrived(ticket, data.bytes()) {
                    self.stand_no_more(hart, at);
                }
            }
            // Without a clock nothing leaves by itself.
            Body::WriteBack { number } if self.cycle != 0 => self.shared.write_back(at, number, net)?,
            Body::Timer { hart } => self.shared.interrupt(at, 1 << hart),
            Body::Release => self.release(at, net)?,
            // Nothing else is ever sent here: requests are checked where they are made.
            _ => {}
        }
        Ok(())
    }

    fn shown(&self, _body: &Body) -> u32 {
        0
    }

    #[inline]
    fn left(&mut self) -> Option<(u32, Time)> {
        if let Some((_, at)) = self.new_clock {
            return Some((ALL_HARTS, at));
        }
        (self.shared.interrupts != 0).then(|| self.shared.take_interrupts())
    }

    fn follow_up(&mut self, harts: u32, at: Time) {
        let Some((cycle, at)) = self.new_clock.take() else { return self.look_at_interrupts(harts, at) };
        let stood = self.cycle == 0;
        self.set_clock(at, cycle);
        if stood && cycle != 0 {
            self.look_at_interrupts(harts, at); // some may have come meanwhile
        }
    }
}
