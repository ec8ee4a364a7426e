//! Packets of the NoC that get lost or late on purpose.

use crate::message::Body;
use crate::noc::translate::TileId;
use crate::time::Time;

/// What happens to a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Harm {
    Drop,
    Delay(Time),
}

/// Harm to the next packets to a tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tamper {
    pub(crate) to: TileId,
    pub(crate) left: u32,
    pub(crate) harm: Harm,
}

/// True for what travels as a packet from one tile to another: requests and answers, not what a tile has promised itself.
pub(crate) fn is_packet(body: &Body) -> bool {
    matches!(
        body,
        Body::Write { .. }
            | Body::Read { .. }
            | Body::Atomic { .. }
            | Body::ReadDone { .. }
            | Body::AtomicDone { .. }
            | Body::Line { .. }
            | Body::Code { .. }
    )
}
