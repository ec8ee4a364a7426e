//! Numbers: literals, or constants of the header by their C++ names.

use komorebi_abi::program::Rule;
use komorebi_headers::HeaderError;

use super::header::ProgramHeader;
use crate::anchor::Anchor;
use crate::errors::{Errors, Message};
use crate::value::Value;

const COUNTS: &str = "numbers here count from 0: write one without sign";

/// The number that `value` is. After an error, or where the header is unknown, `None`.
pub(crate) fn resolve(value: &Value, what: &str, header: &ProgramHeader, errors: &mut Errors) -> Option<u32> {
    match value {
        Value::Int(literal) => {
            let number = literal.base10_parse::<u64>().ok().and_then(|number| u32::try_from(number).ok());
            let help = match (number, literal.suffix()) {
                (Some(_), "" | "u32") => return number,
                (Some(number), _) => format!("write it without a type: `{number}`"),
                // Some compilers hand the sign over with the digits.
                _ if literal.base10_digits().starts_with('-') => COUNTS.to_owned(),
                (None, _) => format!("numbers here have 32 bits: {} is the most", u32::MAX),
            };
            let text = format!("expected a number below 2^32 for {what}, found `{literal}`");
            errors.push(value.anchor(), &Message::new(Rule::Number, text).help(help));
            None
        }
        Value::Name(name, anchor) => resolve_name(name, *anchor, what, header, errors),
        Value::Negative(text, anchor) => {
            let text = format!("expected a number below 2^32 for {what}, found `{text}`");
            errors.push(*anchor, &Message::new(Rule::Number, text).help(COUNTS));
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
                    errors.push(anchor, &Message::new(Rule::Number, text).detail(place));
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
