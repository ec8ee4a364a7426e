//! A problem found while reading, before its places are turned into lines and excerpts.

use crate::error::ErrorKind;
use crate::location::{Place, Span};

/// What is wrong and where; becomes a [`HeaderError`](crate::HeaderError) once reading is over.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
    pub(crate) at: Option<Span>,
    pub(crate) notes: Vec<(String, Option<Span>)>,
    pub(crate) help: Option<String>,
    /// For a constant that fails because another one does: the first fault of the chain.
    pub(crate) cause: Option<Box<(String, Option<Span>)>>,
}

impl Fault {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>, at: Span) -> Fault {
        Fault { kind, message: message.into(), at: Some(at), notes: Vec::new(), help: None, cause: None }
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
        self.help = Some(help.into());
        self
    }
}
