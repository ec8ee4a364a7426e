//! Where the file goes, and how the error names it.

use std::fmt;
use std::fs::{File, Permissions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::PersistError;

use super::PostMortem;
use crate::Error;

/// The variable that names the folder when the load does not.
const VARIABLE: &str = "KM_POSTMORTEM";

/// The folder that a load or the environment names.
pub(crate) fn folder(option: Option<&PathBuf>) -> Option<PathBuf> {
    let variable = || std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    option.cloned().or_else(variable)
}

/// What became of the file about a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PostMortemFile {
    /// It is at this path.
    Written(PathBuf),
    /// It could not be written.
    Failed {
        /// The folder that was asked for.
        folder: PathBuf,
        /// What the host's system says, in words.
        cause: String,
    },
}

impl fmt::Display for PostMortemFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Written(path) => {
                write!(f, "post-mortem: `cargo komorebi explain {}` tells it", shell_word(path))
            }
            Self::Failed { folder, cause } => {
                write!(f, "post-mortem: could not be written to {}: {cause}", folder.display())
            }
        }
    }
}

/// The path as a shell takes it for one word.
fn shell_word(path: &Path) -> String {
    let path = path.to_string_lossy();
    // What a shell cannot take at all, no path has.
    shlex::try_quote(&path).map_or_else(|_| path.to_string(), Into::into)
}

/// Writes a last line of a message: which file tells more.
pub(crate) fn note(f: &mut fmt::Formatter<'_>, file: Option<&PostMortemFile>) -> fmt::Result {
    file.map_or(Ok(()), |file| write!(f, "\n  {file}"))
}

impl PostMortem {
    /// Writes the file and gives `error`, which names it. A file that cannot be written never hides the error, which says why.
    pub(crate) fn save(&self, folder: &Path, error: Error) -> Error {
        let file = match self.write(folder) {
            Ok(path) => {
                tracing::warn!(path = %path.display(), "wrote a post-mortem");
                PostMortemFile::Written(path)
            }
            Err(cause) => {
                tracing::warn!(folder = %folder.display(), %cause, "the post-mortem could not be written");
                PostMortemFile::Failed { folder: folder.to_owned(), cause: cause.to_string() }
            }
        };
        named(error, file)
    }

    fn write(&self, folder: &Path) -> io::Result<PathBuf> {
        std::fs::create_dir_all(folder).map_err(|error| match error.kind() {
            // There is something, which is no folder.
            ErrorKind::AlreadyExists => ErrorKind::NotADirectory.into(),
            _ => error,
        })?;
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        let name = format!("komorebi-{}-{}", std::process::id(), self.load);
        create(folder, &name, |file| file.write_all(&bytes))
    }
}

/// A whole file that was not there: `NAME.json`, or `NAME-2.json` and so on behind those of processes that had the same number.
///
/// It gets its name when `fill` has written all of it; otherwise, as on a full disk, nothing is left.
fn create(folder: &Path, name: &str, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<PathBuf> {
    // As for any file: who may read it is the user's mask's to say.
    let mode = Permissions::from_mode(0o666);
    let mut draft = tempfile::Builder::new().prefix(".komorebi-").permissions(mode).tempfile_in(folder)?;
    fill(draft.as_file_mut())?;
    // Some file systems find room for the bytes here only.
    draft.as_file().sync_all()?;
    let further = (2u32..).map(|number| format!("{name}-{number}.json"));
    for name in std::iter::once(format!("{name}.json")).chain(further) {
        let path = folder.join(name);
        match draft.persist_noclobber(&path) {
            Ok(_) => return Ok(path),
            Err(PersistError { error, file }) if error.kind() == ErrorKind::AlreadyExists => draft = file,
            Err(failed) => return Err(failed.error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// The error with what became of the file, where it has room for that.
fn named(mut error: Error, file: PostMortemFile) -> Error {
    match &mut error {
        Error::CommandTimeout(facts) => facts.post_mortem = Some(file),
        Error::KernelFailed(facts) => facts.post_mortem = Some(file),
        Error::GridTimeout(facts) => facts.post_mortem = Some(file),
        Error::StartError(facts) => facts.post_mortem = Some(file),
        Error::WaitTimeout(facts) => facts.post_mortem = Some(file),
        Error::EngineTimeout(facts) => facts.post_mortem = Some(file),
        Error::Fault(report) => report.post_mortem = Some(file),
        Error::DeviceLost { what } => {
            what.push_str(&format!("; {file}"));
        }
        _ => {}
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<std::fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_that_is_there_is_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["one", "two", "three"] {
            let path = create(folder.path(), "komorebi-1-1", |file| file.write_all(text.as_bytes())).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        let all = ["komorebi-1-1-2.json", "komorebi-1-1-3.json", "komorebi-1-1.json"];
        assert_eq!(names(folder.path()), all, "and no draft");
        assert_eq!(std::fs::read_to_string(folder.path().join("komorebi-1-1.json")).unwrap(), "one");
        assert!(create(&folder.path().join("nowhere"), "komorebi-1-1", |_| Ok(())).is_err());
    }

    #[test]
    fn a_file_that_is_not_whole_is_not_left() {
        let folder = tempfile::tempdir().unwrap();
        let full = create(folder.path(), "komorebi-1-1", |file| {
            file.write_all(b"the first half")?;
            Err(ErrorKind::StorageFull.into())
        });
        assert_eq!(full.unwrap_err().kind(), ErrorKind::StorageFull);
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn a_line_about_a_file_can_be_copied_into_a_shell() {
        for path in ["/tmp/left/komorebi-1-1.json", "/tmp/it's left/$HOME (1).json", "left/`a`;b.json"] {
            let line = PostMortemFile::Written(path.into()).to_string();
            let command = line.strip_prefix("post-mortem: `").unwrap().strip_suffix("` tells it").unwrap();
            assert_eq!(shlex::split(command).unwrap(), ["cargo", "komorebi", "explain", path]);
        }
        let line = PostMortemFile::Written("/tmp/left/komorebi-1-1.json".into()).to_string();
        assert_eq!(line, "post-mortem: `cargo komorebi explain /tmp/left/komorebi-1-1.json` tells it");
        let lost = named(Error::DeviceLost { what: "a read".into() }, PostMortemFile::Written("a b".into()));
        assert!(
            lost.to_string().contains("a read; post-mortem: `cargo komorebi explain 'a b'` tells it"),
            "{lost}"
        );
    }
}
