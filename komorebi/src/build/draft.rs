//! A folder in which a build is made before it gets its name in the cache.
//!
//! Processes of several containers may share a cache and have the same number: a draft belongs to whoever made its folder, and
//! nobody takes one that is there. What an ended process left behind goes when it is a day old.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use super::cache::Kind;
use super::error::{Error, Result};

/// No build takes that long: a draft that did not change for it has lost its process.
const ABANDONED: Duration = Duration::from_hours(24);

/// Makes an empty draft below `root` that is the caller's alone, with a number of `numbers`.
pub(super) fn make(root: &Path, kind: Kind, numbers: &AtomicU64) -> Result<PathBuf> {
    std::fs::create_dir_all(root).map_err(|error| Error::cache("cannot make", root, &error))?;
    loop {
        let number = numbers.fetch_add(1, Ordering::Relaxed);
        let draft = root.join(format!(".{}-{}-{number}", kind.name(), std::process::id()));
        match std::fs::create_dir(&draft) {
            Ok(()) => return Ok(draft),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::cache("cannot make", &draft, &error)),
        }
    }
}

/// Removes the caller's draft. One that cannot be removed hides no error of the build and fails no load: it goes as an abandoned
/// one does.
pub(super) fn discard(draft: &Path) {
    if let Err(error) = std::fs::remove_dir_all(draft) {
        tracing::debug!(folder = %draft.display(), %error, "a draft could not be removed");
    }
}

/// Removes the drafts below `root` that are abandoned, beside the new draft `own`. Its time is the file system's now, which need
/// not be this machine's.
pub(super) fn remove_abandoned(root: &Path, own: &Path) {
    let Ok(now) = std::fs::metadata(own).and_then(|own| own.modified()) else { return };
    let Ok(entries) = std::fs::read_dir(root) else { return };
    for entry in entries.flatten() {
        if is_name(&entry.file_name().to_string_lossy()) && is_abandoned(&entry, now) {
            discard(&entry.path());
        }
    }
}

/// True for what `make` gives as a name: the cache may be in a folder with other things.
fn is_name(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parts = name.strip_prefix('.').map(|name| name.split('-').collect::<Vec<_>>());
    let Some([kind, process, number]) = parts.as_deref() else { return false };
    Kind::ALL.iter().any(|known| known.name() == *kind) && is_number(process) && is_number(number)
}

fn is_abandoned(entry: &std::fs::DirEntry, now: SystemTime) -> bool {
    let Ok(found) = entry.metadata() else { return false };
    let age = found.modified().ok().and_then(|changed| now.duration_since(changed).ok());
    found.is_dir() && age.is_some_and(|age| age > ABANDONED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_processes_of_one_number_have_a_draft_each() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().join("new");
        let [one, other] = [AtomicU64::new(0), AtomicU64::new(0)];
        let first = make(&root, Kind::Firmware, &one).unwrap();
        std::fs::write(first.join("object"), "1").unwrap();
        let second = make(&root, Kind::Firmware, &other).unwrap();
        assert_ne!(first, second);
        assert_eq!(std::fs::read(first.join("object")).unwrap(), b"1");
        assert_eq!(std::fs::read_dir(&second).unwrap().count(), 0);
        assert!([first, second].iter().all(|draft| is_name(draft.file_name().unwrap().to_str().unwrap())));
    }

    #[test]
    fn a_draft_that_cannot_be_made_says_where() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = make(&file, Kind::Kernels, &AtomicU64::new(0)).unwrap_err();
        assert!(error.to_string().starts_with(&format!("cannot make {}: ", file.display())), "{error}");
    }

    #[test]
    fn a_name_of_something_else_is_no_draft() {
        for name in [".kernels-12-0", ".firmware-1-17", ".sources-4194304-3"] {
            assert!(is_name(name), "{name}");
        }
        for name in [
            "kernels-12-0",
            ".kernels-12",
            ".kernels-12-",
            ".kernels--0",
            ".kernels-12-0-1",
            ".config-12-0",
            ".kernels-a-0",
            ".",
        ] {
            assert!(!is_name(name), "{name}");
        }
    }
}
