//! The cores' runtime arguments, behind the kernels in the kernel buffer.

use komorebi_card::{Core, Grid};

use crate::Program;
use crate::program::CoreArgs;

/// Where each kernel's argument words lie, the same on every core, and the words of each core.
pub(crate) struct ArgumentAreas {
    /// Address of the reader's, the writer's and the compute kernel's words.
    pub(crate) addresses: [u32; 3],
    start: u32,
    end: u32,
    cores: Vec<CoreArgs>,
}

impl ArgumentAreas {
    /// Asks `program` for the words of every core of `grid` and lays them out from `start` on.
    pub(crate) fn new<P>(program: &Program<P>, grid: Grid, start: u32) -> Self {
        let cores: Vec<CoreArgs> = (0..grid.cores()).map(|core| program.core_args(Core(core))).collect();
        // Beyond any L1, and far from where sums of addresses wrap.
        const TOO_FAR: u32 = 1 << 30;
        let mut end = start;
        let addresses = std::array::from_fn(|kernel| {
            let address = end;
            let most = cores.iter().map(|core| words(core)[kernel].len()).max().unwrap_or(0);
            let next = end.saturating_add(u32::try_from(4 * most).unwrap_or(u32::MAX));
            end = next.min(TOO_FAR).next_multiple_of(16);
            address
        });
        Self { addresses, start, end, cores }
    }

    /// Words of each kernel on `core`.
    pub(crate) fn counts(&self, core: Core) -> [u32; 3] {
        self.cores.get(core.0 as usize).map_or([0; 3], |args| words(args).map(|words| words.len() as u32))
    }

    /// The area of `core`, from [`Self::start`] on; the same length for every core, empty without arguments.
    pub(crate) fn image(&self, core: Core) -> Vec<u8> {
        let mut image = vec![0; (self.end - self.start) as usize];
        let Some(args) = self.cores.get(core.0 as usize) else { return image };
        for (address, words) in self.addresses.into_iter().zip(words(args)) {
            let at = (address - self.start) as usize;
            for (place, word) in image[at..].chunks_exact_mut(4).zip(words) {
                place.copy_from_slice(&word.to_le_bytes());
            }
        }
        image
    }

    /// Where the areas begin.
    pub(crate) fn start(&self) -> u32 {
        self.start
    }

    /// Where the kernel buffer is free again.
    pub(crate) fn end(&self) -> u32 {
        self.end
    }

    /// Bytes of all three areas.
    pub(crate) fn bytes(&self) -> u32 {
        self.end - self.start
    }
}

fn words(args: &CoreArgs) -> [&[u32]; 3] {
    [&args.reader, &args.writer, &args.compute]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_the_same_on_every_core_and_as_long_as_the_longest() {
        let program = Program::new("p").args(|core| (vec![core.0; core.0 as usize + 1], vec![7], Vec::new()));
        let areas = ArgumentAreas::new(&program, Grid::new(3, 2), 0x1000);
        assert_eq!(areas.addresses, [0x1000, 0x1020, 0x1030]);
        assert_eq!(areas.end(), 0x1030);
        assert_eq!(areas.counts(Core(4)), [5, 1, 0]);
        let image = areas.image(Core(4));
        assert_eq!(image.len(), 0x30);
        assert_eq!(image[..20], [4, 0, 0, 0].repeat(5));
        assert_eq!(image[0x20..0x24], [7, 0, 0, 0]);
        assert_eq!(areas.image(Core(0)).len(), 0x30);
    }

    #[test]
    fn a_program_without_arguments_takes_no_room_for_them() {
        let areas = ArgumentAreas::new(&Program::new("p"), Grid::new(2, 2), 0x1000);
        assert_eq!((areas.bytes(), areas.counts(Core(3))), (0, [0; 3]));
    }
}
