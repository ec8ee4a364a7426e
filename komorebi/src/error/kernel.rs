//! Facts about device code that ended wrongly.

use komorebi_card::Fault;

use crate::build::CodePlace;
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

/// A rule of the hardware that was broken, with the place in the sources.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the card halted: {fault}{}", place.as_ref().map_or(String::new(), |place| format!(", in {place}")))]
pub struct FaultReport {
    /// What the card says.
    pub fault: Fault,
    /// Where, when the image has symbols for it.
    pub place: Option<CodePlace>,
}
