//! The rules of the reader, one test a rule. The values themselves are the compiler's business (`tests/differential`).

mod declarations;
mod documents;
mod errors;
mod preprocessor;
mod values;

use komorebi_headers::{ErrorKind, Header, Memory, Model, Options};

/// Reads a text that must be a good header.
fn read(text: &str) -> Header {
    with(text, &Memory::new(), &Options::new())
}

fn with(text: &str, files: &Memory, options: &Options) -> Header {
    Header::parse("a.h", text, files, options).unwrap_or_else(|error| panic!("{}", error.render()))
}

/// The number of a constant.
fn value(header: &Header, name: &str) -> i128 {
    header.get(name).unwrap_or_else(|error| panic!("{}", error.render())).value.number
}

/// The value of an expression, as the initializer of an `auto` constant.
fn of(expression: &str, model: Model) -> Result<(i128, u8, bool), ErrorKind> {
    let text = format!("#include <stdint.h>\nconstexpr auto k = {expression};");
    let header = with(&text, &Memory::new(), &Options::new().model(model));
    let found = header.get("k").map_err(|error| error.kind())?.value;
    Ok((found.number, found.ty.bits, found.ty.signed))
}

fn number(expression: &str) -> i128 {
    of(expression, Model::ILP32).unwrap_or_else(|kind| panic!("{expression}: {kind:?}")).0
}

fn refused(expression: &str) -> ErrorKind {
    of(expression, Model::ILP32).expect_err(expression)
}
