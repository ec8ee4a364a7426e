//! Traps, interrupts and the resumable NMI of the X280; faults of the baby cores, which have no traps.

use komorebi_card::Rule;

use super::bus::Refusal;
use super::control::{INTERRUPT, NMIE};
use super::isa::{Isa, Xlen};
use super::state::Hart;
use super::stop::{Fault, Stop};
use crate::time::{NEVER, Time};

/// Causes of traps (mcause).
pub(super) mod cause {
    pub(in super::super) const ILLEGAL: u64 = 2;
    pub(in super::super) const BREAKPOINT: u64 = 3;
    pub(in super::super) const MISALIGNED_LOAD: u64 = 4;
    pub(in super::super) const MISALIGNED_STORE: u64 = 6;
    pub(in super::super) const ECALL: u64 = 11;
}

impl<X: Xlen> Hart<X> {
    /// Sets the pending interrupts (the bits of mip: 3 software, 7 timer, 11 external). X280 only. A parked hart must be
    /// resumed to see them.
    pub fn set_interrupts(&mut self, mip: u64) {
        self.control.mip = mip;
    }

    /// The handlers of the NMI and of traps in it (host.md §6.3).
    pub fn set_nmi_handlers(&mut self, handler: u64, exception_handler: u64) {
        self.nmi_handler = handler;
        self.nmi_exception_handler = exception_handler;
    }

    /// Raises or lowers the NMI, which is taken while it is high and mnstatus.NMIE is set (host.md §6.5). X280 only.
    /// A parked hart must be resumed to see it.
    pub fn set_nmi(&mut self, high: bool) {
        self.nmi = high;
    }

    /// The same of the NMI of a bus-error unit.
    pub fn set_bus_error(&mut self, high: bool) {
        self.bus_error = high;
    }

    /// True after a `cease`, until the next reset.
    pub fn has_ceased(&self) -> bool {
        self.ceased
    }

    /// Makes the X280 take a trap at its pc, as a fault of the card would.
    pub fn take_trap(&mut self, cause: u64, value: u64) {
        self.control_flow_breaks();
        self.counters.traps += 1;
        self.time += self.steps.trap;
        let handler = self.control.enter(self.pc, cause, value);
        self.pc = match self.control.mnstatus & NMIE {
            0 => self.nmi_exception_handler,
            _ => handler,
        };
    }

    /// True when a `wfi` ends.
    pub(super) fn is_roused(&mut self) -> bool {
        let roused = !self.ceased && (self.control.mip & self.control.mie != 0 || self.takes_nmi());
        self.sleeping &= !roused;
        roused
    }

    fn takes_nmi(&self) -> bool {
        (self.nmi || self.bus_error) && self.control.mnstatus & NMIE != 0
    }

    /// True when the X280 takes the NMI or an interrupt before its next instruction.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.takes_nmi() || self.control.interrupt().is_some()
    }

    /// Takes the NMI or an interrupt, if one is due.
    pub(super) fn take_interrupt(&mut self) {
        if X::ISA == Isa::Rv32 {
            return;
        }
        if self.takes_nmi() {
            self.control_flow_breaks();
            self.counters.traps += 1;
            self.time += self.steps.trap;
            self.control.mnepc = self.pc;
            // The trigger, or a bus error (host.md §6.5).
            self.control.mncause = INTERRUPT | if self.nmi { 2 } else { 3 };
            self.control.mnstatus &= !NMIE;
            self.pc = self.nmi_handler;
        } else if let Some(number) = self.control.interrupt() {
            self.take_trap(INTERRUPT | number, 0);
        }
    }

    /// Leaves a handler for `pc`.
    pub(super) fn return_to(&mut self, pc: u64) {
        self.control_flow_breaks();
        self.counters.instructions += 1;
        self.time += self.steps.trap;
        self.pc = pc;
        self.take_interrupt();
    }

    fn control_flow_breaks(&mut self) {
        self.watching = 0;
        self.repeat.streak = 0;
        self.reservation = None;
        self.sleeping = false;
    }

    /// The bus refused what is at the pc.
    pub(super) fn refused(&mut self, refusal: Refusal) -> Option<Stop> {
        self.watching = 0;
        match refusal {
            Refusal::Retry(at) => {
                if at != NEVER {
                    self.advance_to(at);
                }
                Some(Stop::Retry(at))
            }
            Refusal::Fault { detail, rule } => Some(self.fault(rule, detail)),
            Refusal::Trap { cause, value } => self
                .trap(Rule::NoTraps, cause, value, || format!("a trap of cause {cause}, value {value:#x}")),
        }
    }

    /// A trap where there are traps, else a fault that says what happened and which rule is against it.
    pub(super) fn trap(
        &mut self,
        rule: Rule,
        cause: u64,
        value: u64,
        detail: impl FnOnce() -> String,
    ) -> Option<Stop> {
        match X::ISA {
            Isa::Rv32 => Some(self.fault(rule, detail())),
            Isa::Rv64 => {
                self.take_trap(cause, value);
                None
            }
        }
    }

    /// The instruction at the pc, for the trap value of an illegal one. Its page is held while it is executed.
    pub(super) fn instruction(&self) -> u64 {
        self.pages.get(self.pc).map_or(0, |page| u64::from(page.instruction(self.pc)))
    }

    pub(super) fn fault(&self, rule: Rule, detail: String) -> Stop {
        Stop::Fault(Box::new(Fault { pc: self.pc, detail, rule }))
    }

    /// An instruction of `size` bytes is done, in one cycle.
    pub(super) fn retire(&mut self, size: u64) {
        self.retire_at(size, self.time);
    }

    /// The same, but the next one issues no earlier than `free`.
    pub(super) fn retire_at(&mut self, size: u64, free: Time) {
        self.counters.instructions += 1;
        self.time = free.max(self.time + self.steps.one);
        self.pc = X::unsigned(self.pc.wrapping_add(size));
    }
}
