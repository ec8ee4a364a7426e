//! The compiler for the card's cores: found once, probed once for each kind of core.

use std::env::VarError;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use super::error::{Error, Result};
use super::target::Target;

/// The compiler that is looked for when `KM_CXX` does not name one.
const DEFAULT: &str = "riscv64-unknown-elf-g++";

/// The variable that names another one.
const VARIABLE: &str = "KM_CXX";

/// A C++ compiler for RISC-V.
#[derive(Debug)]
pub struct Toolchain {
    compiler: String,
    version: String,
    probed: Mutex<Vec<Target>>,
}

impl Toolchain {
    /// The compiler that `KM_CXX` names, else `riscv64-unknown-elf-g++`.
    ///
    /// # Errors
    /// [`Error::NoCompiler`] with the command that installs one; [`Error::Environment`] for a name that is not UTF-8.
    pub fn find() -> Result<Self> {
        match std::env::var(VARIABLE) {
            Ok(compiler) if !compiler.is_empty() => Self::named(&compiler),
            Ok(_) | Err(VarError::NotPresent) => Self::named(DEFAULT),
            Err(VarError::NotUnicode(value)) => Err(Error::Environment { name: VARIABLE, value }),
        }
    }

    /// The compiler called `compiler`, a name on the path or a path.
    ///
    /// # Errors
    /// [`Error::NoCompiler`] when it cannot be run.
    pub fn named(compiler: &str) -> Result<Self> {
        let missing = |why: String| Error::NoCompiler { tried: format!("`{compiler}` {why}") };
        let output = Command::new(compiler)
            .arg("--version")
            .output()
            .map_err(|error| missing(format!("cannot be run ({error})")))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.lines().next().unwrap_or_default().to_owned();
        if !output.status.success() || version.is_empty() {
            return Err(missing("does not answer --version".into()));
        }
        Ok(Self { compiler: compiler.to_owned(), version, probed: Mutex::new(Vec::new()) })
    }

    /// What it says about itself.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Its name or path.
    pub fn compiler(&self) -> &str {
        &self.compiler
    }

    /// Checks that a step which ended well left its file: other programs than compilers end well too.
    pub(super) fn check_made(&self, file: &Path) -> Result<()> {
        if file.is_file() {
            return Ok(());
        }
        let file = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Err(Error::NotMade { compiler: self.compiler.clone(), version: self.version.clone(), file })
    }

    /// Compiles and links one small program for `target`, once for this toolchain. `folder` takes its files.
    pub(super) fn probe(&self, target: Target, folder: &Path) -> Result<()> {
        let mut probed = self.probed.lock().unwrap_or_else(PoisonError::into_inner);
        if probed.contains(&target) {
            return Ok(());
        }
        let path = |name: &str| folder.join(name);
        let (source, object, image) = (path("probe.cpp"), path("probe.o"), path("probe.elf"));
        // Division of 64-bit numbers asks for libgcc on the 32-bit cores.
        let program =
            "#include <stdint.h>\nextern \"C\" uint64_t probe(uint64_t a, uint64_t b) { return a / b; }\n";
        std::fs::write(&source, program).map_err(|error| Error::cache("cannot write", &source, &error))?;
        let mut compile = Command::new(&self.compiler);
        compile.args(target.compile()).arg("-O2").arg("-c").arg(&source).arg("-o").arg(&object);
        let mut link = Command::new(&self.compiler);
        link.args(target.link()).arg("-Wl,-e,probe").arg(&object).arg("-lgcc").arg("-o").arg(&image);
        for (mut step, made) in [(compile, &object), (link, &image)] {
            let output = step.output().map_err(|error| Error::NoCompiler {
                tried: format!("`{}` cannot be run ({error})", self.compiler),
            })?;
            if !output.status.success() {
                let text = String::from_utf8_lossy(&output.stderr);
                let message = text.lines().find(|line| line.contains("error")).unwrap_or(text.trim());
                return Err(Error::Target {
                    compiler: self.compiler.clone(),
                    target: target.name(),
                    message: message.to_owned(),
                });
            }
            self.check_made(made)?;
        }
        for file in [source, object, image] {
            std::fs::remove_file(&file).map_err(|error| Error::cache("cannot remove", &file, &error))?;
        }
        probed.push(target);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_compiler_names_the_package_that_has_one() {
        let error = Toolchain::named("/nowhere/riscv64-g++").unwrap_err();
        assert!(matches!(error, Error::NoCompiler { .. }));
        assert!(error.to_string().contains("apt install gcc-riscv64-unknown-elf"), "{error}");
        assert!(error.to_string().contains("/nowhere/riscv64-g++"), "{error}");
    }

    #[test]
    fn a_program_that_compiles_nothing_is_told_so() {
        let folder = tempfile::tempdir().unwrap();
        let Ok(idle) = Toolchain::named("/bin/true") else { return };
        let error = idle.probe(Target::Tensix, folder.path()).unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with("`/bin/true` ended well and made no probe.o"), "{message}");
        assert!(message.contains("KM_CXX"), "{message}");
    }

    #[test]
    fn a_compiler_of_another_machine_is_refused_for_each_target() {
        let folder = tempfile::tempdir().unwrap();
        let Ok(host) = Toolchain::named("c++") else { return };
        for target in [Target::Tensix, Target::X280] {
            let error = host.probe(target, folder.path()).unwrap_err();
            assert!(matches!(error, Error::Target { .. }), "{error}");
        }
    }

    #[test]
    fn the_default_compiler_builds_for_both_kinds_of_cores() {
        let folder = tempfile::tempdir().unwrap();
        let toolchain = Toolchain::find().unwrap();
        for target in [Target::Tensix, Target::X280] {
            toolchain.probe(target, folder.path()).unwrap();
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the probe leaves nothing behind");
    }
}
