//! The macros of komorebi, which re-exports them: declarations that are checked while a crate is built.
//!
//! Each goes through the same phases, plain functions on owned data: parse (recovering), load, collect, check (every
//! rule), emit (cannot fail). All errors of one invocation are reported at once, each at the token that is wrong.
#![forbid(unsafe_code)]

mod anchor;
mod context;
mod duration;
mod engine;
mod errors;
mod facts;
mod graph;
mod parts;
mod program;
mod stream;
mod value;

use context::Context;
use proc_macro::TokenStream;

#[doc = include_str!("program.md")]
#[proc_macro_attribute]
pub fn program(attribute: TokenStream, item: TokenStream) -> TokenStream {
    program::expand(attribute.into(), item.into(), &Context::of_call()).into()
}

/// What `komorebi::graph!` becomes: `"facts" [crate] [program]` and the graph.
#[doc(hidden)]
#[proc_macro]
pub fn declare_graph(tokens: TokenStream) -> TokenStream {
    graph::expand(tokens.into()).into()
}

/// What `komorebi::stream!` becomes: `"facts" [crate] [program]` and the stream.
#[doc(hidden)]
#[proc_macro]
pub fn declare_stream(tokens: TokenStream) -> TokenStream {
    stream::expand(tokens.into()).into()
}

/// What `komorebi::graph!` and `komorebi::stream!` become without a program in angle brackets.
#[doc(hidden)]
#[proc_macro]
pub fn declare_nothing(tokens: TokenStream) -> TokenStream {
    engine::missing::expand(tokens.into()).into()
}
