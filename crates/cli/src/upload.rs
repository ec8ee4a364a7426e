//! The file of an upload, and what its program's header says of it.

use crate::arguments::UploadArguments;
use crate::failure::Failure;
use crate::{headers, input};
use komorebi_abi::constants::{command, engine, layout};
use komorebi_abi::engine::{Facts, Image, Reason, Refusal, UploadKind};
use komorebi_abi::program::{Handler, handler_name};

/// The bytes of an upload of the kind that was asked for.
pub(crate) struct Upload<'a> {
    arguments: &'a UploadArguments,
    pub(crate) bytes: Vec<u8>,
    /// Cores that its groups may name.
    pub(crate) cores: u32,
    /// Its program's handlers, when a header was given.
    pub(crate) facts: Option<Facts>,
}

impl<'a> Upload<'a> {
    /// Reads it, and the header.
    pub(crate) fn read(arguments: &'a UploadArguments, kind: UploadKind) -> Result<Self, Failure> {
        let cores = arguments.cores.unwrap_or(command::CORES_MAX);
        if !(1..=command::CORES_MAX).contains(&cores) {
            return Err(Failure::Cores { cores, most: command::CORES_MAX });
        }
        let limit = layout::UPLOAD_BYTES as usize;
        let bytes = input::read(&arguments.file, limit, "the upload region holds")?;
        let path = || arguments.file.clone();
        match Image::peek(&bytes) {
            Some((Some(found), _)) if found == kind => {}
            Some((Some(found), _)) => return Err(Failure::OtherKind { path: path(), found: name(found) }),
            Some((None, _)) | None => {
                return Err(Failure::NoUpload { path: path(), found: describe(&bytes) });
            }
        }
        let facts = arguments.header.as_deref().map(|header| {
            let header = headers::read(header, &[], &[])?;
            Ok(facts(headers::own(&header).filter_map(|constant| {
                let number = u32::try_from(constant.value.number).ok()?;
                Some(Handler { name: handler_name(&constant.name)?, number, args: Vec::new(), result: None })
            })))
        });
        Ok(Self { arguments, bytes, cores, facts: facts.transpose()? })
    }

    /// The failure of an upload that the dispatcher would refuse.
    pub(crate) fn refused(&self, refusal: Refusal, place: &str) -> Failure {
        let place = refusal.place.map_or_else(String::new, |at| format!(" at {place} {at}"));
        let reason = refusal.reason;
        let grid = if reason == Reason::GROUP { "; `--cores` gives the grid's" } else { "" };
        let what = format!("`{reason}`{place}: {}; {}{grid}", reason.meaning(), reason.advice());
        Failure::Refused { path: self.arguments.file.clone(), what }
    }

    /// Hands the text to where it was asked for.
    pub(crate) fn write(&self, text: &str) -> Result<(), Failure> {
        crate::output::write(text, self.arguments.output.as_deref())
    }
}

fn facts(handlers: impl Iterator<Item = Handler>) -> Facts {
    Facts {
        program: String::new(),
        handlers: handlers.collect(),
        cores: None,
        region_bytes: layout::UPLOAD_BYTES,
        typed: false,
        complete: true,
    }
}

const fn name(kind: UploadKind) -> &'static str {
    match kind {
        UploadKind::Stream => "stream",
        UploadKind::Graph => "graph",
    }
}

fn describe(bytes: &[u8]) -> String {
    let magic = engine::UPLOAD_MAGIC.to_le_bytes();
    match bytes.first_chunk::<8>() {
        None if bytes.is_empty() => "it is empty".to_owned(),
        None => format!("it has {} bytes", bytes.len()),
        Some(word) if word.starts_with(&magic) => format!("it has the unknown kind {}", word[4]),
        Some(word) => format!("it begins with the bytes {}", word.escape_ascii()),
    }
}
