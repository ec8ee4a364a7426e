//! Which pieces of L1 a core has to itself.
//!
//! Most of what a core does in L1 concerns nobody else, but nothing in the architecture says so. So the first core that
//! touches a piece of it owns that piece, until another one touches it: then the piece is everybody's for as long as a core
//! of the tile runs. In its own pieces a core runs ahead of its turn, since it can be taken back
//! (`crates/sim/src/hart/ahead.rs`): whoever else comes to one, a core or a packet, first takes back an owner who is ahead.
//! Who owns what changes how fast the card is simulated, and nothing else.
//!
//! So every way to L1 asks first: a core in its turn by `TensixBus::touch`, or by a look at the owner; a packet by
//! `Shared::overtaken`; what looks from outside by `Machine::bring_back`. A shorter way that does not ask is right only while no core
//! of the tile is ahead (`Watchers::ahead`), and where nothing is noted of what it loads.

use crate::target::L1_BYTES;

/// The bits of an address inside a piece.
const SHIFT: u32 = 10;
/// Pieces: of L1, rounded up, so that a number is inside without a look.
const PIECES: usize = (L1_BYTES >> SHIFT).next_power_of_two() as usize;

/// Whose a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Owner(u8);

impl Owner {
    /// No core has touched it.
    pub(crate) const NOBODY: Self = Self(0);
    /// Cores have to look at one another there.
    pub(crate) const ALL: Self = Self(1);
    /// Who owns nothing: a core whose data cache is on.
    pub(crate) const NONE: Self = Self(2);

    pub(crate) fn of(core: usize) -> Self {
        Self(core as u8 + 3)
    }

    /// The one core that has touched it.
    pub(crate) fn core(self) -> Option<usize> {
        self.0.checked_sub(3).map(usize::from)
    }
}

/// The owners of all pieces of a tile's L1.
#[derive(Clone)]
pub(crate) struct Owners {
    pieces: [Owner; PIECES],
    /// What a piece is that nobody has touched.
    new: Owner,
}

impl Owners {
    /// With `on`, or all pieces are everybody's.
    pub(crate) fn new(on: bool) -> Self {
        let new = if on { Owner::NOBODY } else { Owner::ALL };
        Self { pieces: [new; PIECES], new }
    }

    /// No core runs: nobody has touched anything.
    pub(crate) fn clear(&mut self) {
        self.pieces = [self.new; PIECES];
    }

    /// Whose the piece at `address` is; of an address outside of L1, anybody's.
    #[inline(always)]
    pub(crate) fn of(&self, address: u64) -> Owner {
        self.pieces[(address >> SHIFT) as usize % PIECES]
    }

    /// The same, to be changed.
    pub(crate) fn at(&mut self, address: u64) -> &mut Owner {
        &mut self.pieces[(address >> SHIFT) as usize % PIECES]
    }

    /// Gives everybody the pieces of a range that one of `cores`, as bits, owns; gives those of them that owned one.
    pub(crate) fn share(&mut self, address: u64, bytes: u64, cores: u32) -> u32 {
        let mut owners = 0;
        if cores == 0 {
            return owners;
        }
        for piece in self.range(address, bytes) {
            if let Some(core) = piece.core().filter(|core| cores >> core & 1 == 1) {
                owners |= 1 << core;
                *piece = Owner::ALL;
            }
        }
        owners
    }

    /// Gives everybody the pieces of a range.
    pub(crate) fn open(&mut self, address: u64, bytes: u64) {
        self.range(address, bytes).fill(Owner::ALL);
    }

    /// The pieces of a range, as far as it is in L1.
    fn range(&mut self, address: u64, bytes: u64) -> &mut [Owner] {
        let (first, last) = (address, address.saturating_add(bytes.max(1) - 1).min(L1_BYTES - 1));
        match first <= last {
            true => &mut self.pieces[(first >> SHIFT) as usize..=(last >> SHIFT) as usize],
            false => &mut [],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIECE: u64 = 1 << SHIFT;

    #[test]
    fn a_range_is_shared_with_all_pieces_that_it_touches_and_no_other() {
        let mut owners = Owners::new(true);
        for piece in 0..8 {
            *owners.at(piece * PIECE) = Owner::of(piece as usize % 4);
        }
        assert_eq!(owners.share(2 * PIECE - 1, PIECE, 0b1010), 0b0010);
        assert_eq!(owners.share(2 * PIECE - 1, PIECE + 2, 0b1010), 0b1000);
        let of = |piece: u64| owners.of(piece * PIECE).core();
        assert_eq!([0, 1, 2, 3, 4].map(of), [Some(0), None, Some(2), None, Some(0)]);
        assert_eq!(owners.share(L1_BYTES - 4, 4096, u32::MAX), 0);
        assert_eq!(owners.share(0xffb1_21b0, 4, u32::MAX), 0);
        owners.clear();
        assert_eq!(owners.of(3 * PIECE), Owner::NOBODY);
    }
}
