//! `bind name: type, ..`, `reg name: type`, `const NAME: type = value`, `group name = range`.

use komorebi_abi::engine::{NamedGroup, Place, VariableKind, kind_name};
use komorebi_abi::program::ArgKind;
use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, Token, Type};

use super::Syntax;
use super::group::parse_group;
use super::number::number;
use super::scope::{BindingField, Scope};
use super::value::typed_bits;
use crate::anchor::Anchor;
use crate::errors::Message;
use crate::parts::split;
use crate::program::argument::{arg_kind, word_help, written as type_text};
use crate::program::item::refuse_attribute;

/// A declared name with its type, and a value behind `=`.
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) anchor: Anchor,
    pub(crate) kind: Option<ArgKind>,
    pub(crate) value: Option<Expr>,
    docs: Vec<Attribute>,
}

/// Reads a declaration if the statement, which begins with `word`, is one. `Err` gives it back.
pub(crate) fn parse_declaration(
    word: &str,
    tokens: TokenStream,
    scope: &mut Scope<'_>,
) -> Result<(), TokenStream> {
    match word {
        "bind" => {
            for named in parse_names(tokens, "bind", scope) {
                refuse_value(&named, "bind", "a binding gets its value at each start", scope);
                let Named { name, anchor, kind, docs, .. } = named;
                let variable = scope.declare(VariableKind::Binding, Some(&name), kind, anchor);
                scope.bindings.push(BindingField { variable, docs });
            }
        }
        "reg" if scope.noun == "graph" => {
            for named in parse_names(tokens, "reg", scope) {
                refuse_value(
                    &named,
                    "reg",
                    "a register of a graph begins with none: something must write it before it is read",
                    scope,
                );
                scope.declare(VariableKind::Register, Some(&named.name), named.kind, named.anchor);
            }
        }
        "const" => parse_constant(tokens, scope),
        "group" => parse_named_group(tokens, scope),
        _ => return Err(tokens),
    }
    Ok(())
}

/// The first identifier of a statement behind its attributes.
pub(crate) fn first_word(tokens: &TokenStream) -> String {
    use proc_macro2::TokenTree as T;
    let mut tokens = tokens.clone().into_iter().peekable();
    while matches!(tokens.peek(), Some(T::Punct(punct)) if punct.as_char() == '#') {
        tokens.next();
        tokens.next();
    }
    match tokens.next() {
        Some(T::Ident(ident)) => ident.to_string(),
        _ => String::new(),
    }
}

/// The names of `bind a: u32, b: f32` or `reg a: u32 = 3`. Attributes in front of the word belong to the first name.
pub(crate) fn parse_names(tokens: TokenStream, word: &str, scope: &mut Scope<'_>) -> Vec<Named> {
    let mut names = Vec::new();
    let whole = Anchor::of(tokens.clone());
    for (i, part) in split(tokens).into_iter().enumerate() {
        let anchor = Anchor::of(part.clone());
        let read = |input: ParseStream<'_>| read_name(input, i == 0);
        match read.parse2(part.clone()) {
            Ok((mut docs, name, ty, value)) => {
                docs.retain(|attr| {
                    let doc = attr.path().is_ident("doc");
                    if !doc {
                        refuse_attribute(attr, scope.noun, &mut scope.errors);
                    }
                    doc
                });
                let kind = arg_kind(&ty);
                match kind {
                    Some(kind) => scope.types.push((ty, kind)),
                    None => {
                        let text =
                            format!("`{name}` has type `{}`, which a register cannot hold", type_text(&ty));
                        scope
                            .errors
                            .push(Anchor::of(&ty), &Message::new(Syntax::Type, text).help(word_help(&ty)));
                    }
                }
                let anchor = Anchor::at(name.span());
                names.push(Named { name: name.unraw().to_string(), anchor, kind, value, docs });
            }
            Err(error) => {
                broken_name(&part, i == 0, scope);
                let text = format!("cannot read this declaration: {error}");
                let named = broken_word(&part, i == 0).unwrap_or_else(|| "total".to_owned());
                let help = format!("write it as in `{word} {named}: u32;`");
                scope.syntax(Anchor::of_error(&error, anchor), text, &help);
            }
        }
    }
    if names.is_empty() && scope.errors.is_empty() {
        scope.syntax(
            whole,
            format!("`{word}` declares nothing"),
            &format!("write it as in `{word} total: u32;`"),
        );
    }
    names
}

type ReadName = (Vec<Attribute>, Ident, Type, Option<Expr>);

fn read_name(input: ParseStream<'_>, first: bool) -> syn::Result<ReadName> {
    let mut docs = input.call(Attribute::parse_outer)?;
    if first {
        input.call(Ident::parse_any)?;
        docs.extend(input.call(Attribute::parse_outer)?);
    }
    let name: Ident = input.parse()?;
    input.parse::<Token![:]>()?;
    let ty: Type = input.parse()?;
    let value = if input.parse::<Option<Token![=]>>()?.is_some() { Some(input.parse()?) } else { None };
    if !input.is_empty() {
        return Err(input.error("expected `,` or `;`"));
    }
    Ok((docs, name, ty, value))
}

/// Remembers the names of a declaration that was refused, also that of a next one where a comma or a semicolon is missing:
/// their uses bring no errors of their own.
fn broken_name(part: &TokenStream, first: bool, scope: &mut Scope<'_>) {
    for name in idents(part).skip(usize::from(first)) {
        scope.mark_broken(&name);
    }
    scope.gaps = true;
}

fn idents(part: &TokenStream) -> impl Iterator<Item = String> {
    part.clone().into_iter().filter_map(|token| match token {
        proc_macro2::TokenTree::Ident(ident) => Some(ident.unraw().to_string()),
        _ => None,
    })
}

/// The name in a declaration that was refused.
fn broken_word(part: &TokenStream, first: bool) -> Option<String> {
    idents(part).nth(usize::from(first))
}

fn refuse_value(named: &Named, word: &str, why: &str, scope: &mut Scope<'_>) {
    if let Some(value) = &named.value {
        let text = format!("`{}` is given a value, and {why}", named.name);
        let help = "remove the `=` and the value; a number that never changes is a `const`";
        let help = match word {
            "reg" => {
                let ty = named.kind.map_or("u32", kind_name);
                format!(
                    "{help}, and one that is given at the start is a binding: `bind {}: {ty};`",
                    named.name
                )
            }
            _ => help.to_owned(),
        };
        scope.syntax(Anchor::of(value), text, &help);
    }
}

fn parse_constant(tokens: TokenStream, scope: &mut Scope<'_>) {
    for named in parse_names(tokens, "const", scope) {
        let Named { name, anchor, kind, value, docs } = named;
        if let Some(doc) = docs.first() {
            let text = format!("documentation of `{name}` is shown nowhere");
            scope.syntax(Anchor::of(doc), text, "write it as a plain comment: `// ..`");
        }
        let Some(value) = value else {
            scope.mark_broken(&name);
            scope.syntax(
                anchor,
                format!("the constant `{name}` has no value"),
                &format!("write it as in `const {name}: u32 = 60;`"),
            );
            continue;
        };
        let Some(kind) = kind else {
            scope.mark_broken(&name);
            continue;
        };
        let what = format!("the constant `{name}`");
        scope.begun = Some(name.clone());
        let found = typed_bits(&value, kind, &what, scope);
        scope.begun = None;
        match found {
            Some((bits, integer)) => {
                scope.declare(VariableKind::Constant(bits), Some(&name), Some(kind), anchor);
                if let Some(integer) = integer {
                    scope.define(&name, integer);
                }
            }
            None => scope.mark_broken(&name),
        }
    }
}

fn parse_named_group(tokens: TokenStream, scope: &mut Scope<'_>) {
    let whole = Anchor::of(tokens.clone());
    let read = |input: ParseStream<'_>| {
        input.call(Ident::parse_any)?;
        let name: Ident = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok((name, input.parse::<TokenStream>()?))
    };
    match read.parse2(tokens.clone()) {
        Ok((name, cores)) => {
            let anchor = Anchor::of_or(cores.clone(), whole);
            match parse_group(cores, anchor, false, scope) {
                Some(group) => {
                    let id = scope.groups.len() as u32;
                    scope.places.set(Place::GroupName(id), Anchor::at(name.span()));
                    scope.groups.push(NamedGroup { name: name.unraw().to_string(), group });
                }
                None => scope.mark_broken(&name.unraw().to_string()),
            }
        }
        Err(error) => {
            broken_name(&tokens, true, scope);
            let text = format!("cannot read this group: {error}");
            scope.syntax(Anchor::of_error(&error, whole), text, "write it as in `group edge = 0..12;`");
        }
    }
}

/// A number that must be known, of an expression's tokens.
pub(crate) fn parse_count(
    tokens: TokenStream,
    anchor: Anchor,
    what: &str,
    scope: &mut Scope<'_>,
) -> Option<u64> {
    let expr = match syn::parse2::<Expr>(tokens) {
        Ok(expr) => expr,
        Err(error) => {
            scope.syntax(anchor, format!("cannot read {what}: {error}"), "write a number");
            return None;
        }
    };
    let found = number(&expr, what, scope)?;
    let count = u64::try_from(found).ok();
    if count.is_none() {
        let text = format!("{what} is {found}; it counts from 0");
        scope.errors.push(anchor, &Message::new(Syntax::Number, text).help("write a number without sign"));
    }
    count
}
