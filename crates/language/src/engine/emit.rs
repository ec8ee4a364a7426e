//! The generated items. Nothing here can fail: what is wrong was found before.
//!
//! With errors the same items are generated, with no bytes, so that the rest of the crate still compiles and one mistake
//! gives one error.

use komorebi_abi::engine::{Encoded, Variable};
use komorebi_abi::program::ArgKind;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::head::Head;
use super::scope::{BindingField, Scope};
use crate::program::emit::calls::plain_type;

/// Everything that the items are generated from.
pub(crate) struct Emission<'a> {
    pub(crate) head: &'a Head,
    pub(crate) scope: &'a Scope<'a>,
    pub(crate) krate: &'a TokenStream,
    /// The program as the user named it.
    pub(crate) path: &'a TokenStream,
    pub(crate) stream: bool,
    pub(crate) req: u16,
    pub(crate) keep: bool,
    /// The upload; `None` after an error.
    pub(crate) encoded: Option<&'a Encoded>,
    pub(crate) end: End,
    /// The documentation of a declaration without its own.
    pub(crate) summary: String,
}

/// What the end event carries.
pub(crate) enum End {
    /// Registers of a graph, as fields of a struct; none: nothing.
    Fields(Vec<EndField>),
    /// The value a stream halts with.
    Value(ArgKind),
}

/// A register of the end event.
pub(crate) struct EndField {
    pub(crate) name: String,
    pub(crate) kind: ArgKind,
    /// The second one, which is whole; of the first the low 24 bits arrive.
    pub(crate) second: bool,
}

/// The unit struct with its declaration, its bindings, its end, and the comparison of types.
pub(crate) fn emit_upload(upload: &Emission<'_>) -> TokenStream {
    let item = emit_item(upload);
    let bindings = emit_bindings(upload);
    let end = emit_end(upload);
    let types = emit_type_checks(upload);
    quote!(#item #bindings #end #types)
}

/// A generated name behind the user's.
fn derived(upload: &Emission<'_>, what: &str) -> Ident {
    format_ident!("{}{what}", upload.head.plain_name(), span = upload.head.name.span())
}

fn fields<'a>(upload: &'a Emission<'_>) -> impl Iterator<Item = (&'a BindingField, &'a Variable, ArgKind)> {
    upload.scope.bindings.iter().filter_map(|field| {
        let variable = upload.scope.variables.get(field.variable as usize)?;
        Some((field, variable, variable.ty?))
    })
}

/// A field's name, which may be a keyword.
fn field_name(name: &str) -> Ident {
    syn::parse_str(name).unwrap_or_else(|_| Ident::new_raw(name, Span::call_site()))
}

fn emit_item(upload: &Emission<'_>) -> TokenStream {
    let Emission { head, krate, path, .. } = upload;
    let Head { docs, lints, vis, name, .. } = head;
    let engine = quote!(#krate::macro_support::abi::engine);
    let intro = docs.is_empty().then(|| {
        let text = format!(" {}.", upload.summary);
        quote!(#[doc = #text])
    });
    let kind = if upload.stream { quote!(Stream) } else { quote!(Graph) };
    let (req, keep) = (upload.req, upload.keep);
    let bytes = Literal::byte_string(upload.encoded.map_or(&[][..], |encoded| &encoded.bytes));
    let names = fields(upload).map(|(_, variable, _)| variable.name.as_deref().unwrap_or_default());
    let plain = head.plain_name();
    let bindings = if fields(upload).next().is_some() {
        let name = derived(upload, "Bindings");
        quote!(#name)
    } else {
        quote!(())
    };
    let end = match &upload.end {
        End::Fields(fields) if fields.is_empty() => quote!(()),
        End::Fields(_) => {
            let name = derived(upload, "End");
            quote!(#name)
        }
        End::Value(kind) => plain_type(*kind, krate),
    };
    quote! {
        #intro
        #(#docs)*
        #(#lints)*
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
        #vis struct #name;
        #[automatically_derived]
        impl #engine::DeclaredUpload for #name {
            type Bindings = #bindings;
            type End = #end;
            const NAME: &'static ::core::primitive::str = #plain;
            const KIND: #engine::UploadKind = #engine::UploadKind::#kind;
            const REQ: ::core::primitive::u16 = #req;
            const KEEP: ::core::primitive::bool = #keep;
            const BYTES: &'static [::core::primitive::u8] = #bytes;
            const BINDINGS: &'static [&'static ::core::primitive::str] = &[#(#names),*];
        }
        #[automatically_derived]
        impl #engine::UploadFor<#path> for #name {}
    }
}

/// The struct of the bindings, and the function that makes one.
fn emit_bindings(upload: &Emission<'_>) -> TokenStream {
    let Emission { head, krate, .. } = upload;
    let Head { lints, vis, name, .. } = head;
    let count = fields(upload).count();
    if count == 0 {
        return TokenStream::new();
    }
    let engine = quote!(#krate::macro_support::abi::engine);
    let bindings = derived(upload, "Bindings");
    let (mut declared, mut params, mut made, mut words, mut idents) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (i, (field, variable, kind)) in fields(upload).enumerate() {
        let mut ident = field_name(variable.name.as_deref().unwrap_or_default());
        if idents.contains(&ident) {
            // The second one of a name is refused: it keeps its place, so that calls bring no error of their own.
            ident = format_ident!("{}_{i}", ident.unraw());
        }
        // A parameter of the item's own name would be taken for the item.
        let param = if ident == *name { format_ident!("{}_", ident.unraw()) } else { ident.clone() };
        let ty = plain_type(kind, krate);
        let docs = &field.docs;
        let text = format!(" The binding `{}`.", variable.name.as_deref().unwrap_or_default());
        let intro = docs.is_empty().then(|| quote!(#[doc = #text]));
        declared.push(quote!(#intro #(#docs)* #vis #ident: #ty));
        let (param, value) = match kind {
            ArgKind::Address | ArgKind::Core => (
                quote!(#param: impl ::core::convert::Into<#ty>),
                quote!(#ident: ::core::convert::Into::<#ty>::into(#param)),
            ),
            _ if param == ident => (quote!(#ident: #ty), quote!(#ident)),
            _ => (quote!(#param: #ty), quote!(#ident: #param)),
        };
        params.push(param);
        made.push(value);
        let word = to_word(&quote!(self.#ident), kind);
        words.push(quote!(words[#i] = #word;));
        idents.push(ident);
    }
    let text = format!(" The bindings of a start of [`{}`].", head.name);
    let bind = " The bindings of a start, in the order of their declaration.";
    let length = komorebi_abi::constants::engine::BINDINGS_MAX as usize;
    // More than fit are refused.
    let count = count.min(length);
    words.truncate(length);
    quote! {
        #[doc = #text]
        #(#lints)*
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::cmp::PartialEq)]
        #vis struct #bindings {
            #(#declared,)*
        }
        #(#lints)*
        #[allow(dead_code, clippy::too_many_arguments, reason = "a start carries up to sixteen words")]
        impl #name {
            #[doc = #bind]
            #[must_use = "bindings do nothing until a start takes them"]
            #vis fn bind(#(#params),*) -> #bindings {
                #bindings { #(#made),* }
            }
        }
        #[automatically_derived]
        impl #engine::BindingWords for #bindings {
            const COUNT: ::core::primitive::usize = #count;
            fn words(&self) -> [::core::primitive::u32; #length] {
                let mut words = [0; #length];
                #(#words)*
                words
            }
        }
    }
}

/// The struct of the end event.
fn emit_end(upload: &Emission<'_>) -> TokenStream {
    let End::Fields(fields) = &upload.end else { return TokenStream::new() };
    if fields.is_empty() {
        return TokenStream::new();
    }
    let Emission { head, krate, .. } = upload;
    let Head { lints, vis, .. } = head;
    let engine = quote!(#krate::macro_support::abi::engine);
    let end = derived(upload, "End");
    let (mut declared, mut made) = (Vec::new(), Vec::new());
    for EndField { name, kind, second } in fields {
        let ident = field_name(name);
        let ty = plain_type(*kind, krate);
        let text = if *second {
            format!(" The register `{name}`.")
        } else {
            format!(" The low 24 bits of the register `{name}`.")
        };
        declared.push(quote!(#[doc = #text] #vis #ident: #ty));
        let value = if *second { of_word(&quote!(second), *kind, krate) } else { of_low(*kind, krate) };
        made.push(quote!(#ident: #value));
    }
    let unused = [(false, "first"), (true, "second")].into_iter().filter_map(|(second, name)| {
        let name = Ident::new(name, Span::call_site());
        (!fields.iter().any(|field| field.second == second)).then(|| quote!(let _ = #name;))
    });
    let text = format!(" What the end event of [`{}`] carries.", head.name);
    quote! {
        #[doc = #text]
        #(#lints)*
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::cmp::PartialEq)]
        #vis struct #end {
            #(#declared,)*
        }
        #[automatically_derived]
        impl #engine::EndWords for #end {
            fn of_words(first: ::core::primitive::u32, second: ::core::primitive::u32) -> Self {
                #(#unused)*
                Self { #(#made),* }
            }
        }
    }
}

/// A value as a word.
fn to_word(value: &TokenStream, kind: ArgKind) -> TokenStream {
    let wide = |half: TokenStream| quote!(<::core::primitive::u32 as ::core::convert::From<_>>::from(#half));
    match kind {
        ArgKind::I32 => quote!(#value.cast_unsigned()),
        ArgKind::F32 => quote!(#value.to_bits()),
        ArgKind::Core | ArgKind::Address => quote!(#value.0),
        ArgKind::U16Pair => {
            let (low, high) = (wide(quote!(#value[0])), wide(quote!(#value[1])));
            quote!(#low | (#high << 16))
        }
        ArgKind::Bf16Pair => {
            let (low, high) = (wide(quote!(#value[0].to_bits())), wide(quote!(#value[1].to_bits())));
            quote!(#low | (#high << 16))
        }
        // One of 64 bits is refused.
        ArgKind::U64 => quote!(0),
        ArgKind::U32 => value.clone(),
    }
}

/// The value of a word.
fn of_word(word: &TokenStream, kind: ArgKind, krate: &TokenStream) -> TokenStream {
    let half = |low: &str, high: &str| {
        let (low, high) = (Ident::new(low, Span::call_site()), Ident::new(high, Span::call_site()));
        quote!(::core::primitive::u16::from_le_bytes([#low, #high]))
    };
    let (low, high) = (half("a", "b"), half("c", "d"));
    match kind {
        ArgKind::U32 => word.clone(),
        ArgKind::I32 => quote!(#word.cast_signed()),
        ArgKind::F32 => quote!(::core::primitive::f32::from_bits(#word)),
        ArgKind::Core => quote!(#krate::Core(#word)),
        ArgKind::Address => quote!(#krate::Address(#word)),
        ArgKind::U16Pair => quote!({ let [a, b, c, d] = #word.to_le_bytes(); [#low, #high] }),
        ArgKind::Bf16Pair => {
            let bf16 = quote!(#krate::macro_support::bf16::from_bits);
            quote!({ let [a, b, c, d] = #word.to_le_bytes(); [#bf16(#low), #bf16(#high)] })
        }
        ArgKind::U64 => quote!(<::core::primitive::u64 as ::core::convert::From<_>>::from(#word)),
    }
}

/// The value of the low 24 bits: of a signed one with its sign.
fn of_low(kind: ArgKind, krate: &TokenStream) -> TokenStream {
    match kind {
        ArgKind::I32 => quote!((first << 8).cast_signed() >> 8),
        kind => of_word(&quote!((first & 0x00FF_FFFF)), kind, krate),
    }
}

/// Code that never runs and compiles only if every type is what its name says, and the program is one. Its errors stand at
/// the user's tokens.
fn emit_type_checks(upload: &Emission<'_>) -> TokenStream {
    let krate = upload.krate;
    let checks: Vec<TokenStream> = upload
        .scope
        .types
        .iter()
        .map(|(written, kind)| {
            let known = plain_type(*kind, krate);
            let span = Span::call_site().located_at(written.span());
            quote_spanned!(span=> let _: fn(#written) -> #known = |word| word;)
        })
        .collect();
    if checks.is_empty() {
        return TokenStream::new();
    }
    quote!(const _: () = { #(#checks)* };)
}
