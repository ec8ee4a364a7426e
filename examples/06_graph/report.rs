//! What happened, for a person.

use crate::COLOURS;
use crate::job::Mended;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The end of a run.
pub(crate) struct Report {
    pub(crate) input: PathBuf,
    pub(crate) output: PathBuf,
    pub(crate) size: (u32, u32),
    /// Pixels that were mended.
    pub(crate) marked: usize,
    pub(crate) limit: f32,
    /// A plane a colour.
    pub(crate) mended: Vec<Mended>,
    /// Card time of each at low and at high costs, microseconds; `None` where time is not a model's.
    pub(crate) range_us: Option<[Vec<f64>; 2]>,
    /// Where it ran.
    pub(crate) world: String,
    /// Wall time of everything, builds of the kernels included.
    pub(crate) wall: Duration,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { input, output, size, marked, limit, mended, range_us, world, wall } = self;
        let all = size.0 * size.1;
        writeln!(
            f,
            "picture     {}, {} x {}, {marked} of {all} pixels to mend",
            input.display(),
            size.0,
            size.1
        )?;
        writeln!(f, "card        {world}")?;
        writeln!(f, "graph       uploaded once, started once, restarted twice; the limit is {limit}")?;
        for (at, (Mended { relaxed, microseconds, .. }, colour)) in mended.iter().zip(COLOURS).enumerate() {
            let each = |microseconds: f64| microseconds / f64::from(relaxed.rounds.max(1));
            let round = each(*microseconds);
            write!(
                f,
                "{colour:11} {} rounds, residual {:.4}, card time {microseconds:.0} us, {round:.1} us a round",
                relaxed.rounds, relaxed.residual
            )?;
            match range_us.as_ref().map(|range| range.each_ref().map(|all| all.get(at).copied().map(each))) {
                Some([Some(low), Some(high)]) => {
                    writeln!(f, "; by the cost model: low {low:.1}, nominal {round:.1}, high {high:.1}")?;
                }
                _ => writeln!(f)?,
            }
        }
        writeln!(f, "wall time   {:.2} s", wall.as_secs_f64())?;
        writeln!(f, "checked     all bits of {} pixels are what the host computes", 3 * all)?;
        write!(f, "result      {}", output.display())
    }
}
