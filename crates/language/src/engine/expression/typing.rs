//! From `syn::Expr` to a typed tree.

use komorebi_abi::engine::{Opcode, Ref, Rule, Value};
use komorebi_abi::program::ArgKind;
use syn::{Expr, UnOp};

use super::super::Syntax;
use super::super::scope::Scope;
use super::super::value::plain_value;
use super::binary::binary;
use super::cast::{cast, function, method};
use super::conversion::convert_either;
use super::tree::{Tree, TreeShape, Type};
use crate::anchor::Anchor;
use crate::errors::Message;

/// Expressions inside each other; more would overflow the stack of whoever walks them.
const DEPTH: u32 = 64;

/// The tree of an expression. What is refused is reported, and fits everywhere.
pub(crate) fn tree(expr: &Expr, scope: &mut Scope<'_>) -> Tree {
    nested(expr, 0, scope)
}

/// The same, `depth` expressions deep.
pub(super) fn nested(expr: &Expr, depth: u32, scope: &mut Scope<'_>) -> Tree {
    let anchor = Anchor::of(expr);
    if depth > DEPTH && !matches!(expr, Expr::Lit(_) | Expr::Path(_)) {
        return refuse(
            Syntax::Field,
            anchor,
            "this expression has too many parts inside each other",
            "compute a part of it into a register first",
            scope,
        );
    }
    let depth = depth + 1;
    match expr {
        Expr::Group(group) => nested(&group.expr, depth, scope),
        Expr::Paren(paren) => nested(&paren.expr, depth, scope),
        Expr::Binary(expr) => binary(expr, anchor, depth, scope),
        Expr::Unary(unary) => {
            if let Some(value) = matches!(unary.op, UnOp::Neg(_)).then(|| plain_value(expr, scope)).flatten()
            {
                return leaf(value, anchor, scope);
            }
            let inner = nested(&unary.expr, depth, scope);
            match unary.op {
                UnOp::Neg(_) => negated(inner, anchor, scope),
                UnOp::Not(_) => inverted(inner, anchor, scope),
                _ => refuse(Syntax::Field, anchor, "a word points to nothing", "remove the `*`", scope),
            }
        }
        Expr::Cast(expr) => cast(nested(&expr.expr, depth, scope), &expr.ty, anchor, scope),
        Expr::MethodCall(call) => {
            let receiver = nested(&call.receiver, depth, scope);
            let args: Vec<Tree> = call.args.iter().map(|arg| nested(arg, depth, scope)).collect();
            method(receiver, &call.method, args, anchor, scope)
        }
        Expr::Call(call) => {
            let args: Vec<Tree> = call.args.iter().map(|arg| nested(arg, depth, scope)).collect();
            function(&call.func, args, anchor, scope)
        }
        Expr::If(_) => choice(expr, depth, scope),
        Expr::Block(block) if block.label.is_none() && block.attrs.is_empty() => {
            inner(&block.block, depth, scope)
        }
        _ => match plain_value(expr, scope) {
            Some(value) => leaf(value, anchor, scope),
            None => {
                let help = "values are numbers, names, `+ - * & | ^ << >>`, comparisons, `as`, `.min(..)`, `.max(..)`, and `if c { a } else { b }`";
                refuse(Syntax::Field, anchor, "the dispatcher does not compute this", help, scope)
            }
        },
    }
}

/// A condition: a truth, or a word that counts as true when it is not 0.
pub(crate) fn condition(expr: &Expr, scope: &mut Scope<'_>) -> Tree {
    let before = scope.lost_values;
    let found = match assigned(expr) {
        Some(anchor) => {
            let help = "write `==` to compare; a register is written by a step of its own";
            refuse(Syntax::Field, anchor, "a condition compares, and `=` writes", help, scope)
        }
        None => tree(expr, scope),
    };
    let found = truth(found, scope);
    scope.lost_choices |= scope.lost_values != before;
    found
}

/// `x = 3` where `x == 3` was meant.
fn assigned(expr: &Expr) -> Option<Anchor> {
    match expr {
        Expr::Paren(paren) => assigned(&paren.expr),
        Expr::Assign(assign) => Some(Anchor::of(assign.eq_token)),
        _ => None,
    }
}

/// A tree as a condition. `x != 0` is `x` itself.
fn truth(found: Tree, scope: &mut Scope<'_>) -> Tree {
    match found.ty {
        Type::Bool | Type::Any | Type::Int | Type::Word(ArgKind::U32 | ArgKind::I32) => {}
        ty => {
            let help = if ty.is_float() {
                "compare it, as in `x != 0.0`"
            } else {
                "compare it, as in `x as u32 != 0`"
            };
            let text = format!("a condition is a comparison or an integer, and this is {}", ty.name());
            return refuse(Rule::ArgType, found.anchor, &text, help, scope);
        }
    }
    match found.shape {
        TreeShape::Op(Opcode::Ne, mut kids)
            if kids.len() == 2
                && matches!(kids[1].shape, TreeShape::Leaf(Value::Int(0)))
                && matches!(kids[0].ty, Type::Word(ArgKind::U32 | ArgKind::I32)) =>
        {
            kids.swap_remove(0)
        }
        shape => Tree { shape, ..found },
    }
}

fn leaf(value: Value, anchor: Anchor, scope: &Scope<'_>) -> Tree {
    let ty = match &value {
        Value::Int(_) => Type::Int,
        Value::Float(_) => Type::Float,
        Value::Typed(kind, _) => Type::Word(*kind),
        Value::Word(_) => Type::Any,
        Value::Variable(Ref::Id(id)) if scope.doubtful.contains(id) => Type::Any,
        // A variable of 64 bits is refused where it is declared.
        Value::Variable(Ref::Id(id)) if scope.variables[*id as usize].ty == Some(ArgKind::U64) => Type::Any,
        Value::Variable(Ref::Id(id)) => scope.variables[*id as usize].ty.map_or(Type::Any, Type::Word),
        Value::Variable(Ref::Named(_)) => Type::Any,
    };
    Tree::leaf(value, ty, anchor)
}

fn negated(inner: Tree, anchor: Anchor, scope: &mut Scope<'_>) -> Tree {
    match inner.ty {
        Type::Any => inner,
        Type::Word(ArgKind::I32) => {
            let zero = Tree::leaf(Value::Int(0), Type::Int, anchor);
            Tree::op(Opcode::Sub, vec![zero, inner], Type::Word(ArgKind::I32), anchor)
        }
        // The sign is a bit: 0.0 - x would lose that of a zero.
        Type::Word(ArgKind::F32) => {
            let sign = Tree::leaf(Value::Word(1 << 31), Type::Any, anchor);
            Tree::op(Opcode::Xor, vec![inner, sign], Type::Word(ArgKind::F32), anchor)
        }
        Type::Int if inner.int().is_some() => match inner.int().and_then(i128::checked_neg) {
            Some(number) => Tree::leaf(Value::Int(number), Type::Int, anchor),
            None => {
                let help = "write a smaller number: words have 32 bits";
                refuse(Syntax::Number, anchor, "this number is beyond every type", help, scope)
            }
        },
        ty => {
            let text = format!("`-` negates i32 and f32, and this is {}", ty.name());
            refuse(Rule::ArgType, anchor, &text, "convert it first, as in `-(x as i32)`", scope)
        }
    }
}

fn inverted(inner: Tree, anchor: Anchor, scope: &mut Scope<'_>) -> Tree {
    let ty = inner.ty;
    match ty {
        Type::Any => inner,
        Type::Bool => {
            let zero = Tree::leaf(Value::Int(0), Type::Int, anchor);
            Tree::op(Opcode::Eq, vec![inner, zero], Type::Bool, anchor)
        }
        Type::Word(ArgKind::U32 | ArgKind::I32) => {
            let ones = Tree::leaf(Value::Word(u32::MAX), Type::Any, anchor);
            Tree::op(Opcode::Xor, vec![inner, ones], ty, anchor)
        }
        ty => {
            let text = format!("`!` inverts truths and integers, and this is {}", ty.name());
            refuse(Rule::ArgType, anchor, &text, "compare it first, as in `!(x < 1.0)`", scope)
        }
    }
}

/// `if c { a } else { b }`: both are computed, one is taken.
fn choice(expr: &Expr, depth: u32, scope: &mut Scope<'_>) -> Tree {
    let anchor = Anchor::of(expr);
    let Expr::If(choice) = expr else { return Tree::refused(anchor) };
    if depth > DEPTH {
        return nested(expr, depth, scope);
    }
    let condition = nested(&choice.cond, depth, scope);
    let condition = truth(condition, scope);
    let then = inner(&choice.then_branch, depth, scope);
    let Some((_, other)) = &choice.else_branch else {
        let help = "add `else { .. }`: a value is needed in any case";
        return refuse(Syntax::Field, anchor, "this `if` has a value on one way only", help, scope);
    };
    let other = nested(other, depth, scope);
    match unify(then, other, "the two values of this `if`", scope) {
        Some((then, other)) => {
            let ty = if then.ty == Type::Any { other.ty } else { then.ty };
            Tree::op(Opcode::Select, vec![condition, then, other], ty, anchor)
        }
        None => Tree::refused(anchor),
    }
}

/// The value of a block of one expression.
fn inner(block: &syn::Block, depth: u32, scope: &mut Scope<'_>) -> Tree {
    match block.stmts.as_slice() {
        [syn::Stmt::Expr(expr, None)] => nested(expr, depth, scope),
        _ => {
            let help = "write one value without `;`, as in `if c { a } else { b }`";
            refuse(Syntax::Field, Anchor::of(block), "a block inside an expression is one value", help, scope)
        }
    }
}

/// Two trees as one type: a literal takes that of the other. After an error, `None`.
pub(super) fn unify(a: Tree, b: Tree, what: &str, scope: &mut Scope<'_>) -> Option<(Tree, Tree)> {
    let (a, b) = (fit(a, b.ty), b);
    let b = fit(b, a.ty);
    let same = match (a.ty, b.ty) {
        (Type::Any, _) | (_, Type::Any) => true,
        (Type::Int, Type::Word(kind)) | (Type::Word(kind), Type::Int) => {
            !matches!(kind, ArgKind::F32 | ArgKind::Bf16Pair | ArgKind::U16Pair | ArgKind::U64)
        }
        (x, y) => x == y,
    };
    if same {
        let (a, b) = (check_range(a, b.ty, scope), b);
        let b = check_range(b, a.ty, scope);
        return Some((a, b));
    }
    let called = |tree: &Tree| match &tree.shape {
        TreeShape::Leaf(Value::Variable(Ref::Id(id))) => {
            scope.variables.get(*id as usize).map(|variable| variable.label(*id))
        }
        _ => None,
    };
    let is = |tree: &Tree, place: &str| {
        format!("{} is {}", called(tree).unwrap_or_else(|| place.to_owned()), tree.ty.name())
    };
    let text = format!("{what} need one type: {}, and {}", is(&a, "the first"), is(&b, "the second"));
    let help = convert_either(&a, &b);
    let anchor = b.anchor;
    scope.errors.push(anchor, &Message::new(Rule::ArgType, text).help(help));
    None
}

/// A literal with the type of what it meets.
fn fit(tree: Tree, other: Type) -> Tree {
    match (tree.ty, other) {
        (Type::Float, Type::Word(ArgKind::F32)) => tree.with_type(other),
        _ => tree,
    }
}

/// Refuses an integer literal that does not fit the type it meets, and gives it that type.
pub(crate) fn check_range(tree: Tree, ty: Type, scope: &mut Scope<'_>) -> Tree {
    let (Some(number), Type::Word(kind)) = (tree.int(), ty) else { return tree };
    let fits = match kind {
        ArgKind::I32 => i32::try_from(number).is_ok(),
        _ => u32::try_from(number).is_ok(),
    };
    if fits {
        return tree.with_type(ty);
    }
    let text = format!("{number} does not fit {}", ty.name());
    let help =
        if kind == ArgKind::I32 { "i32 holds -2147483648 to 2147483647" } else { "it holds 0 to 4294967295" };
    refuse(Rule::ArgType, tree.anchor, &text, help, scope)
}

/// Reports, and gives what fits everywhere.
pub(super) fn refuse(
    rule: impl crate::errors::Coded,
    anchor: Anchor,
    text: &str,
    help: &str,
    scope: &mut Scope<'_>,
) -> Tree {
    scope.errors.push(anchor, &Message::new(rule, text).help(help));
    scope.lost_values += 1;
    Tree::refused(anchor)
}
