//! What happened, for a person.

use crate::job::Work;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The end of a run.
pub(crate) struct Report {
    pub(crate) input: PathBuf,
    pub(crate) output: PathBuf,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) work: Work,
    /// Card time a command at low and high costs; `None` where time is not a model's.
    pub(crate) range_us: Option<[f64; 2]>,
    /// Wall time of everything, builds of the kernels included.
    pub(crate) wall: Duration,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Work { bytes, commands, group, groups, cores, pages, command_us, world } = &self.work;
        writeln!(
            f,
            "picture     {}, {} x {}, {} bytes in {pages} pages",
            self.input.display(),
            self.width,
            self.height,
            bytes.len()
        )?;
        writeln!(f, "card        {world}")?;
        writeln!(f, "commands    {commands}, each on {group} cores, {groups} at a time on {cores} cores")?;
        write!(f, "card time   {command_us:.1} us a command (median)")?;
        if let Some([low, high]) = self.range_us {
            write!(f, "; by the cost model: low {low:.1}, nominal {command_us:.1}, high {high:.1}")?;
        }
        writeln!(f, "\nwall time   {:.2} s", self.wall.as_secs_f64())?;
        writeln!(f, "checked     all {} bytes are what the host computes", bytes.len())?;
        write!(f, "result      {}", self.output.display())
    }
}
