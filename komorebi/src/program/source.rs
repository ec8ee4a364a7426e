//! Kernels' texts from a folder.

use std::path::{Path, PathBuf};

use komorebi_abi::program::Kernel;
use komorebi_headers::read_file;

use crate::build::{SourceFile, Sources};

/// The kernels and headers of `folder`, or what could not be read.
pub(super) fn read_folder(folder: &Path) -> Result<Sources, Vec<String>> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| vec![format!("the kernels' folder {} cannot be read: {error}", folder.display())])?;
    let mut paths: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| source(path)).collect();
    paths.sort();
    let (mut sources, mut messages) = (Sources::new(), Vec::new());
    for path in paths {
        match read_file(&path, usize::MAX) {
            Ok(bytes) => {
                sources = sources.file(name_of(&path), bytes);
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

/// A file's name in a build: that in its folder.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Adds the file at `path` and the headers beside it to `files`; gives what could not be read.
pub(super) fn read_beside(path: &Path, files: &mut Vec<SourceFile>) -> Vec<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = beside.filter(|path| header(path)).collect();
    paths.sort();
    paths.insert(0, path.to_owned());
    let mut messages = Vec::new();
    for path in paths {
        let bytes = match read_file(&path, usize::MAX) {
            Ok(bytes) => bytes,
            Err(error) => {
                messages.push(format!("{} cannot be read: {error}", path.display()));
                continue;
            }
        };
        let name = name_of(&path);
        match files.iter().find(|file| *file.path == *name) {
            Some(file) if *file.bytes == *bytes => {}
            Some(_) => messages.push(format!(
                "{} and another file of the program are both called {name}; rename one of them",
                path.display()
            )),
            None => files.push(SourceFile { path: name.into(), bytes: bytes.into() }),
        }
    }
    messages
}

fn header(path: &Path) -> bool {
    matches!(path.extension().and_then(|end| end.to_str()), Some("h" | "hpp" | "inc"))
}

/// A kernel, or a header that one may include.
fn source(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default();
    let kernel = || Kernel::ALL.iter().any(|kernel| stem == kernel.name());
    header(path) || (path.extension().is_some_and(|end| end == "cpp") && kernel())
}
