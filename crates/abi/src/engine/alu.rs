//! What the binary and unary instructions compute: `engine_alu.h` in Rust. A test compares the two.

use super::Opcode;
use crate::constants::stream::FLOAT_NAN;

/// A binary32 result: every NaN is the one of `stream.h`.
fn float(value: f32) -> u32 {
    if value.is_nan() { FLOAT_NAN } else { value.to_bits() }
}

/// What a binary operation makes of `a` and `b`; `None` for an operation of another shape.
pub fn binary(op: Opcode, a: u32, b: u32) -> Option<u32> {
    let (x, y) = (a.cast_signed(), b.cast_signed());
    let (f, g) = (f32::from_bits(a), f32::from_bits(b));
    Some(match op {
        Opcode::Add => a.wrapping_add(b),
        Opcode::Sub => a.wrapping_sub(b),
        Opcode::Mul => a.wrapping_mul(b),
        Opcode::Min => x.min(y).cast_unsigned(),
        Opcode::Max => x.max(y).cast_unsigned(),
        Opcode::MinU => a.min(b),
        Opcode::MaxU => a.max(b),
        Opcode::And => a & b,
        Opcode::Or => a | b,
        Opcode::Xor => a ^ b,
        Opcode::Shl => a.wrapping_shl(b),
        Opcode::Shr => a.wrapping_shr(b),
        Opcode::Sar => x.wrapping_shr(b).cast_unsigned(),
        Opcode::Eq => u32::from(a == b),
        Opcode::Ne => u32::from(a != b),
        Opcode::Lt => u32::from(x < y),
        Opcode::Le => u32::from(x <= y),
        Opcode::Gt => u32::from(x > y),
        Opcode::Ge => u32::from(x >= y),
        Opcode::LtU => u32::from(a < b),
        Opcode::LeU => u32::from(a <= b),
        Opcode::GtU => u32::from(a > b),
        Opcode::GeU => u32::from(a >= b),
        Opcode::FAdd => float(f + g),
        Opcode::FSub => float(f - g),
        Opcode::FMul => float(f * g),
        Opcode::FEq => u32::from(f == g),
        Opcode::FNe => u32::from(f != g),
        Opcode::FLt => u32::from(f < g),
        Opcode::FLe => u32::from(f <= g),
        Opcode::FGt => u32::from(f > g),
        Opcode::FGe => u32::from(f >= g),
        _ => return None,
    })
}

/// What a unary operation makes of `b`; `None` for an operation of another shape.
pub fn unary(op: Opcode, b: u32) -> Option<u32> {
    Some(match op {
        Opcode::Move => b,
        Opcode::FFromI => float(b.cast_signed() as f32),
        Opcode::FFromU => float(b as f32),
        Opcode::IFromF => (f32::from_bits(b) as i32).cast_unsigned(),
        Opcode::UFromF => f32::from_bits(b) as u32,
        _ => return None,
    })
}
