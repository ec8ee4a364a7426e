//! The embedded device code on disk, where the compiler finds it and debug information points.

use std::path::PathBuf;

use super::cache::{Cache, Key, Kind, write_files};
use super::embedded;
use super::error::Result;

/// The folder that holds `firmware/` and `kernels/`.
#[derive(Clone, Debug)]
pub(super) struct Library {
    root: PathBuf,
}

impl Library {
    /// Writes the files, unless this very set is there already.
    pub(super) fn open(cache: &Cache) -> Result<Self> {
        let root = cache
            .entry(Kind::Sources, &key(), |draft, _| write_files(draft, embedded::files().iter().copied()))?;
        Ok(Self { root })
    }

    /// A file or folder of it.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Compiler flags: the folders whose headers are found by `<komorebi/...>`.
    pub(super) fn includes(&self, folders: &[&str]) -> Vec<String> {
        folders.iter().map(|folder| format!("-I{}", self.path(folder).display())).collect()
    }
}

/// The content of every embedded file.
pub(super) fn key() -> Key {
    let mut key = Key::new("sources");
    for (name, bytes) in embedded::files() {
        key.add(name);
        key.add(bytes);
    }
    key
}
