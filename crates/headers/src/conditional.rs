//! Directives of the `#if` family: which lines are kept.

use crate::builtin;
use crate::error::ErrorKind;
use crate::eval::Evaluator;
use crate::expr::Parser;
use crate::fault::Fault;
use crate::location::Span;
use crate::name::NoNames;
use crate::preprocess::{Preprocessor, group};
use crate::token::{Token, TokenKind};
use crate::types::Model;

/// Conditionals open at once.
const MOST_CONDITIONS: usize = 1_000;

/// An open `#if`.
pub(crate) struct Condition {
    pub(crate) directive: Span,
    /// The lines now read are kept.
    pub(crate) active: bool,
    /// A branch was taken, or the whole conditional lies in skipped lines.
    done: bool,
    has_else: bool,
}

impl<'a> Preprocessor<'_, 'a> {
    /// Handles a directive of the `#if` family; false for any other.
    pub(crate) fn conditional(
        &mut self,
        line: &[Token<'a>],
        active: bool,
        open: &mut Vec<Condition>,
    ) -> Result<bool, Fault> {
        let Some(name) = line.get(1) else { return Ok(false) };
        let at = Span { end: name.place.at.end, ..line[0].place.at };
        let fault = |message: &str| Err(Fault::new(ErrorKind::Directive, message, at));
        match name.text {
            "if" | "ifdef" | "ifndef" => {
                if open.len() >= MOST_CONDITIONS {
                    return Err(Fault::new(ErrorKind::Limit, "conditionals are nested too deep", at));
                }
                let holds = active && self.holds(name.text, line)?;
                open.push(Condition {
                    directive: at,
                    active: holds,
                    done: holds || !active,
                    has_else: false,
                });
            }
            "elif" | "elifdef" | "elifndef" | "else" => {
                let Some(condition) = open.last_mut() else {
                    return fault("there is no `#if` before this directive");
                };
                if condition.has_else {
                    return fault("this branch comes after the `#else`");
                }
                condition.active = false;
                condition.has_else = name.text == "else";
                if !condition.done {
                    let holds = condition.has_else || self.holds(&name.text[2..], line)?;
                    if let Some(condition) = open.last_mut() {
                        (condition.active, condition.done) = (holds, holds);
                    }
                }
            }
            "endif" => {
                if open.pop().is_none() {
                    return fault("there is no `#if` before this `#endif`");
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Evaluates the condition of `#if`, `#ifdef` or `#ifndef`.
    fn holds(&mut self, name: &str, line: &[Token<'a>]) -> Result<bool, Fault> {
        if name == "if" {
            return self.condition(line);
        }
        match line.get(2) {
            Some(token) if token.kind == TokenKind::Ident => {
                Ok(self.macros.is_defined(token.text) == (name == "ifdef"))
            }
            _ => Err(Fault::at(ErrorKind::Directive, "the name of a macro is missing", line[1].place)),
        }
    }

    fn condition(&mut self, line: &[Token<'a>]) -> Result<bool, Fault> {
        let keyword = line[1].place;
        let mut tokens = Vec::new();
        let mut at = 2;
        while let Some(token) = line.get(at) {
            let question = match token.text {
                "defined" => Some(self.defined(&line[at..])),
                "__has_include" => Some(self.has_include(token.place.at.file, &line[at..])),
                "__has_cpp_attribute" | "__has_attribute" | "__has_builtin" | "__has_feature" => {
                    Some(group(&line[at + 1..]).map(|inside| (false, inside.len() + 3)))
                }
                _ => None,
            };
            match question {
                Some(Some((answer, length))) => {
                    let digit = if answer { "1" } else { "0" };
                    let mut number = Token::new(TokenKind::Number, digit, token.place.at);
                    number.space = token.space;
                    tokens.push(number);
                    at += length;
                }
                Some(None) => {
                    let message = format!("`{}` needs a name in parentheses", token.text);
                    return Err(Fault::at(ErrorKind::Directive, message, token.place));
                }
                None => {
                    tokens.push(*token);
                    at += 1;
                }
            }
        }
        let mut expanded = Vec::with_capacity(tokens.len());
        self.macros.expand(&tokens, &mut expanded)?;
        let mut parser = Parser::directive(&expanded, keyword);
        let expr = parser.whole()?;
        let value =
            Evaluator { model: Model::DIRECTIVE, names: &NoNames, tree: &parser.tree }.evaluate(expr)?;
        Ok(value.number != 0)
    }

    /// `defined NAME` or `defined(NAME)`: the answer and the number of tokens.
    fn defined(&self, tokens: &[Token<'a>]) -> Option<(bool, usize)> {
        let (name, length) = match tokens.get(1)? {
            open if open.is("(") && tokens.get(3)?.is(")") => (tokens.get(2)?, 4),
            name => (name, 2),
        };
        (name.kind == TokenKind::Ident).then(|| (self.macros.is_defined(name.text), length))
    }

    fn has_include(&self, file: u32, tokens: &[Token<'a>]) -> Option<(bool, usize)> {
        let inside = group(&tokens[1..])?;
        let (name, quoted) = self.header_name(inside)?;
        let found = builtin::standard_header(&name).is_some()
            || matches!(self.find(file, &name, quoted), Ok(Some(_)));
        Some((found, inside.len() + 3))
    }
}
