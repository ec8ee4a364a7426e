//! Where the file goes, and how the error names it.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::PostMortem;
use crate::Error;

/// The variable that names the folder when the load does not.
const VARIABLE: &str = "KM_POSTMORTEM";

/// The folder that a load or the environment names.
pub(crate) fn folder(option: Option<&PathBuf>) -> Option<PathBuf> {
    let variable = || std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    option.cloned().or_else(variable)
}

/// Writes a last line of a message: which file tells more.
pub(crate) fn note(f: &mut fmt::Formatter<'_>, file: Option<&PathBuf>) -> fmt::Result {
    file.map_or(Ok(()), |file| {
        write!(f, "\n  post-mortem: `cargo komorebi explain {}` tells it", file.display())
    })
}

impl PostMortem {
    /// Writes the file and gives `error`, which names it. A file that cannot be written never hides the error.
    pub(crate) fn save(&self, folder: &Path, error: Error) -> Error {
        match self.write(folder) {
            Ok(path) => {
                tracing::warn!(path = %path.display(), "wrote a post-mortem");
                named(error, path)
            }
            Err(cause) => {
                tracing::warn!(folder = %folder.display(), %cause, "the post-mortem could not be written");
                error
            }
        }
    }

    fn write(&self, folder: &Path) -> io::Result<PathBuf> {
        std::fs::create_dir_all(folder)?;
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        let (mut file, path) = create(folder, &format!("komorebi-{}-{}", std::process::id(), self.load))?;
        file.write_all(&bytes)?;
        Ok(path)
    }
}

/// A file that was not there: `NAME.json`, or `NAME-2.json` and so on behind those of processes that had the same number.
fn create(folder: &Path, name: &str) -> io::Result<(File, PathBuf)> {
    let further = (2u32..).map(|number| format!("{name}-{number}.json"));
    for name in std::iter::once(format!("{name}.json")).chain(further) {
        let path = folder.join(name);
        match File::create_new(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => return Ok((made?, path)),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// The error with the file's name, where it has room for one.
fn named(mut error: Error, path: PathBuf) -> Error {
    match &mut error {
        Error::CommandTimeout(facts) => facts.post_mortem = Some(path),
        Error::KernelFailed(facts) => facts.post_mortem = Some(path),
        Error::GridTimeout(facts) => facts.post_mortem = Some(path),
        Error::StartError(facts) => facts.post_mortem = Some(path),
        Error::WaitTimeout(facts) => facts.post_mortem = Some(path),
        Error::EngineTimeout(facts) => facts.post_mortem = Some(path),
        Error::Fault(report) => report.post_mortem = Some(path),
        Error::DeviceLost { what } => {
            what.push_str(&format!("; post-mortem: `cargo komorebi explain {}` tells it", path.display()));
        }
        _ => {}
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_there_is_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let mut names = Vec::new();
        for text in ["one", "two", "three"] {
            let (mut file, path) = create(folder.path(), "komorebi-1-1").unwrap();
            file.write_all(text.as_bytes()).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
            names.push(path.file_name().unwrap().to_str().unwrap().to_owned());
        }
        assert_eq!(names, ["komorebi-1-1.json", "komorebi-1-1-2.json", "komorebi-1-1-3.json"]);
        assert_eq!(std::fs::read_to_string(folder.path().join("komorebi-1-1.json")).unwrap(), "one");
        assert!(create(&folder.path().join("nowhere"), "komorebi-1-1").is_err());
    }
}
