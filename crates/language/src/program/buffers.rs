//! `buffers(..)`: circular buffers.

use komorebi_abi::program::{Buffer, Format, Rule};
use syn::Meta;

use super::attribute::BufferParts;
use super::collect::Collect;
use super::number::resolve;
use super::places::BufferPlaces;
use crate::anchor::Anchor;
use crate::errors::{Errors, Message};
use crate::parts::{Part, parse_fields, parse_parts};
use crate::value::Value;

/// How to write the buffer of that name.
fn example(name: &str) -> String {
    format!("write it as in `{name}(index = 0, format = bfloat16, page_bytes = 2048, pages = 4)`")
}

/// Reads all buffers.
pub(crate) fn collect_buffers(value: &Value, into: &mut Collect<'_>) {
    let Value::Parts(tokens, anchor) = value else {
        let message =
            Message::new(Rule::Field, format!("`buffers` is a list of buffers, found {}", value.describe()));
        into.errors.push(value.anchor(), &message.help(format!("{} inside `buffers(..)`", example("input"))));
        return;
    };
    into.places.all_buffers = Some(*anchor);
    for part in parse_parts(tokens.clone(), "`buffers`", into.errors) {
        collect_buffer(&part, into);
    }
}

fn collect_buffer(part: &Part, into: &mut Collect<'_>) {
    let Meta::List(list) = &part.meta else {
        let message = Message::new(Rule::Field, format!("buffer `{}` has no parts", part.name));
        into.errors.push(Anchor::of(&part.meta), &message.help(example(&part.name)));
        return;
    };
    let owner = format!("buffer `{}`", part.name);
    let parts: BufferParts = parse_fields(list.tokens.clone(), &owner, &BufferParts::PARTS, into.errors);
    let number = |field: &str, value: Option<&Value>, into: &mut Collect<'_>| {
        let value = required(value, field, &owner, part.key, into.errors)?;
        resolve(value, &format!("`{field}` of {owner}"), into.header, into.errors)
    };
    let index = number("index", parts.index.as_ref(), into);
    let page_bytes = number("page_bytes", parts.page_bytes.as_ref(), into);
    let pages = number("pages", parts.pages.as_ref(), into);
    let format = required(parts.format.as_ref(), "format", &owner, part.key, into.errors)
        .and_then(|value| format(value, &owner, into.errors));
    // What is not known is filled in so that no other rule speaks about it.
    let taken = |index: u32| into.model.buffers.iter().any(|buffer| buffer.index == index);
    let Some(index) = index.or_else(|| (0..29).rev().find(|index| !taken(*index))) else { return };
    let filled = format.unwrap_or(Format::Bfloat16);
    into.model.buffers.push(Buffer {
        name: Some(part.name.clone()),
        index,
        format: filled,
        page_bytes: page_bytes.unwrap_or(filled.page_step()),
        pages: pages.unwrap_or(1),
    });
    let place = |value: &Option<Value>| value.as_ref().map_or(part.key, Value::anchor);
    into.places.buffers.push(BufferPlaces {
        index: place(&parts.index),
        page_bytes: place(&parts.page_bytes),
        pages: place(&parts.pages),
    });
}

fn required<'a>(
    value: Option<&'a Value>,
    field: &str,
    owner: &str,
    key: Anchor,
    errors: &mut Errors,
) -> Option<&'a Value> {
    if value.is_none() {
        let value = match field {
            "index" => "0",
            "format" => "bfloat16",
            "page_bytes" => "2048",
            _ => "4",
        };
        let message = Message::new(Rule::Field, format!("{owner} has no `{field}`"));
        errors.push(key, &message.help(format!("add it, as in `{field} = {value}`")));
    }
    value
}

fn format(value: &Value, owner: &str, errors: &mut Errors) -> Option<Format> {
    let known = || Format::ALL.into_iter().map(Format::name);
    if let Value::Name(name, anchor) = value {
        let format = Format::from_name(name);
        if format.is_none() {
            let message = Message::new(Rule::Choice, format!("`{name}` of {owner} is no data format"));
            errors.push(*anchor, &message.nearest(name, known()));
        }
        return format;
    }
    let names: Vec<&str> = known().collect();
    let message =
        Message::new(Rule::Choice, format!("`format` of {owner} is a name, found {}", value.describe()));
    errors.push(value.anchor(), &message.help(format!("known are {}", names.join(", "))));
    None
}
