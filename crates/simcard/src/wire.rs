//! What goes over the socket: a request for each call of the trait, an answer for each that is not posted.

use komorebi_card::{CardError, CardTime, Cleanup, Description, Holder, NocXy, Order, Power, Rect};
use serde::{Deserialize, Serialize};

/// Changes with every change of what is below, and of the types of the seam in it.
pub(crate) const VERSION: u32 = 5;

/// The first words of a connection: what it is.
pub(crate) const MAGIC: [u8; 8] = *b"KMSIMCRD";

/// A request. The bytes of a write are the frame's payload.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Request {
    /// The first of a connection.
    Hello {
        magic: [u8; 8],
        version: u32,
    },
    Claim(Power),
    Release,
    Vote(Power),
    SetCleanup(Option<Cleanup>),
    KeepOff(u64),
    /// Posted.
    Write {
        tile: NocXy,
        address: u64,
        order: Order,
    },
    /// Posted.
    Multicast {
        tiles: Rect,
        address: u64,
    },
    Read {
        tile: NocXy,
        address: u64,
        bytes: u32,
    },
    Fence(NocXy),
    HostMem {
        bytes: u64,
    },
    Now,
    Relax(CardTime),
    /// Memory as it is, at no cost and with no effect; needs no claim.
    Peek {
        tile: NocXy,
        address: u64,
        bytes: u32,
    },
    /// Who holds the card; needs no claim.
    Holder,
}

impl Request {
    /// True when no answer comes.
    pub(crate) fn is_posted(&self) -> bool {
        matches!(self, Self::Write { .. } | Self::Multicast { .. })
    }

    /// True when its answer is the error of a request that was posted before it, and nothing is done. Of a greeting, a release
    /// and a look at the clock a client expects no error.
    pub(crate) fn tells_posted(&self) -> bool {
        !matches!(self, Self::Hello { .. } | Self::Release | Self::Now)
    }

    /// True when it is the holder's alone.
    pub(crate) fn needs_claim(&self) -> bool {
        !matches!(
            self,
            Self::Hello { .. }
                | Self::Claim(_)
                | Self::Release
                | Self::Now
                | Self::Peek { .. }
                | Self::Holder
        )
    }
}

/// What is asked for. The bytes of a read are the frame's payload, the file of host memory comes beside the frame.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Reply {
    Hello {
        version: u32,
        description: Description,
        seed: u64,
    },
    Done,
    Bytes,
    /// There is no memory at the address of a peek.
    Nothing,
    Memory {
        tile: NocXy,
        noc_address: u64,
    },
    Holder(Option<Holder>),
    Reached(CardTime),
}

/// An answer, with the card's clock behind it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) now: CardTime,
    pub(crate) outcome: Result<Reply, CardError>,
}
