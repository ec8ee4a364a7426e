//! Sums, products, quotients and roots, exact but for a sticky lowest bit far below what is kept.

use super::flag;
use super::number::Number;
use super::round::Rounding;

/// The highest bit of an aligned significand: one above it is free for a carry.
const TOP: u32 = 125;

/// True when one of the operands is not a number; signalling ones are noted.
fn quiet(operands: [Number; 2], flags: &mut u8) -> bool {
    let [a, b] = operands.map(|operand| operand.quieted(flags).is_nan());
    a || b
}

fn invalid(flags: &mut u8) -> Number {
    *flags |= flag::INVALID;
    Number::NAN
}

/// The significand with its leading one at the bit `top`, and its exponent.
fn aligned(significand: u128, exponent: i32, top: u32) -> (u128, i32) {
    let shift = significand.leading_zeros() as i32 - (127 - top as i32);
    match shift {
        0.. => (significand << shift, exponent - shift),
        // Not reached: no operand has more bits than `top`. Bits that do not fit would be sticky.
        _ => (sticky_shift(significand, shift.unsigned_abs()), exponent - shift),
    }
}

/// Shifts right; the lowest bit stands for those shifted out.
fn sticky_shift(value: u128, by: u32) -> u128 {
    match by {
        0 => value,
        1..=127 => value >> by | u128::from(value << (128 - by) != 0),
        _ => u128::from(value != 0),
    }
}

pub(super) fn add(a: Number, b: Number, rounding: Rounding, flags: &mut u8) -> Number {
    use Number::{Finite, Infinity};
    if quiet([a, b], flags) {
        return Number::NAN;
    }
    match (a, b) {
        (Infinity { negative }, Infinity { negative: other }) if negative != other => invalid(flags),
        (Infinity { .. }, _) => a,
        (_, Infinity { .. }) => b,
        (
            Finite { negative, exponent, significand },
            Finite { negative: negative_b, exponent: exponent_b, significand: significand_b },
        ) => match (significand, significand_b) {
            (0, 0) if negative == negative_b => a,
            (0, 0) => zero_sum(rounding),
            (0, _) => b,
            (_, 0) => a,
            _ => sum((negative, exponent, significand), (negative_b, exponent_b, significand_b), rounding),
        },
        _ => Number::NAN,
    }
}

/// The zero that a difference of equals is.
fn zero_sum(rounding: Rounding) -> Number {
    Number::Finite { negative: rounding == Rounding::Down, exponent: 0, significand: 0 }
}

/// Neither is 0.
fn sum(a: (bool, i32, u128), b: (bool, i32, u128), rounding: Rounding) -> Number {
    let align = |(negative, exponent, significand): (bool, i32, u128)| {
        let (significand, exponent) = aligned(significand, exponent, TOP);
        (negative, exponent, significand)
    };
    let (mut large, mut small) = (align(a), align(b));
    if (small.1, small.2) > (large.1, large.2) {
        std::mem::swap(&mut large, &mut small);
    }
    let (negative, exponent, significand) = large;
    let other = sticky_shift(small.2, exponent.abs_diff(small.1));
    let significand = match negative == small.0 {
        true => significand + other,
        false => significand - other,
    };
    match significand {
        0 => zero_sum(rounding),
        _ => Number::Finite { negative, exponent, significand },
    }
}

pub(super) fn multiply(a: Number, b: Number, flags: &mut u8) -> Number {
    use Number::{Finite, Infinity};
    if quiet([a, b], flags) {
        return Number::NAN;
    }
    match (a, b) {
        (
            Finite { negative, exponent, significand },
            Finite { negative: negative_b, exponent: exponent_b, significand: significand_b },
        ) => Finite {
            negative: negative != negative_b,
            exponent: exponent + exponent_b,
            significand: significand * significand_b,
        },
        (Infinity { .. }, Finite { significand: 0, .. })
        | (Finite { significand: 0, .. }, Infinity { .. }) => invalid(flags),
        _ => Infinity { negative: is_negative(a) != is_negative(b) },
    }
}

fn is_negative(number: Number) -> bool {
    match number {
        Number::Nan { .. } => false,
        Number::Infinity { negative } | Number::Finite { negative, .. } => negative,
    }
}

pub(super) fn divide(a: Number, b: Number, flags: &mut u8) -> Number {
    use Number::{Finite, Infinity};
    if quiet([a, b], flags) {
        return Number::NAN;
    }
    let negative = is_negative(a) != is_negative(b);
    match (a, b) {
        (Infinity { .. }, Infinity { .. })
        | (Finite { significand: 0, .. }, Finite { significand: 0, .. }) => invalid(flags),
        (Infinity { .. }, _) => Infinity { negative },
        (_, Finite { significand: 0, .. }) => {
            *flags |= flag::DIVIDE_BY_ZERO;
            Infinity { negative }
        }
        (
            Finite { exponent, significand, .. },
            Finite { exponent: exponent_b, significand: significand_b, .. },
        ) if significand != 0 => {
            // 128 bits by 64 bits leave more than 63 of a quotient.
            let (dividend, exponent) = aligned(significand, exponent, 127);
            let (divisor, exponent_b) = aligned(significand_b, exponent_b, 63);
            let sticky = u128::from(dividend % divisor != 0);
            let significand = (dividend / divisor) << 1 | sticky;
            Finite { negative, exponent: exponent - exponent_b - 1, significand }
        }
        _ => Finite { negative, exponent: 0, significand: 0 },
    }
}

pub(super) fn root(a: Number, flags: &mut u8) -> Number {
    match a.quieted(flags) {
        Number::Finite { significand: 0, .. } | Number::Nan { .. } | Number::Infinity { negative: false } => {
            a
        }
        Number::Infinity { .. } | Number::Finite { negative: true, .. } => invalid(flags),
        Number::Finite { exponent, significand, .. } => {
            // The exponent is even.
            let (significand, exponent) = match aligned(significand, exponent, 126) {
                (significand, exponent) if exponent % 2 == 0 => (significand, exponent),
                (significand, exponent) => (significand << 1, exponent - 1),
            };
            let root = significand.isqrt();
            let sticky = u128::from(root * root != significand);
            Number::Finite { negative: false, exponent: exponent / 2 - 1, significand: root << 1 | sticky }
        }
    }
}

/// `a * b + c`.
pub(super) fn fuse(a: Number, b: Number, c: Number, rounding: Rounding, flags: &mut u8) -> Number {
    // An infinity times 0 is invalid even when the sum is not a number for the sake of `c`.
    let product = multiply(a, b, flags);
    add(product, c, rounding, flags)
}
