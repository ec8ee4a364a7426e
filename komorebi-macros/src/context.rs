//! What an invocation knows of its surroundings.

use std::path::{Path, PathBuf};

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// Where an invocation stands.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// The folder of the source file, from which paths go; `None` where the compiler does not say (some editors).
    pub(crate) folder: Option<PathBuf>,
    /// The path of the crate `komorebi`.
    pub(crate) krate: TokenStream,
}

impl Context {
    /// The surroundings of the invocation that is being expanded.
    pub(crate) fn of_call() -> Self {
        let file = Span::call_site().local_file();
        Self { folder: file.as_deref().and_then(Path::parent).map(Path::to_path_buf), krate: find_crate() }
    }
}

/// `::komorebi`, or what the crate's manifest calls it.
fn find_crate() -> TokenStream {
    match crate_name("komorebi") {
        Ok(FoundCrate::Name(name)) => {
            let name = Ident::new(&name, Span::call_site());
            quote!(::#name)
        }
        // Itself: its examples, tests and doc tests see it by its own name.
        Ok(FoundCrate::Itself) | Err(_) => quote!(::komorebi),
    }
}
