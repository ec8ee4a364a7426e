//! The model of a program and the rules it must keep.
//!
//! A [`ProgramModel`] is plain data: what a `#[km::program]` declaration or the run-time builder says. [`check`]
//! gives every [`Problem`] of it at once, each with its [`Rule`] and its [`Place`] in the model; the macro turns a
//! place into a span, the builder into a name.

mod buffer;
mod check;
mod check_buffers;
mod check_handlers;
mod check_threads;
mod compute;
mod handler;
mod model;
mod names;
mod problem;
mod rule;
mod thread;

pub use buffer::{BudgetLine, Buffer, Format, l1_budget};
pub use check::check;
pub use compute::{Compute, MathFidelity, OptLevel, UnpackMode};
pub use handler::{Arg, ArgKind, Effect, Handler, ResultKind, handler_name};
pub use model::{Kernel, ProgramModel};
pub use problem::{Place, Problem};
pub use rule::Rule;
pub use thread::{Prefetch, Region, Thread};
