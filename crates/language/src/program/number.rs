//! Numbers: literals, or constants of the header by their C++ names.

use komorebi_abi::program::Rule;
use komorebi_headers::HeaderError;

use super::header::ProgramHeader;
use crate::anchor::Anchor;
use crate::errors::{Errors, Message};
use crate::value::Value;

/// Most of a word that means no more than its bits.
pub(crate) const WORD_MAX: u32 = u32::MAX;

/// The number that `value` is. After an error, or where the header is unknown, `None`. Whether it is `most` at most is for
/// the rules to check, which know more; what is no number of 32 bits is told that bound.
pub(crate) fn resolve(
    value: &Value,
    what: &str,
    most: u32,
    header: &ProgramHeader,
    errors: &mut Errors,
) -> Option<u32> {
    let range = || format!("write a number from 0 to {most}");
    match value {
        Value::Int(literal) => {
            let number = literal.base10_parse::<u64>().ok().and_then(|number| u32::try_from(number).ok());
            let help = match (number, literal.suffix()) {
                (Some(_), "" | "u32") => return number,
                (Some(number), _) => format!("write it without a type: `{number}`"),
                (None, _) => range(),
            };
            let wanted =
                if number.is_some() { "a number without a type" } else { "a number from 0 to 2^32 - 1" };
            let text = format!("expected {wanted} for {what}, found `{literal}`");
            errors.push(value.anchor(), &Message::new(Rule::Number, text).help(help));
            None
        }
        Value::Name(name, anchor) => resolve_name(name, *anchor, what, &range(), header, errors),
        Value::Negative(text, anchor) => {
            let bits = text.parse::<i32>().ok().filter(|_| most == WORD_MAX).map(i32::cast_unsigned);
            let help = match bits {
                Some(bits) => format!("write the bits of the word: `{bits}`"),
                None => range(),
            };
            let text = format!("expected a number from 0 to 2^32 - 1 for {what}, found `{text}`");
            errors.push(*anchor, &Message::new(Rule::Number, text).help(help));
            None
        }
        other => {
            let text = format!("expected a number for {what}, found {}", other.describe());
            let help = match other.quoted_number() {
                Some(number) => format!("write it without quotes: `{number}`"),
                None => "write the number, or a constant of the header by its C++ name; a macro cannot see Rust constants".into(),
            };
            errors.push(other.anchor(), &Message::new(Rule::Number, text).help(help));
            None
        }
    }
}

fn resolve_name(
    name: &str,
    anchor: Anchor,
    what: &str,
    range: &str,
    header: &ProgramHeader,
    errors: &mut Errors,
) -> Option<u32> {
    match header {
        ProgramHeader::Unknown => None,
        ProgramHeader::Absent => {
            let text = format!("cannot find `{name}`, given for {what}: the program names no header");
            let help =
                "write the number, or add `header = \"..\"`: a macro cannot see the value of a Rust constant";
            errors.push(anchor, &Message::new(Rule::Number, text).help(help));
            None
        }
        ProgramHeader::Read(read) => match read.header.get(name) {
            Ok(constant) => {
                let number = constant.value.as_u32();
                if number.is_none() {
                    let value = constant.value;
                    let text =
                        format!("`{name}` is {value}; a number from 0 to 2^32 - 1 was expected for {what}");
                    let place =
                        read.header.render_at("it is declared here", &constant.location, constant.name.len());
                    let help = format!("{range}, or another constant");
                    errors.push(anchor, &Message::new(Rule::Number, text).detail(place).help(help));
                }
                number
            }
            Err(error) => {
                errors.push(anchor, &unknown(name, what, &read.path.value(), &error));
                None
            }
        },
    }
}

fn unknown(name: &str, what: &str, path: &str, error: &HeaderError) -> Message {
    if error.kind() == komorebi_headers::ErrorKind::UnknownName {
        let text = format!("the header {path:?} declares no constant `{name}`, given for {what}");
        let help = match error.help() {
            Some(help) => help.to_owned(),
            None => "write the number, or a constant of the header: a macro cannot see the value of a Rust constant".into(),
        };
        return Message::new(Rule::Number, text).help(help);
    }
    Message::new(Rule::Number, format!("`{name}`, given for {what}, has no value")).detail_of(error)
}
