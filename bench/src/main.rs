//! `cargo xtask bench [--json] [names..]`: the figures of the README.
//!
//! Wall times are medians of several runs on this machine. Counts are the simulated card's, a command in the steady state.
//! Card times are a model's, at nominal costs, with low and high beside them (docs/costs.md).

#![forbid(unsafe_code)]

mod bed;
mod busy;
mod engine;
mod exclusive;
mod figure;
mod host;
mod idle;
mod language;
mod nop;
mod program;
mod rebuild;
mod reopen;
mod session;
mod snapshot;
mod speed;
mod stopwatch;
mod table;
mod trace;
mod ttsim;

use clap::Parser;
use komorebi as km;
use std::path::PathBuf;
use std::process::ExitCode;
use table::TABLE;

/// Measures the figures of the README.
#[derive(Parser)]
struct Arguments {
    /// One JSON object a line and figure
    #[arg(long)]
    json: bool,
    /// The figures to measure; all without a name
    names: Vec<String>,
    /// Measures loads with the build cache that the environment names; what the other figures start
    #[arg(long, hide = true)]
    loads: bool,
    /// Holds the card that is served at a socket until it is killed; what another figure starts
    #[arg(long, hide = true)]
    hold: Option<PathBuf>,
}

/// Why there is no figure.
#[derive(Debug, thiserror::Error)]
enum BenchError {
    #[error("there is no figure `{name}`; the figures are {all}")]
    Name { name: String, all: String },
    #[error(transparent)]
    Card(#[from] km::Error),
    #[error(transparent)]
    Seam(#[from] komorebi_card::CardError),
    #[error("{0}")]
    Child(String),
    #[error("not measured: {0}")]
    Skipped(String),
    #[error(
        "the host's path did not run: {0}; repeat it with: cargo run --release -p komorebi --example host_path"
    )]
    Host(String),
    #[error(
        "the dispatcher's pass marker moved {passes} times in a second of the card; at least 1000 are expected"
    )]
    Passes { passes: u64 },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match &arguments.hold {
        Some(socket) => reopen::hold(socket),
        None if arguments.loads => session::print_loads(),
        None => bench(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bench(arguments: &Arguments) -> Result<(), BenchError> {
    let all = || TABLE.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
    if let Some(name) = arguments.names.iter().find(|name| TABLE.iter().all(|row| row.name != **name)) {
        return Err(BenchError::Name { name: name.clone(), all: all() });
    }
    if !arguments.json {
        println!("{:<20}{:>14}  {:<12}{:<20}{:>10}", "figure", "value", "unit", "low .. high", "reference");
    }
    for row in &TABLE {
        if arguments.names.is_empty() || arguments.names.iter().any(|name| name == row.name) {
            match row.measure() {
                Ok(figure) if arguments.json => println!("{}", figure.json()),
                Ok(figure) => println!("{figure}"),
                Err(skipped @ BenchError::Skipped(_)) => eprintln!("bench: {}: {skipped}", row.name),
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}
