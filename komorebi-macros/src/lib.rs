//! The macros of komorebi, which re-exports them: declarations that are checked while a crate is built.
//!
//! Each goes through the same phases, plain functions on owned data: parse (recovering), load, collect, check (every
//! rule), emit (cannot fail). All errors of one invocation are reported at once, each at the token that is wrong.
#![forbid(unsafe_code)]

mod anchor;
mod context;
mod errors;
mod parts;
mod program;
mod value;

use context::Context;
use proc_macro::TokenStream;

#[doc = include_str!("program.md")]
#[proc_macro_attribute]
pub fn program(attribute: TokenStream, item: TokenStream) -> TokenStream {
    program::expand(attribute.into(), item.into(), &Context::of_call()).into()
}
