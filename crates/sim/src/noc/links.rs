//! What packets of more than a flit of data do to each other between the routers (tensix.md §6: 64 bytes a cycle, 60.9 effective).
//!
//! Each router has two links, one along its row and one along its column. A link carries one packet at a time, as fast as a
//! port does, in the order in which their heads come to it; a packet that finds it taken waits in front of it, with as much
//! room there as it needs, and then goes on, flit behind flit. Nothing here sends anything: a packet arrives when its sender
//! says, and whoever takes it there asks whether it had to wait ([`Links::pass`]).
//!
//! That is exact, whatever order tiles are run in. A packet is there a lookahead or more after its head has come to its last
//! link, so every packet that could have come to one of its links before it is known by then: all that happens on links up to
//! that moment is done first, in order of time, then of sender, then of its packets.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroU32;

use super::Noc;
use super::latency::LOOKAHEAD;
use super::multicast::Tiles;
use super::path::{Axis, Fan, Path, ROUTERS};
use super::route::Raw;
use super::translate::{Place, TileId, Topology};
use crate::time::{NEVER, Time};

/// A packet that asks at its destination whether it has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket(NonZeroU32);

impl Ticket {
    fn slot(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// What sets out from a tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departure {
    pub(crate) noc: Noc,
    pub(crate) source: TileId,
    pub(crate) from: Raw,
    /// When its head is at its first link.
    pub(crate) at: Time,
    /// How long a link takes for it; 0 for a single flit, which passes between the others.
    pub(crate) length: Time,
    /// From one link to the next.
    pub(crate) hop: Time,
    /// The static channel on which it stays behind the sender's earlier packets.
    pub(crate) channel: Option<u8>,
}

/// Where it goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Towards {
    One(Place),
    /// A multicast with its major axis.
    Many(Axis, Tiles),
}

/// A packet on its way.
#[derive(Clone, Debug)]
struct Packet {
    noc: Noc,
    source: TileId,
    channel: Option<u8>,
    /// Its place in the order at one moment: the sender, then how many it had sent.
    key: u64,
    path: Path,
    length: Time,
    hop: Time,
    /// How long its head has waited, of a multicast on the part that all copies share.
    waited: Time,
    to: To,
}

#[derive(Clone, Debug)]
enum To {
    /// A tile, and when the packet comes there, were nothing else on the links.
    One(TileId, Time),
    /// Those of a fan, by its number.
    Many(usize),
    /// Tiles that are still to take their copy of a single flit, by their count.
    Behind(u32),
}

/// The head of a packet, or of a copy, in front of a link. In the order in which heads take links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Head {
    at: Time,
    key: u64,
    slot: u32,
    along: u8,
    across: u8,
    /// True for the copy of a multicast on one line.
    copy: bool,
}

/// The links of both NoCs, and what is on its way over them.
#[derive(Clone)]
pub(crate) struct Links {
    /// When each link is free.
    free: Vec<Time>,
    heads: BinaryHeap<Reverse<Head>>,
    packets: Vec<Option<Packet>>,
    vacant: Vec<u32>,
    fans: Vec<Fan>,
    vacant_fans: Vec<usize>,
    /// What is on its way with a static channel, of each tile and NoC, in the order it set out.
    ordered: Vec<Vec<u32>>,
    /// What each tile has sent.
    sent: Vec<u64>,
    /// Up to where links have taken their packets.
    come: Time,
}

impl Links {
    pub(crate) fn new(tiles: usize) -> Self {
        Self {
            free: vec![0; 4 * ROUTERS],
            heads: BinaryHeap::new(),
            packets: Vec::new(),
            vacant: Vec::new(),
            fans: Vec::new(),
            vacant_fans: Vec::new(),
            ordered: vec![Vec::new(); 2 * tiles],
            sent: vec![0; tiles],
            come: 0,
        }
    }

    /// True while nobody has a ticket.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.vacant.len() == self.packets.len()
    }

    /// True when a single flit of `source` on a static channel may have to stay behind something.
    #[inline]
    pub(crate) fn holds_up(&self, source: TileId, noc: Noc) -> bool {
        !self.ordered[lane(source, noc)].is_empty()
    }

    /// A packet sets out.
    pub(crate) fn depart(&mut self, departure: Departure, towards: Towards, map: &Topology) -> Ticket {
        let Departure { noc, source, from, at, length, hop, channel } = departure;
        debug_assert!(length == 0 || at > self.come, "{departure:?} sets out before {}", self.come);
        let sent = &mut self.sent[source.index()];
        *sent += 1;
        let key = u64::from(source.0) << 48 | *sent;
        let (path, to) = match towards {
            Towards::One(place) if length > 0 => {
                (Path::new(noc, from, place.raw), To::One(place.tile, NEVER))
            }
            Towards::Many(major, tiles) if length > 0 => {
                let (fan, path) = Fan::new(noc, major, from, tiles, map);
                (path, To::Many(self.keep(fan)))
            }
            Towards::One(_) => (Path::new(noc, from, from), To::Behind(1)),
            Towards::Many(_, tiles) => (Path::new(noc, from, from), To::Behind(tiles.count() as u32)),
        };
        let packet = Packet { noc, source, channel, key, path, length, hop, waited: 0, to };
        let slot = match self.vacant.pop() {
            Some(slot) => {
                self.packets[slot as usize] = Some(packet);
                slot
            }
            None => {
                self.packets.push(Some(packet));
                self.packets.len() as u32 - 1
            }
        };
        if length > 0 {
            if channel.is_some() {
                self.ordered[lane(source, noc)].push(slot);
            }
            let head = Head { at, key, slot, along: 0, across: 0, copy: false };
            if self.arrive(head) {
                self.heads.push(Reverse(head));
            }
        }
        Ticket(NonZeroU32::MIN.saturating_add(slot))
    }

    fn keep(&mut self, fan: Fan) -> usize {
        if let Some(number) = self.vacant_fans.pop() {
            self.fans[number] = fan;
            return number;
        }
        self.fans.push(fan);
        self.fans.len() - 1
    }

    /// The message of a packet to the tile behind `raw` is on its way, for the moment at which it comes if it waits nowhere.
    pub(crate) fn expect(&mut self, ticket: Ticket, raw: Raw, at: Time) {
        let Some(packet) = &mut self.packets[ticket.slot()] else { return };
        match &mut packet.to {
            To::One(_, nominal) => *nominal = at,
            To::Many(fan) => self.fans[*fan].expect(packet.noc, raw, at),
            To::Behind(_) => {}
        }
    }

    /// The packet is at `tile` at `at`, were it not for others: gives when it is there, later, or `None` when it is. It
    /// gives its ticket back with that.
    pub(crate) fn pass(&mut self, ticket: Ticket, tile: TileId, raw: Raw, at: Time) -> Option<Time> {
        self.advance(at.saturating_sub(LOOKAHEAD));
        let packet = self.packets[ticket.slot()].as_ref()?;
        let own = self.due(packet, raw).unwrap_or(at);
        let earlier = self.ordered[lane(packet.source, packet.noc)].iter();
        let earlier = earlier.filter_map(|slot| self.packets[*slot as usize].as_ref());
        let due = earlier
            .filter(|other| {
                other.key < packet.key && packet.channel == other.channel && self.holds(other, tile)
            })
            .filter_map(|other| self.due(other, raw))
            .fold(own, Time::max);
        if due > at {
            return Some(due);
        }
        self.give_back(ticket, tile);
        None
    }

    /// When a packet comes, or the least that can be told by now; `None` for a single flit.
    fn due(&self, packet: &Packet, raw: Raw) -> Option<Time> {
        match packet.to {
            To::One(_, nominal) => Some(nominal.saturating_add(packet.waited)),
            To::Many(fan) => Some(self.fans[fan].due(packet.noc, raw, packet.waited)),
            To::Behind(_) => None,
        }
    }

    /// True while a packet is to come to `tile`.
    fn holds(&self, packet: &Packet, tile: TileId) -> bool {
        match packet.to {
            To::One(to, _) => to == tile,
            To::Many(fan) => self.fans[fan].left.holds(tile),
            To::Behind(_) => false,
        }
    }

    fn give_back(&mut self, ticket: Ticket, tile: TileId) {
        let slot = ticket.slot();
        let Some(packet) = &mut self.packets[slot] else { return };
        let over = match &mut packet.to {
            To::One(..) => true,
            To::Many(fan) => {
                let left = &mut self.fans[*fan].left;
                left.remove(tile);
                if left.is_empty() {
                    self.vacant_fans.push(*fan);
                }
                left.is_empty()
            }
            To::Behind(left) => {
                *left -= 1;
                *left == 0
            }
        };
        if over {
            self.ordered[lane(packet.source, packet.noc)].retain(|other| *other as usize != slot);
            self.packets[slot] = None;
            self.vacant.push(slot as u32);
        }
    }

    /// Lets links take what comes to them up to and at `until`.
    fn advance(&mut self, until: Time) {
        while let Some(Reverse(first)) = self.heads.peek().copied()
            && first.at <= until
        {
            self.heads.pop();
            let mut head = first;
            while self.take_link(&mut head) {
                // On as long as it comes first.
                if head.at > until || self.heads.peek().is_some_and(|Reverse(other)| *other < head) {
                    self.heads.push(Reverse(head));
                    break;
                }
            }
        }
        self.come = self.come.max(until);
    }

    /// A head takes the link it is in front of; true when it is in front of another one then.
    fn take_link(&mut self, head: &mut Head) -> bool {
        let Some(packet) = &mut self.packets[head.slot as usize] else { return false };
        let first = head.copy || head.along < packet.path.turn;
        let link = packet.path.link(head.along, head.across, first);
        let free = &mut self.free[2 * ROUTERS * packet.noc.index() + link];
        let taken = head.at.max(*free);
        *free = taken + packet.length;
        let waited = taken - head.at;
        match packet.to {
            To::Many(fan) if head.copy => self.fans[fan].wait(head.across, waited),
            _ => packet.waited += waited,
        }
        head.at = taken + packet.hop;
        *(if first { &mut head.along } else { &mut head.across }) += 1;
        self.arrive(*head)
    }

    /// A head is at a router; true when it goes on. Copies part from a multicast's there.
    fn arrive(&mut self, head: Head) -> bool {
        let Some(packet) = &mut self.packets[head.slot as usize] else { return false };
        let Path { turn, end, .. } = packet.path;
        let goes_on = head.along < turn || head.across < end;
        let To::Many(fan) = packet.to else { return goes_on };
        let fan = &mut self.fans[fan];
        if head.copy {
            return fan.pass(head.along, head.across);
        }
        if head.along == turn && fan.part(head.across, packet.waited) {
            self.heads.push(Reverse(Head { copy: true, ..head }));
        }
        goes_on
    }
}

/// The packets with a static channel of a tile on a NoC, as a number.
fn lane(source: TileId, noc: Noc) -> usize {
    2 * source.index() + noc.index()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::noc::latency::{CYCLE, WRITE_HOP, packet, write};
    use crate::noc::route::hops;
    use crate::noc::translate::Harvest;

    /// A packet to one tile.
    #[derive(Clone, Copy, Debug)]
    struct Plan {
        noc: Noc,
        from: TileId,
        to: Place,
        start: Time,
        length: Time,
        nominal: Time,
    }

    fn map() -> Topology {
        Topology::new(Harvest { columns: Harvest::first(14), channels: 0xff })
    }

    fn plan(map: &Topology, (noc, from, to, start, bytes): (bool, u16, u16, Time, u64)) -> Plan {
        let noc = Noc::BOTH[usize::from(noc)];
        let (from, to) = (TileId(from), map.place_of(TileId(to)));
        let (start, length) = (start * CYCLE, packet(bytes));
        let nominal = start + length + write(noc, map.home(from).raw, to.raw);
        Plan { noc, from, to, start, length, nominal }
    }

    /// When each packet comes by the rule itself: of all heads in front of a link the first takes it.
    fn by_the_rule(map: &Topology, plans: &[Plan]) -> Vec<Time> {
        let mut free = vec![0; 4 * ROUTERS];
        let mut heads: Vec<_> = plans
            .iter()
            .map(|plan| (plan.start, 0, Path::new(plan.noc, map.home(plan.from).raw, plan.to.raw)))
            .collect();
        let mut comes = vec![0; plans.len()];
        while let Some(i) =
            (0..plans.len()).filter(|i| comes[*i] == 0).min_by_key(|i| (heads[*i].0, plans[*i].from, *i))
        {
            let (at, done, path) = &mut heads[i];
            let plan = &plans[i];
            let hops = hops(plan.noc, map.home(plan.from).raw, plan.to.raw);
            if *done == hops {
                comes[i] = *at - plan.start - hops * WRITE_HOP + plan.nominal;
                continue;
            }
            let along = (*done as u8).min(path.turn);
            let across = *done as u8 - along;
            let free =
                &mut free[2 * ROUTERS * plan.noc.index() + path.link(along, across, along < path.turn)];
            let taken = (*at).max(*free);
            *free = taken + plan.length;
            (*at, *done) = (taken + WRITE_HOP, *done + 1);
        }
        comes
    }

    /// The same by tickets. `late` lets each packet set out as late as it may, when its time has come; otherwise all are known
    /// at once.
    fn by_tickets(map: &Topology, plans: &[Plan], late: bool) -> Vec<Time> {
        let mut links = Links::new(map.homes.len());
        let mut order: Vec<usize> = (0..plans.len()).collect();
        order.sort_by_key(|i| (plans[*i].start, plans[*i].from, *i));
        let mut order = order.into_iter().peekable();
        // (when, which); arrivals wait here for their turn.
        let mut inbox: std::collections::BTreeSet<(Time, usize)> = Default::default();
        let mut tickets = vec![None; plans.len()];
        let mut comes = vec![0; plans.len()];
        loop {
            let next = inbox.first().map_or(NEVER, |first| first.0);
            if let Some(i) = order.next_if(|i| !late || plans[*i].start <= next.saturating_sub(LOOKAHEAD)) {
                let Plan { noc, from, to, start, length, nominal } = plans[i];
                let raw = map.home(from).raw;
                let departure = Departure {
                    noc,
                    source: from,
                    from: raw,
                    at: start,
                    length,
                    hop: WRITE_HOP,
                    channel: None,
                };
                let ticket = links.depart(departure, Towards::One(to), map);
                links.expect(ticket, to.raw, nominal);
                tickets[i] = Some(ticket);
                inbox.insert((nominal, i));
                continue;
            }
            let Some((at, i)) = inbox.pop_first() else { break };
            match links.pass(tickets[i].unwrap(), plans[i].to.tile, plans[i].to.raw, at) {
                Some(later) => assert!(later > at && inbox.insert((later, i))),
                None => comes[i] = at,
            }
        }
        assert!(links.is_idle());
        comes
    }

    proptest! {
        #[test]
        fn packets_come_as_the_rule_says_however_early_they_are_known(
            plans in prop::collection::vec((any::<bool>(), 0u16..140, 0u16..140, 1u64..600, 65u64..16385), 1..40)
        ) {
            let map = map();
            let mut plans: Vec<_> = plans.into_iter().map(|one| plan(&map, one)).collect();
            plans.retain(|plan| plan.from != plan.to.tile);
            plans.sort_by_key(|plan| (plan.start, plan.from));
            let expected = by_the_rule(&map, &plans);
            prop_assert_eq!(&by_tickets(&map, &plans, true), &expected);
            prop_assert_eq!(&by_tickets(&map, &plans, false), &expected);
        }
    }

    #[test]
    fn a_multicast_waits_on_each_line_apart_and_is_as_far_from_its_sender_as_a_packet_of_its_own() {
        let map = map();
        let at = |x: u8, y: u8| map.place(Noc::Zero, komorebi_card::NocXy::new(x, y)).unwrap();
        let (from, length) = (at(2, 3), packet(16384));
        let mut links = Links::new(map.homes.len());
        let mut depart = |from: Place, start, towards| {
            let (noc, source) = (Noc::Zero, from.tile);
            let departure =
                Departure { noc, source, from: from.raw, at: start, length, hop: WRITE_HOP, channel: None };
            links.depart(departure, towards, &map)
        };
        // Something is on the line of row 5, from column 4 on.
        depart(at(4, 5), 1, Towards::One(at(6, 5)));
        let tiles: Tiles =
            (3..=6).flat_map(|x| [at(x, 3), at(x, 5), at(1, 5)]).map(|place| place.tile).collect();
        let ticket = depart(from, 2, Towards::Many(Axis::X, tiles));
        for tile in tiles {
            let raw = map.home(tile).raw;
            let nominal = 2 + length + write(Noc::Zero, from.raw, raw);
            links.expect(ticket, raw, nominal);
            let later = links.pass(ticket, tile, raw, nominal);
            let waits = (raw.x > 4 || raw.x == 1) && raw.y == 5;
            assert_eq!(later.is_some(), waits, "{raw:?}");
            if let Some(later) = later {
                // The head comes to that link four hops after it set out.
                let waited = 1 + length - 2 - 4 * WRITE_HOP;
                assert_eq!(later - nominal, waited, "{raw:?}");
                assert_eq!(links.pass(ticket, tile, raw, later), None);
            }
        }
    }
}
