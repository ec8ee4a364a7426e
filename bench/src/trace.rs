//! What a trace costs: the same commands with one and without, as a ratio. One core at depth 1, where nothing hides it.

use crate::BenchError;
use crate::bed::{Bed, Feed, Setup, period};
use crate::figure::Reading;
use crate::stopwatch::{median, timed};
use komorebi as km;

/// Commands of a measurement, and room for all of a run's in its trace.
const COMMANDS: u32 = 3_200;
const ROOM: u32 = 4_096;
/// Pairs of wall times of which the median is taken.
const RUNS: usize = 5;

const ONE: Feed = |_| km::nop().on((0, 1));

const PLAIN: Setup = Setup { depth: 1, ..Setup::NOMINAL };
const TRACED: Setup = Setup { trace: ROOM, ..PLAIN };

/// Card time with a trace over that without.
pub(crate) fn card_time() -> Result<Reading, BenchError> {
    let (traced, plain) = (period(TRACED, COMMANDS, ONE)?, period(PLAIN, COMMANDS, ONE)?);
    let range = traced
        .range
        .zip(plain.range)
        .map(|((low, high), (under_low, under_high))| (low / under_low, high / under_high));
    Ok(Reading { value: traced.value / plain.value, range })
}

/// Wall time with a trace over that without, load and read back included.
pub(crate) fn wall_time() -> Result<Reading, BenchError> {
    let once = |setup| -> Result<f64, BenchError> {
        let (done, took) = timed(|| {
            let bed = Bed::load(setup)?;
            bed.feed(COMMANDS, ONE)?;
            bed.close()
        });
        done?;
        Ok(took.as_secs_f64())
    };
    once(TRACED)?; // its kernels are built first
    let ratios = (0..RUNS).map(|_| Ok(once(TRACED)? / once(PLAIN)?));
    Ok(median(ratios.collect::<Result<_, BenchError>>()?).into())
}
