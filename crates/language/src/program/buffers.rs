//! `buffers(..)`: circular buffers.

use komorebi_abi::constants::core;
use komorebi_abi::program::{Buffer, Format, Place, Rule};
use syn::Meta;

use super::attribute::BufferParts;
use super::collect::Collect;
use super::header::ProgramHeader;
use super::number::resolve;
use super::options::expected_name;
use super::places::{BufferPlaces, Named, NoIndex};
use crate::anchor::Anchor;
use crate::errors::{Errors, Message};
use crate::parts::{Part, parse_fields, parse_parts};
use crate::value::Value;

/// How to write the buffer of that name, with a free index.
fn example(name: &str, index: u32) -> String {
    format!("write it as in `{name}(index = {index}, format = bfloat16, page_bytes = 2048, pages = 4)`")
}

/// Reads all buffers.
pub(crate) fn collect_buffers(value: &Value, into: &mut Collect<'_>) {
    let Value::Parts(tokens, anchor) = value else {
        let message =
            Message::new(Rule::Field, format!("`buffers` is a list of buffers, found {}", value.describe()));
        into.errors
            .push(value.anchor(), &message.help(format!("{} inside `buffers(..)`", example("input", 0))));
        return;
    };
    into.places.all_buffers = Some(*anchor);
    for part in parse_parts(tokens.clone(), "`buffers`", into.errors) {
        collect_buffer(&part, into);
    }
    fill_indices(into);
}

/// Indices that are not known are filled in so that no other rule speaks about them, and none is suggested twice.
fn fill_indices(into: &mut Collect<'_>) {
    for i in 0..into.model.buffers.len() {
        let Some(why) = into.places.buffers[i].no_index else { continue };
        let taken = |index: u32| into.model.buffers.iter().any(|buffer| buffer.index == index);
        let mut free = USERS.filter(|index| !taken(*index));
        let index = match why {
            NoIndex::Refused => free.next_back(),
            NoIndex::Unwritten | NoIndex::NoParts => free.next(),
        }
        .unwrap_or(0);
        let name = into.model.buffers[i].name.clone().unwrap_or_default();
        let owner = format!("buffer `{name}`");
        let message = match why {
            NoIndex::Refused => None,
            NoIndex::Unwritten => Some((format!("{owner} has no `index`"), add("index", &index.to_string()))),
            NoIndex::NoParts => Some((format!("{owner} has no parts"), example(&name, index))),
        };
        if let Some((text, help)) = message {
            into.errors.push(into.places.buffers[i].index, &Message::new(Rule::Field, text).help(help));
        }
        into.model.buffers[i].index = index;
    }
}

/// Indices that are not the runtime's.
const USERS: std::ops::Range<u32> = 0..29;

/// Stands for an index that is not known yet.
const NO_INDEX: u32 = u32::MAX;

fn collect_buffer(part: &Part, into: &mut Collect<'_>) {
    let Meta::List(list) = &part.meta else {
        let (filled, anchor) = (Format::Bfloat16, Anchor::of(&part.meta));
        let no_index = Some(NoIndex::NoParts);
        into.model.buffers.push(Buffer {
            name: Some(part.name.clone()),
            index: NO_INDEX,
            format: filled,
            page_bytes: filled.page_step(),
            pages: 1,
        });
        let name = part.name.clone();
        into.places.buffers.push(BufferPlaces {
            name,
            index: anchor,
            page_bytes: anchor,
            pages: anchor,
            no_index,
        });
        return;
    };
    let owner = format!("buffer `{}`", part.name);
    let i = into.model.buffers.len();
    let parts: BufferParts = parse_fields(list.tokens.clone(), &owner, &BufferParts::PARTS, into.errors);
    let number = |field: &str, value: Option<&Value>, into: &mut Collect<'_>| {
        let value = required(value, field, &owner, part.key, into.errors)?;
        let range = match field {
            "index" => format!("a number from 0 to {}", core::BUFFER_COMPUTE_TOKEN - 1),
            "pages" => format!("a number from 1 to {}", Buffer::PAGES_MAX),
            _ => "the bytes of one page, as in `page_bytes = 2048`".to_owned(),
        };
        resolve(value, &format!("`{field}` of {owner}"), &range, into.header, into.errors)
    };
    let (index, no_index) = match &parts.index {
        None => (None, Some(NoIndex::Unwritten)),
        Some(value) => {
            let index = number("index", Some(value), into);
            let index = index.filter(|index| agrees(&part.name, *index, value, into));
            (index, index.is_none().then_some(NoIndex::Refused))
        }
    };
    for (place, value) in [
        (Place::BufferIndex(i), &parts.index),
        (Place::BufferPageBytes(i), &parts.page_bytes),
        (Place::BufferPages(i), &parts.pages),
    ] {
        if let Some(value) = value {
            into.given(place, value);
        }
    }
    let page_bytes = number("page_bytes", parts.page_bytes.as_ref(), into);
    let pages = number("pages", parts.pages.as_ref(), into);
    let format = required(parts.format.as_ref(), "format", &owner, part.key, into.errors)
        .and_then(|value| format(value, &owner, into.errors));
    // What is not known is filled in so that no other rule speaks about it.
    let filled = format.unwrap_or(Format::Bfloat16);
    into.model.buffers.push(Buffer {
        name: Some(part.name.clone()),
        index: index.unwrap_or(NO_INDEX),
        format: filled,
        page_bytes: page_bytes.unwrap_or(filled.page_step()),
        pages: pages.unwrap_or(1),
    });
    let place = |value: &Option<Value>| value.as_ref().map_or(part.key, Value::anchor);
    into.places.buffers.push(BufferPlaces {
        name: part.name.clone(),
        index: place(&parts.index),
        page_bytes: place(&parts.page_bytes),
        pages: place(&parts.pages),
        no_index,
    });
}

/// The kernels include the header, and take its constant of the buffer's name for the index: is it the one given?
fn agrees(name: &str, index: u32, given: &Value, into: &mut Collect<'_>) -> bool {
    let ProgramHeader::Read(read) = into.header else { return true };
    let wanted = Buffer::constant(name);
    let Ok(constant) = read.header.get(&wanted) else { return true };
    if constant.value.as_u32() == Some(index) {
        return true;
    }
    let value = constant.value;
    let text = format!(
        "buffer `{name}` has index {index}, and `{wanted}` of the header is {value}: the kernels would use that"
    );
    let help = match given {
        Value::Int(_) if USERS.contains(&index) => format!(
            "write `{wanted} = {index}` in the header and `index = {wanted}` here, or give one of them another name"
        ),
        _ => format!("write `index = {wanted}`, or give the buffer another name"),
    };
    let line = read.line("the header says", &Named::of(constant));
    into.errors.push(given.anchor(), &Message::new(Rule::BufferIndex, text).detail(line).help(help));
    false
}

fn add(field: &str, value: &str) -> String {
    format!("add it, as in `{field} = {value}`")
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
            "format" => "bfloat16",
            "page_bytes" => "2048",
            _ => "4",
        };
        let message = Message::new(Rule::Field, format!("{owner} has no `{field}`"));
        errors.push(key, &message.help(add(field, value)));
    }
    value
}

/// The format of a type's elements.
fn rust_type(name: &str) -> Option<&'static str> {
    let format = match name {
        "bf16" => Format::Bfloat16,
        "f32" => Format::Float32,
        "i32" => Format::Int32,
        "u32" => Format::Uint32,
        "u16" => Format::Uint16,
        "u8" => Format::Uint8,
        _ => return None,
    };
    Some(format.name())
}

fn format(value: &Value, owner: &str, errors: &mut Errors) -> Option<Format> {
    let known = || Format::ALL.into_iter().map(Format::name);
    if let Value::Name(name, anchor) = value {
        let format = Format::from_name(name);
        if format.is_none() {
            let message = Message::new(Rule::Choice, format!("`{name}` of {owner} is not a data format"));
            let message = match name.as_str() {
                "float16" | "fp16" | "f16" | "half" => {
                    let known: Vec<&str> = known().collect();
                    let known = known.join("`, `");
                    message.help(format!("`bfloat16` is the format of 16 bits; known are `{known}`"))
                }
                name => match rust_type(name) {
                    Some(format) => message.help(format!("did you mean `{format}`?")),
                    None => message.nearest(name, known()),
                },
            };
            errors.push(*anchor, &message);
        }
        return format;
    }
    let names: Vec<&str> = known().collect();
    let message =
        Message::new(Rule::Choice, format!("`format` of {owner} is a name, found {}", value.describe()));
    errors.push(value.anchor(), &message.help(expected_name(value, &names)));
    None
}
