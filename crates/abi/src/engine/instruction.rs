//! An instruction as its fields: encoder, decoder, disassembler.

use std::fmt;

use super::{Opcode, Reason, Shape};
use crate::constants::{engine, stream as c};

/// A decoded instruction. Fields that its shape does not use are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The operation.
    pub op: Opcode,
    /// The immediate stands in for register b.
    pub immediate: bool,
    /// Register the result goes to.
    pub d: u8,
    /// First operand.
    pub a: u8,
    /// Second operand.
    pub b: u8,
    /// Immediate, record, target, or register c of a select.
    pub value: u32,
}

impl Instruction {
    /// `d = a op b`.
    pub const fn binary(op: Opcode, d: u8, a: u8, b: u8) -> Self {
        Self { op, immediate: false, d, a, b, value: 0 }
    }

    /// `d = a op value`.
    pub const fn binary_value(op: Opcode, d: u8, a: u8, value: u32) -> Self {
        Self { op, immediate: true, d, a, b: 0, value }
    }

    /// `d = op b`.
    pub const fn unary(op: Opcode, d: u8, b: u8) -> Self {
        Self { op, immediate: false, d, a: 0, b, value: 0 }
    }

    /// `d = op value`.
    pub const fn unary_value(op: Opcode, d: u8, value: u32) -> Self {
        Self { op, immediate: true, d, a: 0, b: 0, value }
    }

    /// `d = a != 0 ? b : c`.
    pub const fn select(d: u8, a: u8, b: u8, c: u8) -> Self {
        Self { op: Opcode::Select, immediate: false, d, a, b, value: c as u32 }
    }

    /// A control instruction with register `a` and `value`, 0 where its shape has none.
    pub const fn control(op: Opcode, a: u8, value: u32) -> Self {
        Self { op, immediate: false, d: 0, a, b: 0, value }
    }

    /// The instruction's word.
    pub const fn encode(self) -> u64 {
        let form = if self.immediate { c::OP_IMMEDIATE as u64 } else { 0 };
        self.op as u64
            | form
            | (self.d as u64) << c::OP_DSHIFT
            | (self.a as u64) << c::OP_ASHIFT
            | (self.b as u64) << c::OP_BSHIFT
            | (self.value as u64) << c::OP_IMMEDIATE_SHIFT
    }

    /// The instruction of a word, checked as far as the word alone tells, in the protocol's order.
    pub fn decode(word: u64) -> Result<Self, Reason> {
        let bits = word as u8;
        let immediate = u32::from(bits) & c::OP_IMMEDIATE != 0;
        let op = Opcode::from_bits(bits & !(c::OP_IMMEDIATE as u8)).ok_or(Reason::OPCODE)?;
        let shape = op.shape();
        if immediate && !matches!(shape, Shape::Binary | Shape::Unary) {
            return Err(Reason::OPCODE);
        }
        let [d, a, b] = [c::OP_DSHIFT, c::OP_ASHIFT, c::OP_BSHIFT].map(|shift| (word >> shift) as u8);
        let value = (word >> c::OP_IMMEDIATE_SHIFT) as u32;
        let select = shape == Shape::Select;
        if [d, a, b].into_iter().any(|r| u32::from(r) >= engine::REGISTERS)
            || select && value >= engine::REGISTERS
        {
            return Err(Reason::REGISTER);
        }
        // Fields in use: d, a, b, value.
        let used = match shape {
            Shape::Binary => [true, true, !immediate, immediate],
            Shape::Unary => [true, false, !immediate, immediate],
            Shape::Select => [true; 4],
            Shape::Record | Shape::Target => [false, false, false, true],
            Shape::RecordAt | Shape::Branch => [false, true, false, true],
            Shape::Bare => [false; 4],
            Shape::Register => [false, true, false, false],
        };
        let fields = [d.into(), a.into(), b.into(), value];
        if fields.into_iter().zip(used).any(|(field, used)| !used && field != 0) {
            return Err(Reason::OPERAND);
        }
        Ok(Self { op, immediate, d, a, b, value })
    }

    /// The register it writes, if it writes one.
    pub const fn writes(self) -> Option<u8> {
        if self.op.shape().in_cpu() { Some(self.d) } else { None }
    }

    /// The registers it reads.
    pub fn reads(self) -> impl Iterator<Item = u8> {
        let regs = match self.op.shape() {
            Shape::Binary => [Some(self.a), (!self.immediate).then_some(self.b), None],
            Shape::Unary => [(!self.immediate).then_some(self.b), None, None],
            Shape::Select => [Some(self.a), Some(self.b), Some(self.value as u8)],
            Shape::RecordAt | Shape::Branch | Shape::Register => [Some(self.a), None, None],
            Shape::Record | Shape::Bare | Shape::Target => [None; 3],
        };
        regs.into_iter().flatten()
    }

    /// Runs it on `registers`; false for a control instruction, which changes none.
    pub fn compute(self, registers: &mut [u32; engine::REGISTERS as usize]) -> bool {
        let at = |r: u8| registers[usize::from(r) % engine::REGISTERS as usize];
        let b = if self.immediate { self.value } else { at(self.b) };
        let result = match self.op.shape() {
            Shape::Binary => super::binary(self.op, at(self.a), b),
            Shape::Unary => super::unary(self.op, b),
            Shape::Select => Some(if at(self.a) != 0 { at(self.b) } else { at(self.value as u8) }),
            _ => None,
        };
        let Some(result) = result else { return false };
        registers[usize::from(self.d) % engine::REGISTERS as usize] = result;
        true
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { op, d, a, b, value, .. } = *self;
        f.write_str(op.mnemonic())?;
        let second = |f: &mut fmt::Formatter<'_>| {
            if !self.immediate {
                return write!(f, "r{b}");
            }
            match op {
                Opcode::FAdd
                | Opcode::FSub
                | Opcode::FMul
                | Opcode::FEq
                | Opcode::FNe
                | Opcode::FLt
                | Opcode::FLe
                | Opcode::FGt
                | Opcode::FGe
                | Opcode::IFromF
                | Opcode::UFromF => write!(f, "#{:?}f", f32::from_bits(value)),
                _ if value > 0xFFFF_8000 => write!(f, "#{}", value.cast_signed()),
                _ if value > 0xFFFF => write!(f, "#{value:#x}"),
                _ => write!(f, "#{value}"),
            }
        };
        match op.shape() {
            Shape::Binary => {
                write!(f, " r{d}, r{a}, ")?;
                second(f)
            }
            Shape::Unary => {
                write!(f, " r{d}, ")?;
                second(f)
            }
            Shape::Select => write!(f, " r{d}, r{a}, r{b}, r{value}"),
            Shape::Record => write!(f, " c{value}"),
            Shape::RecordAt => write!(f, " c{value}, r{a}"),
            Shape::Bare => Ok(()),
            Shape::Target => write!(f, " {value}"),
            Shape::Branch => write!(f, " r{a}, {value}"),
            Shape::Register => write!(f, " r{a}"),
        }
    }
}

/// A word as the listing shows it; a word that is no instruction is shown as data with the reason.
pub fn disassemble(word: u64) -> String {
    match Instruction::decode(word) {
        Ok(instruction) => instruction.to_string(),
        Err(reason) => format!(".word {word:#018x}  ; {reason}"),
    }
}
