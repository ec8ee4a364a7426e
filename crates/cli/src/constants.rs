//! `constants`: the constants of a header.

use crate::arguments::ConstantsArguments;
use crate::failure::Failure;
use crate::{headers, output};
use komorebi_headers::{Constant, ConstantKind};
use serde_json::{Map, Number, Value, json};
use std::fmt::Write as _;

/// Prints them, as text or as JSON.
pub(crate) fn run(arguments: &ConstantsArguments) -> Result<(), Failure> {
    let header = headers::read(&arguments.file, &arguments.include, &arguments.define)?;
    let constants: Vec<&Constant> = headers::own(&header).collect();
    let text = if arguments.json { as_json(&constants) } else { as_text(&constants) };
    output::write(&text, None)
}

/// The longest name that the others are filled up to: behind a longer one their lines would be mostly blanks.
const ALIGNED: usize = 64;

/// A line a constant: name, value, type, where, and the first line of its comment.
fn as_text(constants: &[&Constant]) -> String {
    let lengths = constants.iter().map(|constant| constant.path.chars().count());
    let names = lengths.filter(|length| *length <= ALIGNED).max().unwrap_or(0);
    let mut text = String::new();
    for constant in constants {
        let value = constant.value.number.to_string();
        let place = format!("{}", constant.location);
        let _ =
            write!(text, "{:names$} = {value:<10} {:<9} {place}", constant.path, constant.ty().to_string());
        if let Some(doc) = constant.doc.as_deref().and_then(|doc| doc.lines().next()) {
            let _ = write!(text, "  // {doc}");
        }
        text.push('\n');
    }
    text
}

/// An object with a member a constant, by its full name.
fn as_json(constants: &[&Constant]) -> String {
    let members: Map<String, Value> =
        constants.iter().map(|constant| (constant.path.clone(), member(constant))).collect();
    format!("{:#}\n", Value::Object(members))
}

fn member(constant: &Constant) -> Value {
    let number = constant.value.number;
    // A constant is 64 bits wide: one of the two holds it.
    let value = i64::try_from(number).map(Number::from).or_else(|_| u64::try_from(number).map(Number::from));
    let kind = match constant.kind {
        ConstantKind::Constexpr => "constexpr",
        ConstantKind::Define => "define",
        ConstantKind::Enumerator => "enumerator",
    };
    json!({
        "value": value.ok(),
        "type": constant.ty().to_string(),
        "kind": kind,
        "file": constant.location.file.display().to_string(),
        "line": constant.location.line,
        "column": constant.location.col,
        "doc": constant.doc,
    })
}
