//! The comment that belongs to a declaration.

use crate::location::Span;
use crate::source::Source;

/// The text of the comment lines directly above a declaration and of the one behind it, without delimiters.
pub(crate) fn comment_of(source: &Source<'_>, whole: Span) -> Option<String> {
    let (first, last) = (source.line(whole.start), source.line(whole.end.saturating_sub(1).max(whole.start)));
    let comments = &source.comments;
    let before = source.comments_before(whole.start);
    let within = comments[before..].iter().take_while(|comment| comment.start < whole.end).count();
    let after = before + within;
    let mut lines: Vec<String> = Vec::new();
    // Above: upwards from the declaration as long as comments touch.
    let mut begin = before;
    let mut next_line = first;
    while begin > 0 {
        let comment = &comments[begin - 1];
        if !comment.own_line || source.line(comment.end.saturating_sub(1)) + 1 != next_line {
            break;
        }
        next_line = source.line(comment.start);
        begin -= 1;
    }
    // Lines that continue a comment behind the previous declaration stand under it.
    if begin > 0 && begin < before {
        let previous = &comments[begin - 1];
        let touches = source.line(previous.end.saturating_sub(1)) + 1 == source.line(comments[begin].start);
        while touches
            && begin < before
            && !previous.own_line
            && source.column(comments[begin].start) == source.column(previous.start)
        {
            begin += 1;
        }
    }
    for comment in &comments[begin..before] {
        strip(&source.text[comment.start as usize..comment.end as usize], &mut lines);
    }
    // Behind: on the last line, with the lines that continue it.
    let end = source.line_end(last);
    if let Some(behind) = comments.get(after).filter(|comment| !comment.own_line && comment.start < end) {
        strip(&source.text[behind.start as usize..behind.end as usize], &mut lines);
        let mut line = source.line(behind.end.saturating_sub(1));
        for comment in &comments[after + 1..] {
            let continues = comment.own_line
                && source.line(comment.start) == line + 1
                && source.column(comment.start) == source.column(behind.start);
            if !continues {
                break;
            }
            line = source.line(comment.end.saturating_sub(1));
            strip(&source.text[comment.start as usize..comment.end as usize], &mut lines);
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    if lines.len() < 2 { lines.pop() } else { Some(lines.join("\n")) }
}

/// Appends the lines of a comment without `//`, `///`, `/**`, `*`, `*/`.
fn strip(comment: &str, lines: &mut Vec<String>) {
    if let Some(text) = comment.strip_prefix("//") {
        let text = text.trim_start_matches(['/', '!']);
        lines.push(text.strip_prefix('<').unwrap_or(text).trim().to_owned());
        return;
    }
    let inside = comment.trim_start_matches("/*").trim_end_matches("*/");
    let inside = inside.trim_start_matches(['*', '!']);
    let inside = inside.strip_prefix('<').unwrap_or(inside);
    for line in inside.lines() {
        let line = line.trim();
        let line = line.strip_prefix('*').unwrap_or(line).trim();
        if !(line.is_empty() && lines.is_empty()) {
            lines.push(line.to_owned());
        }
    }
}
