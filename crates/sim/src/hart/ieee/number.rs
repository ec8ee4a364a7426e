//! Formats, and the exact numbers that their bits stand for.

use super::super::float_op::Precision;
use super::flag;

/// A binary interchange format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Format {
    /// Bits of the exponent.
    pub(super) exponent: u32,
    /// Bits of the fraction, without the leading one.
    pub(super) fraction: u32,
}

impl Format {
    pub(super) fn of(precision: Precision) -> Self {
        match precision {
            Precision::Half => Self { exponent: 5, fraction: 10 },
            Precision::Single => Self { exponent: 8, fraction: 23 },
            Precision::Double => Self { exponent: 11, fraction: 52 },
        }
    }

    fn bits(self) -> u32 {
        1 + self.exponent + self.fraction
    }

    /// The bits of a register that are the value's.
    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    pub(super) fn sign_bit(self) -> u64 {
        1 << (self.bits() - 1)
    }

    /// The exponent field of infinities and of what is not a number.
    pub(super) fn last_exponent(self) -> u64 {
        (1 << self.exponent) - 1
    }

    pub(super) fn infinity(self) -> u64 {
        self.last_exponent() << self.fraction
    }

    /// The one result that is not a number.
    pub(super) fn canonical_nan(self) -> u64 {
        self.infinity() | self.quiet_bit()
    }

    pub(super) fn quiet_bit(self) -> u64 {
        1 << (self.fraction - 1)
    }

    /// The exponent of the lowest bit of subnormal numbers.
    pub(super) fn least_exponent(self) -> i32 {
        let bias = (1 << (self.exponent - 1)) - 1;
        1 - bias - self.fraction as i32
    }

    /// The value in a register: its low bits, when those above are ones.
    pub(super) fn unboxed(self, register: u64) -> u64 {
        match register | self.mask() {
            u64::MAX => register & self.mask(),
            _ => self.canonical_nan(),
        }
    }

    /// A register that holds the value.
    pub(super) fn boxed(self, bits: u64) -> u64 {
        bits | !self.mask()
    }

    /// The low bits of a register as a signed integer.
    pub(super) fn sign_extended(self, register: u64) -> u64 {
        let above = 64 - self.bits();
        ((register << above) as i64 >> above) as u64
    }
}

/// What bits stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Number {
    Nan {
        signalling: bool,
    },
    Infinity {
        negative: bool,
    },
    /// `significand * 2^exponent`; a zero has significand 0. Of a result, the lowest bit may stand for all below it.
    Finite {
        negative: bool,
        exponent: i32,
        significand: u128,
    },
}

impl Number {
    pub(super) const NAN: Self = Self::Nan { signalling: false };

    pub(super) fn of(bits: u64, format: Format) -> Self {
        let negative = bits & format.sign_bit() != 0;
        let fraction = bits & ((1 << format.fraction) - 1);
        let exponent = bits >> format.fraction & format.last_exponent();
        match (exponent, fraction) {
            (0, _) => {
                Self::Finite { negative, exponent: format.least_exponent(), significand: fraction.into() }
            }
            (last, 0) if last == format.last_exponent() => Self::Infinity { negative },
            (last, _) if last == format.last_exponent() => {
                Self::Nan { signalling: fraction & format.quiet_bit() == 0 }
            }
            _ => Self::Finite {
                negative,
                exponent: format.least_exponent() + exponent as i32 - 1,
                significand: (fraction | 1 << format.fraction).into(),
            },
        }
    }

    pub(super) fn negated(self) -> Self {
        match self {
            Self::Nan { .. } => self,
            Self::Infinity { negative } => Self::Infinity { negative: !negative },
            Self::Finite { negative, exponent, significand } => {
                Self::Finite { negative: !negative, exponent, significand }
            }
        }
    }

    /// The same, quiet: a signalling one is an invalid operand.
    pub(super) fn quieted(self, flags: &mut u8) -> Self {
        if self == (Self::Nan { signalling: true }) {
            *flags |= flag::INVALID;
            return Self::NAN;
        }
        self
    }

    pub(super) fn is_nan(self) -> bool {
        matches!(self, Self::Nan { .. })
    }
}
