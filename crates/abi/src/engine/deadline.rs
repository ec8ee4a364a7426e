//! Deadlines: the units they are written in, and which of them stand.

/// The units of a deadline, with their microseconds.
pub const DEADLINE_UNITS: [(&str, u64); 4] =
    [("us", 1), ("ms", 1_000), ("s", 1_000_000), ("min", 60_000_000)];

/// What is wrong with a deadline that 32 bits of microseconds do not hold, or that is none, and what to write.
pub(crate) fn deadline_refused(us: u64) -> (String, &'static str) {
    let whole = DEADLINE_UNITS.iter().rfind(|(_, length)| us >= *length && us.is_multiple_of(*length));
    let (unit, length) = whole.unwrap_or(&DEADLINE_UNITS[0]);
    match us {
        0 => ("0 lets nothing run".to_owned(), "leave it out for no deadline, or write 1 us to 71 min"),
        _ => (
            format!("{} {unit} is longer than 2^32 - 1 us", us / length),
            "write `71 min` or less, or leave it out for no deadline",
        ),
    }
}
