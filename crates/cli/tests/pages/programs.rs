//! The programs of the pages, compiled: the right ones together as modules of one, the wrong ones each against its message.
//!
//! rustc is called on the library that cargo has built for this test: a program takes a fraction of a second.

use crate::blesses;
use crate::page::{Page, Program};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of this run's own in the target folder.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Writes a program with its headers and kernels.
fn write(folder: &Path, source: &str, program: &Program) {
    std::fs::create_dir_all(folder.join("kernels")).unwrap();
    for kernel in ["reader.cpp", "compute.cpp", "writer.cpp"] {
        std::fs::write(folder.join("kernels").join(kernel), "").unwrap();
    }
    for (name, text) in &program.headers {
        std::fs::write(folder.join(name), text).unwrap();
    }
    std::fs::write(folder.join("main.rs"), source).unwrap();
}

/// Compiles `src/main.rs` of a folder: what rustc says.
fn compile(folder: &Path, emit: &str) -> (bool, String) {
    let test = std::env::current_exe().unwrap();
    let libraries = test.parent().unwrap();
    let entries = std::fs::read_dir(libraries).unwrap().map(|entry| entry.unwrap());
    // Cargo has just made sure of the one it needs: an older one is of another selection of features.
    let library = entries
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            name.starts_with("libkomorebi-") && name.ends_with(".rlib")
        })
        .max_by_key(|entry| entry.metadata().unwrap().modified().unwrap())
        .expect("the library this test was linked with");
    let output = Command::new(env!("PAGES_RUSTC"))
        .current_dir(folder)
        .args([
            "--edition",
            "2024",
            "--crate-type",
            "bin",
            "--crate-name",
            "program",
            "src/main.rs",
            "--out-dir",
            ".",
        ])
        .arg(format!("--emit={emit}"))
        .arg(format!("-Ldependency={}", libraries.display()))
        .arg(format!("--extern=komorebi={}", library.path().display()))
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}

/// A page whose programs build a graph at run time.
fn builds(page: &Page) -> bool {
    page.wrong.code.contains("-> km::Graph")
}

/// An expression for the problems of the graph that the program of `module` builds.
fn problems(page: &Page, module: &str) -> String {
    let word = |text: &str, before: &str| {
        let after = text.split(before).nth(1).unwrap();
        after.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned()
    };
    let (program, function) = (word(&page.program, "pub trait "), word(&page.wrong.code, "fn "));
    format!(
        "{module}::{function}().check(&km::macro_support::abi::engine::Facts::new({module}::{program}::program().model()))"
    )
}

#[test]
fn right_programs_compile_and_the_graphs_they_build_keep_the_rules() {
    let folder = scratch("right");
    let (mut modules, mut checks) = (String::new(), String::new());
    for page in Page::all() {
        let code = page.code.to_lowercase();
        let mut module = |name: &str, program: &Program| {
            let source = page.source(program).replace("\nfn ", "\npub fn ");
            write(&folder.join("src").join(name), &source, program);
            modules += &format!("#[path = \"{name}/main.rs\"]\nmod {name};\n");
        };
        module(&code, &page.right);
        if builds(&page) {
            let wrong = format!("{code}_wrong");
            module(&wrong, &page.wrong);
            let message = page.message.trim_end();
            checks += &format!("    assert_eq!({}[0].to_string(), {message:?});\n", problems(&page, &wrong));
            if page.right.code.contains("-> km::Graph") {
                checks += &format!("    assert_eq!({}, []);\n", problems(&page, &code));
            }
        }
    }
    let main = format!("#![allow(dead_code)]\nuse komorebi as km;\n\n{modules}\nfn main() {{\n{checks}}}\n");
    std::fs::write(folder.join("src/main.rs"), main).unwrap();
    let (good, said) = compile(&folder, "link");
    assert!(good, "{said}");
    let output = Command::new(folder.join("program")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
#[cfg_attr(
    not(pinned_compiler),
    ignore = "the messages are those of the compiler in rust-toolchain.toml; this is another"
)]
fn wrong_programs_bring_the_message_of_their_page() {
    let mut different = Vec::new();
    for page in Page::all().into_iter().filter(|page| !builds(page)) {
        let folder = scratch(&page.code);
        write(&folder.join("src"), &(page.source(&page.wrong) + "\nfn main() {}\n"), &page.wrong);
        let (good, said) = compile(&folder, "metadata");
        assert!(!good, "{} has a wrong program that compiles", page.code);
        let message = said.split("\nerror: aborting due to").next().unwrap_or_default().trim_end();
        if message == page.message.trim_end() {
            continue;
        }
        if blesses() {
            page.bless(message);
        } else {
            different.push(format!("{}:\n{message}\ninstead of\n{}", page.code, page.message));
        }
    }
    assert!(
        different.is_empty(),
        "`BLESS=1 cargo test -p komorebi-cli --test pages` writes these into the pages:\n\n{}",
        different.join("\n\n")
    );
}
