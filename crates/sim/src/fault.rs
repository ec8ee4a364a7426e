//! A broken rule of the hardware, before anybody knows where and when.

pub(crate) use komorebi_card::Rule;

use crate::hart::Refusal;

/// What was done, and the rule against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// What was done, with addresses and values.
    pub(crate) detail: String,
    /// The rule.
    pub(crate) rule: Rule,
}

impl Violation {
    pub(crate) fn new(rule: Rule, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), rule }
    }
}

impl From<Violation> for Refusal {
    fn from(violation: Violation) -> Self {
        Self::Fault { detail: violation.detail, rule: violation.rule }
    }
}
