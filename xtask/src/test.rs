//! `cargo xtask test`: everything CI checks, every step even when an earlier one failed, summed up at the end.
//!
//! One profile for all that runs (dev, with the simulator optimised by the root manifest), so that the workspace is
//! built once for tests and examples and checked once for lints and documentation.

use crate::Failure;
use crate::cards;
use crate::compiler::ensure_compiler;
use crate::judge::ensure_judge;
use crate::step::{Step, StepError};
use crate::tally::Tally;
use std::time::Duration;

/// Steps that the summary has as one, and whether their output has closing lines of test binaries to add up.
struct Checked {
    name: String,
    steps: Vec<Step>,
    tallied: bool,
}

impl Checked {
    fn new(step: Step, tallied: bool) -> Self {
        Self { name: step.name().to_string(), steps: vec![step], tallied }
    }

    /// Runs all of them; the time of all, or the first that failed.
    fn run(&self, tally: &mut Tally) -> Result<Duration, StepError> {
        let outcomes: Vec<_> = self
            .steps
            .iter()
            .map(|step| if self.tallied { step.run_tallied(tally) } else { step.run() })
            .collect();
        outcomes.into_iter().sum()
    }
}

fn steps() -> Vec<Checked> {
    let plain = |step| Checked::new(step, false);
    let tallied = |step| Checked::new(step, true);
    let example = |bin: &str| {
        plain(
            Step::cargo(&format!("example {bin}"))
                .words("run --quiet --package komorebi-examples --bin")
                .words(bin),
        )
    };
    vec![
        plain(Step::cargo("formatting").words("fmt --all --check")),
        plain(Step::cargo("lints").words("clippy --workspace --all-targets -- -D warnings")),
        plain(
            Step::cargo("documentation")
                .variable("RUSTDOCFLAGS", "-D warnings")
                .words("doc --workspace --no-deps"),
        ),
        tallied(Step::cargo("tests").words("test --workspace --no-fail-fast --lib --bins --tests")),
        tallied(cards::without_parking()),
        Checked { name: cards::seeds(), steps: cards::with_seeds(), tallied: true },
        tallied(Step::cargo("doc tests").words("test --workspace --no-fail-fast --doc")),
        example("01_map"),
        example("02_pipeline"),
        example("04_reduce"),
        example("05_stream"),
        example("06_graph"),
    ]
}

/// Runs all steps.
pub(crate) fn test() -> Result<(), Failure> {
    ensure_compiler()?;
    ensure_judge()?;
    let mut tally = Tally::default();
    let mut outcomes = Vec::new();
    for checked in steps() {
        let outcome = checked.run(&mut tally);
        outcomes.push((checked.name, outcome));
    }
    eprintln!("{}", summary(&outcomes, &tally));
    let failed: Vec<&str> =
        outcomes.iter().filter(|(_, outcome)| outcome.is_err()).map(|(name, _)| name.as_str()).collect();
    if failed.is_empty() {
        return Ok(());
    }
    Err(Failure::Steps { failed: failed.len(), all: outcomes.len(), names: failed.join(", ") })
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
    fn of_many_steps_all_run_and_the_first_that_fails_is_told() {
        let step = |name: &str, program: &str| Step::new(name, program);
        let steps = vec![step("seed 1", "true"), step("seed 2", "false"), step("seed 3", "true")];
        let checked = Checked { name: "seeds".into(), steps, tallied: true };
        let error = checked.run(&mut Tally::default()).unwrap_err();
        assert!(error.to_string().contains("seed 2"), "{error}");
        let steps = vec![step("seed 1", "true"), step("seed 2", "true")];
        assert!(Checked { name: "seeds".into(), steps, tallied: false }.run(&mut Tally::default()).is_ok());
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
