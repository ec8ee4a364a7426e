//! The sink for everything that is wrong with one invocation, so that all of it is reported at once.

use std::fmt::Write as _;

use komorebi_abi::{engine, program};
use komorebi_headers::HeaderError;
use komorebi_headers::suggest::{distance, nearest};
use proc_macro2::TokenStream;

use crate::anchor::Anchor;
use crate::program::declaration::Mistake;

/// Errors found so far.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    found: Vec<Found>,
}

/// One error: where, and its text.
#[derive(Debug)]
struct Found {
    anchor: Anchor,
    text: String,
    /// The other end of the one before.
    end: bool,
}

/// A rule of one of the catalogues.
pub(crate) trait Coded {
    /// Its code, as messages show it.
    fn code(self) -> &'static str;
}

impl Coded for program::Rule {
    fn code(self) -> &'static str {
        self.code()
    }
}

impl Coded for engine::Rule {
    fn code(self) -> &'static str {
        self.code()
    }
}

/// A message before it is placed.
#[derive(Debug)]
pub(crate) struct Message {
    code: &'static str,
    text: String,
    detail: Option<String>,
    help: Option<String>,
}

impl Message {
    /// What was found, and what was expected.
    pub(crate) fn new(rule: impl Coded, text: impl Into<String>) -> Self {
        Self { code: rule.code(), text: text.into(), detail: None, help: None }
    }

    /// Adds lines that are shown as they are: the excerpt of a header.
    pub(crate) fn detail(self, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..self }
    }

    /// Adds what the header reader says, with the header's line.
    pub(crate) fn detail_of(self, error: &HeaderError) -> Self {
        let text = error.render();
        self.detail(text.strip_prefix("error: ").unwrap_or(&text))
    }

    /// Adds the edit that mends it.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Adds the nearest known name, or else all of them, as where two are as near.
    pub(crate) fn nearest<'a>(self, name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Self {
        let all: Vec<String> = known.clone().into_iter().map(|name| format!("`{name}`")).collect();
        let alone = |found: &&str| {
            let second = nearest(name, known.clone().into_iter().filter(|other| other != found));
            found.eq_ignore_ascii_case(name)
                || second.is_none_or(|second| distance(name, second) > distance(name, found))
        };
        // Any two names of two letters are near.
        match nearest(name, known.clone()).filter(|_| name.len() > 2).filter(alone) {
            Some(nearest) => self.help(format!("did you mean `{nearest}`?")),
            None if all.is_empty() => self,
            None if all.len() == 1 => self.help(format!("the only one is {}", all[0])),
            None => self.help(format!("known are {}", all.join(", "))),
        }
    }

    /// Like [`nearest`](Self::nearest), of names that `owner` has once each: one that is `given` already is no name
    /// for a second.
    pub(crate) fn nearest_free<'a>(
        self,
        name: &str,
        known: impl IntoIterator<Item = &'a str> + Clone,
        owner: &str,
        given: &[String],
    ) -> Self {
        let near = komorebi_headers::suggest::nearest(name, known.clone()).filter(|_| name.len() > 2);
        match near.filter(|near| given.iter().any(|given| given == near)) {
            Some(near) => self.help(format!("{owner} has `{near}` already: remove this one")),
            None => self.nearest(name, known),
        }
    }

    /// The lines that rustc shows.
    pub(crate) fn render(&self) -> String {
        let mut lines = format!("[{}] {}", self.code, self.text);
        // Writing into a String does not fail.
        if let Some(detail) = &self.detail {
            let _ = write!(lines, "\n{}", detail.trim_end());
        }
        if let Some(help) = &self.help {
            let _ = write!(lines, "\nhelp: {help}");
        }
        lines
    }
}

impl Errors {
    /// Adds an error.
    pub(crate) fn push(&mut self, anchor: Anchor, message: &Message) {
        self.found.push(Found { anchor, text: message.render(), end: false });
    }

    /// Adds the other end of the error added last, which it stays behind.
    pub(crate) fn end(&mut self, anchor: Anchor, message: &Message) {
        self.found.push(Found { anchor, text: message.render(), end: true });
    }

    /// In the order of the source, each with its other ends behind it: found they are phase by phase.
    fn sorted(&self) -> Vec<&Found> {
        let mut groups: Vec<Vec<&Found>> = Vec::new();
        for found in &self.found {
            match groups.last_mut().filter(|_| found.end) {
                Some(group) => group.push(found),
                None => groups.push(vec![found]),
            }
        }
        groups.sort_by_key(|group| {
            let start = group[0].anchor.start();
            (start.line, start.column)
        });
        groups.into_iter().flatten().collect()
    }

    /// Is there none?
    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// What was found so far, as text, in order.
    #[cfg(test)]
    pub(crate) fn texts(&self) -> Vec<String> {
        self.found.iter().map(|found| found.text.clone()).collect()
    }

    /// All of it, for a reader of the file.
    pub(crate) fn mistakes(&self) -> Vec<Mistake> {
        let mistake = |found: &Found| {
            let start = found.anchor.start();
            Mistake { line: start.line, column: start.column + 1, text: found.text.clone() }
        };
        self.sorted().into_iter().map(mistake).collect()
    }

    /// One `compile_error!` for each.
    pub(crate) fn emit(&self) -> TokenStream {
        self.sorted().into_iter().map(|found| found.anchor.compile_error(&found.text)).collect()
    }
}
