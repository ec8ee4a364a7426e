//! Loading a program: build, lay out, write, start. Any failure leaves the card ready for the next load.

mod args;
mod core_block;
mod images;
mod launch;
mod options;
mod start;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use komorebi_abi::constants::{command, event, layout};
use komorebi_abi::program::{ProgramModel, Thread};
use komorebi_card::{Card, Grid};

pub use options::LoadOptions;
pub(crate) use options::check_time;

use crate::build;
use crate::error::{LateCore, ProgramError, SizeError, StartError};
use crate::postmortem::{self, Scene};
use crate::run::teardown::{self, Teardown};
use crate::run::{Parts, Run, TraceArea};
use crate::session::{Loaded, Session, Tiles};
use crate::state::ThreadState;
use crate::{Error, Program, Result};

use self::args::ArgumentAreas;

/// What the kernels of a traced run are built with (`detail/trace.h`).
const TRACE_DEFINE: &str = "KM_TRACE";

/// Loads `program` into `session`.
pub(crate) fn load<P>(session: &Session, mut program: Program<P>, options: &LoadOptions) -> Result<Run<P>> {
    let span = tracing::info_span!("load", program = program.model().name);
    let _entered = span.enter();
    session.check_alive()?;
    options.check()?;
    let model = program.model_mut();
    model.depth = options.depth.unwrap_or(model.depth);
    model.kernel_bytes = session.kernel_bytes().or(model.kernel_bytes);
    program.check()?;
    refuse_threads(program.model())?;
    let trace = TraceArea::behind(program.model(), options.trace)?;
    let tiles = tiles(session, program.model().grid)?;
    let (kernels, areas) = build(session, &program, &tiles, trace.is_some())?;
    tracing::info!(sizes = %kernels.sizes, total = kernels.sizes.total, buffer = kernels.sizes.buffer, "built");

    let card = session.enter()?;
    let kernels = Arc::new(kernels);
    let number = next_load();
    let events = {
        let mut slot = session.loaded();
        match &*slot {
            Some(loaded) if loaded.unstopped => return Err(Error::Unstopped),
            Some(_) => return Err(Error::Loaded),
            None => {}
        }
        let events = card.host_mem((options.event_depth * event::EVENT_BYTES) as usize)?;
        let (tiles, kernels) = (tiles.clone(), kernels.clone());
        *slot = Some(Loaded { number, tiles, kernels, trace, unstopped: false, _events: events.clone() });
        events
    };
    let plan = Plan {
        session,
        card: &*card,
        program: &program,
        options,
        tiles: &tiles,
        kernels: &kernels,
        areas: &areas,
        trace,
        number,
    };
    if let Err(error) = plan.start(&events) {
        return Err(plan.give_up(error));
    }
    drop(card);
    tracing::info!(cores = tiles.grid.cores(), "every core is ready");
    Ok(Run::new(Parts {
        session: session.clone(),
        number,
        tiles,
        events,
        model: program.model(),
        untyped: program.untyped(),
        kernels,
        trace,
        options,
    }))
}

/// Threads of the X280 are declared and checked, and do not run yet.
fn refuse_threads(model: &ProgramModel) -> Result<()> {
    if model.threads.is_empty() {
        return Ok(());
    }
    let threads = model.threads.iter().map(Thread::label).collect::<Vec<_>>().join(", ");
    Err(Error::ThreadsNotRun { program: model.name.clone(), threads })
}

/// The number of a load, from 1, which no other load of this process has.
fn next_load() -> u32 {
    static LOADS: AtomicU32 = AtomicU32::new(1);
    LOADS.fetch_add(1, Ordering::Relaxed)
}

/// Everything a load writes, decided before it writes anything.
pub(crate) struct Plan<'a, P> {
    session: &'a Session,
    card: &'a dyn Card,
    program: &'a Program<P>,
    options: &'a LoadOptions,
    tiles: &'a Tiles,
    kernels: &'a build::Kernels,
    areas: &'a ArgumentAreas,
    trace: Option<TraceArea>,
    number: u32,
}

impl<P> Plan<'_, P> {
    /// After a failure: everything stopped, the card free for the next load when that worked.
    fn give_up(&self, error: Error) -> Error {
        tracing::warn!(%error, "the load failed: stopping what was started");
        let error = self.session.located(error);
        let hold = teardown::Hold {
            card: self.card,
            cluster: self.session.cluster(),
            tiles: self.tiles,
            kernels: self.kernels,
            trace: self.trace,
            patience: self.session.patience(),
        };
        match hold.force() {
            Ok(ended) if ended.restored => {
                *self.session.loaded() = None;
                self.recorded(with_cores(error, &ended), Some(&ended))
            }
            Ok(ended) => {
                tracing::warn!(harts = ?ended.harts, "the dispatcher's hart did not come back");
                self.session.mark_unstopped();
                self.recorded(error, Some(&ended))
            }
            Err(failed) => {
                tracing::warn!(error = %failed, "the card could not be stopped");
                self.session.mark_unstopped();
                self.recorded(error, None)
            }
        }
    }

    /// The error, with the file about it where one was asked for.
    fn recorded(&self, error: Error, ended: Option<&Teardown>) -> Error {
        let Some(folder) = postmortem::folder(self.options.post_mortem.as_ref()) else { return error };
        let model = self.program.model();
        let scene = Scene {
            session: self.session,
            program: &model.name,
            load: self.number,
            grid: self.tiles.grid,
            deadline: 0,
            handlers: model.handlers.iter().map(|h| (h.number as u8, h.name.clone())).collect(),
            kernels: self.kernels,
            entered: true,
        };
        scene.gather(&error, ended, Vec::new(), Vec::new()).save(&folder, error)
    }
}

/// A start error, with the cores that had not come to wait for their first command.
fn with_cores(error: Error, ended: &Teardown) -> Error {
    let Error::StartError(mut error) = error else { return error };
    let cores = (0..).zip(&ended.cores).map(|(core, state)| LateCore { core, threads: state.threads });
    error.cores = cores.filter(|core| !core.threads.iter().all(ThreadState::waits)).collect();
    Error::StartError(error)
}

/// The tiles of the program's grid, or of the session's when the program names none.
fn tiles(session: &Session, grid: Option<(u32, u32)>) -> Result<Tiles> {
    let whole = session.description().grid();
    let grid = grid.map_or(session.grid(), |(width, height)| Grid::new(width, height));
    let (columns, cores) = (command::COLUMNS_MAX, command::CORES_MAX);
    // Core tables, READY words and multicast lists have room for no more, whatever the grid came from.
    if grid.width > columns || u64::from(grid.width) * u64::from(grid.height) > u64::from(cores) {
        return Err(StartError::new(format!(
            "the program's grid is {grid} and commands can name at most {cores} cores and {columns} columns; make the program's grid smaller"
        ))
        .into());
    }
    Tiles::new(session.description(), grid).ok_or_else(|| {
        StartError::new(format!(
            "the program's grid is {grid} and the card has {whole}; make the program's grid smaller"
        ))
        .into()
    })
}

fn build<P>(
    session: &Session,
    program: &Program<P>,
    tiles: &Tiles,
    traced: bool,
) -> Result<(build::Kernels, ArgumentAreas)> {
    let mut model = program.model().clone();
    if traced {
        model.defines.push((TRACE_DEFINE.into(), "1".into()));
    }
    let model = &model;
    let (base, room) = (layout::L1_KERNELS, model.kernel_buffer());
    let kernels = build::kernels(session.toolchain(), program.sources(), model, base, room)
        .map_err(|error| built_wrong(&model.name, base, error))?;
    let areas = ArgumentAreas::new(program, tiles.grid, kernels.end);
    let needed = (areas.end() - base).next_multiple_of(layout::KERNEL_BYTES_STEP);
    if needed > room {
        let sizes = kernels.sizes.clone();
        return Err(SizeError { sizes, args: areas.bytes(), needed }.into());
    }
    Ok((kernels, areas))
}

fn built_wrong(program: &str, base: u32, error: build::Error) -> Error {
    match error {
        build::Error::KernelSize(sizes) => {
            let needed = (base + sizes.total).next_multiple_of(layout::KERNEL_BYTES_STEP) - base;
            SizeError { sizes: *sizes, args: 0, needed: needed.next_multiple_of(layout::KERNEL_BYTES_STEP) }
                .into()
        }
        build::Error::Instruction(error) => Error::KernelInstructionError(Box::new(error)),
        other => {
            let messages = vec![other.to_string()];
            ProgramError { program: program.into(), problems: Vec::new(), messages }.into()
        }
    }
}
