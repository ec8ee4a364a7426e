//! Where the text goes.

use crate::failure::Failure;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

/// Writes `text` to a file, or to standard output. Who reads that may stop reading: no error.
pub(crate) fn write(text: &str, file: Option<&Path>) -> Result<(), Failure> {
    if let Some(path) = file {
        return std::fs::write(path, text)
            .map_err(|error| Failure::Write { path: path.to_path_buf(), error });
    }
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(Failure::Output),
    }
}
