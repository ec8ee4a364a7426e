//! Reading files, bounded: a device or a picture given by mistake is an error, not a wait.

use crate::failure::Failure;
use std::io::{self, Read as _};
use std::path::Path;

/// The bytes of a file, at most `limit`; `what` says whose limit that is.
pub(crate) fn read(path: &Path, limit: usize, what: &'static str) -> Result<Vec<u8>, Failure> {
    let fail = |error| Failure::Read { path: path.to_path_buf(), error };
    let bytes = read_at_most(path, limit + 1).map_err(fail)?;
    if bytes.len() > limit {
        return Err(Failure::TooLarge { path: path.to_path_buf(), limit, what });
    }
    Ok(bytes)
}

/// The first bytes of a file.
pub(crate) fn read_at_most(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}
