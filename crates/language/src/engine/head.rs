//! The head: documentation, visibility, `graph` or `stream`, a name, options, and the body in braces.

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Token, Visibility};

use super::Syntax;
use super::nesting::{Nesting, nesting};
use super::unseen::without_unseen;
use crate::anchor::Anchor;
use crate::errors::{Errors, Message};
use crate::program::item::{is_lint, refuse_attribute};

/// A declaration before its body is read.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) docs: Vec<Attribute>,
    /// Lint levels, carried over to every generated item.
    pub(crate) lints: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
    /// What stands in the parentheses behind the name.
    pub(crate) options: TokenStream,
    pub(crate) body: TokenStream,
}

/// Reads the head; `noun` is `graph` or `stream`. Without a name there is nothing to emit: the error then is all.
pub(crate) fn parse_head(tokens: TokenStream, noun: &str, errors: &mut Errors) -> Option<Head> {
    let whole = Anchor::of(tokens.clone());
    let Nesting { excess, unseen } = nesting(&tokens);
    if let Some((anchor, excess)) = excess {
        errors.push(anchor, &Message::new(Syntax::Field, excess.text()).help(excess.help(noun)));
        return None;
    }
    let tokens = if unseen { without_unseen(tokens) } else { tokens };
    let read = |input: ParseStream<'_>| read_head(input, noun);
    let (head, rest, problem) = match read.parse2(tokens) {
        Ok(read) => read,
        Err(error) => {
            let text = format!("cannot read the head of this {noun}: {error}");
            let help = format!("write it as in `pub {noun} Name(req = 1) {{ .. }}`, after `<Program>`");
            let anchor = Anchor::of_error(&error, whole);
            errors.push(anchor, &Message::new(Syntax::Field, text).help(help));
            return None;
        }
    };
    if let Some((anchor, text)) = problem {
        let help = format!("write it as in `pub {noun} {}(req = 1) {{ .. }}`", head.name);
        errors.push(anchor, &Message::new(Syntax::Field, text).help(help));
    }
    if !rest.is_empty() {
        let text = format!("something stands after the {noun} `{}`", head.name);
        let help = format!("one `km::{noun}!` declares one {noun}: give the next its own, or remove it");
        errors.push(Anchor::of(rest), &Message::new(Syntax::Field, text).help(help));
    }
    let mut head = head;
    head.lints.retain(|attr| {
        let kept = is_lint(attr);
        if !kept {
            refuse_attribute(attr, noun, errors);
        }
        kept
    });
    Some(head)
}

type Read = (Head, TokenStream, Option<(Anchor, String)>);

fn read_head(input: ParseStream<'_>, noun: &str) -> syn::Result<Read> {
    let attrs = input.call(Attribute::parse_outer)?;
    let vis: Visibility = input.parse()?;
    let keyword = input.call(Ident::parse_any)?;
    let mut problem = None;
    if keyword != noun {
        if input.peek(syn::Ident) {
            problem = Some((Anchor::at(keyword.span()), format!("expected `{noun}`, found `{keyword}`")));
        } else {
            return Err(syn::Error::new(
                keyword.span(),
                format!("expected `{noun}` before the name `{keyword}`"),
            ));
        }
    }
    let name: Ident = input.parse()?;
    let mut options = TokenStream::new();
    if input.peek(syn::token::Paren) {
        let content;
        syn::parenthesized!(content in input);
        options = content.parse()?;
    }
    let mut body = TokenStream::new();
    if input.peek(syn::token::Brace) {
        let content;
        syn::braced!(content in input);
        body = content.parse()?;
    } else {
        let text = format!("expected the body of `{name}` in braces");
        let anchor = if input.is_empty() { Anchor::at(name.span()) } else { Anchor::at(input.span()) };
        problem = problem.or(Some((anchor, text)));
        let _: TokenStream = input.parse()?;
    }
    let _ = input.parse::<Option<Token![;]>>()?;
    let (docs, lints) = attrs.into_iter().partition(|attr| attr.path().is_ident("doc"));
    Ok((Head { docs, lints, vis, name, options, body }, input.parse()?, problem))
}

impl Head {
    /// The name without `r#`.
    pub(crate) fn plain_name(&self) -> String {
        self.name.unraw().to_string()
    }
}
