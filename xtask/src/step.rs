//! A step: one command with a name, printed before it runs, timed, and named again when it fails.

use crate::tally::Tally;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// One command of a task.
pub(crate) struct Step {
    name: String,
    program: String,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    folder: Option<PathBuf>,
}

/// A step that did not end with status 0.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StepError {
    #[error("step {name} did not start: {error}; repeat it with: {command}")]
    Start { name: String, command: String, error: io::Error },
    #[error("step {name} failed ({status}); repeat it with: {command}")]
    Status { name: String, command: String, status: ExitStatus },
}

impl Step {
    /// A step that runs `program`.
    pub(crate) fn new(name: &str, program: &str) -> Self {
        Self {
            name: name.into(),
            program: program.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            folder: None,
        }
    }

    /// A step that runs cargo, from the root of the workspace.
    pub(crate) fn cargo(name: &str) -> Self {
        Self::new(name, "cargo").folder(&root())
    }

    /// Adds arguments, split at spaces.
    pub(crate) fn words(self, words: &str) -> Self {
        self.arguments(words.split_whitespace().map(String::from))
    }

    /// Adds arguments as they are.
    pub(crate) fn arguments(mut self, arguments: impl IntoIterator<Item = String>) -> Self {
        self.arguments.extend(arguments);
        self
    }

    /// Sets a variable of the command's environment.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Runs in `folder` instead of the caller's.
    pub(crate) fn folder(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// The step's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The command as one types it into a shell.
    pub(crate) fn command(&self) -> String {
        let variables = self.environment.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
        let words = std::iter::once(&self.program).chain(&self.arguments).map(|word| quoted(word));
        variables.chain(words).collect::<Vec<_>>().join(" ")
    }

    /// Runs the command with the caller's terminal.
    pub(crate) fn run(&self) -> Result<Duration, StepError> {
        self.timed(|| self.process().status())
    }

    /// Runs the command, passing its output on line by line and adding up the closing lines of test binaries.
    pub(crate) fn run_tallied(&self, tally: &mut Tally) -> Result<Duration, StepError> {
        self.timed(|| {
            let mut child = self.process().stdout(Stdio::piped()).spawn()?;
            if let Some(output) = child.stdout.take() {
                pass_on(BufReader::new(output), &mut io::stdout(), tally)?;
            }
            child.wait()
        })
    }

    fn process(&self) -> Command {
        let mut process = Command::new(&self.program);
        process.args(&self.arguments).envs(self.environment.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.folder {
            process.current_dir(folder);
        }
        process
    }

    #[allow(clippy::disallowed_methods, reason = "a step's wall time is a statistic, not a decision")]
    fn timed(&self, run: impl FnOnce() -> io::Result<ExitStatus>) -> Result<Duration, StepError> {
        eprintln!("== {}: {}", self.name, self.command());
        let start = Instant::now();
        let status = run().map_err(|error| StepError::Start {
            name: self.name.clone(),
            command: self.command(),
            error,
        })?;
        let took = start.elapsed();
        let verdict = if status.success() { "ok" } else { "FAILED" };
        eprintln!("== {}: {verdict}, {:.1} s", self.name, took.as_secs_f64());
        if status.success() {
            return Ok(took);
        }
        Err(StepError::Status { name: self.name.clone(), command: self.command(), status })
    }
}

/// Copies lines from a child's output to ours, and has each one counted.
fn pass_on(output: impl BufRead, to: &mut impl Write, tally: &mut Tally) -> io::Result<()> {
    for line in output.split(b'\n') {
        let line = line?;
        to.write_all(&line)?;
        to.write_all(b"\n")?;
        tally.add_line(&String::from_utf8_lossy(&line));
    }
    Ok(())
}

/// The root of the workspace: the folder above this package, as cargo names it when it runs us.
pub(crate) fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    package.parent().map_or(package.clone(), Path::to_path_buf)
}

/// A word as a shell needs it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_can_be_pasted_into_a_shell() {
        let step = Step::new("doc", "cargo").variable("RUSTDOCFLAGS", "-D warnings").words("doc --no-deps");
        assert_eq!(step.command(), "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_failed_step_names_its_command() {
        let error = Step::new("lint", "false").words("--all").run().unwrap_err();
        assert!(error.to_string().ends_with("repeat it with: false --all"), "{error}");
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error_with_its_command() {
        let error = Step::new("lint", "no-such-program-here").run().unwrap_err();
        assert!(matches!(error, StepError::Start { .. }), "{error}");
    }

    #[test]
    fn output_is_passed_on_whole_and_its_closing_lines_counted() {
        let text =
            "running 3 tests\ntest result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n";
        let (mut tally, mut seen) = (Tally::default(), Vec::new());
        pass_on(text.as_bytes(), &mut seen, &mut tally).unwrap();
        assert_eq!(seen, text.as_bytes());
        assert_eq!(tally, Tally { passed: 3, failed: 0, ignored: 1 });
    }
}
