//! Opening, loading, closing: wall time.

use crate::BenchError;
use crate::figure::Reading;
use crate::program::Bench;
use crate::stopwatch::{median, milliseconds, timed};
use komorebi as km;
use std::process::Command;
use std::time::Duration;

/// How long a wait may take, in card time.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Times of which the median is taken.
const RUNS: usize = 5;
/// Cold loads, each with a build cache of its own.
const COLD_RUNS: usize = 3;

/// Milliseconds to open a simulated card, its firmware built before.
pub(crate) fn open() -> Result<Reading, BenchError> {
    Ok(median(open_and_close()?.into_iter().map(|(open, _)| open).collect()).into())
}

/// Milliseconds to close a session that has no run.
pub(crate) fn close() -> Result<Reading, BenchError> {
    Ok(median(open_and_close()?.into_iter().map(|(_, close)| close).collect()).into())
}

fn open_and_close() -> Result<Vec<(f64, f64)>, BenchError> {
    km::Session::open()?.close()?;
    let once = |_| {
        let (session, open) = timed(km::Session::open);
        let (closed, close) = timed(|| session?.close());
        closed?;
        Ok((milliseconds(open), milliseconds(close)))
    };
    (0..RUNS).map(once).collect()
}

/// Milliseconds of a load whose kernels were built before.
pub(crate) fn warm_load() -> Result<Reading, BenchError> {
    let session = km::Session::open()?;
    load(&session)?;
    let times = (0..RUNS).map(|_| load(&session)).collect::<Result<Vec<_>, _>>()?;
    session.close()?;
    Ok(median(times).into())
}

fn load(session: &km::Session) -> Result<f64, BenchError> {
    let (run, took) = timed(|| session.load(Bench::program()));
    run?.stop(TIMEOUT)?;
    Ok(milliseconds(took))
}

/// Milliseconds of a load that compiles its kernels: in processes whose build cache is empty.
pub(crate) fn cold_load() -> Result<Reading, BenchError> {
    let times = (0..COLD_RUNS).map(|_| cold_once()).collect::<Result<Vec<_>, _>>()?;
    Ok(median(times).into())
}

fn cold_once() -> Result<f64, BenchError> {
    let child = |error: std::io::Error| BenchError::Child(format!("a cold load did not run: {error}"));
    let cache = tempfile::tempdir().map_err(child)?;
    let program = std::env::current_exe().map_err(child)?;
    let output =
        Command::new(program).arg("--loads").env("KMR_CACHE", cache.path()).output().map_err(child)?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().map_err(|_| {
        BenchError::Child(format!("a cold load failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
    })
}

/// The child's side of [`cold_load`]: milliseconds of one load, the firmware built before by the open.
pub(crate) fn print_loads() -> Result<(), BenchError> {
    let session = km::Session::open()?;
    println!("{}", load(&session)?);
    Ok(session.close()?)
}
