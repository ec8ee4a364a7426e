//! A broken rule, with its places in the model.

use std::collections::BTreeMap;
use std::fmt;

use super::{Place, Rule};

/// A rule that a graph or stream breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The rule.
    pub rule: Rule,
    /// Where.
    pub place: Place,
    /// The other ends of a conflict, each with what it is.
    pub related: Vec<(Place, String)>,
    /// What was found and what was expected.
    pub message: String,
    /// The edit that mends it.
    pub help: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.rule.code(), self.message, self.help)
    }
}

/// Problems as a check finds them. Of one rule no more than [`Problems::PER_RULE`] are kept: a generated graph of ten
/// thousand nodes with one mistake in its pattern has ten thousand of them.
#[derive(Clone, Debug, Default)]
pub struct Problems {
    list: Vec<Problem>,
    counts: BTreeMap<Rule, usize>,
}

impl Problems {
    /// Problems kept of one rule.
    pub const PER_RULE: usize = 100;

    pub(crate) fn push(&mut self, problem: Problem) {
        let count = self.counts.entry(problem.rule).or_default();
        *count += 1;
        if *count <= Self::PER_RULE {
            self.list.push(problem);
        }
    }

    pub(crate) fn add(&mut self, rule: Rule, place: Place, message: String, help: impl Into<String>) {
        self.push(Problem { rule, place, related: Vec::new(), message, help: help.into() });
    }

    pub(crate) fn conflict(
        &mut self,
        rule: Rule,
        place: Place,
        other: Place,
        what: impl Into<String>,
        message: String,
        help: impl Into<String>,
    ) {
        self.push(Problem { rule, place, related: vec![(other, what.into())], message, help: help.into() });
    }

    /// Was this variable's declaration refused? Then its type is no news, and says nothing of its uses.
    pub(crate) fn refused(&self, variable: u32) -> bool {
        let declared = Place::Variable(variable);
        self.list.iter().any(|problem| {
            problem.rule == Rule::VariableType
                && (problem.place == declared || problem.related.iter().any(|(place, _)| *place == declared))
        })
    }

    /// What an argument that this variable is given to has advised to do to its declaration.
    pub(crate) fn advised(&self, variable: u32) -> Option<&str> {
        let declared = Place::Variable(variable);
        let found = self.list.iter().find(|problem| {
            problem.rule == Rule::ArgType && problem.related.iter().any(|(place, _)| *place == declared)
        });
        found.map(|problem| problem.help.as_str())
    }

    /// Counts a problem of a rule of which enough are kept: nothing of it is to be worked out. `false`: it is to be told.
    pub(crate) fn counted(&mut self, rule: Rule) -> bool {
        match self.counts.get_mut(&rule) {
            Some(count) if *count >= Self::PER_RULE => {
                *count += 1;
                true
            }
            _ => false,
        }
    }

    /// How many were found.
    pub(crate) fn count(&self) -> usize {
        self.counts.values().sum()
    }

    /// Is `rule` broken?
    pub fn has(&self, rule: Rule) -> bool {
        self.counts.contains_key(&rule)
    }

    /// None at all?
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The problems; the last of a rule with more than [`Problems::PER_RULE`] says how many more there are.
    pub fn into_vec(mut self) -> Vec<Problem> {
        for (rule, count) in self.counts {
            if count > Self::PER_RULE
                && let Some(last) = self.list.iter_mut().rfind(|problem| problem.rule == rule)
            {
                last.help += &format!(" (and {} more of this kind)", count - Self::PER_RULE);
            }
        }
        self.list
    }
}
