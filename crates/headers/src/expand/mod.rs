//! Macros and their expansion: object-like and function-like, `#`, `##`, `__VA_ARGS__`.
//!
//! Each token carries the macros it came from and does not expand them again, so expansion ends; a budget of steps bounds how
//! much it can grow before that.

mod definition;
mod work;

pub(crate) use self::definition::{Macro, Params};

use self::work::{Work, fit_arguments};
use crate::error::ErrorKind;
use crate::fault::Fault;
use crate::hidden::{Hidden, HiddenNames};
use crate::lexer::lex_pasted;
use crate::location::Place;
use crate::text::{Table, Texts};
use crate::token::{Token, TokenKind};
use std::rc::Rc;

/// Steps of expansion for a whole header.
const MOST_STEPS: usize = 4_000_000;
/// Macros within macros.
const MOST_NESTED: u32 = 200;
/// Arguments within arguments.
const MOST_ARGUMENTS: u32 = 64;
/// Bytes of one pasted token or stringized argument.
const LONGEST_TOKEN: usize = 1 << 16;

/// The macros defined at some point of the text.
#[derive(Debug)]
pub(crate) struct Macros<'a> {
    texts: &'a Texts,
    table: Table<'a, Rc<Macro<'a>>>,
    hidden: HiddenNames<'a>,
    steps: usize,
    /// The steps after which there may be no more.
    limit: usize,
}

impl<'a> Macros<'a> {
    /// None; `texts` takes the words they make.
    pub(crate) fn new(texts: &'a Texts) -> Macros<'a> {
        let (table, hidden) = (Table::default(), HiddenNames::default());
        Macros { texts, table, hidden, steps: 0, limit: MOST_STEPS }
    }

    pub(crate) fn is_defined(&self, name: &str) -> bool {
        self.table.contains_key(name) || matches!(name, "__has_include" | "__has_cpp_attribute")
    }

    /// Is the token a macro's name?
    pub(crate) fn names(&self, token: &Token<'_>) -> bool {
        token.kind == TokenKind::Ident && self.table.contains_key(token.text)
    }

    pub(crate) fn define(&mut self, mut new: Macro<'a>) {
        if let Some(old) = self.table.get(new.name) {
            let same = old.params == new.params
                && old.body.len() == new.body.len()
                && old.body.iter().zip(&new.body).all(|(a, b)| a.text == b.text && a.kind == b.kind);
            new.conflict = if same { old.conflict } else { Some(old.name_at) };
            if same {
                new.order = old.order;
                (new.name_at, new.at) = (old.name_at, old.at);
            }
        }
        self.table.insert(new.name, Rc::new(new));
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.table.remove(name);
    }

    /// All macros, by the order of their definition.
    pub(crate) fn in_order(&self) -> Vec<Rc<Macro<'a>>> {
        let mut all: Vec<Rc<Macro<'a>>> = self.table.values().cloned().collect();
        all.sort_by_key(|of| (of.order, of.name_at.file, of.name_at.start));
        all
    }

    /// Expands one macro's name with a budget of its own.
    pub(crate) fn expand_alone(&mut self, token: Token<'a>, steps: usize) -> Result<Vec<Token<'a>>, Fault> {
        self.limit = (self.steps + steps).min(MOST_STEPS);
        let mut out = Vec::with_capacity(8);
        let expanded = self.expand(&[token], &mut out);
        self.limit = MOST_STEPS;
        expanded.map(|()| out)
    }

    /// Expands all macros in a run of tokens, and appends what they become.
    pub(crate) fn expand(&mut self, tokens: &[Token<'a>], out: &mut Vec<Token<'a>>) -> Result<(), Fault> {
        self.expand_nested(tokens, 0, out)
    }

    fn step(&mut self, cost: usize, place: Place) -> Result<(), Fault> {
        self.steps += cost;
        if self.steps > self.limit {
            return Err(Fault::at(ErrorKind::Limit, "the macros here expand to too much text", place));
        }
        Ok(())
    }

    fn expand_nested(
        &mut self,
        tokens: &[Token<'a>],
        depth: u32,
        out: &mut Vec<Token<'a>>,
    ) -> Result<(), Fault> {
        let mut work = Work { made: Vec::new(), rest: tokens };
        loop {
            if work.made.is_empty() {
                work.rest = self.pass(work.rest, out)?;
            }
            let Some(token) = work.next() else { return Ok(()) };
            self.step(1 + self.hidden.depth(token.hidden) as usize, token.place)?;
            let of = if token.kind == TokenKind::Ident { self.table.get(token.text) } else { None };
            let of = match of.filter(|_| !self.hidden.contains(token.hidden, token.text)) {
                Some(of) => of.clone(),
                None => {
                    out.push(token);
                    continue;
                }
            };
            if self.hidden.depth(token.hidden) >= MOST_NESTED || depth > MOST_ARGUMENTS {
                return Err(Fault::at(ErrorKind::Limit, "macros are nested too deep", token.place));
            }
            let (arguments, hidden) = match &of.params {
                None => (Vec::new(), token.hidden),
                Some(params) => {
                    let taken = work.take_arguments();
                    self.step(taken.as_ref().map_or(work.len() / 8, |(_, close)| close.cost), token.place)?;
                    let Some((arguments, close)) = taken else {
                        // The name of a function-like macro without a call stays as it is.
                        out.push(token);
                        continue;
                    };
                    (
                        fit_arguments(arguments, params, &token)?,
                        self.hidden.intersection(token.hidden, close.token.hidden),
                    )
                }
            };
            let start = work.made.len();
            self.substitute(&of, &arguments, depth, &mut work.made)?;
            let hidden = self.hidden.with(hidden, of.name);
            let used = token.place.used.unwrap_or(token.place.at);
            let body = &mut work.made[start..];
            for new in body.iter_mut().rev() {
                let depths = self.hidden.depth(new.hidden) * self.hidden.depth(hidden);
                self.step(1 + depths as usize, token.place)?;
                new.hidden = self.hidden.union(new.hidden, hidden);
                new.place.used.get_or_insert(used);
            }
            if let Some(first) = body.first_mut() {
                (first.space, first.line_start) = (token.space, token.line_start);
            }
            body.reverse();
        }
    }

    /// Appends the tokens up to the first that may expand, and gives the others.
    fn pass<'t>(
        &mut self,
        tokens: &'t [Token<'a>],
        out: &mut Vec<Token<'a>>,
    ) -> Result<&'t [Token<'a>], Fault> {
        let count = tokens.iter().position(|token| self.names(token)).unwrap_or(tokens.len());
        let (plain, rest) = tokens.split_at(count);
        for token in plain {
            self.step(1 + self.hidden.depth(token.hidden) as usize, token.place)?;
        }
        out.extend_from_slice(plain);
        Ok(rest)
    }

    /// Appends the body with its parameters replaced, `#` and `##` done.
    fn substitute(
        &mut self,
        of: &Macro<'a>,
        arguments: &[Vec<Token<'a>>],
        depth: u32,
        out: &mut Vec<Token<'a>>,
    ) -> Result<(), Fault> {
        let index = |token: &Token<'a>| {
            let params = of.params.as_ref().filter(|_| token.kind == TokenKind::Ident)?;
            params.names.iter().position(|name| *name == token.text)
        };
        let begin = out.len();
        out.reserve(of.body.len());
        let mut expanded: Vec<Option<Vec<Token<'a>>>> = vec![None; arguments.len()];
        // The last argument was empty and stands left of `##`.
        let mut left_empty = false;
        let mut at = 0;
        while let Some(token) = of.body.get(at) {
            let next = of.body.get(at + 1);
            if token.is("##") && at > 0 && next.is_some() {
                at += 1;
                let Some(right) = of.body.get(at) else { break };
                let right = match index(right) {
                    Some(index) => arguments[index].clone(),
                    None => vec![*right],
                };
                at += 1;
                self.step(right.len(), token.place)?;
                let mut right = right.into_iter();
                let was_empty = std::mem::replace(&mut left_empty, false);
                match (if was_empty || out.len() == begin { None } else { out.pop() }, right.next()) {
                    (Some(left), Some(first)) => out.extend(self.paste(&left, &first)?),
                    (Some(left), None) => out.push(left),
                    (None, Some(first)) => out.push(first),
                    (None, None) => left_empty = true,
                }
                out.extend(right);
                continue;
            }
            if token.is("#")
                && of.params.is_some()
                && let Some(index) = next.and_then(index)
            {
                out.push(self.stringize(&arguments[index], token)?);
                left_empty = false;
                at += 2;
                continue;
            }
            at += 1;
            let Some(index) = index(token) else {
                out.push(*token);
                left_empty = false;
                continue;
            };
            if next.is_some_and(|next| next.is("##")) {
                left_empty = arguments[index].is_empty();
                self.step(arguments[index].len(), token.place)?;
                out.extend_from_slice(&arguments[index]);
                continue;
            }
            left_empty = false;
            if expanded[index].is_none() {
                let mut argument = Vec::new();
                self.expand_nested(&arguments[index], depth + 1, &mut argument)?;
                expanded[index] = Some(argument);
            }
            let argument = expanded[index].as_deref().unwrap_or_default();
            let start = out.len();
            out.extend_from_slice(argument);
            self.step(out.len() - start, token.place)?;
            if let Some(first) = out.get_mut(start) {
                first.space = token.space;
            }
        }
        Ok(())
    }

    /// `left ## right`.
    fn paste(&mut self, left: &Token<'a>, right: &Token<'a>) -> Result<Vec<Token<'a>>, Fault> {
        let text = format!("{}{}", left.text, right.text);
        if text.len() > LONGEST_TOKEN {
            return Err(Fault::at(ErrorKind::Limit, "the pasted token is too long", left.place));
        }
        let hidden = self.hidden.intersection(left.hidden, right.hidden);
        let mut tokens = lex_pasted(self.texts.keep(text), left.place, self.texts);
        for token in &mut tokens {
            token.hidden = hidden;
        }
        if let Some(first) = tokens.first_mut() {
            first.space = left.space;
        }
        Ok(tokens)
    }

    /// `#argument`.
    fn stringize(&self, argument: &[Token<'a>], hash: &Token<'a>) -> Result<Token<'a>, Fault> {
        let mut text = String::from("\"");
        for (at, token) in argument.iter().enumerate() {
            if token.space && at > 0 {
                text.push(' ');
            }
            for c in token.text.chars() {
                if matches!(c, '"' | '\\') {
                    text.push('\\');
                }
                text.push(c);
            }
            if text.len() > LONGEST_TOKEN {
                return Err(Fault::at(ErrorKind::Limit, "the stringized argument is too long", hash.place));
            }
        }
        text.push('"');
        let hidden = Hidden::default();
        Ok(Token {
            place: hash.place,
            space: hash.space,
            hidden,
            ..Token::new(TokenKind::Str, self.texts.keep(text), hash.place.at)
        })
    }
}
