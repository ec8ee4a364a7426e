//! The tokens that an expansion has before it, and the arguments of calls taken from them.

use super::definition::Params;
use crate::error::ErrorKind;
use crate::fault::Fault;
use crate::token::{Token, TokenKind};

/// The tokens still to be expanded.
pub(super) struct Work<'t, 'a> {
    /// What macros became, the next token last.
    pub(super) made: Vec<Token<'a>>,
    /// What comes after it.
    pub(super) rest: &'t [Token<'a>],
}

impl<'a> Work<'_, 'a> {
    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        self.made.pop().or_else(|| {
            let (first, rest) = self.rest.split_first()?;
            self.rest = rest;
            Some(*first)
        })
    }

    pub(super) fn len(&self) -> usize {
        self.made.len() + self.rest.len()
    }

    fn iter(&self) -> impl Iterator<Item = &Token<'a>> {
        self.made.iter().rev().chain(self.rest)
    }

    /// Takes `( a, b )`; `None` (and nothing taken) when the tokens do not begin with a whole call.
    pub(super) fn take_arguments(&mut self) -> Option<(Vec<Vec<Token<'a>>>, Close<'a>)> {
        if !self.iter().next()?.is("(") {
            return None;
        }
        let mut depth = 0_usize;
        let close = self.iter().position(|token| {
            if token.is("(") {
                depth += 1;
            } else if token.is(")") {
                depth -= 1;
            }
            depth == 0
        })?;
        let mut call: Vec<Token<'a>> = (0..=close).filter_map(|_| self.next()).collect();
        let cost = call.len();
        let close = Close { token: call.pop()?, cost };
        let mut arguments = vec![Vec::new()];
        for token in call.into_iter().skip(1) {
            match () {
                () if token.is("(") => depth += 1,
                () if token.is(")") => depth -= 1,
                () => {}
            }
            if token.is(",") && depth == 0 {
                arguments.push(Vec::new());
            } else if let Some(last) = arguments.last_mut() {
                last.push(token);
            }
        }
        Some((arguments, close))
    }
}

/// The closing parenthesis of a call, and how many tokens the call has.
pub(super) struct Close<'a> {
    pub(super) token: Token<'a>,
    pub(super) cost: usize,
}

/// As many arguments as parameters: the surplus goes to `...`.
pub(super) fn fit_arguments<'a>(
    mut arguments: Vec<Vec<Token<'a>>>,
    params: &Params<'a>,
    name: &Token<'a>,
) -> Result<Vec<Vec<Token<'a>>>, Fault> {
    let wanted = params.names.len();
    if wanted == 0 && arguments.len() == 1 && arguments[0].is_empty() {
        return Ok(Vec::new());
    }
    if params.variadic {
        if arguments.len() + 1 == wanted {
            arguments.push(Vec::new());
        }
        while arguments.len() > wanted {
            let last = arguments.split_off(wanted);
            for more in last {
                let place = more.first().map_or(name.place, |token| token.place);
                let comma = Token { place, ..Token::new(TokenKind::Punct, ",", name.place.at) };
                arguments[wanted - 1].push(comma);
                arguments[wanted - 1].extend(more);
            }
        }
    }
    if arguments.len() != wanted {
        let message =
            format!("the macro `{}` takes {wanted} arguments, {} are given", name.text, arguments.len());
        return Err(Fault::at(ErrorKind::Syntax, message, name.place));
    }
    Ok(arguments)
}
