//! The generated items. Nothing here can fail: what is wrong was found before.
//!
//! With errors the same types and functions are generated, so that the rest of the crate still compiles and one mistake
//! gives one error; only the declaration has no content.

pub(crate) mod calls;
mod check_types;
mod companion;
mod declaration;
mod item;
mod submit;
mod warning;

use komorebi_abi::program::ProgramModel;
use proc_macro2::TokenStream;
use quote::quote;

use super::header::HeaderConstants;
use super::item::ProgramItem;
use super::kernels::{KernelFiles, SourcePath};

/// Everything that the items are generated from.
pub(crate) struct Emission<'a> {
    pub(crate) item: &'a ProgramItem,
    pub(crate) model: &'a ProgramModel,
    /// The declaration's sources; `None` after an error.
    pub(crate) kernels: Option<&'a KernelFiles>,
    /// The threads' sources, and what they include.
    pub(crate) thread_files: &'a [SourcePath],
    /// Was everything read, and is nothing wrong?
    pub(crate) state: State,
    /// The header's constants, for `graph!` and `stream!`.
    pub(crate) constants: HeaderConstants,
    /// Handlers of the header that the program does not declare.
    pub(crate) undeclared: Vec<String>,
    /// The path of the crate `komorebi`.
    pub(crate) krate: TokenStream,
}

/// What is known of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Everything.
    Complete,
    /// Something is wrong, and reported.
    Wrong,
    /// The source file is unknown, and with it the header.
    Blind,
}

/// The items of a program.
pub(crate) fn emit_program(program: &Emission<'_>) -> TokenStream {
    let item = item::emit_item(program);
    let declaration = declaration::emit_declaration(program);
    let calls = calls::emit_calls(program);
    let submit = submit::emit_submit(program);
    let types = check_types::emit_type_checks(program);
    let companion = companion::emit_companion(program);
    let warning = warning::emit_warning(program);
    quote!(#item #declaration #calls #submit #types #companion #warning)
}
