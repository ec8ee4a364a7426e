//! The companion macro under the program's own name, through which other macros see the program.

use std::hash::{DefaultHasher, Hash, Hasher};

use komorebi_abi::program::{Arg, Effect, Handler, ProgramModel};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::Visibility;
use syn::ext::IdentExt;

use super::{Emission, State};

/// `macro_rules! Heat`: called with a macro's path in brackets and a body, it calls that macro with the program's facts
/// and the body. Macros have a namespace of their own, so the name is free.
pub(super) fn emit_companion(program: &Emission<'_>) -> TokenStream {
    let ident = &program.item.ident;
    let name = export_name(program);
    let facts = emit_facts(program.model, program.state);
    let rules = quote! {
        macro_rules! #name {
            ([$($callback:tt)*] $($body:tt)*) => {
                $($callback)* ! { { #facts } $($body)* }
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

/// What other macros need: `name = value;` lines.
fn emit_facts(model: &ProgramModel, state: State) -> TokenStream {
    let name = Ident::new(&model.name, proc_macro2::Span::call_site());
    let complete = state == State::Complete;
    let (depth, region) = (model.depth, komorebi_abi::constants::layout::UPLOAD_BYTES);
    let grid = model.grid.map(|(width, height)| quote!(grid = (#width, #height);));
    let handlers = model.handlers.iter().map(emit_handler);
    quote! {
        name = #name;
        complete = #complete;
        #grid
        depth = #depth;
        region_bytes = #region;
        handlers = { #(#handlers)* };
    }
}

fn emit_handler(handler: &Handler) -> TokenStream {
    let name = &handler.name;
    let number = handler.number;
    let args = handler.args.iter().map(|Arg { name, kind, effect }| {
        let kind = format!("{kind:?}");
        let effect = effect.map_or("none", |effect| match effect {
            Effect::Input => "input",
            Effect::Output => "output",
            Effect::InOut => "inout",
        });
        quote!((#name, #kind, #effect))
    });
    let result = handler.result.map(|result| {
        let result = format!("{result:?}");
        quote!(-> #result)
    });
    quote!(#name = #number (#(#args),*) #result;)
}
