//! Builds device code: the X280's firmware and a program's kernels.
//!
//! The sources of firmware and device library travel in this crate, a program's kernels with the program, so a build needs
//! nothing but a RISC-V compiler. Every result is kept in a cache folder (`KMR_CACHE`, else `komorebi` in the user's cache
//! folder) under the hash of what it was made from.

mod cache;
mod compiler;
mod draft;
mod embedded;
mod error;
mod firmware;
mod image;
mod instructions;
mod kernels;
mod library;
mod program_header;
mod sizes;
mod sources;
mod symbols;
mod target;
mod toolchain;

pub use error::{CompileError, Error, Place, Result};
pub use firmware::{Firmware, firmware};
pub use image::Image;
pub use instructions::{Finding, InstructionError};
pub use kernels::{Kernels, kernels};
pub use program_header::program_header;
pub use sizes::{KernelSizes, THREADS};
pub use sources::{SourceFile, Sources};
pub use symbols::CodePlace;
pub use toolchain::Toolchain;

#[cfg(test)]
mod tests;
