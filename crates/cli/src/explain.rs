//! `explain`: the page of an error's code.

use crate::arguments::ExplainArguments;
use crate::embedded;
use crate::failure::Failure;
use crate::output;

/// Prints the page of a code, or a line a code.
pub(crate) fn run(arguments: &ExplainArguments) -> Result<(), Failure> {
    let text = match &arguments.code {
        None => list(),
        Some(code) => page(code)?.to_owned(),
    };
    output::write(&text, None)
}

fn list() -> String {
    let lines = embedded::pages().iter().map(|(code, text)| format!("{code}  {}\n", title(text)));
    lines.collect()
}

/// The title of a page, without its code.
fn title(page: &'static str) -> &'static str {
    let first = page.lines().next().unwrap_or_default();
    first.split_once(": ").map_or(first, |(_, title)| title)
}

/// `KM0013`, `km13` and `13` are one code; an unknown one is answered with the nearest number.
fn page(asked: &str) -> Result<&'static str, Failure> {
    let trimmed = asked.trim_matches(|c: char| matches!(c, '[' | ']' | ' '));
    let digits = trimmed.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    // What is no number is nearest to the first, one of twenty digits to the last.
    let number =
        digits.parse().unwrap_or(if digits.bytes().all(|c| c.is_ascii_digit()) && !digits.is_empty() {
            u64::MAX
        } else {
            0
        });
    let distance = |code: &str| number.abs_diff(code[2..].parse().unwrap_or(0));
    let pages = embedded::pages().iter();
    match pages.min_by_key(|(code, _)| distance(code)) {
        Some((code, text)) if distance(code) == 0 && known_prefix(trimmed) => Ok(text),
        Some((near, text)) => Err(Failure::NoCode { code: asked.to_owned(), near, title: title(text) }),
        None => Ok(""),
    }
}

fn known_prefix(code: &str) -> bool {
    let letters = code.trim_end_matches(|c: char| c.is_ascii_digit());
    letters.is_empty() || letters.eq_ignore_ascii_case("km")
}
