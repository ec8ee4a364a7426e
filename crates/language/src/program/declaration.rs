//! A program read from its source file, by a tool that compiles nothing: the macro's own reading and rules.

use std::path::Path;

use komorebi_abi::program::{ProgramModel, Rule};
use proc_macro2::TokenStream;

use super::kernels::SourcePath;
use super::{Declared, declare};
use crate::context::Context;
use crate::errors::Errors;

/// A program as its source file declares it.
#[derive(Debug)]
pub struct Declaration {
    /// Everything but the sources.
    pub model: ProgramModel,
    /// Reader, compute and writer: the position of each in `files`. A program may do without compute.
    pub kernels: [Option<usize>; 3],
    /// The kernels' sources, the header, and what they include from beside them.
    pub files: Vec<SourcePath>,
}

/// Something that `cargo build` refuses too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Line in the source file, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// The message, with its code.
    pub text: String,
}

impl Declaration {
    /// Reads the parts of the attribute and the trait under it, of a source file in `folder`.
    ///
    /// # Errors
    /// With everything that a build refuses, in the order of the build's messages, but for kernels and buffers that do not
    /// fit: whoever reads a declaration by itself measures it.
    pub fn read(attribute: TokenStream, item: TokenStream, folder: &Path) -> Result<Self, Vec<Mistake>> {
        let mut errors = Errors::default();
        let context = Context { folder: Some(folder.to_path_buf()), krate: TokenStream::new() };
        let declared = declare(attribute, item, &context, Some(Rule::L1Budget), &mut errors);
        match declared {
            Some(Declared { model, kernels: Some(kernels), .. }) if errors.is_empty() => {
                Ok(Self { model, kernels: kernels.kernels, files: kernels.files })
            }
            _ => Err(errors.mistakes()),
        }
    }
}
