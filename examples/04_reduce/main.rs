//! The sum of a million numbers on 120 cores: many commands that make partial sums, then one that adds them up and gives
//! the total as its result word.
//!
//! Sums of binary32 numbers depend on their order. The order here is fixed by the program, not by which core is done first,
//! so every run gives the same bits, and the same additions in Rust give them too. What other orders give is printed beside.

#![forbid(unsafe_code)]

#[path = "../log.rs"]
mod log;
mod program;
mod sum;

use komorebi as km;
use ndarray::{Array2, ArrayView1};
use program::Reduce;
use std::process::ExitCode;
use std::time::Duration;
use sum::{Deal, in_order, reduce};

/// Fifteen groups of eight cores, the whole grid of 12 x 10; 16 pages a core.
const DEAL: Deal = Deal { groups: 15, cores: 8, pages: 128 };
/// How long a wait may take, in card time.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Why there is no sum.
#[derive(Debug, thiserror::Error)]
enum ReduceError {
    /// The card's sum is not that of the same additions on the host.
    #[error("the sum is {found} ({:#010x}), the host computes {expected} ({:#010x}); this is a defect, please report it", found.to_bits(), expected.to_bits())]
    Differs { found: f32, expected: f32 },
    /// The card, or the build of its kernels.
    #[error(transparent)]
    Card(#[from] km::Error),
}

fn main() -> ExitCode {
    log::start();
    match demo() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("04_reduce: {error}");
            ExitCode::FAILURE
        }
    }
}

fn demo() -> Result<(), ReduceError> {
    km::close_on_signals()?; // Ctrl-C leaves the card as a stop does
    let session = km::Session::open()?;
    let program = Reduce::program();
    let words = program.model().buffers[0].page_bytes as usize / size_of::<f32>();
    let numbers = numbers(words);
    let found = on_card(&session, &numbers)?;
    let expected = reduce(numbers.view(), DEAL);
    if found.to_bits() != expected.to_bits() {
        return Err(ReduceError::Differs { found, expected });
    }
    let all = ArrayView1::from(numbers.as_slice().unwrap_or_default());
    let exact: f64 = numbers.iter().map(|&number| f64::from(number)).sum();
    let partials = DEAL.groups * DEAL.cores;
    println!("numbers     {} binary32, in {} pages", numbers.len(), numbers.nrows());
    println!("card        {} {}", session.world(), session.description().board);
    println!("commands    {} for {partials} partial sums, 1 for the total, its result word", DEAL.groups);
    println!("sum         {found} ({:#010x}), the bits of the same additions on the host", found.to_bits());
    println!("            {} from left to right, {exact} with binary64", in_order(0.0, all));
    Ok(())
}

/// Numbers from -0.5 to 0.5 that no order adds without rounding.
fn numbers(words: usize) -> Array2<f32> {
    Array2::from_shape_fn(((DEAL.groups * DEAL.pages) as usize, words), |(row, column)| {
        let mixed = ((row * words + column) as u32).wrapping_mul(2_654_435_761);
        (mixed >> 8) as f32 / 16_777_216.0 - 0.5
    })
}

/// The sum of `numbers` as the card computes it.
fn on_card(session: &km::Session, numbers: &Array2<f32>) -> km::Result<f32> {
    let Deal { groups, cores, pages } = DEAL;
    let partials = groups * cores;
    let program = Reduce::program();
    let partial_words = program.model().buffers[2].page_bytes as usize / size_of::<f32>();
    let numbers = session.tensor(numbers, km::DType::Float32)?;
    let sums = session.empty(&[partials as usize, partial_words], km::DType::Float32)?;

    let run = session.load(program)?;
    let commands = (0..groups).map(|group| {
        let call = Reduce::partial(&numbers, &sums, group * pages, pages, group * cores);
        call.on((group * cores, cores))
    });
    // A done event means that a command's outputs are in memory: only then are they anyone's input.
    run.wait(run.submit_many(commands)?, TIMEOUT)?;
    let total = run.wait(run.submit(Reduce::total(&sums, partials).on(km::Core(0)))?, TIMEOUT)?;
    run.stop(TIMEOUT)?;
    Ok(total.value())
}
