//! QEMU's user mode, which judges the simulated harts in the tests: found by asking for its version, or installed.

use crate::install::{InstallError, install};
use crate::step::StepError;
use std::process::Command;

/// The Debian package, and the programs of it.
const PACKAGE: &str = "qemu-user";
const PROGRAMS: [&str; 2] = ["qemu-riscv64", "qemu-riscv32"];

/// Why there is no judge.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JudgeError {
    #[error("{why}; install it with: {command}")]
    Missing { why: String, command: String },
    #[error("{why}, and there is no apt-get here; install QEMU's user mode for riscv64 and riscv32")]
    NoApt { why: String },
    #[error("{PACKAGE} is installed, but {why}")]
    StillMissing { why: String },
    #[error("no QEMU user mode: {0}")]
    Install(#[from] StepError),
    #[error("no QEMU user mode, and nobody could be asked for it: {0}")]
    Ask(std::io::Error),
}

/// Looks for QEMU, and installs it where the rules allow it.
pub(crate) fn ensure_judge() -> Result<(), JudgeError> {
    let Some(why) = missing(&PROGRAMS) else { return Ok(()) };
    install(PACKAGE, &why).map_err(|error| match error {
        InstallError::NoApt => JudgeError::NoApt { why },
        InstallError::NotAllowed { command } => JudgeError::Missing { why, command },
        InstallError::Step(error) => JudgeError::Install(error),
        InstallError::Ask(error) => JudgeError::Ask(error),
    })?;
    missing(&PROGRAMS).map_or(Ok(()), |why| Err(JudgeError::StillMissing { why }))
}

/// What is wrong with the first of the programs that does not say its version.
fn missing(programs: &[&str]) -> Option<String> {
    programs.iter().find_map(|program| match Command::new(program).arg("--version").output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(format!("no QEMU user mode: `{program}` fails ({})", output.status)),
        Err(error) => Some(format!("no QEMU user mode: `{program}` does not run ({error})")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_there_is_told_from_one_that_fails() {
        assert_eq!(missing(&["true"]), None);
        assert!(missing(&["true", "false"]).is_some_and(|why| why.contains("`false` fails")));
        assert!(missing(&["no-such-program-here"]).is_some_and(|why| why.contains("does not run")));
    }
}
