//! How the harts of a tile and its messages take turns.
//!
//! Order inside a tile: by time; at one moment messages first, then harts by their index. A hart runs until another
//! one, a message, or the tile's bound would come first. What a hart sends may bring the bound closer while it runs,
//! so each shared access also asks [`Net::limit`](crate::net::Net).

use crate::fault::Violation;
use crate::hart::{Stop, Xlen};
use crate::message::Body;
use crate::net::Net;
use crate::noc::translate::TileId;
use crate::slots::{Slots, State};
use crate::time::Time;
use crate::watch::Watchers;

/// A rule broken in a tile: by the hart in a slot, at a pc, or by a message of somebody.
pub(crate) struct Broken {
    pub(crate) by: By,
    pub(crate) at: Time,
    pub(crate) violation: Violation,
}

/// Who broke it.
pub(crate) enum By {
    /// The hart with this index, at this pc.
    Hart(usize, u64),
    /// A message of this source.
    Source(u16),
}

/// A tile with harts.
pub(crate) trait Tile {
    /// The register width of its harts.
    type X: Xlen;

    fn id(&self) -> TileId;
    fn slots(&mut self) -> (&mut Slots<Self::X>, &mut Watchers);
    /// Runs one hart.
    fn run_hart(&mut self, index: usize, horizon: Time, net: &mut Net) -> Stop;
    /// The parked harts that wait for what this message writes.
    fn awaited(&self, body: &Body) -> u32;
    /// The harts that have loaded ahead of their turns what this message writes at `at`.
    fn overtaken(&self, at: Time, body: &Body) -> u32;
    /// Applies a message of `source`.
    fn deliver(&mut self, at: Time, source: u16, body: Body, net: &mut Net) -> Result<(), Violation>;
    /// Acts on what the last hart or message left to do for the tile: resets, interrupts.
    fn follow_up(&mut self, at: Time);
}

/// Runs a tile up to the bound; gives its next time.
pub(crate) fn run<T: Tile>(tile: &mut T, net: &mut Net) -> Result<Time, Broken> {
    let id = tile.id();
    loop {
        let (slots, watchers) = tile.slots();
        let (index, at, horizon) = slots.earliest();
        let due = net.due(id);
        if due.min(at) >= net.bound {
            return Ok(due.min(at));
        }
        if due <= at {
            deliver_next(tile, due, net)?;
        } else if slots.state(index) == State::Parked {
            slots.rouse(index, at, None, watchers);
        } else {
            run_next(tile, index, horizon.min(net.bound.min(due) - 1), net)?;
        }
    }
}

fn deliver_next<T: Tile>(tile: &mut T, due: Time, net: &mut Net) -> Result<(), Broken> {
    let (awaited, overtaken) =
        net.peek(tile.id()).map_or((0, 0), |body| (tile.awaited(body), tile.overtaken(due, body)));
    if awaited | overtaken != 0 {
        let (slots, watchers) = tile.slots();
        slots.rouse_all(awaited & !overtaken, due, None, watchers);
        slots.take_back_all(overtaken, due, None, watchers);
        return Ok(());
    }
    let (_, watchers) = tile.slots();
    watchers.act(usize::MAX);
    let Some((at, source, body)) = net.take(tile.id()) else { return Ok(()) };
    net.limit = net.bound;
    let done = tile.deliver(at, source, body, net);
    done.map_err(|violation| Broken { by: By::Source(source), at, violation })?;
    let (slots, watchers) = tile.slots();
    slots.tell(usize::MAX, watchers);
    tile.follow_up(at);
    Ok(())
}

#[inline]
fn run_next<T: Tile>(tile: &mut T, index: usize, horizon: Time, net: &mut Net) -> Result<(), Broken> {
    let (slots, watchers) = tile.slots();
    watchers.act(index);
    net.limit = horizon.saturating_add(1);
    net.counters.hart_turns += 1;
    slots.in_turn(index, watchers);
    let stop = tile.run_hart(index, horizon, net);
    let (slots, watchers) = tile.slots();
    let at = slots.harts[index].time();
    slots.stopped(index, stop, watchers).map_err(|fault| Broken {
        by: By::Hart(index, fault.pc),
        at,
        violation: Violation::new(fault.rule, fault.detail),
    })?;
    slots.tell(index, watchers);
    let roused = std::mem::take(&mut watchers.rouse);
    if roused != 0 {
        slots.rouse_all(roused, at, Some(index), watchers);
    }
    let overtaken = std::mem::take(&mut watchers.take_back);
    if overtaken != 0 {
        slots.take_back_all(overtaken, at, Some(index), watchers);
    }
    tile.follow_up(at);
    Ok(())
}
