//! `cargo xtask timing`: published times beside the simulated card's.

use crate::Failure;
use crate::compiler::ensure_compiler;
use crate::step::Step;

/// Prints the table of docs/timing.md as the model gives it now.
pub(crate) fn timing() -> Result<(), Failure> {
    ensure_compiler()?;
    Step::cargo("timing").words("test --package komorebi-sim --test published -- --nocapture").run()?;
    Ok(())
}
