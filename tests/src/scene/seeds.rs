//! The same for many seeds, on all processors.

use std::env;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Calls `check` with every seed; with `KM_SEED` set, with that one alone.
///
/// # Panics
/// When `check` does for a seed: names all such seeds, what the first one of them said, and how to have it again.
pub fn over_seeds(seeds: Range<u64>, check: impl Fn(u64) + Sync) {
    let seeds = match env::var("KM_SEED").ok().and_then(|seed| seed.parse().ok()) {
        Some(seed) => seed..seed + 1,
        None => seeds,
    };
    let next = AtomicU64::new(seeds.start);
    let failed: Mutex<Vec<(u64, String)>> = Mutex::default();
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return;
            }
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(seed))) {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                failed.push((seed, text.unwrap_or_default()));
            }
        }
    };
    thread::scope(|scope| {
        let workers = thread::available_parallelism().map_or(1, usize::from);
        (0..workers).for_each(|_| drop(scope.spawn(work)));
    });
    let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.sort();
    if let Some((seed, text)) = failed.first() {
        let all: Vec<u64> = failed.iter().map(|(seed, _)| *seed).collect();
        panic!(
            "seeds {all:?} of {seeds:?}; run the test with KM_SEED={seed} to have the first again: {text}"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_is_checked_and_those_that_fail_are_named_with_the_way_to_have_them_again() {
        let seen = Mutex::new(Vec::new());
        over_seeds(0..32, |seed| seen.lock().unwrap().push(seed));
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        assert_eq!(seen, (0..32).collect::<Vec<_>>());
        let failing = || over_seeds(0..8, |seed| assert!(seed % 3 != 1, "no {seed}"));
        let panic = catch_unwind(failing).unwrap_err();
        let text = panic.downcast_ref::<String>().unwrap();
        assert!(text.starts_with("seeds [1, 4, 7] of 0..8; run the test with KM_SEED=1"), "{text}");
        assert!(text.ends_with(": no 1"), "{text}");
    }
}
