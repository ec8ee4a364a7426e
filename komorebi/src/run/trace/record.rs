//! What the cores leave in their traces (`core.h`, `TraceWord` and `ClockWord`).

use komorebi_abi::constants::core as c;

/// Bits of the clock that an entry holds.
const CLOCK_BITS: u32 = 48;

fn word(bytes: &[u8], index: u32) -> u32 {
    let at = 4 * index as usize;
    bytes.get(at..at + 4).map_or(0, |word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
}

/// A command on a core, in cycles of the core's own clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) handler: u8,
    pub(crate) passes: u32,
    pub(crate) taken: u64,
    pub(crate) written: Option<u64>,
    pub(crate) sent: Option<u64>,
}

impl Entry {
    /// The entry in `bytes`, read when the core's clock was `now`; `None` for a command the core did not take.
    pub(super) fn decode(bytes: &[u8], now: u64) -> Option<Self> {
        let about = word(bytes, c::TRACE_ABOUT);
        if about == 0 {
            return None;
        }
        let low = word(bytes, c::TRACE_TAKEN);
        let held = u64::from(about >> c::TRACE_CLOCK_SHIFT) << 32 | u64::from(low);
        let ago = now.wrapping_sub(held) & ((1 << CLOCK_BITS) - 1);
        let taken = now.wrapping_sub(ago);
        let later = |index| {
            let time = word(bytes, index);
            (time != 0).then(|| taken.wrapping_add(u64::from(time.wrapping_sub(low))))
        };
        Some(Self {
            handler: (about >> c::TRACE_HANDLER_SHIFT) as u8,
            passes: about & c::TRACE_PASSES_MAX,
            taken,
            written: later(c::TRACE_WRITTEN),
            sent: later(c::TRACE_SENT),
        })
    }
}

/// A core's trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CoreRecord {
    /// Cycles by which core 0's clock is ahead of this core's.
    ahead: i64,
    /// The most that `ahead` may be wrong, in cycles.
    pub(super) uncertainty: u32,
    /// By sequence number, from 1 on.
    pub(super) entries: Vec<Option<Entry>>,
}

impl CoreRecord {
    /// The record in the reader's and the writer's comparison of the clocks, and these entries.
    pub(super) fn new(clocks: &[u8; 2 * c::CLOCKS_STRIDE as usize], entries: Vec<Option<Entry>>) -> Self {
        let (reader, writer) = clocks.split_at(c::CLOCKS_STRIDE as usize);
        let ahead = |words| {
            i64::from(word(words, c::CLOCK_AHEAD_HIGH) as i32) << 32
                | i64::from(word(words, c::CLOCK_AHEAD_LOW))
        };
        let round = |words| word(words, c::CLOCK_ROUND_TRIP);
        // The two NoCs run in opposite directions: what one way is too long in one comparison, it is too short in the other.
        let mean = (i128::from(ahead(reader)) + i128::from(ahead(writer))).div_euclid(2) as i64;
        let uncertainty = (u64::from(round(reader)) + u64::from(round(writer))).div_ceil(4) as u32;
        Self { ahead: mean, uncertainty, entries }
    }

    /// A time of this core on core 0's clock.
    pub(super) fn common(&self, time: u64) -> i64 {
        (time as i64).wrapping_add(self.ahead)
    }

    /// The entry of a sequence number.
    pub(super) fn entry(&self, sequence: u64) -> Option<&Entry> {
        let at = usize::try_from(sequence.checked_sub(1)?).ok()?;
        self.entries.get(at)?.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(words: [u32; 4]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn times_go_on_where_the_low_word_or_the_48_bits_wrap() {
        let now = 0x1_0000_0000_0100; // the 48 bits have just wrapped
        let bytes = entry([0xFFFF_FFF0, 0x10, 0x20, 0xFFFF << 16 | 7 << 8 | 2]);
        let found = Entry::decode(&bytes, now).unwrap();
        assert_eq!(found.taken, 0xFFFF_FFFF_FFF0);
        assert_eq!((found.written, found.sent), (Some(0x1_0000_0000_0010), Some(0x1_0000_0000_0020)));
        assert_eq!((found.handler, found.passes), (7, 2));
    }

    #[test]
    fn a_command_that_was_not_taken_has_no_entry_and_one_in_flight_no_end() {
        assert_eq!(Entry::decode(&entry([0; 4]), 99), None);
        let found = Entry::decode(&entry([5, 0, 0, 1]), 99).unwrap();
        assert_eq!((found.taken, found.written, found.sent), (5, None, None));
    }

    #[test]
    fn clocks_differ_by_the_mean_of_both_comparisons_negative_ones_too() {
        let words = |ahead: i64, round: u32| entry([ahead as u32, (ahead >> 32) as u32, round, 0]);
        let clocks: Vec<u8> = [words(-100, 300), words(-50, 340)].concat();
        let record = CoreRecord::new(&clocks.try_into().unwrap(), Vec::new());
        assert_eq!((record.common(1000), record.uncertainty), (925, 160));
    }
}
