//! A loaded program: commands in, events out.
//!
//! `submit` checks a command and encodes it into a private queue: no allocation once the queue has grown, no lock, no
//! system call. `wait` stores the queue in batches and reads events. A run that died answers every later call with
//! [`Error::RunEnded`].

mod diagnose;
mod end;
mod engines;
mod events;
mod handlers;
mod handles;
#[cfg(test)]
mod model;
mod queue;
mod returned;
mod ring;
mod sequence;
mod state;
mod stats;
mod stop;
mod submit;
pub(crate) mod teardown;
mod trace;
mod wait;
mod waitable;

use std::cell::{RefCell, RefMut};
use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use komorebi_abi::engine::Facts;
use komorebi_abi::program::ProgramModel;
use komorebi_card::{Card, Grid, Group, HostMem};

pub use engines::{Restart, StartOptions};
pub use events::{Event, EventKind};
pub use handles::{Handle, Handles};
pub use submit::Columns;
pub(crate) use trace::TraceArea;
pub use trace::{CoreTrace, Phases, Trace};
pub use waitable::Waitable;

use crate::build::{CodePlace, KernelSizes, Kernels};
use crate::load::LoadOptions;
use crate::postmortem;
use crate::program::Dynamic;
use crate::session::{Session, Tiles};
use crate::{Error, Result};

use self::handles::Progress;
use self::sequence::Sequence;
use self::state::State;

/// A loaded program. Dropping it aborts it; [`stop`](Self::stop) ends it well.
pub struct Run<P = Dynamic> {
    core: RunCore,
    of: PhantomData<fn() -> P>,
}

/// The part of a run that does not depend on its program's type.
pub(crate) struct RunCore {
    session: Session,
    card: Arc<dyn Card>,
    number: u32,
    tiles: Tiles,
    kernels: Arc<Kernels>,
    grid: Grid,
    handlers: handlers::Handlers,
    /// What graphs and streams are checked against.
    facts: Facts,
    /// The load option.
    deadline: Duration,
    trace: Option<TraceArea>,
    /// Where a failure leaves its file.
    post_mortem: Option<PathBuf>,
    state: RefCell<State>,
}

/// What a load hands to its run.
pub(crate) struct Parts<'a> {
    pub(crate) session: Session,
    pub(crate) number: u32,
    pub(crate) tiles: Tiles,
    pub(crate) events: HostMem,
    pub(crate) model: &'a ProgramModel,
    pub(crate) untyped: &'a [String],
    pub(crate) kernels: Arc<Kernels>,
    pub(crate) trace: Option<TraceArea>,
    pub(crate) options: &'a LoadOptions,
}

/// The group of a command, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandGroup {
    /// The first core; `None` for a queued command before its done event.
    pub first: Option<u32>,
    /// Cores.
    pub count: u32,
}

impl<P> Run<P> {
    pub(crate) fn new(parts: Parts<'_>) -> Self {
        let options = parts.options;
        let tile = parts.session.cluster().tile;
        let state = State::new(tile, parts.events, options);
        let mut facts = Facts::new(parts.model);
        facts.cores = Some(parts.tiles.grid.cores());
        facts.typed = parts.untyped.is_empty();
        let core = RunCore {
            card: parts.session.shared_card(),
            session: parts.session,
            number: parts.number,
            grid: parts.tiles.grid,
            tiles: parts.tiles,
            handlers: handlers::Handlers::new(parts.model, parts.untyped),
            facts,
            kernels: parts.kernels,
            deadline: options.deadline,
            trace: parts.trace,
            post_mortem: postmortem::folder(options.post_mortem.as_ref()),
            state: RefCell::new(state),
        };
        Self { core, of: PhantomData }
    }

    /// The program's grid.
    pub fn grid(&self) -> Grid {
        self.core.grid
    }

    /// Bytes of the kernels' texts, thread by thread.
    pub fn sizes(&self) -> &KernelSizes {
        &self.core.kernels.sizes
    }

    /// The number of its load, which no other load of this process has; its handles carry it.
    pub fn load(&self) -> u32 {
        self.core.number
    }

    /// Where in the sources the code lies that an agent of this run executes at `pc`: `B` (the writer), `NC` (the reader), `T0`,
    /// `T1` or `T2` (unpack, math, pack), as faults name it and profiles of the simulated card number it, or `hart 0` to
    /// `hart 3`. `None` outside its image.
    pub fn locate(&self, agent: &str, pc: u64) -> Option<CodePlace> {
        self.core.session.place_at(Some(&self.core.kernels), agent, pc)
    }

    /// The session it is loaded in.
    pub fn session(&self) -> &Session {
        &self.core.session
    }

    /// Seconds of wall time spent in `submit` (one call of 64 is timed and stands for all) and `submit_many`.
    pub fn submit_s(&self) -> f64 {
        self.core.state.borrow().stats.submit.as_secs_f64()
    }

    /// Seconds of wall time spent in `wait`, `wait_any` and `drain`.
    pub fn wait_s(&self) -> f64 {
        self.core.state.borrow().stats.wait.as_secs_f64()
    }

    /// The event of a command, once it has arrived. Stores what is queued up to it and polls once, so that a loop over
    /// this call makes progress.
    ///
    /// # Errors
    /// [`Error::Handle`] for a forgotten command, [`Error::ForeignHandle`] for another run's; what ends the run.
    pub fn event<R>(&self, handle: Handle<R>) -> Result<Option<Event<R>>> {
        let mut state = self.core.state()?;
        let number = self.core.own(handle)?;
        let slot = *state
            .table
            .get(number)
            .filter(|slot| slot.progress != Progress::Forgotten)
            .ok_or(Error::Handle { handle: number })?;
        if let Some(event) = Event::of(handle, &slot) {
            return Ok(Some(event));
        }
        self.core.poll(&mut state, number)?;
        Ok(state.table.get(number).and_then(|slot| Event::of(handle, slot)))
    }

    /// The sequence number the dispatcher gave a command, from its done event; `None` before it and for a rejected one.
    ///
    /// # Errors
    /// [`Error::Sequence`] when it cannot be told, [`Error::Handle`] for a forgotten command, [`Error::ForeignHandle`]
    /// for another run's.
    pub fn sequence<R>(&self, handle: Handle<R>) -> Result<Option<u64>> {
        self.core.slot(handle)?;
        match self.core.state.borrow_mut().table.sequence(handle.number()) {
            Sequence::None | Sequence::Low(_) => Ok(None),
            Sequence::Known(sequence) => Ok(Some(sequence)),
            Sequence::Lost => Err(Error::Sequence { handle: handle.number() }),
        }
    }

    /// The group of a command.
    ///
    /// # Errors
    /// [`Error::Handle`] for a forgotten command, [`Error::ForeignHandle`] for another run's.
    pub fn group<R>(&self, handle: Handle<R>) -> Result<CommandGroup> {
        let slot = self.core.slot(handle)?;
        let known = !slot.queued || slot.progress == Progress::Done;
        Ok(CommandGroup { first: known.then_some(u32::from(slot.first)), count: u32::from(slot.count) })
    }

    /// Releases what the run keeps for commands whose events arrived; others stay. What a trace needs of them stays too.
    ///
    /// # Errors
    /// [`Error::ForeignHandle`] for a command of another run; then nothing is released.
    pub fn forget(&self, handles: impl Waitable) -> Result<()> {
        for handle in handles.handles() {
            self.core.own(handle)?;
        }
        let mut state = self.core.state.borrow_mut();
        for number in handles.handles().map(Handle::number) {
            if state.table.get(number).is_some_and(|slot| slot.progress != Progress::Pending) {
                state.table.forget(number);
            }
        }
        Ok(())
    }
}

impl RunCore {
    /// The state of a run that has not ended.
    #[inline]
    fn state(&self) -> Result<RefMut<'_, State>> {
        let state = self.state.borrow_mut();
        match &state.ended {
            None => Ok(state),
            Some(cause) => Err(Error::RunEnded { cause: cause.clone() }),
        }
    }

    /// The number of a command of this run.
    #[inline]
    fn own<R>(&self, handle: Handle<R>) -> Result<u64> {
        let (number, load) = (handle.number(), handle.load());
        if load == self.number {
            return Ok(number);
        }
        Err(Error::ForeignHandle {
            handle: number,
            load: (load != handles::NO_LOAD).then_some(load),
            run: self.number,
        })
    }

    /// What is kept for a command.
    fn slot<R>(&self, handle: Handle<R>) -> Result<handles::Slot> {
        let number = self.own(handle)?;
        let state = self.state.borrow();
        let slot = state.table.get(number).filter(|slot| slot.progress != Progress::Forgotten);
        slot.copied().ok_or(Error::Handle { handle: number })
    }

    /// What the end of the run needs to stop it.
    fn hold<'a>(&'a self, card: &'a dyn Card) -> teardown::Hold<'a> {
        let patience = self.session.patience();
        let cluster = self.session.cluster();
        let (tiles, kernels, trace) = (&self.tiles, &*self.kernels, self.trace);
        teardown::Hold { card, cluster, tiles, kernels, trace, patience }
    }

    /// Every core of the program.
    fn everyone(&self) -> Group {
        Group::new(0, self.grid.cores())
    }
}

impl<P> std::fmt::Debug for Run<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Run({} grid, load {})", self.core.grid, self.core.number)
    }
}
