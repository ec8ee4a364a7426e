//! The language: what `#[km::program]`, `graph!` and `stream!` make of their tokens.
//!
//! Each goes through the same phases, plain functions on owned data: parse (recovering), load, collect, check (every
//! rule), emit (cannot fail). All errors of one invocation are reported at once, each at the token that is wrong.
//! `komorebi-macros` hands the compiler's tokens to [`expand`]; `cargo komorebi` reads a source file with [`Declaration`].
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

pub use program::declaration::{Declaration, Mistake};
pub use program::kernels::SourcePath;

/// What the macros become. Errors are `compile_error!` among the tokens.
pub mod expand {
    use crate::context::Context;
    use crate::{engine, graph, program, stream};
    use proc_macro2::TokenStream;

    /// `#[km::program(attribute)] item`, where the compiler is expanding it.
    pub fn program(attribute: TokenStream, item: TokenStream) -> TokenStream {
        program::expand(attribute, item, &Context::of_call())
    }

    /// `komorebi::graph!`: `"facts" [crate] [program]` and the graph.
    pub fn graph(tokens: TokenStream) -> TokenStream {
        graph::expand(tokens)
    }

    /// `komorebi::stream!`: `"facts" [crate] [program]` and the stream.
    pub fn stream(tokens: TokenStream) -> TokenStream {
        stream::expand(tokens)
    }

    /// Either of the two without a program in angle brackets.
    pub fn nothing(tokens: TokenStream) -> TokenStream {
        engine::missing::expand(tokens)
    }
}
