//! The line of a start's bindings, and the tensors that it names.

use std::sync::Arc;

use komorebi_abi::constants::engine;

use super::super::RunCore;
use super::super::state::State;
use crate::Result;
use crate::engine::Bound;
use crate::error::TensorError;
use crate::tensor::Memory;

impl RunCore {
    /// Writes the words into a line of their own; gives its offset, `None` for no words.
    pub(super) fn bind(&self, state: &mut State, bound: &Bound) -> Result<Option<u32>> {
        if bound.words.is_empty() {
            return Ok(None);
        }
        let bytes = engine::UPLOAD_ALIGN as usize;
        let line = self.take_room(state, "the line of bindings", bytes)?;
        let mut words = vec![0; bytes];
        words
            .chunks_exact_mut(4)
            .zip(&bound.words)
            .for_each(|(to, word)| to.copy_from_slice(&word.to_le_bytes()));
        let written = self.write_region(state, line, &words);
        if written.is_err() {
            state.engines.region.give_back(line);
        }
        written.map(|()| Some(line))
    }

    /// The memory of the tensors that an engine with these words holds while it runs or is kept: those named for them, and those whose
    /// address is one of the words, which a typed start has nothing else to tell of.
    pub(super) fn bound_tensors(&self, bound: Bound) -> Result<Vec<Arc<Memory>>> {
        for tensor in &bound.tensors {
            if tensor.freed() {
                return Err(TensorError::Freed.into());
            }
            if !tensor.owned_by(&self.session) {
                return Err(TensorError::Session.into());
            }
        }
        Ok(self.session.tensors().at(&bound.words))
    }

    /// Stores whole lines into the upload region; they have landed when this returns.
    pub(super) fn write_region(&self, state: &mut State, offset: u32, bytes: &[u8]) -> Result<()> {
        let base = self.region_base(state)?;
        let written = self.session.enter().and_then(|card| {
            state.ring.settle(&*card, card.now() + crate::load::LoadOptions::SETTLE_MAX)?;
            let cluster = self.session.cluster();
            cluster.write(base + offset, bytes)?;
            cluster.fence()?;
            state.ring.fenced(&*card);
            Ok(())
        });
        written.map_err(|error| self.lost(state, error))
    }
}
