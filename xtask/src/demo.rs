//! `cargo xtask demo`: the main example, optimised, with the caller's arguments and from the caller's folder.

use crate::Failure;
use crate::compiler::ensure_compiler;
use crate::step::{Step, root};

/// Runs examples/01_map; `arguments` are the example's own (a picture's path is the caller's).
pub(crate) fn demo(arguments: Vec<String>) -> Result<(), Failure> {
    ensure_compiler()?;
    let manifest = root().join("Cargo.toml").to_string_lossy().into_owned();
    Step::new("demo", "cargo")
        .words("run --release --manifest-path")
        .arguments([manifest])
        .words("--package komorebi-examples --bin 01_map --")
        .arguments(arguments)
        .run()?;
    Ok(())
}
