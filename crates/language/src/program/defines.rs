//! `defines(..)`: preprocessor definitions of all kernels.

use komorebi_abi::program::Rule;
use proc_macro2::TokenStream;

use crate::anchor::Anchor;
use crate::errors::{Errors, Message};
use crate::parts::parse_parts;
use crate::value::Value;

/// Definitions, each with the place of its name.
pub(crate) type Defines = Vec<((String, String), Anchor)>;

/// Reads `defines(..)`. This is done before the header is read, which may ask for them.
pub(crate) fn parse_defines(value: &Value, errors: &mut Errors) -> Defines {
    let Value::Parts(tokens, _) = value else {
        let message = Message::new(
            Rule::Field,
            format!("`defines` is a list of definitions, found {}", value.describe()),
        );
        errors.push(value.anchor(), &message.help("write it as in `defines(TILES = 4)`"));
        return Vec::new();
    };
    parse_list(tokens.clone(), errors)
}

fn parse_list(tokens: TokenStream, errors: &mut Errors) -> Defines {
    let mut defines = Vec::new();
    for part in parse_parts(tokens, "`defines`", errors) {
        let value = <Value as darling::FromMeta>::from_meta(&part.meta).unwrap_or(Value::Word(part.key));
        match body(&value) {
            Some(body) => defines.push(((part.name, body), part.key)),
            None => {
                let text = format!("`{}` cannot be defined as {}", part.name, value.describe());
                let help =
                    "write a number, a name or a string; of several values, each is a definition of its own";
                errors.push(value.anchor(), &Message::new(Rule::Define, text).help(help));
            }
        }
    }
    defines
}

/// What the C++ compiler puts in the name's place.
fn body(value: &Value) -> Option<String> {
    match value {
        Value::Word(_) => Some("1".into()),
        Value::Int(literal) => Some(number(literal.base10_digits())),
        Value::Float(literal) => Some(number(literal.base10_digits())),
        Value::Bool(literal) => Some(u32::from(literal.value).to_string()),
        Value::Text(literal) => Some(format!("{:?}", literal.value())),
        Value::Negative(text, _) => Some(number(text)),
        Value::Name(name, _) => Some(name.clone()),
        Value::List(..) | Value::Parts(..) | Value::Other(_) => None,
    }
}

/// A number that is safe beside an operator.
fn number(digits: &str) -> String {
    if digits.starts_with('-') { format!("({digits})") } else { digits.to_owned() }
}
