//! Facts about programs that could not be loaded.

use std::fmt;

use komorebi_abi::constants::layout;
use komorebi_abi::program::Problem;

use super::core::{LateCore, write_late};
use crate::build::KernelSizes;
use crate::postmortem::{PostMortemFile, note};
use crate::state::ResultBlock;

/// A program that breaks rules, could not be read, or did not compile. Nothing was loaded.
#[derive(Clone, Debug)]
pub struct ProgramError {
    /// The program.
    pub program: String,
    /// Every rule it breaks.
    pub problems: Vec<Problem>,
    /// What was wrong apart from the rules: files that could not be read, the compiler's message.
    pub messages: Vec<String>,
}

impl std::error::Error for ProgramError {}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "program `{}` cannot be loaded", self.program)?;
        for problem in &self.problems {
            write!(f, "\n  {problem}")?;
        }
        for message in &self.messages {
            write!(f, "\n  {message}")?;
        }
        Ok(())
    }
}

/// The program's kernels and arguments do not fit the session's kernel buffer. Nothing was loaded.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "the kernels take {} bytes and their arguments {args}, the kernel buffer has {}; {}; largest is {}; in bytes: {sizes}",
    sizes.total, sizes.buffer, room(*needed), sizes.largest().0
)]
pub struct SizeError {
    /// Bytes of each thread, of all, of the buffer.
    pub sizes: KernelSizes,
    /// Bytes of the cores' runtime arguments.
    pub args: u32,
    /// The least `kernel_bytes` that would do; beyond `KERNEL_BYTES_MAX` none does.
    pub needed: u32,
}

/// What to do about kernels and arguments that take `needed` bytes.
fn room(needed: u32) -> String {
    let most = layout::KERNEL_BYTES_MAX;
    if needed <= most {
        format!("give the session {needed} with kernel_bytes, or set OptLevel::Os for the reader and writer")
    } else {
        format!(
            "they need {needed} and kernel_bytes can be {most} at most: make the kernels smaller or pass fewer argument words a core, with the rest in a tensor"
        )
    }
}

/// The card or the program could not be started.
#[derive(Clone, Debug)]
pub struct StartError {
    /// What was found, what was expected, what to do.
    pub what: String,
    /// The dispatcher's result block, when it ran and wrote one.
    pub result: Option<ResultBlock>,
    /// The cores that had not come to wait for their first command, with where their threads were.
    pub cores: Vec<LateCore>,
    /// The file with all that was read back, or why there is none, if one was asked for.
    pub post_mortem: Option<PostMortemFile>,
}

impl StartError {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), result: None, cores: Vec::new(), post_mortem: None }
    }

    pub(crate) fn with_result(what: impl Into<String>, result: Option<ResultBlock>) -> Self {
        Self { what: what.into(), result, cores: Vec::new(), post_mortem: None }
    }
}

impl std::error::Error for StartError {}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if let Some(result) = &self.result {
            write!(f, "; {result}")?;
        }
        write_late(f, &self.cores)?;
        note(f, self.post_mortem.as_ref())
    }
}
