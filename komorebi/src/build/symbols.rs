//! From an address in an image to the function and line it was compiled from.

use std::fmt;
use std::path::Path;

use addr2line::{Loader, demangle_auto};

/// A place in device code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodePlace {
    /// The function.
    pub function: String,
    /// `file:line`; the file of a program's kernels as the program names it.
    pub line: Option<String>,
}

impl fmt::Display for CodePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.function)?;
        self.line.iter().try_for_each(|line| write!(f, " at {line}"))
    }
}

/// The folder of a build that holds the program's own files.
pub(super) const SOURCES: &str = "src";

/// Where `address` of the ELF file at `path` comes from; debug information names the build's folder `place`.
///
/// Of a chain of inlined functions it is the innermost one in the program's own files: a handler rather than the library
/// function that it calls. With it comes whether it is in those files.
pub(super) fn locate(path: &Path, place: &Path, address: u64) -> Option<(CodePlace, bool)> {
    let loader = Loader::new(path).ok()?;
    let own = place.join(SOURCES);
    let mut innermost = None;
    let mut frames = loader.find_frames(address).ok()?;
    while let Ok(Some(frame)) = frames.next() {
        let function = frame
            .function
            .as_ref()
            .and_then(|function| function.demangle().ok().map(|name| name.into_owned()));
        let Some(function) = function else { continue };
        let file = frame.location.as_ref().and_then(|location| location.file);
        let name = file.map(|file| file.replace("/./", "/"));
        let inside = name.as_deref().and_then(|name| Path::new(name).strip_prefix(&own).ok());
        let number = frame.location.as_ref().and_then(|location| location.line);
        let shown = inside.map(|inside| inside.display().to_string()).or(name.clone());
        let line = shown.zip(number).map(|(file, number)| format!("{file}:{number}"));
        let found = CodePlace { function, line };
        if inside.is_some() {
            return Some((found, true));
        }
        innermost.get_or_insert(found);
    }
    // Code without debug information still has symbols.
    let found = innermost.or_else(|| {
        let name = loader.find_symbol(address)?;
        Some(CodePlace { function: demangle_auto(name.into(), None).into_owned(), line: None })
    });
    found.map(|found| (found, false))
}
