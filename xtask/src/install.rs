//! Debian packages that a task needs: installed with apt, where the rules allow it.

use crate::step::{Step, StepError};
use std::io::{self, IsTerminal, Write};

/// Why a package is not there.
#[derive(Debug)]
pub(crate) enum InstallError {
    /// The machine has no apt-get.
    NoApt,
    /// Nobody allowed it; this would do it.
    NotAllowed { command: String },
    /// It failed.
    Step(StepError),
    /// Nobody could be asked.
    Ask(io::Error),
}

/// May we install a package, and how?
#[derive(Debug, PartialEq, Eq)]
enum Permission {
    /// Without asking, as root.
    AsRoot,
    /// Without asking, through sudo.
    Sudo,
    /// After asking, through sudo.
    Ask,
    /// No: say the command.
    No,
}

/// Installs `package`; `missing` says to whom is asked what is missing.
pub(crate) fn install(package: &str, missing: &str) -> Result<(), InstallError> {
    if !exists("apt-get") {
        return Err(InstallError::NoApt);
    }
    let permission = permission(
        is_root(),
        std::env::var("CI").is_ok_and(|value| value == "true"),
        io::stdin().is_terminal() && io::stderr().is_terminal(),
    );
    let steps = steps(package, permission != Permission::AsRoot);
    let command = steps.iter().map(Step::command).collect::<Vec<_>>().join(" && ");
    let allowed = match permission {
        Permission::AsRoot | Permission::Sudo => true,
        Permission::Ask => ask(missing, &command).map_err(InstallError::Ask)?,
        Permission::No => false,
    };
    if !allowed {
        return Err(InstallError::NotAllowed { command });
    }
    steps.iter().try_for_each(|step| step.run().map(|_| ())).map_err(InstallError::Step)
}

/// Root and CI install at once, a person at a terminal is asked, anyone else is told the command.
fn permission(root: bool, ci: bool, terminal: bool) -> Permission {
    match (root, ci, terminal) {
        (true, _, _) => Permission::AsRoot,
        (false, true, _) => Permission::Sudo,
        (false, false, true) => Permission::Ask,
        (false, false, false) => Permission::No,
    }
}

/// The two commands that install the package.
fn steps(package: &str, sudo: bool) -> [Step; 2] {
    let apt =
        |name: &str| if sudo { Step::new(name, "sudo").words("apt-get") } else { Step::new(name, "apt-get") };
    [
        apt("apt update").words("update"),
        apt("apt install").words("install -y --no-install-recommends").words(package),
    ]
}

fn ask(missing: &str, command: &str) -> io::Result<bool> {
    eprint!("{missing}\nrun `{command}`? [y/N] ");
    io::stderr().flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn exists(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

fn is_root() -> bool {
    std::process::Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_root_and_ci_install_without_a_question() {
        assert_eq!(permission(true, false, true), Permission::AsRoot);
        assert_eq!(permission(true, true, false), Permission::AsRoot);
        assert_eq!(permission(false, true, false), Permission::Sudo);
        assert_eq!(permission(false, false, true), Permission::Ask);
        assert_eq!(permission(false, false, false), Permission::No);
    }

    #[test]
    fn the_package_is_installed_after_an_update() {
        let commands = steps("some-package", true).map(|step| step.command());
        assert_eq!(commands[0], "sudo apt-get update");
        assert_eq!(commands[1], "sudo apt-get install -y --no-install-recommends some-package");
        assert_eq!(steps("some-package", false)[0].command(), "apt-get update");
    }
}
