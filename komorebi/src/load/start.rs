//! Starting: the dispatcher first, then the cores, then the wait for READY.

use komorebi_abi::FINGERPRINT;
use komorebi_abi::constants::{command, core, launch, layout};
use komorebi_card::{Cleanup, HostMem};

use super::Plan;
use crate::Result;
use crate::error::StartError;
use crate::run::teardown;
use crate::session::{HartState, Start};
use crate::state::{DispatcherError, DispatcherStage, DispatcherState};

/// What the host gives the grid beyond `start` before it stops waiting: the dispatcher reports a late column itself.
const MARGIN: std::time::Duration = std::time::Duration::from_millis(20);

impl<P> Plan<'_, P> {
    /// Writes everything and starts it; returns once every column of the grid reported READY.
    pub(super) fn start(&self, events: &HostMem) -> Result<()> {
        self.check_idle()?;
        self.write_cores()?;
        self.write_cluster(events)?;
        let card = self.card;
        let cluster = self.session.cluster();
        // Should this process die, the driver tells the dispatcher to finish (host.md §1.6).
        card.set_cleanup(Some(Cleanup {
            tile: cluster.tile,
            address: layout::LIM_BASE + u64::from(layout::LIM_CONTROL + 8 * command::CONTROL_STOP),
            value: 1,
        }))?;
        tracing::debug!("starting the dispatcher");
        cluster.start(
            0,
            &Start {
                entry: self.session.firmware().dispatcher.entry,
                argument: layout::LIM_BASE + u64::from(layout::LIM_LAUNCH),
                stack: layout::LIM_BASE + u64::from(layout::LIM_STACKS + layout::LIM_STACK_BYTES),
            },
        )?;
        // The contract of a program that runs (host-api, "Session"): a card that can holds us to it.
        card.keep_off(u64::from(layout::L1_CONTROL + core::CONTROL_STOP_FLAG))?;
        tracing::debug!(cores = self.tiles.grid.cores(), "releasing the cores");
        self.tiles.release(card)?;
        self.wait_running()
    }

    fn check_idle(&self) -> Result<()> {
        match self.session.cluster().hart(0)? {
            HartState::Parked { .. } | HartState::Trapped { .. } => Ok(()),
            state => Err(StartError::new(format!(
                "hart 0 of X280 cluster 0 is not idle ({state}); close the session and open it again"
            ))
            .into()),
        }
    }

    /// Image, zeroed areas, core table, launch parameters, event window.
    fn write_cluster(&self, events: &HostMem) -> Result<()> {
        let cluster = self.session.cluster();
        let image = &self.session.firmware().dispatcher;
        cluster.write((image.base - layout::LIM_BASE) as u32, &image.bytes)?;
        // From the ring to the job queue's end: rings, state, result, control line, READY and completion words.
        cluster.write(layout::LIM_RING, &vec![0; (layout::LIM_SPARE - layout::LIM_RING) as usize])?;
        // Bulk writes have no order: the core table lies in what was zeroed.
        cluster.fence()?;
        let cores: Vec<u8> = self.tiles.all().iter().flat_map(|tile| tile.hi_word().to_le_bytes()).collect();
        cluster.write(layout::LIM_CORES, &cores)?;
        let ring = self.open_event_window(events)?;
        cluster.fence()?;
        cluster.write_words(layout::LIM_LAUNCH, &self.launch_words(ring))?;
        cluster.fence()
    }

    /// Waits for the stage RUNNING, at most `start`.
    fn wait_running(&self) -> Result<()> {
        let card = self.card;
        let cluster = self.session.cluster();
        let deadline = card.now() + self.options.start + MARGIN;
        loop {
            let state = self.state()?;
            match state.stage {
                DispatcherStage::Running => return Ok(()),
                DispatcherStage::Done | DispatcherStage::Failed => return Err(self.ended(&state)?.into()),
                _ => {}
            }
            let hart = cluster.hart(0)?;
            match hart {
                HartState::Trapped { pc, .. } => {
                    let place = self.session.firmware_place(pc);
                    let place = place.map_or_else(String::new, |place| format!(", in {place}"));
                    let what = format!("the dispatcher's hart {hart}{place}");
                    return Err(StartError::with_result(what, teardown::result(cluster)?).into());
                }
                HartState::Parked { value } if refuses(value) => {
                    return Err(StartError::with_result(refused(value), teardown::result(cluster)?).into());
                }
                // It ended between the two reads.
                HartState::Parked { .. } => return Err(self.ended(&self.state()?)?.into()),
                _ => {}
            }
            if cluster.pause_until(deadline)? {
                let what = format!(
                    "the grid was not ready within {:?} (load option `start`): the dispatcher is {} after {} passes, its hart is {hart}; {}",
                    self.options.start,
                    state.stage,
                    state.passes,
                    self.absent(&state)
                );
                return Err(StartError::with_result(what, teardown::result(cluster)?).into());
            }
        }
    }

    fn state(&self) -> Result<DispatcherState> {
        const WORDS: usize = launch::STATE_WORDS as usize;
        let words = self.session.cluster().read_words::<WORDS>(layout::LIM_STATE)?;
        Ok(DispatcherState::decode(&words))
    }

    /// The error of a dispatcher that ended before it ran.
    fn ended(&self, state: &DispatcherState) -> Result<StartError> {
        let what = format!(
            "the dispatcher ended before the grid was ready, within {:?} (load option `start`): {}",
            self.options.start,
            self.absent(state)
        );
        let result = teardown::wait_result(self.card, self.session.cluster(), MARGIN)?;
        Ok(StartError::with_result(what, result))
    }

    /// Which columns have not reported.
    fn absent(&self, state: &DispatcherState) -> String {
        let width = self.tiles.grid.width;
        let absent: Vec<String> = (0..width)
            .filter(|column| state.ready >> column & 1 == 0)
            .map(|column| column.to_string())
            .collect();
        if absent.is_empty() {
            "every column reported READY".into()
        } else {
            format!("columns without READY: {}", absent.join(", "))
        }
    }
}

/// True for what an image returns that did not take its launch parameters.
fn refuses(value: u64) -> bool {
    use DispatcherError::{Alignment, Fingerprint, Launch};
    matches!(DispatcherError::from_word(value), Fingerprint | Alignment | Launch)
}

/// What an image that returned before it ran says: the error in the low half, what it is about in the high one.
fn refused(value: u64) -> String {
    match DispatcherError::from_word(value) {
        DispatcherError::Fingerprint => format!(
            "the dispatcher's fingerprint is {:#010x} and the host's {FINGERPRINT:#010x}: they were built from different headers; build the program again",
            value >> 32
        ),
        error => format!("the dispatcher refused its launch parameters: {error} (detail {:#x})", value >> 32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_that_differs_is_refused_with_both_values_named() {
        let message = refused(u64::from(launch::ERROR_FINGERPRINT) | 0x1234_5678 << 32);
        assert!(
            message.contains("0x12345678") && message.contains(&format!("{FINGERPRINT:#010x}")),
            "{message}"
        );
        assert!(refused(u64::from(launch::ERROR_LAUNCH) | 18 << 32).ends_with("(detail 0x12)"));
    }
}
