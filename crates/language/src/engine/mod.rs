//! What `graph!` and `stream!` share: their head, declarations, commands, expressions, and the items they give.
//!
//! A body is cut into statements first, so that one that cannot be read does not hide the others. Names are looked up in
//! a [`Scope`](scope::Scope), what stands where is kept by [`Place`](komorebi_abi::engine::Place), and the problems that
//! the shared checks find are put back at the user's tokens.

pub(crate) mod assignment;
pub(crate) mod command;
pub(crate) mod declare;
pub(crate) mod emit;
pub(crate) mod expression;
pub(crate) mod group;
pub(crate) mod head;
pub(crate) mod input;
pub(crate) mod missing;
pub(crate) mod nesting;
pub(crate) mod number;
pub(crate) mod options;
pub(crate) mod places;
pub(crate) mod primitive;
pub(crate) mod report;
pub(crate) mod scope;
pub(crate) mod statement;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod unseen;
pub(crate) mod value;

/// The rule of what cannot be read.
pub(crate) use komorebi_abi::program::Rule as Syntax;
