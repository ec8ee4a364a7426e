//! A RISC-V C++ compiler for the device code: found by compiling one small file, or installed with apt.
//!
//! The runtime probes again, target by target; this only makes sure that there is one to find.

use crate::step::{Step, StepError};
use std::io::{self, IsTerminal, Write};
use std::process::Command;

/// The Debian package, and the compiler in it.
const PACKAGE: &str = "gcc-riscv64-unknown-elf";
const COMPILER: &str = "riscv64-unknown-elf-g++";

/// The targets the device code is built for: the X280 and the Tensix cores.
const TARGETS: [(&str, &str); 2] = [("rv64imafdc", "lp64d"), ("rv32im", "ilp32")];

/// The small file.
const PROBE: &str =
    "#include <stddef.h>\n#include <stdint.h>\nextern \"C\" uint32_t probe(uint32_t a) { return a + 1; }\n";

/// Why there is no compiler.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CompilerError {
    #[error(
        "KM_CXX is `{compiler}`, which cannot compile for {target}: {why}; unset KM_CXX to use {COMPILER}, or name another compiler"
    )]
    Named { compiler: String, target: &'static str, why: String },
    #[error("no RISC-V C++ compiler: `{COMPILER}` {why}; install it with: {command}")]
    Missing { why: String, command: String },
    #[error(
        "no RISC-V C++ compiler: `{COMPILER}` {why}, and there is no apt-get here; install GCC 12 or later for riscv64-unknown-elf and name its g++ in KM_CXX"
    )]
    NoApt { why: String },
    #[error("{PACKAGE} is installed, but `{COMPILER}` {why}; name a working compiler in KM_CXX")]
    StillMissing { why: String },
    #[error("no RISC-V C++ compiler: {0}")]
    Install(#[from] StepError),
    #[error("the compiler could not be tried: {0}; check that the folder for temporary files can be written")]
    Probe(io::Error),
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

/// Looks for a compiler, and installs one where the rules allow it.
pub(crate) fn ensure_compiler() -> Result<(), CompilerError> {
    if let Some(compiler) = std::env::var_os("KM_CXX").filter(|name| !name.is_empty()) {
        let compiler = compiler.to_string_lossy().into_owned();
        return match probe(&compiler)? {
            Ok(()) => Ok(()),
            Err((target, why)) => Err(CompilerError::Named { compiler, target, why }),
        };
    }
    let Err((_, why)) = probe(COMPILER)? else {
        return Ok(());
    };
    if !exists("apt-get") {
        return Err(CompilerError::NoApt { why });
    }
    let permission = permission(
        is_root(),
        std::env::var("CI").is_ok_and(|value| value == "true"),
        io::stdin().is_terminal() && io::stderr().is_terminal(),
    );
    let steps = steps(permission != Permission::AsRoot);
    let command = steps.iter().map(Step::command).collect::<Vec<_>>().join(" && ");
    let allowed = match permission {
        Permission::AsRoot | Permission::Sudo => true,
        Permission::Ask => ask(&why, &command).map_err(CompilerError::Probe)?,
        Permission::No => false,
    };
    if !allowed {
        return Err(CompilerError::Missing { why, command });
    }
    for step in &steps {
        step.run()?;
    }
    probe(COMPILER)?.map_err(|(_, why)| CompilerError::StillMissing { why })
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
fn steps(sudo: bool) -> [Step; 2] {
    let apt =
        |name: &str| if sudo { Step::new(name, "sudo").words("apt-get") } else { Step::new(name, "apt-get") };
    [
        apt("apt update").words("update"),
        apt("apt install").words("install -y --no-install-recommends").words(PACKAGE),
    ]
}

fn ask(why: &str, command: &str) -> io::Result<bool> {
    eprint!("no RISC-V C++ compiler: `{COMPILER}` {why}\nrun `{command}`? [y/N] ");
    io::stderr().flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Compiles the small file for each target; the inner error is the target that failed and the compiler's first words.
fn probe(compiler: &str) -> Result<Result<(), (&'static str, String)>, CompilerError> {
    let folder = tempfile::tempdir().map_err(CompilerError::Probe)?;
    let source = folder.path().join("probe.cpp");
    std::fs::write(&source, PROBE).map_err(CompilerError::Probe)?;
    for (march, mabi) in TARGETS {
        let outcome = Command::new(compiler)
            .args(["-std=c++17", "-ffreestanding", "-O1", "-c", "-o"])
            .arg(folder.path().join("probe.o"))
            .arg(format!("-march={march}"))
            .arg(format!("-mabi={mabi}"))
            .arg(&source)
            .output();
        match outcome {
            Ok(output) if output.status.success() => {}
            Ok(output) => {
                let words = String::from_utf8_lossy(&output.stderr);
                let line = words.lines().next().unwrap_or("it says nothing");
                return Ok(Err((march, format!("fails to compile one small file ({line})"))));
            }
            Err(error) => return Ok(Err((march, format!("does not run ({error})")))),
        }
    }
    Ok(Ok(()))
}

fn exists(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
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
        let commands = steps(true).map(|step| step.command());
        assert_eq!(commands[0], "sudo apt-get update");
        assert_eq!(commands[1], "sudo apt-get install -y --no-install-recommends gcc-riscv64-unknown-elf");
        assert_eq!(steps(false)[0].command(), "apt-get update");
    }

    #[test]
    fn a_compiler_that_is_not_there_is_told_from_one_that_fails() {
        let (_, why) = probe("no-such-compiler-here").unwrap().unwrap_err();
        assert!(why.starts_with("does not run"), "{why}");
        let (target, why) = probe("false").unwrap().unwrap_err();
        assert_eq!(target, "rv64imafdc");
        assert!(why.starts_with("fails to compile"), "{why}");
    }
}
