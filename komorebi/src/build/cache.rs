//! A folder of finished builds, each named by the hash of everything it was built from.
//!
//! A build happens in a folder of its own, a draft, and is renamed into place, which the file system does at once: processes
//! and threads that build the same thing do the work twice, and the first rename wins. A finished build is never changed; one
//! that was, by a full disk or by hand, has another content than the hash beside it tells, and is built again.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use super::draft;
use super::error::{Error, Result};

/// The folder.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    root: PathBuf,
}

/// What a build is of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Sources,
    Firmware,
    Kernels,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Sources, Self::Firmware, Self::Kernels];

    /// The first part of the names of its builds.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Sources => "sources",
            Self::Firmware => "firmware",
            Self::Kernels => "kernels",
        }
    }
}

/// What a build was made from.
pub(super) struct Key(blake3::Hasher);

impl Key {
    pub(super) fn new(kind: &str) -> Self {
        let mut key = Self(blake3::Hasher::new());
        key.add("sealed"); // builds of versions without the seal have other names
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

    /// Where the build is, when so many of it were found damaged.
    fn place(&self, kind: Kind, key: &Key, damaged: u32) -> PathBuf {
        let again = if damaged == 0 { String::new() } else { format!("-{damaged}") };
        self.root.join(format!("{}-{}{again}", kind.name(), key.name()))
    }

    /// The folder of the build of `kind` from `key`: an earlier one that is still what it was, or what `build` makes in the
    /// folder it is given. It is told the final name too.
    pub(super) fn entry(
        &self,
        kind: Kind,
        key: &Key,
        build: impl FnOnce(&Path, &Path) -> Result<()>,
    ) -> Result<PathBuf> {
        let mut place = self.place(kind, key, 0);
        let mut damaged = 0;
        while place.is_dir() {
            if intact(&place) {
                return Ok(place);
            }
            // It stays: another process may be looking at it, or be about to put a whole one in its place.
            tracing::warn!(folder = %place.display(), "a build in the cache was changed: building beside it; remove it");
            damaged += 1;
            place = self.place(kind, key, damaged);
        }
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let draft = draft::make(&self.root, kind, &NUMBERS)?;
        draft::remove_abandoned(&self.root, &draft);
        let built = build(&draft, &place).and_then(|()| seal(&draft));
        if let Err(error) = built {
            draft::discard(&draft);
            return Err(error);
        }
        // After the renaming the draft's name is free, and may be another's.
        if let Err(error) = std::fs::rename(&draft, &place) {
            draft::discard(&draft);
            if !place.is_dir() {
                return Err(Error::cache("cannot make", &place, &error));
            }
        }
        Ok(place)
    }
}

/// The file of a finished build that holds the hash of all others.
const SEAL: &str = "content.blake3";

/// Writes the hash of everything in `folder` into it.
fn seal(folder: &Path) -> Result<()> {
    let hash = content(folder).map_err(|error| Error::cache("cannot read", folder, &error))?;
    write_files(folder, [(SEAL, hash.to_hex().as_bytes())])
}

/// True when `folder` still holds what it was sealed with.
fn intact(folder: &Path) -> bool {
    let sealed = std::fs::read_to_string(folder.join(SEAL)).ok();
    sealed.is_some_and(|sealed| content(folder).is_ok_and(|found| found.to_hex().as_str() == sealed))
}

/// The hash of the names and contents of all files below `folder` but the seal.
fn content(folder: &Path) -> std::io::Result<blake3::Hash> {
    let mut files = Vec::new();
    list(folder, &mut files)?;
    files.sort();
    let mut key = Key::new("content");
    for file in files {
        let name = file.strip_prefix(folder).unwrap_or(&file);
        if name != Path::new(SEAL) {
            key.add(name.as_os_str().as_encoded_bytes());
            key.add(std::fs::read(&file)?);
        }
    }
    Ok(key.0.finalize())
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() { list(&entry.path(), files)? } else { files.push(entry.path()) }
    }
    Ok(())
}

/// Removes an object file that was linked: a finished build is read and hashed at every load.
pub(super) fn remove_object(object: &Path) -> Result<()> {
    std::fs::remove_file(object).map_err(|error| Error::cache("cannot remove", object, &error))
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
    use std::time::Duration;

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
        let fail = cache.entry(Kind::Kernels, &key("a"), |_, _| Err(Error::NoCache));
        assert!(matches!(fail, Err(Error::NoCache)));
        assert_eq!(std::fs::read_dir(root.path().join("new")).unwrap().count(), 0);
        let build = |draft: &Path, _: &Path| write_files(draft, [("x/y", b"1".as_slice())]);
        let first = cache.entry(Kind::Kernels, &key("a"), build).unwrap();
        let second = cache.entry(Kind::Kernels, &key("a"), |_, _| panic!("it is there already")).unwrap();
        assert_eq!(first, second);
        assert_eq!(std::fs::read(first.join("x/y")).unwrap(), b"1");
        assert_ne!(cache.entry(Kind::Kernels, &key("b"), build).unwrap(), first);
    }

    #[test]
    fn a_build_that_was_changed_in_any_way_is_made_again() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache::at(root.path().to_owned());
        let build = |draft: &Path, _: &Path| write_files(draft, [("x/y", b"12".as_slice()), ("z", b"3")]);
        let mut place = cache.entry(Kind::Kernels, &key("a"), build).unwrap();
        type Spoil = fn(&Path);
        let damages: [(&str, Spoil); 6] = [
            ("overwritten", |place| std::fs::write(place.join("x/y"), "13").unwrap()),
            ("truncated", |place| std::fs::write(place.join("x/y"), "").unwrap()),
            ("removed", |place| std::fs::remove_file(place.join("z")).unwrap()),
            ("added", |place| std::fs::write(place.join("w"), "").unwrap()),
            ("without its seal", |place| std::fs::remove_file(place.join(SEAL)).unwrap()),
            ("with an empty seal", |place| std::fs::write(place.join(SEAL), "").unwrap()),
        ];
        for (damage, spoil) in damages {
            spoil(&place);
            let mut built = false;
            let again = cache.entry(Kind::Kernels, &key("a"), |draft, place| {
                built = true;
                build(draft, place)
            });
            place = again.unwrap();
            assert!(built, "{damage}");
            assert_eq!(std::fs::read(place.join("x/y")).unwrap(), b"12", "{damage}");
            let found = cache.entry(Kind::Kernels, &key("a"), |_, _| panic!("it is whole")).unwrap();
            assert_eq!(found, place, "{damage}");
        }
    }

    #[test]
    fn builds_of_one_thing_at_the_same_time_all_end_with_the_whole_thing() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache::at(root.path().to_owned());
        let damaged = cache.place(Kind::Kernels, &key("a"), 0);
        write_files(&damaged, [("two", b"2".as_slice())]).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let place = cache.entry(Kind::Kernels, &key("a"), |draft, _| {
                        write_files(draft, [("one", b"1".as_slice()), ("two", b"2".as_slice())])
                    });
                    let place = place.unwrap();
                    assert_eq!(std::fs::read(place.join("two")).unwrap(), b"2");
                });
            }
        });
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 2, "the damaged one and the whole one");
    }

    #[test]
    fn a_build_removes_what_ended_ones_left_a_day_ago_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let make = |name: &str, age: Duration| {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.join("generated")).unwrap();
            let folder = std::fs::File::open(&path).unwrap();
            let now = folder.metadata().unwrap().modified().unwrap();
            folder.set_modified(now - age).unwrap();
        };
        let (hour, days) = (Duration::from_hours(1), Duration::from_hours(48));
        [".firmware-7-0", ".sources-7-3", ".kernels-8-1"].iter().for_each(|name| make(name, days));
        let kept = [(".kernels-9-0", hour), (".config-7-0", days), ("kernels-old", days)];
        kept.iter().for_each(|(name, age)| make(name, *age));
        let place = make_one(root.path());
        let mut expected = kept.map(|(name, _)| root.path().join(name)).to_vec();
        expected.push(place);
        expected.sort();
        let list = || {
            let entries = std::fs::read_dir(root.path()).unwrap();
            let mut paths = entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
            paths.sort();
            paths
        };
        assert_eq!(list(), expected);
        // What is there already costs no look around.
        make(".firmware-7-0", days);
        make_one(root.path());
        assert_eq!(list().len(), expected.len() + 1);
    }

    fn make_one(root: &Path) -> PathBuf {
        let build = |draft: &Path, _: &Path| write_files(draft, [("x", b"1".as_slice())]);
        Cache::at(root.to_owned()).entry(Kind::Kernels, &key("a"), build).unwrap()
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
