//! The program's type.

use komorebi_abi::engine::kind_name;
use komorebi_abi::program::{ArgKind, Handler, ResultKind};
use proc_macro2::TokenStream;
use quote::quote;

use super::Emission;

/// An empty enumeration: the type is a name, and there are no values of it.
pub(super) fn emit_item(program: &Emission<'_>) -> TokenStream {
    let super::ProgramItem { docs, lints, vis, ident, .. } = program.item;
    let intro = docs.is_empty().then(|| {
        let text = format!(" The program `{ident}`.");
        quote!(#[doc = #text])
    });
    let list = handler_list(&program.model.handlers);
    quote! {
        #intro
        #(#docs)*
        #list
        #(#lints)*
        #vis enum #ident {}
    }
}

/// The handlers, for rustdoc.
fn handler_list(handlers: &[Handler]) -> Option<TokenStream> {
    if handlers.is_empty() {
        return None;
    }
    let mut lines = vec![String::new(), " # Handlers".into(), String::new()];
    for handler in handlers {
        lines.push(format!(" - {} `{}`", handler.number, signature(handler)));
    }
    Some(quote!(#(#[doc = #lines])*))
}

/// A handler as it is declared.
pub(super) fn signature(handler: &Handler) -> String {
    let args: Vec<String> =
        handler.args.iter().map(|arg| format!("{}: {}", arg.name, arg_type(arg.kind))).collect();
    let result = handler.result.map_or(String::new(), |result| format!(" -> {}", result_type(result)));
    format!("{}({}){result}", handler.name, args.join(", "))
}

/// The name of a type in a signature, where the prelude's names need no path.
fn arg_type(kind: ArgKind) -> &'static str {
    let name = kind_name(kind);
    name.strip_prefix("km::").unwrap_or(name)
}

fn result_type(kind: ResultKind) -> &'static str {
    match kind {
        ResultKind::U32 => "u32",
        ResultKind::I32 => "i32",
        ResultKind::F32 => "f32",
    }
}
