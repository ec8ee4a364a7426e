//! The way of a packet from router to router, and how a multicast fans out on it (tensix.md §4).
//!
//! Coordinates are the NoC's own, in which both NoCs go towards greater ones and around: NoC 0 along a row, then along a
//! column; NoC 1 the other way. A multicast goes along its major axis to the first line with a receiver, from there along
//! the other axis, and from each line with receivers along the major axis again. One whose sender is among its lines begins
//! there and goes around, so that every receiver is as far as it would be for a packet of its own.

use super::Noc;
use super::multicast::Tiles;
use super::route::{HEIGHT, Raw, WIDTH};
use super::translate::Topology;
use crate::time::{NEVER, Time};

/// Routers of a NoC.
pub(crate) const ROUTERS: usize = WIDTH as usize * HEIGHT as usize;

/// A direction in which links lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    /// Along a row.
    X,
    /// Along a column.
    Y,
}

impl Axis {
    /// The one that a packet to one tile takes first.
    pub(crate) fn first(noc: Noc) -> Self {
        match noc {
            Noc::Zero => Self::X,
            Noc::One => Self::Y,
        }
    }

    fn other(self) -> Self {
        match self {
            Self::X => Self::Y,
            Self::Y => Self::X,
        }
    }
}

/// So many links along one axis, then so many along the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    first: Axis,
    from: (u8, u8),
    /// Links along the first axis.
    pub(crate) turn: u8,
    /// Links along the other.
    pub(crate) end: u8,
}

impl Path {
    /// From one router to another.
    pub(crate) fn new(noc: Noc, from: Raw, to: Raw) -> Self {
        let start = Self { first: Axis::first(noc), from: own(noc, from), turn: 0, end: 0 };
        let (turn, end) = start.offsets(own(noc, to));
        Self { turn, end, ..start }
    }

    /// How far a router lies from the start, along the first axis and along the other.
    fn offsets(&self, to: (u8, u8)) -> (u8, u8) {
        let x = (to.0 + WIDTH - self.from.0) % WIDTH;
        let y = (to.1 + HEIGHT - self.from.1) % HEIGHT;
        if self.first == Axis::X { (x, y) } else { (y, x) }
    }

    /// The router that far from the start, as a number.
    fn router(&self, along: u8, across: u8) -> usize {
        let (x, y) = if self.first == Axis::X { (along, across) } else { (across, along) };
        let (x, y) = ((self.from.0 + x) % WIDTH, (self.from.1 + y) % HEIGHT);
        usize::from(y) * usize::from(WIDTH) + usize::from(x)
    }

    /// The link that leads on from there, along the first axis or the other, as a number below twice [`ROUTERS`].
    pub(crate) fn link(&self, along: u8, across: u8, first: bool) -> usize {
        let axis = if first { self.first } else { self.first.other() };
        2 * self.router(along, across) + usize::from(axis == Axis::Y)
    }
}

/// A place in the coordinates of `noc`.
fn own(noc: Noc, raw: Raw) -> (u8, u8) {
    match noc {
        Noc::Zero => (raw.x, raw.y),
        Noc::One => (WIDTH - 1 - raw.x, HEIGHT - 1 - raw.y),
    }
}

/// How a receiver of a multicast stands.
#[derive(Clone, Copy, Debug)]
struct Receiver {
    /// When its copy comes, were nothing else on the links.
    nominal: Time,
    /// How long it has waited on its way; [`NEVER`] before it is through.
    waited: Time,
}

/// The lines that a multicast fans out into.
#[derive(Clone, Debug)]
pub(crate) struct Fan {
    path: Path,
    /// The receivers on each line across, as bits by how far along they are.
    lines: [u32; WIDTH as usize],
    /// How long the copy on each line has waited; [`NEVER`] before it is there.
    waited: [Time; WIDTH as usize],
    receivers: [Receiver; ROUTERS],
    /// Those whose copy has not come.
    pub(crate) left: Tiles,
}

impl Fan {
    /// The tree to `tiles`, with its path to the first line's first receiver and to the last line.
    pub(crate) fn new(noc: Noc, major: Axis, from: Raw, tiles: Tiles, map: &Topology) -> (Self, Path) {
        let mut path = Path { first: major, from: own(noc, from), turn: u8::MAX, end: 0 };
        let mut lines = [0; WIDTH as usize];
        for tile in tiles {
            let (along, across) = path.offsets(own(noc, map.home(tile).raw));
            lines[usize::from(across)] |= 1 << along;
            (path.turn, path.end) = (path.turn.min(along), path.end.max(across));
        }
        let unknown = Receiver { nominal: NEVER, waited: NEVER };
        let waited = [NEVER; WIDTH as usize];
        (Self { path, lines, waited, receivers: [unknown; ROUTERS], left: tiles }, path)
    }

    /// The copy for the line `across` parts from the others, if there is one; true when it takes a link.
    pub(crate) fn part(&mut self, across: u8, waited: Time) -> bool {
        let line = usize::from(across);
        if self.lines[line] == 0 {
            return false;
        }
        self.waited[line] = waited;
        self.pass(self.path.turn, across)
    }

    /// The copy on a line has waited.
    pub(crate) fn wait(&mut self, across: u8, by: Time) {
        self.waited[usize::from(across)] += by;
    }

    /// The copy on a line is at a router; true when it goes on.
    pub(crate) fn pass(&mut self, along: u8, across: u8) -> bool {
        let line = self.lines[usize::from(across)];
        if line >> along & 1 == 1 {
            self.receivers[self.path.router(along, across)].waited = self.waited[usize::from(across)];
        }
        line >> along > 1
    }

    fn receiver(&mut self, noc: Noc, raw: Raw) -> &mut Receiver {
        let (along, across) = self.path.offsets(own(noc, raw));
        &mut self.receivers[self.path.router(along, across)]
    }

    /// The copy to a receiver comes at `at`, were nothing else on the links.
    pub(crate) fn expect(&mut self, noc: Noc, raw: Raw, at: Time) {
        self.receiver(noc, raw).nominal = at;
    }

    /// When it comes, or the least that can be told by now: on its line, or before it when it is `on_the_way` there so long.
    pub(crate) fn due(&self, noc: Noc, raw: Raw, on_the_way: Time) -> Time {
        let (along, across) = self.path.offsets(own(noc, raw));
        let receiver = self.receivers[self.path.router(along, across)];
        let known = [receiver.waited, self.waited[usize::from(across)], on_the_way];
        receiver.nominal + known.into_iter().find(|waited| *waited != NEVER).unwrap_or(0)
    }
}
