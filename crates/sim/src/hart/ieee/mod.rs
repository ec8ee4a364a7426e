//! The X280's floating point: IEEE 754 as RISC-V has it, in all five rounding modes, with flags, bit for bit.
//!
//! A register value is unpacked into an exact number ([`number`]), computed with enough bits and a sticky one
//! ([`arithmetic`], [`convert`]), and rounded once ([`round`]). Tininess is detected after rounding, a result that is not
//! a number is the canonical one, and a narrower value that is not boxed in ones counts as that.

mod arithmetic;
mod convert;
mod look;
mod number;
mod round;

pub(super) use round::Rounding;

use super::float_op::{FloatOp, Fused, Look, Rounded, Select};
use number::{Format, Number};

/// Accrued exceptions, as in fflags.
pub(super) mod flag {
    pub(in super::super) const INEXACT: u8 = 1;
    pub(in super::super) const UNDERFLOW: u8 = 1 << 1;
    pub(in super::super) const OVERFLOW: u8 = 1 << 2;
    pub(in super::super) const DIVIDE_BY_ZERO: u8 = 1 << 3;
    pub(in super::super) const INVALID: u8 = 1 << 4;
}

/// A result: a register value, and the exceptions to accrue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) value: u64,
    pub(super) flags: u8,
}

/// Computes. Operands and result are register values.
pub(super) fn compute(operation: FloatOp, operands: [u64; 3], rounding: Rounding) -> Outcome {
    let [a, b, c] = operands;
    let mut flags = 0;
    let value = match operation {
        FloatOp::Rounded(precision, which) => {
            let format = Format::of(precision);
            let (a, b) = (Number::of(format.unboxed(a), format), Number::of(format.unboxed(b), format));
            let exact = match which {
                Rounded::Add => arithmetic::add(a, b, rounding, &mut flags),
                Rounded::Sub => arithmetic::add(a, b.negated(), rounding, &mut flags),
                Rounded::Mul => arithmetic::multiply(a, b, &mut flags),
                Rounded::Div => arithmetic::divide(a, b, &mut flags),
            };
            format.boxed(round::round(exact, format, rounding, &mut flags))
        }
        FloatOp::Root(precision) => {
            let format = Format::of(precision);
            let exact = arithmetic::root(Number::of(format.unboxed(a), format), &mut flags);
            format.boxed(round::round(exact, format, rounding, &mut flags))
        }
        FloatOp::Fused(precision, which) => {
            let format = Format::of(precision);
            let [a, b, c] = [a, b, c].map(|value| Number::of(format.unboxed(value), format));
            let (a, c) = match which {
                Fused::Madd => (a, c),
                Fused::Msub => (a, c.negated()),
                Fused::Nmsub => (a.negated(), c),
                Fused::Nmadd => (a.negated(), c.negated()),
            };
            let exact = arithmetic::fuse(a, b, c, rounding, &mut flags);
            format.boxed(round::round(exact, format, rounding, &mut flags))
        }
        FloatOp::Select(precision, which) => {
            let format = Format::of(precision);
            let (a, b) = (format.unboxed(a), format.unboxed(b));
            format.boxed(select(which, a, b, format, &mut flags))
        }
        FloatOp::Compare(precision, relation) => {
            let format = Format::of(precision);
            u64::from(look::compare(relation, format.unboxed(a), format.unboxed(b), format, &mut flags))
        }
        FloatOp::Convert(to, from) => {
            let (to, from) = (Format::of(to), Format::of(from));
            let number = Number::of(from.unboxed(a), from).quieted(&mut flags);
            to.boxed(round::round(number, to, rounding, &mut flags))
        }
        FloatOp::ToInteger(precision, integer) => {
            let format = Format::of(precision);
            convert::to_integer(Number::of(format.unboxed(a), format), integer, rounding, &mut flags)
        }
        FloatOp::FromInteger(precision, integer) => {
            let format = Format::of(precision);
            format.boxed(round::round(convert::from_integer(a, integer), format, rounding, &mut flags))
        }
        FloatOp::ToBits(precision, Look::Move) => Format::of(precision).sign_extended(a),
        FloatOp::ToBits(precision, Look::Classify) => {
            let format = Format::of(precision);
            look::classify(format.unboxed(a), format)
        }
        FloatOp::FromBits(precision) => Format::of(precision).boxed(a),
    };
    Outcome { value, flags }
}

fn select(which: Select, a: u64, b: u64, format: Format, flags: &mut u8) -> u64 {
    let sign = format.sign_bit();
    match which {
        Select::Sign => a & !sign | b & sign,
        Select::SignNegated => a & !sign | !b & sign,
        Select::SignXor => a ^ b & sign,
        Select::Min => look::smaller(a, b, format, flags),
        Select::Max => look::larger(a, b, format, flags),
    }
}
