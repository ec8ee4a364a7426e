//! The state of a card at a moment: what it costs this machine to keep it, and to go on from it on another card.

use crate::BenchError;
use crate::bed::{Bed, Setup};
use crate::figure::Reading;
use crate::stopwatch::{median, milliseconds, timed};
use km::Card as _;
use komorebi as km;
use komorebi_card::Order;
use std::hint::black_box;

/// Bytes of data in DRAM, over all banks.
const BYTES: u64 = 256 << 20;
/// Where it begins in each, and how much of it a write has.
const BASE: u64 = 1 << 30;
const PIECE: u64 = 1 << 20;
/// Times of which the median is taken.
const RUNS: usize = 9;

/// A loaded grid of 120 cores that runs commands between the snapshots, with [`BYTES`] of data beside it.
fn measure(time: fn(&Bed) -> Result<f64, BenchError>) -> Result<Reading, BenchError> {
    let bed = Bed::load(Setup::default())?;
    let banks = &bed.card.description().banks;
    let piece = vec![0x5a; PIECE as usize];
    for bank in banks {
        let bytes = BYTES / banks.len() as u64;
        for at in (BASE..BASE + bytes).step_by(PIECE as usize) {
            bed.card.write(bank.noc0, at, &piece, Order::Bulk).map_err(km::Error::from)?;
        }
        bed.card.fence(bank.noc0).map_err(km::Error::from)?;
    }
    let mut times = Vec::new();
    for _ in 0..RUNS {
        bed.feed(64, |_| km::nop().on((0, 120)))?;
        times.push(time(&bed)?);
    }
    bed.close()?;
    Ok(median(times).into())
}

/// Milliseconds of a snapshot.
pub(crate) fn taken() -> Result<Reading, BenchError> {
    measure(|bed| {
        let (snapshot, took) = timed(|| bed.card.snapshot());
        black_box(snapshot.at());
        Ok(milliseconds(took))
    })
}

/// Milliseconds of a fork of one.
pub(crate) fn forked() -> Result<Reading, BenchError> {
    measure(|bed| {
        let snapshot = bed.card.snapshot();
        let (fork, took) = timed(|| snapshot.fork());
        black_box(fork.map_err(km::Error::from)?.seed());
        Ok(milliseconds(took))
    })
}
