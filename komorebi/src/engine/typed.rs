//! What types a start: a declared graph or stream, or nothing.

use komorebi_abi::constants::engine::BINDINGS_MAX;
use komorebi_abi::engine::{BindingWords, DeclaredUpload, EndWords};

use super::{Bindings, Bound};
use crate::error::UploadError;

/// The mark of an upload that was built at run time.
#[derive(Clone, Copy, Debug)]
pub enum Untyped {}

/// The words of a start, and the tensors that were named for them.
pub struct Words(pub(crate) Bound);

mod sealed {
    pub trait Sealed {}
    impl<D: komorebi_abi::engine::DeclaredUpload> Sealed for D {}
    impl Sealed for super::Untyped {}
}

/// The type of an upload: what `km::graph!` or `km::stream!` declared, or [`Untyped`].
pub trait EngineType: sealed::Sealed + 'static {
    /// What a start is given.
    type Bindings;
    /// What the end event carries: of a graph its two end registers, of the first one the low 24 bits; of a stream what it
    /// halted with.
    type End;

    /// The words of a start of an upload whose bindings have these names; `None` for bytes, which tell none.
    #[doc(hidden)]
    fn words(bindings: Self::Bindings, names: Option<&[Option<String>]>) -> Result<Words, UploadError>;

    /// The value of an end event.
    #[doc(hidden)]
    fn end(first: u32, second: u32) -> Self::End;
}

impl<D: DeclaredUpload> EngineType for D {
    type Bindings = D::Bindings;
    type End = D::End;

    fn words(bindings: D::Bindings, _: Option<&[Option<String>]>) -> Result<Words, UploadError> {
        let count = D::Bindings::COUNT.min(BINDINGS_MAX as usize);
        Ok(Words(Bound { words: bindings.words()[..count].to_vec(), tensors: Vec::new() }))
    }

    fn end(first: u32, second: u32) -> D::End {
        D::End::of_words(first, second)
    }
}

impl EngineType for Untyped {
    type Bindings = Bindings;
    type End = [u32; 2];

    fn words(bindings: Bindings, names: Option<&[Option<String>]>) -> Result<Words, UploadError> {
        bindings.bind(names).map(Words)
    }

    fn end(first: u32, second: u32) -> [u32; 2] {
        [first, second]
    }
}
