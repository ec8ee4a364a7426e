//! The pages of the errors: one for each rule, with a wrong program that brings the message and a right one that compiles.
//!
//! `BLESS=1` writes the messages into the pages, and the index; read them then as somebody who has never seen the code.

mod page;
mod programs;

use komorebi_abi::engine::Rule as EngineRule;
use komorebi_abi::program::Rule;
use page::{Page, folder};
use std::collections::BTreeSet;

pub(crate) fn blesses() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}

#[test]
fn every_rule_has_its_page_and_every_page_its_rule() {
    let rules: BTreeSet<String> = Rule::ALL
        .iter()
        .map(|rule| rule.code().to_owned())
        .chain(EngineRule::all().map(|rule| rule.code().to_owned()))
        .collect();
    let pages: BTreeSet<String> = Page::all().into_iter().map(|page| page.code).collect();
    assert_eq!(pages, rules);
}

#[test]
fn every_page_says_what_why_and_how_to_mend_it() {
    for page in Page::all() {
        let code = &page.code;
        assert!(!page.title.is_empty() && !page.title.ends_with('.'), "{code}: {}", page.title);
        assert!(page.why.split_whitespace().count() >= 20, "{code} says why");
        assert!(page.why.contains('('), "{code} cites where the rule comes from");
        assert!(!page.message.is_empty() && page.message.contains(code.as_str()), "{code} shows its message");
        assert!(page.edit.split_whitespace().count() >= 4, "{code} says what to edit");
        assert_ne!(
            (&page.wrong.code, &page.wrong.headers),
            (&page.right.code, &page.right.headers),
            "{code}"
        );
        let wide =
            page.why.lines().chain(page.edit.lines()).filter(|line| line.chars().count() > 140).count();
        assert_eq!(wide, 0, "{code} has a line of more than 140 characters");
    }
}

#[test]
fn the_index_lists_every_page() {
    let mut index = String::from(
        "# Errors\n\nEach error of a program, a graph or a stream has a code; its page says what the rule is, why the hardware or a protocol demands\n\
         it, and shows a program that breaks it beside one that keeps it. `cargo komorebi explain KM0013` prints the same page.\n",
    );
    for (first, heading) in
        [("KM00", "Programs"), ("KM01", "Graphs, and commands of streams"), ("KM02", "Streams")]
    {
        index += &format!("\n## {heading}\n\n| code | rule |\n|---|---|\n");
        for page in Page::all().iter().filter(|page| page.code.starts_with(first)) {
            index += &format!("| [{0}]({0}.md) | {1} |\n", page.code, page.title);
        }
    }
    let path = folder().join("README.md");
    if blesses() {
        std::fs::write(&path, &index).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap();
    assert_eq!(found, index, "`BLESS=1 cargo test -p komorebi-cli --test pages` writes the index");
}
