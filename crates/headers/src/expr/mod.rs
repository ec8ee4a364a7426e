//! Expressions: the tree. Operators of one level stand in a flat chain, so that the depth of the tree is bounded by nesting,
//! which is limited.

mod operator;
mod parser;
mod primary;

use crate::location::Place;
use crate::scope::Name;
use crate::token::{Token, TokenKind};
use crate::types::{Model, Type, Typed};

pub(crate) use parser::Parser;

/// An expression and its place.
///
/// Small on the stack, because the parser recurses.
#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) kind: Box<ExprKind>,
    pub(crate) place: Place,
}

impl Expr {
    pub(super) fn new(kind: ExprKind, place: Place) -> Expr {
        Expr { kind: Box::new(kind), place }
    }
}

#[derive(Debug)]
pub(crate) enum ExprKind {
    Literal(Typed),
    Name(Name),
    Unary(UnaryOp, Expr),
    /// `a op b op c`, from left to right.
    Chain(Expr, Vec<(BinaryOp, Place, Expr)>),
    Conditional([Expr; 3]),
    /// To the type; in braces (`T{x}`) when true. Without operand the value is zero.
    Cast(Type, Option<Expr>, bool),
    SizeOf(Expr),
    AlignOf(Expr),
    /// `std::to_underlying(e)`
    Underlying(Expr),
    /// What is C++ but not evaluated here, with the reason.
    Opaque(&'static str),
}

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
pub(crate) fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.kind != TokenKind::Punct {
            continue;
        }
        match &*token.text {
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
