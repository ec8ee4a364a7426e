//! `x as f32`, `x.min(y)`, `f32::from_bits(x)`.

use komorebi_abi::engine::{Opcode as O, Rule, Value};
use komorebi_abi::program::ArgKind as K;
use proc_macro2::Ident;
use quote::ToTokens;
use syn::Expr;

use super::super::Syntax;
use super::super::scope::Scope;
use super::tree::{Tree, Type};
use super::typing::{refuse, unify};
use crate::anchor::Anchor;
use crate::program::argument::arg_kind;

/// `inner as ty`.
pub(super) fn cast(inner: Tree, ty: &syn::Type, anchor: Anchor, scope: &mut Scope<'_>) -> Tree {
    let Some(to) =
        arg_kind(ty).filter(|kind| matches!(kind, K::U32 | K::I32 | K::F32 | K::Address | K::Core))
    else {
        let text = format!("a word cannot become `{}`", ty.to_token_stream().to_string().replace(' ', ""));
        return refuse(
            Syntax::Type,
            Anchor::of(ty),
            &text,
            "convert to `u32`, `i32`, `f32`, `km::Address` or `km::Core`",
            scope,
        );
    };
    scope.types.push((ty.clone(), to));
    if let (Some(number), true) = (inner.int(), to == K::F32) {
        return Tree::leaf(Value::Float(number as f32), Type::Word(K::F32), anchor);
    }
    match (inner.ty, to) {
        (Type::Any, _) => inner.with_type(Type::Word(to)),
        (Type::Word(from), to) if from == to => inner,
        (Type::Word(K::I32), K::F32) => Tree::op(O::FFromI, vec![inner], Type::Word(to), anchor),
        (Type::Word(K::U32) | Type::Bool, K::F32) => Tree::op(O::FFromU, vec![inner], Type::Word(to), anchor),
        (Type::Float, K::F32) => inner.with_type(Type::Word(to)),
        (Type::Float | Type::Word(K::F32), K::I32) => {
            Tree::op(O::IFromF, vec![inner], Type::Word(to), anchor)
        }
        (Type::Float | Type::Word(K::F32), K::U32) => {
            Tree::op(O::UFromF, vec![inner], Type::Word(to), anchor)
        }
        (Type::Word(K::U32 | K::I32 | K::Address | K::Core) | Type::Bool | Type::Int, K::U32 | K::I32) => {
            inner.with_type(Type::Word(to))
        }
        (Type::Word(K::U32) | Type::Int, K::Address | K::Core) => inner.with_type(Type::Word(to)),
        (Type::Word(K::Bf16Pair | K::U16Pair), K::U32) => inner.with_type(Type::Word(to)),
        (from, _) => {
            let text = format!("{} does not become {}", from.name(), Type::Word(to).name());
            refuse(Rule::ArgType, anchor, &text, "convert it to `u32` first", scope)
        }
    }
}

/// `receiver.name(args)`.
pub(super) fn method(
    receiver: Tree,
    name: &Ident,
    args: Vec<Tree>,
    anchor: Anchor,
    scope: &mut Scope<'_>,
) -> Tree {
    let text = name.to_string();
    let wanted = match text.as_str() {
        "min" | "max" => 1,
        "to_bits" => 0,
        _ => {
            let text = format!("words have no method `{name}`");
            return refuse(
                Syntax::Field,
                Anchor::at(name.span()),
                &text,
                "known are `.min(..)`, `.max(..)` and `.to_bits()`",
                scope,
            );
        }
    };
    if args.len() != wanted {
        let text = format!(
            "`{name}` takes {wanted} argument{}, and is given {}",
            if wanted == 1 { "" } else { "s" },
            args.len()
        );
        return refuse(Syntax::Field, anchor, &text, "write `a.min(b)`, `a.max(b)` or `a.to_bits()`", scope);
    }
    let Some(other) = args.into_iter().next() else {
        return match receiver.ty {
            Type::Any => receiver,
            // A copy: a register that is declared as f32 is no operand of an integer instruction.
            ty if ty.is_float() => Tree::op(O::Move, vec![receiver], Type::Word(K::U32), anchor),
            ty => {
                let text = format!("`to_bits` is of f32, and this is {}", ty.name());
                refuse(Rule::ArgType, anchor, &text, "an integer is its bits: drop it", scope)
            }
        };
    };
    let Some((a, b)) = unify(receiver, other, "both values", scope) else { return Tree::refused(anchor) };
    let ty = if matches!(a.ty, Type::Any | Type::Int | Type::Float) { b.ty } else { a.ty };
    let least = text == "min";
    match ty {
        // The machine has none: a comparison chooses. Of a NaN and a number it gives the second.
        ty if ty.is_float() => {
            let op = if least { O::FLt } else { O::FGt };
            let less = Tree::op(op, vec![a.clone(), b.clone()], Type::Bool, anchor);
            Tree::op(O::Select, vec![less, a, b], Type::Word(K::F32), anchor)
        }
        Type::Word(K::I32) => Tree::op(if least { O::Min } else { O::Max }, vec![a, b], ty, anchor),
        Type::Word(K::U32) | Type::Any | Type::Int => {
            Tree::op(if least { O::MinU } else { O::MaxU }, vec![a, b], ty, anchor)
        }
        ty => {
            let text = format!("`{name}` is of u32, i32 or f32, and this is {}", ty.name());
            refuse(Rule::ArgType, anchor, &text, "convert it first: `as u32`", scope)
        }
    }
}

/// `f32::from_bits(x)`, the one function there is.
pub(super) fn function(func: &Expr, args: Vec<Tree>, anchor: Anchor, scope: &mut Scope<'_>) -> Tree {
    let name = func.to_token_stream().to_string().replace(' ', "");
    let mut args = args.into_iter();
    match (name.as_str(), args.next(), args.next()) {
        ("f32::from_bits", Some(bits), None) => match bits.ty {
            Type::Any | Type::Int | Type::Word(K::U32) => {
                Tree::op(O::Move, vec![bits], Type::Word(K::F32), anchor)
            }
            ty => {
                let text = format!("`f32::from_bits` takes u32, and is given {}", ty.name());
                refuse(Rule::ArgType, anchor, &text, "convert it first: `as u32`", scope)
            }
        },
        _ => {
            let handler = name.split(['[', '(']).next().unwrap_or_default();
            let help = match name.as_str() {
                "min" | "max" => format!("write `a.{name}(b)`"),
                _ if scope.program.facts.handler(handler).is_some() => {
                    let submit = if scope.noun == "stream" { "submit " } else { "" };
                    let text = format!("`{handler}` is a handler: its command has no value, but writes a register");
                    let help = format!("let it stand alone: `{submit}{name}(..) -> register;`");
                    return refuse(Syntax::Field, anchor, &text, &help, scope);
                }
                _ => "the one function is `f32::from_bits(x)`; methods are `.min(..)`, `.max(..)`, `.to_bits()`".to_owned(),
            };
            refuse(Syntax::Field, anchor, &format!("no function `{name}` is computed here"), &help, scope)
        }
    }
}
