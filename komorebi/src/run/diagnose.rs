//! What the dispatcher is doing, for a wait that ran out.

use std::time::Duration;

use komorebi_abi::constants::{launch, layout};

use super::{RunCore, teardown};
use crate::Result;
use crate::error::Activity;
use crate::state::DispatcherState;

/// Between the two looks at the pass marker, which moves at least 1,000 times a second (PROTOCOL.md, "State").
const BETWEEN: Duration = Duration::from_millis(20);

impl RunCore {
    /// The dispatcher's state and whether its loop still turns. Reads the X280's memory, never a core's.
    pub(super) fn activity(&self) -> Result<Activity> {
        let _entered = self.session.enter()?;
        let before = self.dispatcher()?;
        teardown::pause(&*self.card, BETWEEN)?;
        let state = self.dispatcher()?;
        let harts = self.session.cluster().harts()?.to_vec();
        Ok(Activity { passes: state.passes.wrapping_sub(before.passes), state, harts })
    }

    /// The dispatcher's state words.
    pub(super) fn dispatcher(&self) -> Result<DispatcherState> {
        const WORDS: usize = launch::STATE_WORDS as usize;
        let words = self.session.cluster().read_words::<WORDS>(layout::LIM_STATE)?;
        Ok(DispatcherState::decode(&words))
    }
}
