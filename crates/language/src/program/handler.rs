//! A handler: a function of the trait.

use komorebi_abi::program::{ResultKind, Rule};
use proc_macro2::Ident;
use syn::{Attribute, FnArg, Meta, ReturnType, Safety, TraitItemFn, Type};

use super::argument::{ArgItem, parse_argument, parse_result};
use super::item::{is_lint, refuse_attribute};
use crate::anchor::Anchor;
use crate::errors::{Errors, Message};
use crate::value::Value;

/// A handler's item.
#[derive(Debug)]
pub(crate) struct HandlerItem {
    /// Its documentation.
    pub(crate) docs: Vec<Attribute>,
    /// Lint levels and `#[deprecated]`, carried over to the generated functions.
    pub(crate) kept: Vec<Attribute>,
    pub(crate) ident: Ident,
    /// The number of `#[handler(7)]`.
    pub(crate) number: Option<Value>,
    pub(crate) args: Vec<ArgItem>,
    pub(crate) result: Option<ResultKind>,
}

/// Reads a function of the trait. What is wrong with it is left out, so that the rest can still be checked.
pub(crate) fn parse_handler(function: TraitItemFn, errors: &mut Errors) -> HandlerItem {
    refuse_extras(&function, errors);
    let TraitItemFn { attrs, sig, .. } = function;
    let (mut docs, mut kept, mut number) = (Vec::new(), Vec::new(), None);
    for attr in attrs {
        let path = attr.path();
        if path.is_ident("doc") {
            docs.push(attr);
        } else if is_lint(&attr) || path.is_ident("deprecated") {
            kept.push(attr);
        } else if path.is_ident("handler") {
            number = parse_number(&attr, errors).or(number);
        } else {
            refuse_attribute(&attr, "program", errors);
        }
    }
    let mut args = Vec::new();
    for input in sig.inputs {
        match input {
            FnArg::Receiver(receiver) => {
                let text = format!(
                    "handler `{}` takes `self`; a handler runs on the card and has no object",
                    sig.ident
                );
                errors.push(Anchor::of(receiver), &Message::new(Rule::Item, text).help("remove it"));
            }
            FnArg::Typed(input) => args.extend(parse_argument(input, &sig.ident, errors)),
        }
    }
    let result = match &sig.output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) if matches!(&**ty, Type::Tuple(tuple) if tuple.elems.is_empty()) => None,
        ReturnType::Type(_, ty) => parse_result(ty, &sig.ident, errors),
    };
    HandlerItem { docs, kept, ident: sig.ident, number, args, result }
}

/// Everything a Rust function may have and a handler may not.
fn refuse_extras(function: &TraitItemFn, errors: &mut Errors) {
    let sig = &function.sig;
    let mut refuse = |anchor: Anchor, what: &str, help: &str| {
        let text = format!("handler `{}` {what}", sig.ident);
        errors.push(anchor, &Message::new(Rule::Item, text).help(help));
    };
    let plain = "remove it: a handler is a plain function, `fn name(argument: u32, ..) -> u32;`";
    if let Some(body) = &function.default {
        let help = "write `;` in place of the body: what it does is written in the kernels, under the handler's number";
        refuse(Anchor::of(body), "has a body", help);
    }
    if let Some(token) = &sig.asyncness {
        let help = "remove `async`: submitting never blocks, and `Run::wait` waits for the handle it returns";
        refuse(Anchor::of(token), "is `async`", help);
    }
    if let Some(token) = &sig.constness {
        refuse(Anchor::of(token), "is `const`", plain);
    }
    if let Safety::Unsafe(token) = &sig.safety {
        refuse(Anchor::of(token), "is `unsafe`", plain);
    }
    if let Some(abi) = &sig.abi {
        refuse(Anchor::of(abi), "has an ABI", plain);
    }
    if let Some(variadic) = &sig.variadic {
        refuse(Anchor::of(variadic), "takes any number of arguments", plain);
    }
    if !sig.generics.params.is_empty() {
        let help =
            "remove them, and write each type out: a command carries words, and the kernels are built once";
        refuse(Anchor::of(&sig.generics), "has generic parameters", help);
    }
    if let Some(clause) = &sig.generics.where_clause {
        refuse(Anchor::of(clause), "has a `where` clause", plain);
    }
}

/// The value of `#[handler(7)]` or `#[handler = 7]`.
fn parse_number(attr: &Attribute, errors: &mut Errors) -> Option<Value> {
    let value = match &attr.meta {
        Meta::List(list) => syn::parse2::<syn::Expr>(list.tokens.clone()).ok().map(|value| Value::of(&value)),
        Meta::NameValue(pair) => Some(Value::of(&pair.value)),
        Meta::Path(_) => None,
    };
    if value.is_none() {
        let message = Message::new(Rule::Field, "`#[handler]` has no number");
        errors.push(Anchor::of(attr), &message.help("remove it in a program with a header, which gives the number; without one, write `#[handler(7)]`"));
    }
    value
}
