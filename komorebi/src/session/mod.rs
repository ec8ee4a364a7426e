//! A session: one client's hold on one card.

mod builder;
mod close;
mod cluster;
mod exit;
mod locate;
mod nocs;
mod open;
mod pll;
pub(crate) mod registers;
mod tiles;

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use komorebi_abi::constants::{command, layout};
use komorebi_card::{Card, Description, DramBank, Grid, HostMem, World};
use ndarray::{ArrayRef, Dimension};

pub use builder::SessionBuilder;
pub use cluster::HartState;
pub(crate) use cluster::{Cluster, Start};
pub use exit::close_on_signals;
pub use nocs::Nocs;
pub(crate) use tiles::Tiles;

use crate::build::{Firmware, Kernels, Toolchain};
use crate::error::TensorError;
use crate::load::LoadOptions;
use crate::run::TraceArea;
use crate::run::teardown::Teardown;
use crate::tensor::{Allocator, Chunks, Registry};
use crate::{DType, Element, Error, Program, Result, Run, Tensor};

/// The longest an abort waits for the grid's threads.
const ABORT: Duration = Duration::from_secs(2);

/// An open card. Clones share it; the last one closes it, and so does the end of the process ([`close_on_signals`] for an end
/// that a signal asks for).
#[derive(Clone)]
pub struct Session(Arc<Inner>);

pub(crate) struct Inner {
    /// Which session of this process it is, from 1.
    number: u32,
    card: Arc<dyn Card>,
    cluster: Cluster,
    toolchain: Toolchain,
    firmware: Firmware,
    pll: pll::Step,
    grid_timeout: Duration,
    kernel_bytes: Option<u32>,
    memory: Mutex<Allocator>,
    /// The tensors in it, by address.
    tensors: Mutex<Registry>,
    loaded: Mutex<Option<Loaded>>,
    closed: AtomicBool,
    /// What the close read back of the load that it stopped, until that run asks for it.
    ended: Mutex<Option<(u32, Teardown)>>,
    /// Held for reading while a call uses the card, for writing while the session closes.
    gate: RwLock<()>,
}

/// What is on the card while a run is loaded.
#[derive(Clone)]
pub(crate) struct Loaded {
    /// Which load it is.
    pub(crate) number: u32,
    /// The program's cores.
    pub(crate) tiles: Tiles,
    /// The program's images, for their symbols.
    pub(crate) kernels: Arc<Kernels>,
    /// Where its trace lies.
    pub(crate) trace: Option<TraceArea>,
    /// True when it ended and could not be stopped: nothing else can be loaded.
    pub(crate) unstopped: bool,
    /// Host memory the dispatcher may still write: held here until it cannot, whatever becomes of the run.
    pub(crate) _events: HostMem,
}

/// A core's L1 as the session divides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct L1 {
    /// Bytes of the kernel buffer.
    pub kernel_buffer: u32,
    /// Bytes left for circular buffers.
    pub left: u32,
}

impl Session {
    /// Opens the card that `KM_CARD` names (`sim`, `sim:PATH` or `card:N`), or a simulated card.
    ///
    /// # Errors
    /// As [`SessionBuilder::open`].
    pub fn open() -> Result<Self> {
        Self::builder().open()
    }

    /// A session to be opened with other settings than the defaults.
    pub fn builder() -> SessionBuilder {
        SessionBuilder::new()
    }

    /// Loads `program` with the default [`LoadOptions`].
    ///
    /// # Errors
    /// As [`load_with`](Self::load_with).
    pub fn load<P>(&self, program: Program<P>) -> Result<Run<P>> {
        self.load_with(program, LoadOptions::default())
    }

    /// Builds `program`, writes it to the cores, starts the dispatcher and returns when every core is ready.
    ///
    /// # Errors
    /// [`Error::ProgramError`], [`Error::KernelSizeError`] and [`Error::KernelInstructionError`] before anything is
    /// loaded; [`Error::StartError`] when the grid or the dispatcher did not come up. After any of them the card is ready
    /// for the next load; after [`Error::Fault`] and [`Error::DeviceLost`] every load says the same.
    pub fn load_with<P>(&self, program: Program<P>, options: LoadOptions) -> Result<Run<P>> {
        crate::load::load(self, program, &options)
    }

    /// A tensor that holds `data` as `dtype`, written before this returns.
    ///
    /// # Errors
    /// [`Error::Tensor`] for a type that is not `dtype`'s or for lack of memory; the card's errors.
    pub fn tensor<T: Element, D: Dimension>(&self, data: &ArrayRef<T, D>, dtype: DType) -> Result<Tensor> {
        let tensor = self.empty(data.shape(), dtype)?;
        tensor.write(data)?;
        Ok(tensor)
    }

    /// Room for a tensor, not written.
    ///
    /// # Errors
    /// [`Error::Tensor`] for an empty shape or for lack of memory; the card's errors.
    pub fn empty(&self, shape: &[usize], dtype: DType) -> Result<Tensor> {
        self.check_alive()?;
        Tensor::empty(self, shape, dtype)
    }

    /// The bytes of pages `first..first + pages` of `tensor`, without their padding. Works while a run is loaded; read
    /// then only what no kernel writes any more.
    ///
    /// # Errors
    /// [`Error::Tensor`] for a range outside the tensor or a tensor of another session; the card's errors.
    pub fn read(&self, tensor: &Tensor, first: usize, pages: usize) -> Result<Vec<u8>> {
        if !tensor.owned_by(self) {
            return Err(TensorError::Session.into());
        }
        tensor.read_pages(first, pages)
    }

    /// All pages of `tensor` in chunks of at most `chunk_bytes`, as [`read`](Self::read) reads them; for a tensor of
    /// another session that error alone.
    pub fn read_chunks(&self, tensor: &Tensor, chunk_bytes: usize) -> Chunks {
        Chunks::new(self, tensor.clone(), chunk_bytes)
    }

    /// The grid of a program that names none: every row of the card, and as many of its columns as commands can name
    /// (128 cores in 16 columns). On a card of 14 columns these are 12 of 10 rows.
    pub fn grid(&self) -> Grid {
        nameable(self.description().grid())
    }

    /// The cores' NoC places.
    pub fn nocs(&self) -> Nocs {
        Nocs::new(self.description())
    }

    /// How each core's L1 is divided.
    pub fn l1(&self) -> L1 {
        let kernel_buffer = self.0.kernel_bytes.unwrap_or(layout::KERNEL_BYTES);
        L1 { kernel_buffer, left: layout::L1_BYTES - layout::L1_KERNELS - kernel_buffer }
    }

    /// The world the card lives in.
    pub fn world(&self) -> World {
        self.description().world
    }

    /// The card's facts.
    pub fn description(&self) -> &Description {
        self.0.card.description()
    }

    /// The clock of the X280 clusters, in MHz.
    pub fn pll_mhz(&self) -> u32 {
        self.0.pll.mhz
    }

    /// Stops a loaded run, takes the X280 back and releases the card. Later calls return [`Error::Closed`]; the run's
    /// [`stop`](Run::stop) and [`abort`](Run::abort) give what was read back.
    ///
    /// # Errors
    /// The card's errors on the way. A card that is lost or has halted is released all the same; after any other error the
    /// session stays open with what it has loaded, and the next close tries again: a second call, the drop of the run or of the
    /// session's last clone, the end of the process.
    pub fn close(&self) -> Result<()> {
        let closed = self.0.close();
        exit::wait_if_ending();
        closed
    }

    /// The card, for one call: the session does not close meanwhile. Not to be nested.
    pub(crate) fn enter(&self) -> Result<Entered<'_>> {
        let guard = self.0.gate.read().unwrap_or_else(PoisonError::into_inner);
        if self.closed() {
            drop(guard);
            exit::wait_if_ending();
            return Err(Error::Closed);
        }
        Ok(Entered { card: &*self.0.card, _guard: guard })
    }

    /// Does `work` with the card; a fault is told with its place in the sources.
    pub(crate) fn with_card<T>(&self, work: impl FnOnce(&dyn Card) -> Result<T>) -> Result<T> {
        let card = self.enter()?;
        work(&*card).map_err(|error| self.located(error))
    }

    /// Asks the card whether it still answers: one that halted says of what, whatever else this session knows.
    pub(crate) fn check_alive(&self) -> Result<()> {
        self.with_card(|_| self.cluster().monitor().map(|_| ()))
    }

    pub(crate) fn shared_card(&self) -> Arc<dyn Card> {
        self.0.card.clone()
    }

    pub(crate) fn cluster(&self) -> &Cluster {
        &self.0.cluster
    }

    pub(crate) fn firmware(&self) -> &Firmware {
        &self.0.firmware
    }

    pub(crate) fn toolchain(&self) -> &Toolchain {
        &self.0.toolchain
    }

    pub(crate) fn grid_timeout(&self) -> Duration {
        self.0.grid_timeout
    }

    /// How long an abort waits for the grid's threads (host-api, "Session").
    pub(crate) fn patience(&self) -> Duration {
        self.0.patience()
    }

    pub(crate) fn kernel_bytes(&self) -> Option<u32> {
        self.0.kernel_bytes
    }

    pub(crate) fn banks(&self) -> &[DramBank] {
        &self.0.card.description().banks
    }

    pub(crate) fn allocator(&self) -> MutexGuard<'_, Allocator> {
        self.0.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn tensors(&self) -> MutexGuard<'_, Registry> {
        self.0.tensors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn loaded(&self) -> MutexGuard<'_, Option<Loaded>> {
        self.0.loaded()
    }

    /// Remembers that what is loaded has ended and could not be stopped.
    pub(crate) fn mark_unstopped(&self) {
        if let Some(loaded) = self.loaded().as_mut() {
            loaded.unstopped = true;
        }
    }

    /// What the session's close read back of load `number`.
    pub(crate) fn take_closed(&self, number: u32) -> Option<Teardown> {
        let mut ended = self.0.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, teardown) = ended.take_if(|(load, _)| *load == number)?;
        Some(teardown)
    }

    pub(crate) fn number(&self) -> u32 {
        self.0.number
    }

    pub(crate) fn closed(&self) -> bool {
        self.0.closed.load(Ordering::Acquire)
    }

    pub(crate) fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// `whole`, or its first columns when commands cannot name all of its cores.
fn nameable(whole: Grid) -> Grid {
    let columns = command::COLUMNS_MAX.min(command::CORES_MAX / whole.height.max(1));
    Grid::new(whole.width.min(columns), whole.height)
}

/// A use of the card that the session's close waits for.
pub(crate) struct Entered<'a> {
    card: &'a dyn Card,
    _guard: RwLockReadGuard<'a, ()>,
}

impl<'a> Deref for Entered<'a> {
    type Target = dyn Card + 'a;

    fn deref(&self) -> &Self::Target {
        self.card
    }
}

impl Inner {
    fn patience(&self) -> Duration {
        self.grid_timeout.min(ABORT)
    }

    fn loaded(&self) -> MutexGuard<'_, Option<Loaded>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let description = self.description();
        write!(f, "Session({} {}, {} grid)", description.world, description.board, description.grid())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_a_grid_gets_no_more_cores_than_commands_can_name() {
        assert_eq!(nameable(Grid::new(12, 10)), Grid::new(12, 10));
        assert_eq!(nameable(Grid::new(14, 10)), Grid::new(12, 10));
        assert_eq!(nameable(Grid::new(20, 2)), Grid::new(16, 2));
        assert_eq!(nameable(Grid::new(1, 10)), Grid::new(1, 10));
    }
}
