//! `cargo komorebi`: what is in a header, in an upload, behind an error's code, in a core's L1; a simulated card for
//! other processes.
//!
//! Each command reads its input, whole and bounded, makes a text of it and hands it to [`output`]. Bad input is a [`Failure`](failure::Failure):
//! one clear line on standard error and status 1.
#![forbid(unsafe_code)]

mod arguments;
mod constants;
mod embedded;
mod explain;
mod failure;
mod graph;
mod headers;
mod input;
mod inspect;
mod output;
mod sim_card;
mod size;
mod stream;
mod trace;
mod upload;

use arguments::{Arguments, Tool};
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = match Arguments::of_command_line().tool {
        Tool::Constants(arguments) => constants::run(&arguments),
        Tool::Graph(arguments) => graph::run(&arguments),
        Tool::Stream(arguments) => stream::run(&arguments),
        Tool::Explain(arguments) => explain::run(&arguments),
        Tool::Inspect(arguments) => inspect::run(&arguments),
        Tool::Trace(arguments) => trace::run(&arguments),
        Tool::SimCard(arguments) => sim_card::run(&arguments),
        Tool::Size(arguments) => size::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}
