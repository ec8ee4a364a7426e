//! One measurement: the commands, on a fresh simulated card, with a depth.

use crate::program::Pipeline;
use km::Card as _;
use komorebi as km;
use komorebi_sim as sim;
use ndarray::{Array2, ArrayD};
use std::time::Duration;

/// Cores of a group: a row of the grid.
const GROUP: u32 = 12;
/// Pages of a command: one for each core.
const PAGES: u32 = GROUP;
/// How long a wait may take, in card time.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Where the commands run.
#[derive(Clone, Copy)]
pub(crate) enum Places {
    /// All on one group.
    One,
    /// In turn on ten groups, the whole grid.
    Ten,
}

/// What a measurement gave.
pub(crate) struct Measured {
    /// The numbers, a row a page.
    pub(crate) x: Array2<u32>,
    /// The numbers added.
    pub(crate) y: Array2<u32>,
    /// What x was multiplied by.
    pub(crate) factor: u32,
    /// What the card made of them.
    pub(crate) sums: ArrayD<u32>,
    /// Card time a command, in microseconds: from the first submit to the last event, divided by their number.
    pub(crate) command_us: f64,
}

/// Runs `commands` commands with at most `depth` in flight.
pub(crate) fn measure(commands: u32, places: Places, depth: u32) -> km::Result<Measured> {
    let card = sim::Card::builder().build();
    let session = km::Session::builder().on(&card).open()?;
    let program = Pipeline::program();
    let words = program.model().buffers[0].page_bytes as usize / size_of::<u32>();

    let shape = ((commands * PAGES) as usize, words);
    let factor = 2_654_435_761; // a multiplier that uses every bit, so that a lost carry shows
    let x = Array2::from_shape_fn(shape, |(row, column)| (row * words + column) as u32);
    let y = x.mapv(|number| number.rotate_left(16));
    let (x_on_card, y_on_card) =
        (session.tensor(&x, km::DType::Uint32)?, session.tensor(&y, km::DType::Uint32)?);
    let sum = session.empty(x.shape(), km::DType::Uint32)?;

    let run = session.load_with(program, km::LoadOptions { depth: Some(depth), ..Default::default() })?;
    for command in 0..commands {
        let row = match places {
            Places::One => 0,
            Places::Ten => command % 10,
        };
        let call = Pipeline::scale_add(&x_on_card, &y_on_card, &sum, command * PAGES, PAGES, factor);
        run.submit(call.on((row * GROUP, GROUP)))?;
    }
    let start = card.now();
    run.drain(TIMEOUT)?;
    let took = card.now() - start;
    run.stop(TIMEOUT)?;

    let command_us = took.as_secs_f64() * 1e6 / f64::from(commands);
    Ok(Measured { sums: sum.read()?, x, y, factor, command_us })
}
