//! Embeds the device headers and the pages of the errors, so that an installed binary has them; names the compiler.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folders whose headers a program's header may include, from the workspace's root. The first has the constants of the
/// wires, the second code of kernels.
const HEADERS: [(&str, &str); 2] = [("WIRES", "firmware/include"), ("LIBRARY", "kernels/include")];
/// The folders of pages, and how the codes of each begin.
const PAGES: [(&str, &str); 2] = [("docs/errors", "KM"), ("docs/strict-faults", "KF")];

fn main() {
    let root = Path::new(&var("CARGO_MANIFEST_DIR")).join("../..");
    let mut text = String::new();
    for (table, folder) in HEADERS {
        let folder = root.join(folder);
        text += &format!("const {table}: &[(&str, &str)] = &[\n");
        for file in files(&folder, "h") {
            let name = file.strip_prefix(&folder).expect("a file of the folder").display().to_string();
            entry(&mut text, &name, &file);
        }
        text.push_str("];\n");
    }
    text.push_str("const PAGES: &[(&str, &str)] = &[\n");
    for (folder, begin) in PAGES {
        for file in files(&root.join(folder), "md") {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with(begin) {
                entry(&mut text, &name, &file);
            }
        }
    }
    text.push_str("];\n");
    let out = PathBuf::from(var("OUT_DIR")).join("embedded.rs");
    std::fs::write(&out, text).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
    judge_compiler(&root);
}

/// Tells the tests whether this is the compiler whose messages the pages show.
fn judge_compiler(root: &Path) {
    let file = root.join("rust-toolchain.toml");
    println!("cargo::rerun-if-changed={}", file.display());
    println!("cargo::rustc-check-cfg=cfg(pinned_compiler)");
    let toolchain = std::fs::read_to_string(file).unwrap_or_default();
    let pinned = toolchain.lines().find_map(|line| line.strip_prefix("channel = \"")?.strip_suffix('"'));
    println!("cargo::rustc-env=PAGES_RUSTC={}", var("RUSTC"));
    let version = Command::new(var("RUSTC")).arg("--version").output().map(|output| output.stdout);
    let version = String::from_utf8_lossy(&version.unwrap_or_default()).into_owned();
    if version.split_whitespace().nth(1).is_some_and(|version| Some(version) == pinned) {
        println!("cargo::rustc-cfg=pinned_compiler");
    }
}

fn entry(text: &mut String, name: &str, file: &Path) {
    let file = file.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    writeln!(text, "    ({name:?}, include_str!({file:?})),").expect("writing to a string");
}

/// The files of a folder and those below it that end in `.end`, sorted.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).path();
        if path.is_dir() {
            found.extend(files(&path, end));
        } else if path.extension().is_some_and(|found| found == end) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn var(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}
