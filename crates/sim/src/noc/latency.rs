//! How long packets take (tensix.md §6), in [`Time`] at an AI clock of 1,350 MHz.

use super::Noc;
use super::route::{Raw, hops, round_trip_hops};
use crate::time::{Time, cycle};

/// The AI clock: Tensix cores and both NoCs, in MHz.
pub(crate) const AICLK_MHZ: u32 = 1350;
/// One cycle of it.
pub(crate) const CYCLE: Time = cycle(AICLK_MHZ);

/// The least time between a cause on one tile and its effect on another: the scheduler's lookahead.
pub(crate) const LOOKAHEAD: Time = 40 * CYCLE;

/// The most a seed may add to a packet's latency.
pub(crate) const DISORDER: Time = 200 * CYCLE;

/// What a read request takes before its first hop. The rows of tensix.md §6 give round trips only; this much of
/// them is on the way there.
const REQUEST: Time = 32;

/// From a write's last flit leaving to the data being there: 40 + 11 cycles a hop.
#[inline]
pub(crate) const fn write(noc: Noc, from: Raw, to: Raw) -> Time {
    (40 + 11 * hops(noc, from, to)) * CYCLE
}

/// From a read request leaving to the data being read at its target.
#[inline]
pub(crate) const fn request(noc: Noc, from: Raw, to: Raw) -> Time {
    (REQUEST + 9 * hops(noc, from, to)) * CYCLE
}

/// From the data being read in another tile's L1 to its first flit arriving: the rest of the round trip of
/// 65 cycles to itself, 177 in a column, 217 in a row, 329 otherwise.
#[inline]
pub(crate) const fn response(noc: Noc, from: Raw, to: Raw) -> Time {
    let round = match (from.x == to.x, from.y == to.y) {
        (true, true) => 65,
        (true, false) => 177,
        (false, true) => 217,
        (false, false) => 329,
    };
    (round - REQUEST - 9 * hops(noc, from, to)) * CYCLE
}

/// The same from a DRAM port: 375 cycles of access and the way around the torus, 4 cycles a hop on average
/// (`base` of the closed form counts 2 x 8 cycles for each of 4 hops).
#[inline]
pub(crate) const fn dram_response(noc: Noc, from: Raw, to: Raw) -> Time {
    (375 + 4 * round_trip_hops(from, to) - REQUEST - 9 * hops(noc, from, to)) * CYCLE
}

/// How long a NIU is busy sending `bytes` of data: 61 bytes a cycle.
#[inline]
pub(crate) const fn injection(bytes: u64) -> Time {
    let time = bytes * CYCLE / 61;
    if time < CYCLE { CYCLE } else { time }
}

/// How long a DRAM port is busy with a request of `bytes`: 47 bytes a cycle, one request in 16.4 cycles.
#[inline]
pub(crate) const fn dram_service(bytes: u64) -> Time {
    let (transfer, least) = (bytes * CYCLE / 47, 164 * CYCLE / 10);
    if transfer < least { least } else { transfer }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noc::route::{HEIGHT, WIDTH};

    fn raws() -> impl Iterator<Item = Raw> + Clone {
        (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| Raw::new(x, y)))
    }

    #[test]
    fn nothing_crosses_tiles_faster_than_the_lookahead() {
        for (noc, a) in Noc::BOTH.into_iter().flat_map(|n| raws().map(move |a| (n, a))) {
            for b in raws().filter(|b| *b != a) {
                assert!(write(noc, a, b) >= LOOKAHEAD);
                assert!(request(noc, a, b) >= LOOKAHEAD);
                assert!(response(noc, a, b) >= LOOKAHEAD, "{noc:?} {a:?} {b:?}");
                assert!(dram_response(noc, a, b) >= LOOKAHEAD);
            }
        }
    }

    #[test]
    fn a_read_takes_the_published_round_trip() {
        let from = Raw::new(3, 4);
        for (to, cycles) in [(from, 65), (Raw::new(3, 9), 177), (Raw::new(12, 4), 217), (Raw::new(1, 2), 329)]
        {
            for noc in Noc::BOTH {
                assert_eq!(request(noc, from, to) + response(noc, from, to), cycles * CYCLE);
            }
        }
    }
}
