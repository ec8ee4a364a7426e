//! Programs declared with `#[km::program]`.

use super::Program;
use crate::macro_support::Declaration;

/// A program declared with `#[km::program]`; the macro implements it.
pub trait Declared: 'static {
    /// What the declaration says.
    #[doc(hidden)]
    fn declaration() -> Declaration;
}

impl<P: Declared> Program<P> {
    /// The declared program; the macro's `program()` calls this.
    pub fn declared() -> Self {
        let Declaration { model, sources, thread_sources } = P::declaration();
        Self { thread_sources, ..Self::from_parts(model, sources) }
    }
}
