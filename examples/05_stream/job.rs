//! The host's side: the bytes onto the card, the stream uploaded and started, what it posts, the bytes back.

use crate::error::LevelsError;
use crate::levels::Levels as Found;
use crate::program::Levels;
use crate::stream::{COUNTERS, Stretching};
use komorebi as km;
use ndarray::Array2;
use std::time::Duration;

/// How long the stream may take, in card time.
const TIMEOUT: Duration = Duration::from_secs(5);

/// What the stream gave.
pub(crate) struct Work {
    /// The stretched bytes.
    pub(crate) bytes: Vec<u8>,
    pub(crate) levels: Found,
    /// The levels it tried, in order.
    pub(crate) tried: Vec<u32>,
    /// Pages the bytes were cut into.
    pub(crate) pages: u32,
    /// Bytes of the upload.
    pub(crate) upload: u32,
    /// Card time from the RUN to the end event, microseconds.
    pub(crate) microseconds: f64,
    /// Where it ran.
    pub(crate) world: String,
}

/// Finds the levels that `dark` and `bright` bytes are not above, and stretches `bytes` between them.
pub(crate) fn stretch(
    session: &km::Session,
    bytes: &[u8],
    dark: u32,
    bright: u32,
) -> Result<Work, LevelsError> {
    let program = Levels::program();
    let rows = rows(bytes, program.model().buffers[0].page_bytes as usize);
    let source = session.tensor(&rows, km::DType::Uint8)?;
    let target = session.empty(rows.shape(), km::DType::Uint8)?;
    let pages = rows.nrows() as u32;

    let run = session.load(program)?;
    let upload = run.upload(Stretching)?;
    let share = pages / COUNTERS;
    let bindings = Stretching::bind(&source, &target, pages, share, dark, bright);
    let engine = run.start(&upload, bindings)?;
    let end = run.wait_engine(&engine, TIMEOUT)?;
    let tried = engine.events().into_iter().filter(|event| event.kind == km::EngineEventKind::Event);
    let tried = tried.filter_map(|event| event.value).collect();
    run.stop(TIMEOUT)?;

    let halted: u32 = end.end();
    let mut stretched = target.read_bytes()?;
    stretched.truncate(bytes.len());
    Ok(Work {
        bytes: stretched,
        levels: Found { black: halted & 0xFF, white: halted >> 8 },
        tried,
        pages,
        upload: upload.bytes(),
        microseconds: end.microseconds(),
        world: format!("{} {}", session.world(), session.description().board),
    })
}

/// The bytes as rows of a page each, as many as the counters share evenly, filled up with 255: no byte is above that, and a
/// level below it counts none of them.
fn rows(bytes: &[u8], page_bytes: usize) -> Array2<u8> {
    let rows = bytes.len().div_ceil(page_bytes).next_multiple_of(COUNTERS as usize);
    Array2::from_shape_fn((rows, page_bytes), |(row, column)| {
        bytes.get(row * page_bytes + column).copied().unwrap_or(u8::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_pages_are_filled_up_with_what_no_level_counts() {
        let rows = rows(&[1, 2, 3], 2);
        assert_eq!(rows.shape(), [8, 2]);
        assert_eq!(rows.as_slice().unwrap()[..5], [1, 2, 3, 255, 255]);
    }
}
