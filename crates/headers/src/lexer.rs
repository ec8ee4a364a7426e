//! Text into preprocessing tokens and comments (C++ translation phases 1 to 3).
//!
//! A backslash at the end of a line joins it with the next one. Any input gives tokens: what begins no token becomes
//! [`TokenKind::Other`], which only hurts where an expression needs it. Only a comment or raw string without end is a fault,
//! because everything after it would be lost.

use crate::error::ErrorKind;
use crate::fault::Fault;
use crate::location::{Place, Span};
use crate::text::Text;
use crate::token::{Token, TokenKind};

/// A comment with its delimiters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comment {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Nothing but white space stands before it on its line.
    pub(crate) own_line: bool,
}

/// The operators and punctuators of several characters, by their first one, longest first. Every character of [`SINGLE`] is
/// one too.
const fn punctuators(first: char) -> &'static [&'static str] {
    match first {
        '.' => &["...", ".*"],
        '-' => &["->*", "->", "--", "-="],
        '<' => &["<<=", "<=>", "<<", "<="],
        '>' => &[">>=", ">>", ">="],
        ':' => &["::"],
        '+' => &["++", "+="],
        '=' => &["=="],
        '!' => &["!="],
        '&' => &["&&", "&="],
        '|' => &["||", "|="],
        '*' => &["*="],
        '/' => &["/="],
        '%' => &["%="],
        '^' => &["^="],
        '#' => &["##"],
        _ => &[],
    }
}

/// The operators and punctuators of one character.
const SINGLE: &str = "{}[]()#;:?.~!+-*/%^&|=<>,";

/// Operators spelled as words.
fn word_operator(word: &str) -> Option<&'static str> {
    Some(match word {
        "and" => "&&",
        "or" => "||",
        "not" => "!",
        "xor" => "^",
        "bitand" => "&",
        "bitor" => "|",
        "compl" => "~",
        "not_eq" => "!=",
        _ => return None,
    })
}

/// Splits a text into tokens and comments.
pub(crate) fn lex(file: u32, text: &str) -> Result<(Vec<Token>, Vec<Comment>), Fault> {
    let mut lexer = Lexer {
        file,
        text,
        has_joins: text.contains('\\'),
        at: 0,
        end: 0,
        raw: false,
        // About a token in six bytes, as headers are.
        tokens: Vec::with_capacity(text.len() / 6),
        comments: Vec::new(),
    };
    lexer.move_to(0);
    lexer.run()?;
    Ok((lexer.tokens, lexer.comments))
}

struct Lexer<'a> {
    file: u32,
    text: &'a str,
    /// There may be line joins.
    has_joins: bool,
    /// The byte of the next character, never one of a line join.
    at: usize,
    /// The byte after the last character passed: before `at` when a line join follows it.
    end: usize,
    /// The token just passed is a raw string.
    raw: bool,
    tokens: Vec<Token>,
    comments: Vec<Comment>,
}

impl Lexer<'_> {
    /// The first byte from `at` that is no part of a backslash-newline (white space between the two is let pass, as g++
    /// does; NUL is such for it).
    fn past_joins(&self, mut at: usize) -> usize {
        let bytes = self.text.as_bytes();
        while self.has_joins && bytes.get(at) == Some(&b'\\') {
            let blank = bytes[at + 1..].iter().take_while(|byte| **byte != b'\n' && is_blank(**byte)).count();
            if bytes.get(at + 1 + blank) != Some(&b'\n') {
                break;
            }
            at += 2 + blank;
        }
        at
    }

    /// Goes on behind the character that ends at this byte.
    fn move_to(&mut self, end: usize) {
        (self.end, self.at) = (end, self.past_joins(end));
    }

    /// The character at a byte.
    fn char_at(&self, at: usize) -> Option<char> {
        match self.text.as_bytes().get(at) {
            Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
            _ => self.text.get(at..)?.chars().next(),
        }
    }

    /// The byte of the character so many after the next one.
    fn index(&self, ahead: usize) -> usize {
        (0..ahead).fold(self.at, |at, _| match self.char_at(at) {
            Some(c) => self.past_joins(at + c.len_utf8()),
            None => at,
        })
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.char_at(self.index(ahead))
    }

    /// Passes over so many characters.
    fn skip(&mut self, count: usize) {
        for _ in 0..count {
            if let Some(c) = self.char_at(self.at) {
                self.move_to(self.at + c.len_utf8());
            }
        }
    }

    /// Passes over bytes that are a character each, up to the first that is not of them.
    fn skip_bytes(&mut self, of_them: impl Fn(u8) -> bool) {
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            let count = rest.iter().take_while(|byte| byte.is_ascii() && of_them(**byte)).count();
            if count == 0 {
                return;
            }
            self.move_to(self.at + count);
            // Only behind a line join there may be more of them.
            if self.at == self.end {
                return;
            }
        }
    }

    fn looks_at(&self, word: &str) -> bool {
        if !self.has_joins {
            return self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        }
        word.chars().enumerate().all(|(ahead, c)| self.peek(ahead) == Some(c))
    }

    fn run(&mut self) -> Result<(), Fault> {
        let (mut line_start, mut space) = (true, false);
        while let Some(c) = self.peek(0) {
            if c == '\n' {
                (line_start, space) = (true, false);
                self.move_to(self.at + 1);
            } else if c == '\u{feff}' || u8::try_from(c).is_ok_and(is_blank) {
                space = true;
                self.skip(1);
            } else if c == '/' && matches!(self.peek(1), Some('/' | '*')) {
                self.comment(line_start)?;
                space = true;
            } else {
                let begin = self.at;
                let kind = self.token(c)?;
                self.push(kind, begin, line_start, space);
                (line_start, space) = (false, false);
            }
        }
        Ok(())
    }

    fn push(&mut self, kind: TokenKind, start: usize, line_start: bool, space: bool) {
        // A following line join is not part of the token.
        let at = Span { file: self.file, start: start as u32, end: self.end as u32 };
        let text = self.text_of(start);
        let mut token = match word_operator(&text).filter(|_| kind == TokenKind::Ident) {
            Some(operator) => Token::new(TokenKind::Punct, operator, at),
            None => Token::new(kind, text, at),
        };
        (token.line_start, token.space) = (line_start, space);
        self.tokens.push(token);
    }

    /// The text of the token that starts at a byte, without line joins but in raw strings.
    fn text_of(&mut self, start: usize) -> Text {
        let text = self.text.get(start..self.end).unwrap_or_default();
        if std::mem::take(&mut self.raw) || !self.has_joins || !text.contains('\\') {
            return text.into();
        }
        let mut joined = String::with_capacity(text.len());
        let mut at = start;
        while let Some(c) = self.char_at(at).filter(|_| at < self.end) {
            joined.push(c);
            at = self.past_joins(at + c.len_utf8());
        }
        joined.into()
    }

    fn comment(&mut self, own_line: bool) -> Result<(), Fault> {
        let begin = self.at as u32;
        let block = self.peek(1) == Some('*');
        self.skip(2);
        loop {
            match self.peek(0) {
                None if block => {
                    let at = Span { file: self.file, start: begin, end: begin + 2 };
                    return Err(Fault::new(ErrorKind::Syntax, "this comment has no closing `*/`", at));
                }
                None => break,
                Some('\n') if !block => break,
                Some('*') if block && self.peek(1) == Some('/') => {
                    self.skip(2);
                    break;
                }
                Some('*' | '\n' | '\\') => self.skip(1),
                Some(c) if c.is_ascii() => self.skip_bytes(|byte| !matches!(byte, b'\\' | b'*' | b'\n')),
                Some(_) => self.skip(1),
            }
        }
        self.comments.push(Comment { start: begin, end: self.at as u32, own_line });
        Ok(())
    }

    /// Moves past one token and says what it is.
    fn token(&mut self, c: char) -> Result<TokenKind, Fault> {
        if matches!(c, '"' | '\'' | 'u' | 'U' | 'L' | 'R')
            && let Some(quote) = self.literal_prefix()
        {
            return self.literal(quote);
        }
        if is_word_start(c) {
            self.skip_word();
            return Ok(TokenKind::Ident);
        }
        if c.is_ascii_digit() || (c == '.' && self.peek(1).is_some_and(|next| next.is_ascii_digit())) {
            self.skip_number();
            return Ok(TokenKind::Number);
        }
        if let Some(punct) = punctuators(c).iter().find(|punct| self.looks_at(punct)) {
            self.skip(punct.len());
            return Ok(TokenKind::Punct);
        }
        self.skip(1);
        Ok(if SINGLE.contains(c) { TokenKind::Punct } else { TokenKind::Other })
    }

    fn skip_word(&mut self) {
        loop {
            self.skip_bytes(|byte| is_word_start(char::from(byte)) || byte.is_ascii_digit());
            if !self.peek(0).is_some_and(|c| !c.is_ascii() && is_word_start(c)) {
                return;
            }
            self.skip(1);
        }
    }

    fn skip_number(&mut self) {
        while let Some(c) = self.peek(0) {
            let next = if matches!(c, 'e' | 'E' | 'p' | 'P' | '\'') { self.peek(1) } else { None };
            let exponent = c != '\'' && matches!(next, Some('+' | '-'));
            let separator = c == '\'' && next.is_some_and(|next| next.is_ascii_alphanumeric() || next == '_');
            if exponent || separator {
                self.skip(2);
            } else if is_word_start(c) || c.is_ascii_digit() || c == '.' {
                self.skip(1);
            } else {
                break;
            }
        }
    }

    /// At a literal: how many characters come before its quote, and whether it is raw.
    fn literal_prefix(&self) -> Option<(usize, bool)> {
        let prefix = ["", "u8", "u", "U", "L"].iter().filter(|prefix| self.looks_at(prefix));
        for prefix in prefix {
            match self.peek(prefix.len()) {
                Some('"' | '\'') => return Some((prefix.len(), false)),
                Some('R') if self.peek(prefix.len() + 1) == Some('"') => {
                    return Some((prefix.len() + 1, true));
                }
                _ => {}
            }
        }
        None
    }

    fn literal(&mut self, (prefix, raw): (usize, bool)) -> Result<TokenKind, Fault> {
        let begin = self.at;
        self.skip(prefix);
        if raw {
            self.raw_string(begin)?;
            self.skip_word();
            return Ok(TokenKind::Str);
        }
        let quote = self.peek(0);
        self.skip(1);
        loop {
            match self.peek(0) {
                None | Some('\n') => return Ok(TokenKind::Other),
                Some('\\') if self.peek(1).is_some_and(|next| next != '\n') => self.skip(2),
                c if c == quote => break,
                Some(_) => self.skip(1),
            }
        }
        self.skip(1);
        self.skip_word();
        Ok(if quote == Some('"') { TokenKind::Str } else { TokenKind::Char })
    }

    /// `"delimiter( ... )delimiter"`, where backslash-newlines are kept: found in the original text.
    fn raw_string(&mut self, begin: usize) -> Result<(), Fault> {
        let quote = self.at;
        let rest = &self.text[quote + 1..];
        let open = rest.find('(').filter(|open| *open <= 16);
        let end = open.and_then(|open| {
            let close = format!("){}\"", &rest[..open]);
            rest[open..].find(&close).map(|at| quote + 1 + open + at + close.len())
        });
        let Some(end) = end else {
            let at = Span { file: self.file, start: begin as u32, end: quote as u32 + 1 };
            return Err(Fault::new(ErrorKind::Syntax, "this raw string has no end", at));
        };
        self.move_to(end);
        self.raw = true;
        Ok(())
    }
}

/// Is it white space? g++ counts NUL as such, with a warning, outside of literals and comments.
fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'\x0b' | 0)
}

fn is_word_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '$' || (!c.is_ascii() && c != '\u{feff}')
}

/// The tokens of a made-up text (a pasted token, a stringized argument), placed at `place`.
pub(crate) fn lex_pasted(text: &str, place: Place) -> Vec<Token> {
    let Ok((mut tokens, _)) = lex(place.at.file, text) else { return Vec::new() };
    for token in &mut tokens {
        token.place = place;
        (token.line_start, token.space) = (false, false);
    }
    tokens
}
