//! Effects that cross a tile, or that a tile has promised itself for later.

use std::sync::Arc;

use crate::noc::Noc;
use crate::noc::links::Ticket;
use crate::noc::translate::{Place, TileId};
use crate::tile::atomic::Atomic;
use crate::tile::command::Command;
use crate::time::Time;

/// The bytes of a write or of an answer: up to 64 without an allocation.
#[derive(Clone, Debug)]
pub(crate) enum Payload {
    Small { bytes: [u8; 64], length: u8 },
    Large(Arc<[u8]>),
}

/// The enables of a write of all its bytes.
pub(crate) const ALL_BYTES: u64 = u64::MAX;

impl Body {
    /// A write of the host, a hart, or of the tile itself.
    pub(crate) fn write(address: u64, data: Payload, entry: Entry) -> Self {
        Self::Write { address, data, enables: ALL_BYTES, entry, ack: None }
    }

    /// Where a packet keeps its ticket.
    pub(crate) fn ticket(&mut self) -> Option<&mut Option<Ticket>> {
        match self {
            Self::Write { entry, .. } | Self::Read { entry, .. } | Self::Atomic { entry, .. } => {
                Some(&mut entry.ticket)
            }
            Self::ReadDone { ticket, .. } => Some(ticket),
            _ => None,
        }
    }

    /// True for what concerns neither the memory nor the registers that the cores of a tile share.
    pub(crate) fn concerns_no_core(&self) -> bool {
        match self {
            Self::LookAgain
            | Self::Linked { .. }
            | Self::Timer { .. }
            | Self::Answered { .. }
            | Self::Line { .. }
            | Self::Code { .. }
            | Self::WriteBack { .. }
            | Self::Messages
            | Self::Release
            | Self::Clock { .. }
            | Self::Gate { .. } => true,
            Self::Write { .. }
            | Self::Read { .. }
            | Self::Atomic { .. }
            | Self::Leave { .. }
            | Self::ReadDone { .. }
            | Self::AtomicDone { .. }
            | Self::Ack { .. }
            | Self::Stored { .. } => false,
        }
    }
}

impl Payload {
    pub(crate) fn new(data: &[u8]) -> Self {
        if data.len() <= 64 {
            let mut bytes = [0; 64];
            bytes[..data.len()].copy_from_slice(data);
            Self::Small { bytes, length: data.len() as u8 }
        } else {
            Self::Large(data.into())
        }
    }

    /// `length` bytes that `fill` writes.
    pub(crate) fn fill(length: usize, fill: impl FnOnce(&mut [u8])) -> Self {
        if length <= 64 {
            let mut bytes = [0; 64];
            fill(&mut bytes[..length]);
            Self::Small { bytes, length: length as u8 }
        } else {
            let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, length).collect();
            fill(Arc::get_mut(&mut bytes).expect("nobody else has the new payload"));
            Self::Large(bytes)
        }
    }

    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Small { bytes, length } => &bytes[..usize::from(*length)],
            Self::Large(bytes) => bytes,
        }
    }
}

/// Where a request enters its tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) noc: Noc,
    /// Of a DRAM channel: which of its ports.
    pub(crate) port: u8,
    /// False for what does not take a turn at the tile's port: single flits of the host and of harts pass between those
    /// of others on a channel of their own; and what has had its turn.
    pub(crate) queued: bool,
    /// With it a packet asks whether it had to wait on its way, when it arrives.
    pub(crate) ticket: Option<Ticket>,
}

impl Entry {
    /// A NIU's request that enters at `place`.
    pub(crate) fn of(noc: Noc, place: Place, ticket: Option<Ticket>) -> Self {
        Self { noc, port: place.port, queued: true, ticket }
    }

    /// A request of the host or of a hart.
    pub(crate) fn window(noc: Noc, place: Place) -> Self {
        Self { noc, port: place.port, queued: false, ticket: None }
    }
}

/// The NIU that waits for an acknowledgement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ack {
    pub(crate) tile: TileId,
    pub(crate) transaction: u8,
    /// From the data being there to its being known, a [`Time`].
    pub(crate) after: u32,
}

/// Who waits for the answer to a read or an atomic.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reply {
    /// A NIU, which puts it at `address` of its own L1.
    Niu {
        tile: TileId,
        noc: Noc,
        transaction: u8,
        address: u64,
        /// From the access to the first flit's arrival.
        after: Time,
    },
    /// A hart whose load through a window waits.
    Window {
        /// The cluster, 0 to 3.
        cluster: u8,
        hart: u8,
        /// Which of the hart's loads it answers.
        ticket: u32,
        after: Time,
    },
    /// The caches of a cluster, which wait for a line.
    Line {
        tile: TileId,
        /// The line: its address over 64.
        number: u64,
        after: Time,
    },
    /// The instruction cache of a hart of a cluster, which waits for a page of code.
    Code {
        tile: TileId,
        hart: u8,
        /// Which of the hart's reads it answers.
        ticket: u32,
        after: Time,
    },
    /// The host, which waits for its round trip.
    Host,
}

/// What a message does when its time comes.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// Data arrives at an address of the tile; of its bytes those that `enables` has a bit for.
    Write { address: u64, data: Payload, enables: u64, entry: Entry, ack: Option<Ack> },
    /// The tile is read.
    Read { address: u64, bytes: u32, entry: Entry, reply: Reply },
    /// A word of L1 is changed.
    Atomic { address: u64, atomic: Atomic, entry: Entry, reply: Reply },
    /// The last flit of a packet of a NIU's own leaves.
    Leave { noc: Noc, command: Command },
    /// A NIU's linked transaction may have been left open.
    Linked { noc: Noc },
    /// The data of a NIU's read arrives.
    ReadDone { noc: Noc, transaction: u8, address: u64, data: Payload, queued: bool, ticket: Option<Ticket> },
    /// The old value of a NIU's atomic arrives.
    AtomicDone { noc: Noc, transaction: u8, address: u64, value: u32 },
    /// A destination acknowledges a NIU's write.
    Ack { noc: Noc, transaction: u8 },
    /// A store that a core of the tile made earlier takes effect.
    Stored { core: u8, width: u8, address: u64, value: u64 },
    /// Cores that a FIFO of the tile holds up look again.
    LookAgain,
    /// A hart's timer may have reached its comparator.
    Timer { hart: u8 },
    /// The answer is back that a hart of a cluster stands for.
    Answered { hart: u8 },
    /// A line for the caches of a cluster arrives.
    Line { number: u64, data: Payload },
    /// A page of code for a hart of a cluster arrives.
    Code { hart: u8, ticket: u32, data: Payload },
    /// A line of the caches of a cluster that was written goes to memory by itself.
    WriteBack { number: u64 },
    /// The management core looks at its message queues.
    Messages,
    /// The harts of a cluster leave reset.
    Release,
    /// A cluster's clock has cycles of this length from now on; 0 stops it.
    Clock { cycle: Time },
    /// A Tensix tile's clock is gated, its cores put in reset first; or un-gated.
    Gate { gated: bool },
}
