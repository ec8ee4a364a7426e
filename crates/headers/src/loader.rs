//! Where the texts of headers come from: the file system, or memory.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::file::read_file;

/// A source of header texts.
pub trait Loader {
    /// The bytes of a file.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] when there is no such file, and the search for an include goes on; any other error ends it.
    fn load(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// The one name of a file that may be reached by several paths, for `#pragma once`.
    fn identity(&self, path: &Path) -> PathBuf {
        normal(path)
    }
}

/// More than the reader takes of all files together: what is longer it refuses itself.
const MOST_BYTES: usize = 16 << 20;

/// Loads regular files from the file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Files;

impl Loader for Files {
    fn load(&self, path: &Path) -> io::Result<Vec<u8>> {
        // A search for an include passes by a folder of its name, as g++ does.
        read_file(path, MOST_BYTES).map_err(|error| match error.kind() {
            io::ErrorKind::IsADirectory => io::Error::new(io::ErrorKind::NotFound, error),
            _ => error,
        })
    }

    fn identity(&self, path: &Path) -> PathBuf {
        path.canonicalize().unwrap_or_else(|_| normal(path))
    }
}

/// Texts held in memory by their path: for tests and embedded headers.
#[derive(Clone, Debug, Default)]
pub struct Memory(BTreeMap<PathBuf, Vec<u8>>);

impl Memory {
    /// No texts.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// The same with one text more.
    pub fn with(mut self, path: impl AsRef<Path>, text: impl Into<Vec<u8>>) -> Memory {
        self.0.insert(normal(path.as_ref()), text.into());
        self
    }
}

impl Loader for Memory {
    fn load(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0
            .get(&normal(path))
            .cloned()
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such text"))
    }
}

/// A path without `.` and, where a folder stands before it, without `..`.
#[must_use]
pub fn normal(path: &Path) -> PathBuf {
    let mut parts: Vec<Component<'_>> = Vec::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(parts.last(), Some(Component::Normal(_))) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_memory_is_found_by_every_spelling_of_its_path() {
        let memory = Memory::new().with("include/km/a.h", "1");
        for path in ["include/km/a.h", "./include/km/../km/a.h", "include/./km/a.h"] {
            assert_eq!(memory.load(Path::new(path)).ok(), Some(b"1".to_vec()), "{path}");
        }
        assert_eq!(memory.load(Path::new("../include/km/a.h")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
