//! What a `#define` says.

use crate::error::ErrorKind;
use crate::fault::Fault;
use crate::location::Span;
use crate::text::Text;
use crate::token::{Token, TokenKind};

/// One `#define`.
#[derive(Debug)]
pub(crate) struct Macro<'a> {
    pub(crate) name: Text<'a>,
    /// `None` for an object-like macro.
    pub(crate) params: Option<Params<'a>>,
    pub(crate) body: Vec<Token<'a>>,
    pub(crate) name_at: Span,
    /// From the name to the end of the body.
    pub(crate) at: Span,
    /// How many tokens of the output came before.
    pub(crate) order: usize,
    pub(crate) builtin: bool,
    /// An earlier definition with another body that no `#undef` removed.
    pub(crate) conflict: Option<Span>,
}

/// The parameters of a function-like macro.
#[derive(Debug, PartialEq)]
pub(crate) struct Params<'a> {
    pub(super) names: Vec<Text<'a>>,
    pub(super) variadic: bool,
}

impl<'a> Params<'a> {
    /// Reads what stands between the parentheses.
    pub(crate) fn parse(tokens: &[Token<'a>]) -> Result<Params<'a>, Fault> {
        let mut params = Params { names: Vec::new(), variadic: false };
        for (at, part) in tokens.split(|token| token.is(",")).enumerate() {
            match part {
                [] if at == 0 && tokens.is_empty() => {}
                [name] if name.kind == TokenKind::Ident && !params.variadic => params.names.push(name.text),
                [dots] if dots.is("...") && !params.variadic => {
                    params.names.push("__VA_ARGS__");
                    params.variadic = true;
                }
                [name, dots] if name.kind == TokenKind::Ident && dots.is("...") && !params.variadic => {
                    params.names.push(name.text);
                    params.variadic = true;
                }
                _ => {
                    let place = part.first().or(tokens.first()).map(|token| token.place);
                    let message = "expected the names of the parameters";
                    return Err(match place {
                        Some(place) => Fault::at(ErrorKind::Directive, message, place),
                        None => Fault::new(ErrorKind::Directive, message, Span { file: 0, start: 0, end: 0 }),
                    });
                }
            }
        }
        Ok(params)
    }
}
