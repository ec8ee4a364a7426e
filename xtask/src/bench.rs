//! `cargo xtask bench`: the figures of the README, from package `komorebi-bench`, optimised.

use crate::Failure;
use crate::compiler::ensure_compiler;
use crate::step::Step;

/// Measures the named figures, or all.
pub(crate) fn bench(json: bool, names: Vec<String>) -> Result<(), Failure> {
    ensure_compiler()?;
    let json = json.then(|| "--json".to_string());
    Step::cargo("bench")
        .words("run --release --package komorebi-bench --")
        .arguments(json)
        .arguments(names)
        .run()?;
    Ok(())
}
