//! Passing over what is no constant, by matching brackets.

use crate::declare::Reader;
use crate::error::ErrorKind;
use crate::expr::closing;
use crate::fault::Fault;
use crate::scope::Entity;
use crate::token::{Token, TokenKind};
use crate::typename::is_name;

impl Reader<'_> {
    /// The index after the bracket group that begins at the current token.
    pub(crate) fn after_group(&self) -> Result<usize, Fault> {
        match (closing(self.tokens, self.at), self.peek()) {
            (Some(close), _) => Ok(close + 1),
            (None, Some(open)) => {
                Err(Fault::at(ErrorKind::Syntax, "this bracket is never closed", open.place))
            }
            (None, None) => Ok(self.at),
        }
    }

    /// Passes over `[[...]]`, `__attribute__((...))`, `alignas(...)`.
    pub(crate) fn skip_attributes(&mut self) -> Result<(), Fault> {
        loop {
            let brackets = self.is("[") && self.ahead(1).is_some_and(|token| token.is("["));
            let word = self.peek().is_some_and(|token| {
                ["__attribute__", "alignas", "__declspec"].iter().any(|word| token.is_word(word))
            }) && self.ahead(1).is_some_and(|token| token.is("("));
            if word {
                self.at += 1;
            } else if !brackets {
                return Ok(());
            }
            self.at = self.after_group()?;
        }
    }

    /// To the next `;` outside brackets, past it.
    pub(crate) fn skip_to_semicolon(&mut self) -> Result<(), Fault> {
        while let Some(token) = self.peek() {
            match token.text {
                ";" => {
                    self.at += 1;
                    return Ok(());
                }
                "(" | "[" | "{" if token.kind == TokenKind::Punct => self.at = self.after_group()?,
                "}" => return Ok(()),
                _ => self.at += 1,
            }
        }
        Ok(())
    }

    /// Past a declaration of any kind, as its brackets show its end: at `;`, or at the `}` of a function's body.
    pub(crate) fn skip_declaration(&mut self) -> Result<(), Fault> {
        let mut initializer = false;
        let mut name: Option<&Token<'_>> = None;
        let mut declared = false;
        while let Some(token) = self.peek() {
            if token.kind == TokenKind::Ident && is_name(token) {
                name = Some(token);
            }
            match token.text {
                ";" => {
                    self.at += 1;
                    break;
                }
                "}" => break,
                "operator" => {
                    // `operator()`, `operator=`: up to the parameters.
                    self.at += 2;
                    while self.peek().is_some_and(|token| !token.is("(") && !token.is(";") && !token.is("{"))
                    {
                        self.at += 1;
                    }
                    continue;
                }
                "=" => {
                    initializer = true;
                    self.at += 1;
                }
                "(" | "[" if token.kind == TokenKind::Punct => self.at = self.after_group()?,
                "{" if token.kind == TokenKind::Punct => {
                    self.at = self.after_group()?;
                    // A braced initializer, or those of a constructor's members before its body.
                    let goes_on = initializer || self.is(";") || self.is(",") || self.is("{");
                    if !goes_on {
                        break;
                    }
                }
                _ => {
                    self.at += 1;
                    continue;
                }
            }
            if let Some(name) = name.filter(|_| !declared) {
                let what = if token.is("(") { "a function or macro call" } else { "no constant" };
                if self.scopes.own(self.scope, name.text).is_empty() && !initializer {
                    self.scopes.add(self.scope, name.text, Entity::Other(what));
                }
                declared = true;
            }
        }
        Ok(())
    }
}
