//! The macros of komorebi, which re-exports them: declarations that are checked while a crate is built.
//!
//! A library of macros can export nothing else: what they do is in `komorebi-language`.
#![forbid(unsafe_code)]

use komorebi_language::expand;
use proc_macro::TokenStream;

#[doc = include_str!("program.md")]
#[proc_macro_attribute]
pub fn program(attribute: TokenStream, item: TokenStream) -> TokenStream {
    expand::program(attribute.into(), item.into()).into()
}

/// What `komorebi::graph!` becomes: `"facts" [crate] [program]` and the graph.
#[doc(hidden)]
#[proc_macro]
pub fn declare_graph(tokens: TokenStream) -> TokenStream {
    expand::graph(tokens.into()).into()
}

/// What `komorebi::stream!` becomes: `"facts" [crate] [program]` and the stream.
#[doc(hidden)]
#[proc_macro]
pub fn declare_stream(tokens: TokenStream) -> TokenStream {
    expand::stream(tokens.into()).into()
}

/// What `komorebi::graph!` and `komorebi::stream!` become without a program in angle brackets.
#[doc(hidden)]
#[proc_macro]
pub fn declare_nothing(tokens: TokenStream) -> TokenStream {
    expand::nothing(tokens.into()).into()
}
