//! Adds up the closing lines of test binaries (`test result: ok. 3 passed; 0 failed; 1 ignored; ..`).

use std::fmt;

/// The tests of all binaries together.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Tests that passed.
    pub(crate) passed: u64,
    /// Tests that failed.
    pub(crate) failed: u64,
    /// Tests that did not run, such as those that need a card.
    pub(crate) ignored: u64,
}

impl Tally {
    /// Adds what others have counted.
    pub(crate) fn add(&mut self, other: &Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }

    /// Adds a line's counts if it closes a test binary's output.
    pub(crate) fn add_line(&mut self, line: &str) {
        let Some((_, counts)) = line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        for part in counts.split("; ") {
            if let Some((number, what)) = part.split_once(' ')
                && let Ok(number) = number.parse::<u64>()
            {
                match what {
                    "passed" => self.passed += number,
                    "failed" => self.failed += number,
                    "ignored" => self.ignored += number,
                    _ => {}
                }
            }
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed; {} failed; {} ignored", self.passed, self.failed, self.ignored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_add_up_and_others_count_nothing() {
        let mut tally = Tally::default();
        for line in [
            "running 5 tests",
            "test result: ok. 4 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.00s",
            "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s",
            "7 passed; 7 failed",
        ] {
            tally.add_line(line);
        }
        assert_eq!(tally.to_string(), "5 passed; 2 failed; 1 ignored");
    }
}
