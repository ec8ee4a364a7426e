//! The extension trait that submits: `run.step(0..60, state, 3)?`.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

use super::Emission;
use super::calls::{handler_docs, param, result_type};
use super::item::signature;

/// `trait HeatSubmit` with its implementation for `Run<Heat>`: an inherent one in a user's crate is E0116.
pub(super) fn emit_submit(program: &Emission<'_>) -> TokenStream {
    let (krate, ident, vis) = (&program.krate, &program.item.ident, &program.item.vis);
    let lints = &program.item.lints;
    let trait_ident: Ident = format_ident!("{}Submit", ident.unraw(), span = ident.span());
    let (mut declared, mut defined) = (Vec::new(), Vec::new());
    for (item, handler) in program.item.handlers.iter().zip(&program.model.handlers) {
        let (name, kept) = (&item.ident, &item.kept);
        let docs =
            handler_docs(item, &format!(" Submits handler {}, `{}`.", handler.number, signature(handler)));
        let params: Vec<TokenStream> =
            item.args.iter().map(|arg| param(&arg.ident, arg.kind, krate)).collect();
        let args = item.args.iter().map(|arg| &arg.ident);
        let result = result_type(handler.result);
        // A name that no argument has.
        let place = Ident::new("place_of_cores", proc_macro2::Span::mixed_site());
        let head = quote! {
            fn #name(
                &self,
                #place: impl ::core::convert::Into<#krate::Place>,
                #(#params),*
            ) -> #krate::Result<#krate::Handle<#result>>
        };
        declared.push(quote! {
            #docs
            #[doc = ""]
            #[doc = " # Errors"]
            #[doc = ""]
            #[doc = " Those of `Run::submit`."]
            #(#kept)*
            #head;
        });
        defined.push(quote! {
            #head {
                self.submit(#ident::#name(#(#args),*).on(#place))
            }
        });
    }
    let text = format!(" Submits the handlers of [`{ident}`]: a method a handler, the cores first.");
    quote! {
        #[doc = #text]
        #(#lints)*
        #[allow(dead_code, clippy::too_many_arguments, reason = "a handler that is not called; a command of ten words")]
        #vis trait #trait_ident {
            #(#declared)*
        }
        #(#lints)*
        #[allow(deprecated, clippy::too_many_arguments, reason = "the trait's functions carry what the user wrote")]
        impl #trait_ident for #krate::Run<#ident> {
            #(#defined)*
        }
    }
}
