//! Typed calls: a function a handler on the program's type.

use komorebi_abi::program::{ArgKind, ResultKind};
use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use super::Emission;
use super::item::signature;
use crate::program::handler::HandlerItem;

/// `impl Heat { program, step, .. }`.
pub(super) fn emit_calls(program: &Emission<'_>) -> TokenStream {
    let (krate, ident, vis) = (&program.krate, &program.item.ident, &program.item.vis);
    let lints = &program.item.lints;
    let calls = program.item.handlers.iter().zip(&program.model.handlers).map(|(item, handler)| {
        let HandlerItem { ident, args, .. } = item;
        let docs =
            handler_docs(item, &format!(" A call of handler {}, `{}`.", handler.number, signature(handler)));
        let kept = &item.kept;
        let params = args.iter().map(|arg| param(&arg.ident, arg.kind, krate));
        let words = args.iter().filter_map(|arg| Some(word(&arg.ident, arg.kind?, krate)));
        let ignored = args.iter().filter(|arg| arg.kind.is_none()).map(|arg| &arg.ident);
        let result = result_type(handler.result);
        // One out of range is refused.
        let number = u8::try_from(handler.number).unwrap_or_default();
        quote! {
            #docs
            #(#kept)*
            #[must_use = "a call does nothing until it is submitted"]
            #vis fn #ident(#(#params),*) -> #krate::Call<Self, #result> {
                #(let _ = #ignored;)*
                #krate::macro_support::call(#number, #krate::macro_support::Words::new()#(.push(#words))*)
            }
        }
    });
    let text = " The program as it is declared. What is known only at run time is added to it.";
    quote! {
        #(#lints)*
        #[allow(dead_code, clippy::too_many_arguments, reason = "a handler that is not called; a command of ten words")]
        impl #ident {
            #[doc = #text]
            #[must_use = "a program does nothing until it is loaded"]
            #vis fn program() -> #krate::Program<Self> {
                #krate::Program::declared()
            }
            #(#calls)*
        }
    }
}

/// The user's documentation, or else `other`.
pub(super) fn handler_docs(item: &HandlerItem, other: &str) -> TokenStream {
    let docs = &item.docs;
    if docs.is_empty() { quote!(#[doc = #other]) } else { quote!(#(#docs)*) }
}

/// An argument as a parameter.
pub(super) fn param(ident: &Ident, kind: Option<ArgKind>, krate: &TokenStream) -> TokenStream {
    let ty = match kind {
        // A type that was refused: any value will do, so that calls bring no error of their own.
        None => quote!(impl ::core::marker::Sized),
        Some(ArgKind::Address) => quote!(impl ::core::convert::Into<#krate::Address>),
        Some(ArgKind::Core) => quote!(impl ::core::convert::Into<#krate::Core>),
        Some(kind) => plain_type(kind, krate),
    };
    quote!(#ident: #ty)
}

/// The type of an argument of that kind.
pub(crate) fn plain_type(kind: ArgKind, krate: &TokenStream) -> TokenStream {
    match kind {
        ArgKind::U32 => quote!(::core::primitive::u32),
        ArgKind::I32 => quote!(::core::primitive::i32),
        ArgKind::F32 => quote!(::core::primitive::f32),
        ArgKind::U64 => quote!(::core::primitive::u64),
        ArgKind::Bf16Pair => quote!([#krate::macro_support::bf16; 2]),
        ArgKind::U16Pair => quote!([::core::primitive::u16; 2]),
        ArgKind::Core => quote!(#krate::Core),
        ArgKind::Address => quote!(#krate::Address),
    }
}

/// An argument as a value that becomes words.
fn word(ident: &Ident, kind: ArgKind, krate: &TokenStream) -> TokenStream {
    match kind {
        ArgKind::Core => quote!(::core::convert::Into::<#krate::Core>::into(#ident)),
        ArgKind::Address => quote!(::core::convert::Into::<#krate::Address>::into(#ident)),
        _ => quote!(#ident),
    }
}

/// The type of a result.
pub(super) fn result_type(result: Option<ResultKind>) -> TokenStream {
    match result {
        None => quote!(()),
        Some(ResultKind::U32) => quote!(::core::primitive::u32),
        Some(ResultKind::I32) => quote!(::core::primitive::i32),
        Some(ResultKind::F32) => quote!(::core::primitive::f32),
    }
}
