//! The texts of a program's kernels.

use super::declaration::Declaration;
use crate::failure::Failure;
use komorebi::build::{SourceFile, Sources};
use komorebi_headers::read_file;

/// The kernels, and what they include from beside them: the files that the macro puts into a binary.
pub(super) fn sources(declaration: &Declaration) -> Result<Sources, Failure> {
    let mut all = Sources::new();
    for file in &declaration.read.files {
        let path = declaration.folder.join(&file.place);
        let bytes = read_file(&path, usize::MAX).map_err(|error| Failure::Read { path, error })?;
        all.files.push(SourceFile { path: file.name.clone().into(), bytes: bytes.into() });
    }
    let name = |at: usize| declaration.read.files.get(at).map(|file| file.name.clone().into());
    all.kernels = declaration.read.kernels.map(|at| at.and_then(name));
    Ok(all)
}
