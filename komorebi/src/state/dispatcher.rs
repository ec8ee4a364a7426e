//! The dispatcher's state words, kept up to date while it runs.

use std::fmt;

use komorebi_abi::constants::{command, core, launch as l};
use komorebi_card::Group;

use super::DispatcherStage;

/// A command in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotState {
    /// Its slot.
    pub slot: u32,
    /// Its sequence number.
    pub sequence: u32,
    /// Its handler.
    pub handler: u8,
    /// Its group.
    pub group: Group,
}

/// What the dispatcher says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DispatcherState {
    /// Where it is in its life.
    pub stage: DispatcherStage,
    /// Passes of its loop.
    pub passes: u64,
    /// Lines consumed.
    pub consumed: u64,
    /// Events posted.
    pub posted: u64,
    /// The last sequence number given.
    pub sequence: u64,
    /// Commands in flight.
    pub busy: Vec<SlotState>,
    /// Bit c: column c is READY.
    pub ready: u64,
    /// Hart address of the upload region.
    pub upload: u64,
    /// Bytes of the upload region.
    pub upload_bytes: u64,
}

impl DispatcherState {
    pub(crate) fn decode(words: &[u64; l::STATE_WORDS as usize]) -> Self {
        let word = |index: u32| words[index as usize];
        let busy = word(l::STATE_BUSY);
        let slots = (0..command::SLOTS_MAX).filter(|slot| busy >> slot & 1 != 0);
        Self {
            stage: DispatcherStage::from_word(word(l::STATE_STAGE)),
            passes: word(l::STATE_PASS),
            consumed: word(l::STATE_CONSUMED),
            posted: word(l::STATE_POSTED),
            sequence: word(l::STATE_SEQUENCE),
            busy: slots.map(|slot| Self::slot(slot, word(l::STATE_SLOTS + slot))).collect(),
            ready: word(l::STATE_READY),
            upload: word(l::STATE_UPLOAD),
            upload_bytes: word(l::STATE_UPLOAD_BYTES),
        }
    }

    /// A slot's word: the publish word of the command in it (`core.h`).
    fn slot(slot: u32, word: u64) -> SlotState {
        let high = (word >> 32) as u32;
        let byte = |shift: u32| (high >> shift) & 0xFF;
        SlotState {
            slot,
            sequence: word as u32,
            handler: high as u8,
            group: Group::new(byte(core::PUBLISH_FIRST_SHIFT), byte(core::PUBLISH_COUNT_SHIFT)),
        }
    }
}

impl fmt::Display for DispatcherState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} lines consumed, {} events posted", self.stage, self.consumed, self.posted)?;
        for slot in &self.busy {
            write!(
                f,
                ", slot {} has command {} (handler {}) on cores {}",
                slot.slot, slot.sequence, slot.handler, slot.group
            )?;
        }
        Ok(())
    }
}
