//! Expressions: typed as in Rust, then instructions with temporaries.
//!
//! [`typing`] turns a `syn::Expr` into a [`Tree`] whose every operation is one of the machine's; [`lower`] turns that into
//! statements. Words have no type on the wire, so all of what Rust would refuse is refused here.

mod binary;
mod cast;
mod conversion;
mod lower;
mod tree;
mod typing;

pub(crate) use binary::apply;
pub(crate) use conversion::{convert, with_point};
pub(crate) use lower::{Code, Lower};
pub(crate) use tree::{Tree, Type};
pub(crate) use typing::{check_range, condition, tree};
