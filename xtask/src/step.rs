//! A step: one command with a name, printed before it runs, timed, and named again when it fails.

use crate::tally::Tally;
use std::io::{self, BufRead as _, BufReader, Write};
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
    /// The command that repeats it, where it is another one.
    repeated_by: Option<String>,
}

/// A step that did not end with status 0.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StepError {
    #[error("step {name} did not start: {error}; repeat it with: {command}")]
    Start { name: String, command: String, error: io::Error },
    #[error("step {name} failed ({status}); repeat it with: {command}")]
    Status { name: String, command: String, status: ExitStatus },
    #[error("step {name} failed in {count} of {all} runs; repeat them with:\n      {commands}")]
    Runs { name: String, count: usize, all: usize, commands: String },
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
            repeated_by: None,
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

    /// Names another command that repeats it.
    pub(crate) fn repeated_by(mut self, command: String) -> Self {
        self.repeated_by = Some(command);
        self
    }

    /// The step's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The command that repeats it, as one types it into a shell.
    pub(crate) fn command(&self) -> String {
        let own = || command(&self.environment, &self.program, &self.arguments);
        self.repeated_by.clone().unwrap_or_else(own)
    }

    /// Runs the command with the caller's terminal.
    pub(crate) fn run(&self) -> Result<Duration, StepError> {
        self.timed(|| self.process().status())
    }

    /// Runs the command, calling `each` with every line of its output.
    pub(crate) fn run_lines(
        &self,
        mut each: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<Duration, StepError> {
        self.timed(|| {
            let mut child = self.process().stdout(Stdio::piped()).spawn()?;
            if let Some(output) = child.stdout.take() {
                for line in BufReader::new(output).split(b'\n') {
                    each(&line?)?;
                }
            }
            child.wait()
        })
    }

    /// Runs the command, passing its output on line by line and adding up the closing lines of test binaries.
    pub(crate) fn run_tallied(&self, tally: &mut Tally) -> Result<Duration, StepError> {
        self.run_lines(|line| pass_on(line, &mut io::stdout(), tally))
    }

    fn process(&self) -> Command {
        let mut process = Command::new(&self.program);
        process.args(&self.arguments).envs(self.environment.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.folder {
            process.current_dir(folder);
        }
        process
    }

    fn timed(&self, run: impl FnOnce() -> io::Result<ExitStatus>) -> Result<Duration, StepError> {
        let (name, command) = (self.name.clone(), self.command());
        let mut status = None;
        let finished = Finished::of(&name, &command, || {
            status = Some(run());
            matches!(&status, Some(Ok(status)) if status.success())
        });
        match status {
            Some(Ok(status)) if !status.success() => Err(StepError::Status { name, command, status }),
            Some(Err(error)) => Err(StepError::Start { name, command, error }),
            _ => Ok(finished.took),
        }
    }
}

/// Something that took its time.
pub(crate) struct Finished {
    /// How long.
    pub(crate) took: Duration,
}

impl Finished {
    /// Does `work`, which says whether it went well, and prints a line before and after.
    #[allow(clippy::disallowed_methods, reason = "a step's wall time is a statistic, not a decision")]
    pub(crate) fn of(name: &str, what: &str, work: impl FnOnce() -> bool) -> Self {
        eprintln!("== {name}: {what}");
        let start = Instant::now();
        let verdict = if work() { "ok" } else { "FAILED" };
        let took = start.elapsed();
        eprintln!("== {name}: {verdict}, {:.1} s", took.as_secs_f64());
        Self { took }
    }
}

/// A command as one types it into a shell.
pub(crate) fn command(variables: &[(String, String)], program: &str, arguments: &[String]) -> String {
    let variables = variables.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
    let program = std::iter::once(program);
    let words = program.chain(arguments.iter().map(String::as_str)).map(quoted);
    variables.chain(words).collect::<Vec<_>>().join(" ")
}

/// Copies a line from a child's output to ours, and has it counted.
fn pass_on(line: &[u8], to: &mut impl Write, tally: &mut Tally) -> io::Result<()> {
    to.write_all(line)?;
    to.write_all(b"\n")?;
    tally.add_line(&String::from_utf8_lossy(line));
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
        let lines = ["running 3 tests", "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured"];
        let (mut tally, mut seen) = (Tally::default(), Vec::new());
        for line in lines {
            pass_on(line.as_bytes(), &mut seen, &mut tally).unwrap();
        }
        assert_eq!(seen, format!("{}\n{}\n", lines[0], lines[1]).as_bytes());
        assert_eq!(tally, Tally { passed: 3, failed: 0, ignored: 1 });
    }

    #[test]
    fn the_lines_of_a_command_are_read_and_a_failure_is_told_all_the_same() {
        let mut lines = Vec::new();
        let step = Step::new("read", "sh").arguments(["-c".into(), "echo one; echo two; exit 3".into()]);
        let ended = step.run_lines(|line| {
            lines.push(String::from_utf8_lossy(line).into_owned());
            Ok(())
        });
        assert_eq!(lines, ["one", "two"]);
        assert!(matches!(ended, Err(StepError::Status { status, .. }) if status.code() == Some(3)));
    }

    #[test]
    fn a_step_can_be_repeated_by_another_command() {
        let step = Step::new("example", "false").repeated_by("cargo run".into());
        assert!(step.run().unwrap_err().to_string().ends_with("repeat it with: cargo run"));
    }
}
