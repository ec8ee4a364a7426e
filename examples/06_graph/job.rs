//! The host's side: a plane a colour onto the card, the graph uploaded once, started for red, restarted for green and blue.

use crate::error::InpaintError;
use crate::graph::{ROUNDS, Relaxing};
use crate::program::Inpaint;
use crate::progress::Progress;
use crate::relax::{Plane, Relaxed};
use komorebi as km;
use ndarray::Array2;
use std::time::Duration;

/// How long an engine may be silent, in card time.
const TIMEOUT: Duration = Duration::from_secs(5);

/// A plane that the card relaxed.
pub(crate) struct Mended {
    pub(crate) plane: Plane,
    pub(crate) relaxed: Relaxed,
    /// Card time from the RUN to the end event, microseconds.
    pub(crate) microseconds: f64,
}

/// Relaxes the planes, which have one size, one after the other; no host step between a plane's start and its end.
pub(crate) fn mend(
    session: &km::Session,
    planes: &[Plane],
    limit: f32,
    progress: &Progress,
) -> Result<Vec<Mended>, InpaintError> {
    let Some(first) = planes.first() else { return Ok(Vec::new()) };
    // A row is a page of whole 64 bytes.
    let columns = first.width.next_multiple_of(16);
    let sizes = [first.rows as u32, first.width as u32, 4 * columns as u32];
    let kernels = [km::Kernel::Reader, km::Kernel::Compute, km::Kernel::Writer];
    let program =
        kernels.into_iter().fold(Inpaint::program(), |all, kernel| all.compile_args(kernel, &sizes));
    let states: Vec<km::Tensor> = planes
        .iter()
        .map(|plane| session.tensor(&rows(plane, columns), km::DType::Uint32))
        .collect::<km::Result<_>>()?;

    let run = session.load(program)?;
    let upload = run.upload(Relaxing)?;
    let mut ends = Vec::new();
    for (at, state) in states.iter().enumerate() {
        let bindings = Relaxing::bind(state, 0, limit);
        let engine = if at == 0 { run.start(&upload, bindings)? } else { run.restart(&upload, bindings)? };
        progress.start(at);
        let mut events = 0;
        let end = loop {
            // Rounds are told while they are done; nothing waits for the host to hear of them.
            let event = run.wait_engine_event(&engine, events, TIMEOUT)?;
            match event.kind {
                km::EngineEventKind::Round => progress.round(event.value.unwrap_or(0)),
                _ => break run.wait_engine(&engine, TIMEOUT)?,
            }
            events += 1;
        };
        ends.push(end);
    }
    run.release(&upload, TIMEOUT)?;
    run.stop(TIMEOUT)?;

    let mended = ends.iter().zip(&states).map(|(end, state)| {
        let ended = end.end();
        let pixels = state.read::<u32>()?;
        let plane = Plane {
            pixels: pixels
                .outer_iter()
                .flat_map(|row| row.into_iter().take(first.width).copied().collect::<Vec<_>>())
                .collect(),
            ..*first
        };
        let relaxed = Relaxed { rounds: ended.iteration, residual: ended.error };
        Ok(Mended { plane, relaxed, microseconds: end.microseconds() })
    });
    mended.collect()
}

/// The most rounds that a plane takes.
pub(crate) const fn most_rounds() -> u32 {
    ROUNDS
}

/// The plane as rows of `columns` words, filled up with 1.
fn rows(plane: &Plane, columns: usize) -> Array2<u32> {
    Array2::from_shape_fn((plane.rows, columns), |(row, x)| {
        if x < plane.width { plane.pixels[row * plane.width + x] } else { 1_f32.to_bits() }
    })
}
