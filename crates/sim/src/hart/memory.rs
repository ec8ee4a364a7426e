//! Loads and stores, the exact way: in turn, ahead of it, or again, and with what the hart watches.

use super::ahead::AheadLoad;
use super::bus::{Bus, Loaded, Nature, Width};
use super::decode::Op;
use super::isa::Xlen;
use super::run::Flow;
use super::state::Hart;
use super::table::{Code, instructions};
use super::watch::Watch;
use crate::time::Time;

macro_rules! as_extensions {
    (
        load { $($load:ident $_1:literal $_2:literal $_3:ident $_width:ident $extend:ident;)* }
        $($_rest:tt)*
    ) => {
        impl Code {
            /// A loaded value as the register has it.
            #[inline]
            fn extend(self, value: u64) -> u64 {
                match self {
                    $(Self::$load => value as $extend as u64,)*
                    _ => value,
                }
            }
        }
    };
    ($_section:ident { $($_rows:tt)* } $($rest:tt)*) => {
        as_extensions! { $($rest)* }
    };
}
instructions!(as_extensions);

impl<X: Xlen> Hart<X> {
    /// True when a shared access of the hart in its turn is one: nothing is ahead, or to be made again.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        !self.is_ahead && !self.loads_again
    }

    /// Notes a load of memory in a loop that is watched.
    #[inline(never)]
    pub(super) fn note_memory(&mut self, address: u64, width: Width, at: Time) {
        self.note(Nature::Memory, Watch::new(address, width), at);
    }

    /// Makes one more load ahead, of memory; `None` where it has to go the exact way.
    #[inline(never)]
    pub(super) fn load_further<B: Bus>(
        &mut self,
        bus: &mut B,
        time: Time,
        address: u64,
        width: Width,
        horizon: Time,
    ) -> Option<Loaded> {
        if time <= horizon {
            return None;
        }
        let loaded = self.load_past(bus, time, address, width, horizon)?;
        self.counters.shared_loads += 1;
        if self.watching != 0 {
            self.note_memory(address, width, time);
        }
        Some(loaded)
    }

    /// The value of a load of shared memory later than the horizon, noted so that it can be taken back; `None` when it has to
    /// wait for the hart's turn.
    #[inline]
    fn load_past<B: Bus>(
        &mut self,
        bus: &mut B,
        time: Time,
        address: u64,
        width: Width,
        horizon: Time,
    ) -> Option<Loaded> {
        if self.go_ahead_in_own(bus, address, horizon) {
            return bus.load_own(time, address, width);
        }
        let loaded = bus.load_ahead(time, address, width)?;
        let load = AheadLoad::new(Watch::new(address, width), time, loaded);
        self.load_ahead(bus, load, horizon).then_some(loaded)
    }

    /// Makes the aligned load at the pc, but leaves the pc there: that and the count of instructions are the loop's. False
    /// when the page may be old then.
    ///
    /// # Errors
    /// Why it was not made.
    #[inline(never)]
    pub(super) fn load<B: Bus>(
        &mut self,
        bus: &mut B,
        op: Op,
        address: u64,
        width: Width,
        horizon: Time,
    ) -> Result<bool, Flow> {
        let time = self.time;
        let private = bus.is_private(address);
        let watch = Watch::new(address, width);
        let shared = !private && !bus.is_own_clock(address);
        let again = match shared && self.loads_again {
            true => self.load_again(watch, time),
            false => None,
        };
        let loaded = if let Some(loaded) = again {
            loaded
        } else if shared && time > horizon {
            self.load_past(bus, time, address, width, horizon).ok_or(Flow::Horizon)?
        } else {
            if self.is_ahead && !private {
                bus.latch_ahead(address);
            }
            bus.load(time, address, width).map_err(Flow::Refused)?
        };
        if !private {
            self.counters.shared_loads += 1;
            if self.watching != 0 {
                self.note(bus.nature(address), watch, time);
            }
        }
        self.regs[op.rd()] = X::narrow(op.code().extend(loaded.value));
        self.time = time + self.steps.one;
        let bit = 1u64.wrapping_shl(op.rd() as u32);
        if loaded.ready > self.time {
            self.ready[op.rd() % super::decode::SLOTS] = loaded.ready;
            self.pending |= bit;
        } else {
            self.pending &= !bit;
        }
        Ok(true)
    }

    /// The same for a store.
    ///
    /// # Errors
    /// Why it was not made.
    #[inline(never)]
    pub(super) fn store<B: Bus>(
        &mut self,
        bus: &mut B,
        op: Op,
        address: u64,
        width: Width,
        horizon: Time,
    ) -> Result<bool, Flow> {
        let private = bus.is_private(address);
        let value = X::widen(self.regs[op.rs2()]);
        let free = if self.is_ahead || self.time > horizon && !private {
            if !private && !self.go_ahead_in_own(bus, address, horizon) {
                return Err(Flow::Horizon);
            }
            bus.store_ahead(self.time, address, width, value).ok_or(Flow::Horizon)?.0
        } else {
            bus.store(self.time, address, width, value).map_err(Flow::Refused)?
        };
        self.watching = 0;
        self.repeat.streak = 0;
        self.time = free.max(self.time + self.steps.one);
        if private {
            return Ok(true);
        }
        self.counters.shared_stores += 1;
        Ok(bus.code_generation() == self.code_generation)
    }
}
