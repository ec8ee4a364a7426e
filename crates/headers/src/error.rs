//! What can go wrong with a header, with the line it concerns.

use crate::fault::Fault;
use crate::location::{Location, Span};
use crate::source::Sources;
use std::fmt;

/// The longest piece of a line that is shown.
const EXCERPT: usize = 160;

/// What kind of problem a [`HeaderError`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The header or a file it includes is missing or cannot be read.
    Unreadable,
    /// A preprocessor directive is wrong: unbalanced `#if`, malformed `#define`, `#error`.
    Directive,
    /// The text is not C++ that can be read here.
    Syntax,
    /// A name that nothing declares.
    UnknownName,
    /// A name that several declarations share.
    Ambiguous,
    /// Not a constant expression: division by zero, shift out of range, signed overflow.
    Arithmetic,
    /// A value that does not fit where C++ does not convert it: braces, enumerators.
    Narrowing,
    /// Types that do not convert into each other, as a scoped enumeration used as a number.
    Type,
    /// Something declared that is no integer constant (a function, a string, an array), or needs what the reader does not
    /// evaluate (a call, floating point).
    NotAConstant,
    /// One name with two values.
    Conflict,
    /// Nested or repeated beyond what the reader follows.
    Limit,
}

/// A problem with a header: message, place, the line with a caret, notes and help.
///
/// `Display` gives one line (`file:line:col: message`); [`HeaderError::render`] gives the excerpt too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderError(Box<Report>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Report {
    kind: ErrorKind,
    message: String,
    excerpt: Option<Excerpt>,
    notes: Vec<(String, Option<Excerpt>)>,
    help: Option<String>,
}

/// A line of a header with the part that is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    location: Location,
    line: String,
    /// Characters before the caret in `line`, and how many are marked.
    column: usize,
    width: usize,
}

impl Excerpt {
    pub(crate) fn new(sources: &Sources<'_>, span: Span) -> Excerpt {
        let source = sources.get(span.file);
        let text = source.line_text(source.line(span.start));
        let marked = source.text.get(span.start as usize..span.end as usize).unwrap_or("");
        let width = marked.split(['\n', '\r']).next().unwrap_or("").chars().count().max(1);
        Excerpt::of_line(sources.location(span), text, width)
    }

    /// From a line of text.
    pub(crate) fn of_line(location: Location, text: &str, width: usize) -> Excerpt {
        let column = location.col as usize - 1;
        // A very long line is shown from a little before the place.
        let skip = if text.chars().nth(EXCERPT).is_some() { column.saturating_sub(EXCERPT / 4) } else { 0 };
        let clean = |c: char| if c.is_control() { ' ' } else { c };
        let line: String = text.chars().skip(skip).take(EXCERPT).map(clean).collect();
        let room = line.chars().count().saturating_sub(column - skip);
        Excerpt { location, line, column: column - skip, width: width.min(room).max(1) }
    }

    pub(crate) fn location(&self) -> &Location {
        &self.location
    }

    pub(crate) fn write(&self, out: &mut impl fmt::Write, margin: usize) -> fmt::Result {
        let Location { line, .. } = self.location;
        writeln!(out, "{:margin$}--> {}", "", self.location)?;
        writeln!(out, "{:margin$} |", "")?;
        writeln!(out, "{line:>margin$} | {}", self.line)?;
        writeln!(out, "{:margin$} | {:column$}{}", "", "", "^".repeat(self.width), column = self.column)
    }
}

impl HeaderError {
    pub(crate) fn from_fault(fault: Fault, sources: &Sources<'_>) -> HeaderError {
        let fault = fault.into_details();
        let excerpt = |span: Option<Span>| span.map(|span| Excerpt::new(sources, span));
        let mut notes: Vec<_> = fault.notes.into_iter().map(|(text, at)| (text, excerpt(at))).collect();
        if let Some((text, at)) = fault.cause {
            notes.push((text, excerpt(at)));
        }
        let mut from = fault.at.and_then(|at| sources.get(at.file).from);
        while let Some(directive) = from {
            notes.push((format!("included from {}", sources.location(directive)), None));
            from = sources.get(directive.file).from;
        }
        let report = Report {
            kind: fault.kind,
            message: fault.message,
            excerpt: excerpt(fault.at),
            notes,
            help: fault.help,
        };
        HeaderError(Box::new(report))
    }

    /// An error without a place in a file.
    pub(crate) fn plain(kind: ErrorKind, message: String, help: Option<String>) -> HeaderError {
        HeaderError(Box::new(Report { kind, message, excerpt: None, notes: Vec::new(), help }))
    }

    pub(crate) fn with_note(mut self, text: String, at: Option<Excerpt>) -> HeaderError {
        self.0.notes.push((text, at));
        self
    }

    pub(crate) fn with_excerpt(mut self, at: Option<Excerpt>) -> HeaderError {
        self.0.excerpt = at;
        self
    }

    /// What kind of problem it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message without place: lower case, one line.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where it is; `None` when the problem has no place (a missing header, a name nobody declares).
    pub fn location(&self) -> Option<&Location> {
        self.0.excerpt.as_ref().map(Excerpt::location)
    }

    /// The notes: where a macro was used, through which includes the file was read.
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        self.0.notes.iter().map(|(text, _)| &**text)
    }

    /// What to do about it, when there is a likely answer ("did you mean ...").
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// The whole report over several lines: message, place, the header's line with a caret, notes, help.
    ///
    /// ```text
    /// error: division by zero
    ///  --> kernels/heat.h:3:27
    ///   |
    /// 3 | constexpr uint32_t kX = 1 / 0;
    ///   |                           ^
    /// ```
    pub fn render(&self) -> String {
        let mut out = format!("error: {}\n", self.0.message);
        // Writing into a String does not fail.
        let _ = self.write_details(&mut out);
        out.truncate(out.trim_end().len());
        out
    }

    fn write_details(&self, out: &mut String) -> fmt::Result {
        use fmt::Write as _;
        let report = &*self.0;
        let shown =
            report.excerpt.iter().chain(report.notes.iter().filter_map(|(_, excerpt)| excerpt.as_ref()));
        let margin = shown.map(|excerpt| excerpt.location.line.to_string().len()).max().unwrap_or(1);
        if let Some(excerpt) = &report.excerpt {
            excerpt.write(out, margin)?;
        }
        for (text, excerpt) in &report.notes {
            match excerpt {
                Some(excerpt) => {
                    writeln!(out, "note: {text}")?;
                    excerpt.write(out, margin)?;
                }
                None => writeln!(out, "{:margin$} = note: {text}", "")?,
            }
        }
        match &report.help {
            Some(help) => writeln!(out, "{:margin$} = help: {help}", ""),
            None => Ok(()),
        }
    }
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = self.location() {
            write!(f, "{location}: ")?;
        }
        f.write_str(&self.0.message)?;
        match &self.0.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for HeaderError {}
