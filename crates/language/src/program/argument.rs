//! Arguments and results: types that are words.

use komorebi_abi::program::{ArgKind, Effect, ResultKind, Rule};
use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Attribute, Expr, ExprLit, Lit, Pat, PatType, Type};

use crate::anchor::Anchor;
use crate::errors::{Errors, Message};

/// An argument of a handler.
#[derive(Debug)]
pub(crate) struct ArgItem {
    pub(crate) ident: Ident,
    /// Its type as written.
    pub(crate) ty: Type,
    /// What that type is; `None` when it is refused.
    pub(crate) kind: Option<ArgKind>,
    pub(crate) effect: Option<Effect>,
}

/// The types of one name.
const NAMED: [(&str, ArgKind); 6] = [
    ("u32", ArgKind::U32),
    ("i32", ArgKind::I32),
    ("f32", ArgKind::F32),
    ("u64", ArgKind::U64),
    ("Core", ArgKind::Core),
    ("Address", ArgKind::Address),
];

/// The elements of pairs.
const PAIRS: [(&str, ArgKind); 2] = [("bf16", ArgKind::Bf16Pair), ("u16", ArgKind::U16Pair)];

/// The types of a result word.
const RESULTS: [(&str, ResultKind); 3] =
    [("u32", ResultKind::U32), ("i32", ResultKind::I32), ("f32", ResultKind::F32)];

/// Reads an argument of handler `of`; `None` when it has no name to go by.
pub(crate) fn parse_argument(input: PatType, of: &Ident, errors: &mut Errors) -> Option<ArgItem> {
    let ident = match *input.pat {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none() => {
            pat.ident
        }
        pat => {
            let text = format!("an argument of handler `{of}` is a pattern");
            let help = match &pat {
                Pat::Tuple(tuple) => {
                    let names: Vec<String> =
                        tuple.elems.iter().map(|part| format!("{}: u32", part.to_token_stream())).collect();
                    format!(
                        "take its parts as arguments: write `{}` in place of pattern and type",
                        names.join(", ")
                    )
                }
                Pat::Ident(pat) => format!("write its name alone, as in `{}: u32`", pat.ident),
                _ => "give it a plain name and a type of words, as in `count: u32`".to_owned(),
            };
            errors.push(Anchor::of(pat), &Message::new(Rule::Item, text).help(help));
            return None;
        }
    };
    let kind = arg_kind(&input.ty);
    if kind.is_none() {
        let text = format!(
            "argument `{ident}` of handler `{of}` has type `{}`, which a command cannot carry",
            written(&input.ty)
        );
        errors.push(Anchor::of(&input.ty), &Message::new(Rule::Type, text).help(help_of(&ident, &input.ty)));
    }
    let effect = parse_effect(&input.attrs, &ident, kind, errors);
    Some(ArgItem { ident, ty: *input.ty, kind, effect })
}

/// Reads the type of a result.
pub(crate) fn parse_result(ty: &Type, of: &Ident, errors: &mut Errors) -> Option<ResultKind> {
    let kind = last_name(ty).and_then(|name| lookup(&RESULTS, &name));
    if kind.is_none() {
        let text = format!("handler `{of}` returns `{}`; a result is one word", written(ty));
        let help = "return `u32`, `i32` or `f32`; to give more, write it into an argument `#[output] result: km::Address`";
        errors.push(Anchor::of(ty), &Message::new(Rule::Type, text).help(help));
    }
    kind
}

fn parse_effect(
    attrs: &[Attribute],
    arg: &Ident,
    kind: Option<ArgKind>,
    errors: &mut Errors,
) -> Option<Effect> {
    let mut effect = None;
    for attr in attrs {
        let path = attr.path().to_token_stream().to_string();
        let found = match path.as_str() {
            "input" => Effect::Input,
            "output" => Effect::Output,
            "inout" => Effect::InOut,
            _ => {
                let message = Message::new(
                    Rule::Field,
                    format!("argument `{arg}` has an attribute that does not exist: `#[{path}]`"),
                );
                let near = komorebi_headers::suggest::nearest(&path, ["input", "output", "inout"]);
                let help = match near {
                    Some(near) => format!("did you mean `#[{near}]`?"),
                    None => "known are `#[input]`, `#[output]` and `#[inout]`".to_owned(),
                };
                errors.push(Anchor::of(attr), &message.help(help));
                continue;
            }
        };
        if attr.meta.require_path_only().is_err() {
            let text = format!("`#[{path}]` takes nothing");
            errors
                .push(Anchor::of(attr), &Message::new(Rule::Field, text).help(format!("write `#[{path}]`")));
        }
        if effect.is_some() {
            let text = format!("argument `{arg}` has two effects");
            let help = "keep one: `#[input]` is read, `#[output]` is written, `#[inout]` is both";
            errors.push(Anchor::of(attr), &Message::new(Rule::Field, text).help(help));
            continue;
        }
        if kind.is_some_and(|kind| kind != ArgKind::Address) {
            let text = format!("`#[{path}]` says what happens to a tensor, but `{arg}` is no address");
            let help = format!("remove it, or declare `{arg}: km::Address`");
            errors.push(Anchor::of(attr), &Message::new(Rule::Type, text).help(help));
            continue;
        }
        effect = Some(found);
    }
    effect
}

pub(crate) fn arg_kind(ty: &Type) -> Option<ArgKind> {
    match ty {
        Type::Array(array) => {
            let two = matches!(&array.len, Expr::Lit(ExprLit { lit: Lit::Int(len), .. })
                if len.base10_parse::<u32>().is_ok_and(|len| len == 2));
            last_name(&array.elem).filter(|_| two).and_then(|name| lookup(&PAIRS, &name))
        }
        _ => last_name(ty).and_then(|name| lookup(&NAMED, &name)),
    }
}

/// The help for argument `ident`, whose type is not words.
fn help_of(ident: &Ident, ty: &Type) -> String {
    let effect = match ty {
        Type::Reference(reference) if arg_kind(&reference.elem).is_some() => {
            return format!("pass it by value: `{ident}: {}`", written(&reference.elem));
        }
        Type::Reference(reference) if reference.mutability.is_some() => "inout",
        Type::Reference(_) | Type::Slice(_) => "input",
        _ => return arg_help(ty),
    };
    format!("pass a tensor's address: `#[{effect}] {ident}: km::Address`")
}

/// The help for a type that is not words.
pub(crate) fn arg_help(ty: &Type) -> String {
    if let Type::Array(array) = ty
        && let Some(name) = last_name(&array.elem)
    {
        return match lookup(&PAIRS, &name) {
            Some(_) => format!(
                "two halves make a word: take each two of them as an argument `[{}; 2]`, or all as a tensor: `km::Address`",
                written(&array.elem)
            ),
            None => "pairs are `[bf16; 2]` or `[u16; 2]`; pass more as a tensor: `km::Address`".into(),
        };
    }
    let wide = "types are `u32`, `i32`, `f32`, `u64`, `[bf16; 2]`, `[u16; 2]`, `km::Core` and `km::Address`";
    let name = last_name(ty).unwrap_or_default();
    let known = NAMED.iter().map(|(name, _)| *name);
    let nearest = match name.as_str() {
        "u8" | "u16" | "usize" | "bool" | "char" => Some("u32"),
        "i8" | "i16" | "isize" => Some("i32"),
        "i64" | "u128" => Some("u64"),
        "f64" => Some("f32"),
        "bf16" => Some("[bf16; 2]"),
        "Tensor" => Some("km::Address"),
        _ => match komorebi_headers::suggest::nearest(&name, known) {
            Some("Address") => Some("km::Address"),
            Some("Core") => Some("km::Core"),
            other => other,
        },
    };
    nearest.map_or(wide.into(), |nearest| format!("did you mean `{nearest}`?"))
}

/// The same for a binding, a register or a constant, which is one word.
pub(crate) fn word_help(ty: &Type) -> String {
    arg_help(ty).replace("`u64`, ", "").replace("did you mean `u64`?", "did you mean `u32`?")
}

/// The last segment of a plain path.
fn last_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Group(group) => last_name(&group.elem),
        Type::Paren(paren) => last_name(&paren.elem),
        Type::Path(path) if path.qself.is_none() => {
            let last = path.path.segments.last()?;
            last.arguments.is_none().then(|| last.ident.to_string())
        }
        _ => None,
    }
}

fn lookup<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

/// A type as the user would write it: tokens print with a space between each.
pub(crate) fn written(ty: &Type) -> String {
    let text = ty.to_token_stream().to_string();
    text.replace(" :: ", "::")
        .replace(" ;", ";")
        .replace("& ", "&")
        .replace(" < ", "<")
        .replace(" >", ">")
        .replace("< ", "<")
}
