//! The instruction caches of a tile's cores (tensix.md §2): a core goes on executing a line that it has fetched, whatever is
//! written to L1, until the cache is told to forget or the core is reset.
//!
//! A core's view of a page has the operations of the lines it has fetched and, in the others' place, one that fetches
//! (`Code::Fetch`). So a line is fetched once, in the core's turn, and code that is never rewritten runs at full speed.
//!
//! What the hardware leaves open is the seed's. Whether a line is still in the cache (2 KiB, or 512 bytes of T1 and NC) when
//! L1 is written under it: with seed 0 it is, with others every second one is not. Whether the line behind was fetched
//! with it, by the prefetcher: never with seed 0. What the pipeline holds when a core invalidates its own cache: nothing
//! with seed 0; else, every second time, the line that it is in or enters within [`PIPELINE`].
//!
//! When another core, or a write over the NoC, makes a line go, that is so from the core's next access to shared memory on:
//! harts run ahead in their own memory, and the moment must not depend on how far.

use std::sync::Arc;

use super::cores::Core;
use crate::code_memory::{CodeCache, CodeMemory};
use crate::hart::{CodePage, Isa};
use crate::noc::latency::CYCLE;
use crate::seed::Seed;
use crate::time::Time;

/// How long after an invalidation a line may be entered that comes out of the pipeline: with the rest of the line that is
/// about the 20 instructions of tensix.md §2.
const PIPELINE: Time = 8 * CYCLE;

/// A page of which lines were fetched.
#[derive(Clone)]
struct Held {
    number: u64,
    lines: u64,
    /// Where all the lines come from; `None` when it was written in between.
    whole: Option<Arc<CodePage>>,
    view: Arc<CodePage>,
}

/// One core's cache.
#[derive(Clone)]
pub(crate) struct InstructionCache {
    /// The tile and the core: what its draws are for.
    part: u16,
    seed: Seed,
    draws: u32,
    held: Vec<Held>,
    /// Lines that a write has driven out, as addresses, until the core notices.
    gone: Vec<u64>,
    /// All of them go.
    all_gone: bool,
    /// What the pipeline may still hold, and until when.
    pipeline: Vec<Held>,
    pipeline_until: Time,
}

/// The bit of the line at `address` in its page.
fn bit(address: u64) -> u64 {
    1 << (address as usize % CodePage::BYTES / CodePage::LINE)
}

fn number(address: u64) -> u64 {
    address / CodePage::BYTES as u64
}

impl InstructionCache {
    pub(crate) fn new(seed: Seed, tile: u16, core: Core) -> Self {
        Self {
            part: 8 * tile + core.index() as u16,
            seed,
            draws: 0,
            held: Vec::new(),
            gone: Vec::new(),
            all_gone: false,
            pipeline: Vec::new(),
            pipeline_until: 0,
        }
    }

    /// The core's reset.
    pub(crate) fn clear(&mut self) {
        self.held.clear();
        self.pipeline.clear();
        self.gone.clear();
        self.all_gone = false;
    }

    /// The core's view of the page around `pc`.
    pub(crate) fn view(&self, pc: u64, cache: &mut CodeCache) -> Arc<CodePage> {
        match self.held.iter().find(|held| held.number == number(pc)) {
            Some(held) => Arc::clone(&held.view),
            None => cache.empty(),
        }
    }

    /// Fetches the line around `pc` at `at`. True when views that the core got before may not be used any more.
    pub(crate) fn fetch(
        &mut self,
        at: Time,
        pc: u64,
        prefetches: bool,
        l1: &mut CodeMemory,
        cache: &mut CodeCache,
    ) -> (Arc<CodePage>, bool) {
        let number = number(pc);
        if !self.pipeline.is_empty() && at <= self.pipeline_until {
            let old = self.pipeline.iter().find(|held| held.number == number && held.lines & bit(pc) != 0);
            if let Some(old) = old {
                return (Arc::new(old.view.only(bit(pc))), false);
            }
        }
        let leaves = !self.pipeline.is_empty();
        self.pipeline.clear();
        let mut lines = bit(pc);
        // The same of every core that comes this way, so that their views stay the same.
        if prefetches && self.seed.coin(Seed::PREFETCH, 0, pc / CodePage::LINE as u64) {
            lines |= lines << 1;
        }
        let whole = l1.code(Isa::Rv32, pc, cache);
        let place = self.held.iter().position(|held| held.number == number).unwrap_or_else(|| {
            self.held.push(Held { number, lines: 0, whole: None, view: cache.empty() });
            self.held.len() - 1
        });
        let held = &mut self.held[place];
        let new = lines & !held.lines;
        let is_as_memory = |held: &Held| match &held.whole {
            Some(old) if Arc::ptr_eq(old, &whole) => true,
            _ => held.view.agrees(held.lines, &whole),
        };
        if is_as_memory(held) {
            held.view = cache.part(&whole, held.lines | new);
            held.whole = Some(whole);
        } else {
            held.whole = None;
            for line in (0..CodePage::LINES).filter(|line| new >> line & 1 == 1) {
                held.view = Arc::new(held.view.with_line(line, &whole));
            }
        }
        held.lines |= new;
        (Arc::clone(&held.view), leaves)
    }

    /// The core has invalidated its own cache at `at`.
    pub(crate) fn invalidate(&mut self, at: Time) {
        self.draws += 1;
        let held = std::mem::take(&mut self.held);
        self.pipeline.clear();
        if self.seed.coin(Seed::PIPELINE, self.part, self.draws.into()) {
            (self.pipeline, self.pipeline_until) = (held, at + PIPELINE);
        }
    }

    /// Another core has invalidated it: [`Self::notice`] does it.
    pub(crate) fn invalidate_later(&mut self) {
        self.all_gone = true;
    }

    /// True when a write of `bytes` bytes at `address` drives a line out.
    pub(crate) fn loses(&self, address: u64, bytes: u64) -> bool {
        self.seed.draws() && lines(address, bytes).any(|line| self.loses_line(line))
    }

    fn loses_line(&self, line: u64) -> bool {
        let held = self.held.iter().any(|held| held.number == number(line) && held.lines & bit(line) != 0);
        held && !self.seed.coin(Seed::CACHED, self.part, line)
    }

    /// Such a write happens: [`Self::notice`] lets the lines go.
    pub(crate) fn lose(&mut self, address: u64, bytes: u64) {
        for line in lines(address, bytes) {
            if self.loses_line(line) && !self.gone.contains(&line) {
                self.gone.push(line);
            }
        }
    }

    /// The core meets shared memory: what was to go goes.
    pub(crate) fn notice(&mut self) {
        if std::mem::take(&mut self.all_gone) {
            self.clear();
        }
        for line in std::mem::take(&mut self.gone) {
            if let Some(held) = self.held.iter_mut().find(|held| held.number == number(line)) {
                held.lines &= !bit(line);
                held.view = Arc::new(held.view.only(held.lines));
                held.whole = None;
            }
        }
    }
}

/// The addresses of the lines that a write reaches.
fn lines(address: u64, bytes: u64) -> impl Iterator<Item = u64> {
    let line = CodePage::LINE as u64;
    (address & !(line - 1)..address + bytes).step_by(CodePage::LINE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::L1_BYTES;

    #[test]
    fn a_line_that_is_written_again_before_its_core_notices_is_gone_once() {
        let (mut l1, mut cache) = (CodeMemory::new(L1_BYTES), CodeCache::default());
        let mut icache = InstructionCache::new(Seed(1), 0, Core::B);
        let pcs = (0..64).map(|n| n * CodePage::LINE as u64);
        pcs.clone().for_each(|pc| {
            icache.fetch(0, pc, false, &mut l1, &mut cache);
        });
        let losing: Vec<u64> = pcs.filter(|pc| icache.loses(*pc, 4)).collect();
        assert!((16..48).contains(&losing.len()), "every second one: {losing:?}");
        for _ in 0..10 {
            icache.lose(0, 64 * CodePage::LINE as u64);
        }
        assert_eq!(icache.gone, losing);
        icache.notice();
        assert!(losing.iter().all(|line| !icache.loses(*line, 4)));
    }
}
