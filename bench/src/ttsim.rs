//! How fast the simulated card is beside ttsim, Tenstorrent's own simulator of the card, in ratios of processor time: by
//! hand, where `KM_TTSIM` names its library (docs/judges.md).
//!
//! The tests of `tests/tests/ttsim` measure: they run the same device code here and there, ttsim in a process of its own.

use crate::BenchError;
use crate::figure::Reading;
use serde_json::Value;
use std::process::Command;

/// The library's path, for who measures.
const LIBRARY: &str = "KM_TTSIM";

/// Instructions a second of 600 cores that wait, all executed, ours over ttsim's.
pub(crate) fn spin_120() -> Result<Reading, BenchError> {
    measure("ttsim_ratio_spin120")
}

/// Commands a second of the cores of 02_pipeline, ours over ttsim's.
pub(crate) fn pipeline() -> Result<Reading, BenchError> {
    measure("ttsim_ratio_pipeline")
}

fn measure(name: &str) -> Result<Reading, BenchError> {
    if std::env::var_os(LIBRARY).is_none() {
        return Err(BenchError::Skipped(format!("{LIBRARY} names no libttsim.so (docs/judges.md)")));
    }
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let test = format!("speed::{name}");
    let output = Command::new("cargo")
        .args(["test", "--release", "--quiet", "--package", "komorebi-tests", "--test", "ttsim"])
        .args(["--manifest-path", manifest, "--", "--ignored", "--nocapture", "--exact", &test])
        .output()
        .map_err(|error| BenchError::Child(format!("cargo cannot be run: {error}")))?;
    let text = String::from_utf8_lossy(&output.stdout);
    find(&text, name).map(Reading::from).ok_or_else(|| {
        let said = String::from_utf8_lossy(&output.stderr);
        BenchError::Child(format!("{test} did not measure: {}\n{}", text.trim(), said.trim()))
    })
}

/// The value of the line with that name.
fn find(text: &str, name: &str) -> Option<f64> {
    let lines = text.lines().filter_map(|line| line.find('{').map(|start| &line[start..]));
    let mut figures = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    figures.find(|figure| figure["name"] == name)?["value"].as_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_found_behind_what_the_test_runner_writes() {
        let text = "running 1 test\ntest speed::a ... {\"name\":\"a\",\"ours\":3,\"value\":1.5}\nok\n";
        assert_eq!(find(text, "a"), Some(1.5));
        assert_eq!(find(text, "b"), None);
    }
}
