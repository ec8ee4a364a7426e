//! Qualified names, and who knows what they mean.

use crate::error::ErrorKind;
use crate::fault::Fault;
use crate::location::Place;
use crate::text::Text;
use crate::token::Token;
use crate::types::{Type, Typed};

/// A name as written: `kFoo`, `abi::kFoo`, `::km::abi::kFoo`.
#[derive(Clone, Debug)]
pub(crate) struct Name<'a> {
    pub(crate) global: bool,
    /// Words with `::` between them, at least one.
    pub(crate) tokens: &'a [Token<'a>],
    pub(crate) place: Place,
}

impl<'a> Name<'a> {
    pub(crate) fn parts(&self) -> impl Iterator<Item = Text<'a>> {
        self.tokens.iter().step_by(2).map(|token| token.text)
    }

    pub(crate) fn last(&self) -> Text<'a> {
        self.tokens.last().map_or("", |token| token.text)
    }

    pub(crate) fn written(&self) -> String {
        let start = if self.global { "::" } else { "" };
        self.tokens.iter().fold(start.to_owned(), |written, token| written + token.text)
    }
}

/// What the names in an expression mean.
pub(crate) trait Names {
    /// The type of this name, if it is one.
    fn type_named(&self, name: &Name<'_>) -> Option<Type>;

    /// The constant of this name; when not `live` only its type counts.
    fn constant(&self, name: &Name<'_>, live: bool) -> Result<Typed, Fault>;
}

/// No names at all, for `#if`.
pub(crate) struct NoNames;

impl Names for NoNames {
    fn type_named(&self, _: &Name<'_>) -> Option<Type> {
        None
    }

    fn constant(&self, name: &Name<'_>, _: bool) -> Result<Typed, Fault> {
        Err(Fault::at(ErrorKind::UnknownName, format!("unknown name `{}`", name.written()), name.place))
    }
}
