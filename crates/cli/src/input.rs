//! Reading files, bounded: a FIFO, a device or a picture given by mistake is an error, not a wait.

use crate::failure::Failure;
use komorebi_headers::read_file;
use std::path::Path;

/// The bytes of a file, at most `limit`; `what` says whose limit that is.
pub(crate) fn read(path: &Path, limit: usize, what: &'static str) -> Result<Vec<u8>, Failure> {
    let fail = |error| Failure::Read { path: path.to_path_buf(), error };
    let bytes = read_file(path, limit + 1).map_err(fail)?;
    if bytes.len() > limit {
        return Err(Failure::TooLarge { path: path.to_path_buf(), limit, what });
    }
    Ok(bytes)
}
