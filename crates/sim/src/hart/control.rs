//! The control registers that a hart keeps itself, and the trap state of the X280.
//!
//! Everything else (cfg0, coprocessor status, `time`) is the bus's.

use super::count::Count;
use super::isa::Isa;
use super::pmp::{Pmp, PmpRegister};

/// Numbers of the control registers.
pub(super) mod csr {
    pub(in super::super) const FFLAGS: u16 = 0x001;
    pub(in super::super) const FRM: u16 = 0x002;
    pub(in super::super) const FCSR: u16 = 0x003;
    pub(in super::super) const MSTATUS: u16 = 0x300;
    pub(in super::super) const MISA: u16 = 0x301;
    pub(in super::super) const MIE: u16 = 0x304;
    pub(in super::super) const MTVEC: u16 = 0x305;
    pub(in super::super) const MCOUNTINHIBIT: u16 = 0x320;
    pub(in super::super) const MSCRATCH: u16 = 0x340;
    pub(in super::super) const MEPC: u16 = 0x341;
    pub(in super::super) const MCAUSE: u16 = 0x342;
    pub(in super::super) const MTVAL: u16 = 0x343;
    pub(in super::super) const MIP: u16 = 0x344;
    pub(in super::super) const MNSCRATCH: u16 = 0x350;
    pub(in super::super) const MNEPC: u16 = 0x351;
    pub(in super::super) const MNCAUSE: u16 = 0x352;
    pub(in super::super) const MNSTATUS: u16 = 0x353;
    /// SiFive's feature-disable bits on the X280 (host.md §6.5); a memory attribute of the baby cores.
    pub(in super::super) const FEATURES: u16 = 0x7c1;
    pub(in super::super) const SCRATCH_FIRST: u16 = 0x7c3;
    pub(in super::super) const SCRATCH_LAST: u16 = 0x7c6;
    pub(in super::super) const MCYCLE: u16 = 0xb00;
    pub(in super::super) const MINSTRET: u16 = 0xb02;
    pub(in super::super) const MCYCLEH: u16 = 0xb80;
    pub(in super::super) const MINSTRETH: u16 = 0xb82;
    /// Of the other counters and what they count.
    pub(in super::super) const MHPMEVENT_FIRST: u16 = 0x323;
    pub(in super::super) const MHPMEVENT_LAST: u16 = 0x33f;
    pub(in super::super) const MHPMCOUNTER_FIRST: u16 = 0xb03;
    pub(in super::super) const MHPMCOUNTER_LAST: u16 = 0xb1f;
    pub(in super::super) const HPMCOUNTER_FIRST: u16 = 0xc03;
    pub(in super::super) const HPMCOUNTER_LAST: u16 = 0xc1f;
    pub(in super::super) const CYCLE: u16 = 0xc00;
    pub(in super::super) const INSTRET: u16 = 0xc02;
    pub(in super::super) const CYCLEH: u16 = 0xc80;
    pub(in super::super) const INSTRETH: u16 = 0xc82;
    pub(in super::super) const MVENDORID: u16 = 0xf11;
    pub(in super::super) const MIMPID: u16 = 0xf13;
    pub(in super::super) const MHARTID: u16 = 0xf14;
    pub(in super::super) const MCONFIGPTR: u16 = 0xf15;
}

/// mstatus.MIE.
pub(super) const STATUS_MIE: u64 = 1 << 3;
/// mstatus.MPIE.
pub(super) const STATUS_MPIE: u64 = 1 << 7;
/// mstatus.FS: off 0, initial 1, clean 2, dirty 3.
const STATUS_FS: u64 = 3 << 13;
/// mstatus.SD: FS is dirty. Read-only.
const STATUS_SD: u64 = 1 << 63;
/// mstatus.MPP and mnstatus.MNPP, always machine mode.
pub(super) const PREVIOUS_MACHINE: u64 = 3 << 11;
/// mnstatus.NMIE.
pub(super) const NMIE: u64 = 1 << 3;
/// The bit of mcause and mncause that says interrupt.
pub(super) const INTERRUPT: u64 = 1 << 63;
/// The interrupts of machine mode: software, timer, external.
const INTERRUPTS: u64 = 1 << 3 | 1 << 7 | 1 << 11;
/// What a baby core's mstatus reads (tensix.md §2).
const BABY_MSTATUS: u64 = 0x8000_6600;
/// What a baby core's misa reads (tensix.md §2).
const BABY_MISA: u64 = 0x4020_1123;
/// RV64 with A, C, D, F, I, M.
const X280_MISA: u64 = 2 << 62 | 0x112d;

/// The values of control registers.
#[derive(Clone, Debug)]
pub(super) struct Control {
    pub(super) isa: Isa,
    pub(super) hart_id: u64,
    pub(super) mstatus: u64,
    /// Rounding mode (bits 7 to 5) and accrued exceptions (bits 4 to 0).
    pub(super) fcsr: u64,
    pub(super) mie: u64,
    pub(super) mip: u64,
    pub(super) mtvec: u64,
    pub(super) mscratch: u64,
    pub(super) mepc: u64,
    pub(super) mcause: u64,
    pub(super) mtval: u64,
    pub(super) mnscratch: u64,
    pub(super) mnepc: u64,
    pub(super) mncause: u64,
    pub(super) mnstatus: u64,
    pub(super) features: u64,
    /// mcountinhibit of a baby core.
    pub(super) count_inhibit: u64,
    pub(super) scratch: [u64; 4],
    pub(super) pmp: Pmp,
    /// What mcycle makes of the cycles since power-on.
    pub(super) cycle: Count,
    /// What minstret makes of the instructions.
    pub(super) instret: Count,
}

/// A control register, by who knows its value.
pub(super) enum Place<'a> {
    /// A plain register here. The mask has the bits that software can change.
    Field(&'a mut u64, u64),
    /// mstatus of the X280.
    Status,
    /// A part of fcsr: its lowest bit, and its bits.
    Float(u32, u64),
    /// A constant.
    Constant(u64),
    /// The cycle counter, shifted right by this.
    Cycles(u32),
    /// The instruction counter, shifted right by this.
    Instructions(u32),
    /// mcountinhibit.
    Inhibit,
    Pmp(PmpRegister),
    /// None of this hart's.
    Bus,
}

impl Control {
    pub(super) fn new(isa: Isa, hart_id: u64) -> Self {
        Self {
            isa,
            hart_id,
            mstatus: PREVIOUS_MACHINE,
            fcsr: 0,
            mie: 0,
            mip: 0,
            mtvec: 0,
            mscratch: 0,
            mepc: 0,
            mcause: 0,
            mtval: 0,
            mnscratch: 0,
            mnepc: 0,
            mncause: 0,
            mnstatus: NMIE | PREVIOUS_MACHINE,
            features: 0,
            count_inhibit: 0,
            scratch: [0; 4],
            pmp: Pmp::default(),
            cycle: Count::default(),
            instret: Count::default(),
        }
    }

    /// Where the register `number` is.
    pub(super) fn place(&mut self, number: u16) -> Place<'_> {
        const ALL: u64 = u64::MAX;
        let counters = match number {
            csr::MCYCLE | csr::CYCLE => Some(Place::Cycles(0)),
            csr::MINSTRET | csr::INSTRET => Some(Place::Instructions(0)),
            csr::MVENDORID..=csr::MIMPID if self.isa == Isa::Rv64 => Some(Place::Constant(0)),
            csr::MHARTID => Some(Place::Constant(self.hart_id)),
            // A baby core inhibits its two counters of events alone.
            csr::MCOUNTINHIBIT if self.isa == Isa::Rv32 => {
                return Place::Field(&mut self.count_inhibit, 0x18);
            }
            csr::MCOUNTINHIBIT => Some(Place::Inhibit),
            _ => None,
        };
        if let Some(place) = counters {
            return place;
        }
        match (self.isa, number) {
            (Isa::Rv32, csr::MSTATUS) => Place::Constant(BABY_MSTATUS),
            (Isa::Rv32, csr::MISA) => Place::Constant(BABY_MISA),
            (Isa::Rv32, csr::MCYCLEH | csr::CYCLEH) => Place::Cycles(32),
            (Isa::Rv32, csr::MINSTRETH | csr::INSTRETH) => Place::Instructions(32),
            (Isa::Rv32, csr::SCRATCH_FIRST..=csr::SCRATCH_LAST) => {
                Place::Field(&mut self.scratch[usize::from(number - csr::SCRATCH_FIRST)], ALL)
            }
            (Isa::Rv32, _) => Place::Bus,
            (Isa::Rv64, csr::FFLAGS..=csr::FCSR) if !self.has_float() => Place::Bus,
            (Isa::Rv64, csr::FFLAGS) => Place::Float(0, 0x1f),
            (Isa::Rv64, csr::FRM) => Place::Float(5, 7),
            (Isa::Rv64, csr::FCSR) => Place::Float(0, 0xff),
            (Isa::Rv64, csr::MSTATUS) => Place::Status,
            // Counters of events are hardwired to 0, as the specification allows: no event is modelled.
            (
                Isa::Rv64,
                csr::MHPMEVENT_FIRST..=csr::MHPMEVENT_LAST
                | csr::MHPMCOUNTER_FIRST..=csr::MHPMCOUNTER_LAST
                | csr::HPMCOUNTER_FIRST..=csr::HPMCOUNTER_LAST
                | csr::MCONFIGPTR,
            ) => Place::Constant(0),
            (Isa::Rv64, csr::MISA) => Place::Constant(X280_MISA),
            (Isa::Rv64, csr::MIE) => Place::Field(&mut self.mie, INTERRUPTS),
            (Isa::Rv64, csr::MTVEC) => Place::Field(&mut self.mtvec, !2),
            (Isa::Rv64, csr::MSCRATCH) => Place::Field(&mut self.mscratch, ALL),
            (Isa::Rv64, csr::MEPC) => Place::Field(&mut self.mepc, !1),
            (Isa::Rv64, csr::MCAUSE) => Place::Field(&mut self.mcause, ALL),
            (Isa::Rv64, csr::MTVAL) => Place::Field(&mut self.mtval, ALL),
            (Isa::Rv64, csr::MIP) => Place::Field(&mut self.mip, 0),
            (Isa::Rv64, csr::MNSCRATCH) => Place::Field(&mut self.mnscratch, ALL),
            (Isa::Rv64, csr::MNEPC) => Place::Field(&mut self.mnepc, !1),
            (Isa::Rv64, csr::MNCAUSE) => Place::Field(&mut self.mncause, ALL),
            // NMIE can be set and not cleared.
            (Isa::Rv64, csr::MNSTATUS) => {
                let settable = NMIE & !self.mnstatus;
                Place::Field(&mut self.mnstatus, settable)
            }
            (Isa::Rv64, csr::FEATURES) => Place::Field(&mut self.features, ALL),
            (Isa::Rv64, _) => PmpRegister::of(number).map_or(Place::Bus, Place::Pmp),
        }
    }

    /// The value of mstatus.
    pub(super) fn status(&self) -> u64 {
        let dirty = self.mstatus & STATUS_FS == STATUS_FS;
        self.mstatus | if dirty { STATUS_SD } else { 0 }
    }

    /// Writes what software can change of mstatus.
    pub(super) fn set_status(&mut self, value: u64) {
        const WRITABLE: u64 = STATUS_MIE | STATUS_MPIE | STATUS_FS;
        self.mstatus = self.mstatus & !WRITABLE | value & WRITABLE;
    }

    /// False while floating point is off: its instructions and registers are illegal.
    pub(super) fn has_float(&self) -> bool {
        self.mstatus & STATUS_FS != 0
    }

    /// Floating-point state has changed.
    pub(super) fn float_changed(&mut self) {
        self.mstatus |= STATUS_FS;
    }

    /// The value of mcountinhibit.
    pub(super) fn inhibited(&self) -> u64 {
        u64::from(self.cycle.is_held()) | u64::from(self.instret.is_held()) << 2
    }

    /// Writes mcountinhibit after so many cycles and instructions.
    pub(super) fn inhibit(&mut self, value: u64, cycles: u64, instructions: u64) {
        self.cycle.hold(cycles, value & 1 != 0);
        self.instret.hold(instructions, value & 4 != 0);
    }

    /// True when the value of the register depends on time, on the bus, or on what others do.
    pub(super) fn is_outside(&mut self, number: u16) -> bool {
        number == csr::MIP || matches!(self.place(number), Place::Cycles(_) | Place::Bus)
    }

    /// The number of the interrupt to take now, if there is one: external before software before timer.
    pub(super) fn interrupt(&self) -> Option<u64> {
        let enabled = self.mstatus & STATUS_MIE != 0 && self.mnstatus & NMIE != 0;
        let pending = self.mip & self.mie;
        if !enabled || pending == 0 {
            return None;
        }
        let first = [11, 3, 7].into_iter().find(|bit| pending >> bit & 1 != 0);
        Some(first.unwrap_or_else(|| u64::from(63 - pending.leading_zeros())))
    }

    /// Enters the trap handler: state, and the pc to go on at.
    pub(super) fn enter(&mut self, pc: u64, cause: u64, value: u64) -> u64 {
        self.mepc = pc;
        self.mcause = cause;
        self.mtval = value;
        let enabled = self.mstatus & STATUS_MIE != 0;
        self.mstatus &= !(STATUS_MIE | STATUS_MPIE);
        if enabled {
            self.mstatus |= STATUS_MPIE;
        }
        let base = self.mtvec & !3;
        match cause & INTERRUPT != 0 && self.mtvec & 1 != 0 {
            true => base.wrapping_add(4 * (cause & !INTERRUPT)),
            false => base,
        }
    }

    /// `mret`: state, and the pc to go on at.
    pub(super) fn leave(&mut self) -> u64 {
        let enabled = self.mstatus & STATUS_MPIE != 0;
        self.mstatus |= STATUS_MPIE;
        self.mstatus &= !STATUS_MIE;
        if enabled {
            self.mstatus |= STATUS_MIE;
        }
        self.mepc
    }
}
