//! Files by their path from the source file's folder.

use std::path::Path;

use komorebi_headers::{no_regular_file, normal, suggest::nearest};

/// Is there a file of that path?
pub(crate) fn exists(path: &Path) -> bool {
    path.is_file()
}

/// What to do about a path that leads to no file: the nearest name, or else what is there instead.
pub(crate) fn missing_help(folder: &Path, written: &str) -> String {
    if let Some(kind) = no_regular_file(&folder.join(written)) {
        return format!("{written:?} is {kind}: name a regular file");
    }
    if let Some(nearest) = nearest_file(folder, written) {
        return format!("did you mean {nearest:?}?");
    }
    let kind = Path::new(written).extension();
    match written.rsplit_once('/') {
        Some((dir, _)) if !folder.join(dir).is_dir() => {
            format!("there is no folder {dir:?}; {}", missing_folder_help(folder, dir))
        }
        Some((dir, _)) => {
            let mut names = names_in(&folder.join(dir));
            names.retain(|name| Path::new(name).extension() == kind);
            match names.len() {
                0 => ELSE.into(),
                // A longer list is no help.
                1..=SHOWN => format!("the folder {dir:?} has {}", names.join(", ")),
                more => {
                    format!("the folder {dir:?} has {} and {} more", names[..SHOWN].join(", "), more - SHOWN)
                }
            }
        }
        None => ELSE.into(),
    }
}

/// What to do about a path that leads to no folder.
pub(crate) fn missing_folder_help(folder: &Path, written: &str) -> String {
    match nearest_file(folder, written).filter(|nearest| folder.join(nearest).is_dir()) {
        Some(nearest) => format!("did you mean {nearest:?}?"),
        None => ELSE.into(),
    }
}

const ELSE: &str = "paths go from the folder of the source file, as for `include_str!`";

/// The most files that a message lists.
const SHOWN: usize = 8;

/// What is in a folder, sorted: the order of a directory is the file system's, and messages do not depend on it.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// The file nearest by name, in the folder where `written` looks for one; spelled as `written` would spell it.
pub(crate) fn nearest_file(folder: &Path, written: &str) -> Option<String> {
    let (dir, name) = written.rsplit_once('/').map_or(("", written), |(dir, name)| (dir, name));
    let names = names_in(&folder.join(dir));
    let found = nearest(name, names.iter().map(String::as_str))?;
    Some(if dir.is_empty() { found.to_owned() } else { format!("{dir}/{found}") })
}

/// `path` without `.` and, where a folder stands before it, without `..`; with `/` on every system.
pub(crate) fn plain(path: &Path) -> String {
    normal(path).to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_spelled_in_one_way() {
        assert_eq!(plain(Path::new("./kernels/../shared/./a.h")), "shared/a.h");
        assert_eq!(plain(Path::new("../shared/a.h")), "../shared/a.h");
    }

    #[test]
    fn the_nearest_file_is_looked_for_where_the_path_points() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("kernels")).unwrap();
        std::fs::write(dir.path().join("kernels/heat.h"), "").unwrap();
        assert_eq!(nearest_file(dir.path(), "kernels/haet.h").as_deref(), Some("kernels/heat.h"));
        assert_eq!(nearest_file(dir.path(), "kernels/sort.h"), None);
        assert_eq!(nearest_file(dir.path(), "nowhere/heat.h"), None);
    }

    #[test]
    fn a_path_to_nothing_brings_what_is_there() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("kernels")).unwrap();
        for name in ["writer.cpp", "reader.cpp", "heat.h"] {
            std::fs::write(dir.path().join("kernels").join(name), "").unwrap();
        }
        let help = |written| missing_help(dir.path(), written);
        assert_eq!(help("kernels/store.cpp"), "the folder \"kernels\" has reader.cpp, writer.cpp");
        assert_eq!(help("kernels/raeder.cpp"), "did you mean \"kernels/reader.cpp\"?");
        assert_eq!(help("kernel/reader.cpp"), "there is no folder \"kernel\"; did you mean \"kernels\"?");
        assert_eq!(help("kernels"), "\"kernels\" is a folder: name a regular file");
        std::os::unix::fs::symlink("/dev/zero", dir.path().join("kernels/zero.h")).unwrap();
        assert_eq!(help("kernels/zero.h"), "\"kernels/zero.h\" is a character device: name a regular file");
        assert!(help("elsewhere/reader.cpp").contains("\"elsewhere\"; paths go from"));
    }
}
