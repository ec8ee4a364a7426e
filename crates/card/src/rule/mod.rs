//! The rules of the hardware that a simulated card enforces, each with its code.
//!
//! A card of silicon does not tell: it hangs, corrupts, or does something nobody documented. A simulated card halts and
//! answers with a [`Fault`](crate::Fault) that carries the rule. `docs/strict-faults` has a page for each code.

mod catalogue;

pub use catalogue::Rule;

use std::fmt;

/// What the catalogue says of a rule.
#[derive(Clone, Copy, Debug)]
struct Entry {
    code: &'static str,
    title: &'static str,
    text: &'static str,
    source: &'static str,
}

impl Rule {
    /// Its code, as messages show it: `KF0306`.
    pub const fn code(self) -> &'static str {
        self.entry().code
    }

    /// What breaks it, in a few words.
    pub const fn title(self) -> &'static str {
        self.entry().title
    }

    /// The rule, in a sentence.
    pub const fn text(self) -> &'static str {
        self.entry().text
    }

    /// The section of the hardware pages it comes from: `tensix.md §4`. What is a promise of the host's and no rule of the
    /// hardware names the page of this repository that tells it.
    pub const fn source(self) -> &'static str {
        self.entry().source
    }

    /// The rule with this code.
    pub fn of(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.code() == code)
    }
}

/// The rule and its source.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.text(), self.source())
    }
}

impl From<Rule> for String {
    fn from(rule: Rule) -> Self {
        rule.code().to_owned()
    }
}

impl TryFrom<String> for Rule {
    type Error = String;

    fn try_from(code: String) -> Result<Self, String> {
        Self::of(&code).ok_or_else(|| format!("no rule of the hardware has the code {code}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_rise_and_every_rule_is_found_by_its_own() {
        assert!(Rule::ALL.is_sorted_by(|a, b| a.code() < b.code()));
        for rule in Rule::ALL {
            let digits = rule.code().strip_prefix("KF").unwrap();
            assert!(digits.len() == 4 && digits.bytes().all(|c| c.is_ascii_digit()), "{}", rule.code());
            assert_eq!(Rule::of(rule.code()), Some(*rule));
        }
        assert_eq!(Rule::of("KF0000"), None);
    }

    #[test]
    fn every_rule_has_a_title_a_sentence_and_a_source() {
        for rule in Rule::ALL {
            let (title, text, source) = (rule.title(), rule.text(), rule.source());
            assert!(!title.is_empty() && !text.is_empty(), "{}", rule.code());
            assert!(!title.ends_with('.') && !text.ends_with('.'), "{}", rule.code());
            let sources = ["tensix.md §", "host.md §", "compute.md §", "docs/architecture.md, \""];
            let cited = sources.iter().any(|p| source.starts_with(*p));
            assert!(cited, "{} cites a page of this repository: {source}", rule.code());
        }
    }
}
