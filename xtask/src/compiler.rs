//! A RISC-V C++ compiler for the device code: found by compiling one small file, or installed.
//!
//! The runtime probes again, target by target; this only makes sure that there is one to find.

use crate::install::{InstallError, install};
use crate::step::StepError;
use std::io;
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
    let missing = format!("no RISC-V C++ compiler: `{COMPILER}` {why}");
    install(PACKAGE, &missing).map_err(|error| match error {
        InstallError::NoApt => CompilerError::NoApt { why },
        InstallError::NotAllowed { command } => CompilerError::Missing { why, command },
        InstallError::Step(error) => CompilerError::Install(error),
        InstallError::Ask(error) => CompilerError::Probe(error),
    })?;
    probe(COMPILER)?.map_err(|(_, why)| CompilerError::StillMissing { why })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_that_is_not_there_is_told_from_one_that_fails() {
        let (_, why) = probe("no-such-compiler-here").unwrap().unwrap_err();
        assert!(why.starts_with("does not run"), "{why}");
        let (target, why) = probe("false").unwrap().unwrap_err();
        assert_eq!(target, "rv64imafdc");
        assert!(why.starts_with("fails to compile"), "{why}");
    }
}
