//! Wall time, for figures.

use std::time::{Duration, Instant};

/// What `work` gave, and how long it took.
#[allow(clippy::disallowed_methods, reason = "a figure is a statistic, not a decision")]
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let made = work();
    (made, start.elapsed())
}

/// The middle one of some values; of an even number the upper of the two.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Milliseconds.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_run_does_not_move_the_median() {
        assert_eq!(median(vec![2.0, 900.0, 1.0]), 2.0);
        assert_eq!(median(vec![]), 0.0);
    }
}
