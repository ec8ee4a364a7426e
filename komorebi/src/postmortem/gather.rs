//! What a post-mortem is made of.

use komorebi_abi::FINGERPRINT;
use komorebi_abi::constants::{command, launch, layout};
use komorebi_card::Grid;

use super::{
    BusyRecord, CommandRecord, CoreRecord, DispatcherRecord, FORMAT, PostMortem, ThreadRecord, VERSION,
    WaitRecord,
};
use crate::build::{CodePlace, Kernels, THREADS};
use crate::error::HartTrap;
use crate::run::teardown::{Away, Teardown};
use crate::session::{Cluster, Session};
use crate::state::{CoreState, DispatcherState, ResultBlock, ThreadState, WaitKind};
use crate::{Error, Result};

/// Where a failure happened.
pub(crate) struct Scene<'a> {
    pub(crate) session: &'a Session,
    pub(crate) program: &'a str,
    pub(crate) load: u32,
    pub(crate) grid: Grid,
    /// Nanoseconds.
    pub(crate) deadline: u64,
    pub(crate) handlers: Vec<(u8, String)>,
    pub(crate) kernels: &'a Kernels,
    /// Whether the caller has entered the session already, which is not to be nested.
    pub(crate) entered: bool,
}

impl Scene<'_> {
    /// Everything there is about `error`, as far as the card still answers.
    pub(crate) fn gather(
        &self,
        error: &Error,
        teardown: Option<&Teardown>,
        commands: Vec<CommandRecord>,
        events: Vec<u64>,
    ) -> PostMortem {
        let description = self.session.description();
        let away = teardown.map_or(&[][..], |teardown| &teardown.away);
        let cores = teardown.map_or(&[][..], |teardown| &teardown.cores);
        let variant = error.variant();
        PostMortem {
            format: FORMAT.to_owned(),
            version: VERSION,
            kind: variant.to_owned(),
            message: error.to_string(),
            program: self.program.to_owned(),
            load: self.load,
            grid: (self.grid.width, self.grid.height),
            card: format!("{} {}", description.world, description.board),
            fingerprint: FINGERPRINT,
            at: self.session.shared_card().now().as_nanos(),
            deadline: self.deadline,
            handlers: self.handlers.clone(),
            dispatcher: self.dispatcher(teardown).ok(),
            commands,
            cores: (0..).zip(cores).map(|(core, state)| self.core(core, state, away)).collect(),
            events,
            trace: None,
        }
    }

    fn dispatcher(&self, teardown: Option<&Teardown>) -> Result<DispatcherRecord> {
        let _entered = if self.entered { None } else { Some(self.session.enter()?) };
        let mut record = DispatcherRecord::read(self.session.cluster())?;
        // Before the harts were taken back they said more.
        if let Some(teardown) = teardown {
            record.harts = teardown.harts.iter().map(ToString::to_string).collect();
            if let Some(trap) = HartTrap::first(&teardown.harts, |pc| self.session.firmware_place(pc)) {
                record.harts.push(trap.to_string());
            }
        }
        Ok(record)
    }

    fn core(&self, core: u32, state: &CoreState, away: &[Away]) -> CoreRecord {
        core_record(core, state, |core, thread, state| {
            let out = away.iter().find(|away| (away.core, away.thread) == (core, thread));
            // Behind a call is the next instruction, which may be of the next line. What a core leaves may be any number.
            let waited = u64::from(state.place).checked_sub(2);
            let pc = out.map(|away| u64::from(away.pc)).or(waited)?;
            // Lines of the library, as where a writer waits for its group, would tell a program's author nothing.
            self.kernels.threads[thread].locate_own(pc)
        })
    }
}

/// A core's record, the places of its threads looked up by `locate`.
pub(super) fn core_record(
    core: u32,
    state: &CoreState,
    locate: impl Fn(u32, usize, &ThreadState) -> Option<CodePlace>,
) -> CoreRecord {
    let threads = (0..).zip(THREADS).zip(&state.threads).map(|((index, name), thread)| ThreadRecord {
        thread: name.to_owned(),
        stage: format!("{:?}", thread.stage),
        taken: thread.taken,
        done: thread.done,
        handler: thread.handler,
        sequence: thread.sequence,
        wait: (thread.wait != WaitKind::None).then(|| WaitRecord {
            kind: format!("{:?}", thread.wait),
            what: thread.wait.to_string(),
            object: thread.object,
            wanted: thread.wanted,
            seen: thread.seen,
        }),
        place: locate(core, index, thread).map(|place| place.to_string()),
    });
    CoreRecord { core, threads: threads.collect() }
}

impl DispatcherRecord {
    /// Reads it from a cluster's memory.
    pub(super) fn read(cluster: &Cluster) -> Result<Self> {
        let state = cluster.read_words::<{ launch::STATE_WORDS as usize }>(layout::LIM_STATE)?;
        let result = cluster.read_words::<{ launch::RESULT_WORDS as usize }>(layout::LIM_RESULT)?;
        const RING: usize = (command::RING_LINES_MAX * command::LINE_BYTES / 8) as usize;
        let ring = cluster.read_words::<RING>(layout::LIM_RING)?;
        let harts = cluster.harts()?.iter().map(ToString::to_string).collect();
        Ok(Self::new(&state, &result, ring.to_vec(), harts))
    }

    fn new(
        words: &[u64; launch::STATE_WORDS as usize],
        result: &[u64; launch::RESULT_WORDS as usize],
        ring: Vec<u64>,
        harts: Vec<String>,
    ) -> Self {
        let state = DispatcherState::decode(words);
        let busy = state.busy.iter().map(|busy| BusyRecord {
            slot: busy.slot,
            sequence: busy.sequence,
            handler: busy.handler,
            first: busy.group.first,
            count: busy.group.count,
        });
        Self {
            stage: state.stage.to_string(),
            passes: state.passes,
            consumed: state.consumed,
            posted: state.posted,
            busy: busy.collect(),
            result: ResultBlock::decode(result).map(|result| result.to_string()),
            harts,
            state: words.to_vec(),
            ring,
        }
    }
}
