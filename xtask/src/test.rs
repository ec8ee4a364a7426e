//! `cargo xtask test`: everything CI checks, every step even when an earlier one failed, summed up at the end.
//!
//! One profile for all that runs (dev, with the simulator optimised by the root manifest), so that the workspace is
//! built once for tests and examples and checked once for lints and documentation.

use crate::Failure;
use crate::binaries::{self, Binary, Built};
use crate::cards;
use crate::compiler::ensure_compiler;
use crate::judge::ensure_judge;
use crate::runs::{Run, Shown, example, run_all};
use crate::step::{Step, StepError};
use crate::tally::Tally;
use std::time::Duration;

/// Test binaries that take longest, which begin first, so that nothing waits for them at the end.
const FIRST: [&str; 6] = [
    "messages",
    "unit tests of komorebi",
    "shared_card",
    "unit tests of komorebi-language",
    "engine_memory",
    "random",
];

/// The examples, each of which checks its own results.
const EXAMPLES: [&str; 5] = ["01_map", "02_pipeline", "04_reduce", "05_stream", "06_graph"];

/// The steps that are asked for, and what came of them.
#[derive(Default)]
struct Steps {
    /// Parts of names; all without any.
    words: Vec<String>,
    outcomes: Vec<(String, Result<Duration, StepError>)>,
    tally: Tally,
}

impl Steps {
    fn wants(&self, name: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| name.contains(word))
    }

    /// Runs a step, whose output may have closing lines of test binaries.
    fn step(&mut self, step: &Step) {
        if self.wants(step.name()) {
            let outcome = step.run_tallied(&mut self.tally);
            self.outcomes.push((step.name().to_string(), outcome));
        }
    }

    fn runs(&mut self, name: &str, runs: &[Run<'_>], shown: Shown) {
        if self.wants(name) {
            let outcome = run_all(name, runs, shown, &mut self.tally);
            self.outcomes.push((name.to_string(), outcome));
        }
    }

    /// The tests in every way they are run, and the examples, which are built for them.
    fn tests(&mut self) {
        let names = [TESTS, cards::PARKING, cards::SHORT].map(String::from).into_iter();
        let names: Vec<String> = names.chain(EXAMPLES.map(|name| format!("example {name}"))).collect();
        if !names.iter().any(|name| self.wants(name)) {
            return;
        }
        match binaries::build() {
            Ok((took, built)) => {
                self.outcomes.push(("build of the tests".into(), Ok(took)));
                self.built_tests(&built);
            }
            // What was built before may not pass for what could not be built now.
            Err(error) => self.outcomes.push(("build of the tests".into(), Err(error))),
        }
    }

    fn built_tests(&mut self, built: &Built) {
        let mut first: Vec<&Binary> = built.tests.iter().collect();
        first.sort_by_key(|binary| {
            FIRST.iter().position(|name| *name == binary.name()).unwrap_or(FIRST.len())
        });
        let runs: Vec<Run<'_>> = first.into_iter().map(Run::of).collect();
        self.runs(TESTS, &runs, Shown::All);
        self.runs(cards::PARKING, &cards::without_parking(&built.tests), Shown::All);
        self.runs(cards::SHORT, &cards::with_seeds(&built.tests), Shown::Failed);
        for name in EXAMPLES {
            self.step(&example(name, built.program(name)));
        }
    }
}

/// The name of the run of all tests as they are.
const TESTS: &str = "tests";

/// Runs all steps, or those whose names have one of the words in them.
pub(crate) fn test(words: Vec<String>) -> Result<(), Failure> {
    ensure_compiler()?;
    ensure_judge()?;
    let mut steps = Steps { words, ..Steps::default() };
    steps.step(&Step::cargo("formatting").words("fmt --all --check"));
    steps.step(&Step::cargo("lints").words("clippy --workspace --all-targets -- -D warnings"));
    steps.step(
        &Step::cargo("documentation")
            .variable("RUSTDOCFLAGS", "-D warnings")
            .words("doc --workspace --no-deps"),
    );
    steps.tests();
    steps.step(&Step::cargo("doc tests").words("test --workspace --no-fail-fast --doc"));
    eprintln!("{}", summary(&steps.outcomes, &steps.tally));
    if steps.outcomes.is_empty() {
        return Err(Failure::NoStep { words: steps.words.join(", ") });
    }
    let failed = steps.outcomes.iter().filter(|(_, outcome)| outcome.is_err());
    let failed: Vec<&str> = failed.map(|(name, _)| name.as_str()).collect();
    if failed.is_empty() {
        return Ok(());
    }
    Err(Failure::Steps { failed: failed.len(), all: steps.outcomes.len(), names: failed.join(", ") })
}

/// The table at the end: a line a step, then the tests of all binaries together.
fn summary(outcomes: &[(String, Result<Duration, StepError>)], tally: &Tally) -> String {
    let mut lines = vec!["== summary".to_string()];
    for (name, outcome) in outcomes {
        lines.push(match outcome {
            Ok(took) => format!("   ok      {name}, {:.1} s", took.as_secs_f64()),
            Err(error) => format!("   FAILED  {error}"),
        });
    }
    lines.extend(cards::left_out().iter().map(|line| format!("   {line}")));
    lines.push(format!("   tests: {tally}"));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_that_are_asked_for_run_and_no_others() {
        let mut steps = Steps { words: vec!["lint".into(), "doc".into()], ..Steps::default() };
        for (name, program) in [("formatting", "false"), ("lints", "true"), ("documentation", "false")] {
            steps.step(&Step::new(name, program));
        }
        let ran: Vec<(&str, bool)> =
            steps.outcomes.iter().map(|(name, outcome)| (name.as_str(), outcome.is_ok())).collect();
        assert_eq!(ran, [("lints", true), ("documentation", false)]);
        assert!(Steps::default().wants("formatting"));
    }

    #[test]
    fn the_summary_names_the_command_of_a_failed_step() {
        let failed = Step::new("lints", "false").words("clippy").run();
        let outcomes =
            [("formatting".to_string(), Ok(Duration::from_millis(1500))), ("lints".to_string(), failed)];
        let text = summary(&outcomes, &Tally { passed: 2, failed: 0, ignored: 1 });
        assert!(text.contains("ok      formatting, 1.5 s"), "{text}");
        assert!(text.contains("repeat it with: false clippy"), "{text}");
        assert!(text.ends_with("tests: 2 passed; 0 failed; 1 ignored"), "{text}");
    }
}
