//! Warnings. A stable macro can only make rustc warn by using something deprecated.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::Emission;

/// Warns, at the program's name, of handlers of the header that are not declared. `#[allow(deprecated)]` on the trait
/// silences it.
pub(super) fn emit_warning(program: &Emission<'_>) -> TokenStream {
    if program.undeclared.is_empty() {
        return TokenStream::new();
    }
    let ident = &program.item.ident;
    let lints = &program.item.lints;
    let note = format!(
        "[KM0014] handlers of the header that `{ident}` does not declare: {}; add each as a function of the trait with its arguments, or write `#[allow(deprecated)]` above the trait (nothing is deprecated: a macro has no other warning to give)",
        program.undeclared.join(", ")
    );
    let used = Ident::new("undeclared_handlers", Span::call_site().located_at(ident.span()));
    quote! {
        #(#lints)*
        const _: () = {
            #[deprecated(note = #note)]
            const fn undeclared_handlers() {}
            #used();
        };
    }
}
