//! `trace`: a run's trace, as `Trace::to_chrome_json` gives it, in words or as a picture.

mod picture;
mod read;

use crate::arguments::TraceArguments;
use crate::failure::Failure;
use crate::{input, output};
use read::Timeline;
use std::fmt::Write as _;

/// The most bytes of a file.
const FILE_MAX: usize = 1 << 30;

/// Reads the file and prints what is in it.
pub(crate) fn run(arguments: &TraceArguments) -> Result<(), Failure> {
    let bytes = input::read(&arguments.file, FILE_MAX, "a trace has")?;
    let timeline =
        Timeline::read(&bytes).map_err(|found| Failure::NoTrace { path: arguments.file.clone(), found })?;
    let text = if arguments.svg { picture::svg(&timeline) } else { listing(&timeline) };
    output::write(&text, arguments.output.as_deref())
}

/// A line a lane: its spans with their beginnings and lengths.
fn listing(timeline: &Timeline) -> String {
    let mut text = format!("{}, {:.3} us\n", timeline.title, timeline.end);
    for lane in &timeline.lanes {
        let _ = writeln!(text, "{}", lane.name);
        for span in &lane.spans {
            let _ = writeln!(text, "  {:>12.3} us  {:>12.3} us  {}", span.start, span.length, span.name);
        }
    }
    text
}
