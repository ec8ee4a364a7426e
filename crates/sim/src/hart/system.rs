//! The instructions that are not in the fast loop: atomics, fences, control registers, system.

use std::sync::Arc;

use komorebi_card::Rule;

use super::access::Access;
use super::bus::{AmoOp, Bus, Loaded, Refusal, Width};
use super::control::Place;
use super::decode::{Op, SINK};
use super::disasm::disassemble;
use super::isa::{Isa, Xlen};
use super::state::{Hart, UNMARKED};
use super::stop::Stop;
use super::table::Code;
use super::trap::cause;
use crate::time::Time;

/// cfg0 of a baby core, and its bit that switches the branch predictor off (tensix.md §2).
const CFG0: u16 = 0x7c0;
const NO_PREDICTION: u64 = 1 << 1;

/// `time` and `timeh`, which the bus keeps.
const TIME: [u16; 2] = [0xc01, 0xc81];

impl<X: Xlen> Hart<X> {
    /// Executes the instruction at the pc, whose operands are there.
    pub(super) fn run_slow<B: Bus>(&mut self, bus: &mut B, op: Op, horizon: Time) -> Option<Stop> {
        let done = match op.code() {
            Code::Straddle => self.patch(bus, op),
            Code::Fetch if self.time > horizon => return Some(Stop::Horizon),
            Code::Fetch => self.run_fetch(bus),
            Code::FenceI => return self.run_fence_i(bus, op, horizon),
            Code::Csrrw | Code::Csrrs | Code::Csrrc | Code::Csrrwi | Code::Csrrsi | Code::Csrrci => {
                return self.run_csr(bus, op, horizon);
            }
            Code::Ecall => return self.trap(Rule::NoTraps, cause::ECALL, 0, || "ecall".to_owned()),
            Code::Ebreak => {
                return self.trap(Rule::NoTraps, cause::BREAKPOINT, self.pc, || "ebreak".to_owned());
            }
            Code::Mret => {
                let pc = self.control.leave();
                self.return_to(pc);
                Ok(None)
            }
            Code::Mnret => {
                self.control.mnstatus |= super::control::NMIE;
                self.return_to(self.control.mnepc);
                Ok(None)
            }
            Code::Wfi => return self.run_wfi(op),
            Code::Cease => return self.run_cease(op),
            Code::CflushDL1 | Code::CdiscardDL1 => self.run_leave_l1(bus, op, horizon),
            Code::Jalr => {
                let target = self.address(op);
                return self.trap(Rule::Misaligned, 0, target, || {
                    format!("a jump to {target:#x}, not a multiple of 4")
                });
            }
            Code::Illegal => {
                let (word, pc) = (op.imm() as u32, self.pc);
                return self.trap(Rule::Instruction, cause::ILLEGAL, u64::from(word), || {
                    format!("{} is no instruction of this core", disassemble(X::ISA, word, pc))
                });
            }
            Code::Coprocessor => {
                let detail = super::coprocessor::describe_in_stream(op.imm() as u32);
                return Some(self.fault(Rule::CoprocessorWord, detail));
            }
            code => match (code.float(), code.access()) {
                (Some(operation), _) => return self.run_float(op, operation),
                (None, Some(access)) if code.moves_floats() => {
                    self.run_float_access(bus, op, access, horizon)
                }
                (None, Some(access)) => self.run_access(bus, op, access, horizon),
                (None, None) => unreachable!("{code:?} is executed by the fast loop"),
            },
        };
        done.unwrap_or_else(|refusal| self.refused(refusal))
    }

    pub(super) fn address(&self, op: Op) -> u64 {
        X::unsigned(X::widen(self.regs[op.rs1()]).wrapping_add(op.imm() as u64))
    }

    /// Fetches the line at the pc. What it costs is not documented: nothing here.
    fn run_fetch<B: Bus>(&mut self, bus: &mut B) -> Result<Option<Stop>, Refusal> {
        let page = bus.fetch(self.time, self.pc)?;
        self.pages.put(self.pc, page);
        Ok(None)
    }

    /// Completes the instruction at the end of a page with its half in the next.
    fn patch<B: Bus>(&mut self, bus: &mut B, op: Op) -> Result<Option<Stop>, Refusal> {
        let next = bus.code(self.time, X::unsigned(self.pc.wrapping_add(2)))?;
        if let Some(page) = self.pages.take(self.pc) {
            self.pages.put(self.pc, Arc::new(page.with_last(op.imm() as u16, next.first_half())));
        }
        Ok(None)
    }

    fn run_fence_i<B: Bus>(&mut self, bus: &mut B, op: Op, horizon: Time) -> Option<Stop> {
        if X::ISA == Isa::Rv32 {
            // It does nothing on a baby core (tensix.md §2).
            self.retire(op.size());
            return None;
        }
        self.drain();
        if self.time > horizon {
            return Some(Stop::Horizon);
        }
        let free = bus.fence_i(self.time);
        self.retire_at(op.size(), free);
        None
    }

    fn run_wfi(&mut self, op: Op) -> Option<Stop> {
        self.watching = 0;
        self.retire(op.size());
        self.sleeping = true;
        match self.is_roused() {
            true => {
                self.take_interrupt();
                None
            }
            false => Some(Stop::Wfi),
        }
    }

    /// SiFive's `cease`: nothing wakes the hart any more.
    fn run_cease(&mut self, op: Op) -> Option<Stop> {
        self.drain();
        self.watching = 0;
        self.retire(op.size());
        (self.sleeping, self.ceased) = (true, true);
        Some(Stop::Wfi)
    }

    /// `cflush.d.l1` and `cdiscard.d.l1`: of the line at the address in rs1, or of the whole cache for x0.
    fn run_leave_l1<B: Bus>(&mut self, bus: &mut B, op: Op, horizon: Time) -> Result<Option<Stop>, Refusal> {
        self.drain();
        if self.time > horizon {
            return Ok(Some(Stop::Horizon));
        }
        let address = (op.rs1() != 0).then(|| self.address(op));
        let free = bus.leave_l1(self.time, address, op.code() == Code::CdiscardDL1)?;
        self.watching = 0;
        self.repeat.streak = 0;
        self.retire_at(op.size(), free);
        Ok(None)
    }

    /// Atomics, `lr`, `sc`, and misaligned loads and stores.
    fn run_access<B: Bus>(
        &mut self,
        bus: &mut B,
        op: Op,
        access: Access,
        horizon: Time,
    ) -> Result<Option<Stop>, Refusal> {
        let address = self.address(op);
        let width = access.width();
        if address & (width as u64 - 1) != 0 {
            return Ok(self.misaligned(op, access, address));
        }
        // Older accesses are waited for (tensix.md §2).
        self.drain();
        if self.time > horizon {
            return Ok(Some(Stop::Horizon));
        }
        let operand = X::widen(self.regs[op.rs2()]);
        match access {
            Access::Amo(_, operation) => self.run_amo(bus, op, address, width, operation, operand)?,
            Access::Reserve(_) => {
                let loaded = bus.load_reserved(self.time, address, width)?;
                self.counters.shared_loads += 1;
                self.reservation = Some((address, width, loaded.value));
                self.put_loaded(op, width, loaded);
                self.retire(op.size());
            }
            _ => self.run_conditional(bus, op, address, width, operand)?,
        }
        self.watching = 0;
        self.repeat.streak = 0;
        Ok(None)
    }

    pub(super) fn misaligned(&mut self, op: Op, access: Access, address: u64) -> Option<Stop> {
        let cause = match access {
            Access::Load(_) | Access::Reserve(_) => cause::MISALIGNED_LOAD,
            _ => cause::MISALIGNED_STORE,
        };
        self.trap(Rule::Misaligned, cause, address, || {
            format!("{:?} at {address:#x}, not a multiple of {}", op.code(), access.width() as u64)
        })
    }

    fn run_amo<B: Bus>(
        &mut self,
        bus: &mut B,
        op: Op,
        address: u64,
        width: Width,
        operation: AmoOp,
        operand: u64,
    ) -> Result<(), Refusal> {
        let loaded = bus.amo(self.time, address, width, operation, operand)?;
        self.counters.shared_loads += 1;
        self.counters.shared_stores += 1;
        self.put_loaded(op, width, loaded);
        self.retire(op.size());
        Ok(())
    }

    /// `sc`: it stores while memory still holds what `lr` read there, in the same width.
    fn run_conditional<B: Bus>(
        &mut self,
        bus: &mut B,
        op: Op,
        address: u64,
        width: Width,
        operand: u64,
    ) -> Result<(), Refusal> {
        let mut free = self.time;
        let mut failed = 1;
        if let Some((reserved, reserved_width, value)) = self.reservation
            && (reserved, reserved_width) == (address, width)
            && bus.is_reserved(address)
            && bus.load(self.time, address, width)?.value == value
        {
            free = bus.store(self.time, address, width, operand)?;
            self.counters.shared_stores += 1;
            failed = 0;
        }
        self.reservation = None;
        self.put(op.rd(), failed, self.time);
        self.retire_at(op.size(), free);
        Ok(())
    }

    fn put_loaded(&mut self, op: Op, width: Width, loaded: Loaded) {
        let value = match width {
            Width::Word => loaded.value as i32 as u64,
            _ => loaded.value,
        };
        self.put(op.rd(), value, loaded.ready);
    }

    fn run_csr<B: Bus>(&mut self, bus: &mut B, op: Op, horizon: Time) -> Option<Stop> {
        let number = (op.imm() & 0xfff) as u16;
        let swap = matches!(op.code(), Code::Csrrw | Code::Csrrwi);
        let immediate = matches!(op.code(), Code::Csrrwi | Code::Csrrsi | Code::Csrrci);
        let (source, named) = match immediate {
            true => ((op.imm() >> 12) as u64, op.imm() >> 12 != 0),
            false => (X::unsigned(X::widen(self.regs[op.rs1()])), op.rs1() != 0),
        };
        let writes = swap || named;
        let reads = !(swap && op.rd() == usize::from(SINK));
        let no_such = |hart: &mut Self| {
            hart.trap(Rule::ControlRegister, cause::ILLEGAL, hart.instruction(), || {
                let (register, why) = super::csr_name::describe(number);
                match writes {
                    true => format!("{register} written: it is read-only, or {why}"),
                    false => format!("{register} read: {why}"),
                }
            })
        };
        if writes && number >> 10 == 3 {
            return no_such(self);
        }
        if self.control.is_outside(number) && self.time > horizon {
            return Some(Stop::Horizon);
        }
        let mut old = Loaded { value: 0, ready: self.time };
        if reads {
            match self.read_csr(bus, number) {
                Ok(Some(loaded)) => old = loaded,
                Ok(None) => return no_such(self),
                Err(refusal) => return self.refused(refusal),
            }
        }
        if writes {
            let value = match op.code() {
                Code::Csrrw | Code::Csrrwi => source,
                Code::Csrrs | Code::Csrrsi => old.value | source,
                _ => old.value & !source,
            };
            match self.write_csr(bus, number, value) {
                Ok(true) => {}
                Ok(false) => return no_such(self),
                Err(refusal) => return self.refused(refusal),
            }
            self.watching = 0;
            self.repeat.streak = 0;
        }
        self.put(op.rd(), old.value, old.ready);
        self.retire(op.size());
        if writes {
            self.take_interrupt();
        }
        None
    }

    /// Reads a control register; none when there is none of that number.
    fn read_csr<B: Bus>(&mut self, bus: &mut B, number: u16) -> Result<Option<Loaded>, Refusal> {
        let cycles = self.control.cycle.value(self.cycles(self.time));
        let instructions = self.control.instret.value(self.counters.instructions);
        let value = match self.control.place(number) {
            Place::Field(value, _) => *value,
            Place::Status => self.control.status(),
            Place::Float(shift, mask) => self.control.fcsr >> shift & mask,
            Place::Constant(value) => value,
            Place::Cycles(shift) => {
                self.watching &= !UNMARKED;
                cycles >> shift
            }
            Place::Instructions(shift) => {
                self.watching &= !UNMARKED;
                instructions >> shift
            }
            Place::Inhibit => self.control.inhibited(),
            Place::Pmp(register) => self.control.pmp.read(register),
            Place::Bus => {
                self.watching &= if TIME.contains(&number) { !UNMARKED } else { 0 };
                return bus.csr_read(self.time, number);
            }
        };
        Ok(Some(Loaded { value, ready: self.time }))
    }

    /// Writes one; false when there is none of that number.
    fn write_csr<B: Bus>(&mut self, bus: &mut B, number: u16, value: u64) -> Result<bool, Refusal> {
        let cycles = self.cycles(self.time);
        // This one is counted before what it writes takes effect.
        let instructions = self.counters.instructions.wrapping_add(1);
        match self.control.place(number) {
            Place::Field(field, mask) => *field = *field & !mask | value & mask,
            Place::Status => self.control.set_status(value),
            Place::Float(shift, mask) => {
                let fcsr = &mut self.control.fcsr;
                *fcsr = *fcsr & !(mask << shift) | (value & mask) << shift;
                self.control.float_changed();
            }
            Place::Constant(_) => {}
            Place::Cycles(shift) => {
                let count = &mut self.control.cycle;
                count.set(cycles, with_part::<X>(count.value(cycles), value, shift));
            }
            Place::Instructions(shift) => {
                let count = &mut self.control.instret;
                count.set(instructions, with_part::<X>(count.value(instructions), value, shift));
            }
            Place::Inhibit => self.control.inhibit(value, cycles, instructions),
            Place::Pmp(register) => {
                if let Some(entry) = self.control.pmp.write(register, value) {
                    let detail =
                        format!("entry {entry} of the physical memory protection, locked by {value:#x}");
                    return Err(Refusal::Fault { detail, rule: Rule::LockedProtection });
                }
            }
            Place::Bus => {
                let written = bus.csr_write(self.time, number, value)?;
                if written && X::ISA == Isa::Rv32 && number == CFG0 {
                    self.predict(value & NO_PREDICTION == 0);
                }
                return Ok(written);
            }
        }
        Ok(true)
    }
}

/// `whole` with a register's width of it replaced.
fn with_part<X: Xlen>(whole: u64, part: u64, shift: u32) -> u64 {
    let mask = X::unsigned(u64::MAX) << shift;
    whole & !mask | part << shift & mask
}
