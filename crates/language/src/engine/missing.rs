//! An invocation without a program in angle brackets: what is wrong with it, and the items as far as they have names.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

use super::Syntax;
use crate::anchor::Anchor;
use crate::errors::{Errors, Message};

/// The error, of the noun and what the user wrote; the unit struct stays, if a name is there.
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter();
    let noun = tokens.next().map(|noun| noun.to_string()).unwrap_or_default();
    let body: Vec<TokenTree> = tokens.collect();
    let mut errors = Errors::default();
    let first: TokenStream = body.iter().take(1).cloned().collect();
    let opened = matches!(body.first(), Some(TokenTree::Punct(punct)) if punct.as_char() == '<');
    let (text, help) = if opened {
        (format!("cannot read the program of this {noun} in its angle brackets"), "one path stands there")
    } else {
        (
            format!("this {noun} names no program"),
            "write its trait in angle brackets in front of everything else",
        )
    };
    let example = format!("{help}: `km::{noun}! {{ <Heat> pub {noun} Name {{ .. }} }}`");
    errors.push(Anchor::of(first), &Message::new(Syntax::Field, text).help(example));
    let errors = errors.emit();
    let name = body.windows(2).find_map(|pair| match pair {
        [TokenTree::Ident(word), TokenTree::Ident(name)] if *word == noun => Some(name.clone()),
        _ => None,
    });
    let item =
        name.map(|name| quote!(#[derive(::core::clone::Clone, ::core::marker::Copy)] pub struct #name;));
    quote!(#errors #item)
}
