//! What `km::graph!` and `km::stream!` declare, as the runtime sees it.
//!
//! `km::graph! { <Heat> pub graph Converge { .. } }` makes three items: the unit struct `Converge`, which is
//! [`DeclaredUpload`] and [`UploadFor<Heat>`](UploadFor); `ConvergeBindings` with a field a binding, made by
//! `Converge::bind(..)`; and `ConvergeEnd` with a field for each register of `end(..)`. Without bindings or `end`, the
//! type is `()`. A stream's end is the type of what it halts with: `u32`, `i32` or `f32`.
//!
//! A runtime writes [`DeclaredUpload::BYTES`] as they stand, starts them with [`BindingWords::words`], and turns the
//! words of the end event into a value with [`EndWords::of_words`]:
//!
//! ```
//! use komorebi_abi::engine::{BindingWords, DeclaredUpload, EndWords, UploadFor};
//!
//! fn start<P, D: UploadFor<P>>(_upload: D, bindings: D::Bindings) -> Vec<u32> {
//!     let words = bindings.words();
//!     words[..D::Bindings::COUNT].to_vec()
//! }
//! fn end<D: DeclaredUpload>(first: u32, second: u32) -> D::End {
//!     D::End::of_words(first, second)
//! }
//! ```

use super::UploadKind;
use crate::constants::engine::BINDINGS_MAX;

/// A graph or stream whose bytes are known since the crate was built.
pub trait DeclaredUpload: Copy + Send + Sync + 'static {
    /// Words of a start, by name.
    type Bindings: BindingWords;
    /// What the end event carries.
    type End: EndWords;
    /// Its name in Rust.
    const NAME: &'static str;
    /// Stream or graph.
    const KIND: UploadKind;
    /// What its events carry.
    const REQ: u16;
    /// The graph stays after its end event.
    const KEEP: bool;
    /// Its upload: whole lines, checked. Empty only in a crate that does not compile.
    const BYTES: &'static [u8];
    /// Names of its bindings, in the order of their words.
    const BINDINGS: &'static [&'static str];
}

/// A [`DeclaredUpload`] whose commands are those of program `P`. Its handlers' numbers mean nothing in another.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a graph or stream of the program `{P}`",
    label = "this run has `{P}` loaded, and `{Self}` is declared for another program",
    note = "give it to a run of the program that stands in the angle brackets of `{Self}`"
)]
pub trait UploadFor<P: ?Sized>: DeclaredUpload {}

/// Bindings as the words of a start.
pub trait BindingWords {
    /// How many there are: at most [`BINDINGS_MAX`].
    const COUNT: usize;

    /// The words, 0 behind the last binding.
    fn words(&self) -> [u32; BINDINGS_MAX as usize];
}

impl BindingWords for () {
    const COUNT: usize = 0;

    fn words(&self) -> [u32; BINDINGS_MAX as usize] {
        [0; BINDINGS_MAX as usize]
    }
}

/// What an end event carries: of a graph, the low 24 bits of its first register and the second; of a stream, the value
/// it halted with and 0.
pub trait EndWords: Sized {
    /// From the words of the event.
    fn of_words(first: u32, second: u32) -> Self;
}

impl EndWords for () {
    fn of_words(_: u32, _: u32) -> Self {}
}

impl EndWords for u32 {
    fn of_words(first: u32, _: u32) -> Self {
        first
    }
}

impl EndWords for i32 {
    fn of_words(first: u32, _: u32) -> Self {
        first.cast_signed()
    }
}

impl EndWords for f32 {
    fn of_words(first: u32, _: u32) -> Self {
        Self::from_bits(first)
    }
}
