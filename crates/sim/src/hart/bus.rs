//! What a hart sees of the tile around it.
//!
//! A hart runs ahead over private work (registers, its own RAM, fetch) and meets the others by time at each
//! *shared* access. The executor therefore asks [`Bus::is_private`] before a memory access; a shared one is
//! performed only while the hart's time has not passed the horizon it was given, else the hart stops in front of it.

use std::sync::Arc;

use komorebi_card::Rule;

use super::code::CodePage;
use crate::time::Time;

/// The size of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 1 byte.
    Byte = 1,
    /// 2 bytes.
    Half = 2,
    /// 4 bytes.
    Word = 4,
    /// 8 bytes (X280 only).
    Double = 8,
}

/// The operation of an atomic memory instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the instructions'")]
pub enum AmoOp {
    Swap,
    Add,
    Xor,
    And,
    Or,
    Min,
    Max,
    Minu,
    Maxu,
}

/// A loaded value, zero-extended, and the moment from which an instruction may use it.
#[derive(Clone, Copy, Debug)]
pub struct Loaded {
    /// The bits.
    pub value: u64,
    /// When they are there.
    pub ready: Time,
}

/// Until when a hart's accesses to shared memory are of the simplest kind: nobody else has to come before them, hear of
/// them, or be heard.
#[derive(Clone, Copy, Debug)]
pub struct Near {
    /// Loads before this moment.
    pub load: Time,
    /// Stores before this moment.
    pub store: Time,
}

impl Near {
    /// None.
    pub const NEVER: Self = Self { load: 0, store: 0 };
}

/// What loading a shared address again would see; a hart that waits in a loop may only be parked on what it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// Memory, or a register that behaves like it: the value stays until something happens that the tile reports with
    /// [`Hart::touched`](super::Hart::touched) or [`Hart::resume`](super::Hart::resume).
    Memory,
    /// A clock: it changes by itself.
    Clock,
    /// Loading has an effect (a FIFO, a mailbox, a latch that something else reads).
    Effect,
}

/// Why an access did not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The hardware makes the hart wait; it tries the same instruction again at this moment, which is later.
    Retry(Time),
    /// A strict rule was broken: the card halts.
    Fault {
        /// What was done, with address and value.
        detail: String,
        /// The rule.
        rule: Rule,
    },
    /// The X280 takes a trap with this cause (mcause) and value (mtval).
    Trap {
        /// mcause.
        cause: u64,
        /// mtval.
        value: u64,
    },
}

/// Memory, devices and clocks around one hart.
///
/// `at` is the hart's time at the access. Shared accesses arrive in order of time among the harts of a tile.
pub trait Bus {
    /// True when nobody but this hart can see or change what lies at `address`.
    fn is_private(&self, address: u64) -> bool;

    /// Loads. The executor has checked natural alignment.
    ///
    /// # Errors
    /// [`Refusal`].
    fn load(&mut self, at: Time, address: u64, width: Width) -> Result<Loaded, Refusal>;

    /// Stores the low bytes of `value`; returns when the hart may go on.
    ///
    /// # Errors
    /// [`Refusal`].
    fn store(&mut self, at: Time, address: u64, width: Width, value: u64) -> Result<Time, Refusal>;

    /// Until when accesses of a plain hart to shared memory may be near ones. It holds until something else is asked of the
    /// bus than near and quick accesses.
    #[inline(always)]
    fn near(&self) -> Near {
        Near::NEVER
    }

    /// [`Bus::quick_load`] where it is shortest: of shared memory, in time ([`Near::load`]).
    #[inline(always)]
    fn near_load(&mut self, _at: Time, _address: u64, _width: Width) -> Option<Loaded> {
        None
    }

    /// [`Bus::quick_store`] where it is shortest: into shared memory, in time ([`Near::store`]).
    #[inline(always)]
    fn near_store(&mut self, _at: Time, _address: u64, _width: Width, _value: u64) -> Option<Time> {
        None
    }

    /// [`Bus::load`] where it is short, of any address, aligned or not: of private memory, of what the hart [owns](Self::owns), ahead of its turn, too, and, in
    /// the turn of a hart that is `plain`, of shared memory that is [`Nature::Memory`]; also whether it was shared.
    /// The value arrives after the next cycle has begun. Always `None`
    /// is as right.
    #[inline(always)]
    fn quick_load(
        &mut self,
        _at: Time,
        _address: u64,
        _width: Width,
        _plain: bool,
    ) -> Option<(Loaded, bool)> {
        None
    }

    /// [`Bus::store`] where it is short, of any address, aligned or not, by a plain hart: into private memory, or into shared memory in its turn, where
    /// nobody has to hear of it. [`Bus::code_generation`] stays. Also whether it was shared. Always `None` is as right.
    #[inline(always)]
    fn quick_store(&mut self, _at: Time, _address: u64, _width: Width, _value: u64) -> Option<(Time, bool)> {
        None
    }

    /// An atomic read-modify-write of a word or double; gives the old value.
    ///
    /// # Errors
    /// [`Refusal`].
    fn amo(
        &mut self,
        at: Time,
        address: u64,
        width: Width,
        op: AmoOp,
        operand: u64,
    ) -> Result<Loaded, Refusal>;

    /// Loads for `lr`, which reserves what it loads.
    ///
    /// # Errors
    /// [`Refusal`].
    fn load_reserved(&mut self, at: Time, address: u64, width: Width) -> Result<Loaded, Refusal> {
        self.load(at, address, width)
    }

    /// False when somebody else may have written what the last `lr` has reserved here: the `sc` fails.
    fn is_reserved(&self, _address: u64) -> bool {
        true
    }

    /// A `fence`: when the hart may go on.
    fn fence(&mut self, at: Time) -> Time;

    /// A `fence.i`, or an instruction cache told to forget.
    fn fence_i(&mut self, at: Time) -> Time;

    /// The hart's L1 data cache lets the line at `address` go, or every line; what was written to it goes to the level
    /// above, or is lost. X280 only. When the hart may go on.
    ///
    /// # Errors
    /// [`Refusal`] for an address that is not cacheable.
    fn leave_l1(&mut self, at: Time, _address: Option<u64>, _discard: bool) -> Result<Time, Refusal> {
        Ok(at)
    }

    /// Reads a control register that the hart does not keep itself; `None` when there is none of that number.
    ///
    /// # Errors
    /// [`Refusal`].
    fn csr_read(&mut self, at: Time, csr: u16) -> Result<Option<Loaded>, Refusal>;

    /// Writes one; false when there is none of that number or it is read-only.
    ///
    /// # Errors
    /// [`Refusal`].
    fn csr_write(&mut self, at: Time, csr: u16, value: u64) -> Result<bool, Refusal>;

    /// The decoded page around `pc` (its 4 KiB). The hart keeps what it gets until [`Bus::code_generation`] changes.
    ///
    /// # Errors
    /// [`Refusal`] where no code can be fetched from.
    fn code(&mut self, at: Time, pc: u64) -> Result<Arc<CodePage>, Refusal>;

    /// The page around `pc` once its line has been fetched, for a bus whose pages have unfetched lines: an access to shared
    /// memory.
    ///
    /// # Errors
    /// [`Refusal`].
    fn fetch(&mut self, at: Time, pc: u64) -> Result<Arc<CodePage>, Refusal> {
        self.code(at, pc)
    }

    /// True when an access of the hart has changed interrupts, which the tile has to look at before the hart goes on. The
    /// hart asks when [`Bus::code_generation`] has changed after a store, and after each instruction that is rare.
    #[inline]
    fn is_interrupted(&self) -> bool {
        false
    }

    /// A number that changes whenever [`Bus::code`] would now give another page than it gave this hart before. The
    /// hart reads it when it starts to run, after each shared store and atomic of its own, and after `fence.i`. A tile
    /// that models an instruction cache changes it when the cache is told to forget.
    fn code_generation(&self) -> u64;

    /// A load later than the hart's horizon, of memory whose every change the tile reports to the hart before it happens
    /// ([`Hart::take_back`](super::Hart::take_back)). `None` where that cannot be had.
    fn load_ahead(&mut self, _at: Time, _address: u64, _width: Width) -> Option<Loaded> {
        None
    }

    /// The hart goes ahead of its turn at `at`: from now on until its next turn the tile keeps what the hart's stores replace,
    /// and puts it back when it takes the hart back. Gives the moment before which the hart may access ahead what it
    /// [owns](Self::owns), `span` later at the most.
    fn begin_ahead(&mut self, at: Time, _span: Time) -> Time {
        at
    }

    /// True when nobody else has ever accessed what lies around this address of shared memory: the hart may access it ahead of
    /// its turn, since it is taken back before anybody else comes there.
    fn owns(&mut self, _address: u64) -> bool {
        false
    }

    /// Loads ahead of the hart's turn what it owns. `None` where that has to wait for its turn.
    fn load_own(&mut self, _at: Time, _address: u64, _width: Width) -> Option<Loaded> {
        None
    }

    /// Stores ahead of the hart's turn, after [`Bus::begin_ahead`], into private memory or what the hart owns: when it may go
    /// on, and whether it was shared memory. `None` where that has to wait for its turn.
    #[inline(always)]
    fn store_ahead(&mut self, _at: Time, _address: u64, _width: Width, _value: u64) -> Option<(Time, bool)> {
        None
    }

    /// The hart is about to load from its own clock ahead of its turn, which may latch something.
    fn latch_ahead(&mut self, _address: u64) {}

    /// True when the tile reports every change of what the hart has loaded, ahead of its turn or in it: the hart may begin
    /// another iteration of a wait loop ahead, and park there.
    fn may_go_ahead(&self) -> bool {
        false
    }

    /// False when the hart's next access to shared memory does more than the ones before it, whatever is there: it makes that
    /// one before it parks.
    fn may_park(&self) -> bool {
        true
    }

    /// True when a load of this address gives the moment it is made at, and nothing that somebody else could change: it
    /// need not wait for anybody's turn.
    fn is_own_clock(&self, _address: u64) -> bool {
        false
    }

    /// Packets that have gone out to a NoC so far, where an access sends one at once. Asked only of a metered hart, around
    /// what it does alone.
    fn packets(&self) -> u64 {
        0
    }

    /// True of the register in which a NIU's command buffer says that it is busy: a store there sends a packet, now or
    /// later. Asked only of a metered hart.
    fn is_command_buffer(&self, _address: u64) -> bool {
        false
    }

    /// What a second load of this shared address would see. Asked only while a loop is watched for parking.
    fn nature(&self, _address: u64) -> Nature {
        Nature::Memory
    }

    /// The moment at which the clock that wait loops of this hart read shows `value`, for `rs2` of the wait HINT:
    /// the next time it will, for a 32-bit clock.
    fn wake_time(&self, at: Time, value: u64) -> Time;
}
