//! The published rows of tensix.md §6 (and §2, §3) against the model, and the table of docs/timing.md that says so. Card
//! time is virtual: the table is the same everywhere, and a change of the model that moves a row shows here.
//!
//! `cargo xtask timing` prints the table; `BLESS=1` writes it into the document.

mod support;

use support::published::{Family, measure, table};

/// The document, from this package's folder.
const DOCUMENT: &str = "../../docs/timing.md";
/// What the table stands between.
const MARKS: [&str; 2] =
    ["<!-- rows: BLESS=1 cargo test -p komorebi-sim --test published -->\n", "\n<!-- end of rows -->"];
/// No row is further off, in percent, but the ones below.
const BOUND: f64 = 10.0;
/// Rows that miss, by their words, with the bound each keeps to; docs/timing.md explains each.
const MISSES: [(&str, f64); 0] = [];

#[test]
fn every_published_row_is_within_its_bound_and_in_the_document() {
    let families = measure();
    let table = table(&families);
    println!("{table}");
    let off: Vec<_> = families
        .iter()
        .flat_map(|Family { rows, .. }| rows)
        .filter(|row| {
            let bound =
                MISSES.iter().find(|(words, _)| row.what.contains(words)).map_or(BOUND, |(_, bound)| *bound);
            row.error().abs() > bound
        })
        .map(|row| format!("{}: {:.1}, published {:.1}", row.what, row.model, row.published))
        .collect();
    assert!(off.is_empty(), "further off than documented: {off:#?}");
    let text = std::fs::read_to_string(DOCUMENT).expect("docs/timing.md is there");
    let from = text.find(MARKS[0]).expect("the document has the first mark") + MARKS[0].len();
    let to = text.find(MARKS[1]).expect("the document has the second mark");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(DOCUMENT, format!("{}{table}{}", &text[..from], &text[to..]))
            .expect("the document is written");
    } else {
        assert_eq!(&text[from..to], table, "docs/timing.md differs from the model: repeat this with BLESS=1");
    }
}
