//! A card that another process holds, looked at from outside.

use std::sync::Arc;
use std::time::Duration;

use komorebi_abi::constants::{event, launch, layout, monitor};
use komorebi_card::{Card, NocXy};

use super::gather::core_record;
use super::{CoreRecord, DispatcherRecord, FORMAT, PostMortem, VERSION};
use crate::Result;
use crate::error::StartError;
use crate::run::teardown::core_state;
use crate::session::Cluster;
use crate::state::DispatcherStage;

/// What a card does that another process holds: `held` says who, `handlers` are what numbers of handlers are called.
///
/// Only the X280's memory is read while a program runs, and the cores' when it has ended.
///
/// # Errors
/// [`Error::StartError`](crate::Error::StartError) for a card on which no monitor runs; the card's errors.
pub fn inspect(card: Arc<dyn Card>, held: &str, handlers: Vec<(u8, String)>) -> Result<PostMortem> {
    let description = card.description().clone();
    let Some(l2cpu) = description.l2cpus.iter().find(|l2cpu| l2cpu.index == 0) else {
        return Err(
            StartError::new("X280 cluster 0 is disabled on this card: nothing of ours runs there").into()
        );
    };
    let cluster = Cluster::new(card.clone(), l2cpu.tile);
    if cluster.monitor()?.0 != monitor::MAGIC {
        let what = "no monitor is on X280 cluster 0: no session has opened this card since its reset";
        return Err(StartError::new(what).into());
    }
    let words = cluster.read_words::<{ launch::LAUNCH_WORDS as usize }>(layout::LIM_LAUNCH)?;
    let word = |index: u32| words[index as usize];
    let dispatcher = DispatcherRecord::read(&cluster)?;
    let stage = DispatcherStage::from_word(dispatcher.state[launch::STATE_STAGE as usize]);
    let ended = matches!(stage, DispatcherStage::Done | DispatcherStage::Failed);
    let cores = if ended { cores(&*card, &cluster, word(launch::LAUNCH_CORES))? } else { Vec::new() };
    let ticks = word(launch::LAUNCH_DEADLINE);
    let deadline =
        Duration::from_micros(1) / event::TICKS_PER_MICROSECOND * u32::try_from(ticks).unwrap_or(0);
    Ok(PostMortem {
        format: FORMAT.to_owned(),
        version: VERSION,
        kind: "Inspection".to_owned(),
        message: format!("the card is held by {held}"),
        program: "of another process".to_owned(),
        load: 0,
        grid: (word(launch::LAUNCH_GRID_WIDTH) as u32, word(launch::LAUNCH_GRID_HEIGHT) as u32),
        card: format!("{} {}", description.world, description.board),
        fingerprint: word(launch::LAUNCH_FINGERPRINT) as u32,
        at: card.now().as_nanos(),
        deadline: u64::try_from(deadline.as_nanos()).unwrap_or(u64::MAX),
        handlers,
        dispatcher: Some(dispatcher),
        commands: Vec::new(),
        cores,
        events: Vec::new(),
        trace: None,
    })
}

/// The state blocks of a grid whose program has ended.
fn cores(card: &dyn Card, cluster: &Cluster, count: u64) -> Result<Vec<CoreRecord>> {
    const MOST: usize = komorebi_abi::constants::command::CORES_MAX as usize / 2;
    let words = cluster.read_words::<MOST>(layout::LIM_CORES)?;
    let tiles = words.iter().flat_map(|word| [*word as u32, (word >> 32) as u32]);
    let numbered = (0..).zip(tiles.take(count as usize));
    let core = |(core, hi): (u32, u32)| {
        let tile = NocXy::new((hi & 0x3F) as u8, (hi >> 6 & 0x3F) as u8);
        Ok(core_record(core, &core_state(card, tile)?, |_, _, _| None))
    };
    numbered.map(core).collect()
}
