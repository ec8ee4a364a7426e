//! The dispatcher's launch parameters (`launch.h`) and the window it posts events through.

use std::time::Duration;

use komorebi_abi::FINGERPRINT;
use komorebi_abi::constants::{event, launch as l, layout};
use komorebi_card::HostMem;

use super::Plan;
use crate::Result;
use crate::session::registers::{
    MTIME, PERIPHERALS_HART, SMALL_WINDOW_BYTES, SMALL_WINDOW_COUNT, SMALL_WINDOW_SPACE, SMALL_WINDOWS,
};

/// The small window onto the event ring. The dispatcher's own windows come behind it.
const EVENT_WINDOW: u32 = 0;

fn lim(offset: u32) -> u64 {
    layout::LIM_BASE + u64::from(offset)
}

fn ticks(time: Duration) -> u64 {
    let ticks = time.as_nanos().saturating_mul(event::TICKS_PER_MICROSECOND.into()) / 1000;
    u64::try_from(ticks).unwrap_or(u64::MAX)
}

impl<P> Plan<'_, P> {
    /// Points the event window at host memory; gives the hart address of the ring.
    pub(super) fn open_event_window(&self, events: &HostMem) -> Result<u64> {
        let cluster = self.session.cluster();
        let address = events.noc_address();
        let registers = SMALL_WINDOWS + 16 * u64::from(EVENT_WINDOW);
        cluster.write_register(registers, address / SMALL_WINDOW_BYTES)?;
        // lo: x_end[5:0], y_end[11:6]; ordering, flags and hi are 0: unicast over NoC 0 (host.md §6.4).
        cluster.write_register(registers + 8, u64::from(events.tile().hi_word()))?;
        let window = SMALL_WINDOW_SPACE + u64::from(EVENT_WINDOW) * SMALL_WINDOW_BYTES;
        Ok(window + address % SMALL_WINDOW_BYTES)
    }

    /// The launch parameters, for an event ring at hart address `events`.
    pub(super) fn launch_words(&self, events: u64) -> [u64; l::LAUNCH_WORDS as usize] {
        let (grid, options) = (self.tiles.grid, self.options);
        let free = EVENT_WINDOW + 1;
        let mut words = [0; l::LAUNCH_WORDS as usize];
        for (index, word) in [
            (l::LAUNCH_FINGERPRINT, u64::from(FINGERPRINT)),
            (l::LAUNCH_RING, lim(layout::LIM_RING)),
            (l::LAUNCH_RING_LINES, u64::from(options.host_depth)),
            (l::LAUNCH_EVENTS, events),
            (l::LAUNCH_EVENT_DEPTH, u64::from(options.event_depth)),
            (l::LAUNCH_CONTROL, lim(layout::LIM_CONTROL)),
            (l::LAUNCH_STATE, lim(layout::LIM_STATE)),
            (l::LAUNCH_RESULT, lim(layout::LIM_RESULT)),
            (l::LAUNCH_READY, lim(layout::LIM_READY)),
            (l::LAUNCH_COMPLETIONS, lim(layout::LIM_COMPLETIONS)),
            (l::LAUNCH_CORE_TABLE, lim(layout::LIM_CORES)),
            (l::LAUNCH_JOBS, lim(layout::LIM_JOBS)),
            (l::LAUNCH_SPARE, lim(layout::LIM_SPARE)),
            (l::LAUNCH_SPARE_BYTES, u64::from(layout::LIM_UPLOAD - layout::LIM_SPARE)),
            (l::LAUNCH_UPLOAD, lim(layout::LIM_UPLOAD)),
            (l::LAUNCH_UPLOAD_BYTES, u64::from(layout::UPLOAD_BYTES)),
            (l::LAUNCH_CORES, u64::from(grid.cores())),
            (l::LAUNCH_GRID_WIDTH, u64::from(grid.width)),
            (l::LAUNCH_GRID_HEIGHT, u64::from(grid.height)),
            (l::LAUNCH_DEPTH, u64::from(self.program.model().depth)),
            (l::LAUNCH_MAILBOXES, u64::from(layout::L1_CONTROL)),
            (l::LAUNCH_WINDOW_REGS, PERIPHERALS_HART + SMALL_WINDOWS + 16 * u64::from(free)),
            (l::LAUNCH_WINDOW_SPACE, SMALL_WINDOW_SPACE + SMALL_WINDOW_BYTES * u64::from(free)),
            (l::LAUNCH_WINDOWS, u64::from(SMALL_WINDOW_COUNT - free)),
            (l::LAUNCH_CLOCK, MTIME),
            (l::LAUNCH_DEADLINE, ticks(options.deadline)),
            (l::LAUNCH_START, ticks(options.start)),
            (l::LAUNCH_IDLE, ticks(options.kernel_idle)),
        ] {
            words[index as usize] = word;
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_becomes_ticks_of_20_ns() {
        assert_eq!(ticks(Duration::from_secs(1)), 50_000_000);
        assert_eq!(ticks(Duration::from_nanos(1040)), 52);
        assert_eq!(ticks(Duration::MAX), u64::MAX);
    }
}
