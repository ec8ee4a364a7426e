//! What an atomic memory instruction makes of the old value.

use crate::hart::{AmoOp, Width};

/// The new value, in the low bytes of the result.
pub(crate) fn apply(op: AmoOp, width: Width, old: u64, operand: u64) -> u64 {
    let (signed_old, signed_operand, old, operand) = match width {
        Width::Double => (old as i64, operand as i64, old, operand),
        _ => (
            i64::from(old as i32),
            i64::from(operand as i32),
            u64::from(old as u32),
            u64::from(operand as u32),
        ),
    };
    match op {
        AmoOp::Swap => operand,
        AmoOp::Add => old.wrapping_add(operand),
        AmoOp::Xor => old ^ operand,
        AmoOp::And => old & operand,
        AmoOp::Or => old | operand,
        AmoOp::Min => signed_old.min(signed_operand) as u64,
        AmoOp::Max => signed_old.max(signed_operand) as u64,
        AmoOp::Minu => old.min(operand),
        AmoOp::Maxu => old.max(operand),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_compare_by_their_own_sign() {
        assert_eq!(apply(AmoOp::Min, Width::Word, 0xffff_ffff, 1) as u32, 0xffff_ffff);
        assert_eq!(apply(AmoOp::Minu, Width::Word, 0xffff_ffff, 1), 1);
        assert_eq!(apply(AmoOp::Max, Width::Double, u64::MAX, 1), 1);
        assert_eq!(apply(AmoOp::Maxu, Width::Word, 0xffff_ffff, 0xdead_beef_0000_0001), 0xffff_ffff);
        assert_eq!(apply(AmoOp::Add, Width::Word, 0xffff_ffff, 2) as u32, 1);
    }
}
