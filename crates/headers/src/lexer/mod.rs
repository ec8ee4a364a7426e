//! Text into preprocessing tokens and comments (C++ translation phases 1 to 3).
//!
//! A backslash at the end of a line joins it with the next one. Any input gives tokens: what begins no token becomes
//! [`TokenKind::Other`], which only hurts where an expression needs it. Only a comment or raw string without end is a fault,
//! because everything after it would be lost.

mod character;
mod punctuator;

use self::character::{BEGINS, Begins, IN_WORD, is_blank, is_word_start};
use self::punctuator::{is_punctuator, punctuators, word_operator};
use crate::error::ErrorKind;
use crate::fault::Fault;
use crate::location::{Place, Span};
use crate::text::{Text, Texts};
use crate::token::{Token, TokenKind};

/// A comment with its delimiters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comment {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Nothing but white space stands before it on its line.
    pub(crate) own_line: bool,
}

/// Splits a text into tokens and comments; `texts` takes the words that line joins take apart.
pub(crate) fn lex<'a>(
    file: u32,
    text: &'a str,
    texts: &'a Texts,
) -> Result<(Vec<Token<'a>>, Vec<Comment>), Fault> {
    let mut lexer = Lexer {
        file,
        text,
        texts,
        at: 0,
        end: 0,
        joined: false,
        raw: false,
        // Few headers have more than a token in four bytes.
        tokens: Vec::with_capacity(text.len() / 4),
        comments: Vec::new(),
    };
    lexer.move_to(0);
    lexer.run()?;
    Ok((lexer.tokens, lexer.comments))
}

struct Lexer<'a> {
    file: u32,
    text: &'a str,
    texts: &'a Texts,
    /// The byte of the next character, never one of a line join.
    at: usize,
    /// The byte after the last character passed: before `at` when a line join follows it.
    end: usize,
    /// A line join was passed in the token just passed, or behind it.
    joined: bool,
    /// The token just passed is a raw string.
    raw: bool,
    tokens: Vec<Token<'a>>,
    comments: Vec<Comment>,
}

impl<'a> Lexer<'a> {
    /// The first byte from `at` that is no part of a backslash-newline (white space between the two is let pass, as g++
    /// does; NUL is such for it).
    #[cold]
    fn past_joins(&self, mut at: usize) -> usize {
        let bytes = self.text.as_bytes();
        while bytes.get(at) == Some(&b'\\') {
            let blank = bytes[at + 1..].iter().take_while(|byte| **byte != b'\n' && is_blank(**byte)).count();
            if bytes.get(at + 1 + blank) != Some(&b'\n') {
                break;
            }
            at += 2 + blank;
        }
        at
    }

    /// Goes on behind the character that ends at this byte.
    #[inline]
    fn move_to(&mut self, end: usize) {
        (self.end, self.at) = (end, end);
        if self.text.as_bytes().get(end) == Some(&b'\\') {
            self.at = self.past_joins(end);
            self.joined |= self.at != end;
        }
    }

    /// The character at a byte.
    #[inline]
    fn char_at(&self, at: usize) -> Option<char> {
        match *self.text.as_bytes().get(at)? {
            byte if byte.is_ascii() => Some(char::from(byte)),
            _ => self.wide_char_at(at),
        }
    }

    #[cold]
    fn wide_char_at(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }

    /// The character so many after the next one.
    #[inline]
    fn peek(&self, ahead: usize) -> Option<char> {
        let mut at = self.at;
        for _ in 0..ahead {
            at += self.char_at(at)?.len_utf8();
            if self.text.as_bytes().get(at) == Some(&b'\\') {
                at = self.past_joins(at);
            }
        }
        self.char_at(at)
    }

    /// Passes over so many characters.
    #[inline]
    fn skip(&mut self, count: usize) {
        for _ in 0..count {
            if let Some(c) = self.char_at(self.at) {
                self.move_to(self.at + c.len_utf8());
            }
        }
    }

    /// Passes over bytes that are an ASCII character each, up to the first that is not of them.
    #[inline]
    fn skip_bytes(&mut self, of_them: impl Fn(u8) -> bool) {
        let bytes = self.text.as_bytes();
        loop {
            let mut at = self.at;
            while bytes.get(at).is_some_and(|byte| of_them(*byte)) {
                at += 1;
            }
            if at == self.at {
                return;
            }
            self.move_to(at);
            // Only behind a line join there may be more of them.
            if self.at == at {
                return;
            }
        }
    }

    /// Does this ASCII text come next?
    fn looks_at(&self, word: &str) -> bool {
        word.bytes().enumerate().all(|(ahead, byte)| self.peek(ahead) == Some(char::from(byte)))
    }

    fn run(&mut self) -> Result<(), Fault> {
        let (mut line_start, mut space) = (true, false);
        while let Some(byte) = self.text.as_bytes().get(self.at) {
            let (begin, begins) = (self.at, BEGINS[usize::from(*byte)]);
            self.joined = false;
            let kind = match begins {
                Begins::LineEnd => {
                    (line_start, space) = (true, false);
                    self.move_to(begin + 1);
                    continue;
                }
                Begins::Blank => {
                    space = true;
                    self.skip_bytes(|byte| byte != b'\n' && is_blank(byte));
                    continue;
                }
                Begins::Word => self.word(),
                Begins::Number => self.number(),
                Begins::Punctuator => self.punctuator(char::from(*byte)),
                Begins::Several => match self.peek(0) {
                    Some('/') if matches!(self.peek(1), Some('/' | '*')) => {
                        self.comment(line_start)?;
                        space = true;
                        continue;
                    }
                    Some('\u{feff}') => {
                        space = true;
                        self.skip(1);
                        continue;
                    }
                    Some(c) => self.token(c)?,
                    None => break,
                },
            };
            self.push(kind, begin, line_start, space);
            (line_start, space) = (false, false);
        }
        Ok(())
    }

    fn push(&mut self, kind: TokenKind, start: usize, line_start: bool, space: bool) {
        // A following line join is not part of the token.
        let at = Span { file: self.file, start: start as u32, end: self.end as u32 };
        let text = self.text_of(start);
        let operator = if kind == TokenKind::Ident { word_operator(text) } else { None };
        let token = match operator {
            Some(operator) => Token::new(TokenKind::Punct, operator, at),
            None => Token::new(kind, text, at),
        };
        self.tokens.push(Token { line_start, space, ..token });
    }

    /// The text of the token that starts at a byte, without line joins but in raw strings.
    fn text_of(&mut self, start: usize) -> Text<'a> {
        let text = self.text.get(start..self.end).unwrap_or_default();
        if std::mem::take(&mut self.raw) || !self.joined || !text.contains('\\') {
            return text;
        }
        let mut joined = String::with_capacity(text.len());
        let mut at = start;
        while let Some(c) = self.char_at(at).filter(|_| at < self.end) {
            joined.push(c);
            at = self.past_joins(at + c.len_utf8());
        }
        self.texts.keep(joined)
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
                Some(c) if c.is_ascii() => {
                    self.skip_bytes(|byte| byte.is_ascii() && !matches!(byte, b'\\' | b'*' | b'\n'))
                }
                Some(_) => self.skip(1),
            }
        }
        self.comments.push(Comment { start: begin, end: self.at as u32, own_line });
        Ok(())
    }

    /// Moves past a token whose kind its first byte alone does not tell, and says it.
    fn token(&mut self, c: char) -> Result<TokenKind, Fault> {
        match c {
            '"' | '\'' => self.literal((0, false)),
            'u' | 'U' | 'L' | 'R' => match self.literal_prefix() {
                Some(quote) => self.literal(quote),
                None => Ok(self.word()),
            },
            c if is_word_start(c) => Ok(self.word()),
            '.' if self.peek(1).is_some_and(|next| next.is_ascii_digit()) => Ok(self.number()),
            _ => Ok(self.punctuator(c)),
        }
    }

    fn word(&mut self) -> TokenKind {
        self.skip_word();
        TokenKind::Ident
    }

    fn number(&mut self) -> TokenKind {
        self.skip_number();
        TokenKind::Number
    }

    fn punctuator(&mut self, c: char) -> TokenKind {
        // The second character of one of several is one itself.
        if self.peek(1).is_some_and(is_punctuator)
            && let Some(punct) = punctuators(c).iter().find(|punct| self.looks_at(punct))
        {
            self.skip(punct.len());
            return TokenKind::Punct;
        }
        self.move_to(self.at + c.len_utf8());
        if is_punctuator(c) { TokenKind::Punct } else { TokenKind::Other }
    }

    #[inline]
    fn skip_word(&mut self) {
        self.skip_bytes(|byte| IN_WORD[usize::from(byte)]);
        while self.peek(0).is_some_and(|c| !c.is_ascii() && is_word_start(c)) {
            self.skip(1);
            self.skip_bytes(|byte| IN_WORD[usize::from(byte)]);
        }
    }

    fn skip_number(&mut self) {
        loop {
            self.skip_bytes(|byte| IN_WORD[usize::from(byte)] && !matches!(byte, b'e' | b'E' | b'p' | b'P'));
            let Some(c) = self.peek(0) else { return };
            let more = match (c, self.peek(1)) {
                ('e' | 'E' | 'p' | 'P', Some('+' | '-')) => 2,
                ('\'', Some(next)) if next.is_ascii_alphanumeric() || next == '_' => 2,
                ('.', _) => 1,
                (c, _) if is_word_start(c) => 1,
                _ => return,
            };
            self.skip(more);
        }
    }

    /// At a letter: how many characters come before the quote of the literal that begins here, and whether it is raw.
    fn literal_prefix(&self) -> Option<(usize, bool)> {
        // Nearly all words that begin with such a letter go on as no literal does.
        if !matches!(self.peek(1), Some('"' | '\'' | '8' | 'R')) {
            return None;
        }
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

/// The tokens of a made-up text (a pasted token, a stringized argument), placed at `place`.
pub(crate) fn lex_pasted<'a>(text: &'a str, place: Place, texts: &'a Texts) -> Vec<Token<'a>> {
    let Ok((mut tokens, _)) = lex(place.at.file, text, texts) else { return Vec::new() };
    for token in &mut tokens {
        token.place = place;
        (token.line_start, token.space) = (false, false);
    }
    tokens
}
