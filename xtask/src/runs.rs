//! Runs of test binaries, as many at once as there are processors: a file that has one long test holds up no other.

use crate::binaries::Binary;
use crate::step::{Finished, Step, StepError, command, root};
use crate::tally::Tally;
use std::io;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// A test binary that is run once, with variables and arguments of its own.
#[derive(Clone, Debug)]
pub(crate) struct Run<'a> {
    binary: &'a Binary,
    variables: Vec<(String, String)>,
    arguments: Vec<String>,
}

/// Whose output is shown; that of a run that fails always is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    All,
    Failed,
}

/// What came of all runs.
#[derive(Default)]
struct Outcome {
    tally: Tally,
    /// The commands that repeat those that failed.
    failed: Vec<String>,
    /// Why one did not start.
    error: Option<(String, io::Error)>,
}

impl<'a> Run<'a> {
    /// Runs all tests of `binary`.
    pub(crate) fn of(binary: &'a Binary) -> Self {
        Self { binary, variables: Vec::new(), arguments: Vec::new() }
    }

    /// Sets a variable of its environment.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Leaves a test out.
    pub(crate) fn without(mut self, test: &str) -> Self {
        if self.arguments.is_empty() {
            self.arguments.push("--exact".into());
        }
        self.arguments.extend(["--skip".into(), test.into()]);
        self
    }

    /// The command that repeats it, or those of its tests that are named.
    pub(crate) fn command(&self, tests: &[String]) -> String {
        let mut words = vec!["test".to_string()];
        words.extend(self.binary.selection());
        let arguments = match tests {
            [] => self.arguments.clone(),
            _ => std::iter::once("--exact".to_string()).chain(tests.iter().cloned()).collect(),
        };
        if !arguments.is_empty() {
            words.push("--".into());
            words.extend(arguments);
        }
        command(&self.variables, "cargo", &words)
    }

    /// What it is, in a few words.
    fn label(&self) -> String {
        let variables = self.variables.iter().map(|(name, value)| format!("{name}={value} "));
        format!("{}{}", variables.collect::<String>(), self.binary.name())
    }

    /// Runs it as cargo does: in the folder of its package, with the variables that name it.
    fn output(&self) -> io::Result<Output> {
        let folder = &self.binary.folder;
        Command::new(&self.binary.executable)
            .args(&self.arguments)
            .env("CARGO_MANIFEST_DIR", folder)
            .env("CARGO_MANIFEST_PATH", folder.join("Cargo.toml"))
            .env("CARGO_PKG_NAME", &self.binary.package)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(folder)
            .stdin(Stdio::null())
            .output()
    }
}

/// Runs all, in their order, and names those that fail with the commands that repeat them.
pub(crate) fn run_all(
    name: &str,
    runs: &[Run<'_>],
    shown: Shown,
    tally: &mut Tally,
) -> Result<Duration, StepError> {
    let outcome: Mutex<Outcome> = Mutex::default();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
            // A run that hangs is one of the last that are named.
            eprintln!("   {}", run.label());
            let output = run.output();
            outcome.lock().unwrap_or_else(PoisonError::into_inner).add(run, output, shown);
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let finished = Finished::of(name, &format!("{} test binaries", runs.len()), || {
        thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
        let outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
        outcome.failed.is_empty() && outcome.error.is_none()
    });
    let outcome = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    tally.add(&outcome.tally);
    if let Some((command, error)) = outcome.error {
        return Err(StepError::Start { name: name.into(), command, error });
    }
    if outcome.failed.is_empty() {
        return Ok(finished.took);
    }
    let count = outcome.failed.len();
    Err(StepError::Runs {
        name: name.into(),
        count,
        all: runs.len(),
        commands: outcome.failed.join("\n      "),
    })
}

impl Outcome {
    fn add(&mut self, run: &Run<'_>, output: io::Result<Output>, shown: Shown) {
        let output = match output {
            Ok(output) => output,
            Err(error) => {
                self.error.get_or_insert((run.command(&[]), error));
                return;
            }
        };
        let text = String::from_utf8_lossy(&output.stdout);
        text.lines().for_each(|line| self.tally.add_line(line));
        let passed = output.status.success();
        if shown == Shown::All || !passed {
            println!("{text}");
            eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        }
        if !passed {
            let command = run.command(&failed_tests(&text));
            eprintln!("   FAILED ({}); repeat it with: {command}", output.status);
            self.failed.push(command);
        }
    }
}

/// The tests that failed, as the output of a test binary names them.
fn failed_tests(output: &str) -> Vec<String> {
    let names = output.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
    names.map(|name| name.trim_end_matches(" - should panic").to_string()).collect()
}

/// A step that runs an example, as it was built with the tests; cargo repeats it.
pub(crate) fn example(name: &str, program: Option<&Path>) -> Step {
    let cargo = ["run", "--quiet", "--package", "komorebi-examples", "--bin", name].map(String::from);
    let name = format!("example {name}");
    match program {
        Some(program) => {
            let step = Step::new(&name, &program.to_string_lossy()).folder(&root());
            step.repeated_by(command(&[], "cargo", &cargo))
        }
        None => Step::cargo(&name).arguments(cargo),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binaries::Target;

    fn shell(target: &str) -> Binary {
        Binary {
            package: "komorebi-tests".into(),
            target: Target::Test(target.into()),
            executable: "/bin/sh".into(),
            folder: Path::new("/").into(),
        }
    }

    /// A run in which the shell plays the test binary.
    fn scripted<'a>(binary: &'a Binary, script: &str) -> Run<'a> {
        Run { arguments: vec!["-c".into(), script.into()], ..Run::of(binary) }
    }

    #[test]
    fn of_many_runs_all_are_done_and_those_that_fail_are_named_with_their_tests() {
        let [good, bad, dead] = ["good", "bad", "dead"].map(shell);
        let passes = "echo 'test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured'";
        let fails = "echo 'test a::b ... ok'; echo 'test c::d ... FAILED'; echo 'test result: FAILED. 1 passed; 1 failed; 0 ignored'; exit 101";
        let runs = [
            scripted(&bad, fails).variable("KM_SEED", "7"),
            scripted(&good, passes),
            scripted(&dead, "kill -9 $$"),
            scripted(&good, passes),
        ];
        let mut tally = Tally::default();
        let error = run_all("tests", &runs, Shown::Failed, &mut tally).unwrap_err().to_string();
        assert_eq!(tally.to_string(), "7 passed; 1 failed; 2 ignored");
        assert!(error.contains("2 of 4 runs"), "{error}");
        let named = "KM_SEED=7 cargo test --package komorebi-tests --test bad -- --exact c::d";
        assert!(error.contains(named), "{error}");
        assert!(error.contains("cargo test --package komorebi-tests --test dead -- -c"), "{error}");
        assert!(!error.contains("--test good"), "{error}");
    }

    #[test]
    fn runs_that_pass_end_well_and_have_the_variables_of_cargo() {
        let good = shell("good");
        let script =
            "test $CARGO_PKG_NAME = komorebi-tests && test $CARGO_MANIFEST_DIR = / && test `pwd` = /";
        run_all("tests", &[scripted(&good, script)], Shown::Failed, &mut Tally::default()).unwrap();
    }

    #[test]
    fn a_binary_that_is_not_there_is_an_error_with_its_command() {
        let gone = Binary { executable: "/no/such/binary".into(), ..shell("gone") };
        let error =
            run_all("tests", &[Run::of(&gone)], Shown::All, &mut Tally::default()).unwrap_err().to_string();
        assert!(error.contains("cargo test --package komorebi-tests --test gone"), "{error}");
    }

    #[test]
    fn a_test_is_left_out_by_its_whole_name() {
        let binary = shell("run_nop");
        let run = Run::of(&binary).variable("KM_PARKING", "off").without("one").without("two");
        let command = run.command(&[]);
        let expected = "KM_PARKING=off cargo test --package komorebi-tests --test run_nop -- --exact --skip one --skip two";
        assert_eq!(command, expected);
    }
}
