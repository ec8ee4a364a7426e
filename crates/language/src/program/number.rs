//! Numbers: literals, or constants of the header by their C++ names.

use komorebi_abi::program::Rule;
use komorebi_headers::HeaderError;

use super::header::ProgramHeader;
use crate::anchor::Anchor;
use crate::errors::{Errors, Message};
use crate::value::Value;

/// What a word may be that means no more than its bits.
pub(crate) const WORD: &str = "a number from 0 to 4294967295";

/// The number that `value` is. After an error, or where the header is unknown, `None`. What it may be is for the
/// rules to check; `range` says it where it is no number of 32 bits.
pub(crate) fn resolve(
    value: &Value,
    what: &str,
    range: &str,
    header: &ProgramHeader,
    errors: &mut Errors,
) -> Option<u32> {
    match value {
        Value::Int(literal) => {
            let number = literal.base10_parse::<u64>().ok().and_then(|number| u32::try_from(number).ok());
            let help = match (number, literal.suffix()) {
                (Some(_), "" | "u32") => return number,
                (Some(number), _) => format!("write it without a type: `{number}`"),
                (None, _) => format!("write {range}"),
            };
            let text = match number {
                Some(_) => format!("expected a number without a type for {what}, found `{literal}`"),
                None => format!("`{literal}` is out of range for {what}"),
            };
            errors.push(value.anchor(), &Message::new(Rule::Number, text).help(help));
            None
        }
        Value::Name(name, anchor) => resolve_name(name, *anchor, what, range, header, errors),
        Value::Negative(text, anchor) => {
            let bits = text.parse::<i32>().ok().filter(|_| range == WORD).map(i32::cast_unsigned);
            let help = match bits {
                Some(bits) => format!("write the bits of the word: `{bits}`"),
                None => format!("write {range}"),
            };
            let text = format!("`{text}` is out of range for {what}");
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
                    let text = format!("`{name}` is {value}, which is out of range for {what}");
                    let place =
                        read.header.render_at("it is declared here", &constant.location, constant.name.len());
                    let help = format!("write {range}, or a constant that is one");
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
