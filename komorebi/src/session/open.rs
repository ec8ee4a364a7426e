//! Opening a card: power, monitor, clock (host.md §4.5, §6.5).

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

use komorebi_abi::constants::{layout, monitor};
use komorebi_card::{Card, Power};

use super::builder::SessionBuilder;
use super::cluster::{Cluster, HartState};
use super::registers::{L2CPU_RESET, L2CPU_RESET_FIRST_BIT, RESET_VECTORS, RNMI_HANDLERS, WAY_ENABLE};
use super::{Inner, Session, Tiles, exit, pll};
use crate::build::{self, Firmware, Toolchain};
use crate::error::StartError;
use crate::tensor::Allocator;
use crate::{Error, Result};

/// What a session keeps powered.
const POWER: Power = Power { tensix: true, dram: true, l2cpu: true, busy: true };

/// How long the harts may take from their release to the monitor's parking loop.
const BOOT_TIMEOUT: Duration = Duration::from_millis(500);

/// The cluster the runtime runs on.
const CLUSTER: u8 = 0;

pub(super) fn open(card: Arc<dyn Card>, settings: &SessionBuilder, pll: pll::Step) -> Result<Session> {
    let span = tracing::info_span!("open");
    let _entered = span.enter();
    let unbuilt = |error| Error::Firmware(Box::new(error));
    let toolchain = Toolchain::find().map_err(unbuilt)?;
    let firmware = build::firmware(&toolchain).map_err(unbuilt)?;
    let description = card.description();
    tracing::info!(
        world = %description.world,
        board = %description.board,
        grid = %description.grid(),
        banks = description.banks.len(),
        "opening a {}",
        description.world
    );
    let Some(l2cpu) = description.l2cpus.iter().find(|l2cpu| l2cpu.index == CLUSTER) else {
        return Err(StartError::new("X280 cluster 0 is disabled on this card; the runtime needs it").into());
    };
    let cluster = Cluster::new(card.clone(), l2cpu.tile);
    let memory = description.banks.iter().map(|bank| bank.bytes).min().unwrap_or(0);
    card.claim(POWER)?;
    if let Err(error) = bring_up(&*card, &cluster, &firmware, pll) {
        card.release();
        return Err(error);
    }
    tracing::info!(mhz = pll.mhz, "the X280 clusters run at {pll}");
    static SESSIONS: AtomicU32 = AtomicU32::new(1);
    let session = Arc::new(Inner {
        number: SESSIONS.fetch_add(1, Ordering::Relaxed),
        cluster,
        toolchain,
        firmware,
        pll,
        grid_timeout: settings.grid_timeout,
        kernel_bytes: settings.kernel_bytes,
        memory: Mutex::new(Allocator::new(memory)),
        tensors: Mutex::default(),
        loaded: Mutex::new(None),
        closed: AtomicBool::new(false),
        ended: Mutex::new(None),
        gate: RwLock::new(()),
        card,
    });
    exit::opened(&session);
    Ok(Session(session))
}

fn bring_up(card: &dyn Card, cluster: &Cluster, firmware: &Firmware, pll: pll::Step) -> Result<()> {
    let arc = card.description().arc;
    let bit = 1 << (L2CPU_RESET_FIRST_BIT + u32::from(CLUSTER));
    let reset = card.read32(arc, L2CPU_RESET)?;
    if reset & bit == 0 {
        start_monitor(card, cluster, firmware, reset | bit)?;
    } else {
        take_over(cluster)?;
    }
    // Whatever the last client left running is held, now that no dispatcher feeds it.
    if let Some(tiles) = Tiles::new(card.description(), card.description().grid()) {
        tiles.hold(card)?;
    }
    // Any power vote returned the clock to 800 MHz (host.md §4.4), so it is set at every open.
    pll::set(card, arc, pll)
}

/// The harts' only release after a card reset.
fn start_monitor(card: &dyn Card, cluster: &Cluster, firmware: &Firmware, reset: u32) -> Result<()> {
    tracing::info!("starting the monitor on X280 cluster 0");
    let arc = card.description().arc;
    set_lim(card, cluster)?;
    let image = &firmware.monitor;
    cluster.write_words(layout::LIM_MONITOR_BLOCK, &[0; MONITOR_BLOCK_WORDS])?;
    cluster.write(layout::LIM_MONITOR, &padded(&image.bytes))?;
    cluster.fence()?;
    for hart in 0..u64::from(monitor::HARTS) {
        cluster.write_register(RESET_VECTORS + 8 * hart, image.base)?;
        let handler = RNMI_HANDLERS + 16 * hart;
        cluster.write_register(handler, image.base + u64::from(monitor::TEXT_NMI))?;
        cluster.write_register(handler + 8, image.base + u64::from(monitor::TEXT_NMI_EXCEPTION))?;
    }
    cluster.fence()?;
    pll::set(card, arc, pll::Step::SAFE)?;
    card.write32(arc, L2CPU_RESET, reset)?;
    card.fence(arc)?;
    for hart in 0..monitor::HARTS {
        let parked = |state| matches!(state, HartState::Parked { .. });
        if cluster.wait_hart(hart, BOOT_TIMEOUT, parked)?.is_none() {
            let state = cluster.hart(hart)?;
            return Err(StartError::new(format!(
                "hart {hart} of X280 cluster 0 did not reach the monitor within {} ms of its release (it is {state}); reset the card",
                BOOT_TIMEOUT.as_millis()
            ))
            .into());
        }
    }
    Ok(())
}

/// Words from the start of the monitor's block to the end of the last hart's.
const MONITOR_BLOCK_WORDS: usize =
    ((monitor::OFFSET_HARTS + monitor::HARTS * monitor::HART_STRIDE) / 8) as usize;

fn set_lim(card: &dyn Card, cluster: &Cluster) -> Result<()> {
    let found = card.read32(cluster.tile, WAY_ENABLE)?;
    if found > layout::LIM_WAY_ENABLE {
        return Err(StartError::new(format!(
            "X280 cluster 0 uses {} of its 16 L3 ways as cache and the runtime needs {} of them as memory; reset the card",
            found + 1,
            15 - layout::LIM_WAY_ENABLE
        ))
        .into());
    }
    card.write32(cluster.tile, WAY_ENABLE, layout::LIM_WAY_ENABLE)?;
    card.read32(cluster.tile, WAY_ENABLE)?;
    Ok(())
}

/// The harts left reset earlier: they must be ours.
fn take_over(cluster: &Cluster) -> Result<()> {
    // The last client may have died between an interrupt and its end: a level, which would take back what starts next.
    cluster.clear_interrupts()?;
    let (magic, version) = cluster.monitor()?;
    if (magic, version) == (0, 0) {
        return Err(StartError::new(
            "X280 cluster 0 left reset earlier and its memory (LIM) is empty: what it held was lost while its clock stood; reset the card (a simulated one in a process of its own: end `cargo komorebi sim-card` and start it again)",
        )
        .into());
    }
    if magic != monitor::MAGIC {
        return Err(StartError::new(format!(
            "the harts of X280 cluster 0 run something else than our monitor (magic {magic:#010x}, not {:#010x}); reset the card",
            monitor::MAGIC
        ))
        .into());
    }
    if version != monitor::VERSION {
        return Err(StartError::new(format!(
            "the monitor on the card has version {version}, this host's is {}; reset the card",
            monitor::VERSION
        ))
        .into());
    }
    tracing::info!(version, "the monitor is there: taking its harts back");
    for hart in 0..monitor::HARTS {
        // A hart that is parked as far as its block tells may stand still all the same.
        if !cluster.recall(hart)? {
            return Err(StartError::new(format!(
                "the monitor did not take hart {hart} of X280 cluster 0 back after its interrupt; reset the card"
            ))
            .into());
        }
    }
    Ok(())
}

/// `bytes`, filled up to whole words.
pub(crate) fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}
