//! The companion macro under the program's own name, through which other macros see the program.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use komorebi_abi::engine::Facts;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::Visibility;
use syn::ext::IdentExt;

use super::{Emission, State};
use crate::facts::ProgramFacts;

/// `macro_rules! Heat`: called with a macro's path in brackets and a body, it calls that macro with the program's facts
/// and the body. Macros have a namespace of their own, so the name is free.
pub(super) fn emit_companion(program: &Emission<'_>) -> TokenStream {
    let ident = &program.item.ident;
    let name = export_name(program);
    let facts = facts(program).write();
    let rules = quote! {
        macro_rules! #name {
            ([$($callback:tt)*] $($body:tt)*) => {
                $($callback)* ! { #facts $($body)* }
            };
        }
    };
    let vis = &program.item.vis;
    let unused = quote!(#[allow(unused_macros, unused_imports, non_local_definitions, reason = "for `graph!` and `stream!`")]);
    match vis {
        Visibility::Public(_) => quote! {
            #[doc(hidden)]
            #unused
            #[macro_export]
            #rules
            #[doc(hidden)]
            #unused
            pub use #name as #ident;
        },
        _ => quote! {
            #unused
            #rules
            #unused
            #vis use #name as #ident;
        },
    }
}

/// A name for the crate's root, where two public programs of one name would meet: it has a hash of the program in it.
fn export_name(program: &Emission<'_>) -> Ident {
    let mut hasher = DefaultHasher::new();
    let start = program.item.ident.span().start();
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let file = in_crate(Path::new(&program.item.ident.span().file()), Path::new(&manifest)).to_owned();
    (start.line, start.column, file).hash(&mut hasher);
    format!("{:?}", program.model).hash(&mut hasher);
    format_ident!("__km_{}_{:016x}", program.item.ident.unraw(), hasher.finish())
}

/// The path of a source file without the crate's folder, so that the same crate in two folders gives the same.
fn in_crate<'a>(file: &'a Path, manifest: &Path) -> &'a Path {
    file.strip_prefix(manifest).unwrap_or(file)
}

/// What other macros need, as one token.
fn facts(program: &Emission<'_>) -> ProgramFacts {
    let mut facts = Facts::new(program.model);
    facts.complete = program.state == State::Complete;
    let header = program.constants.header.clone();
    ProgramFacts { facts, header, constants: program.constants.constants.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exported_name_does_not_depend_on_where_the_crate_lies() {
        let at = |file: &'static str, manifest| in_crate(Path::new(file), Path::new(manifest));
        assert_eq!(at("/home/a/heat/src/lib.rs", "/home/a/heat"), at("/srv/heat/src/lib.rs", "/srv/heat"));
        assert_eq!(at("src/lib.rs", "/home/a/heat"), Path::new("src/lib.rs"));
    }
}
