//! Virtual time.
//!
//! One unit is 1/756 ns, so that a cycle of each clock of the card is a whole number of units: 1,350 MHz is 560,
//! 1,750 MHz is 432, 1,000 MHz is 756, 800 MHz is 945, 200 MHz is 3,780, 50 MHz is 15,120. A card runs for 26 hours of
//! them ([`END`]).

use komorebi_card::CardTime;

/// Units of [`Time`] in a nanosecond.
pub const UNITS_PER_NANO: u64 = 756;

/// A moment, or a length, of virtual time in units of 1/756 ns.
pub type Time = u64;

/// The moment that never comes.
pub const NEVER: Time = u64::MAX;

/// The end of a card's clock, some 26 hours after its beginning: moments that the card orders have 56 bits, and what is under
/// way then still comes.
pub const END: Time = (1 << 56) - (1 << 50);

/// Units of one cycle of a clock of `mhz`, rounded to the nearest.
pub const fn cycle(mhz: u32) -> Time {
    (1_000 * UNITS_PER_NANO + mhz as u64 / 2) / mhz as u64
}

/// `nanos` in units.
pub const fn from_nanos(nanos: u64) -> Time {
    nanos.saturating_mul(UNITS_PER_NANO)
}

/// The runtime's view of a moment, rounded down to a nanosecond.
pub const fn to_card(time: Time) -> CardTime {
    CardTime::from_nanos(time / UNITS_PER_NANO)
}
