//! The trace of a run: when each core took a command, finished it and told so.

mod area;
mod chrome;
mod json;
mod lanes;
mod record;

use super::handlers::Handlers;
use super::handles::{Handle, Progress, Slot};
use super::sequence::Sequence;
use crate::{Error, Result};

pub(crate) use area::TraceArea;
pub(crate) use record::{CoreRecord, Entry};

/// A command on a core: words of that core's own wall clock, in cycles of [`Trace::clock_mhz`]. The clocks of two tiles have
/// nothing to do with each other; [`Trace::phases`] compares them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreTrace {
    /// The core.
    pub core: u32,
    /// When the reader had taken it and handed it on.
    pub taken: u64,
    /// When its five threads had finished and their writes were acknowledged. `None` when that never came. Exact below 2^32
    /// cycles (3.18 s at 1,350 MHz) after `taken`, which is all that is counted.
    pub written: Option<u64>,
    /// When its acknowledgement, or the leader's completion, was sent; as `written`.
    pub sent: Option<u64>,
    /// How often the reader looked through the mailbox slots until it found the command: 1 when it was there at once; 255 for
    /// that many or more.
    pub passes: u32,
}

/// A command on a core, in microseconds after the first core took it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phases {
    /// The core.
    pub core: u32,
    /// When the reader had taken it and handed it on.
    pub taken: f64,
    /// When its five threads had finished and their writes were acknowledged. `None` when that never came.
    pub written: Option<f64>,
    /// When its acknowledgement, or the leader's completion, was sent. `None` when that never came.
    pub sent: Option<f64>,
}

/// What the host knows of a traced command.
#[derive(Clone, Debug)]
struct Known {
    /// Its number in the run.
    number: u64,
    sequence: u64,
    /// From submit to completion, in ticks of 20 ns; `None` without its done event.
    ticks: Option<u32>,
}

/// The trace of a run that was loaded with [`LoadOptions::trace`](crate::LoadOptions::trace), read after its end.
///
/// ```
/// use std::time::Duration;
/// use komorebi as km;
///
/// # fn main() -> km::Result<()> {
/// let session = km::Session::open()?;
/// let options = km::LoadOptions { trace: 64, ..Default::default() };
/// let run = session.load_with(km::Program::new("nops").grid(4, 2), options)?;
/// let (first, second) = (run.submit(km::nop().on((0, 4)))?, run.submit(km::nop().on((4, 4)))?);
/// run.wait([first, second], Duration::from_secs(1))?;
/// let trace = run.stop(Duration::from_secs(1))?.trace.expect("the load asked for it");
///
/// let phases = trace.phases(first)?;
/// assert_eq!(phases.len(), 4);
/// assert!(phases.iter().all(|core| core.written.is_some_and(|written| written > core.taken)));
/// let microseconds = trace.lead(first, second)?; // positive: both were in flight at once
/// assert!(microseconds.is_finite() && trace.to_chrome_json().contains("in flight 1"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Trace {
    program: String,
    load: u32,
    mhz: u32,
    cores: Vec<CoreRecord>,
    /// By number.
    commands: Vec<Known>,
    /// Sequence numbers with their commands' numbers, in order.
    numbers: Vec<(u64, u64)>,
    handlers: Vec<(u8, String)>,
}

impl Trace {
    pub(super) fn new(
        load: u32,
        mhz: u32,
        handlers: &Handlers,
        cores: Vec<CoreRecord>,
        commands: Vec<(u64, Slot)>,
    ) -> Self {
        let known = commands.into_iter().filter_map(|(number, slot)| {
            let Sequence::Known(sequence) = slot.sequence else { return None };
            // A timeout's event carries no time; a forgotten one is a done one.
            let ticks = (slot.progress != Progress::Late).then_some(slot.ticks);
            Some(Known { number, sequence, ticks })
        });
        let commands: Vec<Known> = known.collect();
        let mut numbers: Vec<_> = commands.iter().map(|known| (known.sequence, known.number)).collect();
        numbers.sort_unstable();
        Self {
            program: handlers.program().to_owned(),
            load,
            mhz,
            cores,
            commands,
            numbers,
            handlers: handlers.numbered().map(|(number, name)| (number, name.to_owned())).collect(),
        }
    }

    /// Sequence numbers it has room for, from 1 on.
    pub fn room(&self) -> u32 {
        self.cores.first().map_or(0, |core| core.entries.len() as u32)
    }

    /// The clock that its times count, in MHz.
    pub fn clock_mhz(&self) -> u32 {
        self.mhz
    }

    /// The most that a time of one core may be wrong against a time of another, in microseconds: before READY each core
    /// compares its clock with core 0's, by reads over both NoCs, and this is half of the longest round trip to each.
    pub fn uncertainty(&self) -> f64 {
        let mut all: Vec<u32> = self.cores.iter().map(|core| core.uncertainty).collect();
        all.sort_unstable_by(|a, b| b.cmp(a));
        self.microseconds(all.iter().take(2).map(|&cycles| i64::from(cycles)).sum())
    }

    /// Each core's words of a command, in core order.
    ///
    /// # Errors
    /// [`Error::NotTraced`] for a command the trace does not hold, [`Error::ForeignHandle`] for another run's.
    pub fn command<R>(&self, handle: Handle<R>) -> Result<Vec<CoreTrace>> {
        let cores = self.sequence(self.known(handle)?.sequence);
        if cores.is_empty() {
            return Err(not_traced(handle.number(), "no core took it"));
        }
        Ok(cores)
    }

    /// Each core's words of the command with a sequence number, in core order, whoever submitted it; empty for one that no
    /// core took or that the trace has no room for.
    pub fn sequence(&self, sequence: u64) -> Vec<CoreTrace> {
        let taken = self.taken(sequence).map(|(core, entry)| CoreTrace {
            core,
            taken: entry.taken,
            written: entry.written,
            sent: entry.sent,
            passes: entry.passes,
        });
        taken.collect()
    }

    /// Each core's times of a command in microseconds after the first core took it, in core order.
    ///
    /// # Errors
    /// As [`command`](Self::command).
    pub fn phases<R>(&self, handle: Handle<R>) -> Result<Vec<Phases>> {
        let cores = self.command(handle)?;
        let start = cores.iter().filter_map(|core| self.common(core.core, core.taken)).min().unwrap_or(0);
        let after = |core: u32, time: u64| {
            self.common(core, time).map(|time| self.microseconds(time.wrapping_sub(start)))
        };
        let phases = cores.iter().map(|core| Phases {
            core: core.core,
            taken: after(core.core, core.taken).unwrap_or(0.0),
            written: core.written.and_then(|time| after(core.core, time)),
            sent: core.sent.and_then(|time| after(core.core, time)),
        });
        Ok(phases.collect())
    }

    /// How long before the completion of `earlier`, its leader's, the first core took `later`, in microseconds: positive when
    /// both were in flight at once.
    ///
    /// # Errors
    /// As [`command`](Self::command), and [`Error::NotTraced`] when `earlier` did not complete.
    pub fn lead<R, S>(&self, earlier: Handle<R>, later: Handle<S>) -> Result<f64> {
        let (a, b) = (self.command(earlier)?, self.command(later)?);
        // The leader is the group's first core.
        let completed = a.first().and_then(|leader| self.common(leader.core, leader.sent?));
        let taken = b.iter().filter_map(|core| self.common(core.core, core.taken)).min();
        match (completed, taken) {
            (Some(completed), Some(taken)) => Ok(self.microseconds(completed.wrapping_sub(taken))),
            _ => Err(not_traced(earlier.number(), "it did not complete")),
        }
    }

    /// The cores that took a command, with what they wrote.
    fn taken(&self, sequence: u64) -> impl Iterator<Item = (u32, &Entry)> {
        (0..).zip(&self.cores).filter_map(move |(index, core)| Some((index, core.entry(sequence)?)))
    }

    /// A time of a core on core 0's clock.
    fn common(&self, core: u32, time: u64) -> Option<i64> {
        Some(self.cores.get(core as usize)?.common(time))
    }

    fn microseconds(&self, cycles: i64) -> f64 {
        cycles as f64 / f64::from(self.mhz.max(1))
    }

    fn known<R>(&self, handle: Handle<R>) -> Result<&Known> {
        let (number, load) = (handle.number(), handle.load());
        if load != self.load {
            let load = (load != super::handles::NO_LOAD).then_some(load);
            return Err(Error::ForeignHandle { handle: number, load, run: self.load });
        }
        let at = self.commands.binary_search_by_key(&number, |known| known.number);
        at.ok().and_then(|at| self.commands.get(at)).ok_or_else(|| {
            let why = format!(
                "it did not complete, or its sequence number is not one from 1 to {}, which the load option `trace` asks for",
                self.room()
            );
            not_traced(number, &why)
        })
    }
}

fn not_traced(handle: u64, why: &str) -> Error {
    Error::NotTraced { handle, why: why.to_owned() }
}
