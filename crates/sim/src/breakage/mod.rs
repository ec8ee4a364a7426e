//! What can be broken on purpose: faults injected into the card, its wires and its clients, for tests of what is above.
//!
//! [`Card::break_on`](crate::Card::break_on) takes a moment and a [`Breakage`]. Everything stays deterministic: the same
//! card, calls and breakages give the same bytes at the same times. Which breakage reaches which error of the runtime is
//! listed in `docs/faults.md`.

mod apply;
mod plan;

use std::time::Duration;

use komorebi_card::{CardTime, NocXy};

pub(crate) use plan::{Plan, Step};

/// When something breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At the next thing that happens.
    Now,
    /// At a moment of the card's clock; one that has passed is now.
    At(CardTime),
    /// Before the n-th call that this handle's client makes from now on, 1 for its next one. Calls are those of
    /// [`komorebi_card::Card`] that can fail, and its release.
    Call(u64),
}

/// What breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breakage {
    /// The whole card is gone: nothing it sends arrives, reads give all ones, late, and the first of them is told as
    /// [`Lost`](komorebi_card::CardError::Lost).
    Lose,
    /// A tile no longer answers the host: a read of it gives all ones, late, and with it the card is lost (host.md §7).
    Hang(NocXy),
    /// The client's next call, or the one that [`When::Call`] names, is refused with these words and does nothing. The
    /// card is as it was, the call after it is served.
    Refuse(String),
    /// The client dies: the driver closes for it, and whatever its handles still call is answered with
    /// [`Lost`](komorebi_card::CardError::Lost) and does nothing. Other clients of the card go on.
    KillClient,
    /// Bytes of memory, at a multiple of 4, that change by themselves: L1, LIM or DRAM.
    Poke {
        /// The tile.
        tile: NocXy,
        /// Its address.
        address: u64,
        /// What stands there then.
        bytes: Vec<u8>,
    },
    /// Bits of a 32-bit word of memory that flip.
    Flip {
        /// The tile.
        tile: NocXy,
        /// Its address.
        address: u64,
        /// The bits.
        bits: u32,
    },
    /// A 32-bit word of memory that comes back to one value every microsecond, whoever writes it.
    Hold {
        /// The tile.
        tile: NocXy,
        /// Its address.
        address: u64,
        /// The value.
        value: u32,
        /// For how long.
        time: Duration,
    },
    /// Memory that is lost: junk, drawn from the card's seed, stands there then.
    Scramble {
        /// The tile.
        tile: NocXy,
        /// Its address.
        address: u64,
        /// Bytes.
        bytes: usize,
    },
    /// A hart stands still: a baby core until its reset, one of an X280 until the card's. Nothing happens to one in reset.
    Freeze {
        /// The tile.
        tile: NocXy,
        /// The baby core (0 to 4: B, NC, T0, T1, T2) or the hart of the cluster (0 to 3).
        hart: usize,
        /// It goes on after that long, if it has not been reset; `None` for never. Of several the last one says it.
        time: Option<Duration>,
    },
    /// A hart of an X280 cluster takes an exception.
    Trap {
        /// The cluster's tile.
        tile: NocXy,
        /// The hart.
        hart: usize,
        /// `mcause`.
        cause: u64,
        /// `mtval`.
        value: u64,
    },
    /// Packets of the NoC that go to a tile are lost, and nothing is acknowledged that did not arrive; acknowledgements themselves
    /// arrive, and the host's own requests.
    Drop {
        /// The tile they go to.
        to: NocXy,
        /// How many.
        packets: u32,
    },
    /// Packets of the NoC that go to a tile are late.
    Delay {
        /// The tile they go to.
        to: NocXy,
        /// How many.
        packets: u32,
        /// By how much.
        by: Duration,
    },
}
