//! `a op b`.

use komorebi_abi::engine::{Opcode as O, Rule, Value};
use komorebi_abi::program::ArgKind as K;
use syn::{BinOp, ExprBinary};

use super::super::Syntax;
use super::super::number::fold;
use super::super::scope::Scope;
use super::tree::{Tree, Type};
use super::typing::{check_range, nested, refuse, unify};
use crate::anchor::Anchor;

pub(super) fn binary(expr: &ExprBinary, anchor: Anchor, depth: u32, scope: &mut Scope<'_>) -> Tree {
    let (a, b) = (nested(&expr.left, depth, scope), nested(&expr.right, depth, scope));
    apply(&expr.op, a, b, anchor, scope)
}

/// `a op b` of trees; of `a op= b` the operation.
pub(crate) fn apply(op: &BinOp, a: Tree, b: Tree, anchor: Anchor, scope: &mut Scope<'_>) -> Tree {
    use BinOp as B;
    if let (Some(x), Some(y)) = (a.int(), b.int())
        && let Some(value) = fold(op, x, y)
    {
        return Tree::leaf(Value::Int(value), Type::Int, anchor);
    }
    match op {
        B::Add(_) | B::AddAssign(_) => arithmetic(O::Add, O::FAdd, a, b, anchor, scope),
        B::Sub(_) | B::SubAssign(_) => arithmetic(O::Sub, O::FSub, a, b, anchor, scope),
        B::Mul(_) | B::MulAssign(_) => arithmetic(O::Mul, O::FMul, a, b, anchor, scope),
        B::BitAnd(_) | B::BitAndAssign(_) => bits(O::And, a, b, anchor, scope),
        B::BitOr(_) | B::BitOrAssign(_) => bits(O::Or, a, b, anchor, scope),
        B::BitXor(_) | B::BitXorAssign(_) => bits(O::Xor, a, b, anchor, scope),
        B::Shl(_) | B::ShlAssign(_) => shift(O::Shl, O::Shl, a, b, anchor, scope),
        B::Shr(_) | B::ShrAssign(_) => shift(O::Shr, O::Sar, a, b, anchor, scope),
        B::Eq(_) => compare([O::Eq, O::Eq, O::FEq], a, b, anchor, scope),
        B::Ne(_) => compare([O::Ne, O::Ne, O::FNe], a, b, anchor, scope),
        B::Lt(_) => compare([O::LtU, O::Lt, O::FLt], a, b, anchor, scope),
        B::Le(_) => compare([O::LeU, O::Le, O::FLe], a, b, anchor, scope),
        B::Gt(_) => compare([O::GtU, O::Gt, O::FGt], a, b, anchor, scope),
        B::Ge(_) => compare([O::GeU, O::Ge, O::FGe], a, b, anchor, scope),
        B::And(_) => logical(O::And, "&&", a, b, anchor, scope),
        B::Or(_) => logical(O::Or, "||", a, b, anchor, scope),
        _ => {
            let divides = matches!(op, B::Div(_) | B::DivAssign(_));
            let help = match b.int() {
                _ if a.ty.is_float() || b.ty.is_float() => {
                    "multiply by the reciprocal, or let a handler divide".to_owned()
                }
                Some(by) if by > 0 && by & (by - 1) == 0 && !a.ty.is_signed() => match divides {
                    true => format!("shift: `>> {}`", by.trailing_zeros()),
                    false => format!("mask: `& {}`", by - 1),
                },
                _ => "let a handler divide, and take its result".to_owned(),
            };
            refuse(Syntax::Field, anchor, "the dispatcher has no division", &help, scope)
        }
    }
}

/// `+`, `-`, `*`: of u32, i32 or f32; an address or a core moves by a u32.
fn arithmetic(int: O, float: O, a: Tree, b: Tree, anchor: Anchor, scope: &mut Scope<'_>) -> Tree {
    let moves = matches!(int, O::Add | O::Sub);
    let by = |ty: Type| matches!(ty, Type::Int | Type::Word(K::U32) | Type::Any);
    if let Type::Word(K::Address | K::Core) = a.ty
        && moves
        && by(b.ty)
    {
        let (ty, b) = (a.ty, check_range(b, Type::Word(K::U32), scope));
        return Tree::op(int, vec![a, b], ty, anchor);
    }
    let Some((a, b)) = unify(a, b, "both sides", scope) else { return Tree::refused(anchor) };
    let ty = if matches!(a.ty, Type::Any | Type::Int | Type::Float) { b.ty } else { a.ty };
    match ty {
        ty if ty.is_float() => Tree::op(float, vec![a, b], Type::Word(K::F32), anchor),
        Type::Any | Type::Int | Type::Word(K::U32 | K::I32) => Tree::op(int, vec![a, b], ty, anchor),
        ty => {
            let text = format!("this computes with u32, i32 or f32, and is given {}", ty.name());
            refuse(Rule::ArgType, anchor, &text, "convert it first: `as u32`", scope)
        }
    }
}

fn bits(op: O, a: Tree, b: Tree, anchor: Anchor, scope: &mut Scope<'_>) -> Tree {
    let Some((a, b)) = unify(a, b, "both sides", scope) else { return Tree::refused(anchor) };
    let ty = if matches!(a.ty, Type::Any | Type::Int) { b.ty } else { a.ty };
    if ty.is_float() {
        return refuse(
            Rule::ArgType,
            anchor,
            "this computes with integers, and is given f32",
            "take its bits: `x.to_bits()`",
            scope,
        );
    }
    Tree::op(op, vec![a, b], ty, anchor)
}

fn logical(op: O, sign: &str, a: Tree, b: Tree, anchor: Anchor, scope: &mut Scope<'_>) -> Tree {
    for side in [&a, &b] {
        if !matches!(side.ty, Type::Bool | Type::Any) {
            let text = format!("`{sign}` joins truths, and this is {}", side.ty.name());
            let zero = if side.ty.is_float() { "0.0" } else { "0" };
            return refuse(
                Rule::ArgType,
                side.anchor,
                &text,
                &format!("compare it, as in `x != {zero}`"),
                scope,
            );
        }
    }
    Tree::op(op, vec![a, b], Type::Bool, anchor)
}

fn shift(unsigned: O, signed: O, a: Tree, b: Tree, anchor: Anchor, scope: &mut Scope<'_>) -> Tree {
    if !matches!(a.ty, Type::Int | Type::Any | Type::Word(K::U32 | K::I32)) {
        let text = format!("integers are shifted, and this is {}", a.ty.name());
        return refuse(Rule::ArgType, a.anchor, &text, "convert it first: `as u32`", scope);
    }
    if !matches!(b.ty, Type::Int | Type::Any | Type::Word(K::U32 | K::I32)) {
        let text = format!("a shift is by an integer, and this is {}", b.ty.name());
        return refuse(Rule::ArgType, b.anchor, &text, "convert it first: `as u32`", scope);
    }
    if let Some(by) = b.int()
        && !(0..32).contains(&by)
    {
        let text = format!("a shift by {by}: a word has 32 bits");
        return refuse(Rule::ArgType, b.anchor, &text, "shift by 0 to 31", scope);
    }
    let ty = a.ty;
    Tree::op(if ty.is_signed() { signed } else { unsigned }, vec![a, b], ty, anchor)
}

/// The operations of u32, i32 and f32.
fn compare(ops: [O; 3], a: Tree, b: Tree, anchor: Anchor, scope: &mut Scope<'_>) -> Tree {
    let Some((a, b)) = unify(a, b, "both sides", scope) else { return Tree::refused(anchor) };
    let float = a.ty.is_float() || b.ty.is_float();
    let signed = a.ty.is_signed() || b.ty.is_signed();
    let op = if float { ops[2] } else { ops[usize::from(signed)] };
    Tree::op(op, vec![a, b], Type::Bool, anchor)
}
