//! The texts of a program's kernels.

use super::declaration::{Declaration, Kernels};
use crate::failure::Failure;
use komorebi::Program;
use komorebi::build::Sources;

/// The kernels, and what stands beside them for them to include.
pub(super) fn sources(declaration: &Declaration) -> Result<Sources, Failure> {
    match &declaration.kernels {
        Kernels::Folder(folder) => read_folder(&declaration.folder.join(folder)),
        Kernels::Files(files) => {
            let mut all = Sources::new();
            let mut kernels: [Option<String>; 3] = [None, None, None];
            for (slot, file) in kernels.iter_mut().zip(files) {
                let Some(file) = file else { continue };
                let path = declaration.folder.join(file);
                let bytes =
                    std::fs::read(&path).map_err(|error| Failure::Read { path: path.clone(), error })?;
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let folder = path.parent().map(std::path::Path::to_path_buf).unwrap_or_default();
                for beside in beside(&folder)? {
                    if !all.files.iter().any(|known| known.path == beside.path) {
                        all.files.push(beside);
                    }
                }
                if !all.files.iter().any(|known| known.path == name) {
                    all = all.file(name.clone(), bytes);
                }
                *slot = Some(name);
            }
            all.kernels = kernels.map(|name| name.map(Into::into));
            Ok(all)
        }
    }
}

fn read_folder(folder: &std::path::Path) -> Result<Sources, Failure> {
    let program = Program::new("kernels").kernels_dir(folder);
    match program.check() {
        Ok(()) => Ok(program.sources().clone()),
        Err(error) => Err(Failure::Build(error.messages.join("\n"))),
    }
}

/// The headers of a folder.
fn beside(folder: &std::path::Path) -> Result<Vec<komorebi::build::SourceFile>, Failure> {
    let fail = |error| Failure::Read { path: folder.to_path_buf(), error };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.extension().is_some_and(|end| end == "h" || end == "hpp" || end == "inc") {
            let bytes = std::fs::read(&path).map_err(|error| Failure::Read { path: path.clone(), error })?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.push(komorebi::build::SourceFile { path: name.into(), bytes: bytes.into() });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}
