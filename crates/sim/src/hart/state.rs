//! The state of a hart, and how a tile looks at it and changes it.

use super::ahead::Ahead;
use super::bus::Width;
use super::control::Control;
use super::costs::Costs;
use super::decode::{FLOATS, SINK, SLOTS, WORDS};
use super::float::FloatUnit;
use super::isa::Xlen;
use super::meter::Meter;
use super::pages::Pages;
use super::stop::Park;
use super::watch::Iteration;
use crate::time::Time;

/// What a hart is built with.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// mhartid (0 on every baby core: tensix.md §2).
    pub hart_id: u64,
    /// What instructions cost.
    pub costs: Costs,
    /// The length of a clock cycle.
    pub cycle: Time,
    /// Whether wait loops are parked. Results are the same with and without.
    pub parking: bool,
}

/// What a hart has done since it was built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Instructions retired.
    pub instructions: u64,
    /// Loads of shared addresses, atomics among them.
    pub shared_loads: u64,
    /// Stores to shared addresses, atomics among them.
    pub shared_stores: u64,
    /// Traps, interrupts and NMIs taken.
    pub traps: u64,
}

/// Lengths of time, in units: [`Costs`] at the current clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    pub(super) one: Time,
    pub(super) taken: Time,
    pub(super) wrong: Time,
    pub(super) product: Time,
    pub(super) trap: Time,
}

impl Steps {
    fn new(costs: &Costs, cycle: Time) -> Self {
        let of = |cycles: u32| Time::from(cycles) * cycle;
        Self {
            one: cycle,
            taken: of(costs.taken),
            wrong: of(costs.wrong),
            product: of(costs.product),
            trap: of(costs.trap),
        }
    }
}

/// Bit of `Hart::watching`: the iteration since the wait HINT has done nothing but wait.
pub(super) const MARKED: u8 = 1;
/// Bit of `Hart::watching`: an iteration of the unmarked loop is being compared.
pub(super) const UNMARKED: u8 = 2;
/// Bit of `Hart::watching`: the hart has stored nothing since it was last looked at ahead of its turn.
pub(super) const LOOKED: u8 = 4;
/// Bit of `Hart::watching`: the hart waits for something, as far as could be seen ahead of its turn, and has stored nothing
/// since.
pub(super) const WAITS: u8 = 8;

/// Wait HINTs whose period a hart remembers.
pub(super) const KNOWN_WAITS: usize = 8;

/// A loop that the hart has parked in: its wait HINT, what it loads (one loop may wait on words of different regions, which
/// take different times), and the length of an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct KnownWait {
    pub(super) pc: u64,
    /// A digest of the regions of the loads, in their order.
    pub(super) loads: u64,
    pub(super) period: Time,
}

/// An unmarked loop that may turn out to wait.
#[derive(Clone, Debug)]
pub(super) struct Repeat<X: Xlen> {
    pub(super) iteration: Iteration,
    /// The registers at the start of the iteration.
    pub(super) regs: [X::Word; 32],
    /// The registers, as bits, whose value had not arrived then, and by how much each was late.
    pub(super) late: u64,
    pub(super) lags: [Time; SLOTS],
    /// The target of the last backward jump, and how often it was the same with no store.
    pub(super) target: u64,
    pub(super) streak: u32,
    /// The streak at which the registers are compared; it doubles each time they differ.
    pub(super) threshold: u32,
}

impl<X: Xlen> Repeat<X> {
    pub(super) const FIRST_THRESHOLD: u32 = 8;
    pub(super) const LAST_THRESHOLD: u32 = 1 << 16;
}

/// A RISC-V hart of register width `X`.
///
/// In the order written: what each turn touches comes first, close together, since a card has hundreds of them.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Hart<X: Xlen> {
    pub(super) pc: u64,
    pub(super) time: Time,
    /// Registers, as bits, whose value has not arrived at the last look.
    pub(super) pending: u64,
    pub(super) parked: Option<Park>,
    pub(super) watching: u8,
    /// Something was done ahead of the hart's turn: `ahead` tells.
    pub(super) is_ahead: bool,
    /// The hart was taken back, and loads what stands again.
    pub(super) loads_again: bool,
    pub(super) parking: bool,
    /// In a `wfi`.
    pub(super) sleeping: bool,
    pub(super) nmi: bool,
    pub(super) bus_error: bool,
    pub(super) ceased: bool,
    pub(super) code_generation: u64,
    /// Until when a hart that is ahead may access what it owns; else 0.
    pub(super) reach: Time,
    pub(super) counters: Counters,
    pub(super) steps: Steps,
    pub(super) cycle: Time,
    /// Register slots (see `decode.rs`); the first 32 are x0 to x31, those from [`FLOATS`](super::decode::FLOATS) on f0
    /// to f31. Of the X280 these hold 64 bits, narrower values boxed in ones.
    pub(super) regs: [X::Word; WORDS],
    /// When a register of `pending` may be used.
    pub(super) ready: [Time; SLOTS],
    pub(super) pages: Pages,
    pub(super) known_waits: [KnownWait; KNOWN_WAITS],
    pub(super) wait: Iteration,
    pub(super) ahead: Ahead<X>,
    pub(super) repeat: Repeat<X>,
    /// A moment, and the cycles that had passed by then: the clock may change.
    pub(super) cycles_since: (Time, u64),
    pub(super) costs: Costs,
    pub(super) control: Control,
    pub(super) float: FloatUnit,
    /// What `lr` read: address, width and value.
    pub(super) reservation: Option<(u64, Width, u64)>,
    pub(super) nmi_handler: u64,
    pub(super) nmi_exception_handler: u64,
    /// What measures it, if anything does.
    pub(super) meter: Option<Box<Meter>>,
    pub(super) width: std::marker::PhantomData<X>,
}

impl<X: Xlen> Hart<X> {
    /// A hart at pc 0 and time 0, with all registers 0.
    pub fn new(setup: Setup) -> Self {
        let cycle = setup.cycle.max(1);
        Self {
            regs: [X::Word::default(); WORDS],
            ready: [0; SLOTS],
            pending: 0,
            pc: 0,
            time: 0,
            cycle,
            cycles_since: (0, 0),
            costs: setup.costs,
            steps: Steps::new(&setup.costs, cycle),
            counters: Counters::default(),
            control: Control::new(X::ISA, setup.hart_id),
            float: FloatUnit::default(),
            pages: Pages::default(),
            code_generation: 0,
            reservation: None,
            sleeping: false,
            nmi: false,
            bus_error: false,
            ceased: false,
            nmi_handler: 0,
            nmi_exception_handler: 0,
            meter: None,
            parking: setup.parking,
            watching: 0,
            wait: Iteration::new(),
            repeat: Repeat {
                iteration: Iteration::new(),
                regs: [X::Word::default(); 32],
                late: 0,
                lags: [0; SLOTS],
                target: 0,
                streak: 0,
                threshold: Repeat::<X>::FIRST_THRESHOLD,
            },
            known_waits: [KnownWait::default(); KNOWN_WAITS],
            parked: None,
            ahead: Ahead::new(),
            is_ahead: false,
            loads_again: false,
            reach: 0,
            width: std::marker::PhantomData,
        }
    }

    /// Leaves reset at `at`, at `pc`: registers and control registers as after power-on. Counters, clock and NMI
    /// handlers stay.
    pub fn reset(&mut self, pc: u64, at: Time) {
        self.regs = [X::Word::default(); WORDS];
        self.pending = 0;
        self.pc = pc;
        self.time = at;
        self.control = Control::new(X::ISA, self.control.hart_id);
        self.float = FloatUnit::default();
        self.pages.clear();
        self.reservation = None;
        self.sleeping = false;
        self.ceased = false;
        self.watching = 0;
        self.repeat.streak = 0;
        self.predict(true);
        self.parked = None;
        self.forget_ahead();
        if let Some(meter) = &mut self.meter {
            **meter = Meter::new(at);
        }
    }

    /// The hart's time: when its next instruction issues.
    pub fn time(&self) -> Time {
        self.time
    }

    /// The address of the next instruction.
    pub fn pc(&self) -> u64 {
        self.pc
    }

    /// Moves the hart's time forward to `at`; never back. For what the tile makes it wait for.
    pub fn advance_to(&mut self, at: Time) {
        self.time = self.time.max(at);
    }

    /// The value of a register, zero-extended.
    ///
    /// # Panics
    /// When there is no register of that number (0 to 31).
    pub fn register(&self, number: usize) -> u64 {
        assert!(number < 32, "register x{number}: expected x0 to x31");
        X::unsigned(X::widen(self.regs[number]))
    }

    /// Sets a register; x0 stays 0.
    ///
    /// # Panics
    /// When there is no register of that number (0 to 31).
    pub fn set_register(&mut self, number: usize, value: u64) {
        assert!(number < 32, "register x{number}: expected x0 to x31");
        let slot = if number == 0 { usize::from(SINK) } else { number };
        self.regs[slot] = X::narrow(X::canonical(value));
        self.pending &= !(1 << slot);
    }

    /// The bits of a floating-point register; a narrower value of the X280 is boxed in ones.
    ///
    /// # Panics
    /// When there is no register of that number (0 to 31).
    pub fn float_register(&self, number: usize) -> u64 {
        assert!(number < 32, "register f{number}: expected f0 to f31");
        X::unsigned(X::widen(self.regs[usize::from(FLOATS) + number]))
    }

    /// The bits of floating-point registers f0 to f31.
    pub fn float_registers(&self) -> [u64; 32] {
        std::array::from_fn(|number| X::unsigned(X::widen(self.regs[usize::from(FLOATS) + number])))
    }

    /// What the hart has done.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The length of a clock cycle.
    pub fn cycle(&self) -> Time {
        self.cycle
    }

    /// Changes the clock from the next instruction on. A parked hart must be resumed first: its period is in the old
    /// clock.
    pub fn set_cycle(&mut self, cycle: Time) {
        self.cycles_since = (self.time, self.cycles(self.time));
        self.cycle = cycle.max(1);
        self.steps = Steps::new(&self.costs, self.cycle);
        self.known_waits = [KnownWait::default(); KNOWN_WAITS];
        self.watching = 0;
    }

    /// Switches the branch predictor on or off: without it, every branch and jump that is taken is a wrong guess.
    pub(super) fn predict(&mut self, on: bool) {
        let costs = Costs { taken: if on { self.costs.taken } else { self.costs.wrong }, ..self.costs };
        self.steps = Steps::new(&costs, self.cycle);
        self.known_waits = [KnownWait::default(); KNOWN_WAITS];
    }

    /// The cycle counter at a moment, not before the last change of the clock.
    pub(super) fn cycles(&self, at: Time) -> u64 {
        let (since, count) = self.cycles_since;
        count + at.saturating_sub(since) / self.cycle
    }

    /// Waits for the registers in the set `wanted`, part of `pending`.
    pub(super) fn arrival(&self, mut wanted: u64, mut time: Time) -> Time {
        while wanted != 0 {
            time = time.max(self.ready[wanted.trailing_zeros() as usize]);
            wanted &= wanted - 1;
        }
        time
    }

    /// Waits for everything outstanding.
    pub(super) fn drain(&mut self) {
        self.time = self.arrival(self.pending, self.time);
        self.pending = 0;
    }

    /// Writes a result that is there at `ready`.
    pub(super) fn put(&mut self, slot: usize, value: u64, ready: Time) {
        self.regs[slot] = X::narrow(X::canonical(value));
        self.ready[slot] = ready;
        self.pending |= 1 << slot;
    }
}
