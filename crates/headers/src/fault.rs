//! A problem found while reading, before its places are turned into lines and excerpts.

use crate::error::ErrorKind;
use crate::location::{Place, Span};
use std::ops::{Deref, DerefMut};

/// What is wrong and where; becomes a [`HeaderError`](crate::HeaderError) once reading is over.
///
/// Boxed, because it is part of the result of every function of the expression parser, which recurses.
#[derive(Clone, Debug)]
pub(crate) struct Fault(Box<Details>);

#[derive(Clone, Debug)]
pub(crate) struct Details {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
    pub(crate) at: Option<Span>,
    pub(crate) notes: Vec<(String, Option<Span>)>,
    pub(crate) help: Option<String>,
    /// For a constant that fails because another one does: the first fault of the chain.
    pub(crate) cause: Option<(String, Option<Span>)>,
}

impl Fault {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>, at: Span) -> Fault {
        let (notes, help, cause) = (Vec::new(), None, None);
        Fault(Box::new(Details { kind, message: message.into(), at: Some(at), notes, help, cause }))
    }

    /// A fault at a token, which says where the macro was used that brought the token.
    pub(crate) fn at(kind: ErrorKind, message: impl Into<String>, place: Place) -> Fault {
        let fault = Fault::new(kind, message, place.at);
        match place.used {
            Some(used) => fault.note("in the expansion of the macro used here", used),
            None => fault,
        }
    }

    pub(crate) fn note(mut self, message: impl Into<String>, at: Span) -> Fault {
        self.notes.push((message.into(), Some(at)));
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Fault {
        self.0.help = Some(help.into());
        self
    }

    pub(crate) fn into_details(self) -> Details {
        *self.0
    }
}

impl Deref for Fault {
    type Target = Details;

    fn deref(&self) -> &Details {
        &self.0
    }
}

impl DerefMut for Fault {
    fn deref_mut(&mut self) -> &mut Details {
        &mut self.0
    }
}
