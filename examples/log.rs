//! The log of the examples, on standard error: warnings and worse, or what `RUST_LOG` asks for (`RUST_LOG=info`).

use std::io::{IsTerminal, stderr};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// Prints the log from here on.
pub(crate) fn start() {
    let filter = EnvFilter::builder().with_default_directive(LevelFilter::WARN.into()).from_env_lossy();
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(stderr)
        .with_ansi(stderr().is_terminal())
        .init();
}
