//! Binary operators with C++'s precedence.

use super::BinaryOp;
use crate::token::{Token, TokenKind};

/// The binary operator that a token is, with how tightly it binds.
pub(super) fn binary_operator(token: &Token<'_>) -> Option<(BinaryOp, u8)> {
    if token.kind != TokenKind::Punct {
        return None;
    }
    // Bytes: one look at the length and one at each byte, also in a debug build of the macros.
    Some(match token.text.as_bytes() {
        [b'*'] => (BinaryOp::Mul, 11),
        [b'/'] => (BinaryOp::Div, 11),
        [b'%'] => (BinaryOp::Rem, 11),
        [b'+'] => (BinaryOp::Add, 10),
        [b'-'] => (BinaryOp::Sub, 10),
        [b'<', b'<'] => (BinaryOp::Shl, 9),
        [b'>', b'>'] => (BinaryOp::Shr, 9),
        [b'<'] => (BinaryOp::Less, 8),
        [b'<', b'='] => (BinaryOp::LessEq, 8),
        [b'>'] => (BinaryOp::Greater, 8),
        [b'>', b'='] => (BinaryOp::GreaterEq, 8),
        [b'=', b'='] => (BinaryOp::Equal, 7),
        [b'!', b'='] => (BinaryOp::NotEqual, 7),
        [b'&'] => (BinaryOp::And, 6),
        [b'^'] => (BinaryOp::Xor, 5),
        [b'|'] => (BinaryOp::Or, 4),
        [b'&', b'&'] => (BinaryOp::LogicalAnd, 3),
        [b'|', b'|'] => (BinaryOp::LogicalOr, 2),
        _ => return None,
    })
}

/// The loosest binary operator.
pub(super) const LOOSEST: u8 = 2;
