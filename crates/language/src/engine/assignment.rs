//! `register = value` and `register += value`.

use komorebi_abi::engine::Rule;
use komorebi_abi::program::ArgKind;
use quote::ToTokens;
use syn::{BinOp, Expr};

use super::expression::{Tree, Type, apply, check_range, convert, tree, with_point};
use super::number::name_of;
use super::scope::Scope;
use crate::anchor::Anchor;
use crate::errors::Message;

/// An assignment, its value not yet held against the type of what it writes.
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) target: Anchor,
    pub(crate) value: Tree,
}

/// The assignment that an expression is. `Ok(None)`: it was refused; `Err`: it is none.
pub(crate) fn parse_assignment(expr: &Expr, scope: &mut Scope<'_>) -> Result<Option<Assignment>, ()> {
    let (left, value) = match expr {
        Expr::Assign(assign) => (&*assign.left, tree(&assign.right, scope)),
        Expr::Binary(binary) if is_assignment(&binary.op) => {
            if name_of(&binary.left).is_none() {
                refuse_target(&binary.left, scope);
                return Ok(None);
            }
            let (left, right) = (tree(&binary.left, scope), tree(&binary.right, scope));
            (&*binary.left, apply(&binary.op, left, right, Anchor::of(expr), scope))
        }
        _ => return Err(()),
    };
    let Some(name) = name_of(left) else {
        refuse_target(left, scope);
        return Ok(None);
    };
    Ok(Some(Assignment { name, target: Anchor::of(left), value }))
}

fn refuse_target(left: &Expr, scope: &mut Scope<'_>) {
    let text = format!("`{}` is no register to write", left.to_token_stream());
    scope.syntax(Anchor::of(left), text, "write a register's name on the left, as in `total = total + 1;`");
    scope.gaps = true;
}

fn is_assignment(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

/// A value for variable `to`: refused if its type is another, at both ends.
pub(crate) fn fit(value: Tree, to: u32, scope: &mut Scope<'_>) -> Tree {
    let Some(variable) = scope.variables.get(to as usize) else { return value };
    let label = variable.label(to);
    if scope.doubtful.contains(&to) || variable.ty == Some(ArgKind::U64) {
        return value;
    }
    let Some(kind) = variable.ty else {
        if value.ty.is_float() && variable.name.as_deref() == Some("again") {
            let text = "`again` is a truth or an integer, and is given f32".to_owned();
            let message =
                Message::new(Rule::VariableType, text).help("compare it, as in `again = error > 0.1`");
            scope.errors.push(value.anchor, &message);
            return Tree::refused(value.anchor);
        }
        return value;
    };
    let wanted = Type::Word(kind);
    let integers = matches!(kind, ArgKind::U32 | ArgKind::I32);
    match value.ty {
        Type::Any => return value,
        Type::Int if !matches!(kind, ArgKind::F32 | ArgKind::Bf16Pair | ArgKind::U16Pair) => {
            return check_range(value, wanted, scope);
        }
        Type::Float if kind == ArgKind::F32 => return value,
        Type::Bool if integers => return value,
        ty if ty == wanted => return value,
        _ => {}
    }
    let given = value.ty.name();
    let help = with_point(&value, wanted)
        .or_else(|| convert(&value, wanted))
        .unwrap_or_else(|| format!("give it a value of type {}, or declare {label} as `u32`", wanted.name()));
    let text = format!("{label} is {}, and is given {given}", wanted.name());
    scope.errors.push(value.anchor, &Message::new(Rule::VariableType, text).help(help));
    let declared = scope.variable_anchor(to);
    let text = format!("the other end: {label} is declared here");
    scope.errors.end(declared, &Message::new(Rule::VariableType, text));
    Tree::refused(value.anchor)
}

/// A value for a place of type `kind`, which has no declaration in this body. What stands in a register as it is, the shared
/// check compares.
pub(crate) fn fit_word(value: Tree, kind: ArgKind, what: &str, scope: &mut Scope<'_>) -> Tree {
    if !value.is_computed() {
        return value;
    }
    let wanted = Type::Word(kind);
    let fits = match value.ty {
        Type::Any | Type::Int => kind != ArgKind::F32,
        Type::Float => kind == ArgKind::F32,
        Type::Bool => matches!(kind, ArgKind::U32 | ArgKind::I32),
        ty => ty == wanted,
    };
    if fits || value.ty == Type::Any {
        return value;
    }
    let text = format!("{what} is {}, and is given {}", wanted.name(), value.ty.name());
    let help =
        convert(&value, wanted).unwrap_or_else(|| format!("give it a value of type {}", wanted.name()));
    scope.errors.push(value.anchor, &Message::new(Rule::ArgType, text).help(help));
    Tree::refused(value.anchor)
}
