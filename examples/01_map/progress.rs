//! A bar on a terminal, nothing elsewhere.

use indicatif::{ProgressBar, ProgressStyle};

/// Commands done of those submitted. indicatif hides it where standard error is not a terminal.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// A bar with a name.
    pub(crate) fn new(name: &'static str) -> Self {
        let bar = ProgressBar::new(0).with_message(name);
        if let Ok(style) = ProgressStyle::with_template("{msg:16} {bar:40} {pos}/{len} commands") {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// So many commands are under way.
    pub(crate) fn start(&self, commands: usize) {
        self.0.set_length(commands as u64);
    }

    /// One of them is done.
    pub(crate) fn step(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
