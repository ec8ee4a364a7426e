//! placeholder until the first commit of this crate
pub mod build;
