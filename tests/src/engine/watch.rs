//! Holds what the dispatcher does against the machines of `komorebi_abi`: the same commands with the same arguments in the
//! same order, the same events, the same registers.
//!
//! The watch completes one command at a time and lets the dispatcher come to rest before the next. At rest, a command that
//! a machine has ready and the dispatcher has not submitted must have a reason: no slot, no quiet group, no idle cores.

use std::collections::VecDeque;
use std::time::Duration;

use komorebi_abi::constants::command as c;
use komorebi_abi::engine::{
    EngineCommand, Image, Machine, Output, Reason, RecordBody, Refusal, Run, Step, UploadKind,
};
use komorebi_abi::graph::GraphMachine;
use komorebi_abi::stream::StreamMachine;
use komorebi_abi::wire::{EventKind, Line, RawEvent};
use komorebi_card::{Card as _, CardTime};

use super::{Grid, Random, Seen, cancel_line, run_line};
use crate::dispatcher::{MICROSECOND, Rig, command};

fn is_deadline(output: Output) -> bool {
    matches!(output, Output::Error(Refusal { reason: Reason::DEADLINE, .. }))
}

/// Handlers of host commands; those below are the engines'.
pub const HOST_HANDLERS: u32 = 200;
/// Instructions a machine may run in one go before it is said to spin.
const SPIN: u32 = 20_000;

#[derive(Debug)]
enum Model {
    Graph(GraphMachine),
    Stream(StreamMachine),
    Refused,
}

impl Model {
    fn machine(&mut self) -> Option<&mut dyn Machine> {
        match self {
            Self::Graph(machine) => Some(machine),
            Self::Stream(machine) => Some(machine),
            Self::Refused => None,
        }
    }
}

/// An engine that runs on the card and as a machine beside it.
#[derive(Debug)]
pub struct Engine {
    /// Its upload.
    pub bytes: Vec<u8>,
    /// Where it lies.
    pub offset: u32,
    /// Its req.
    pub req: u16,
    /// Its kind.
    pub kind: UploadKind,
    /// Its events so far.
    pub events: Vec<Output>,
    image: Option<Image>,
    model: Model,
    held: Option<EngineCommand>,
    expected: VecDeque<Output>,
    place: Option<Option<u32>>, // of the error event, when it was stopped from outside
    spins: bool,
    /// When its deadline may have passed: not before.
    late: Option<CardTime>,
}

impl Engine {
    /// Its last event was seen.
    pub fn has_ended(&self) -> bool {
        self.events.last().is_some_and(|output| output.is_last())
    }

    /// It runs without a command in flight or an event: only a CANCEL ends it.
    pub const fn spins(&self) -> bool {
        self.spins
    }

    /// It has a deadline nearer than `far` microseconds.
    pub fn has_near_deadline(&self, far: u32) -> bool {
        let deadline = self.image.as_ref().map_or(0, |image| image.header.deadline_us);
        deadline != 0 && deadline < far
    }

    /// Its deadline may have passed, and nobody knows where.
    fn may_be_late(&self, now: CardTime) -> bool {
        self.place.is_none() && self.late.is_some_and(|late| now >= late)
    }

    /// Its deadline is this far ahead at most.
    fn time_left(&self, now: CardTime) -> Option<Duration> {
        self.late.map(|late| if late > now { late - now } else { Duration::ZERO })
    }

    /// Ends its machine for a reason from outside, at rest.
    fn stop(&mut self, reason: Reason) {
        let held = self.held.take();
        let Some(machine) = self.model.machine() else { return };
        machine.stop(reason);
        if let Some(held) = held {
            machine.refused(); // it is not in flight; the reason stays the first one
            self.place = Some((self.kind == UploadKind::Stream).then_some(held.node));
        }
        self.spins = false;
    }

    /// The command at hand with its arguments as the registers are now.
    fn with_current_args(&mut self, mut command: EngineCommand) -> EngineCommand {
        let registers = self.model.machine().map(|machine| *machine.registers()).unwrap_or_default();
        let record = self.image.as_ref().map(|image| image.records[command.record as usize]);
        if let Some(RecordBody::Command { mask, args, words, .. }) = record.map(|record| record.body) {
            for i in (0..usize::from(words)).filter(|i| mask >> i & 1 != 0) {
                command.args[i] = registers[args[i] as usize % registers.len()];
            }
        }
        command
    }
}

/// A command in flight, and whose it is.
#[derive(Debug)]
struct Flight {
    sequence: u32,
    owner: Owner,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Owner {
    /// Engine, record, and whether its completion carries a result.
    Engine(usize, u32, bool),
    /// Number.
    Host(u16),
}

/// The dispatcher and what it is held against.
#[derive(Debug)]
pub struct Watch {
    /// The dispatcher.
    pub rig: Rig,
    /// The grid.
    pub grid: Grid,
    /// Every engine started, in order.
    pub engines: Vec<Engine>,
    jobs: Vec<(usize, EngineCommand)>,
    flights: Vec<Flight>,
    host_sent: VecDeque<(u16, u32)>,
    host_done: VecDeque<u16>,
    /// Commands seen.
    pub commands: u64,
}

impl Watch {
    /// Watches a dispatcher that has not run a command yet.
    pub fn new(rig: Rig) -> Self {
        Self {
            rig,
            grid: Grid::default(),
            engines: Vec::new(),
            jobs: Vec::new(),
            flights: Vec::new(),
            host_sent: VecDeque::new(),
            host_done: VecDeque::new(),
            commands: 0,
        }
    }

    fn cores(&self) -> u32 {
        self.rig.setup.grid.0 * self.rig.setup.grid.1
    }

    /// Starts an upload; gives its index.
    pub fn start(&mut self, offset: u32, bytes: &[u8], kind: UploadKind, bindings: &[u32]) -> usize {
        let (cores, index) = (self.cores(), self.engines.len());
        self.rig.put(offset, bytes);
        let line = self.rig.put_bindings(index as u32 % 64, bindings);
        self.rig.send(run_line(Run::Upload { offset, bytes: bytes.len() as u32, kind, bindings: line }));
        let given = line.map(|_| bindings);
        let checked = Image::check(bytes, kind, cores, given);
        let (model, image, expected) = match checked {
            Ok(image) => {
                let model = match kind {
                    UploadKind::Graph => Model::Graph(GraphMachine::start(bytes, cores, bindings).unwrap()),
                    UploadKind::Stream => {
                        Model::Stream(StreamMachine::start(bytes, cores, bindings).unwrap())
                    }
                };
                (model, Some(image), VecDeque::new())
            }
            Err(refusal) => (Model::Refused, None, VecDeque::from([Output::Error(refusal)])),
        };
        let req = Image::peek(bytes).map_or(0, |(_, req)| req);
        let late = self.deadline(image.as_ref());
        self.engines.push(Engine {
            bytes: bytes.to_vec(),
            offset,
            req,
            kind,
            events: Vec::new(),
            image,
            model,
            held: None,
            expected,
            place: None,
            spins: false,
            late,
        });
        index
    }

    /// When an engine is late at the earliest that starts now.
    fn deadline(&self, image: Option<&Image>) -> Option<CardTime> {
        let microseconds = image.map_or(0, |image| image.header.deadline_us);
        (microseconds != 0).then(|| self.rig.card.now() + Duration::from_micros(microseconds.into()))
    }

    /// Runs a kept graph again.
    pub fn restart(&mut self, engine: usize, bindings: &[u32]) {
        let line = self.rig.put_bindings(engine as u32 % 64, bindings);
        let late = self.deadline(self.engines[engine].image.as_ref());
        let at = &mut self.engines[engine];
        assert!(at.has_ended());
        (at.late, at.place) = (late, None);
        at.events.clear();
        if let Model::Graph(machine) = &mut at.model {
            machine.restart(bindings);
        }
        self.rig.send(run_line(Run::Restart { req: at.req, bindings: line }));
    }

    /// True when the dispatcher keeps it for a restart.
    pub fn is_kept(&self, engine: usize) -> bool {
        let at = &self.engines[engine];
        let keeps = at.image.as_ref().is_some_and(|image| image.header.keep);
        keeps && at.events.last().is_some_and(|output| matches!(output, Output::End(..)))
    }

    /// Drops a graph that is kept.
    ///
    /// # Panics
    /// When the dispatcher does not.
    pub fn drop_kept(&mut self, engine: usize) {
        let req = self.engines[engine].req;
        self.rig.send(cancel_line(req));
        let event = self.rig.event();
        self.rig.show_read();
        assert_eq!(
            (event.kind, event.number, event.auxiliary),
            (Ok(EventKind::Error), req, Reason::CANCELLED.0)
        );
    }

    /// Cancels an engine that runs.
    pub fn cancel(&mut self, engine: usize) {
        let at = &mut self.engines[engine];
        self.rig.send(cancel_line(at.req));
        at.stop(Reason::CANCELLED);
    }

    /// Waits at rest until the deadline of an engine that runs has passed. False: it has none.
    pub fn expire(&mut self, engine: usize) -> bool {
        let now = self.rig.card.now();
        let Some(left) = self.engines[engine].time_left(now) else { return false };
        self.engines[engine].stop(Reason::DEADLINE);
        self.engines[engine].late = None;
        // The tick of the RUN is that at which it was taken.
        self.rig.pass(left + Duration::from_millis(1));
        true
    }

    /// Sends a plain command of the host.
    pub fn host(&mut self, handler: u32, first: u32, count: u32) {
        assert!(handler >= HOST_HANDLERS);
        let number = self.rig.send(command(handler as u8, first as u16, count as u16));
        self.host_sent.push_back((number, handler));
    }

    /// Sends any line that ends in no event.
    pub fn send(&mut self, line: Line) {
        self.rig.send(line);
    }

    /// Lets the dispatcher do all it can do without a completion.
    ///
    /// # Panics
    /// When it does something else than the machines, or not all they do.
    pub fn settle(&mut self) {
        let end = self.rig.card.now() + Duration::from_millis(200);
        self.rig.land(); // lines and completions, which the dispatcher would seem to rest before
        loop {
            let mut news = false;
            while let Some(seen) = self.grid.next(&self.rig) {
                self.take(&seen);
                news = true;
            }
            while self.take_event() {
                news = true;
            }
            if !self.has_placeable_job() {
                for engine in 0..self.engines.len() {
                    news |= self.advance(engine);
                }
            }
            if news {
                continue;
            }
            let what = self.outstanding();
            let rests = self.rests();
            if what.is_none() && (rests || self.engines.iter().any(Engine::spins)) {
                return;
            }
            assert!(
                self.rig.card.now() < end,
                "the dispatcher does not come to {what:?}: {}; {:?}",
                self.rig.describe(),
                self.grid
            );
        }
    }

    /// Lets some time pass in which a dispatcher that has nothing to do does nothing: for a microsecond it may wait for a fence.
    fn rests(&self) -> bool {
        let before = self.rig.card.counters();
        self.rig.pass(Duration::from_micros(3));
        let now = self.rig.card.counters();
        if now.x280_instructions == before.x280_instructions {
            return true; // parked in its wait HINT
        }
        // One that polls only loads; but it only loads, too, while it looks through a long queue of jobs.
        self.rig.pass(Duration::from_micros(50));
        self.rig.card.counters().x280_uncached_stores == before.x280_uncached_stores
    }

    /// What must still come, if anything must.
    fn outstanding(&self) -> Option<String> {
        let now = self.rig.card.now();
        let is_late = |engine: &Engine| engine.may_be_late(now);
        if self.has_placeable_job() && !self.engines.iter().any(is_late) {
            return Some(format!("a job of {:?}", self.jobs));
        }
        let free = self.grid.busy.len() < self.rig.setup.depth as usize;
        if free && let Some(host) = self.host_sent.front() {
            return Some(format!("command {host:?} of the host"));
        }
        if let Some(number) = self.host_done.front() {
            return Some(format!("the event of command {number}"));
        }
        self.engines.iter().find_map(|engine| {
            if is_late(engine) {
                // What it still submits nobody knows. Without a command in flight it ends, if it has not.
                let ends = !engine.has_ended() && self.grid.busy.is_empty();
                return ends.then(|| format!("the end of {}, which is late", engine.req));
            }
            if let Some(output) = engine.expected.front() {
                return Some(format!("{output:?} of {}", engine.req));
            }
            let held = engine.held.as_ref()?;
            let quiet =
                self.grid.busy.iter().all(|seen| !seen.overlaps(held.first.into(), held.count.into()));
            (free && (!held.exclusive || quiet)).then(|| format!("{held:?} of {}", engine.req))
        })
    }

    /// The lowest first core of a job of `count` cores.
    fn room_for(&self, count: u32) -> Option<u32> {
        let idle = |first: &u32| self.grid.busy.iter().all(|seen| !seen.overlaps(*first, count));
        (0..=self.cores().checked_sub(count)?).find(idle)
    }

    fn has_placeable_job(&self) -> bool {
        self.grid.busy.len() < self.rig.setup.depth as usize
            && self.jobs.iter().any(|(_, job)| self.room_for(job.count.into()).is_some())
    }

    /// Lets an engine's machine go on until it has a command that is not in flight. True: it went on.
    fn advance(&mut self, engine: usize) -> bool {
        let full = self.jobs.len() >= c::JOB_QUEUE_LENGTH as usize;
        let at = &mut self.engines[engine];
        if at.held.is_some() || at.spins {
            return false;
        }
        let Some(machine) = at.model.machine() else { return false };
        match machine.next(SPIN) {
            Step::Submit(command) if command.queued && full => machine.refused(),
            Step::Submit(command) if command.queued => self.jobs.push((engine, command)),
            Step::Submit(command) => at.held = Some(command),
            Step::Post(Output::Error(Refusal { reason, .. })) if at.place.is_some() => {
                at.expected.push_back(Output::Error(Refusal { reason, place: at.place.flatten() }));
            }
            // Of the first register the event carries 24 bits.
            Step::Post(Output::End(one, other)) => at.expected.push_back(Output::End(one & 0xff_ffff, other)),
            Step::Post(output) => at.expected.push_back(output),
            Step::Spent => at.spins = at.kind == UploadKind::Stream,
            Step::Wait | Step::Ended => return false,
        }
        true
    }

    fn take(&mut self, seen: &Seen) {
        self.commands += 1;
        let sequence = seen.published.sequence;
        if seen.published.handler >= HOST_HANDLERS {
            let (number, handler) = self.host_sent.pop_front().expect("a command of the host");
            assert_eq!(seen.published.handler, handler);
            self.flights.push(Flight { sequence, owner: Owner::Host(number) });
            return;
        }
        // Commands name the engine that submits them: engine i has the handlers 1 + 16 i to 16 + 16 i, modulo what there is.
        for _ in 0..1000 {
            if let Some(owner) = self.claim(seen) {
                self.flights.push(Flight { sequence, owner });
                return;
            }
            let mut went = false;
            for engine in 0..self.engines.len() {
                went |= self.advance(engine);
            }
            assert!(
                went,
                "a command that no machine has: {seen:?}; held {:?}, jobs {:?}, in flight {:?}",
                self.held(),
                self.jobs,
                self.grid.busy
            );
        }
        panic!("a command that no machine comes to: {seen:?}");
    }

    fn held(&self) -> Vec<(u16, EngineCommand)> {
        self.engines.iter().filter_map(|engine| Some((engine.req, engine.held?))).collect()
    }

    /// Whose command it is: a job that finds cores, or what an engine holds.
    fn claim(&mut self, seen: &Seen) -> Option<Owner> {
        let published = seen.published;
        let agrees = |command: &EngineCommand| {
            u32::from(command.handler) == published.handler
                && u32::from(command.count) == published.count
                && u32::from(command.words) == published.args
                && u32::from(command.result) == published.flags
                && command.args() == seen.args
        };
        let busy = self.grid.busy.pop(); // as it was before this one
        let room: Vec<_> = self.jobs.iter().map(|(_, job)| self.room_for(job.count.into())).collect();
        self.grid.busy.extend(busy);
        // The first of its engine that fits; which engine came first the watch does not know.
        let job = (0..self.jobs.len()).find(|&job| {
            let (engine, command) = &self.jobs[job];
            let before = (0..job).any(|other| self.jobs[other].0 == *engine && room[other].is_some());
            !before && room[job] == Some(published.first) && agrees(command)
        });
        if let Some(job) = job {
            let (engine, command) = self.jobs.remove(job);
            return Some(Owner::Engine(engine, command.record, command.result));
        }
        for (i, engine) in self.engines.iter_mut().enumerate() {
            let Some(held) = engine.held else { continue };
            let now = engine.with_current_args(held);
            if agrees(&now) && u32::from(now.first) == published.first {
                engine.held = None;
                return Some(Owner::Engine(i, now.record, now.result));
            }
        }
        None
    }

    /// Takes the next event if there is one.
    fn take_event(&mut self) -> bool {
        let Some(event) = self.rig.poll_event() else { return false };
        self.rig.show_read();
        if event.kind == Ok(EventKind::Done) {
            assert_eq!(self.host_done.pop_front(), Some(event.number), "{event:?}");
            return true;
        }
        let running = |engine: &&mut Engine| engine.req == event.number && !engine.has_ended();
        let Some(engine) = self.engines.iter_mut().find(running) else {
            panic!("an event of nobody: {event:?}; {}", self.rig.describe())
        };
        let output = Output::of_event(&event, engine.kind).unwrap_or_else(|| panic!("{event:?}"));
        for _ in 0..1000 {
            let index =
                self.engines.iter().position(|engine| engine.req == event.number && !engine.has_ended());
            let index = index.unwrap();
            let now = self.rig.card.now();
            let engine = &mut self.engines[index];
            if is_deadline(output) && engine.may_be_late(now) {
                self.take_deadline(index, &event);
                return true;
            }
            if let Some(expected) = engine.expected.pop_front() {
                assert_eq!(output, expected, "engine {}", engine.req);
                engine.events.push(output);
                if engine.has_ended() {
                    self.check_registers(index);
                }
                return true;
            }
            assert!(self.advance(index), "an event that the machine has not: {event:?}, {:?}", self.held());
        }
        panic!("an event that the machine does not come to: {event:?}");
    }

    /// Its deadline passed at a time of its own: what it did before was checked as it came, and nothing is in flight.
    fn take_deadline(&mut self, index: usize, event: &RawEvent) {
        let of_it = |flight: &Flight| matches!(flight.owner, Owner::Engine(engine, ..) if engine == index);
        assert!(!self.flights.iter().any(of_it), "{event:?} with commands in flight: {:?}", self.flights);
        let engine = &mut self.engines[index];
        let deadline = engine.image.as_ref().map_or(0, |image| image.header.deadline_us);
        assert!(
            u64::from(event.ticks) >= u64::from(deadline) * MICROSECOND,
            "{event:?} before {deadline} us"
        );
        let output = Output::of_event(event, engine.kind).unwrap();
        assert!(
            matches!(output, Output::Error(Refusal { place, .. }) if place.is_some() == (engine.kind == UploadKind::Stream))
        );
        engine.events.push(output);
        engine.expected.clear();
        (engine.held, engine.spins, engine.model) = (None, false, Model::Refused);
        self.jobs.retain(|(owner, _)| *owner != index);
    }

    fn check_registers(&mut self, index: usize) {
        let engine = &mut self.engines[index];
        let offset = engine.offset;
        if let Some(machine) = engine.model.machine() {
            let expected = *machine.registers();
            assert_eq!(self.rig.registers(offset), expected, "registers of {}", self.engines[index].req);
        }
    }

    /// Completes one of the commands in flight. False: there is none.
    pub fn complete_one(&mut self, random: &mut Random) -> bool {
        let oldest = self.grid.oldest();
        if oldest.is_empty() {
            return false;
        }
        let index = random.one_of(&oldest);
        let sequence = self.grid.busy[index].published.sequence;
        let flight = self.flights.iter().position(|flight| flight.sequence == sequence).unwrap();
        let owner = self.flights.swap_remove(flight).owner;
        let result = match owner {
            Owner::Engine(_, _, true) => random.word() as u32 % 5,
            _ => 0,
        };
        self.grid.complete(&self.rig, index, result);
        match owner {
            Owner::Engine(engine, record, _) => {
                let machine = self.engines[engine].model.machine().unwrap();
                machine.complete(record, result);
            }
            Owner::Host(number) => self.host_done.push_back(number),
        }
        true
    }

    /// Lets every engine come to its end, completing commands in a random order.
    pub fn finish(&mut self, random: &mut Random) {
        loop {
            self.settle();
            if self.engines.iter().all(Engine::has_ended) && self.grid.busy.is_empty() {
                return;
            }
            if !self.complete_one(random) {
                let spinning = self.engines.iter().position(Engine::spins);
                let spinning = spinning.unwrap_or_else(|| panic!("nothing in flight and no end: {self:?}"));
                self.cancel_spinning(spinning);
            }
        }
    }

    /// Cancels a stream that only computes: where it is then nobody knows.
    fn cancel_spinning(&mut self, engine: usize) {
        self.rig.send(cancel_line(self.engines[engine].req));
        let event = self.rig.event();
        self.rig.show_read();
        let output = Output::of_event(&event, UploadKind::Stream);
        let Some(Output::Error(Refusal { reason: Reason::CANCELLED, place: Some(_) })) = output else {
            panic!("{event:?}")
        };
        let at = &mut self.engines[engine];
        assert_eq!(event.number, at.req);
        at.events.push(output.unwrap());
        at.spins = false;
        at.model = Model::Refused;
    }

    /// Forgets engines that have ended.
    pub fn forget(&mut self) {
        assert!(self.engines.iter().all(Engine::has_ended) && self.jobs.is_empty());
        self.engines.clear();
    }
}
