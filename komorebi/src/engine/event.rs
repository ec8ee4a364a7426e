//! What engines post.

use komorebi_abi::constants::event::{EVENT_AUX_MASK, TICKS_PER_MICROSECOND};
use komorebi_abi::engine::{Output, UploadKind};

use super::{EngineHandle, EngineType, Untyped};

/// What an engine's event says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EngineEventKind {
    /// A stream's EVENT.
    Event,
    /// A graph's round ended and another starts.
    Round,
    /// A stream's HALT, or a graph's last node.
    End,
    /// It ended with an error.
    Error,
}

/// An event of an engine.
pub struct EngineEvent<T = Untyped> {
    /// The engine.
    pub handle: EngineHandle<T>,
    /// What it says.
    pub kind: EngineEventKind,
    /// The register of an EVENT or a HALT, or the rounds done; `None` for a graph's end and for an error.
    pub value: Option<u32>,
    /// A graph's two end registers: the low 24 bits of the first, and the second.
    pub registers: Option<[u32; 2]>,
    /// A `KM_STREAM_ERROR_*` number, of an error.
    pub reason: Option<u32>,
    /// Its suffix in lower case; `unknown` for a number the headers lack.
    pub reason_name: Option<&'static str>,
    /// The instruction that a stream's error is about.
    pub pc: Option<u32>,
    /// The node that a graph's error is about; `None` when the error has no node.
    pub node: Option<u32>,
    /// From the RUN to the event, in ticks of 20 ns of the X280's timer, modulo 2^32: it wraps every 85.9 s.
    pub ticks: u32,
}

impl<T> EngineEvent<T> {
    pub(crate) fn new(handle: &EngineHandle<T>, output: Output, ticks: u32) -> Self {
        let mut event = Self {
            handle: handle.clone(),
            kind: EngineEventKind::End,
            value: None,
            registers: None,
            reason: None,
            reason_name: None,
            pc: None,
            node: None,
            ticks,
        };
        match output {
            Output::Event(value) => (event.kind, event.value) = (EngineEventKind::Event, Some(value)),
            Output::Round(rounds) => (event.kind, event.value) = (EngineEventKind::Round, Some(rounds)),
            Output::Halt(value) => event.value = Some(value),
            Output::End(first, second) => event.registers = Some([first & EVENT_AUX_MASK, second]),
            Output::Error(refusal) => {
                event.kind = EngineEventKind::Error;
                event.reason = Some(refusal.reason.0);
                event.reason_name = Some(refusal.reason.name().unwrap_or("unknown"));
                match handle.kind() {
                    UploadKind::Stream => event.pc = refusal.place,
                    UploadKind::Graph => event.node = refusal.place,
                }
            }
        }
        event
    }

    pub(crate) fn untyped(&self) -> EngineEvent {
        let Self { kind, value, registers, reason, reason_name, pc, node, ticks, .. } = *self;
        let handle = EngineHandle::new(self.handle.engine.clone());
        EngineEvent { handle, kind, value, registers, reason, reason_name, pc, node, ticks }
    }

    /// From the RUN to the event, in microseconds. Of [`ticks`](Self::ticks), so it wraps every 85.9 s too: the time of an
    /// engine that runs longer is known only modulo that.
    pub fn microseconds(&self) -> f64 {
        f64::from(self.ticks) / f64::from(TICKS_PER_MICROSECOND)
    }
}

impl<T: EngineType> EngineEvent<T> {
    /// What the engine ended with; that of zeros for an event that is not of kind [`EngineEventKind::End`].
    pub fn end(&self) -> T::End {
        let [first, second] = match (self.kind, self.registers) {
            (EngineEventKind::End, Some(registers)) => registers,
            (EngineEventKind::End, None) => [self.value.unwrap_or(0), 0],
            _ => [0; 2],
        };
        T::end(first, second)
    }
}

impl<T> Clone for EngineEvent<T> {
    fn clone(&self) -> Self {
        Self { handle: self.handle.clone(), ..*self }
    }
}

impl<T> std::fmt::Debug for EngineEvent<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { handle, kind, value, registers, reason_name, pc, node, ticks, .. } = self;
        let mut out = f.debug_struct("EngineEvent");
        out.field("handle", handle).field("kind", kind);
        if let Some(value) = value {
            out.field("value", value);
        }
        if let Some(registers) = registers {
            out.field("registers", registers);
        }
        if let Some(reason) = reason_name {
            out.field("reason", reason).field("pc", pc).field("node", node);
        }
        out.field("ticks", ticks).finish()
    }
}
