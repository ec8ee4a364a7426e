//! A broken rule of the hardware, before anybody knows where and when.

use crate::hart::Refusal;

/// What was done, and the rule against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// What was done, with addresses and values.
    pub(crate) detail: String,
    /// The rule, with the section of the hardware pages it comes from.
    pub(crate) rule: &'static str,
}

impl Violation {
    pub(crate) fn new(detail: impl Into<String>, rule: &'static str) -> Self {
        Self { detail: detail.into(), rule }
    }
}

impl From<Violation> for Refusal {
    fn from(violation: Violation) -> Self {
        Self::Fault { detail: violation.detail, rule: violation.rule }
    }
}
