//! Graphs: model, checks, encoder, decoder, pictures, and the machine that runs one.
//!
//! `model` is what `km::graph!` parses and [`Graph`] builds. [`check`] gives every problem at once; [`encode`] the bytes.
//! [`GraphMachine`] runs encoded bytes as the dispatcher does; [`listing`], [`dot`] and [`svg`] are for people.

mod advice;
mod builder;
mod check;
mod decode;
mod dot;
mod encode;
mod label;
mod layout;
mod listing;
mod machine;
mod model;
mod order;
mod queue;
mod races;
mod registers;
mod svg;

pub use builder::{Cpu, Graph, Node, NodeBuilder};
pub use check::check;
pub use decode::decode;
pub(crate) use decode::{
    command as decoded_command, statement as decoded_statement, variables as decoded_variables,
};
pub use dot::dot;
pub use encode::{encode, size};
pub use listing::listing;
pub use machine::GraphMachine;
pub use model::{GraphModel, GraphNode, NodeBody};
pub use svg::svg;
