//! Wall time spent in calls: statistics, never a decision.

use std::time::{Duration, Instant};

/// Of this many single submits one is timed and stands for all: reading the clock costs as much as a submit.
const SAMPLE: u64 = 64;

/// Adds up wall time.
#[derive(Default)]
pub(crate) struct Stats {
    pub(crate) submit: Duration,
    pub(crate) wait: Duration,
    submits: u64,
}

/// A moment, for statistics.
#[allow(
    clippy::disallowed_methods,
    reason = "submit_s and wait_s report wall time; no decision depends on it"
)]
pub(crate) fn moment() -> Instant {
    Instant::now()
}

impl Stats {
    /// The start of a single submit, for those that are timed.
    #[inline]
    pub(crate) fn sample(&mut self) -> Option<Instant> {
        self.submits += 1;
        self.submits.is_multiple_of(SAMPLE).then(moment)
    }

    /// The end of a single submit that was timed.
    #[inline]
    pub(crate) fn sampled(&mut self, start: Option<Instant>) {
        if let Some(start) = start {
            self.submit += start.elapsed() * SAMPLE as u32;
        }
    }
}
