//! The untyped form: a handler by its name or number, and words.

use std::marker::PhantomData;

use komorebi_abi::constants::command as c;

use super::raw::sealed::Sealed;
use super::{Command, Place, RawCall, Target, Word, Words};

/// A handler by name or number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandlerRef<'a> {
    /// By name.
    Name(&'a str),
    /// By number; 0 is NOP.
    Number(u32),
}

impl<'a> From<&'a str> for HandlerRef<'a> {
    fn from(name: &'a str) -> Self {
        Self::Name(name)
    }
}

impl From<u32> for HandlerRef<'_> {
    fn from(number: u32) -> Self {
        Self::Number(number)
    }
}

/// An untyped call. Handler and words are checked when it is submitted.
#[derive(Clone, Copy, Debug)]
pub struct NamedCall<'a, R = ()> {
    raw: RawCall<'a>,
    of: PhantomData<fn() -> R>,
}

/// A call of `handler`, a name or a number, with up to ten argument words.
pub fn call<'a>(handler: impl Into<HandlerRef<'a>>, words: &[u32]) -> NamedCall<'a> {
    let words = words.iter().fold(Words::new(), |all, &word| all.word(word));
    let raw =
        RawCall { handler: handler.into(), words, target: Target::All, flags: 0, result: None, typed: false };
    NamedCall { raw, of: PhantomData }
}

/// A command that does nothing on its cores.
pub fn nop() -> NamedCall<'static> {
    call(c::KM_HANDLER_NOP, &[])
}

impl<'a, R: Word> NamedCall<'a, R> {
    /// Runs it on `0..60`, `(first, count)`, a [`Group`](crate::Group) or a [`Core`](crate::Core); every core otherwise.
    #[must_use]
    pub fn on(mut self, place: impl Into<Place>) -> Self {
        self.raw.target = Target::Group(place.into().0);
        self
    }

    /// Starts it alone on its cores, as [`Call::exclusive`](crate::Call::exclusive) does. A queued call starts alone in any case.
    #[must_use]
    pub fn exclusive(mut self) -> Self {
        if !matches!(self.raw.target, Target::Queued(_)) {
            self.raw.flags |= c::KM_FLAG_EXCLUSIVE as u8;
        }
        self
    }

    /// Runs it on `cores` cores that the dispatcher chooses; a place and `exclusive` given before go.
    #[must_use]
    pub fn queued(mut self, cores: u32) -> Self {
        self.raw.target = Target::Queued(cores);
        self.raw.flags &= !(c::KM_FLAG_EXCLUSIVE as u8);
        self
    }

    /// Asks for the leader's result word, as `T`: what the handler is declared to give, where that is declared.
    #[must_use]
    pub fn result<T: Word>(mut self) -> NamedCall<'a, T> {
        self.raw.flags &= !(c::KM_FLAG_RESULT as u8);
        if T::KIND.is_some() {
            self.raw.flags |= c::KM_FLAG_RESULT as u8;
        }
        self.raw.result = T::KIND;
        NamedCall { raw: self.raw, of: PhantomData }
    }
}

impl<R> Sealed for NamedCall<'_, R> {
    fn raw(&self) -> RawCall<'_> {
        self.raw
    }
}

impl<P, R: Word> Command<P> for NamedCall<'_, R> {
    type Output = R;
}
