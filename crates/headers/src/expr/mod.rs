//! Expressions.

mod operator;
mod parser;
mod primary;
mod tree;

use crate::token::{Token, TokenKind};
use crate::types::{Model, Type};

pub(crate) use parser::Parser;
pub(crate) use tree::{Expr, ExprKind, Tree};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Plus,
    Minus,
    Not,
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Less,
    LessEq,
    Greater,
    GreaterEq,
    Equal,
    NotEqual,
    And,
    Xor,
    Or,
    LogicalAnd,
    LogicalOr,
    Comma,
}

/// The size of a type, which is its alignment too: the reader knows no classes.
pub(crate) fn bytes(ty: Type, model: Model) -> Option<u32> {
    match ty {
        Type::Int(int) => Some(int.bytes()),
        Type::Enum(of) => Some(of.underlying.bytes()),
        Type::Float(bytes) => Some(u32::from(bytes)),
        Type::Pointer => Some(u32::from(model.pointer) / 8),
        Type::Void | Type::Unknown => None,
    }
}

/// The index of the bracket that closes the one at `open`.
pub(crate) fn closing(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.kind != TokenKind::Punct {
            continue;
        }
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
