//! The control block every core gets (`core.h`), and the words that differ from core to core.

use std::time::Duration;

use komorebi_abi::FINGERPRINT;
use komorebi_abi::constants::{core as c, layout};
use komorebi_abi::program::Buffer;
use komorebi_card::{Core, Grid};

use super::Plan;

/// First and last launch word that may differ from core to core.
const OWN: std::ops::Range<u32> = c::CORE_INDEX..c::CORE_COMPUTE_ARG_COUNT + 1;

/// A control block as it is written.
struct Block([u8; c::CONTROL_BYTES as usize]);

impl Block {
    fn put(&mut self, offset: u32, word: u32) {
        let at = offset as usize;
        self.0[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }

    fn launch(&mut self, index: u32, word: u32) {
        self.put(c::CONTROL_LAUNCH + 4 * index, word);
    }

    fn launch64(&mut self, low: u32, word: u64) {
        self.launch(low, word as u32);
        self.launch(low + 1, (word >> 32) as u32);
    }
}

/// `time` in cycles of a clock of `mhz`.
fn cycles(time: Duration, mhz: u32) -> u64 {
    u64::try_from(time.as_nanos().saturating_mul(u128::from(mhz)) / 1000).unwrap_or(u64::MAX)
}

impl<P> Plan<'_, P> {
    /// The control block with everything that is the same on every core.
    pub(super) fn control_block(&self) -> Vec<u8> {
        let mut block = Block([0; c::CONTROL_BYTES as usize]);
        let description = self.session.description();
        let aiclk = description.clocks.aiclk_mhz;
        let Grid { width, height } = self.tiles.grid;
        block.launch(c::CORE_FINGERPRINT, FINGERPRINT);
        block.launch(c::CORE_CORES, self.tiles.grid.cores());
        block.launch(c::CORE_GRID_WIDTH, width);
        block.launch(c::CORE_GRID_HEIGHT, height);
        block.launch(c::CORE_DEPTH, self.program.model().depth);
        block.launch(c::CORE_DISPATCHER, self.session.cluster().tile.hi_word());
        block.launch64(c::CORE_COMPLETIONS_LOW, layout::LIM_BASE + u64::from(layout::LIM_COMPLETIONS));
        block.launch64(c::CORE_READY_LOW, layout::LIM_BASE + u64::from(layout::LIM_READY));
        block.launch64(c::CORE_WAIT_LOW, cycles(self.options.wait, aiclk));
        block.launch64(c::CORE_IDLE_LOW, cycles(self.options.idle, aiclk));
        if let Some(trace) = self.trace {
            block.launch(c::CORE_TRACE, trace.address);
            block.launch(c::CORE_TRACE_ENTRIES, trace.entries);
            let entry = c::CONTROL_BUFFERS + 16 * c::BUFFER_TRACE;
            block.put(entry + 4 * c::BUFFER_BASE, trace.address);
            block.put(entry + 4 * c::BUFFER_BYTES, trace.bytes());
            block.put(entry + 4 * c::BUFFER_PAGES, trace.entries);
            block.put(entry + 4 * c::BUFFER_PAGE_BYTES, c::TRACE_BYTES);
        }
        block.launch(c::CORE_BANKS, description.banks.len() as u32);
        for (index, address) in [c::CORE_READER_ARGS, c::CORE_WRITER_ARGS, c::CORE_COMPUTE_ARGS]
            .into_iter()
            .zip(self.areas.addresses)
        {
            block.launch(index, address);
        }
        for (bank, places) in (0..).zip(&description.banks) {
            block.put(c::CONTROL_BANKS + 8 * bank, places.noc0.hi_word());
            block.put(c::CONTROL_BANKS + 8 * bank + 4, places.noc1.hi_word());
        }
        for (core, tile) in (0..).zip(self.tiles.all()) {
            block.put(c::CONTROL_CORES + 4 * core, tile.hi_word());
        }
        for (buffer, base) in self.buffers() {
            let entry = c::CONTROL_BUFFERS + 16 * buffer.index;
            block.put(entry + 4 * c::BUFFER_BASE, base);
            block.put(entry + 4 * c::BUFFER_BYTES, buffer.page_bytes * buffer.pages);
            block.put(entry + 4 * c::BUFFER_PAGES, buffer.pages);
            block.put(entry + 4 * c::BUFFER_PAGE_BYTES, buffer.page_bytes);
        }
        block.0.to_vec()
    }

    /// The buffers with their L1 addresses: one behind the other, behind the kernel buffer.
    fn buffers(&self) -> impl Iterator<Item = (&Buffer, u32)> {
        let model = self.program.model();
        let mut next = (layout::L1_KERNELS + model.kernel_buffer()).next_multiple_of(layout::L1_BUFFER_ALIGN);
        model.buffers.iter().map(move |buffer| {
            let base = next;
            // The program's check keeps the sum inside L1.
            next += buffer.bytes() as u32;
            (buffer, base)
        })
    }

    /// The launch words of `core` that differ from core to core, cut out of `block`: where they go, and the bytes.
    pub(super) fn own_words(&self, core: Core, block: &[u8]) -> (u64, Vec<u8>) {
        let start = c::CONTROL_LAUNCH + 4 * OWN.start;
        let end = c::CONTROL_LAUNCH + 4 * OWN.end;
        let mut own = block[start as usize..end as usize].to_vec();
        let mut put = |index: u32, word: u32| {
            let at = 4 * (index - OWN.start) as usize;
            own[at..at + 4].copy_from_slice(&word.to_le_bytes());
        };
        let (column, _) = self.tiles.grid.place(core);
        put(c::CORE_INDEX, core.0);
        put(c::CORE_COLUMN, column);
        let counts = [c::CORE_READER_ARG_COUNT, c::CORE_WRITER_ARG_COUNT, c::CORE_COMPUTE_ARG_COUNT];
        for (index, count) in counts.into_iter().zip(self.areas.counts(core)) {
            put(index, count);
        }
        (u64::from(layout::L1_CONTROL + start), own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_becomes_cycles_of_the_clock_it_is_given() {
        assert_eq!(cycles(Duration::from_secs(2), 1350), 2_700_000_000);
        assert_eq!(cycles(Duration::from_micros(1), 800), 800);
        assert_eq!(cycles(Duration::MAX, 1350), u64::MAX);
    }
}
