//! Running a graph or stream on the host: the dispatcher's machines over the same bytes, the commands through the ring.

use std::time::Duration;

use komorebi_abi::constants::command as c;
use komorebi_abi::engine::{
    Accepted, Commands, EngineCommand, Finish, Image, Machine, Output, Reason, Refusal, UploadKind, drive,
};
use komorebi_abi::graph::GraphMachine;
use komorebi_abi::stream::StreamMachine;
use komorebi_abi::wire::reject_name;
use komorebi_card::{CardTime, Group};

use super::super::handles::Progress;
use super::super::state::{Checked, State};
use super::super::{Run, RunCore};
use crate::engine::{Content, Engine, EngineType, HostfedResult, UploadSource};
use crate::error::CommandRejected;
use crate::{Error, Result};

/// Card time that instructions take on the host, where they take none: so that a stream that spins meets its timeout.
const SPIN: Duration = Duration::from_micros(20);
/// Events that a stream may post in one `SPIN`.
const POSTS: u32 = 16;

impl<P> Run<P> {
    /// Runs a graph or stream on the host instead of an upload of it: the same commands, through the host's ring, and the
    /// same registers as on the card. An upload that the dispatcher would refuse gives its error.
    ///
    /// # Errors
    /// [`Error::Upload`] for a graph or stream that breaks rules and for bindings that are not its own;
    /// [`Error::WaitTimeout`] when `timeout` passes first; what ends the run. A command that is late is told with its number
    /// and with the graph's node or the stream's command.
    pub fn run_hostfed<Via, S: UploadSource<P, Via>>(
        &self,
        source: S,
        bindings: impl Into<<S::Of as EngineType>::Bindings>,
        timeout: Duration,
    ) -> Result<HostfedResult<S::Of>> {
        let content = source.content(&self.core.facts)?;
        let bound = S::Of::words(bindings.into(), content.names.as_deref())?.0;
        let words = bound.words.clone();
        let held = self.core.bound_tensors(bound)?;
        let mut state = self.core.state()?;
        let finish = self.core.hostfed(&mut state, &content, &words, timeout)?;
        drop(held);
        Ok(HostfedResult::new(content.kind, finish))
    }
}

impl RunCore {
    fn hostfed(
        &self,
        state: &mut State,
        content: &Content,
        words: &[u32],
        timeout: Duration,
    ) -> Result<Finish> {
        let (bytes, cores) = (&content.bytes, self.grid.cores());
        let started: Result<Box<dyn Machine>, Refusal> = match content.kind {
            UploadKind::Graph => {
                GraphMachine::start(bytes, cores, words).map(|machine| Box::new(machine) as _)
            }
            UploadKind::Stream => {
                StreamMachine::start(bytes, cores, words).map(|machine| Box::new(machine) as _)
            }
        };
        let mut machine = match started {
            Ok(machine) => machine,
            Err(refusal) => return Ok(refused(refusal)),
        };
        let now = self.card.now();
        let late = Image::check_but_bindings(bytes, content.kind, cores)
            .ok()
            .map(|image| image.header.deadline_us)
            .filter(|&microseconds| microseconds > 0)
            .map(|microseconds| now + Duration::from_micros(microseconds.into()));
        let (core, until) = (self, now + timeout);
        let mut host = Host {
            core,
            state,
            timeout,
            until,
            late,
            pending: Vec::new(),
            open: Vec::new(),
            quiet: true,
            posts: 0,
            out: None,
        };
        let driven = drive(&mut *machine, &mut host);
        let Host { state, pending, out, .. } = host;
        let finished = match (driven, out) {
            (Ok(finish), None) => Ok(finish),
            (Err(error), _) | (Ok(_), Some(error)) => {
                let engine = Engine::ended(self.number, content.kind, content.req);
                Err(self.name_late(state, error, &engine, &pending))
            }
        };
        // Of an error there may be commands in flight, whose handles nobody has.
        pending.into_iter().for_each(|(number, _)| state.abandon(number));
        finished
    }
}

/// The finish of an upload that was refused before it ran.
fn refused(refusal: Refusal) -> Finish {
    let output = Output::Error(refusal);
    Finish { output, registers: [0; 32], runs: 0, commands: Vec::new(), events: vec![output] }
}

/// Runs a machine's commands through the host's ring.
struct Host<'a> {
    core: &'a RunCore,
    state: &'a mut State,
    timeout: Duration,
    /// When the caller's timeout is over.
    until: CardTime,
    /// When the upload's own deadline is.
    late: Option<CardTime>,
    /// Number and record of each command in flight.
    pending: Vec<(u64, u32)>,
    /// Numbers of those that have not arrived, as far as it is known.
    open: Vec<u64>,
    /// Nothing was submitted, completed or posted since the last look.
    quiet: bool,
    posts: u32,
    /// Why it was stopped, when that is no reason of the engine's.
    out: Option<Error>,
}

impl Host<'_> {
    fn timed_out(&self) -> Error {
        self.core.timed_out(self.timeout, self.pending.iter().map(|&(number, _)| number).collect())
    }

    /// Waits until `done`, at most until the caller's timeout.
    fn wait(&mut self, done: impl FnMut(&mut State) -> bool) -> Result<()> {
        let upto = self.state.last();
        if self.core.until(self.state, upto, self.until, done)? { Ok(()) } else { Err(self.timed_out()) }
    }

    /// Waits until a command more finds a slot, as it does on the card: a stream that only submits meets its timeout there.
    fn room(&mut self) -> Result<()> {
        if self.open.len() < c::SLOTS_MAX as usize {
            return Ok(());
        }
        let mut open = std::mem::take(&mut self.open);
        let waited = self.wait(|state| {
            open.retain(|&number| !state.arrived(number));
            open.len() < c::SLOTS_MAX as usize
        });
        self.open = open;
        waited
    }

    /// Whether the job queue took a queued command: it is rejected before a PING behind it is answered.
    fn queued(&mut self, number: u64) -> Result<Accepted> {
        let ping = self.state.send_ping();
        self.wait(|state| state.is_answered(ping))?;
        let full = self.state.table.get(number).is_some_and(|slot| {
            slot.progress == Progress::Rejected && reject_name(slot.auxiliary) == Some("queue")
        });
        if full {
            self.pending.pop();
            self.state.table.forget(number);
            self.state.rejections -= 1;
        }
        Ok(if full { Accepted::QueueFull } else { Accepted::Taken })
    }
}

impl Commands for Host<'_> {
    type Error = Error;

    fn submit(&mut self, command: &EngineCommand) -> Result<Accepted> {
        if !command.queued {
            self.room()?;
        }
        let flag = |on: bool, flag: u32| if on { flag } else { 0 };
        let flags = flag(command.exclusive, c::KM_FLAG_EXCLUSIVE)
            | flag(command.queued, c::KM_FLAG_QUEUE)
            | flag(command.result, c::KM_FLAG_RESULT);
        let number = self.state.push(&Checked {
            handler: command.handler,
            flags: flags as u8,
            group: Group::new(command.first.into(), command.count.into()),
            words: command.words,
            args: command.args,
        });
        self.pending.push((number, command.record));
        self.quiet = false;
        if command.queued {
            return self.queued(number);
        }
        self.open.push(number);
        Ok(Accepted::Taken)
    }

    fn completion(&mut self) -> Result<(u32, u32)> {
        let pending = std::mem::take(&mut self.pending);
        let mut arrived = None;
        let waited = self.wait(|state| {
            arrived = pending.iter().position(|&(number, _)| state.arrived(number));
            arrived.is_some()
        });
        self.pending = pending;
        waited?;
        self.quiet = false;
        let (number, record) = self.pending.remove(arrived.unwrap_or(0));
        self.open.retain(|&open| open != number);
        let slot = self.state.table.get(number).copied();
        self.state.table.forget(number);
        match slot {
            Some(slot) if slot.progress == Progress::Rejected => {
                let (reason, reason_name) =
                    (slot.auxiliary, reject_name(slot.auxiliary).unwrap_or("unknown"));
                Err(CommandRejected { handle: number, reason, reason_name }.into())
            }
            slot => Ok((record, slot.filter(|slot| slot.result).map_or(0, |slot| slot.value))),
        }
    }

    fn post(&mut self, _: Output) -> Result<()> {
        self.posts += 1;
        self.quiet = false;
        Ok(())
    }

    fn stop(&mut self) -> Option<Reason> {
        if self.quiet || self.posts >= POSTS {
            self.posts = 0;
            let relaxed = self.core.session.enter().and_then(|card| {
                card.relax(card.now() + SPIN)?;
                Ok(())
            });
            if let Err(error) = relaxed {
                self.out = Some(self.core.lost(self.state, error));
                return Some(Reason::CANCELLED);
            }
        }
        self.quiet = true;
        let now = self.core.card.now();
        if now >= self.until {
            self.out = Some(self.timed_out());
            return Some(Reason::CANCELLED);
        }
        self.late.filter(|&late| now >= late).map(|_| Reason::DEADLINE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as km;
    use km::Arithmetic as _;

    #[test]
    fn commands_in_flight_when_the_timeout_passes_are_forgotten_as_they_arrive() {
        const TIMEOUT: Duration = Duration::from_secs(5);
        let session = km::Session::open().unwrap();
        let run = session.load(km::Program::new("idle").grid(2, 1)).unwrap();
        let mut stream = km::Stream::new();
        let [go] = stream.bindings(["go"]);
        stream.while_(
            |_| go.into(),
            |s| {
                s.set(go, 1);
                for _ in 0..4 {
                    s.submit(0, 0..2, []);
                }
                s.wait_all();
            },
        );
        stream.halt(go);
        let mut in_flight = 0;
        for microseconds in 1..30 {
            let timeout = Duration::from_micros(microseconds);
            let error = run.run_hostfed(&stream, [1_u32], timeout).unwrap_err();
            assert!(matches!(error, Error::WaitTimeout(_)), "{error}");
            in_flight += run.core.state.borrow().table.pending().count();
            run.drain(TIMEOUT).unwrap();
            let state = run.core.state.borrow();
            assert!((1..=state.last()).all(|number| state.table.get(number).is_none()));
            assert!(state.engines.abandoned.is_empty());
        }
        assert!(in_flight > 0);
        run.stop(TIMEOUT).unwrap();
    }
}
