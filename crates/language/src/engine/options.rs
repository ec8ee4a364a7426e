//! The options in the parentheses behind a name: `deadline = 200 ms, max_runs = 50, req = 6, keep`.

use komorebi_abi::engine::Place;
use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Token};

use super::Syntax;
use super::number::number;
use super::scope::Scope;
use crate::anchor::Anchor;
use crate::duration::{HELP, parse_deadline};
use crate::errors::Message;
use crate::parts::{first_words, split};

/// What the options say.
#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) deadline_us: Option<u64>,
    pub(crate) max_runs: Option<u64>,
    pub(crate) req: u64,
    pub(crate) keep: bool,
}

/// Reads the options, of which `known` are allowed.
pub(crate) fn parse_options(tokens: TokenStream, known: &[&str], scope: &mut Scope<'_>) -> Options {
    let mut options = Options::default();
    let mut seen: Vec<(String, Anchor)> = Vec::new();
    let parts = split(tokens);
    let given = first_words(&parts);
    for part in parts {
        let anchor = Anchor::of(part.clone());
        let read = |input: ParseStream<'_>| {
            let name = input.call(Ident::parse_any)?;
            let value = if input.peek(Token![=]) {
                input.parse::<Token![=]>()?;
                Some(input.parse::<TokenStream>()?)
            } else {
                None
            };
            Ok((name, value, input.parse::<TokenStream>()?))
        };
        let (name, value, rest) = match read.parse2(part) {
            Ok(read) => read,
            Err(error) => {
                let text = format!("cannot read this option of the {}: {error}", scope.noun);
                scope.syntax(anchor, text, "options are `name = value` or `name`, with commas between them");
                continue;
            }
        };
        let key = Anchor::at(name.span());
        let name = name.to_string();
        if !rest.is_empty() {
            let text = format!("expected a comma after the option `{name}`");
            scope.syntax(Anchor::of(rest), text, "add it");
        }
        if !known.contains(&name.as_str()) {
            let text = format!("a {} has no option `{name}`", scope.noun);
            let owner = format!("the {}", scope.noun);
            let message = Message::new(Syntax::Field, text);
            let message = message.nearest_free(&name, known.iter().copied(), &owner, &given);
            scope.errors.push(key, &message);
            continue;
        }
        if let Some((_, first)) = seen.iter().find(|(earlier, _)| *earlier == name) {
            let first = *first;
            scope.syntax(key, format!("the option `{name}` is given twice"), "remove one of them");
            scope.errors.end(first, &Message::new(Syntax::Field, format!("the other `{name}`")));
            continue;
        }
        seen.push((name.clone(), key));
        read_option(&name, key, value, &mut options, scope);
    }
    options
}

fn read_option(
    name: &str,
    key: Anchor,
    value: Option<TokenStream>,
    options: &mut Options,
    scope: &mut Scope<'_>,
) {
    if name == "keep" {
        options.keep = true;
        if let Some(value) = value {
            let text = "`keep` takes no value".to_owned();
            scope.syntax(Anchor::of_or(value, key), text, "write `keep`, or leave it out");
        }
        return;
    }
    let Some(value) = value.filter(|value| !value.is_empty()) else {
        let example = if name == "deadline" { "200 ms" } else { "6" };
        scope.syntax(key, format!("`{name}` has no value"), &format!("write it as in `{name} = {example}`"));
        return;
    };
    let anchor = Anchor::of_or(value.clone(), key);
    let (place, slot) = match name {
        "deadline" => {
            match parse_deadline(value) {
                Ok(deadline) => options.deadline_us = Some(deadline),
                Err(text) => scope.syntax(anchor, text, HELP),
            }
            scope.places.set(Place::Deadline, anchor);
            return;
        }
        "max_runs" => (Place::MaxRuns, &mut options.max_runs),
        _ => (Place::Req, &mut None),
    };
    scope.places.set(place, anchor);
    let Some(number) = parse_number(value, anchor, name, scope) else { return };
    match u64::try_from(number) {
        Ok(number) if name == "req" => options.req = number,
        Ok(number) => *slot = Some(number),
        Err(_) => {
            let (text, help) = match number {
                ..0 => (format!("`{name}` is {number}; it counts from 0"), "write a number without sign"),
                _ => (format!("`{name}` is {number}, more than 64 bits hold"), "write a smaller number"),
            };
            scope.errors.push(anchor, &Message::new(Syntax::Number, text).help(help));
        }
    }
}

fn parse_number(tokens: TokenStream, anchor: Anchor, name: &str, scope: &mut Scope<'_>) -> Option<i128> {
    match syn::parse2::<Expr>(tokens) {
        Ok(expr) => number(&expr, &format!("`{name}`"), scope),
        Err(error) => {
            scope.syntax(anchor, format!("cannot read the value of `{name}`: {error}"), "write a number");
            None
        }
    }
}
