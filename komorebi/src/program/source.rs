//! Kernels' texts from a folder.

use std::path::{Path, PathBuf};

use komorebi_abi::program::Kernel;

use crate::build::Sources;

/// The kernels and headers of `folder`, or what could not be read.
pub(super) fn read_folder(folder: &Path) -> Result<Sources, Vec<String>> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| vec![format!("the kernels' folder {} cannot be read: {error}", folder.display())])?;
    let mut paths: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| source(path)).collect();
    paths.sort();
    let (mut sources, mut messages) = (Sources::new(), Vec::new());
    for path in paths {
        match std::fs::read(&path) {
            Ok(bytes) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                sources = sources.file(name, bytes);
            }
            Err(error) => messages.push(format!("{} cannot be read: {error}", path.display())),
        }
    }
    if sources.kernels.iter().all(Option::is_none) {
        let names = Kernel::ALL.map(|kernel| format!("{}.cpp", kernel.name())).join(", ");
        messages.push(format!("{} holds none of {names}", folder.display()));
    }
    if messages.is_empty() { Ok(sources) } else { Err(messages) }
}

/// A kernel, or a header that one may include.
fn source(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default();
    match path.extension().and_then(|end| end.to_str()) {
        Some("h" | "hpp" | "inc") => true,
        Some("cpp") => Kernel::ALL.iter().any(|kernel| stem == kernel.name()),
        _ => false,
    }
}
