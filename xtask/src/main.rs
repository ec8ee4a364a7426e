//! `cargo xtask demo | test | bench | timing`: what a person or CI runs.
//!
//! Needs Rust and git; where the machine has no RISC-V compiler, or for the tests no QEMU, also apt, which it asks for them. Each task is a list of
//! [`step::Step`]s: a command that is printed, timed, and named again when it fails, so that it can be repeated by hand.

#![forbid(unsafe_code)]

mod bench;
mod binaries;
mod cards;
mod compiler;
mod demo;
mod install;
mod judge;
mod runs;
mod step;
mod tally;
mod test;
mod timing;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// The tasks of the workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", about = "what a person or CI runs")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Runs examples/01_map (release): a picture through the cores of the card, checked pixel by pixel
    Demo {
        /// Arguments of the example: a picture, --out, ..
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Formatting, lints, documentation, every test, also without parking and with other seeds, the examples, doc tests
    Test {
        /// Words in the names of steps, to run these alone: seeds, parking, lints, ..
        steps: Vec<String>,
    },
    /// Measures the figures of the README (release, medians)
    Bench {
        /// One JSON object a line and figure
        #[arg(long)]
        json: bool,
        /// The figures to measure; all without a name
        names: Vec<String>,
    },
    /// Prints published times of the hardware beside those of the simulated card
    Timing,
}

/// Why a task did not end well; each message says what to do.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Compiler(#[from] compiler::CompilerError),
    #[error(transparent)]
    Judge(#[from] judge::JudgeError),
    #[error(transparent)]
    Step(#[from] step::StepError),
    #[error("no step has a name with one of these words in it: {words}")]
    NoStep { words: String },
    #[error("{failed} of {all} steps failed: {names}")]
    Steps { failed: usize, all: usize, names: String },
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Demo { arguments } => demo::demo(arguments),
        Task::Test { steps } => test::test(steps),
        Task::Bench { json, names } => bench::bench(json, names),
        Task::Timing => timing::timing(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::FAILURE
        }
    }
}
