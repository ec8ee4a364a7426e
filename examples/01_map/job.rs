//! The host's side: the bytes onto the card, a job a group of cores, the bytes back.

use crate::curve::Curve;
use crate::error::DemoError;
use crate::program::ToneMap;
use crate::progress::Progress;
use komorebi as km;
use ndarray::Array2;
use std::time::Duration;

/// Cores of a group. Fifteen groups fill the program's grid of 12 x 10.
const GROUP: u32 = 8;
/// Pages of a job: two for each core, so that one is fetched while the other is mapped.
const PAGES: u32 = 2 * GROUP;
/// How long a job may take, in card time.
const TIMEOUT: Duration = Duration::from_secs(5);

/// What one pass over the bytes gave.
pub(crate) struct Work {
    /// The mapped bytes.
    pub(crate) bytes: Vec<u8>,
    /// Commands it took.
    pub(crate) commands: usize,
    /// Cores each of them ran on.
    pub(crate) group: u32,
    /// Groups side by side.
    pub(crate) groups: u32,
    /// Cores of the program's grid.
    pub(crate) cores: u32,
    /// Pages the bytes were cut into.
    pub(crate) pages: u32,
    /// Card time from a command's submission to its group's completion, microseconds, the median.
    pub(crate) command_us: f64,
    /// Where it ran.
    pub(crate) world: String,
}

/// Maps `bytes` on the card of `session`.
pub(crate) fn map(
    session: &km::Session,
    bytes: &[u8],
    curve: Curve,
    progress: &Progress,
) -> Result<Work, DemoError> {
    let program = ToneMap::program();
    let pages = pages(bytes, program.model().buffers[0].page_bytes as usize);
    let source = session.tensor(&pages, km::DType::Uint8)?;
    let target = session.empty(pages.shape(), km::DType::Uint8)?;

    let run = session.load(program)?;
    let count = pages.nrows() as u32;
    let cores = run.grid().cores();
    let groups = cores / GROUP;
    let mut handles = Vec::new();
    for (job, first) in (0..count).step_by(PAGES as usize).enumerate() {
        let group = (job as u32 % groups) * GROUP;
        let here = PAGES.min(count - first);
        let call = ToneMap::map(&source, &target, first, here, curve.black, curve.gain, curve.shoulder);
        handles.push(run.submit(call.on((group, GROUP)))?);
    }
    progress.start(handles.len());
    let commands = handles.len();
    let mut times = Vec::new();
    for handle in handles {
        times.push(run.wait(handle, TIMEOUT)?.microseconds());
        progress.step();
    }
    run.stop(TIMEOUT)?;

    let mut mapped = target.read_bytes()?;
    mapped.truncate(bytes.len());
    times.sort_by(f64::total_cmp);
    Ok(Work {
        bytes: mapped,
        commands,
        group: GROUP,
        groups,
        cores,
        pages: count,
        command_us: times.get(times.len() / 2).copied().unwrap_or_default(),
        world: format!("{} {}", session.world(), session.description().board),
    })
}

/// The bytes as rows of a page each, the last one filled up with zeros.
fn pages(bytes: &[u8], page_bytes: usize) -> Array2<u8> {
    let rows = bytes.len().div_ceil(page_bytes);
    Array2::from_shape_fn((rows, page_bytes), |(row, column)| {
        bytes.get(row * page_bytes + column).copied().unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_page_is_filled_up() {
        let pages = pages(&[1, 2, 3, 4, 5], 4);
        assert_eq!(pages.into_raw_vec_and_offset().0, [1, 2, 3, 4, 5, 0, 0, 0]);
    }
}
