//! The program's header: handler numbers and other constants.

use std::path::{Path, PathBuf};

use komorebi_abi::program::{Rule, handler_name};
use komorebi_headers::{Constant, Files, Header, Options};
use syn::LitStr;

use super::files::{exists, missing_help};
use super::places::Named;
use crate::anchor::Anchor;
use crate::context::Context;
use crate::errors::{Errors, Message};
use crate::facts::HeaderConstant;
use crate::value::Value;

/// What is known of the header.
#[derive(Debug)]
pub(crate) enum ProgramHeader {
    /// The program names none.
    Absent,
    /// It names one that is not known: the error is reported, or the source file is unknown.
    Unknown,
    /// It was read.
    Read(Box<ReadHeader>),
}

/// A header that was read.
#[derive(Debug)]
pub(crate) struct ReadHeader {
    /// Its path as the program writes it.
    pub(crate) path: LitStr,
    pub(crate) header: Header,
}

/// A handler of the header.
pub(crate) struct HeaderHandler<'a> {
    /// Its name in Rust.
    pub(crate) name: String,
    pub(crate) constant: &'a Constant,
}

impl Named {
    pub(crate) fn of(constant: &Constant) -> Self {
        Self { name: constant.name.clone(), location: constant.location.clone() }
    }
}

impl ReadHeader {
    /// The line of a constant, rendered; `says` is what it is shown for.
    pub(crate) fn line(&self, says: &str, named: &Named) -> String {
        self.header.render_at(says, &named.location, named.name.len())
    }

    /// The handlers declared in the header and what it includes, by `kHandlerName` constants.
    pub(crate) fn handlers(&self) -> impl Iterator<Item = HeaderHandler<'_>> {
        self.own_constants()
            .filter_map(|constant| handler_name(&constant.name).map(|name| HeaderHandler { name, constant }))
    }

    /// The constants of the header and what it includes, without the runtime's.
    fn own_constants(&self) -> impl Iterator<Item = &Constant> {
        self.header
            .constants()
            .filter(|constant| !RUNTIME.iter().any(|dir| constant.location.file.starts_with(dir)))
    }

    /// Is handler `name` declared by a constant that was refused for having no value?
    pub(crate) fn has_valueless(&self, name: &str) -> bool {
        let mut refused = self.header.unevaluated().filter(|bad| bad.own && bad.is_mistake());
        refused.any(|bad| handler_name(&bad.name).as_deref() == Some(name))
    }
}

/// The constants of a header as other macros see them.
#[derive(Debug, Default)]
pub(crate) struct HeaderConstants {
    /// The header's path as the program writes it.
    pub(crate) header: Option<String>,
    pub(crate) constants: Vec<HeaderConstant>,
}

impl ProgramHeader {
    /// The constant that `value` names.
    pub(crate) fn named(&self, value: &Value) -> Option<Named> {
        let (Self::Read(read), Value::Name(name, _)) = (self, value) else { return None };
        read.header.get(name).ok().map(Named::of)
    }

    /// The constants of the header and what it includes, without the runtime's. Places are relative to the source file,
    /// so that the same crate in two folders gives the same.
    pub(crate) fn constants(&self) -> HeaderConstants {
        let Self::Read(read) = self else { return HeaderConstants::default() };
        let header = read.path.value();
        let folder = read.header.path().parent().unwrap_or(Path::new(""));
        let written = Path::new(&header).parent().unwrap_or(Path::new(""));
        let constants = read
            .own_constants()
            .map(|constant| {
                let at = &constant.location;
                let file = at.file.strip_prefix(folder).map_or_else(
                    |_| at.file.file_name().map(PathBuf::from).unwrap_or_default(),
                    |file| written.join(file),
                );
                let text = read.header.text(&at.file).and_then(|text| text.lines().nth(at.line as usize - 1));
                HeaderConstant {
                    name: constant.name.clone(),
                    value: constant.value.number,
                    place: format!("{}:{}", file.display(), at.line),
                    line: text.unwrap_or_default().trim().to_owned(),
                }
            })
            .collect();
        HeaderConstants { header: Some(header), constants }
    }
}

/// The headers that every kernel may include: those of this very workspace, whose crate is being compiled with it.
const RUNTIME: [&str; 2] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/include"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../firmware/include"),
];

/// Reads the header that `value` names, with the program's `defines`.
pub(crate) fn load_header(
    value: Option<&Value>,
    defines: &[(String, String)],
    context: &Context,
    errors: &mut Errors,
) -> ProgramHeader {
    let path = match value {
        None => return ProgramHeader::Absent,
        Some(Value::Text(path)) => path,
        Some(other) => {
            let message =
                Message::new(Rule::Field, format!("`header` is a path, found {}", other.describe()));
            errors.push(other.anchor(), &message.help("write it as in `header = \"kernels/heat.h\"`"));
            return ProgramHeader::Unknown;
        }
    };
    let Some(folder) = &context.folder else { return ProgramHeader::Unknown };
    let anchor = Anchor::at(path.span());
    let file = folder.join(path.value());
    if !exists(&file) {
        errors.push(anchor, &missing(path, folder));
        return ProgramHeader::Unknown;
    }
    let mut options = RUNTIME.iter().fold(Options::new(), |options, dir| options.include_dir(dir));
    for (name, body) in defines {
        options = options.define(name, body);
    }
    match Header::load(&file, &Files, &options) {
        Ok(header) => {
            report_mistakes(&header, anchor, errors);
            ProgramHeader::Read(Box::new(ReadHeader { path: path.clone(), header }))
        }
        Err(error) => {
            let text = format!("the header {:?} cannot be read", path.value());
            errors.push(anchor, &Message::new(Rule::Header, text).detail_of(&error));
            ProgramHeader::Unknown
        }
    }
}

/// Every constant of the header's own that was meant as one and has no value.
fn report_mistakes(header: &Header, anchor: Anchor, errors: &mut Errors) {
    for bad in header.unevaluated().filter(|bad| bad.own && bad.is_mistake()) {
        let message = Message::new(Rule::Header, format!("`{}` of the header cannot be evaluated", bad.name));
        errors.push(anchor, &message.detail_of(&bad.error));
    }
}

fn missing(path: &LitStr, folder: &Path) -> Message {
    let message =
        Message::new(Rule::Header, format!("there is no header {:?} beside this source file", path.value()));
    message.help(missing_help(folder, &path.value()))
}
