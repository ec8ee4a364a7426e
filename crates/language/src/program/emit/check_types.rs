//! The types of arguments, held against ours by rustc: the rules know them only by their last name.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::Emission;
use super::calls::plain_type;

/// Code that never runs and compiles only if every type is what its name says. Its errors stand at the user's type.
pub(super) fn emit_type_checks(program: &Emission<'_>) -> TokenStream {
    let krate = &program.krate;
    let args = program.item.handlers.iter().flat_map(|handler| &handler.args);
    let checks: Vec<TokenStream> = args
        .filter_map(|arg| {
            let (written, known) = (&arg.ty, plain_type(arg.kind?, krate));
            let span = proc_macro2::Span::call_site().located_at(written.span());
            Some(quote_spanned!(span=> let _: fn(#written) -> #known = |argument| argument;))
        })
        .collect();
    if checks.is_empty() {
        return TokenStream::new();
    }
    quote!(const _: () = { #(#checks)* };)
}
