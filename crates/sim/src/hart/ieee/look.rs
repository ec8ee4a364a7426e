//! Comparisons, the smaller and the larger, and classes.

use super::super::float_op::Relation;
use super::flag;
use super::number::{Format, Number};

/// An integer in the order of the numbers; both zeros differ.
fn order(bits: u64, format: Format) -> i64 {
    let magnitude = (bits & !format.sign_bit()) as i64;
    match bits & format.sign_bit() {
        0 => magnitude,
        _ => -1 - magnitude,
    }
}

fn is_zero(bits: u64, format: Format) -> bool {
    bits & !format.sign_bit() == 0
}

/// Compares; false when one is not a number. Only equality lets a quiet one pass.
pub(super) fn compare(relation: Relation, a: u64, b: u64, format: Format, flags: &mut u8) -> bool {
    let numbers = [a, b].map(|bits| Number::of(bits, format));
    if numbers.iter().any(|number| number.is_nan()) {
        let signals = numbers.contains(&Number::Nan { signalling: true });
        if signals || relation != Relation::Eq {
            *flags |= flag::INVALID;
        }
        return false;
    }
    let equal = a == b || is_zero(a, format) && is_zero(b, format);
    match relation {
        Relation::Eq => equal,
        Relation::Le => equal || order(a, format) < order(b, format),
        Relation::Lt => !equal && order(a, format) < order(b, format),
    }
}

pub(super) fn smaller(a: u64, b: u64, format: Format, flags: &mut u8) -> u64 {
    choose(a, b, format, flags, |a, b| a <= b)
}

pub(super) fn larger(a: u64, b: u64, format: Format, flags: &mut u8) -> u64 {
    choose(a, b, format, flags, |a, b| a >= b)
}

/// The operand that is a number, else the one chosen by their order.
fn choose(a: u64, b: u64, format: Format, flags: &mut u8, first: impl Fn(i64, i64) -> bool) -> u64 {
    let nan = |bits| Number::of(bits, format).quieted(flags).is_nan();
    match [a, b].map(nan) {
        [true, true] => format.canonical_nan(),
        [true, false] => b,
        [false, true] => a,
        _ if first(order(a, format), order(b, format)) => a,
        _ => b,
    }
}

/// The class as a bit: from negative infinity (0) over numbers to positive infinity (7), signalling (8), quiet (9).
pub(super) fn classify(bits: u64, format: Format) -> u64 {
    let negative = bits & format.sign_bit() != 0;
    let magnitude = bits & !format.sign_bit();
    let normal = magnitude >> format.fraction != 0;
    let class = match Number::of(bits, format) {
        Number::Nan { signalling } => return 1 << if signalling { 8 } else { 9 },
        Number::Infinity { .. } => 0,
        Number::Finite { .. } if normal => 1,
        Number::Finite { significand: 1.., .. } => 2,
        Number::Finite { .. } => 3,
    };
    1 << if negative { class } else { 7 - class }
}
