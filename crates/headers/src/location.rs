//! Where something stands in a header: the public [`Location`] (file, line, column) and the internal byte spans it is made from.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A place in a header file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The file as it was named: the path given to the reader, or the one its `#include` resolved to.
    pub file: Arc<Path>,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub col: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.line, self.col)
    }
}

/// Bytes `start..end` of source number `file`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) file: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Where a token was spelled, and where the outermost macro that brought it was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) at: Span,
    pub(crate) used: Option<Span>,
}

impl Place {
    /// From the start of `self` to the end of `last`, when both are of one file; else `self`.
    pub(crate) fn to(self, last: Place) -> Place {
        if self.at.file == last.at.file && self.at.start <= last.at.end {
            Place { at: Span { end: last.at.end.max(self.at.end), ..self.at }, used: self.used }
        } else {
            self
        }
    }
}
