//! What the host pays for a command, against a card that costs nothing: the runtime's own example `host_path` measures it,
//! in a process of its own, since it counts what is allocated.

use crate::BenchError;
use crate::figure::Reading;
use serde_json::Value;
use std::process::Command;

/// Nanoseconds a command, submit and its share of the waits: the median of 20,000 rounds of 64.
pub(crate) fn nanoseconds() -> Result<Reading, BenchError> {
    Ok(measure("host_ns")?.0.into())
}

/// Allocations a command.
pub(crate) fn allocations() -> Result<Reading, BenchError> {
    let (allocations, commands) = measure("host_allocations")?;
    Ok((allocations / commands).into())
}

/// A value of the example, and the commands it was measured with.
fn measure(name: &str) -> Result<(f64, f64), BenchError> {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let output = Command::new("cargo")
        .args([
            "run",
            "--release",
            "--quiet",
            "--package",
            "komorebi",
            "--example",
            "host_path",
            "--manifest-path",
            manifest,
        ])
        .output()
        .map_err(|error| BenchError::Host(error.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    find(&text, name).ok_or_else(|| {
        let said = String::from_utf8_lossy(&output.stderr);
        BenchError::Host(format!("no `{name}` in its output; it said: {}", said.trim()))
    })
}

/// The value and the commands of the line with that name.
fn find(text: &str, name: &str) -> Option<(f64, f64)> {
    let mut lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let line = lines.find(|line| line["name"] == name)?;
    Some((line["value"].as_f64()?, line["commands"].as_f64()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_found_by_its_name_among_other_lines() {
        let text = "hello\n{\"name\":\"a\",\"value\":1.5,\"commands\":64}\n{\"name\":\"b\",\"value\":0,\"commands\":2}\n";
        assert_eq!(find(text, "b"), Some((0.0, 2.0)));
        assert_eq!(find(text, "c"), None);
    }
}
