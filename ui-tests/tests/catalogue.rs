//! The catalogue of rules, the wrong programs in `fail/` and the pages in `docs/errors/` are one set: each rule has a
//! program that breaks it, with its message beside it, and a page.

use std::collections::BTreeSet;
use std::path::Path;

use komorebi::macro_support::abi::{engine, program};

/// The codes of all rules.
fn catalogue() -> BTreeSet<String> {
    let program = program::Rule::ALL.into_iter().map(program::Rule::code);
    program.chain(engine::Rule::all().map(engine::Rule::code)).map(str::to_owned).collect()
}

fn folder(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn files(folder: &Path, extension: &str) -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}

/// The codes `[KM0123]` in a text.
fn codes(text: &str) -> BTreeSet<String> {
    text.split("[KM")
        .skip(1)
        .filter_map(|rest| rest.get(..4).filter(|_| rest[4..].starts_with(']')))
        .map(|digits| format!("KM{digits}"))
        .collect()
}

#[test]
fn every_rule_has_a_wrong_program_with_its_message() {
    let shown: BTreeSet<String> = files(&folder("fail"), "stderr")
        .iter()
        .flat_map(|path| codes(&std::fs::read_to_string(path).unwrap()))
        .collect();
    let catalogue = catalogue();
    let without: Vec<_> = catalogue.difference(&shown).collect();
    assert!(without.is_empty(), "no program in fail/ breaks {without:?}");
    let unknown: Vec<_> = shown.difference(&catalogue).collect();
    assert!(unknown.is_empty(), "no catalogue has {unknown:?}");
}

#[test]
fn every_wrong_program_has_its_message() {
    for program in files(&folder("fail"), "rs") {
        let expected = program.with_extension("stderr");
        assert!(expected.exists(), "{} is missing: TRYBUILD=overwrite writes it", expected.display());
    }
}

#[test]
fn every_rule_has_a_page_and_every_page_a_rule() {
    let pages: BTreeSet<String> = files(&folder("../docs/errors"), "md")
        .iter()
        .filter_map(|path| path.file_stem()?.to_str().map(str::to_owned))
        .filter(|name| name.starts_with("KM"))
        .collect();
    assert_eq!(pages, catalogue(), "docs/errors has other pages than the catalogue has rules");
}
