//! Processor time, for ratios: other programs on the machine do not count.

/// Seconds of this thread that `work` takes.
pub(crate) fn seconds(work: impl FnOnce()) -> f64 {
    let before = spent();
    work();
    (spent() - before) as f64 / 1e9
}

/// Nanoseconds that this thread has run, by the kernel's scheduler.
fn spent() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells a thread's time");
    text.split(' ').next().and_then(|word| word.parse().ok()).expect("its first number is nanoseconds")
}
