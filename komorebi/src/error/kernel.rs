//! Facts about device code that ended wrongly.

use std::fmt;

use komorebi_card::Fault;

use crate::state::ResultBlock;

/// The dispatcher ended with an error, did not end cleanly, or broke its protocol.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the dispatcher failed: {what}{}", suffix(result.as_ref()))]
pub struct KernelFailed {
    /// What was seen.
    pub what: String,
    /// Its result block, if it wrote one.
    pub result: Option<ResultBlock>,
}

fn suffix(result: Option<&ResultBlock>) -> String {
    result.map_or_else(|| "; it left no result block".into(), |result| format!("; {result}"))
}

/// Where in the sources a program counter lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultPlace {
    /// The function.
    pub function: String,
    /// `file:line`, when the image has debug information for it.
    pub line: Option<String>,
}

impl fmt::Display for FaultPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in {}", self.function)?;
        self.line.iter().try_for_each(|line| write!(f, " at {line}"))
    }
}

/// A rule of the hardware that was broken, with the place in the sources.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the card halted: {fault}{}", place.as_ref().map_or(String::new(), |place| format!(", {place}")))]
pub struct FaultReport {
    /// What the card says.
    pub fault: Fault,
    /// Where, when the image has symbols for it.
    pub place: Option<FaultPlace>,
}
