//! A folder of finished builds, each named by the hash of everything it was built from.
//!
//! A build happens in a folder of its own and is renamed into place, which the file system does at once: processes and threads
//! that build the same thing do the work twice, and the first rename wins. A finished build is never changed.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::{Error, Result};

/// The folder.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    root: PathBuf,
}

/// What a build was made from.
pub(super) struct Key(blake3::Hasher);

impl Key {
    pub(super) fn new(kind: &str) -> Self {
        let mut key = Self(blake3::Hasher::new());
        key.add(kind);
        key
    }

    /// Adds a part; its length keeps neighbours apart.
    pub(super) fn add(&mut self, part: impl AsRef<[u8]>) {
        let part = part.as_ref();
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    fn name(&self) -> String {
        self.0.finalize().to_hex().chars().take(32).collect()
    }
}

impl Cache {
    /// `KMR_CACHE`, else `komorebi` in the user's cache folder.
    pub(super) fn open() -> Result<Self> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let root = set("KMR_CACHE")
            .or_else(|| set("XDG_CACHE_HOME").map(|folder| folder.join("komorebi")))
            .or_else(|| set("HOME").map(|home| home.join(platform_folder()).join("komorebi")))
            .ok_or(Error::NoCache)?;
        // The compiler runs in a folder of its own: a relative name would be another place there.
        Ok(Self::at(std::path::absolute(&root).unwrap_or(root)))
    }

    /// The cache in `root`.
    pub(super) fn at(root: PathBuf) -> Self {
        Self { root }
    }

    /// The folder of the build of `kind` from `key`: an earlier one, or what `build` makes in the folder it is given. It is
    /// told the final name too.
    pub(super) fn entry(
        &self,
        kind: &str,
        key: &Key,
        build: impl FnOnce(&Path, &Path) -> Result<()>,
    ) -> Result<PathBuf> {
        let place = self.root.join(format!("{kind}-{}", key.name()));
        if place.is_dir() {
            return Ok(place);
        }
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let draft = self.root.join(format!(".{kind}-{}-{number}", std::process::id()));
        // A draft of a dead process with our number is in the way.
        if draft.exists() {
            remove(&draft)?;
        }
        std::fs::create_dir_all(&draft).map_err(|error| Error::cache("cannot make", &draft, &error))?;
        let built = build(&draft, &place);
        if let Err(error) = built {
            remove(&draft)?;
            return Err(error);
        }
        if let Err(error) = std::fs::rename(&draft, &place) {
            remove(&draft)?;
            if !place.is_dir() {
                return Err(Error::cache("cannot make", &place, &error));
            }
        }
        Ok(place)
    }

    /// Throws a finished build away, because it turned out to be damaged.
    pub(super) fn discard(&self, place: &Path) -> Result<()> {
        if place.is_dir() { remove(place) } else { Ok(()) }
    }
}

fn remove(folder: &Path) -> Result<()> {
    std::fs::remove_dir_all(folder).map_err(|error| Error::cache("cannot remove", folder, &error))
}

const fn platform_folder() -> &'static str {
    if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" }
}

/// Writes `files` below `folder`.
pub(super) fn write_files<'a>(
    folder: &Path,
    files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
) -> Result<()> {
    for (name, bytes) in files {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|error| Error::cache("cannot make", parent, &error))?;
        }
        std::fs::write(&path, bytes).map_err(|error| Error::cache("cannot write", &path, &error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(part: &str) -> Key {
        let mut key = Key::new("test");
        key.add(part);
        key
    }

    #[test]
    fn a_build_happens_once_and_a_failed_one_leaves_nothing() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache::at(root.path().join("new"));
        let fail = cache.entry("thing", &key("a"), |_, _| Err(Error::NoCache));
        assert!(matches!(fail, Err(Error::NoCache)));
        assert_eq!(std::fs::read_dir(root.path().join("new")).unwrap().count(), 0);
        let build = |draft: &Path, _: &Path| write_files(draft, [("x/y", b"1".as_slice())]);
        let first = cache.entry("thing", &key("a"), build).unwrap();
        let second = cache.entry("thing", &key("a"), |_, _| panic!("it is there already")).unwrap();
        assert_eq!(first, second);
        assert_eq!(std::fs::read(first.join("x/y")).unwrap(), b"1");
        assert_ne!(cache.entry("thing", &key("b"), build).unwrap(), first);
    }

    #[test]
    fn builds_of_one_thing_at_the_same_time_all_end_with_the_whole_thing() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache::at(root.path().to_owned());
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let place = cache.entry("thing", &key("a"), |draft, _| {
                        write_files(draft, [("one", b"1".as_slice()), ("two", b"2".as_slice())])
                    });
                    let place = place.unwrap();
                    assert_eq!(std::fs::read(place.join("two")).unwrap(), b"2");
                });
            }
        });
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 1, "no draft is left");
    }

    #[test]
    fn parts_of_a_key_do_not_run_together() {
        let pair = |a: &str, b: &str| {
            let mut key = key(a);
            key.add(b);
            key.name()
        };
        assert_ne!(pair("ab", "c"), pair("a", "bc"));
    }
}
