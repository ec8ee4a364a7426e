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
use crate::slot::{Slot, State};
use crate::time::{NEVER, Time};
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
    fn slots(&self) -> &[Slot<Self::X>];
    fn slots_mut(&mut self) -> (&mut [Slot<Self::X>], &mut Watchers);
    /// Runs one hart.
    fn run_hart(&mut self, index: usize, horizon: Time, net: &mut Net) -> Stop;
    /// The parked harts that wait for what this message writes.
    fn awaited(&self, body: &Body) -> u32;
    /// Applies a message of `source`.
    fn deliver(&mut self, at: Time, source: u16, body: Body, net: &mut Net) -> Result<(), Violation>;
    /// Acts on what the last hart or message left to do for the tile (resets, interrupts). False when that was nothing.
    fn follow_up(&mut self, at: Time, net: &mut Net);
}

/// Runs a tile up to the bound; gives its next time.
pub(crate) fn run<T: Tile>(tile: &mut T, net: &mut Net) -> Result<Time, Broken> {
    let id = tile.id();
    loop {
        let (index, at) = earliest(tile.slots());
        let due = net.due(id);
        if due.min(at) >= net.bound {
            return Ok(due.min(at));
        }
        if due <= at {
            deliver_next(tile, due, net)?;
        } else if let State::Parked(_) = tile.slots()[index].state {
            let (slots, watchers) = tile.slots_mut();
            slots[index].rouse(index, at, watchers);
        } else {
            run_next(tile, index, due, net)?;
        }
    }
}

/// The first slot with the earliest time.
fn earliest<X: Xlen>(slots: &[Slot<X>]) -> (usize, Time) {
    let mut first = (0, NEVER);
    for (i, slot) in slots.iter().enumerate() {
        if slot.next() < first.1 {
            first = (i, slot.next());
        }
    }
    first
}

fn deliver_next<T: Tile>(tile: &mut T, due: Time, net: &mut Net) -> Result<(), Broken> {
    let awaited = net.peek(tile.id()).map_or(0, |body| tile.awaited(body));
    if awaited != 0 {
        rouse(tile, awaited, due);
        return Ok(());
    }
    let (slots, watchers) = tile.slots_mut();
    watchers.heard = slots.iter().any(|slot| matches!(slot.state, State::Running(_)));
    let Some((at, source, body)) = net.take(tile.id()) else { return Ok(()) };
    net.limit = net.bound;
    let done = tile.deliver(at, source, body, net);
    done.map_err(|violation| Broken { by: By::Source(source), at, violation })?;
    tell(tile, usize::MAX);
    tile.follow_up(at, net);
    Ok(())
}

fn run_next<T: Tile>(tile: &mut T, index: usize, due: Time, net: &mut Net) -> Result<(), Broken> {
    let mut horizon = net.bound.min(due) - 1;
    let (slots, watchers) = tile.slots_mut();
    watchers.heard = false;
    for (i, slot) in slots.iter().enumerate().filter(|(i, _)| *i != index) {
        // At one moment the lower index goes first. The earliest was chosen, so the other is not at time 0 below it.
        let next = if i > index { slot.next() } else { slot.next() - 1 };
        horizon = horizon.min(next);
        watchers.heard |= matches!(slot.state, State::Running(_));
    }
    net.limit = horizon.saturating_add(1);
    net.counters.hart_turns += 1;
    let stop = tile.run_hart(index, horizon, net);
    let (slots, watchers) = tile.slots_mut();
    let slot = &mut slots[index];
    let at = slot.hart.time();
    slot.stopped(index, stop, watchers).map_err(|fault| Broken {
        by: By::Hart(index, fault.pc),
        at,
        violation: Violation::new(fault.detail, fault.rule),
    })?;
    tell(tile, index);
    let (_, watchers) = tile.slots_mut();
    let roused = std::mem::take(&mut watchers.rouse);
    if roused != 0 {
        rouse(tile, roused, at);
    }
    tile.follow_up(at, net);
    Ok(())
}

/// Lets parked harts catch up to `at`.
pub(crate) fn rouse<T: Tile>(tile: &mut T, harts: u32, at: Time) {
    let (slots, watchers) = tile.slots_mut();
    for (i, slot) in slots.iter_mut().enumerate() {
        if harts >> i & 1 == 1 {
            slot.rouse(i, at, watchers);
        }
    }
}

/// Tells the running harts besides `writer` what was written.
fn tell<T: Tile>(tile: &mut T, writer: usize) {
    let (slots, watchers) = tile.slots_mut();
    if watchers.written.is_empty() {
        return;
    }
    for (i, slot) in slots.iter_mut().enumerate() {
        if i != writer
            && matches!(slot.state, State::Running(_))
            && watchers.written.iter().any(|&(address, bytes)| slot.hart.watches(address, bytes))
        {
            slot.hart.touched();
        }
    }
    watchers.written.clear();
}
