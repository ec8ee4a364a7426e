//! Preprocessing tokens.

use crate::location::{Place, Span};
use crate::text::Text;
use std::rc::Rc;

/// What a token is, as far as the preprocessor tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// An identifier or keyword.
    Ident,
    /// A preprocessing number: everything that starts like a number.
    Number,
    /// A character literal with its prefix and suffix.
    Char,
    /// A string literal, raw or not.
    Str,
    /// An operator or punctuator.
    Punct,
    /// A character that begins no token, or an unterminated literal.
    Other,
}

/// One token with its place and the macros it may no longer expand.
#[derive(Clone, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind,
    pub(crate) text: Text<'a>,
    pub(crate) place: Place,
    /// First token of its line: a `#` here begins a directive.
    pub(crate) line_start: bool,
    /// White space stands before it.
    pub(crate) space: bool,
    pub(crate) hidden: Hidden<'a>,
}

impl<'a> Token<'a> {
    pub(crate) fn new(kind: TokenKind, text: Text<'a>, at: Span) -> Token<'a> {
        let place = Place { at, used: None };
        Token { kind, text, place, line_start: false, space: false, hidden: Hidden::default() }
    }

    /// Is it this operator or punctuator?
    pub(crate) fn is(&self, punct: &str) -> bool {
        self.kind == TokenKind::Punct && self.text == punct
    }

    /// Is it this identifier or keyword?
    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Ident && self.text == word
    }
}

/// The macros whose expansion produced a token: they do not expand in it again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hidden<'a>(Option<Rc<HiddenName<'a>>>);

#[derive(Debug)]
struct HiddenName<'a> {
    name: Text<'a>,
    depth: u32,
    next: Hidden<'a>,
}

impl<'a> Hidden<'a> {
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.names().any(|hidden| hidden == name)
    }

    /// How many macros are nested around the token.
    pub(crate) fn depth(&self) -> u32 {
        self.0.as_ref().map_or(0, |node| node.depth)
    }

    pub(crate) fn with(&self, name: Text<'a>) -> Hidden<'a> {
        if self.contains(name) {
            return self.clone();
        }
        let node = HiddenName { name, depth: self.depth() + 1, next: self.clone() };
        Hidden(Some(Rc::new(node)))
    }

    pub(crate) fn union(&self, other: &Hidden<'a>) -> Hidden<'a> {
        if self.0.is_none() {
            return other.clone();
        }
        let mut all = self.clone();
        let mut node = &other.0;
        while let Some(inner) = node {
            all = all.with(inner.name);
            node = &inner.next.0;
        }
        all
    }

    /// The macros hidden in both, for the closing parenthesis of a call.
    pub(crate) fn intersection(&self, other: &Hidden<'a>) -> Hidden<'a> {
        let mut both = Hidden::default();
        let mut node = &self.0;
        while let Some(inner) = node {
            if other.contains(inner.name) {
                both = both.with(inner.name);
            }
            node = &inner.next.0;
        }
        both
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        let mut node = &self.0;
        std::iter::from_fn(move || {
            let inner = node.as_ref()?;
            node = &inner.next.0;
            Some(inner.name)
        })
    }
}
