//! The trace as Chrome's trace events, which Perfetto and chrome://tracing show.
//!
//! A process for the dispatcher, with as many lanes as commands were in flight at once, and one for each core, with a lane for
//! its reader and one for its writer. What the other three threads do lies inside the writer's span: it waits for them.

use std::fmt::Write as _;

use komorebi_abi::constants::{command, event};

use super::json::{Event, Text, Time, write_document};
use super::lanes::Lanes;
use super::{Entry, Known, Trace};

const DISPATCHER: u32 = 1;
const FIRST_CORE: u32 = 2;
const READER: u32 = 1;
const WRITER: u32 = 2;

/// A command at the dispatcher.
struct Submitted {
    sequence: u64,
    start: Time,
    end: Time,
    lane: u32,
}

/// A command on a core, on the common clock.
struct Span<'a> {
    sequence: u64,
    entry: &'a Entry,
    taken: Time,
    written: Option<Time>,
    sent: Option<Time>,
}

impl Trace {
    /// The trace in the JSON of Chrome's trace events, for <https://ui.perfetto.dev> or `chrome://tracing`: a process for the
    /// dispatcher and one for each core with a lane a thread that is recorded, arrows from a command's submit to each core's
    /// take and from its leader to its completion, and why a core had nothing to do. Times are microseconds.
    ///
    /// The dispatcher tells how long a command took, not when: its span is as long as the event says, and stands so that it
    /// reaches as far before the leader's take as behind the leader's completion. A command without an event of the host's,
    /// as an engine's, is on the cores only.
    pub fn to_chrome_json(&self) -> String {
        let submitted = self.submitted();
        let mut events = Vec::new();
        self.name_lanes(&submitted, &mut events);
        for command in &submitted {
            self.dispatcher_events(command, &mut events);
        }
        let horizon = self.horizon(&submitted);
        for core in 0..self.cores.len() as u32 {
            self.core_events(core, &submitted, horizon, &mut events);
        }
        let first = events.iter().filter_map(Event::time).min().unwrap_or_default();
        write_document(&events, first, &self.program)
    }

    /// The commands whose stay at the dispatcher is known, by sequence number.
    fn submitted(&self) -> Vec<Submitted> {
        let mut all: Vec<Submitted> = self.commands.iter().filter_map(|known| self.place(known)).collect();
        all.sort_unstable_by_key(|command| (command.start, command.sequence));
        let mut lanes = Lanes::default();
        for command in &mut all {
            command.lane = lanes.take(command.start, command.end);
        }
        all.sort_unstable_by_key(|command| command.sequence);
        all
    }

    fn place(&self, known: &Known) -> Option<Submitted> {
        let ticks = i64::from(known.ticks?);
        let (leader, entry) = self.taken(known.sequence).next()?;
        let (taken, sent) = (self.time(leader, entry.taken)?, self.time(leader, entry.sent?)?);
        let length = Time::of_ticks(ticks, event::TICKS_PER_MICROSECOND).max(sent - taken);
        let start = taken - (length - (sent - taken)).half();
        Some(Submitted { sequence: known.sequence, start, end: start + length, lane: 0 })
    }

    /// A time of a core on the common clock.
    fn time(&self, core: u32, cycles: u64) -> Option<Time> {
        Some(Time::of_cycles(self.common(core, cycles)?, self.mhz))
    }

    /// What a core took, in order.
    fn spans(&self, core: u32) -> Vec<Span<'_>> {
        let Some(record) = self.cores.get(core as usize) else { return Vec::new() };
        let time = |cycles| Time::of_cycles(record.common(cycles), self.mhz);
        let taken = (1..).zip(&record.entries).filter_map(|(sequence, entry)| {
            let entry = entry.as_ref()?;
            let (written, sent) = (entry.written.map(time), entry.sent.map(time));
            Some(Span { sequence, entry, taken: time(entry.taken), written, sent })
        });
        taken.collect()
    }

    /// The last moment of the trace: where a command that did not end is drawn to.
    fn horizon(&self, submitted: &[Submitted]) -> Time {
        let spans = (0..self.cores.len() as u32).flat_map(|core| self.spans(core));
        let ends = spans.map(|span| span.sent.or(span.written).unwrap_or(span.taken));
        ends.chain(submitted.iter().map(|command| command.end)).max().unwrap_or_default()
    }

    fn name_lanes(&self, submitted: &[Submitted], events: &mut Vec<Event>) {
        events.push(Event::process(DISPATCHER, "dispatcher"));
        for lane in 1..=submitted.iter().map(|command| command.lane).max().unwrap_or(0) {
            events.push(Event::thread(DISPATCHER, lane, &format!("in flight {lane}")));
        }
        for core in 0..self.cores.len() as u32 {
            let pid = FIRST_CORE + core;
            events.push(Event::process(pid, &format!("core {core}")));
            events.push(Event::thread(pid, READER, "reader"));
            events.push(Event::thread(pid, WRITER, "writer"));
        }
    }

    fn dispatcher_events(&self, command: &Submitted, events: &mut Vec<Event>) {
        let Submitted { sequence, start, end, lane } = *command;
        let name = self.taken(sequence).next().map_or_else(String::new, |(_, entry)| self.name(entry));
        events.push(Event::span(DISPATCHER, lane, name, start, end, self.about(sequence)));
        for (rank, (core, entry)) in self.taken(sequence).enumerate() {
            let Some(taken) = self.time(core, entry.taken) else { continue };
            let id = format!("{sequence}.{core}");
            let pid = FIRST_CORE + core;
            events.push(Event::arrow('s', DISPATCHER, lane, start, &id));
            if rank == 0 {
                events.push(Event::arrow('t', pid, READER, taken, &id));
                events.push(Event::arrow('f', DISPATCHER, lane, end.just_before(start), &id));
            } else {
                events.push(Event::arrow('f', pid, READER, taken, &id));
            }
        }
    }

    fn core_events(&self, core: u32, submitted: &[Submitted], horizon: Time, events: &mut Vec<Event>) {
        let pid = FIRST_CORE + core;
        let spans = self.spans(core);
        let mut free: Option<Time> = None;
        for (at, span) in spans.iter().enumerate() {
            let (name, about) = (self.name(span.entry), self.about(span.sequence));
            let finished = span.written.unwrap_or(horizon).max(span.taken);
            let next = spans.get(at + 1).map_or(finished, |next| next.taken);
            let reader = format!("{about},\"passes\":{}", span.entry.passes);
            events.push(Event::span(pid, READER, name.clone(), span.taken, finished.min(next), reader));

            if let Some(free) = free.filter(|&free| free < span.taken) {
                let why = format!("\"why\":{}", Text(idle(submitted, span.sequence, free)));
                events.push(Event::span(pid, WRITER, "idle".into(), free, span.taken, why));
            }
            let start = free.map_or(span.taken, |free| free.max(span.taken));
            let ended = finished.max(start);
            let unfinished = if span.written.is_none() { ",\"unfinished\":true" } else { "" };
            events.push(Event::span(pid, WRITER, name, start, ended, format!("{about}{unfinished}")));
            let sent = span.sent.unwrap_or(if span.written.is_some() { horizon } else { ended }).max(ended);
            if span.written.is_some() {
                let leads = self.taken(span.sequence).next().is_some_and(|(leader, _)| leader == core);
                let name = if leads { "complete" } else { "acknowledge" };
                events.push(Event::span(pid, WRITER, name.into(), ended, sent, about));
            }
            free = Some(sent);
        }
    }

    /// The handler's name.
    fn name(&self, entry: &Entry) -> String {
        let known = self.handlers.iter().find(|(number, _)| *number == entry.handler);
        match (known, u32::from(entry.handler)) {
            (Some((_, name)), _) => name.clone(),
            (None, command::KM_HANDLER_NOP) => "nop".into(),
            (None, command::KM_HANDLER_EXIT) => "exit".into(),
            (None, number) => format!("handler {number}"),
        }
    }

    fn about(&self, sequence: u64) -> String {
        let mut about = format!("\"sequence\":{sequence}");
        let at = self.numbers.binary_search_by_key(&sequence, |&(sequence, _)| sequence);
        if let Some((_, number)) = at.ok().and_then(|at| self.numbers.get(at)) {
            let _ = write!(about, ",\"command\":{number}");
        }
        about
    }
}

/// Why a core that was free from `free` on had to wait for a command.
fn idle(submitted: &[Submitted], sequence: u64, free: Time) -> &'static str {
    match submitted.binary_search_by_key(&sequence, |command| command.sequence) {
        Ok(at) if submitted.get(at).is_some_and(|command| command.start > free) => {
            "the next command for this core was not submitted yet"
        }
        Ok(_) => "the next command was on its way from the dispatcher",
        Err(_) => "the host has no event of the next command, which would tell when it was submitted",
    }
}
