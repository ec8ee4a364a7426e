//! The test binaries of the workspace: cargo builds them, once for all steps, and says where they are.
//!
//! They are always built together. For a choice of packages cargo would choose other features of what they share, and so build the
//! workspace a second time.

use crate::step::{Step, StepError};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where a binary comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// The unit tests of a library.
    Lib,
    /// The unit tests of a program.
    Bin(String),
    /// A file of integration tests.
    Test(String),
}

/// A test binary.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Binary {
    /// The package it belongs to.
    pub(crate) package: String,
    /// What of the package.
    pub(crate) target: Target,
    /// The binary itself.
    pub(crate) executable: PathBuf,
    /// The folder of the package, in which tests run.
    pub(crate) folder: PathBuf,
}

/// All that was built.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Built {
    /// The test binaries, sorted.
    pub(crate) tests: Vec<Binary>,
    /// The programs that tests start, by their names: the examples among them.
    pub(crate) programs: Vec<(String, PathBuf)>,
}

impl Built {
    /// The program of this name.
    pub(crate) fn program(&self, name: &str) -> Option<&Path> {
        self.programs.iter().find(|(program, _)| program == name).map(|(_, path)| path.as_path())
    }
}

impl Binary {
    /// Its name in lists: that of its file, or `unit tests of` its package or program.
    pub(crate) fn name(&self) -> String {
        match &self.target {
            Target::Lib => format!("unit tests of {}", self.package),
            Target::Bin(name) => format!("unit tests of {name}"),
            Target::Test(name) => name.clone(),
        }
    }

    /// The arguments with which `cargo test` runs it alone.
    pub(crate) fn selection(&self) -> Vec<String> {
        let target: &[&str] = match &self.target {
            Target::Lib => &["--lib"],
            Target::Bin(name) => &["--bin", name],
            Target::Test(name) => &["--test", name],
        };
        ["--package", &self.package].iter().chain(target).map(|word| (*word).to_string()).collect()
    }
}

/// Builds all test binaries, and the programs that they start.
pub(crate) fn build() -> Result<(Duration, Built), StepError> {
    let step = Step::cargo("build of the tests")
        .words("test --workspace --no-run --lib --bins --tests --message-format json-render-diagnostics");
    let mut built = Built::default();
    let took = step.run_lines(|line| {
        built.add_line(line);
        Ok(())
    })?;
    built.tests.sort();
    Ok((took, built))
}

impl Built {
    /// Adds what a line of cargo's messages says was built.
    fn add_line(&mut self, line: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Value>(line) else { return };
        let text = |value: &Value| value.as_str().map(String::from);
        let found = || {
            let executable = PathBuf::from(message["executable"].as_str()?);
            let name = text(&message["target"]["name"])?;
            let kind = text(&message["target"]["kind"][0])?;
            Some((executable, name, kind))
        };
        let Some((executable, name, kind)) = found() else { return };
        if message["profile"]["test"] != Value::Bool(true) {
            self.programs.push((name, executable));
            return;
        }
        let target = match kind.as_str() {
            "test" => Target::Test(name),
            "bin" => Target::Bin(name),
            _ => Target::Lib,
        };
        let folder = text(&message["manifest_path"]).map(PathBuf::from).unwrap_or_default();
        let folder = folder.parent().map(PathBuf::from).unwrap_or_default();
        let package = package(message["package_id"].as_str().unwrap_or_default());
        self.tests.push(Binary { package, target, executable, folder });
    }
}

/// The name in the identifier of a package: `path+file:///folder#name@version`, or `path+file:///name#version`.
fn package(identifier: &str) -> String {
    let (folder, end) = identifier.split_once('#').unwrap_or(("", identifier));
    match end.split_once('@') {
        Some((name, _)) => name.into(),
        None => folder.rsplit('/').next().unwrap_or_default().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = r#"{"reason":"compiler-artifact","package_id":"path+file:///k/tests#komorebi-tests@0.1.0",
        "manifest_path":"/k/tests/Cargo.toml","target":{"kind":["test"],"name":"run_nop"},
        "profile":{"test":true},"executable":"/t/run_nop-1"}"#;
    const LIB: &str = r#"{"reason":"compiler-artifact","package_id":"path+file:///k/komorebi#0.1.0",
        "manifest_path":"/k/komorebi/Cargo.toml","target":{"kind":["lib"],"name":"komorebi"},
        "profile":{"test":true},"executable":"/t/komorebi-1"}"#;
    const PROGRAM: &str = r#"{"reason":"compiler-artifact","package_id":"path+file:///k/examples#komorebi-examples@0.1.0",
        "manifest_path":"/k/examples/Cargo.toml","target":{"kind":["bin"],"name":"01_map"},
        "profile":{"test":false},"executable":"/t/01_map"}"#;
    const LIBRARY: &str = r#"{"reason":"compiler-artifact","package_id":"path+file:///k/komorebi#0.1.0",
        "manifest_path":"/k/komorebi/Cargo.toml","target":{"kind":["lib"],"name":"komorebi"},
        "profile":{"test":false},"executable":null}"#;

    #[test]
    fn what_cargo_built_is_known_by_package_and_target() {
        let mut built = Built::default();
        for line in [TEST, LIB, PROGRAM, LIBRARY, "no message", r#"{"reason":"build-finished"}"#] {
            built.add_line(line.as_bytes());
        }
        let names: Vec<String> = built.tests.iter().map(Binary::name).collect();
        assert_eq!(names, ["run_nop", "unit tests of komorebi"]);
        assert_eq!(built.tests[0].selection(), ["--package", "komorebi-tests", "--test", "run_nop"]);
        assert_eq!(built.tests[0].folder, Path::new("/k/tests"));
        assert_eq!(built.tests[1].selection(), ["--package", "komorebi", "--lib"]);
        assert_eq!(built.program("01_map"), Some(Path::new("/t/01_map")));
        assert_eq!(built.program("02_pipeline"), None);
    }
}
