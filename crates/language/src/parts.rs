//! Lists of `name = value`, `name(..)` and `name`, read so that one bad part does not hide the others.

use darling::FromMeta;
use darling::ast::NestedMeta;
use komorebi_abi::program::Rule;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::Meta;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};

use crate::anchor::Anchor;
use crate::engine::nesting::too_deep;
use crate::errors::{Errors, Message};

/// A part of a list.
#[derive(Debug)]
pub(crate) struct Part {
    /// The name in front.
    pub(crate) name: String,
    /// Where the name stands.
    pub(crate) key: Anchor,
    /// All of it.
    pub(crate) meta: Meta,
}

/// Splits at the commas that are inside no bracket. Empty parts, as behind a last comma, are left out.
pub(crate) fn split(tokens: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    for token in tokens {
        match (&token, parts.last_mut()) {
            (TokenTree::Punct(punct), _) if punct.as_char() == ',' => parts.push(TokenStream::new()),
            (_, Some(part)) => part.extend([token]),
            (_, None) => {}
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The parts of `tokens`; `owner` is what messages call the list. A name that stands twice is refused at the second.
pub(crate) fn parse_parts(tokens: TokenStream, owner: &str, errors: &mut Errors) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for mut tokens in split(tokens) {
        // More than once round only where a comma is missing.
        while !tokens.is_empty() {
            let (part, rest) = parse_part(tokens, owner, errors);
            tokens = rest;
            let Some(part) = part else { continue };
            if let Some(first) = parts.iter().find(|earlier| earlier.name == part.name) {
                let text = format!("{owner} has two parts called `{}`", part.name);
                errors.push(part.key, &Message::new(Rule::Field, text).help("remove one of them"));
                let text = format!("the other `{}` of {owner}", part.name);
                errors.end(first.key, &Message::new(Rule::Field, text));
                continue;
            }
            parts.push(part);
        }
    }
    parts
}

/// One part, and what stands behind it.
fn parse_part(tokens: TokenStream, owner: &str, errors: &mut Errors) -> (Option<Part>, TokenStream) {
    let anchor = Anchor::of(tokens.clone());
    if let Some(anchor) = too_deep(&tokens) {
        let text = format!("a part of {owner} has too many parts inside each other here");
        errors.push(
            anchor,
            &Message::new(Rule::Field, text).help("drop the brackets and signs that do nothing"),
        );
        return (None, TokenStream::new());
    }
    let read = |input: ParseStream<'_>| Ok((input.parse::<NestedMeta>()?, input.parse::<TokenStream>()?));
    let refuse = |anchor, text: String, errors: &mut Errors| {
        let help = "parts are `name = value`, `name(..)` or `name`, with commas between them";
        errors.push(anchor, &Message::new(Rule::Field, text).help(help));
    };
    let (meta, rest) = match read.parse2(tokens) {
        Ok(read) => read,
        Err(error) => {
            refuse(anchor, format!("cannot read this part of {owner}: {error}"), errors);
            return (None, TokenStream::new());
        }
    };
    if let Some(TokenTree::Ident(next)) = rest.clone().into_iter().next() {
        let message = Message::new(Rule::Field, format!("expected a comma before `{next}` in {owner}"));
        errors.push(Anchor::at(next.span()), &message.help("add it"));
    } else if let (NestedMeta::Meta(Meta::Path(path)), Some(value)) = (&meta, behind_colon(&rest)) {
        let (name, anchor) = (path.to_token_stream(), Anchor::of(&rest));
        let text = format!("expected `=` behind `{name}` in {owner}");
        errors.push(
            anchor,
            &Message::new(Rule::Field, text).help(format!("write `{name} = ..` in place of the `:`")),
        );
        return parse_part(quote::quote!(#name = #value), owner, errors);
    } else if !rest.is_empty() {
        refuse(Anchor::of(&rest), format!("cannot read the end of this part of {owner}"), errors);
        return (None, TokenStream::new());
    }
    let part = match meta {
        NestedMeta::Meta(meta) => match meta.path().get_ident() {
            Some(ident) => {
                let (name, key) = (ident.unraw().to_string(), Anchor::at(ident.span()));
                Some(Part { name, key, meta })
            }
            None => {
                refuse(
                    Anchor::of(meta.path()),
                    format!("expected one name in front of a part of {owner}"),
                    errors,
                );
                None
            }
        },
        NestedMeta::Lit(literal) => {
            refuse(Anchor::of(literal), format!("a value without a name in {owner}"), errors);
            None
        }
        NestedMeta::NameValueInvalidExpr(pair) => {
            let name = pair.path.get_ident().map_or_else(|| "this part".into(), |name| format!("`{name}`"));
            let found = if pair.value.is_empty() { "no value" } else { "a value that cannot be read" };
            let anchor = Anchor::of_or(&pair.value, Anchor::of(&pair));
            let form = pair.path.get_ident().and_then(|name| example(owner, &name.to_string()));
            let help = match form {
                Some(form) => format!("write it as in `{form}`, or remove it"),
                None => "write a value after the `=`, or remove it".into(),
            };
            let text = format!("{name} of {owner} has {found}");
            errors.push(anchor, &Message::new(Rule::Field, text).help(help));
            None
        }
    };
    (part, rest)
}

/// The value of `name: value`.
fn behind_colon(rest: &TokenStream) -> Option<TokenStream> {
    let mut rest = rest.clone().into_iter();
    let colon = matches!(rest.next(), Some(TokenTree::Punct(sign)) if sign.as_char() == ':');
    let value: TokenStream = rest.collect();
    (colon && !value.is_empty()).then_some(value)
}

/// The words that parts begin with.
pub(crate) fn first_words(parts: &[TokenStream]) -> Vec<String> {
    let word = |part: &TokenStream| match part.clone().into_iter().next()? {
        TokenTree::Ident(word) => Some(word.to_string()),
        _ => None,
    };
    parts.iter().filter_map(word).collect()
}

/// How to write the part `name` of a program.
fn example(owner: &str, name: &str) -> Option<&'static str> {
    match name {
        _ if owner != "the program" => None,
        "kernels" => Some("kernels = \"kernels\""),
        "header" => Some("header = \"kernels/heat.h\""),
        "grid" => Some("grid = (12, 10)"),
        "depth" => Some("depth = 8"),
        "buffers" => Some("buffers(input(index = 0, format = bfloat16, page_bytes = 2048, pages = 4))"),
        "compute" => Some("compute(math_fidelity = HiFi4)"),
        "opt" => Some("opt(reader = Os)"),
        "defines" => Some("defines(TILES = 4)"),
        "compile_args" => Some("compile_args(reader = [1, 2])"),
        _ => None,
    }
}

/// Reads `tokens` as the fields of `T`, all of them optional; `known` are their names.
pub(crate) fn parse_fields<T: FromMeta + Default>(
    tokens: TokenStream,
    owner: &str,
    known: &[&str],
    errors: &mut Errors,
) -> T {
    let mut fields = Vec::new();
    let parts = parse_parts(tokens, owner, errors);
    let given: Vec<String> = parts.iter().map(|part| part.name.clone()).collect();
    for part in parts {
        if known.contains(&part.name.as_str()) {
            fields.push(NestedMeta::Meta(part.meta));
        } else {
            let message = Message::new(Rule::Field, format!("{owner} has no part called `{}`", part.name));
            errors.push(part.key, &message.nearest_free(&part.name, known.iter().copied(), owner, &given));
        }
    }
    T::from_list(&fields).unwrap_or_else(|error| {
        let anchor = Anchor::at(error.span());
        errors.push(anchor, &Message::new(Rule::Field, format!("cannot read {owner}: {error}")));
        T::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> (Vec<String>, Vec<String>) {
        let mut errors = Errors::default();
        let parts = parse_parts(text.parse().unwrap(), "the list", &mut errors);
        (parts.into_iter().map(|part| part.name).collect(), errors.texts())
    }

    #[test]
    fn a_bad_part_does_not_hide_the_others() {
        let (names, texts) = names("a = 1, b = = 2, 3, c(x, y = 2), d e, f");
        assert_eq!(names, ["a", "c", "d", "e", "f"]);
        assert_eq!(texts.len(), 3, "{texts:?}");
    }

    #[test]
    fn commas_inside_brackets_do_not_split() {
        assert_eq!(split("a = (1, 2), b = [3, 4], c(d, e),".parse().unwrap()).len(), 3);
    }

    #[test]
    fn a_name_that_stands_twice_is_an_error_at_both_ends() {
        let (names, texts) = names("a = 1, b, a = 2");
        assert_eq!((names.len(), texts.len()), (2, 2));
    }

    #[test]
    fn a_colon_in_place_of_the_sign_is_named_and_its_part_read() {
        let (names, texts) = names("grid: (4, 4), depth = 8");
        assert_eq!(names, ["grid", "depth"]);
        assert_eq!(texts.len(), 1, "{texts:?}");
        assert!(
            texts[0].contains("expected `=` behind `grid`") && texts[0].contains("`grid = ..`"),
            "{texts:?}"
        );
    }

    #[test]
    fn a_missing_comma_is_named() {
        let (names, texts) = names("depth = 8 grid = (1, 2)");
        assert_eq!(names, ["depth", "grid"]);
        assert!(texts[0].contains("expected a comma before `grid`"), "{texts:?}");
    }
}
