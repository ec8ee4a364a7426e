//! The companion macro under the program's own name, through which other macros see the program.

use std::hash::{DefaultHasher, Hash, Hasher};

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
    (start.line, start.column, program.item.ident.span().file()).hash(&mut hasher);
    format!("{:?}", program.model).hash(&mut hasher);
    format_ident!("__km_{}_{:016x}", program.item.ident.unraw(), hasher.finish())
}

/// What other macros need, as one token.
fn facts(program: &Emission<'_>) -> ProgramFacts {
    let mut facts = Facts::new(program.model);
    facts.complete = program.state == State::Complete;
    let header = program.constants.header.clone();
    ProgramFacts { facts, header, constants: program.constants.constants.clone() }
}
