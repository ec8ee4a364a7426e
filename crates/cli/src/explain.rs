//! `explain`: the page of an error's code, or the story that a post-mortem file tells.

use crate::arguments::ExplainArguments;
use crate::embedded;
use crate::failure::Failure;
use crate::{input, output};
use komorebi::PostMortem;
use std::path::Path;

/// The most bytes of a post-mortem file: a trace of a long run is the largest part of it.
const FILE_MAX: usize = 1 << 30;

/// Prints the page of a code, a line a code, or a story.
pub(crate) fn run(arguments: &ExplainArguments) -> Result<(), Failure> {
    let text = match &arguments.what {
        None => list(),
        Some(what) => match page(what) {
            Ok(page) => page.to_owned(),
            // What is no code may be a file; what is neither is answered as a code.
            Err(no_code) => match Path::new(what) {
                path if path.is_file() || what.contains(['/', '.']) => story(path)?,
                _ => return Err(no_code),
            },
        },
    };
    output::write(&text, None)
}

fn story(path: &Path) -> Result<String, Failure> {
    let bytes = input::read(path, FILE_MAX, "a post-mortem file has")?;
    match PostMortem::parse(&bytes) {
        Ok(story) => Ok(story.explain()),
        Err(found) => Err(Failure::NoPostMortem { path: path.to_owned(), found }),
    }
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

/// `KM0013`, `km13` and `13` are one code, `KF0306` and `kf306` another: without letters a number is an error's, not a strict
/// fault's. An unknown one is answered with the nearest number of its kind.
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
    let kind = kind(trimmed);
    let pages = embedded::pages().iter().filter(|(code, _)| code.starts_with(kind.unwrap_or(ERROR)));
    match pages.min_by_key(|(code, _)| distance(code)) {
        Some((code, text)) if distance(code) == 0 && kind.is_some() => Ok(text),
        Some((near, text)) => Err(Failure::NoCode { code: asked.to_owned(), near, title: title(text) }),
        None => Ok(""),
    }
}

/// How the codes of errors begin.
const ERROR: &str = "KM";
/// How those of strict faults do.
const FAULT: &str = "KF";

/// Which codes are meant; `None` when letters of neither stand there.
fn kind(code: &str) -> Option<&'static str> {
    let letters = code.trim_end_matches(|c: char| c.is_ascii_digit());
    match letters {
        "" => Some(ERROR),
        _ => [ERROR, FAULT].into_iter().find(|kind| letters.eq_ignore_ascii_case(kind)),
    }
}
