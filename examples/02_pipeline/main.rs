//! Several commands in flight: `factor * x + y` over pages of numbers, in many small commands.
//!
//! With a depth of 1 the dispatcher has one command in flight; the next one starts when the last one's results are in
//! memory. With a depth of 8, on one group of cores the stages overlap: the reader fetches the pages of the next command
//! while compute and writer still have the last one's. Over ten groups, eight commands run side by side as well.
//!
//! What is measured is the time of the card's own clock, below the session: each measurement has a simulated card of its
//! own, whatever `KM_CARD` says.

#![forbid(unsafe_code)]

#[path = "../log.rs"]
mod log;
mod measure;
mod program;

use komorebi as km;
use measure::{Measured, Places, measure};
use ndarray::Array2;
use std::process::ExitCode;

/// Commands of a measurement.
const COMMANDS: u32 = 80;

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
enum PipelineError {
    /// The card's sums are not those of the same arithmetic on the host.
    #[error("sum {at} is {found}, the host computes {expected}; this is a defect, please report it")]
    Differs { at: usize, found: u32, expected: u32 },
    /// The card, or the build of its kernels.
    #[error(transparent)]
    Card(#[from] km::Error),
}

fn main() -> ExitCode {
    log::start();
    match pipeline() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("02_pipeline: {error}");
            ExitCode::FAILURE
        }
    }
}

fn pipeline() -> Result<(), PipelineError> {
    println!(
        "factor * x + y, {COMMANDS} commands; card time of the simulated card, nominal costs (docs/costs.md)\n"
    );
    println!("{:<28}{:>18}{:>18}{:>8}", "", "depth 1", "depth 8", "ratio");
    for (name, places) in
        [("on one group of 12 cores", Places::One), ("on ten groups of 12 cores", Places::Ten)]
    {
        let (one, eight) = (measure(COMMANDS, places, 1)?, measure(COMMANDS, places, 8)?);
        check(&one)?;
        check(&eight)?;
        println!(
            "{name:<28}{:>15.2} us{:>15.2} us{:>8.2}",
            one.command_us,
            eight.command_us,
            one.command_us / eight.command_us
        );
    }
    println!(
        "\nmicroseconds a command, from the first submit to the last event; every sum is what the host computes"
    );
    Ok(())
}

/// Compares every sum with the same arithmetic in Rust.
fn check(measured: &Measured) -> Result<(), PipelineError> {
    let Measured { x, y, factor, sums, .. } = measured;
    let expected = Array2::from_shape_fn(x.raw_dim(), |at| factor.wrapping_mul(x[at]).wrapping_add(y[at]));
    match expected.iter().zip(sums.iter()).enumerate().find(|(_, (expected, found))| expected != found) {
        Some((at, (&expected, &found))) => Err(PipelineError::Differs { at, found, expected }),
        None => Ok(()),
    }
}
