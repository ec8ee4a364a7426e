//! The end of a run, whatever brought it: grid stopped, image stopped, state read back.

use std::time::Duration;

use komorebi_abi::constants::{command, core, launch, layout};
use komorebi_card::{Card, NocXy};

pub(crate) use super::returned::Away;
use super::returned::wait_returned;
use super::trace::{CoreRecord, TraceArea};
use crate::Result;
use crate::build::{Kernels, THREADS};
use crate::error::StuckThread;
use crate::session::{Cluster, HartState, Tiles};
use crate::state::{CoreState, ResultBlock, ThreadState};

/// How long the dispatcher may take from the stop word to its result block when the grid is stopped already: it finishes
/// what is in flight, which may take it to the commands' deadline (host-api, "Session").
const FORCED: Duration = Duration::from_secs(5);

/// A hart that its interrupt does not bring back to the monitor.
pub(crate) const NOT_BACK: &str = "its hart did not come back to the monitor; reset the card";

/// Between the first two looks for the result; then twice as long each time, up to `SLOWEST`.
const FIRST: Duration = Duration::from_micros(20);
const SLOWEST: Duration = Duration::from_millis(1);

/// What is left after the end.
pub(crate) struct Teardown {
    /// The dispatcher's result block, if it wrote one.
    pub(crate) result: Option<ResultBlock>,
    /// False when the monitor did not get its hart back.
    pub(crate) restored: bool,
    /// What the monitor said about each hart before the dispatcher's was taken back.
    pub(crate) harts: Vec<HartState>,
    /// Each core's threads.
    pub(crate) cores: Vec<CoreState>,
    /// The threads that had not come back when their cores were reset, and where they were.
    pub(crate) away: Vec<Away>,
    /// Each core's trace, of a run that has one.
    pub(crate) trace: Option<Vec<CoreRecord>>,
}

/// Tells the dispatcher to finish.
pub(crate) fn tell_dispatcher(cluster: &Cluster) -> Result<()> {
    cluster.store(layout::LIM_CONTROL + 8 * command::CONTROL_STOP, 1)
}

/// The dispatcher's result block, once it is written.
pub(crate) fn result(cluster: &Cluster) -> Result<Option<ResultBlock>> {
    let words = cluster.read_words::<{ launch::RESULT_WORDS as usize }>(layout::LIM_RESULT)?;
    Ok(ResultBlock::decode(&words))
}

/// Waits for the dispatcher's result, at most `timeout`; `None` when it ran out or the hart left it without one.
pub(crate) fn wait_result(
    card: &dyn Card,
    cluster: &Cluster,
    timeout: Duration,
) -> Result<Option<ResultBlock>> {
    let deadline = card.now() + timeout;
    let mut between = FIRST;
    loop {
        if let Some(result) = result(cluster)? {
            return Ok(Some(result));
        }
        if matches!(cluster.hart(0)?, HartState::Trapped { .. } | HartState::Parked { .. }) {
            return self::result(cluster); // it may have been written between the two reads
        }
        if card.now() >= deadline {
            return Ok(None);
        }
        pause(card, between.min(deadline - card.now()))?;
        between = (2 * between).min(SLOWEST);
    }
}

/// Lets the card run for `time`.
pub(crate) fn pause(card: &dyn Card, time: Duration) -> Result<()> {
    let until = card.now() + time;
    while card.now() < until {
        card.relax(until)?;
    }
    Ok(())
}

/// What is stopped.
pub(crate) struct Hold<'a> {
    pub(crate) card: &'a dyn Card,
    pub(crate) cluster: &'a Cluster,
    pub(crate) tiles: &'a Tiles,
    pub(crate) kernels: &'a Kernels,
    /// Where the trace lies, if there is one.
    pub(crate) trace: Option<TraceArea>,
    /// How long the threads may take to return once they are told to.
    pub(crate) patience: Duration,
}

impl Hold<'_> {
    /// Stops the grid by its stop flags, waits for its threads, stops the dispatcher, and reads both back.
    pub(crate) fn force(&self) -> Result<Teardown> {
        let (card, cluster) = (self.card, self.cluster);
        self.tiles.multicast32(card, u64::from(layout::L1_CONTROL + core::CONTROL_STOP_FLAG), 1)?;
        let away = wait_returned(card, self.tiles, self.kernels, self.patience)?;
        if !away.is_empty() {
            tracing::warn!(patience = ?self.patience, "threads of the grid did not return: their cores are reset");
        }
        tell_dispatcher(cluster)?;
        wait_result(card, cluster, FORCED)?;
        Ok(Teardown { away, ..self.finish_failed()? })
    }

    /// As [`finish`](Self::finish), for a run that failed or was aborted: the log has the dispatcher's state as it was left.
    fn finish_failed(&self) -> Result<Teardown> {
        log_state(self.cluster)?;
        self.finish()
    }

    /// Holds the cores, takes the dispatcher's hart back and reads what both left.
    pub(crate) fn finish(&self) -> Result<Teardown> {
        let (card, cluster) = (self.card, self.cluster);
        self.tiles.hold(card)?;
        let harts = cluster.harts()?.to_vec();
        let restored = cluster.take_back(0)?;
        card.set_cleanup(None)?;
        let result = result(cluster)?;
        let cores = self.tiles.all().iter().map(|tile| core_state(card, *tile)).collect::<Result<_>>()?;
        let read = |area: TraceArea| self.tiles.all().iter().map(|&tile| area.read(card, tile)).collect();
        let trace = self.trace.map(read).transpose()?;
        Ok(Teardown { result, restored, harts, cores, away: Vec::new(), trace })
    }
}

/// The first 512 bytes of the dispatcher's state, as LIM holds them, into the log (host-api, "Session").
pub(crate) fn log_state(cluster: &Cluster) -> Result<()> {
    const LINE: usize = 8;
    let words = cluster.read_words::<{ layout::LIM_STATE_BYTES as usize / 8 }>(layout::LIM_STATE)?;
    for (index, line) in words.chunks(LINE).enumerate() {
        let at = 8 * LINE * index;
        let line: Vec<String> = line.iter().map(|word| format!("{word:016x}")).collect();
        tracing::info!("kernel state +{at:#05x}: {}", line.join(" "));
    }
    Ok(())
}

/// The threads' state blocks of a held core.
pub(crate) fn core_state(card: &dyn Card, tile: NocXy) -> Result<CoreState> {
    const STRIDE: usize = core::THREAD_STRIDE as usize;
    let mut blocks = [0; STRIDE * core::THREADS as usize];
    card.read(tile, u64::from(layout::L1_CONTROL + core::CONTROL_THREADS), &mut blocks)?;
    Ok(CoreState {
        threads: std::array::from_fn(|i| ThreadState::decode(&blocks[STRIDE * i..STRIDE * (i + 1)])),
    })
}

/// The threads that were not back when their cores were reset.
pub(crate) fn stuck_threads(teardown: &Teardown) -> impl Iterator<Item = StuckThread> {
    (0..).zip(&teardown.cores).flat_map(move |(core, state)| {
        let named = THREADS.into_iter().zip(state.threads);
        let stuck = named.filter(|(_, state)| !state.returned());
        stuck.map(move |(thread, state)| StuckThread { core, thread, state })
    })
}
