//! Floating point: operands, rounding mode, results and their time. What is computed is in `ieee.rs`, of the baby cores
//! in `baby_float.rs`.
//!
//! All of it is on the slow path. A loop that computes in floating point is not taken for one that waits.

use komorebi_card::Rule;

use super::access::Access;
use super::baby_float;
use super::bus::{Bus, Refusal, Width};
use super::decode::{ALL_FLOATS, FLOATS, Op};
use super::disasm::disassemble;
use super::float_op::{FloatOp, Precision};
use super::ieee::{self, Outcome, Rounding};
use super::isa::{Isa, Xlen};
use super::state::Hart;
use super::stop::Stop;
use super::table::Code;
use super::trap::cause;
use crate::time::Time;

/// When results arrive; the registers themselves are slots of the hart's.
#[derive(Clone, Debug, Default)]
pub(super) struct FloatUnit {
    /// When f0 to f31 may be used.
    ready: [Time; 32],
    /// When the unit for quotients and roots is free.
    divider: Time,
}

impl FloatUnit {
    /// When the register slot may be used, as far as it is a floating-point register.
    fn ready(&self, slot: usize) -> Time {
        slot.checked_sub(usize::from(FLOATS))
            .and_then(|number| self.ready.get(number))
            .map_or(0, |ready| *ready)
    }
}

impl Code {
    /// True of the loads and stores of floating-point registers.
    pub(super) fn moves_floats(self) -> bool {
        matches!(self, Self::Flh | Self::Flw | Self::Fld | Self::Fsh | Self::Fsw | Self::Fsd)
    }
}

/// The slot of the third source of a fused operation; x0 of the others.
fn third(op: Op) -> usize {
    (op.imm() >> 3) as usize
}

impl<X: Xlen> Hart<X> {
    /// True while floating-point instructions are illegal. A baby core's are always on (tensix.md §2: mstatus).
    fn lacks_float(&self) -> bool {
        X::ISA == Isa::Rv64 && !self.control.has_float()
    }

    /// Executes an instruction that computes.
    #[cold]
    pub(super) fn run_float(&mut self, op: Op, operation: FloatOp) -> Option<Stop> {
        if self.lacks_float() {
            return self.illegal();
        }
        let sources = [op.rs1(), op.rs2(), third(op)];
        self.time = sources.iter().fold(self.time, |time, slot| time.max(self.float.ready(*slot)));
        let operands = sources.map(|slot| X::widen(self.regs[slot]));
        let outcome = match X::ISA {
            Isa::Rv64 => match Rounding::new(op.imm() & 7, self.control.fcsr >> 5) {
                Some(rounding) => ieee::compute(operation, operands, rounding),
                None => return self.illegal(),
            },
            Isa::Rv32 if !baby_float::takes_mode(operation, op.imm() & 7) => return self.odd_mode(),
            Isa::Rv32 => match baby_float::compute(operation, operands.map(|operand| operand as u32)) {
                Some(value) => Outcome { value: u64::from(value), flags: 0 },
                None => return self.illegal(),
            },
        };
        let Outcome { value, flags } = outcome;
        if flags != 0 {
            self.control.fcsr |= u64::from(flags);
            self.control.float_changed();
        }
        let ready = self.float_result_at(operation);
        self.put_float(op.rd(), value, ready);
        self.retire(op.size());
        None
    }

    /// When the result of an operation that issues now may be used.
    fn float_result_at(&mut self, operation: FloatOp) -> Time {
        let costs = self.costs.float;
        let quotient = |precision| costs.quotient[precision as usize];
        let cycles = match operation {
            FloatOp::Rounded(precision, super::float_op::Rounded::Div) | FloatOp::Root(precision) => {
                self.time = self.time.max(self.float.divider);
                self.float.divider = self.time + Time::from(quotient(precision)) * self.cycle;
                return self.float.divider;
            }
            FloatOp::Rounded(Precision::Double, _) | FloatOp::Fused(Precision::Double, _) => costs.double,
            FloatOp::Rounded(..) | FloatOp::Fused(..) => costs.single,
            _ => costs.short,
        };
        self.time + Time::from(cycles) * self.cycle
    }

    /// Writes a result, into an integer register or a floating-point one.
    fn put_float(&mut self, slot: usize, value: u64, ready: Time) {
        self.watching = 0;
        self.repeat.streak = 0;
        let Some(number) = slot.checked_sub(usize::from(FLOATS)) else {
            return self.put(slot, value, ready);
        };
        self.regs[slot] = X::narrow(X::canonical(value));
        self.float.ready[number] = ready;
        let all = &mut self.ready[ALL_FLOATS];
        *all = (*all).max(ready);
        self.pending |= 1 << ALL_FLOATS;
        self.control.float_changed();
    }

    fn illegal(&mut self) -> Option<Stop> {
        let word = self.instruction();
        let pc = self.pc;
        self.trap(Rule::Instruction, cause::ILLEGAL, word, || {
            format!("{} is no instruction of this core", disassemble(X::ISA, word as u32, pc))
        })
    }

    /// A rounding mode that a baby core's datapath does not have.
    fn odd_mode(&mut self) -> Option<Stop> {
        Some(self.fault(Rule::FloatRounding, disassemble(X::ISA, self.instruction() as u32, self.pc)))
    }

    /// Loads or stores a floating-point register, in the way that the loop of `run.rs` does integer ones.
    #[cold]
    pub(super) fn run_float_access<B: Bus>(
        &mut self,
        bus: &mut B,
        op: Op,
        access: Access,
        horizon: Time,
    ) -> Result<Option<Stop>, Refusal> {
        if self.lacks_float() {
            return Ok(self.illegal());
        }
        let address = self.address(op);
        let width = access.width();
        if address & (width as u64 - 1) != 0 {
            return Ok(self.misaligned(op, access, address));
        }
        self.time = self.time.max(self.float.ready(op.rs2()));
        let private = bus.is_private(address);
        let shared = !private && !bus.is_own_clock(address);
        match access {
            Access::Load(_) => {
                if shared && self.time > horizon {
                    return Ok(Some(Stop::Horizon));
                }
                let loaded = bus.load(self.time, address, width)?;
                self.counters.shared_loads += u64::from(!private);
                self.put_float(op.rd(), boxed(loaded.value, width), loaded.ready);
                self.retire(op.size());
            }
            _ => {
                if !private && self.time > horizon {
                    return Ok(Some(Stop::Horizon));
                }
                let free = bus.store(self.time, address, width, X::widen(self.regs[op.rs2()]))?;
                self.watching = 0;
                self.repeat.streak = 0;
                self.counters.shared_stores += u64::from(!private);
                self.retire_at(op.size(), free);
            }
        }
        Ok(None)
    }
}

/// What a load of `width` leaves in a register of 64 bits.
fn boxed(value: u64, width: Width) -> u64 {
    match width {
        Width::Double => value,
        _ => value | u64::MAX << (8 * width as u32),
    }
}
