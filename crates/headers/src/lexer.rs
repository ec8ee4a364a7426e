//! Text into preprocessing tokens and comments (C++ translation phases 1 to 3).
//!
//! A backslash at the end of a line joins it with the next one. Any input gives tokens: what begins no token becomes
//! [`TokenKind::Other`], which only hurts where an expression needs it. Only a comment or raw string without end is a fault,
//! because everything after it would be lost.

use crate::error::ErrorKind;
use crate::fault::Fault;
use crate::location::{Place, Span};
use crate::token::{Token, TokenKind};
use std::rc::Rc;

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
const WORD_OPERATORS: &[(&str, &str)] = &[
    ("and", "&&"),
    ("or", "||"),
    ("not", "!"),
    ("xor", "^"),
    ("bitand", "&"),
    ("bitor", "|"),
    ("compl", "~"),
    ("not_eq", "!="),
];

/// Splits a text into tokens and comments.
pub(crate) fn lex(file: u32, text: &str) -> Result<(Vec<Token>, Vec<Comment>), Fault> {
    let mut lexer = Lexer {
        file,
        text,
        chars: join_lines(text),
        at: 0,
        // About a token in six bytes, as headers are.
        tokens: Vec::with_capacity(text.len() / 6),
        comments: Vec::new(),
        single: (0..128_u8).map(|byte| char::from(byte).to_string().into()).collect(),
    };
    lexer.run()?;
    Ok((lexer.tokens, lexer.comments))
}

/// The characters with their byte offsets, without backslash-newlines (white space between the two is let pass, as g++ does).
fn join_lines(text: &str) -> Vec<(char, u32)> {
    let mut chars = Vec::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut skip_to = 0;
    for (at, c) in text.char_indices() {
        if at < skip_to {
            continue;
        }
        if c == '\\' {
            let blank =
                bytes[at + 1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
            if bytes.get(at + 1 + blank) == Some(&b'\n') {
                skip_to = at + 2 + blank;
                continue;
            }
        }
        chars.push((c, at as u32));
    }
    chars
}

struct Lexer<'a> {
    file: u32,
    text: &'a str,
    chars: Vec<(char, u32)>,
    at: usize,
    tokens: Vec<Token>,
    comments: Vec<Comment>,
    /// The texts of one character, which half of all tokens share.
    single: Vec<Rc<str>>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).map(|(c, _)| *c)
    }

    fn offset(&self, index: usize) -> u32 {
        self.chars.get(index).map_or(self.text.len() as u32, |(_, offset)| *offset)
    }

    fn looks_at(&self, word: &str) -> bool {
        word.chars().enumerate().all(|(ahead, c)| self.peek(ahead) == Some(c))
    }

    fn run(&mut self) -> Result<(), Fault> {
        let (mut line_start, mut space) = (true, false);
        while let Some(c) = self.peek(0) {
            if c == '\n' {
                (line_start, space) = (true, false);
                self.at += 1;
            } else if c.is_ascii_whitespace() || c == '\u{b}' || c == '\u{feff}' {
                space = true;
                self.at += 1;
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

    fn push(&mut self, kind: TokenKind, begin: usize, line_start: bool, space: bool) {
        let start = self.offset(begin);
        // The end is the byte after the last character, so that a following line join is not part of the token.
        let end = self.chars[begin..self.at].last().map_or(start, |(c, offset)| offset + c.len_utf8() as u32);
        let at = Span { file: self.file, start, end };
        let mut token = Token::of(kind, self.text_of(kind, begin, start, end), at);
        if kind == TokenKind::Ident
            && let Some((_, operator)) = WORD_OPERATORS.iter().find(|(word, _)| **word == *token.text)
        {
            token = Token::new(TokenKind::Punct, operator, at);
        }
        (token.line_start, token.space) = (line_start, space);
        self.tokens.push(token);
    }

    /// The text of the token from character `begin`, without line joins but in strings.
    fn text_of(&self, kind: TokenKind, begin: usize, start: u32, end: u32) -> Rc<str> {
        let chars = &self.chars[begin..self.at];
        if let [(c, _)] = chars
            && let Some(text) = self.single.get(*c as usize)
        {
            return text.clone();
        }
        // Characters of one byte each that stand together: no line join, nothing to leave out.
        if kind == TokenKind::Str || (end - start) as usize == chars.len() {
            return self.text[start as usize..end as usize].into();
        }
        chars.iter().map(|(c, _)| *c).collect::<String>().into()
    }

    fn comment(&mut self, own_line: bool) -> Result<(), Fault> {
        let begin = self.at;
        let block = self.peek(1) == Some('*');
        self.at += 2;
        loop {
            match self.peek(0) {
                None if block => {
                    let start = self.offset(begin);
                    let at = Span { file: self.file, start, end: start + 2 };
                    return Err(Fault::new(ErrorKind::Syntax, "this comment has no closing `*/`", at));
                }
                None => break,
                Some('\n') if !block => break,
                Some('*') if block && self.peek(1) == Some('/') => {
                    self.at += 2;
                    break;
                }
                Some(_) => self.at += 1,
            }
        }
        self.comments.push(Comment { start: self.offset(begin), end: self.offset(self.at), own_line });
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
            self.at += punct.len();
            return Ok(TokenKind::Punct);
        }
        self.at += 1;
        Ok(if SINGLE.contains(c) { TokenKind::Punct } else { TokenKind::Other })
    }

    fn skip_word(&mut self) {
        while self.peek(0).is_some_and(|c| is_word_start(c) || c.is_ascii_digit()) {
            self.at += 1;
        }
    }

    fn skip_number(&mut self) {
        while let Some(c) = self.peek(0) {
            let next = self.peek(1);
            let exponent = matches!(c, 'e' | 'E' | 'p' | 'P') && matches!(next, Some('+' | '-'));
            let separator = c == '\'' && next.is_some_and(|next| next.is_ascii_alphanumeric() || next == '_');
            if exponent || separator {
                self.at += 2;
            } else if is_word_start(c) || c.is_ascii_digit() || c == '.' {
                self.at += 1;
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
        self.at += prefix;
        if raw {
            self.raw_string(begin)?;
            self.skip_word();
            return Ok(TokenKind::Str);
        }
        let quote = self.peek(0);
        self.at += 1;
        loop {
            match self.peek(0) {
                None | Some('\n') => return Ok(TokenKind::Other),
                Some('\\') if self.peek(1).is_some_and(|next| next != '\n') => self.at += 2,
                c if c == quote => break,
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        self.skip_word();
        Ok(if quote == Some('"') { TokenKind::Str } else { TokenKind::Char })
    }

    /// `"delimiter( ... )delimiter"`, where backslash-newlines are kept: found in the original text.
    fn raw_string(&mut self, begin: usize) -> Result<(), Fault> {
        let quote = self.offset(self.at) as usize;
        let rest = &self.text[quote + 1..];
        let open = rest.find('(').filter(|open| *open <= 16);
        let end = open.and_then(|open| {
            let close = format!("){}\"", &rest[..open]);
            rest[open..].find(&close).map(|at| quote + 1 + open + at + close.len())
        });
        let Some(end) = end else {
            let at = Span { file: self.file, start: self.offset(begin), end: quote as u32 + 1 };
            return Err(Fault::new(ErrorKind::Syntax, "this raw string has no end", at));
        };
        self.at = self.chars.partition_point(|(_, offset)| (*offset as usize) < end);
        Ok(())
    }
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
