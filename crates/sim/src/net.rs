//! What the tiles have between them: messages, and the facts every tile needs.

use crate::code_memory::CodeCache;
use crate::costs::Costs;
use crate::counters::Counters;
use crate::host_side::HostSide;
use crate::l2cpu::{Answer, WindowLoad};
use crate::message::{Ack, Body, Payload, Reply};
use crate::noc::latency::{self, LOOKAHEAD};
use crate::noc::links::{Departure, Links, Ticket, Towards};
use crate::noc::route::Raw;
use crate::noc::translate::{Kind, Place, TileId, Topology};
use crate::noc::{Noc, latency::DISORDER};
use crate::queue::{NextTimes, Queue};
use crate::seed::Seed;
use crate::sparse::Sparse;
use crate::tamper::{Harm, Tamper, is_packet};
use crate::tile::command::Command;
use crate::time::Time;

/// The number under which the host sends.
pub(crate) const HOST: u16 = u16::MAX;

/// Bytes of a page of DRAM.
pub(crate) const DRAM_PAGE: usize = 65536;

/// Everything outside the tile that runs.
#[derive(Clone)]
pub(crate) struct Net {
    pub(crate) map: Topology,
    pub(crate) seed: Seed,
    pub(crate) costs: Costs,
    pub(crate) counters: Counters,
    pub(crate) code: CodeCache,
    pub(crate) host: HostSide,
    /// The loads through windows, of each hart of each cluster.
    pub(crate) windows: [[WindowLoad; 4]; 4],
    /// The memory of each DRAM channel.
    pub(crate) dram: [Sparse<DRAM_PAGE>; 8],
    /// What packets do to each other on their way.
    links: Links,
    /// Harm to packets that are still to arrive.
    tampers: Vec<Tamper>,
    /// True while there is no harm to packets and none may have to wait: messages are taken as they come.
    straight: bool,
    queue: Queue,
    pub(crate) next: NextTimes,
    sequences: Vec<u64>,
    /// The tile that runs.
    running: usize,
    /// The last moment to which the machine runs before the host looks.
    pub(crate) until: Time,
    /// Nothing may happen in the running tile at this moment or later: messages may still come for it.
    pub(crate) bound: Time,
    /// The same for the hart that runs: another hart or a message of the own tile may come first.
    pub(crate) limit: Time,
}

impl Net {
    pub(crate) fn new(map: Topology, seed: Seed, costs: Costs) -> Self {
        let tiles = map.homes.len();
        Self {
            map,
            seed,
            costs,
            counters: Counters::default(),
            code: CodeCache::default(),
            host: HostSide::default(),
            windows: Default::default(),
            dram: std::array::from_fn(|_| Sparse::new(1 << 32)),
            links: Links::new(tiles),
            tampers: Vec::new(),
            straight: true,
            queue: Queue::new(tiles),
            next: NextTimes::new(tiles),
            sequences: vec![0; tiles + 1],
            running: usize::MAX,
            until: 0,
            bound: 0,
            limit: 0,
        }
    }

    /// Lets `tile` run up to `bound`.
    pub(crate) fn start(&mut self, tile: usize, bound: Time) {
        (self.running, self.bound, self.limit) = (tile, bound, bound);
    }

    /// No tile runs: the host may send.
    pub(crate) fn stop(&mut self) {
        self.running = usize::MAX;
    }

    /// When the next message to `tile` is due.
    #[inline]
    pub(crate) fn due(&self, tile: TileId) -> Time {
        self.queue.next(tile.index())
    }

    /// What the next message to `tile` does.
    pub(crate) fn peek(&self, tile: TileId) -> Option<&Body> {
        self.queue.peek(tile.index())
    }

    /// Takes the next message to `tile`; `None` for one that gets lost or late.
    pub(crate) fn take(&mut self, tile: TileId) -> Option<(Time, u16, Body)> {
        if !self.straight && self.is_held_up(tile) {
            return None;
        }
        let message = self.queue.pop(tile.index())?;
        self.counters.messages += 1;
        Some(message)
    }

    /// True when the next message to `tile` comes later, since it had to wait on its way, or comes to harm.
    #[cold]
    fn is_held_up(&mut self, tile: TileId) -> bool {
        if let Some((at, body)) = self.queue.peek_mut(tile.index())
            && let Some(place) = body.ticket()
            && let Some(ticket) = *place
        {
            if let Some(later) = self.links.pass(ticket, tile, self.map.home(tile).raw, at) {
                self.queue.postpone(tile.index(), later - at);
                return true;
            }
            *place = None;
            self.look();
        }
        let Some(harm) = self.take_harm(tile) else { return false };
        self.counters.messages += 1;
        match harm {
            // It is the same message: what its source sends besides is numbered, and drawn for, as without.
            Harm::Delay(by) => self.queue.postpone(tile.index(), by),
            Harm::Drop => _ = self.queue.pop(tile.index()),
        }
        true
    }

    /// What happens to the next message to `tile` on purpose.
    fn take_harm(&mut self, tile: TileId) -> Option<Harm> {
        // What a tile sends itself is no packet; nor does this harm the host's requests.
        let source = self.queue.source(tile.index())?;
        let packet = source != HOST && source != tile.0 && self.peek(tile).is_some_and(is_packet);
        let index = self.tampers.iter().position(|tamper| packet && tamper.to == tile)?;
        let harm = self.tampers[index].harm;
        self.tampers[index].left = self.tampers[index].left.saturating_sub(1);
        self.tampers.retain(|tamper| tamper.left > 0);
        self.look();
        Some(harm)
    }

    /// Adds to the harm to packets.
    pub(crate) fn harm(&mut self, tampers: impl IntoIterator<Item = Tamper>) {
        self.tampers.extend(tampers);
        self.look();
    }

    /// No packet comes to harm any more.
    pub(crate) fn mend(&mut self) {
        self.tampers.clear();
        self.look();
    }

    /// Something has changed of what may hold messages up.
    fn look(&mut self) {
        self.straight = self.tampers.is_empty() && self.links.is_idle();
    }

    /// Sends a message that acts on `to` at `at`.
    pub(crate) fn push(&mut self, source: u16, to: TileId, at: Time, body: Body) {
        let sequence = self.sequence(source);
        *sequence += 1;
        let sequence = *sequence;
        self.queue.push(to.index(), at, source, sequence, body);
        if to.index() == self.running {
            self.limit = self.limit.min(at);
            return;
        }
        if at < self.next.get(to.index()) {
            self.next.set(to.index(), at);
        }
        // Whatever that tile does then can be back here no sooner than the lookahead.
        self.bound = self.bound.min(at.saturating_add(LOOKAHEAD));
        self.limit = self.limit.min(self.bound);
    }

    /// What the seed adds to the next message of `source`.
    pub(crate) fn delay(&mut self, source: u16) -> Time {
        let sequence = *self.sequence(source);
        self.seed.delay(source, sequence + 1, DISORDER)
    }

    fn sequence(&mut self, source: u16) -> &mut u64 {
        let last = self.sequences.len() - 1;
        &mut self.sequences[usize::from(source).min(last)]
    }

    /// When a write that leaves `from` at `leave` arrives, without the seed's delay.
    pub(crate) fn arrival(&self, noc: Noc, from: Raw, to: Place, leave: Time) -> Time {
        let travel = latency::write(noc, from, to.raw);
        match self.map.home(to.tile).kind {
            Kind::Pcie => leave + travel.max(self.costs.event),
            _ => leave + travel,
        }
    }

    /// From a read's access at `to` to its answer's first flit being back at `from`.
    pub(crate) fn answer(&self, noc: Noc, from: Raw, to: Place) -> Time {
        match self.map.home(to.tile).kind {
            Kind::Pcie => latency::response(noc, from, to.raw).max(self.costs.event),
            _ => latency::response(noc, from, to.raw),
        }
    }

    /// When a read request that leaves `from` at `leave` is at `to`.
    pub(crate) fn asking(&self, noc: Noc, from: Raw, to: Place, leave: Time) -> Time {
        let travel = latency::request(noc, from, to.raw);
        match self.map.home(to.tile).kind {
            Kind::Pcie => leave + travel.max(self.costs.event),
            _ => leave + travel,
        }
    }

    /// A request of a tile sets out, its head at `start`: gives the ticket it needs where others may make it wait.
    #[inline]
    pub(crate) fn depart(
        &mut self,
        source: TileId,
        noc: Noc,
        command: &Command,
        start: Time,
    ) -> Option<Ticket> {
        if latency::is_long(command.operation.data()) || self.links.holds_up(source, noc) {
            return self.depart_in_turn(source, noc, command, start);
        }
        None
    }

    #[cold]
    fn depart_in_turn(&mut self, source: TileId, noc: Noc, command: &Command, start: Time) -> Option<Ticket> {
        let (from, channel, towards) = (self.map.home(source).raw, command.channel, command.towards());
        let bytes = command.operation.data();
        let length = if latency::is_long(bytes) { latency::packet(bytes) } else { 0 };
        let goes = match towards {
            Towards::One(place) => place.raw != from,
            Towards::Many(_, tiles) => !tiles.is_empty(),
        };
        let departure = Departure { noc, source, from, at: start, length, hop: latency::WRITE_HOP, channel };
        (goes && (length > 0 || channel.is_some())).then(|| self.set_out(departure, towards))
    }

    fn set_out(&mut self, departure: Departure, towards: Towards) -> Ticket {
        self.straight = false;
        self.links.depart(departure, towards, &self.map)
    }

    /// The packet with this ticket is at `to` at `at`, where nothing holds it up: the message of it comes next.
    #[cold]
    pub(crate) fn expect(&mut self, ticket: Ticket, to: TileId, at: Time) {
        self.links.expect(ticket, self.map.home(to).raw, at);
    }

    /// Answers a read with what is there at `ready`.
    pub(crate) fn reply(&mut self, source: TileId, ready: Time, reply: Reply, data: Payload) {
        self.reply_from(source, self.map.home(source).raw, [ready, ready], reply, data);
    }

    /// Answers a read through the router at `from`; the first flit sets out and the last one leaves at these moments.
    pub(crate) fn reply_from(
        &mut self,
        source: TileId,
        from: Raw,
        [start, ready]: [Time; 2],
        reply: Reply,
        data: Payload,
    ) {
        match reply {
            Reply::Niu { tile, noc, transaction, address, after } => {
                let arrival = ready + after + self.delay(source.0);
                let bytes = data.bytes().len() as u64;
                let mut ticket = None;
                if latency::is_long(bytes) && source != tile {
                    let (length, hop) = (latency::packet(bytes), latency::ANSWER_HOP);
                    let departure = Departure { noc, source, from, at: start, length, hop, channel: None };
                    let given = self.set_out(departure, Towards::One(self.map.place_of(tile)));
                    self.expect(given, tile, arrival);
                    ticket = Some(given);
                }
                let body = Body::ReadDone { noc, transaction, address, data, queued: true, ticket };
                self.push(source.0, tile, arrival, body);
            }
            Reply::Window { cluster, hart, ticket, after } => {
                let bytes = data.bytes().len().min(8);
                let mut word = [0; 8];
                word[..bytes].copy_from_slice(&data.bytes()[..bytes]);
                let arrival = ready + after + self.delay(source.0);
                let answer = Answer { at: arrival, value: u64::from_le_bytes(word) };
                let stands = self.windows[usize::from(cluster)][usize::from(hart)].answer(ticket, answer);
                if stands && let Some(tile) = self.map.find(Kind::L2Cpu(cluster)) {
                    self.push(source.0, tile, arrival, Body::Answered { hart });
                }
            }
            Reply::Line { tile, number, after } => {
                let arrival = ready + after + self.delay(source.0);
                self.push(source.0, tile, arrival, Body::Line { number, data });
            }
            Reply::Code { tile, hart, ticket, after } => {
                let arrival = ready + after + self.delay(source.0);
                self.push(source.0, tile, arrival, Body::Code { hart, ticket, data });
            }
            Reply::Host => self.host.reply = Some(data),
        }
    }

    /// Acknowledges a write whose data is there at `at`.
    pub(crate) fn acknowledge(&mut self, source: TileId, at: Time, noc: Noc, ack: Ack) {
        let arrival = at + Time::from(ack.after) + self.delay(source.0);
        self.push(source.0, ack.tile, arrival, Body::Ack { noc, transaction: ack.transaction });
    }
}
