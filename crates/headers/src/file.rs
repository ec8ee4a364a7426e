//! Reading a file that may be none: a FIFO waits for its writer, a device may have no end.

use std::fs::FileType;
use std::io::{Error, ErrorKind, Read as _, Result};
use std::path::Path;

/// The first bytes of a regular file, at most `most`.
///
/// # Errors
/// As opening and reading a file. What is no regular file is not opened: [`ErrorKind::IsADirectory`] of a folder,
/// [`ErrorKind::InvalidInput`] of a FIFO, a socket or a device, each with a text that says what it is.
pub fn read_file(path: &Path, most: usize) -> Result<Vec<u8>> {
    let kind = std::fs::metadata(path)?.file_type();
    if !kind.is_file() {
        let error = if kind.is_dir() { ErrorKind::IsADirectory } else { ErrorKind::InvalidInput };
        return Err(Error::new(error, format!("it is {}, not a regular file", describe(kind))));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What a path leads to, if that is something other than a regular file: `a folder`, `a FIFO`.
#[must_use]
pub fn no_regular_file(path: &Path) -> Option<&'static str> {
    let kind = std::fs::metadata(path).ok()?.file_type();
    (!kind.is_file()).then(|| describe(kind))
}

#[cfg(unix)]
fn describe(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    match kind {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_fifo() => "a FIFO",
        kind if kind.is_socket() => "a socket",
        kind if kind.is_char_device() => "a character device",
        kind if kind.is_block_device() => "a block device",
        _ => "something else",
    }
}

#[cfg(not(unix))]
fn describe(kind: FileType) -> &'static str {
    if kind.is_dir() { "a folder" } else { "something else" }
}
