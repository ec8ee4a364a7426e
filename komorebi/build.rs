//! Embeds the device code: every file of `firmware/` and `kernels/` that a build of device images needs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Folders of the workspace, and which of their files are embedded.
const FOLDERS: [&str; 4] = ["firmware/include", "firmware/src", "firmware/link", "kernels"];
const EXTENSIONS: [&str; 5] = ["h", "cpp", "S", "ld", "inc"];

fn main() {
    let workspace = Path::new(&var("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={}", workspace.join(folder).display());
        collect(&workspace, Path::new(folder), &mut files);
    }
    files.sort();
    files.dedup();
    let mut text = String::from("pub(super) static FILES: &[(&str, &[u8])] = &[\n");
    for file in files {
        let name = file.to_string_lossy().replace('\\', "/");
        let path = workspace.join(&file);
        writeln!(text, "    ({name:?}, include_bytes!({:?})),", path.display().to_string())
            .expect("writing to a string");
    }
    text.push_str("];\n");
    let out = PathBuf::from(var("OUT_DIR")).join("device.rs");
    std::fs::write(&out, text).unwrap_or_else(|error| fail(&format!("{}: {error}", out.display())));
}

fn collect(workspace: &Path, folder: &Path, files: &mut Vec<PathBuf>) {
    let path = workspace.join(folder);
    let Ok(entries) = std::fs::read_dir(&path) else { return };
    for entry in entries.flatten() {
        let name = folder.join(entry.file_name());
        let kind = entry.file_type();
        if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) {
            collect(workspace, &name, files);
        } else if name.extension().and_then(|e| e.to_str()).is_some_and(|e| EXTENSIONS.contains(&e)) {
            files.push(name);
        }
    }
}

fn var(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|error| fail(&format!("{name}: {error}")))
}

fn fail(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(1)
}
