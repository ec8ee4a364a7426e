//! How the harts of a tile and its messages take turns.
//!
//! Order inside a tile: by time; at one moment messages first, then harts by their index. A hart runs until another
//! one, a message, or the tile's bound would come first. What a hart sends may bring the bound closer while it runs,
//! so each shared access also asks [`Net::limit`](crate::net::Net).
//!
//! A hart that runs alone may be further than what comes for it, by what concerns nobody else: how far depends on when
//! it was let run, and a parked one is not there at all. So whatever acts on a hart, or looks at it, at a moment first lets it
//! come to the place that this moment says ([`settle`]): before its first shared access after it.

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
    /// The harts that have done ahead of their turns what this message, at `at`, comes before.
    fn overtaken(&mut self, at: Time, body: &Body) -> u32;
    /// Puts back what the harts that were taken back have replaced ahead of their turns.
    fn undo(&mut self);
    /// Applies a message of `source`.
    fn deliver(&mut self, at: Time, source: u16, body: Body, net: &mut Net) -> Result<(), Violation>;
    /// The harts that a message shows the place of.
    fn shown(&self, body: &Body) -> u32;
    /// What the last hart or message left to do for the tile: the harts on which it acts, and when. It is taken.
    fn left(&mut self) -> Option<(u32, Time)>;
    /// Does it: resets, interrupts, clocks. `harts` have come to `at`.
    fn follow_up(&mut self, harts: u32, at: Time);
}

/// Runs a tile up to the bound; gives its next time.
pub(crate) fn run<T: Tile>(tile: &mut T, net: &mut Net) -> Result<Time, Broken> {
    let id = tile.id();
    loop {
        let (slots, watchers) = tile.slots();
        if slots.undo != 0 {
            tile.undo();
            continue;
        }
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
    let shown = net.peek(tile.id()).map_or(0, |body| tile.shown(body));
    if shown != 0 {
        settle(tile, shown, |_| due - 1, net);
    }
    let (_, watchers) = tile.slots();
    watchers.act(usize::MAX);
    let Some((at, source, body)) = net.take(tile.id()) else { return Ok(()) };
    net.limit = net.bound;
    let done = tile.deliver(at, source, body, net);
    done.map_err(|violation| Broken { by: By::Source(source), at, violation })?;
    let (slots, watchers) = tile.slots();
    slots.tell(usize::MAX, watchers);
    follow_up(tile, None, net);
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
    let stop = in_turn(stop, at, horizon);
    if let (Stop::Fault(_), others @ 1..) = (&stop, watchers.ahead()) {
        // The card halts here: the others come to this moment first, and the hart breaks the rule again.
        slots.take_back_all(others, at, Some(index), watchers);
        slots.run(index, watchers);
        return Ok(());
    }
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
    follow_up(tile, Some(index), net);
    Ok(())
}

/// What a hart has run into alone, later than its horizon, comes at its turn: something may keep it from that.
#[inline]
fn in_turn(stop: Stop, at: Time, horizon: Time) -> Stop {
    match stop {
        Stop::Fault(_) if at > horizon => Stop::Horizon,
        stop => stop,
    }
}

/// Lets the tile act on what the last message, or the hart that ran, left to do.
#[inline]
fn follow_up<T: Tile>(tile: &mut T, actor: Option<usize>, net: &mut Net) {
    if let Some((harts, at)) = tile.left() {
        act(tile, harts, at, actor, net);
    }
}

#[cold]
fn act<T: Tile>(tile: &mut T, harts: u32, at: Time, actor: Option<usize>, net: &mut Net) {
    // At one moment messages come first, then harts by their index. The actor itself is where it acted.
    let others = harts & !actor.map_or(0, |actor| 1 << actor);
    settle(tile, others, |index| if actor.is_some_and(|actor| index < actor) { at } else { at - 1 }, net);
    tile.follow_up(harts, at);
}

/// Lets each of `harts`, as bits, come to its horizon, up to which everything has happened: it stands then before its first
/// shared access later than that, or as far as it goes without one, whether it was parked, ahead or neither.
#[cold]
fn settle<T: Tile>(tile: &mut T, harts: u32, horizon: impl Fn(usize) -> Time, net: &mut Net) {
    let before = net.limit;
    let (slots, _) = tile.slots();
    for index in (0..slots.harts.len()).filter(|index| harts >> index & 1 == 1) {
        settle_one(tile, index, horizon(index), net);
    }
    net.limit = before;
}

/// The same from outside, all of them with one horizon; gives the tile's next time.
pub(crate) fn settle_to<T: Tile>(tile: &mut T, harts: u32, horizon: Time, net: &mut Net) -> Time {
    settle(tile, harts, |_| horizon, net);
    let id = tile.id();
    let (slots, _) = tile.slots();
    let (_, at, _) = slots.earliest();
    net.due(id).min(at)
}

fn settle_one<T: Tile>(tile: &mut T, index: usize, horizon: Time, net: &mut Net) {
    let mut last = None;
    loop {
        let (slots, watchers) = tile.slots();
        if !slots.rejoin(index, horizon, watchers) {
            return;
        }
        tile.undo();
        let (slots, watchers) = tile.slots();
        let hart = &slots.harts[index];
        let place = (hart.pc(), hart.time(), hart.counters());
        if hart.is_far(horizon) || last.replace(place) == Some(place) {
            return;
        }
        watchers.act(index);
        net.limit = horizon.saturating_add(1);
        slots.in_turn(index, watchers);
        let stop = tile.run_hart(index, horizon, net);
        let (slots, watchers) = tile.slots();
        // It breaks no rule that it would not break in its turn.
        let stop = if let Stop::Fault(_) = stop { Stop::Horizon } else { stop };
        if slots.stopped(index, stop, watchers).is_err() {
            return;
        }
        slots.tell(index, watchers);
    }
}
