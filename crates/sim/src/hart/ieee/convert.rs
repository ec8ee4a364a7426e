//! Integers from and to.

use super::super::float_op::Integer;
use super::flag;
use super::number::Number;
use super::round::Rounding;

/// The integer in a register.
pub(super) fn from_integer(register: u64, integer: Integer) -> Number {
    let value = match integer {
        Integer::I32 => i128::from(register as i32),
        Integer::U32 => i128::from(register as u32),
        Integer::I64 => i128::from(register as i64),
        Integer::U64 => i128::from(register),
    };
    Number::Finite { negative: value < 0, exponent: 0, significand: value.unsigned_abs() }
}

/// A register with the integer, or the nearest one that there is. Words are sign-extended, unsigned ones too.
pub(super) fn to_integer(number: Number, integer: Integer, rounding: Rounding, flags: &mut u8) -> u64 {
    let (least, most) = match integer {
        Integer::I32 => (i128::from(i32::MIN), i128::from(i32::MAX)),
        Integer::U32 => (0, i128::from(u32::MAX)),
        Integer::I64 => (i128::from(i64::MIN), i128::from(i64::MAX)),
        Integer::U64 => (0, i128::from(u64::MAX)),
    };
    let (value, inexact) = match number {
        Number::Nan { .. } | Number::Infinity { negative: false } => (i128::MAX, false),
        Number::Infinity { .. } => (i128::MIN, false),
        // No format has more than 53 bits: with that exponent it is out of all ranges.
        Number::Finite { negative, exponent: 65.., significand: 1.. } => {
            (if negative { i128::MIN } else { i128::MAX }, false)
        }
        Number::Finite { significand: 0, .. } => (0, false),
        Number::Finite { negative, exponent, significand } => {
            let (magnitude, inexact) = rounding.divide(negative, significand, -exponent);
            let magnitude = magnitude as i128;
            (if negative { -magnitude } else { magnitude }, inexact)
        }
    };
    let held = value.clamp(least, most);
    *flags |= match (held == value, inexact) {
        (false, _) => flag::INVALID,
        (true, true) => flag::INEXACT,
        (true, false) => 0,
    };
    match integer {
        Integer::I32 | Integer::U32 => held as i32 as u64,
        Integer::I64 | Integer::U64 => held as u64,
    }
}
