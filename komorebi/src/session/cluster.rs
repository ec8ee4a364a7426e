//! X280 cluster 0: its LIM, its monitor, starting an image and taking harts back.

use std::sync::Arc;
use std::time::Duration;

use komorebi_abi::constants::{layout, monitor};
use komorebi_card::{Card, CardTime, NocXy, Order};

use super::registers::{PERIPHERALS_NOC, RNMI_TRIGGER};
use crate::Result;

/// How long the monitor may take to park a hart after its interrupt.
const PARK_TIMEOUT: Duration = Duration::from_millis(100);

/// How long a poll of the cluster leaves the card to itself.
const POLL: Duration = Duration::from_micros(20);

/// Harts of a cluster.
const HARTS: usize = monitor::HARTS as usize;

/// What the monitor says about a hart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HartState {
    /// The monitor has not run on it.
    Off,
    /// It waits for an image.
    Parked {
        /// What the last image returned.
        value: u64,
    },
    /// It has not yet taken the image that the host stored.
    Starting,
    /// It runs an image.
    Running,
    /// An exception ended its image.
    Trapped {
        /// `mcause`.
        cause: u64,
        /// `mepc`.
        pc: u64,
        /// `mtval`.
        value: u64,
    },
    /// The block holds a number this host does not know.
    Unknown(u64),
}

impl HartState {
    /// The state in a hart's block; `words` has all of it.
    fn decode(words: &[u64]) -> Self {
        let word = |index: u32| words[index as usize];
        let state = word(monitor::STATE);
        match u32::try_from(state) {
            // The monitor stores RUNNING before it zeroes the entry.
            Ok(monitor::HART_PARKED | monitor::HART_TRAPPED) if word(monitor::ENTRY) != 0 => Self::Starting,
            Ok(monitor::HART_OFF) => Self::Off,
            Ok(monitor::HART_PARKED) => Self::Parked { value: word(monitor::VALUE) },
            Ok(monitor::HART_RUNNING) => Self::Running,
            Ok(monitor::HART_TRAPPED) => Self::Trapped {
                cause: word(monitor::CAUSE),
                pc: word(monitor::PC),
                value: word(monitor::TRAP_VALUE),
            },
            _ => Self::Unknown(state),
        }
    }
}

impl std::fmt::Display for HartState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Off => f.write_str("off: the monitor has not run on it"),
            Self::Parked { value } => write!(f, "parked (last image returned {value:#x})"),
            Self::Starting => f.write_str("not yet started"),
            Self::Running => f.write_str("running"),
            Self::Trapped { cause, pc, value } => {
                write!(f, "trapped: mcause {cause:#x}, mepc {pc:#x}, mtval {value:#x}")
            }
            Self::Unknown(state) => write!(f, "in state {state:#x}, which this host does not know"),
        }
    }
}

/// An image to start on a hart.
pub(crate) struct Start {
    /// Hart address of its first instruction.
    pub(crate) entry: u64,
    /// Its argument.
    pub(crate) argument: u64,
    /// Its stack pointer.
    pub(crate) stack: u64,
}

/// The host's end of cluster 0.
#[derive(Clone)]
pub(crate) struct Cluster {
    card: Arc<dyn Card>,
    /// Its tile.
    pub(crate) tile: NocXy,
}

impl Cluster {
    pub(crate) fn new(card: Arc<dyn Card>, tile: NocXy) -> Self {
        Self { card, tile }
    }

    /// Writes `words` at `offset` of LIM.
    pub(crate) fn write_words(&self, offset: u32, words: &[u64]) -> Result<()> {
        let words: Vec<u64> = words.iter().map(|word| word.to_le()).collect();
        self.write(offset, bytemuck::cast_slice(&words))
    }

    /// Writes `bytes` at `offset` of LIM; both multiples of 4.
    pub(crate) fn write(&self, offset: u32, bytes: &[u8]) -> Result<()> {
        Ok(self.card.write(self.tile, layout::LIM_BASE + u64::from(offset), bytes, Order::Bulk)?)
    }

    /// Stores one word at `offset` of LIM, behind the strict writes before it.
    pub(crate) fn store(&self, offset: u32, word: u64) -> Result<()> {
        let address = layout::LIM_BASE + u64::from(offset);
        Ok(self.card.write(self.tile, address, &word.to_le_bytes(), Order::Strict)?)
    }

    /// Reads `N` words from `offset` of LIM.
    pub(crate) fn read_words<const N: usize>(&self, offset: u32) -> Result<[u64; N]> {
        let mut words = [0_u64; N];
        let address = layout::LIM_BASE + u64::from(offset);
        self.card.read(self.tile, address, bytemuck::cast_slice_mut(&mut words))?;
        Ok(words.map(u64::from_le))
    }

    /// Waits until what was written to the cluster has landed.
    pub(crate) fn fence(&self) -> Result<()> {
        Ok(self.card.fence(self.tile)?)
    }

    /// Writes a 64-bit register of the external peripherals as its two halves.
    pub(crate) fn write_register(&self, offset: u64, value: u64) -> Result<()> {
        let address = PERIPHERALS_NOC + offset;
        self.card.write32(self.tile, address, value as u32)?;
        Ok(self.card.write32(self.tile, address + 4, (value >> 32) as u32)?)
    }

    /// Magic and version of the monitor's block.
    pub(crate) fn monitor(&self) -> Result<(u32, u32)> {
        let [word] = self.read_words::<1>(layout::LIM_MONITOR_BLOCK + monitor::OFFSET_MAGIC)?;
        Ok((word as u32, (word >> 32) as u32))
    }

    fn block(hart: u32) -> u32 {
        layout::LIM_MONITOR_BLOCK + monitor::OFFSET_HARTS + monitor::HART_STRIDE * hart
    }

    /// What the monitor says about `hart`.
    pub(crate) fn hart(&self, hart: u32) -> Result<HartState> {
        Ok(HartState::decode(&self.read_words::<8>(Self::block(hart))?))
    }

    /// What the monitor says about each hart.
    pub(crate) fn harts(&self) -> Result<[HartState; HARTS]> {
        const STRIDE: usize = monitor::HART_STRIDE as usize / 8;
        let words = self.read_words::<{ STRIDE * HARTS }>(Self::block(0))?;
        Ok(std::array::from_fn(|hart| HartState::decode(&words[STRIDE * hart..])))
    }

    /// Starts an image on a parked or trapped hart.
    pub(crate) fn start(&self, hart: u32, start: &Start) -> Result<()> {
        let block = Self::block(hart);
        self.store(block + 8 * monitor::ARGUMENT, start.argument)?;
        self.store(block + 8 * monitor::STACK, start.stack)?;
        self.fence()?;
        self.store(block + 8 * monitor::ENTRY, start.entry)
    }

    /// Waits until `done` holds for `hart`, at most `timeout`; `None` when it ran out.
    pub(crate) fn wait_hart(
        &self,
        hart: u32,
        timeout: Duration,
        done: impl Fn(HartState) -> bool,
    ) -> Result<Option<HartState>> {
        let deadline = self.card.now() + timeout;
        loop {
            let state = self.hart(hart)?;
            if done(state) {
                return Ok(Some(state));
            }
            if self.pause_until(deadline)? {
                return Ok(None);
            }
        }
    }

    /// Ends every interrupt of its harts.
    pub(crate) fn clear_interrupts(&self) -> Result<()> {
        self.card.write32(self.tile, PERIPHERALS_NOC + RNMI_TRIGGER, 0)?;
        self.fence()
    }

    /// Lets the card run for one poll; true once `deadline` has passed.
    pub(crate) fn pause_until(&self, deadline: CardTime) -> Result<bool> {
        let now = self.card.now();
        if now >= deadline {
            return Ok(true);
        }
        self.card.relax((now + POLL).min(deadline))?;
        Ok(false)
    }

    /// Brings `hart` back to the monitor, whatever it runs. False when it did not come.
    ///
    /// The interrupt is a level: it is set until the hart is parked, then cleared (PROTOCOL.md, "Monitor").
    pub(crate) fn take_back(&self, hart: u32) -> Result<bool> {
        if matches!(self.hart(hart)?, HartState::Parked { .. } | HartState::Trapped { .. }) {
            // Nothing may start it behind our back: an entry stored and not yet taken.
            self.store(Self::block(hart) + 8 * monitor::ENTRY, 0)?;
            return Ok(true);
        }
        self.recall(hart)
    }

    /// Brings `hart` back to the monitor by its interrupt, though it may be there: false when it stands still.
    pub(crate) fn recall(&self, hart: u32) -> Result<bool> {
        self.store(Self::block(hart) + 8 * monitor::ENTRY, 0)?;
        // A state that is not the monitor's: what is read next is what the handler wrote.
        self.store(Self::block(hart) + 8 * monitor::STATE, u64::from(monitor::HART_OFF))?;
        self.fence()?;
        self.card.write32(self.tile, PERIPHERALS_NOC + RNMI_TRIGGER, 1 << hart)?;
        let state = self.wait_hart(hart, PARK_TIMEOUT, |state| matches!(state, HartState::Parked { .. }))?;
        self.clear_interrupts()?;
        Ok(state.is_some())
    }
}
