//! Preprocessing tokens.

use crate::hidden::Hidden;
use crate::location::{Place, Span};
use crate::text::Text;

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
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind,
    pub(crate) text: Text<'a>,
    pub(crate) place: Place,
    /// First token of its line: a `#` here begins a directive.
    pub(crate) line_start: bool,
    /// White space stands before it.
    pub(crate) space: bool,
    pub(crate) hidden: Hidden,
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
