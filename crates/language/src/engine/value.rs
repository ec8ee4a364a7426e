//! Arguments: literals, pairs, names. What must be computed first belongs into a cpu node.

use std::fmt::Display;

use half::bf16;
use komorebi_abi::engine::Value;
use komorebi_abi::program::ArgKind;
use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::{Expr, ExprLit, Lit, UnOp};

use super::Syntax;
use super::number::{name_of, number, peeled, written};
use super::primitive::primitive_advice;
use super::scope::Scope;
use crate::anchor::Anchor;
use crate::errors::Message;

/// The value that an argument is, if it needs no computing.
pub(crate) fn plain_value(expr: &Expr, scope: &mut Scope<'_>) -> Option<Value> {
    match expr {
        Expr::Group(group) => plain_value(&group.expr, scope),
        Expr::Paren(paren) => plain_value(&paren.expr, scope),
        Expr::Lit(ExprLit { lit, .. }) => literal(lit, false, Anchor::of(expr), scope),
        Expr::Unary(_) => {
            let (lit, negative) = signed_literal(expr).filter(|(lit, _)| !matches!(lit, Lit::Bool(_)))?;
            literal(lit, negative, Anchor::of(expr), scope)
        }
        Expr::Array(array) => pair(array, scope),
        Expr::Path(path) => Some(match name_of(expr) {
            Some(name) => scope.value_named(&name, Anchor::of(path)),
            None => scope.value_named(&written(path), Anchor::of(path)),
        }),
        _ => None,
    }
}

/// The literal behind brackets and signs, and whether they make it negative.
fn signed_literal(expr: &Expr) -> Option<(&Lit, bool)> {
    match peeled(expr) {
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            signed_literal(&unary.expr).map(|(lit, negative)| (lit, !negative))
        }
        Expr::Lit(ExprLit { lit, .. }) => Some((lit, false)),
        _ => None,
    }
}

/// The value of a single token.
pub(crate) fn token_value(tokens: &TokenStream, anchor: Anchor, scope: &mut Scope<'_>) -> Option<Value> {
    let mut tokens = tokens.clone().into_iter();
    let (token, None) = (tokens.next()?, tokens.next()) else { return None };
    match token {
        TokenTree::Literal(token) => literal(&Lit::new(token), false, anchor, scope),
        TokenTree::Ident(name) => match name.unraw().to_string().as_str() {
            "true" | "false" | "self" | "_" => None,
            name => Some(scope.value_named(name, anchor)),
        },
        _ => None,
    }
}

/// A literal. `None` is no error: another reader may know it.
fn literal(lit: &Lit, negative: bool, anchor: Anchor, scope: &mut Scope<'_>) -> Option<Value> {
    match lit {
        Lit::Int(int) => {
            let kind = match int.suffix() {
                "" => None,
                "u32" => Some(ArgKind::U32),
                "i32" => Some(ArgKind::I32),
                "u64" => Some(ArgKind::U64),
                "f32" => return Some(float(int, int.base10_digits(), true, negative, anchor, scope)),
                other => return Some(refuse_suffix(int, other, anchor, scope)),
            };
            let Ok(number) = int.base10_parse::<i128>() else {
                let text = format!("`{int}` does not fit a word");
                scope.errors.push(anchor, &Message::new(Syntax::Number, text).help("write a smaller number"));
                return Some(Value::Word(0));
            };
            let number = if negative { -number } else { number };
            match kind {
                None => Some(Value::Int(number)),
                Some(kind) => Some(match typed(number, kind) {
                    Some(bits) => Value::Typed(kind, bits),
                    None => {
                        let text = format!("{number} does not fit `{}`", int.suffix());
                        scope.errors.push(
                            anchor,
                            &Message::new(Syntax::Number, text).help("write a number in range"),
                        );
                        Value::Word(0)
                    }
                }),
            }
        }
        Lit::Float(lit) => Some(match lit.suffix() {
            "" => float(lit, lit.base10_digits(), false, negative, anchor, scope),
            "f32" => float(lit, lit.base10_digits(), true, negative, anchor, scope),
            other => refuse_suffix(lit, other, anchor, scope),
        }),
        Lit::Bool(truth) if !negative => Some(Value::Int(truth.value.into())),
        _ => None,
    }
}

fn refuse_suffix(lit: &impl Display, suffix: &str, anchor: Anchor, scope: &mut Scope<'_>) -> Value {
    let text = format!("`{lit}` has type `{suffix}`, which a command cannot carry");
    let help = "write it without the suffix: it then takes the type of its place";
    scope.errors.push(anchor, &Message::new(Syntax::Type, text).help(help));
    Value::Word(0)
}

/// The f32 nearest to a literal's digits; rounded by way of f64 it would be another one at times. One that is rounded to
/// infinity is refused, as rustc does.
fn float(
    lit: &impl Display,
    digits: &str,
    typed: bool,
    negative: bool,
    anchor: Anchor,
    scope: &mut Scope<'_>,
) -> Value {
    let Some(number) = digits.parse().ok().filter(|number: &f32| number.is_finite()) else {
        beyond(lit, "f32", f32::MAX, anchor, scope);
        return Value::Word(0);
    };
    let number = if negative { -number } else { number };
    if typed { Value::Typed(ArgKind::F32, number.to_bits().into()) } else { Value::Float(number) }
}

fn beyond(lit: &impl Display, ty: &str, most: f32, anchor: Anchor, scope: &mut Scope<'_>) {
    let text = format!("`{lit}` is beyond {ty}, and would be infinite");
    let help = format!("write a number from -{most:e} to {most:e}");
    scope.errors.push(anchor, &Message::new(Syntax::Number, text).help(help));
}

/// The bits of an integer of that type, if it fits.
fn typed(number: i128, kind: ArgKind) -> Option<u64> {
    match kind {
        ArgKind::I32 => i32::try_from(number).ok().map(|number| number.cast_unsigned().into()),
        ArgKind::U64 => u64::try_from(number).ok(),
        _ => u32::try_from(number).ok().map(u64::from),
    }
}

/// `[1, 2]` of u16, `[0.5, 1.0]` of bf16: the first in the low half.
fn pair(array: &syn::ExprArray, scope: &mut Scope<'_>) -> Option<Value> {
    let anchor = Anchor::of(array);
    let halves: Vec<Option<Half>> = array.elems.iter().map(|elem| half(elem, scope)).collect();
    let halves: Option<Vec<Half>> = halves.into_iter().collect();
    let bits = |low: u16, high: u16| u64::from(low) | u64::from(high) << 16;
    Some(match halves.as_deref() {
        Some([Half::Int(low), Half::Int(high)]) => Value::Typed(ArgKind::U16Pair, bits(*low, *high)),
        Some([Half::Float(low), Half::Float(high)]) => Value::Typed(ArgKind::Bf16Pair, bits(*low, *high)),
        _ => {
            let text = "this is not a pair of halves".to_owned();
            let help = "write two u16 numbers, as in `[1, 2]`, or two bf16 numbers, as in `[0.5, 1.0]`";
            scope.errors.push(anchor, &Message::new(Syntax::Type, text).help(help));
            Value::Word(0)
        }
    })
}

enum Half {
    Int(u16),
    Float(u16),
}

fn half(expr: &Expr, scope: &mut Scope<'_>) -> Option<Half> {
    match signed_literal(expr)? {
        (Lit::Int(int), false) => int.base10_parse().ok().map(Half::Int),
        (Lit::Float(lit), negative) => {
            let number = bf16::from_f32(lit.base10_parse().ok()?);
            if number.is_infinite() {
                beyond(lit, "bf16", bf16::MAX.to_f32(), Anchor::of(expr), scope);
                return Some(Half::Float(0));
            }
            Some(Half::Float(if negative { -number } else { number }.to_bits()))
        }
        _ => None,
    }
}

/// The bits of a constant of type `kind`, and its number if it is an integer. After an error, `None`.
pub(crate) fn typed_bits(
    expr: &Expr,
    kind: ArgKind,
    what: &str,
    scope: &mut Scope<'_>,
) -> Option<(u32, Option<i128>)> {
    let anchor = Anchor::of(expr);
    let refuse = |text: String, help: &str, scope: &mut Scope<'_>| {
        scope.errors.push(anchor, &Message::new(Syntax::Number, text).help(help));
        None
    };
    match kind {
        ArgKind::U64 => refuse(
            format!("{what} has 64 bits; a constant is a word of 32"),
            "declare its low and its high word as two `u32`",
            scope,
        ),
        ArgKind::F32 => match plain_literal(expr, scope) {
            Some(Value::Float(number)) => Some((number.to_bits(), None)),
            Some(Value::Typed(ArgKind::F32, bits)) => Some((bits as u32, None)),
            Some(Value::Word(_)) => None,
            Some(Value::Int(number)) => refuse(
                format!("{what} is f32, and is given the integer {number}"),
                &format!("write `{number}.0`"),
                scope,
            ),
            _ => {
                let advice = path_text(expr).and_then(|path| primitive_advice(&path, scope.noun));
                let help = advice.unwrap_or_else(|| "write a literal, as in `0.5`".to_owned());
                refuse(format!("{what} is given no f32 number"), &help, scope)
            }
        },
        ArgKind::Bf16Pair | ArgKind::U16Pair => match plain_value(expr, scope) {
            Some(Value::Typed(given, bits)) if given == kind => Some((bits as u32, None)),
            Some(Value::Word(_)) => None,
            _ => refuse(
                format!("{what} is given no pair of its type"),
                "write two u16 numbers, as in `[1, 2]`, or two bf16 numbers, as in `[0.5, 1.0]`",
                scope,
            ),
        },
        _ => {
            let found = number(expr, what, scope)?;
            match typed(found, kind) {
                Some(bits) => Some((bits as u32, Some(found))),
                None => refuse(
                    format!("{found} does not fit {what}"),
                    "give it a number in range, or another type",
                    scope,
                ),
            }
        }
    }
}

/// A path as it is written.
fn path_text(expr: &Expr) -> Option<String> {
    match peeled(expr) {
        Expr::Path(path) => Some(written(path)),
        _ => None,
    }
}

fn plain_literal(expr: &Expr, scope: &mut Scope<'_>) -> Option<Value> {
    match peeled(expr) {
        Expr::Path(_) => None,
        expr => plain_value(expr, scope),
    }
}
