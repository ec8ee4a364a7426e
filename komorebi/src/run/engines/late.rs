//! A late command of an engine: whose it was, when no event told it or when the host ran the engine.

use std::sync::Arc;

use komorebi_abi::constants::{engine, launch, layout};

use super::super::RunCore;
use super::super::state::{Ending, State};
use crate::Error;
use crate::engine::{Engine, EngineHandle};
use crate::state::{DispatcherError, ResultBlock};

impl RunCore {
    /// What ended a dispatcher that says "deadline" when all its events were read: a command of an engine, since the
    /// timeout event of the host's always has room. `None` when that is not how it ended, or its slot cannot be read.
    pub(in crate::run) fn late_engine(&self, state: &State, result: &ResultBlock) -> Option<Ending> {
        if result.error != DispatcherError::Deadline || result.events != state.events.read {
            return None;
        }
        let slot = u32::try_from(result.detail)
            .ok()
            .filter(|slot| *slot < launch::STATE_SLOT_DEADLINES - launch::STATE_SLOTS)?;
        let words =
            self.session.cluster().read_words::<{ launch::STATE_WORDS as usize }>(layout::LIM_STATE).ok()?;
        let word = |index: u32| words[index as usize];
        // The notes (`firmware/src/dispatch/engine.h`): the engine in the low bits, its record's address, the record's number.
        let notes = word(launch::STATE_SLOT_OWN + slot);
        let record = u64::from(notes as u32 & !(engine::RECORD_BYTES - 1));
        let offset = record.checked_sub(word(launch::STATE_UPLOAD))?;
        let found = state.engines.running.values().find(|engine| {
            engine.upload.as_ref().is_some_and(|upload| {
                (u64::from(upload.offset)..u64::from(upload.offset + upload.bytes)).contains(&offset)
            })
        });
        Some(Ending::Late {
            number: None,
            engine: found.map(|engine| (engine.clone(), (notes >> 32) as u32 & 0xFFFF)),
            slot: slot as u8,
            sequence: word(launch::STATE_SLOTS + slot) as u16,
        })
    }

    /// Names the engine that the host ran, and its record, in the error of a command that was late.
    pub(super) fn name_late(
        &self,
        state: &mut State,
        error: Error,
        engine: &Arc<Engine>,
        pending: &[(u64, u32)],
    ) -> Error {
        let Error::CommandTimeout(mut late) = error else { return error };
        let record =
            pending.iter().find(|&&(number, _)| Some(number) == late.handle).map(|&(_, record)| record);
        late.engine = record.map(|record| (EngineHandle::new(engine.clone()), record));
        let error = Error::CommandTimeout(late);
        let cause = Arc::new(error.clone());
        if let Some(report) = &mut state.report {
            report.cause = Some(cause.clone());
        }
        state.ended = Some(cause);
        error
    }
}
