//! The baby cores' floating point: binary32 on the datapath of the SFPU, which is not IEEE 754's (tensix.md §2,
//! compute.md §4; judged by what ttsim does, docs/judges.md).
//!
//! Everything arithmetic is one operation, `a * b + c`:
//!
//! - a subnormal operand of it is a zero, and a result below the least normal number becomes a zero with the result's sign;
//! - the product is reduced to 24 bits and three more, the last of which says whether anything was lost, before `c` is added: it
//!   is fused, but not exactly; a term that the other one shifts out altogether leaves no trace;
//! - a product whose exponent is too large is an infinity, whatever is added; one whose exponent is negative is nothing;
//! - rounding is to nearest, ties to even, always; a NaN result is always the same.
//!
//! Comparisons, minimum and maximum, sign injection and classes are RISC-V's: they see subnormals as they are. Conversions
//! to integers round to nearest, too. No source tells of flags.

use super::float_op::{FloatOp, Fused, Integer, Look, Precision, Relation, Rounded, Select};

/// The NaN that every operation gives that gives one.
const NAN: u32 = 0x7fc0_0000;
const INFINITY: u32 = 0x7f80_0000;
const ONE: u32 = 0x3f80_0000;
const SIGN: u32 = 1 << 31;
/// The bit of a significand that a normal number implies.
const HIDDEN: u32 = 1 << 23;
const FRACTION: u32 = HIDDEN - 1;
const EXPONENT_MAX: i32 = 255;
const BIAS: i32 = 127;
/// Bits that a sum keeps below a significand: two that round, and one that says whether there was more.
const GUARD: u32 = 3;

/// What an operation gives of the registers' bits; none for one that the cores do not have.
pub(super) fn compute(operation: FloatOp, [a, b, c]: [u32; 3]) -> Option<u32> {
    const SINGLE: Precision = Precision::Single;
    Some(match operation {
        FloatOp::Rounded(SINGLE, Rounded::Add) => fused(a, ONE, b),
        FloatOp::Rounded(SINGLE, Rounded::Sub) => fused(a, ONE, b ^ SIGN),
        // Plus a zero of the product's sign, so that a product of zero keeps it.
        FloatOp::Rounded(SINGLE, Rounded::Mul) => fused(a, b, (a ^ b) & SIGN),
        FloatOp::Fused(SINGLE, Fused::Madd) => fused(a, b, c),
        FloatOp::Fused(SINGLE, Fused::Msub) => fused(a, b, c ^ SIGN),
        FloatOp::Fused(SINGLE, Fused::Nmsub) => fused(a ^ SIGN, b, c),
        FloatOp::Fused(SINGLE, Fused::Nmadd) => fused(a ^ SIGN, b, c ^ SIGN),
        FloatOp::Select(SINGLE, select) => selected(select, a, b),
        FloatOp::Compare(SINGLE, relation) => u32::from(compared(relation, a, b)),
        FloatOp::ToInteger(SINGLE, Integer::I32) => to_signed(a),
        FloatOp::ToInteger(SINGLE, Integer::U32) => to_unsigned(a),
        FloatOp::FromInteger(SINGLE, Integer::I32) => from_signed(a),
        FloatOp::FromInteger(SINGLE, Integer::U32) => from_unsigned(a),
        FloatOp::ToBits(SINGLE, Look::Classify) => class(a),
        FloatOp::ToBits(SINGLE, Look::Move) | FloatOp::FromBits(SINGLE) => a,
        _ => return None,
    })
}

/// True when the instruction's rounding mode is one that the cores take: the dynamic one for arithmetic, for conversions to
/// nearest, too.
pub(super) fn takes_mode(operation: FloatOp, mode: i32) -> bool {
    match operation {
        FloatOp::Rounded(..) | FloatOp::Fused(..) => mode == 7,
        FloatOp::ToInteger(..) | FloatOp::FromInteger(..) => mode == 7 || mode == 0,
        _ => true,
    }
}

/// A number's parts: the exponent biased, the significand with its hidden bit. A subnormal's significand is 0.
#[derive(Clone, Copy)]
struct Parts {
    negative: bool,
    exponent: i32,
    significand: u32,
}

impl Parts {
    fn of(bits: u32) -> Self {
        let exponent = (bits >> 23 & 0xff) as i32;
        let significand = if exponent == 0 { 0 } else { bits & FRACTION | HIDDEN };
        Self { negative: bits & SIGN != 0, exponent, significand }
    }

    fn is_special(self) -> bool {
        self.exponent == EXPONENT_MAX
    }

    fn is_nan(self) -> bool {
        self.is_special() && self.significand != HIDDEN
    }

    fn is_zero(self) -> bool {
        self.significand == 0
    }
}

fn with_sign(negative: bool, magnitude: u32) -> u32 {
    magnitude | u32::from(negative) << 31
}

/// `bits` shifted right, the last bit left also telling of those that were lost, unless nothing else is left.
fn shift_out(bits: u32, by: u32) -> u32 {
    let kept = bits.checked_shr(by).unwrap_or(0);
    match kept {
        0 => 0,
        _ => kept | u32::from(kept << by != bits),
    }
}

/// `a * b + c`.
fn fused(a: u32, b: u32, c: u32) -> u32 {
    let (x, y, z) = (Parts::of(a), Parts::of(b), Parts::of(c));
    let negative = x.negative != y.negative;
    let exponent = x.exponent + y.exponent - BIAS;
    if x.is_special() || y.is_special() || z.is_special() || exponent >= EXPONENT_MAX {
        let infinite = x.is_special() || y.is_special();
        let invalid = x.is_nan()
            || y.is_nan()
            || z.is_nan()
            || infinite && (x.is_zero() || y.is_zero() || z.is_special() && z.negative != negative);
        return match () {
            () if invalid => NAN,
            () if z.is_special() => c,
            () => with_sign(negative, INFINITY),
        };
    }
    let whole = u64::from(x.significand) * u64::from(y.significand);
    if whole == 0 || exponent < 0 {
        return if z.is_zero() { with_sign(negative && z.negative, 0) } else { c };
    }
    // 48 bits, of which 24, the guard bits and perhaps one in front are kept.
    const LOST: u32 = 23 - GUARD;
    let product = (whole >> LOST) as u32 | u32::from(whole & ((1 << LOST) - 1) != 0);
    let addend = z.significand << GUARD;

    let common = exponent.max(z.exponent);
    let product = shift_out(product, (common - exponent) as u32);
    let addend = shift_out(addend, (common - z.exponent) as u32);
    let is_negative = if product >= addend { negative } else { z.negative };
    let sum = if negative == z.negative { product + addend } else { product.abs_diff(addend) };
    match sum {
        0 => with_sign(negative && z.negative, 0),
        _ => rounded(is_negative, common, sum),
    }
}

/// The number nearest to `sum`, whose hidden bit would be at 23 + [`GUARD`] when `exponent` is its exponent.
fn rounded(negative: bool, exponent: i32, sum: u32) -> u32 {
    let mut excess = (31 - sum.leading_zeros()) as i32 - (23 + GUARD) as i32;
    let mut exponent = exponent + excess;
    if exponent >= EXPONENT_MAX {
        return with_sign(negative, INFINITY);
    }
    if exponent <= 0 {
        // Without a hidden bit: normal again if rounding brings it there, else a zero.
        excess += 1;
        exponent = 0;
    }
    let sum = match u32::try_from(excess) {
        Ok(by) => shift_out(sum, by),
        Err(_) => sum << -excess,
    };
    let magnitude = ((exponent as u32) << 23) + (sum >> GUARD & FRACTION);
    let tail = sum & ((1 << GUARD) - 1);
    let magnitude = magnitude + u32::from(tail + (magnitude & 1) > 1 << (GUARD - 1));
    with_sign(negative, if magnitude < HIDDEN { 0 } else { magnitude })
}

fn is_nan(bits: u32) -> bool {
    bits & !SIGN > INFINITY
}

/// A number's place in the order of all that are no NaN; the two zeros have one place.
fn place(bits: u32) -> i32 {
    let magnitude = (bits & !SIGN) as i32;
    if bits & SIGN == 0 { magnitude } else { -magnitude }
}

/// The places of both, when neither is a NaN.
fn ordered(a: u32, b: u32) -> Option<(i32, i32)> {
    (!is_nan(a) && !is_nan(b)).then(|| (place(a), place(b)))
}

fn compared(relation: Relation, a: u32, b: u32) -> bool {
    ordered(a, b).is_some_and(|(a, b)| match relation {
        Relation::Eq => a == b,
        Relation::Lt => a < b,
        Relation::Le => a <= b,
    })
}

fn selected(select: Select, a: u32, b: u32) -> u32 {
    match select {
        Select::Sign => a & !SIGN | b & SIGN,
        Select::SignNegated => a & !SIGN | !b & SIGN,
        Select::SignXor => a ^ b & SIGN,
        // -0 is below +0.
        Select::Min => chosen(a, b, a | b, |x, y| x < y),
        Select::Max => chosen(a, b, a & b, |x, y| x > y),
    }
}

/// Of two numbers the one that `first` says of their places, `same` when it is one place; of a number and a NaN the number.
fn chosen(a: u32, b: u32, same: u32, first: fn(i32, i32) -> bool) -> u32 {
    match ordered(a, b) {
        Some((x, y)) if x == y => same,
        Some((x, y)) if first(x, y) => a,
        Some(_) => b,
        None if !is_nan(a) => a,
        None if !is_nan(b) => b,
        None => NAN,
    }
}

/// The class, one bit of ten, as RISC-V numbers them.
fn class(a: u32) -> u32 {
    let fraction = a & FRACTION;
    let mirrored = match (a >> 23 & 0xff, fraction) {
        (255, 0) => (0, 7),
        (255, _) => {
            let quiet = if fraction >> 22 != 0 { 9 } else { 8 };
            (quiet, quiet)
        }
        (0, 0) => (3, 4),
        (0, _) => (2, 5),
        _ => (1, 6),
    };
    1 << if a & SIGN != 0 { mirrored.0 } else { mirrored.1 }
}

/// The integer nearest to the magnitude of what is no NaN, ties to even; 2^32 for all that is no less.
fn integer(a: u32) -> u64 {
    let Parts { exponent, significand, .. } = Parts::of(a);
    let significand = u64::from(significand);
    match exponent - BIAS - 23 {
        9.. => 1 << 32,
        up @ 0.. => significand << up,
        down => {
            // Two bits more than there are bring all of it below a half.
            let by = (-down).min(25) as u32;
            let (whole, rest, half) = (significand >> by, significand & ((1 << by) - 1), 1 << (by - 1));
            whole + u64::from(rest > half || rest == half && whole & 1 == 1)
        }
    }
}

fn to_signed(a: u32) -> u32 {
    let magnitude = integer(a);
    match a & SIGN != 0 && !is_nan(a) {
        true => (magnitude.min(1 << 31) as u32).wrapping_neg(),
        false => magnitude.min(i32::MAX as u64) as u32,
    }
}

fn to_unsigned(a: u32) -> u32 {
    match a & SIGN != 0 && !is_nan(a) {
        true => 0,
        false => integer(a).min(u64::from(u32::MAX)) as u32,
    }
}

fn from_signed(a: u32) -> u32 {
    with_sign((a as i32) < 0, from_unsigned((a as i32).unsigned_abs()))
}

/// An integer is never below the least normal number: its nearest is IEEE 754's.
fn from_unsigned(a: u32) -> u32 {
    (a as f32).to_bits()
}
