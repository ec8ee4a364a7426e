//! Hops on the torus (tensix.md §4: NoC 0 goes east then south, NoC 1 north then west).

use super::Noc;

/// Columns of the physical grid.
pub(crate) const WIDTH: u8 = 17;
/// Rows of the physical grid.
pub(crate) const HEIGHT: u8 = 12;

/// A place in the physical grid, in NoC 0's coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Raw {
    /// Column, 0 to 16.
    pub(crate) x: u8,
    /// Row, 0 to 11.
    pub(crate) y: u8,
}

impl Raw {
    pub(crate) const fn new(x: u8, y: u8) -> Self {
        Self { x, y }
    }
}

/// Router hops of a packet on `noc` from `from` to `to`.
#[inline]
pub(crate) const fn hops(noc: Noc, from: Raw, to: Raw) -> u64 {
    let (a, b) = match noc {
        Noc::Zero => (from, to),
        Noc::One => (to, from),
    };
    (ring(a.x, b.x, WIDTH) + ring(a.y, b.y, HEIGHT)) as u64
}

const fn ring(from: u8, to: u8, size: u8) -> u8 {
    if to >= from { to - from } else { size - from + to }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noc_1_goes_the_other_way_round_and_both_ways_circle_the_torus_once() {
        let (a, b) = (Raw::new(1, 2), Raw::new(4, 9));
        assert_eq!(hops(Noc::Zero, a, b), 3 + 7);
        assert_eq!(hops(Noc::One, a, b), 14 + 5);
        for noc in Noc::BOTH {
            assert_eq!(hops(noc, a, b) + hops(noc, b, a), 17 + 12);
            assert_eq!(hops(noc, a, a), 0);
        }
        assert_eq!(hops(Noc::Zero, a, Raw::new(1, 5)) + hops(Noc::Zero, Raw::new(1, 5), a), 12);
    }
}
