//! placeholder until the first commit of this crate

pub mod hart;
pub mod time;
