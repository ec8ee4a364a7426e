//! Calls: commands as values, typed by their program and their result.
//!
//! A [`Call`] comes from the functions that `#[km::program]` generates; [`call`] makes the untyped [`NamedCall`] that
//! any run takes by name. Both say where they run with `on`, and become [`Queued`] when the dispatcher is to choose.

mod argument;
mod named;
mod raw;
mod typed;
mod word;

pub(crate) use argument::Tensors;
pub use argument::{Argument, Words};
pub use named::{HandlerRef, NamedCall, call, nop};
pub use raw::{Command, Place};
pub(crate) use raw::{RawCall, Target};
pub use typed::{Call, Queued};
pub use word::Word;

pub(crate) use typed::new_call;
