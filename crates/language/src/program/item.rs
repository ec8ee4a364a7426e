//! The trait under the attribute: a method a handler.

use komorebi_abi::program::Rule;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Item, ItemTrait, TraitItem, Visibility};

use super::handler::{HandlerItem, parse_handler};
use crate::anchor::Anchor;
use crate::engine::nesting::too_deep;
use crate::errors::{Errors, Message};

/// A program's item.
#[derive(Debug)]
pub(crate) struct ProgramItem {
    /// Its documentation.
    pub(crate) docs: Vec<Attribute>,
    /// Lint levels, carried over to every generated item.
    pub(crate) lints: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) ident: Ident,
    pub(crate) handlers: Vec<HandlerItem>,
}

/// Reads the item. Without a name there is nothing to emit: the error then is all.
pub(crate) fn parse_item(tokens: TokenStream, errors: &mut Errors) -> Option<ProgramItem> {
    let anchor = Anchor::of(tokens.clone());
    if let Some(anchor) = too_deep(&tokens) {
        let message =
            Message::new(Rule::Item, "the program's trait has too many parts inside each other here");
        let help = "a handler's arguments and result are plain words, as in `fn step(state: km::Address, iteration: u32)`";
        errors.push(anchor, &message.help(help));
        return name_of(tokens);
    }
    match syn::parse2::<Item>(tokens) {
        Ok(Item::Trait(item)) => Some(parse_trait(item, errors)),
        Ok(other) => {
            let message =
                Message::new(Rule::Item, "a program is declared as a trait whose functions are its handlers");
            let example =
                "write `pub trait Heat { #[handler(1)] fn step(state: km::Address, iteration: u32); }`";
            errors.push(Anchor::of(&other), &message.help(example));
            skeleton(other)
        }
        Err(error) => {
            let message = Message::new(Rule::Item, format!("cannot read the program's trait: {error}"));
            errors.push(Anchor::of_or(error.to_compile_error(), anchor), &message);
            None
        }
    }
}

/// The name of a trait that cannot be read.
fn name_of(tokens: TokenStream) -> Option<ProgramItem> {
    let mut tokens = tokens.into_iter().peekable();
    // Attributes in front.
    while tokens.next_if(|token| matches!(token, TokenTree::Punct(sign) if sign.as_char() == '#')).is_some() {
        tokens.next();
    }
    let read = |input: ParseStream<'_>| {
        let vis = input.parse()?;
        input.parse::<Option<syn::Token![unsafe]>>()?;
        input.parse::<syn::Token![trait]>()?;
        let ident = input.parse()?;
        input.parse::<TokenStream>()?;
        Ok(ProgramItem { docs: Vec::new(), lints: Vec::new(), vis, ident, handlers: Vec::new() })
    };
    read.parse2(tokens.collect()).ok()
}

/// The name of an item that is no trait: later uses of it then bring no error of their own.
fn skeleton(item: Item) -> Option<ProgramItem> {
    let (vis, ident) = match item {
        Item::Struct(item) => (item.vis, item.ident),
        Item::Enum(item) => (item.vis, item.ident),
        Item::Union(item) => (item.vis, item.ident),
        Item::Mod(item) => (item.vis, item.ident),
        Item::TraitAlias(item) => (item.vis, item.ident),
        _ => return None,
    };
    Some(ProgramItem { docs: Vec::new(), lints: Vec::new(), vis, ident, handlers: Vec::new() })
}

fn parse_trait(item: ItemTrait, errors: &mut Errors) -> ProgramItem {
    let refuse = |anchor: Anchor, what: &str, errors: &mut Errors| {
        let message = Message::new(Rule::Item, format!("program `{}` {what}", item.ident));
        let help = "remove this: a program is a plain trait, whose functions are its handlers";
        errors.push(anchor, &message.help(help));
    };
    if !item.generics.params.is_empty() {
        refuse(Anchor::of(&item.generics), "has generic parameters", errors);
    }
    if let Some(clause) = &item.generics.where_clause {
        refuse(Anchor::of(clause), "has a `where` clause", errors);
    }
    if !item.supertraits.is_empty() {
        refuse(Anchor::of(&item.supertraits), "has supertraits", errors);
    }
    if let Some(token) = &item.unsafety {
        refuse(Anchor::of(token), "is `unsafe`", errors);
    }
    let mut handlers = Vec::new();
    for inner in item.items {
        match inner {
            TraitItem::Fn(function) => handlers.push(parse_handler(function, errors)),
            other => {
                let what = match &other {
                    TraitItem::Const(_) => "a constant",
                    TraitItem::Type(_) => "a type",
                    TraitItem::Macro(_) => "a macro call",
                    _ => "an item",
                };
                let message = Message::new(Rule::Item, format!("program `{}` has {what} in it", item.ident));
                let help = "move it out of the trait, which has handlers only";
                errors.push(Anchor::of(other), &message.help(help));
            }
        }
    }
    let (docs, others): (Vec<_>, Vec<_>) =
        item.attrs.into_iter().partition(|attr| attr.path().is_ident("doc"));
    let mut lints = Vec::new();
    for attr in others {
        if is_lint(&attr) {
            lints.push(attr);
        } else {
            refuse_attribute(&attr, "program", errors);
        }
    }
    ProgramItem { docs, lints, vis: item.vis, ident: item.ident, handlers }
}

/// `#[allow(..)]` and its like. Not `#[expect(..)]`: it would be carried over to items that have nothing to expect.
pub(crate) fn is_lint(attr: &Attribute) -> bool {
    ["allow", "warn", "deny", "forbid"].iter().any(|level| attr.path().is_ident(level))
}

/// Refuses an attribute that would be lost; `noun` is `program`, `graph` or `stream`.
pub(crate) fn refuse_attribute(attr: &Attribute, noun: &str, errors: &mut Errors) {
    let path = attr.path().to_token_stream().to_string().replace(' ', "");
    let message = Message::new(Rule::Item, format!("`#[{path}]` has no meaning in a {noun}"));
    let help = if noun == "program" {
        "remove it: besides `#[handler(..)]` over a function, only documentation and lint levels may stand here"
    } else {
        "remove it: only documentation and, in front of the whole, lint levels may stand here"
    };
    errors.push(Anchor::of(attr), &message.help(help));
}
