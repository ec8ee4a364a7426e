//! How long packets take (tensix.md §6), in [`Time`] at an AI clock of 1,350 MHz.

use super::Noc;
use super::route::{Raw, hops};
use crate::time::{Time, cycle};

/// The AI clock: Tensix cores and both NoCs, in MHz.
pub(crate) const AICLK_MHZ: u32 = 1350;
/// One cycle of it.
pub(crate) const CYCLE: Time = cycle(AICLK_MHZ);

/// The least time between a cause on one tile and its effect on another: the scheduler's lookahead.
pub(crate) const LOOKAHEAD: Time = 40 * CYCLE;

/// The most a seed may add to a packet's latency.
pub(crate) const DISORDER: Time = 200 * CYCLE;

/// What a read request takes from its last flit leaving to its first hop. The rows of tensix.md §6 give round trips
/// only; this much of them is on the way there.
const REQUEST: Time = 31;

/// From one router to the next: of writes.
pub(crate) const WRITE_HOP: Time = 11 * CYCLE;
/// The same of reads' requests and of their answers.
pub(crate) const ANSWER_HOP: Time = 9 * CYCLE;

/// From a write's last flit leaving to the data being there. The row, 40 cycles and 11 a hop, is of a write of two
/// flits, from CMD_CTRL on.
#[inline]
pub(crate) const fn write(noc: Noc, from: Raw, to: Raw) -> Time {
    38 * CYCLE + WRITE_HOP * hops(noc, from, to)
}

/// From a read request leaving to the data being read at its target.
#[inline]
pub(crate) const fn request(noc: Noc, from: Raw, to: Raw) -> Time {
    REQUEST * CYCLE + ANSWER_HOP * hops(noc, from, to)
}

/// From the data being read in another tile's L1 to its first flit arriving: the rest of the round trip of
/// 65 cycles to itself, 177 in a column, 217 in a row, 329 otherwise, of which three flits take two.
#[inline]
pub(crate) const fn response(noc: Noc, from: Raw, to: Raw) -> Time {
    let round = match (from.x == to.x, from.y == to.y) {
        (true, true) => 65,
        (true, false) => 177,
        (false, true) => 217,
        (false, false) => 329,
    };
    (round - 2 - REQUEST) * CYCLE - ANSWER_HOP * hops(noc, from, to)
}

/// What an access to DRAM takes longer than one to L1, apart from the data: what the rows of one read by size leave
/// when the issue (38 cycles), the way (329, as any read's), the poll that ends it and 24 bytes a cycle are taken off.
pub(crate) const DRAM_ACCESS: Time = 106 * CYCLE;

/// Bytes a flit carries.
const FLIT: u64 = 64;

/// True for a packet that takes its turn on links: one with more data than a flit has.
#[inline]
pub(crate) const fn is_long(bytes: u64) -> bool {
    bytes > FLIT
}

/// How long a port, or a link, takes for a packet: a flit of header and one for each 64 bytes, 61 bytes a cycle.
#[inline]
pub(crate) const fn packet(bytes: u64) -> Time {
    (1 + bytes.div_ceil(FLIT)) * FLIT * CYCLE / 61
}

/// How long the two ends of one read from DRAM are at its data: 24 bytes a cycle (the closed form of tensix.md §6).
#[inline]
pub(crate) const fn dram_stream(bytes: u64) -> Time {
    bytes * CYCLE / 24
}

/// How long a DRAM channel is busy with `bytes`: 47 a cycle.
#[inline]
pub(crate) const fn dram_service(bytes: u64) -> Time {
    bytes * CYCLE / 47
}

/// Between two requests that one port of a DRAM channel takes from one NoC.
pub(crate) const DRAM_REQUEST: Time = 164 * CYCLE / 10;

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
            }
        }
    }

    #[test]
    fn a_read_takes_the_published_round_trip() {
        let from = Raw::new(3, 4);
        for (to, cycles) in [(from, 65), (Raw::new(3, 9), 177), (Raw::new(12, 4), 217), (Raw::new(1, 2), 329)]
        {
            for noc in Noc::BOTH {
                let took = packet(0) + request(noc, from, to) + response(noc, from, to) + packet(64);
                assert!(took.abs_diff(cycles * CYCLE) < 2 * CYCLE, "{took}");
            }
        }
    }
}
