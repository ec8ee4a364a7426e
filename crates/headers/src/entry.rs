//! A constant while a header is read.

use crate::constant::ConstantKind;
use crate::error::ErrorKind;
use crate::fault::Fault;
use crate::location::Span;
use crate::text::{Few, Text};
use crate::types::{Type, Typed};

/// A declared name with its value or the reason it has none.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) name: Text<'a>,
    pub(crate) path: String,
    /// Other full names it answers to: without inline namespaces, with its enumeration.
    pub(crate) aliases: Few<String>,
    /// `None` for a constant known from the options.
    pub(crate) kind: Option<ConstantKind>,
    /// The name.
    pub(crate) at: Span,
    /// From the first token of the declaration to the last one, for the comments around.
    pub(crate) whole: Span,
    /// How many tokens came before.
    pub(crate) order: usize,
    /// Its type as far as it is known without the value.
    pub(crate) ty: Type,
    /// Nothing while its own initializer is read.
    pub(crate) value: Option<Result<Typed, Fault>>,
}

impl Entry<'_> {
    /// Why it has no value yet, where its own initializer asks for it.
    pub(crate) fn unfinished(&self) -> Fault {
        let message = format!("`{}` is used in its own initializer", self.name);
        Fault::new(ErrorKind::NotAConstant, message, self.at)
    }
}
