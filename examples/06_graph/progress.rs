//! A line on a terminal, nothing elsewhere.

use indicatif::{ProgressBar, ProgressStyle};

/// Rounds done of each colour. indicatif hides it where standard error is not a terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    name: &'static str,
}

impl Progress {
    /// A line with a name.
    pub(crate) fn new(name: &'static str) -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {pos} rounds") {
            bar.set_style(style);
        }
        Self { bar, name }
    }

    /// A colour is under way.
    pub(crate) fn start(&self, colour: usize) {
        self.bar.set_message(format!("{} {}", self.name, crate::COLOURS[colour % 3]));
        self.bar.set_position(0);
    }

    /// So many of its rounds are done.
    pub(crate) fn round(&self, rounds: u32) {
        self.bar.set_position(rounds.into());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
