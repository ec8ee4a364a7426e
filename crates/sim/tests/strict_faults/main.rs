//! Every rule of the hardware has its page, and the page's programs are its test: the wrong one halts the card with the rule's code,
//! the right one does not.
//!
//! `BLESS=1` writes the messages into the pages, and the index.

mod page;
mod play;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeSet;

use komorebi_card::Rule;
use page::{Page, folder};

fn blesses() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}

#[test]
fn every_rule_has_its_page_with_its_title_and_source_and_every_page_its_rule() {
    let rules: BTreeSet<&str> = Rule::ALL.iter().map(|rule| rule.code()).collect();
    let pages = Page::all();
    assert_eq!(pages.iter().map(|page| page.code.as_str()).collect::<BTreeSet<_>>(), rules);
    for page in &pages {
        let rule = Rule::of(&page.code).unwrap();
        assert_eq!(page.title, rule.title(), "{}", page.code);
        assert!(page.why.contains(&format!("({})", rule.source())), "{} cites {}", page.code, rule.source());
        assert!(page.why.split_whitespace().count() >= 20, "{} says why", page.code);
        assert!(page.edit.split_whitespace().count() >= 2, "{} says what to do", page.code);
        assert_ne!((&page.wrong, "other"), (&page.right, "other"), "{}", page.code);
    }
}

/// A message as it is compared. The pages' are those of seed 0: with another one the number of packets that are still under way
/// may differ, so there numbers are left out.
fn compared(message: &str) -> String {
    match std::env::var("KM_SEED") {
        Ok(seed) if !["", "0"].contains(&seed.as_str()) => {
            message.chars().filter(|c| !c.is_ascii_digit()).collect()
        }
        _ => message.to_owned(),
    }
}

#[test]
fn the_wrong_program_of_every_page_breaks_its_rule_and_the_right_one_none() {
    let mut bad = Vec::new();
    for page in Page::all() {
        let code = &page.code;
        match play::fault_of(&page.wrong) {
            Some(fault) if fault.rule.code() != code => bad.push(format!("{code}, wrong: {fault}")),
            Some(fault) if blesses() => page.bless(&fault.to_string()),
            Some(fault) if compared(&fault.to_string()) != compared(&page.message) => {
                bad.push(format!("{code}, its message is:\n{fault}"));
            }
            Some(_) => {}
            None => bad.push(format!("{code}: the wrong program breaks nothing")),
        }
        if let Some(fault) = play::fault_of(&page.right) {
            bad.push(format!("{code}, right: {fault}"));
        }
    }
    let how = "`BLESS=1 cargo test -p komorebi-sim --test strict_faults` writes messages";
    assert!(bad.is_empty(), "{}\n{how}", bad.join("\n"));
}

#[test]
fn the_index_lists_every_page() {
    let mut index = page::INDEX.to_owned();
    for (group, heading) in page::GROUPS {
        index += &format!("\n## {heading}\n\n| code | what breaks it |\n|---|---|\n");
        for page in Page::all().iter().filter(|page| page.code.starts_with(group)) {
            index += &format!("| [{0}]({0}.md) | {1} |\n", page.code, page.title);
        }
    }
    let path = folder().join("README.md");
    if blesses() {
        std::fs::write(&path, &index).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap();
    assert_eq!(found, index, "`BLESS=1 cargo test -p komorebi-sim --test strict_faults` writes the index");
}
