//! Files by their path from the source file's folder.

use std::path::{Component, Path, PathBuf};

use komorebi_headers::suggest::nearest;

/// Is there a file of that path?
pub(crate) fn exists(path: &Path) -> bool {
    path.is_file()
}

/// The file nearest by name, in the folder where `written` looks for one; spelled as `written` would spell it.
pub(crate) fn nearest_file(folder: &Path, written: &str) -> Option<String> {
    let (dir, name) = written.rsplit_once('/').map_or(("", written), |(dir, name)| (dir, name));
    let mut names: Vec<String> = std::fs::read_dir(folder.join(dir))
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    // The order of a directory is the file system's; messages do not depend on it.
    names.sort();
    let found = nearest(name, names.iter().map(String::as_str))?;
    Some(if dir.is_empty() { found.to_owned() } else { format!("{dir}/{found}") })
}

/// `path` without `.` and, where a folder stands before it, without `..`; with `/` on every system.
pub(crate) fn plain(path: &Path) -> String {
    let mut parts: Vec<Component<'_>> = Vec::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(parts.last(), Some(Component::Normal(_))) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let plain: PathBuf = parts.into_iter().collect();
    plain.to_string_lossy().replace('\\', "/")
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
}
