//! Streams: model, checks, encoder, decoder, disassembler, and the machine that runs one.
//!
//! A stream is a list of steps with labels. [`Stream`] builds it, structured (`if`, `while`, `loop`) or by labels; `km::stream!` drives the
//! same builder, so both give the same bytes. [`check`] gives every problem at once, [`StreamMachine`] runs encoded bytes
//! as the dispatcher does.

mod builder;
mod check;
mod condition;
mod conflicts;
mod decode;
mod encode;
mod flight;
mod flow;
mod listing;
mod lower;
mod machine;
mod model;

pub use builder::{Label, StepBuilder, Stream, Submitted};
pub use check::check;
pub use decode::decode;
pub use encode::{encode, size};
pub use listing::disassembly;
pub use machine::StreamMachine;
pub use model::{StepBody, StreamModel, StreamStep};
