//! Calls of a declared program.

use std::marker::PhantomData;

use komorebi_abi::constants::command as c;

use super::raw::sealed::Sealed;
use super::{Command, HandlerRef, Place, RawCall, Target, Word, Words};

/// A call of a handler of program `P` with a result of type `R`: a plain value, to submit, to batch, or to build graphs
/// from. Runs on every core unless [`on`](Self::on) says where.
pub struct Call<P, R> {
    handler: u8,
    flags: u8,
    words: Words,
    target: Target,
    of: PhantomData<fn() -> (P, R)>,
}

/// A call whose first core the dispatcher chooses. It cannot be exclusive.
pub struct Queued<P, R>(Call<P, R>);

/// The call of handler number `handler`; for generated code.
pub(crate) const fn new_call<P, R: Word>(handler: u8, words: Words) -> Call<P, R> {
    let flags = if R::KIND.is_some() { c::KM_FLAG_RESULT as u8 } else { 0 };
    Call { handler, flags, words, target: Target::All, of: PhantomData }
}

impl<P, R> Call<P, R> {
    /// Runs it on `0..60`, `(first, count)`, a [`Group`](crate::Group) or a [`Core`](crate::Core).
    #[inline]
    #[must_use]
    pub fn on(mut self, place: impl Into<Place>) -> Self {
        self.target = Target::Group(place.into().0);
        self
    }

    /// Starts it alone on its cores: it waits until no command in flight has a group that overlaps it. Commands after it wait
    /// behind it until it has started; one that is not exclusive itself may then be taken by cores that are done with it.
    #[inline]
    #[must_use]
    pub fn exclusive(mut self) -> Self {
        self.flags |= c::KM_FLAG_EXCLUSIVE as u8;
        self
    }

    /// Runs it on `cores` cores from the lowest first core whose group overlaps no busy one, once there is one. A place and
    /// `exclusive` given before go: its cores are chosen, and it is alone on them when it starts.
    #[inline]
    #[must_use]
    pub fn queued(mut self, cores: u32) -> Queued<P, R> {
        self.target = Target::Queued(cores);
        self.flags &= !(c::KM_FLAG_EXCLUSIVE as u8);
        Queued(self)
    }

    /// The handler's number.
    pub fn handler(&self) -> u8 {
        self.handler
    }

    /// The argument words.
    pub fn words(&self) -> &[u32] {
        &self.words.words[..self.words.count.min(c::ARGS_MAX) as usize]
    }
}

impl<P, R> Clone for Call<P, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, R> Copy for Call<P, R> {}

impl<P, R> Clone for Queued<P, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, R> Copy for Queued<P, R> {}

impl<P, R> std::fmt::Debug for Call<P, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call")
            .field("handler", &self.handler)
            .field("words", &self.words())
            .field("target", &self.target)
            .field("flags", &self.flags)
            .finish()
    }
}

impl<P, R> std::fmt::Debug for Queued<P, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl<P, R> Sealed for Call<P, R> {
    #[inline]
    fn raw(&self) -> RawCall<'_> {
        let handler = HandlerRef::Number(u32::from(self.handler));
        RawCall {
            handler,
            words: self.words,
            target: self.target,
            flags: self.flags,
            result: None,
            typed: true,
        }
    }
}

impl<P, R: Word> Command<P> for Call<P, R> {
    type Output = R;
}

impl<P, R> Sealed for Queued<P, R> {
    #[inline]
    fn raw(&self) -> RawCall<'_> {
        self.0.raw()
    }
}

impl<P, R: Word> Command<P> for Queued<P, R> {
    type Output = R;
}
