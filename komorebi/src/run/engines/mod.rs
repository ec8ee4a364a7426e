//! The engines of a run: its uploads, what runs of them, and what was sent for them.
//!
//! The dispatcher answers a RUN or CANCEL with an event only when it rejects it, and that event comes before the PONG of
//! the PING behind it: so the PONG is the answer. An engine's events carry its req, which names one engine at a time. A
//! CANCEL that finds a kept graph idle drops it, and the event of that comes before the PONG as well.

mod bind;
mod cancel;
mod hostfed;
mod late;
mod restart;
mod room;
mod start;
mod upload;
mod wait;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use komorebi_abi::constants::command as c;
use komorebi_abi::engine::{Output, Reason, Refusal};
use komorebi_abi::wire::{RawEvent, reject_name};

pub use restart::Restart;
pub use start::StartOptions;

use super::RunCore;
use super::handles::Progress;
use super::state::{Checked, State};
use crate::engine::{Engine, EngineHandle, EngineState, Region, UploadState, Uploaded};
use crate::error::{EngineCall, EngineRejected, EngineTimeout, UploadError};
use crate::{Error, Result};

/// How long an answer of the dispatcher may take unless the caller says otherwise.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The uploads and engines of a run.
#[derive(Default)]
pub(crate) struct Engines {
    /// Offset of the upload region in LIM, once it is known.
    base: Option<u32>,
    region: Region,
    /// Those that are not released.
    uploads: Vec<Arc<Uploaded>>,
    /// Engines that run, that may run, and kept graphs that are being dropped, by req.
    running: BTreeMap<u16, Arc<Engine>>,
    /// Commands sent for engines that are not answered.
    sent: VecDeque<Sent>,
    /// Commands in flight that nobody waits for.
    abandoned: BTreeSet<u64>,
}

/// A command sent for an engine, by its number.
struct Sent {
    number: u64,
    what: What,
}

enum What {
    /// The RUN of an engine, and what its upload was before.
    Run(Arc<Engine>, UploadState),
    Cancel(Arc<Engine>),
    Ping,
}

impl Engines {
    /// True while an engine may post events.
    #[inline]
    pub(crate) fn any(&self) -> bool {
        !self.running.is_empty()
    }

    /// True while a command for an engine is not answered.
    #[inline]
    pub(crate) fn waits(&self) -> bool {
        !self.sent.is_empty()
    }

    /// True for an abandoned command, which has its event.
    #[inline]
    pub(crate) fn is_abandoned(&mut self, number: u64) -> bool {
        !self.abandoned.is_empty() && self.abandoned.remove(&number)
    }

    /// The engine that has `req`.
    pub(crate) fn engine(&self, req: u16) -> Option<&Arc<Engine>> {
        self.running.get(&req)
    }

    /// The kept graph that has `req`.
    fn kept(&self, req: u16) -> Option<&Arc<Uploaded>> {
        self.uploads.iter().find(|upload| upload.req == req && upload.state() == UploadState::Kept)
    }

    /// Gives an event to its engine; `None` when there is none that it can be of.
    pub(crate) fn take(&mut self, event: &RawEvent) -> Option<()> {
        if self.take_drop(event) {
            return Some(());
        }
        let engine = self.running.get(&event.number)?.clone();
        let output = Output::of_event(event, engine.kind)?;
        engine.life().events.push((output, event.ticks));
        if output.is_last() {
            self.end(&engine, output);
        }
        Some(())
    }

    /// Takes the event of a kept graph that a CANCEL of its engine dropped, which had ended when the CANCEL came; false for
    /// any other event. What was sent for the graph behind that CANCEL is rejected: the event is not of its engine.
    fn take_drop(&mut self, event: &RawEvent) -> bool {
        let cancelled = |engine: &Engine| engine.req == event.number && engine.life().kept;
        let dropped = self.sent.iter().find_map(|sent| match &sent.what {
            What::Cancel(engine) if cancelled(engine) => Some(engine),
            _ => None,
        });
        let Some(engine) = dropped else { return false };
        let drop = Output::Error(Refusal { reason: Reason::CANCELLED, place: None });
        if Output::of_event(event, engine.kind) != Some(drop) {
            return false;
        }
        engine.life().kept = false;
        if let Some(upload) = &engine.upload {
            let mut life = upload.life();
            life.tensors = Vec::new();
            if life.state == UploadState::Kept {
                life.state = UploadState::Idle;
            }
        }
        true
    }

    /// An engine is gone: its req, its bindings' line and, unless it is kept, its tensors are free.
    fn end(&mut self, engine: &Arc<Engine>, output: Output) {
        self.running.remove(&engine.req);
        let (line, tensors) = {
            let mut life = engine.life();
            life.state = EngineState::Ended;
            (life.line.take(), std::mem::take(&mut life.tensors))
        };
        line.into_iter().for_each(|line| self.region.give_back(line));
        let Some(upload) = &engine.upload else { return };
        let mut life = upload.life();
        let kept = life.keep && matches!(output, Output::End(..));
        life.state = if kept { UploadState::Kept } else { UploadState::Idle };
        engine.life().kept = kept;
        // What was bound before goes, or stays with what is bound now.
        life.tensors = if kept { tensors } else { Vec::new() };
    }

    /// Takes the answer to a command that was sent for an engine; false for any other command.
    pub(crate) fn settle(&mut self, number: u64, progress: Progress, reason: u8) -> bool {
        let Some(at) = self.sent.iter().position(|sent| sent.number == number) else { return false };
        let Some(Sent { what, .. }) = self.sent.remove(at) else { return false };
        if progress == Progress::Rejected {
            match what {
                What::Run(engine, before) => self.reject(&engine, before, reason),
                What::Cancel(engine) => engine.life().cancel_rejected = Some(reason),
                What::Ping => {}
            }
        }
        true
    }

    /// A RUN was rejected: nothing of it is on the card.
    fn reject(&mut self, engine: &Arc<Engine>, before: UploadState, reason: u8) {
        if self.running.get(&engine.req).is_some_and(|other| Arc::ptr_eq(other, engine)) {
            self.running.remove(&engine.req);
        }
        let (line, tensors) = {
            let mut life = engine.life();
            (life.state, life.rejected) = (EngineState::Rejected, Some(reason));
            (life.line.take(), std::mem::take(&mut life.tensors))
        };
        drop(tensors);
        line.into_iter().for_each(|line| self.region.give_back(line));
        if let Some(upload) = &engine.upload {
            // A restart of a graph that is kept no longer: a CANCEL before it has dropped it.
            let gone = before == UploadState::Kept && reject_name(reason) == Some("req");
            upload.life().state = if gone { UploadState::Idle } else { before };
        }
    }

    /// Settles the next command sent before the PING `number`, which was not rejected; gives its number.
    pub(crate) fn accepted(&mut self, number: u64) -> Option<u64> {
        let sent = self.sent.pop_front_if(|sent| sent.number < number)?;
        if let What::Run(engine, _) = &sent.what {
            set_state(engine, EngineState::Unknown, EngineState::Running);
        }
        Some(sent.number)
    }
}

/// Changes the state of an engine that is in state `from`, and of its upload.
fn set_state(engine: &Engine, from: EngineState, to: EngineState) {
    let mut life = engine.life();
    if life.state != from {
        return;
    }
    life.state = to;
    if let Some(upload) = &engine.upload {
        upload.life().state =
            if to == EngineState::Unknown { UploadState::Unknown } else { UploadState::Running };
    }
}

impl State {
    /// Queues a command for an engine.
    fn send_engine(&mut self, handler: u32, words: &[u32], what: What) -> u64 {
        let mut args = [0; c::ARGS_MAX as usize];
        args.iter_mut().zip(words).for_each(|(to, word)| *to = *word);
        let group = komorebi_card::Group::new(0, 1);
        let words = words.len() as u8;
        let number = self.push(&Checked { handler: handler as u8, flags: 0, group, words, args });
        self.engines.sent.push_back(Sent { number, what });
        number
    }

    /// Queues a PING: once it is [`answered`](Self::is_answered), all that was sent for engines before is settled.
    fn send_ping(&mut self) -> u64 {
        self.send_engine(c::KM_HANDLER_PING, &[], What::Ping)
    }

    /// Forgets a command, now or when its event comes.
    fn abandon(&mut self, number: u64) {
        if self.arrived(number) {
            self.table.forget(number);
        } else {
            self.engines.abandoned.insert(number);
        }
    }

    /// True when a command of the engines' has its answer.
    fn is_answered(&self, number: u64) -> bool {
        self.table.get(number).is_none_or(|slot| slot.progress == Progress::Forgotten)
    }
}

impl RunCore {
    /// Checks that an upload or engine is of this run.
    fn check_load(&self, what: &'static str, load: u32) -> Result<()> {
        if load == self.number {
            return Ok(());
        }
        Err(UploadError::Foreign { what, load, run: self.number }.into())
    }

    /// The error of an engine whose RUN or CANCEL was not answered, or that did not end.
    fn engine_timeout(&self, engine: &Arc<Engine>, call: Option<EngineCall>, timeout: Duration) -> Error {
        let handle = EngineHandle::new(engine.clone());
        EngineTimeout { handle, call, timeout, activity: self.activity().ok(), post_mortem: None }.into()
    }
}

fn engine_rejected(engine: &Arc<Engine>, call: EngineCall, reason: u8) -> Error {
    let reason_name = reject_name(reason).unwrap_or("unknown");
    EngineRejected { handle: EngineHandle::new(engine.clone()), call, reason, reason_name }.into()
}
