//! The one rounding of an operation.

use super::flag;
use super::number::{Format, Number};

/// A rounding mode, as in frm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Rounding {
    NearestEven,
    TowardZero,
    Down,
    Up,
    NearestAway,
}

impl Rounding {
    /// The mode of an instruction's `rm` field, which may be that of `frm`; none when it is reserved.
    pub(in super::super) fn new(field: i32, frm: u64) -> Option<Self> {
        let mode = if field == 7 { frm } else { field as u64 };
        Some(match mode {
            0 => Self::NearestEven,
            1 => Self::TowardZero,
            2 => Self::Down,
            3 => Self::Up,
            4 => Self::NearestAway,
            _ => return None,
        })
    }

    /// True when what is left rounds an infinite magnitude to infinity, and not to the largest number.
    fn overflows(self, negative: bool) -> bool {
        match self {
            Self::NearestEven | Self::NearestAway => true,
            Self::TowardZero => false,
            Self::Down => negative,
            Self::Up => !negative,
        }
    }

    /// Divides the magnitude by `2^shift`; gives the integer, and whether that was inexact.
    pub(super) fn divide(self, negative: bool, magnitude: u128, shift: i32) -> (u128, bool) {
        if shift <= 0 {
            return (magnitude << -shift, false);
        }
        // Beyond all bits only that there is something matters.
        let (magnitude, shift) = match shift {
            1..=127 => (magnitude, shift as u32),
            _ => (u128::from(magnitude != 0), 127),
        };
        let whole = magnitude >> shift;
        let rest = magnitude & ((1 << shift) - 1);
        let half = 1 << (shift - 1);
        let up = match self {
            Self::NearestEven => rest > half || rest == half && whole & 1 == 1,
            Self::NearestAway => rest >= half,
            Self::TowardZero => false,
            Self::Down => negative && rest != 0,
            Self::Up => !negative && rest != 0,
        };
        (whole + u128::from(up), rest != 0)
    }
}

/// The bits of the number in the format.
pub(super) fn round(number: Number, format: Format, rounding: Rounding, flags: &mut u8) -> u64 {
    let sign = |negative: bool| if negative { format.sign_bit() } else { 0 };
    let (negative, exponent, significand) = match number {
        Number::Nan { .. } => return format.canonical_nan(),
        Number::Infinity { negative } => return sign(negative) | format.infinity(),
        Number::Finite { negative, significand: 0, .. } => return sign(negative),
        Number::Finite { negative, exponent, significand } => (negative, exponent, significand),
    };
    let precision = format.fraction as i32 + 1;
    let least = format.least_exponent();
    // The exponent of the lowest bit that is kept, if exponents had no end.
    let unbounded = exponent + (128 - significand.leading_zeros() as i32) - precision;
    let kept = unbounded.max(least);
    let (rounded, inexact) = rounding.divide(negative, significand, kept - exponent);
    if inexact {
        *flags |= flag::INEXACT;
        let tiny = || {
            let (rounded, _) = rounding.divide(negative, significand, unbounded - exponent);
            unbounded < least - 1 || rounded < 1 << precision
        };
        if unbounded < least && tiny() {
            *flags |= flag::UNDERFLOW;
        }
    }
    // The leading one of a normal number, or a carry out of the significand, adds 1 to the exponent.
    let bits = ((kept - least) as u128) << format.fraction;
    let bits = bits + rounded;
    if bits >= u128::from(format.infinity()) {
        *flags |= flag::OVERFLOW | flag::INEXACT;
        let largest = format.infinity() - u64::from(!rounding.overflows(negative));
        return sign(negative) | largest;
    }
    sign(negative) | bits as u64
}
