//! The texts of a header and of what it includes, with line numbers, comments, and the chain of includes.

use crate::lexer::Comment;
use crate::location::{Location, Span};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One inclusion of one file.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    pub(crate) path: Arc<Path>,
    pub(crate) text: &'a Arc<str>,
    /// The directive that included it.
    pub(crate) from: Option<Span>,
    /// Comes with the reader (`<stdint.h>`, options), not from the caller's files.
    pub(crate) builtin: bool,
    pub(crate) comments: Vec<Comment>,
    line_starts: Vec<u32>,
    last_line: Last,
    last_comment: Last,
    /// Every byte is a column.
    ascii: bool,
}

impl<'a> Source<'a> {
    pub(crate) fn new(path: PathBuf, text: &'a Arc<str>, from: Option<Span>, builtin: bool) -> Source<'a> {
        let ends = text.match_indices('\n');
        let line_starts = std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect();
        let (last_line, last_comment) = (Last::default(), Last::default());
        let (path, comments, ascii) = (path.into(), Vec::new(), text.is_ascii());
        Source { path, text, from, builtin, comments, line_starts, last_line, last_comment, ascii }
    }

    /// The line of a byte, counted from 0.
    pub(crate) fn line(&self, offset: u32) -> usize {
        self.last_line.count(&self.line_starts, |start| *start <= offset).saturating_sub(1)
    }

    /// How many comments begin before a byte.
    pub(crate) fn comments_before(&self, offset: u32) -> usize {
        self.last_comment.count(&self.comments, |comment| comment.start < offset)
    }

    /// The first byte behind a line (from 0).
    pub(crate) fn line_end(&self, line: usize) -> u32 {
        self.line_starts.get(line + 1).map_or(self.text.len() as u32, |start| *start)
    }

    /// The text of a line (from 0) without its end; empty when there is no such line.
    pub(crate) fn line_text(&self, line: usize) -> &str {
        let Some(&start) = self.line_starts.get(line) else { return "" };
        let end = self.line_starts.get(line + 1).map_or(self.text.len(), |next| *next as usize);
        self.text.get(start as usize..end).unwrap_or("").trim_end_matches(['\n', '\r'])
    }

    /// The column of a byte in characters, counted from 0.
    pub(crate) fn column(&self, offset: u32) -> usize {
        let start = self.line_starts[self.line(offset)] as usize;
        if self.ascii {
            return offset as usize - start;
        }
        self.text
            .get(start..(offset as usize).min(self.text.len()))
            .map_or(0, |before| before.chars().count())
    }
}

/// The answer to the last question, for questions that come nearly in order.
#[derive(Debug, Default)]
struct Last(Cell<usize>);

impl Last {
    /// How many of a sorted list are `before`: those before the first that is not.
    fn count<T>(&self, list: &[T], before: impl Fn(&T) -> bool) -> usize {
        let last = self.0.get();
        let known = last <= list.len() && list[..last].last().is_none_or(&before);
        // As many as the last time, or up to two more.
        let near =
            if known { list[last..].iter().take(3).take_while(|next| before(next)).count() } else { 3 };
        let count = if near < 3 { last + near } else { list.partition_point(before) };
        self.0.set(count);
        count
    }
}

/// All inclusions, in the order they were met.
#[derive(Debug, Default)]
pub(crate) struct Sources<'a>(pub(crate) Vec<Source<'a>>);

impl<'a> Sources<'a> {
    pub(crate) fn get(&self, file: u32) -> &Source<'a> {
        &self.0[file as usize]
    }

    pub(crate) fn location(&self, span: Span) -> Location {
        let source = self.get(span.file);
        Location {
            file: source.path.clone(),
            line: source.line(span.start) as u32 + 1,
            col: source.column(span.start) as u32 + 1,
        }
    }

    /// The caller's files without repetition, the header first.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = Vec::new();
        let mut seen: std::collections::HashSet<&Path> = std::collections::HashSet::new();
        for source in self.0.iter().filter(|source| !source.builtin) {
            if seen.insert(&source.path) {
                files.push(source.path.to_path_buf());
            }
        }
        files
    }
}
