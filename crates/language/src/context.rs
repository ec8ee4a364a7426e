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
    // The full search asks cargo for the workspace, which takes longer than all the rest of an expansion.
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(|dir| Path::new(&dir).join("Cargo.toml"));
    if manifest.and_then(|path| std::fs::read_to_string(path).ok()).is_some_and(|text| names_crate(&text)) {
        return quote!(::komorebi);
    }
    match crate_name("komorebi") {
        Ok(FoundCrate::Name(name)) => {
            let name = Ident::new(&name, Span::call_site());
            quote!(::#name)
        }
        // Itself: its examples, tests and doc tests see it by its own name.
        Ok(FoundCrate::Itself) | Err(_) => quote!(::komorebi),
    }
}

/// Is there a dependency under the crate's own name? Lines that would need more than a look do not count.
fn names_crate(manifest: &str) -> bool {
    manifest.lines().map(str::trim).any(|line| {
        let plain = |rest: &str| rest.trim_start().starts_with(['=', '.']) && !rest.contains("package");
        line.strip_prefix("komorebi").is_some_and(plain)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_dependency_needs_no_search() {
        for line in ["komorebi = \"1\"", "komorebi.workspace = true", "  komorebi={ path = \"..\" }"] {
            assert!(names_crate(&format!("[dependencies]\n{line}\n")), "{line}");
        }
        for line in
            ["km = { package = \"komorebi\" }", "komorebi-abi = \"1\"", "komorebi = { package = \"other\" }"]
        {
            assert!(!names_crate(&format!("[dependencies]\n{line}\n")), "{line}");
        }
    }
}
