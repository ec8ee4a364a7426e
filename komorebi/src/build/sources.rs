//! A program's kernel sources.

use std::borrow::Cow;
use std::path::{Component, Path};

use komorebi_abi::program::Kernel;

use super::error::{Error, Result};

/// A file of a program's kernels: a kernel, or what one includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path below the program's kernel folder, with `/`: what diagnostics show and `#include "..."` finds.
    pub path: Cow<'static, str>,
    /// Its content.
    pub bytes: Cow<'static, [u8]>,
}

/// All files of a program's kernels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The files.
    pub files: Vec<SourceFile>,
    /// The paths of the reader, the compute and the writer kernel; without one, that kernel does nothing.
    pub kernels: [Option<Cow<'static, str>>; 3],
}

impl Sources {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file. `reader.cpp`, `compute.cpp` and `writer.cpp` are the kernels of those names.
    #[must_use]
    pub fn file(mut self, path: impl Into<Cow<'static, str>>, bytes: impl Into<Cow<'static, [u8]>>) -> Self {
        let path = path.into();
        for (kernel, slot) in Kernel::ALL.into_iter().zip(&mut self.kernels) {
            if path.strip_suffix(".cpp") == Some(kernel.name()) {
                *slot = Some(path.clone());
            }
        }
        self.files.push(SourceFile { path, bytes: bytes.into() });
        self
    }

    /// Checks that every path stays below the folder and every kernel is there.
    pub(super) fn check(&self) -> Result<()> {
        for file in &self.files {
            let path = Path::new(&*file.path);
            if file.path.is_empty() || !path.components().all(|part| matches!(part, Component::Normal(_))) {
                return Err(Error::SourcePath { path: file.path.to_string() });
            }
        }
        for (kernel, path) in Kernel::ALL.into_iter().zip(&self.kernels) {
            let Some(path) = path else { continue };
            if !self.files.iter().any(|file| file.path == *path) {
                let present = self.files.iter().map(|file| &*file.path).collect::<Vec<_>>().join(", ");
                return Err(Error::NoKernel { kernel: kernel.name(), path: path.to_string(), present });
            }
        }
        Ok(())
    }
}
