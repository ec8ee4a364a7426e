//! What the arithmetic instructions compute, apart from how they are run.
//!
//! Arguments and results are register values as [`Xlen`] keeps them. All are small enough to be inlined into the loop.

#![allow(
    clippy::extra_unused_type_parameters,
    reason = "the executor's macro calls every operation as f::<X>"
)]

use super::isa::Xlen;

/// `fn name(a, b) = expression` for each operation; `X` is the register width.
macro_rules! operations {
    ($($name:ident($a:ident $(, $b:ident)?) = $value:expr;)*) => {
        $(
            #[inline(always)]
            pub(super) fn $name<X: Xlen>($a: u64 $(, $b: u64)?) -> u64 {
                $value
            }
        )*
    };
}

operations! {
    add(a, b) = X::canonical(a.wrapping_add(b));
    sub(a, b) = X::canonical(a.wrapping_sub(b));
    sll(a, b) = X::canonical(a << shift::<X>(b));
    slt(a, b) = u64::from((a as i64) < b as i64);
    sltu(a, b) = u64::from(a < b);
    xor(a, b) = a ^ b;
    srl(a, b) = X::canonical(X::unsigned(a) >> shift::<X>(b));
    sra(a, b) = (a as i64 >> shift::<X>(b)) as u64;
    or(a, b) = a | b;
    and(a, b) = a & b;
    sh1add(a, b) = X::canonical((a << 1).wrapping_add(b));
    sh2add(a, b) = X::canonical((a << 2).wrapping_add(b));
    sh3add(a, b) = X::canonical((a << 3).wrapping_add(b));
    andn(a, b) = a & !b;
    orn(a, b) = a | !b;
    xnor(a, b) = !(a ^ b);
    min(a, b) = (a as i64).min(b as i64) as u64;
    minu(a, b) = a.min(b);
    max(a, b) = (a as i64).max(b as i64) as u64;
    maxu(a, b) = a.max(b);
    rol(a, b) = match X::BITS {
        32 => rolw::<X>(a, b),
        _ => a.rotate_left(shift::<X>(b)),
    };
    ror(a, b) = match X::BITS {
        32 => rorw::<X>(a, b),
        _ => a.rotate_right(shift::<X>(b)),
    };
    addw(a, b) = word(a.wrapping_add(b) as u32);
    subw(a, b) = word(a.wrapping_sub(b) as u32);
    sllw(a, b) = word((a as u32) << (b & 31));
    srlw(a, b) = word(a as u32 >> (b & 31));
    sraw(a, b) = (a as i32 >> (b & 31)) as u64;
    add_uw(a, b) = low(a).wrapping_add(b);
    sh1add_uw(a, b) = (low(a) << 1).wrapping_add(b);
    sh2add_uw(a, b) = (low(a) << 2).wrapping_add(b);
    sh3add_uw(a, b) = (low(a) << 3).wrapping_add(b);
    slli_uw(a, b) = low(a) << (b & 63);
    rolw(a, b) = word((a as u32).rotate_left((b & 31) as u32));
    rorw(a, b) = word((a as u32).rotate_right((b & 31) as u32));

    clz(a) = u64::from(X::unsigned(a).leading_zeros() - (64 - X::BITS));
    ctz(a) = u64::from(X::unsigned(a).trailing_zeros().min(X::BITS));
    cpop(a) = u64::from(X::unsigned(a).count_ones());
    clzw(a) = u64::from((a as u32).leading_zeros());
    ctzw(a) = u64::from((a as u32).trailing_zeros());
    cpopw(a) = u64::from((a as u32).count_ones());
    sext_b(a) = a as i8 as u64;
    sext_h(a) = a as i16 as u64;
    zext_h(a) = u64::from(a as u16);
    orc_b(a) = X::canonical(u64::from_le_bytes(a.to_le_bytes().map(|byte| if byte == 0 { 0 } else { 0xff })));
    rev8(a) = X::canonical(a.swap_bytes() >> (64 - X::BITS));
    brev8(a) = X::canonical(u64::from_le_bytes(a.to_le_bytes().map(u8::reverse_bits)));
    pack(a, b) = word(u32::from(a as u16) | (b as u32) << 16);

    mul(a, b) = X::canonical(a.wrapping_mul(b));
    mulh(a, b) = high::<X>(i128::from(a as i64), i128::from(b as i64));
    mulhsu(a, b) = high::<X>(i128::from(a as i64), i128::from(X::unsigned(b)));
    mulhu(a, b) = X::canonical(((u128::from(X::unsigned(a)) * u128::from(X::unsigned(b))) >> X::BITS) as u64);
    mulw(a, b) = word((a as u32).wrapping_mul(b as u32));

    div(a, b) = match b {
        0 => u64::MAX,
        _ => X::canonical((a as i64).wrapping_div(b as i64) as u64),
    };
    divu(a, b) = X::canonical(X::unsigned(a).checked_div(X::unsigned(b)).unwrap_or(u64::MAX));
    rem(a, b) = match b {
        0 => a,
        _ => (a as i64).wrapping_rem(b as i64) as u64,
    };
    remu(a, b) = X::canonical(X::unsigned(a).checked_rem(X::unsigned(b)).unwrap_or(a));
    divw(a, b) = match b as i32 {
        0 => u64::MAX,
        b => (a as i32).wrapping_div(b) as u64,
    };
    divuw(a, b) = word((a as u32).checked_div(b as u32).unwrap_or(u32::MAX));
    remw(a, b) = match b as i32 {
        0 => a as i32 as u64,
        b => (a as i32).wrapping_rem(b) as u64,
    };
    remuw(a, b) = word((a as u32).checked_rem(b as u32).unwrap_or(a as u32));
}

/// The conditions of the branches.
macro_rules! conditions {
    ($($name:ident($a:ident, $b:ident) = $value:expr;)*) => {
        $(
            #[inline(always)]
            pub(super) fn $name($a: u64, $b: u64) -> bool {
                $value
            }
        )*
    };
}

conditions! {
    eq(a, b) = a == b;
    ne(a, b) = a != b;
    lt(a, b) = (a as i64) < b as i64;
    ge(a, b) = a as i64 >= b as i64;
    ltu(a, b) = a < b;
    geu(a, b) = a >= b;
}

/// Significant bits of a signed dividend; none when the division is a special case.
pub(super) fn signed<X: Xlen>(a: u64, b: u64) -> Option<u32> {
    let overflow = a == X::canonical(1 << (X::BITS - 1)) && b == u64::MAX;
    (b > 1 && !overflow).then(|| 64 - (a as i64).unsigned_abs().leading_zeros())
}

/// Significant bits of an unsigned dividend; none when the division is a special case.
pub(super) fn unsigned<X: Xlen>(a: u64, b: u64) -> Option<u32> {
    (b > 1).then(|| 64 - X::unsigned(a).leading_zeros())
}

/// [`signed`] for the low words of double registers.
pub(super) fn signed_word<X: Xlen>(a: u64, b: u64) -> Option<u32> {
    signed::<super::isa::Rv32>(word(a as u32), word(b as u32))
}

/// [`unsigned`] for the low words of double registers.
pub(super) fn unsigned_word<X: Xlen>(a: u64, b: u64) -> Option<u32> {
    unsigned::<super::isa::Rv32>(low(a), low(b))
}

#[inline(always)]
fn shift<X: Xlen>(by: u64) -> u32 {
    by as u32 & (X::BITS - 1)
}

#[inline(always)]
fn word(bits: u32) -> u64 {
    bits as i32 as u64
}

#[inline(always)]
fn low(a: u64) -> u64 {
    u64::from(a as u32)
}

#[inline(always)]
fn high<X: Xlen>(a: i128, b: i128) -> u64 {
    X::canonical(((a * b) >> X::BITS) as u64)
}
