//! Numbers that are known while the crate is built: literals, constants of the body, constants of the program's header.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::{BinOp, Expr, ExprLit, Lit, UnOp};

use super::Syntax;
use super::scope::Scope;
use crate::anchor::Anchor;
use crate::errors::Message;

/// The number that an expression is; `what` is what it is for. After an error, `None`.
pub(crate) fn number(expr: &Expr, what: &str, scope: &mut Scope<'_>) -> Option<i128> {
    match expr {
        Expr::Group(group) => number(&group.expr, what, scope),
        Expr::Paren(paren) => number(&paren.expr, what, scope),
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. })
            if matches!(literal.suffix(), "" | "u32" | "i32" | "u64") =>
        {
            let read = literal.base10_parse().ok();
            if read.is_none() {
                let text = format!("`{literal}`, given for {what}, is beyond every type");
                scope.errors.push(
                    Anchor::of(expr),
                    &Message::new(Syntax::Number, text)
                        .help("write a smaller number: words have 32 bits, and `u64` arguments 64"),
                );
            }
            read
        }
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            let value = number(&unary.expr, what, scope)?.checked_neg();
            if value.is_none() {
                no_value(expr, what, scope);
            }
            value
        }
        Expr::Binary(binary) => {
            let (left, right) = (number(&binary.left, what, scope), number(&binary.right, what, scope));
            let value = fold(&binary.op, left?, right?);
            if value.is_none() {
                no_value(expr, what, scope);
            }
            value
        }
        Expr::Path(path) => match name_of(expr) {
            Some(name) => named(&name, Anchor::of(path), what, scope),
            None => {
                unknown(&written(path), Anchor::of(path), what, scope);
                None
            }
        },
        _ => {
            let text = format!("expected a number for {what}");
            let help = match crate::value::Value::of(expr).quoted_number() {
                Some(number) => format!("write it without quotes: `{number}`"),
                None => "write a literal, or the name of a constant".to_owned(),
            };
            scope.errors.push(Anchor::of(expr), &Message::new(Syntax::Number, text).help(help));
            None
        }
    }
}

fn no_value(expr: &Expr, what: &str, scope: &mut Scope<'_>) {
    let text = format!("this has no value, given for {what}");
    let help =
        "compute with `+`, `-`, `*`, `/`, `%`, `<<`, `>>`, `&`, `|`, `^`, not by zero, and in 128 bits";
    scope.errors.push(Anchor::of(expr), &Message::new(Syntax::Number, text).help(help));
}

/// An expression without the brackets around it, and without those that a macro's argument brings, which nobody sees.
pub(crate) fn peeled(mut expr: &Expr) -> &Expr {
    loop {
        expr = match expr {
            Expr::Group(group) => &group.expr,
            Expr::Paren(paren) => &paren.expr,
            other => return other,
        };
    }
}

/// `a op b` of numbers.
pub(crate) fn fold(op: &BinOp, a: i128, b: i128) -> Option<i128> {
    let shift = u32::try_from(b).ok().filter(|shift| *shift < 64);
    match op {
        BinOp::Add(_) => a.checked_add(b),
        BinOp::Sub(_) => a.checked_sub(b),
        BinOp::Mul(_) => a.checked_mul(b),
        BinOp::Div(_) => a.checked_div(b),
        BinOp::Rem(_) => a.checked_rem(b),
        BinOp::Shl(_) => a.checked_mul(1_i128 << shift?),
        BinOp::Shr(_) => Some(a >> shift?),
        BinOp::BitAnd(_) => Some(a & b),
        BinOp::BitOr(_) => Some(a | b),
        BinOp::BitXor(_) => Some(a ^ b),
        _ => None,
    }
}

/// A plain name.
pub(crate) fn name_of(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Group(group) => name_of(&group.expr),
        Expr::Path(path) if path.qself.is_none() => {
            path.path.get_ident().map(|ident: &Ident| ident.unraw().to_string())
        }
        _ => None,
    }
}

/// A path as the user wrote it.
pub(crate) fn written(path: &syn::ExprPath) -> String {
    quote::ToTokens::to_token_stream(path).to_string().replace(' ', "")
}

fn named(name: &str, anchor: Anchor, what: &str, scope: &mut Scope<'_>) -> Option<i128> {
    if let Some(number) = scope.known_number(name) {
        return Some(number);
    }
    // One whose declaration was refused is no news; one that is no number is.
    if scope.is_broken(name) {
        return None;
    }
    if let Some(id) = scope.variable(name) {
        let text = format!("`{name}` is not known until the {} runs, and is given for {what}", scope.noun);
        let help = "write a number, or declare it as a constant";
        scope.errors.push(anchor, &Message::new(Syntax::Number, text).help(help));
        let declared = scope.variable_anchor(id);
        scope.errors.end(declared, &Message::new(Syntax::Number, format!("`{name}` is declared here")));
        return None;
    }
    unknown(name, anchor, what, scope);
    None
}

fn unknown(name: &str, anchor: Anchor, what: &str, scope: &mut Scope<'_>) {
    if scope.refuse_begun(name, anchor) {
        return;
    }
    let text = format!("`{name}`, given for {what}, is no number that the macro knows");
    let message = Message::new(Syntax::Number, text);
    let message = match scope.nearest_number(name) {
        Some(near) => message.help(format!("did you mean {near}?")),
        None => message.help(scope.constant_advice(name)),
    };
    scope.errors.push(anchor, &message);
}
