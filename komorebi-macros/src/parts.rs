//! Lists of `name = value`, `name(..)` and `name`, read so that one bad part does not hide the others.

use darling::FromMeta;
use darling::ast::NestedMeta;
use komorebi_abi::program::Rule;
use proc_macro2::{TokenStream, TokenTree};
use syn::Meta;
use syn::ext::IdentExt;

use crate::anchor::Anchor;
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
    for tokens in split(tokens) {
        let Some(part) = parse_part(tokens, owner, errors) else { continue };
        if let Some(first) = parts.iter().find(|earlier| earlier.name == part.name) {
            let text = format!("{owner} has two parts called `{}`", part.name);
            errors.push(part.key, &Message::new(Rule::Field, text).help("remove one of them"));
            let text = format!("the other `{}` of {owner}", part.name);
            errors.push(first.key, &Message::new(Rule::Field, text));
            continue;
        }
        parts.push(part);
    }
    parts
}

fn parse_part(tokens: TokenStream, owner: &str, errors: &mut Errors) -> Option<Part> {
    let anchor = Anchor::of(tokens.clone());
    let refuse = |anchor, found: &str, errors: &mut Errors| {
        let message = Message::new(Rule::Field, format!("{found} in {owner}"));
        errors.push(
            anchor,
            &message.help("parts are `name = value`, `name(..)` or `name`, with commas between them"),
        );
    };
    match syn::parse2::<NestedMeta>(tokens.clone()) {
        Ok(NestedMeta::Meta(meta)) => {
            let Some(ident) = meta.path().get_ident() else {
                refuse(Anchor::of(meta.path()), "expected one name", errors);
                return None;
            };
            let (name, key) = (ident.unraw().to_string(), Anchor::at(ident.span()));
            Some(Part { name, key, meta })
        }
        Ok(NestedMeta::Lit(literal)) => {
            refuse(Anchor::of(literal), "a value without a name", errors);
            None
        }
        Ok(NestedMeta::NameValueInvalidExpr(pair)) => {
            let at = Anchor::of_or(&pair.value, anchor);
            refuse(
                at,
                &format!("cannot read the value of `{}`", quote::ToTokens::to_token_stream(&pair.path)),
                errors,
            );
            None
        }
        Err(error) => {
            // Behind a whole part stands something else: most often a comma is missing.
            let (anchor, found) = match tokens.into_iter().next() {
                Some(TokenTree::Ident(name)) => (anchor, format!("cannot read the part `{name}` ({error})")),
                _ => (anchor, format!("expected a name ({error})")),
            };
            refuse(anchor, &found, errors);
            None
        }
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
    for part in parse_parts(tokens, owner, errors) {
        if known.contains(&part.name.as_str()) {
            fields.push(NestedMeta::Meta(part.meta));
        } else {
            let message = Message::new(Rule::Field, format!("{owner} has no part called `{}`", part.name));
            errors.push(part.key, &message.nearest(&part.name, known.iter().copied()));
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
        assert_eq!(names, ["a", "c", "f"]);
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
    fn a_missing_comma_is_named() {
        let (_, texts) = names("depth = 8 grid = (1, 2)");
        assert!(texts[0].contains("commas between them"), "{texts:?}");
    }
}
