//! Writing the cores: images, control blocks, arguments, reset pcs; all while they are held.

use komorebi_abi::constants::{core, layout};
use komorebi_card::{Core, Order};

use super::Plan;
use crate::Result;
use crate::session::registers::{
    COMPUTE_PC, COMPUTE_PC_ENABLE, NC_PC, NC_PC_ENABLE, NIU_BUFFER_STRIDE, NIU_LENGTH_HIGH, NIU_STRIDE,
};

impl<P> Plan<'_, P> {
    /// Holds the program's cores in reset and writes all that they start from.
    pub(super) fn write_cores(&self) -> Result<()> {
        let card = self.card;
        let tiles = self.tiles;
        tiles.hold(card)?;
        for image in &self.kernels.threads {
            if !image.bytes.is_empty() {
                tiles.multicast(card, image.base, &image.bytes)?;
            }
        }
        tiles.multicast(card, u64::from(layout::L1_BOOT_JUMP), &self.kernels.boot_jump())?;
        let block = self.control_block();
        tiles.multicast(card, u64::from(layout::L1_CONTROL), &block)?;
        if let Some(trace) = self.trace {
            tiles.multicast(card, u64::from(trace.address), &vec![0; trace.bytes() as usize])?;
        }
        self.write_reset_pcs()?;
        self.write_lengths()?;
        tiles.fence(card)?;
        for (index, &tile) in (0..).zip(tiles.all()) {
            let (address, own) = self.own_words(Core(index), &block);
            card.write(tile, address, &own, Order::Bulk)?;
            let args = self.areas.image(Core(index));
            if !args.is_empty() {
                card.write(tile, u64::from(self.areas.start()), &args, Order::Bulk)?;
            }
        }
        tiles.fence(card)
    }

    /// The NIUs' upper length words: what a program before left there would make any transfer longer than memory, and
    /// no reset of the cores clears them.
    fn write_lengths(&self) -> Result<()> {
        for noc in 0..2 {
            for buffer in 0..4 {
                let register = NIU_LENGTH_HIGH + noc * NIU_STRIDE + buffer * NIU_BUFFER_STRIDE;
                self.tiles.multicast32(self.card, register, 0)?;
            }
        }
        Ok(())
    }

    /// Where T0, T1, T2 and NC start; B always starts at 0 (host.md §5.2).
    fn write_reset_pcs(&self) -> Result<()> {
        let card = self.card;
        let entry = |thread: u32| self.kernels.threads[thread as usize].entry as u32;
        for (register, thread) in
            COMPUTE_PC.into_iter().zip([core::THREAD_UNPACK, core::THREAD_MATH, core::THREAD_PACK])
        {
            self.tiles.multicast32(card, register, entry(thread))?;
        }
        self.tiles.multicast32(card, COMPUTE_PC_ENABLE, 0b111)?;
        self.tiles.multicast32(card, NC_PC, entry(core::THREAD_READER))?;
        self.tiles.multicast32(card, NC_PC_ENABLE, 1)
    }
}
