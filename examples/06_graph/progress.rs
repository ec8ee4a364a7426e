//! A line on a terminal, nothing elsewhere.

use indicatif::{ProgressBar, ProgressStyle};

/// Rounds done of each colour. indicatif hides it where standard error is not a terminal.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} mending {msg}, {pos} rounds") {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// A colour is under way.
    pub(crate) fn start(&self, colour: usize) {
        self.0.set_message(crate::COLOURS[colour % 3]);
        self.0.set_position(0);
    }

    /// So many of its rounds are done.
    pub(crate) fn round(&self, rounds: u32) {
        self.0.set_position(rounds.into());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
