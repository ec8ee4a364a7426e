//! Where the file goes, and how the error names it.

use std::fmt;
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

    fn write(&self, folder: &Path) -> std::io::Result<PathBuf> {
        std::fs::create_dir_all(folder)?;
        let path = folder.join(format!("komorebi-{}-{}.json", std::process::id(), self.load));
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        std::fs::write(&path, bytes)?;
        Ok(path)
    }
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
