//! Whether threads have returned, while their cores run: by their program counters.
//!
//! The host reads no core's memory before the core is held. A thread that returned stays in the device library's parking
//! loop, so a snapshot of its program counter (host.md §5.1) tells, and costs the core nothing.

use std::collections::HashMap;
use std::time::Duration;

use komorebi_card::{Card, NocXy};

use crate::Result;
use crate::build::Kernels;
use crate::session::Tiles;
use crate::session::registers::PC_SNAPSHOT;

/// Between the first two looks at the threads that are not back; then twice as long each time, up to `SLOWEST`.
const FIRST: Duration = Duration::from_micros(200);
const SLOWEST: Duration = Duration::from_millis(50);

/// Functions of the device library that a thread never leaves.
const PARKED: [&str; 2] = ["km::detail::park", "km::detail::leave"];

/// Which program counters are those of threads that returned, looked up once each.
struct Places<'a> {
    kernels: &'a Kernels,
    known: HashMap<(usize, u32), bool>,
}

impl Places<'_> {
    fn returned(&mut self, thread: usize, pc: u32) -> bool {
        let image = &self.kernels.threads[thread];
        *self.known.entry((thread, pc)).or_insert_with(|| {
            let place = image.locate(u64::from(pc));
            place.is_some_and(|place| PARKED.iter().any(|name| place.function.contains(name)))
        })
    }
}

/// A thread that did not return, and where it was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Away {
    pub(crate) core: u32,
    /// Its number: reader, writer, unpack, math, pack.
    pub(crate) thread: usize,
    pub(crate) pc: u32,
}

/// Waits until every thread of the grid has returned, at most `timeout`; gives those that have not.
pub(super) fn wait_returned(
    card: &dyn Card,
    tiles: &Tiles,
    kernels: &Kernels,
    timeout: Duration,
) -> Result<Vec<Away>> {
    let deadline = card.now() + timeout;
    let mut places = Places { kernels, known: HashMap::new() };
    let numbered = (0..).zip(tiles.all());
    let all = numbered.flat_map(|(core, &tile)| {
        (0..PC_SNAPSHOT.len()).map(move |thread| (tile, Away { core, thread, pc: 0 }))
    });
    let mut out: Vec<(NocXy, Away)> = all.collect();
    let mut between = FIRST;
    loop {
        let mut failed = Ok(());
        out.retain_mut(|(tile, away)| match card.read32(*tile, PC_SNAPSHOT[away.thread]) {
            Ok(pc) => {
                away.pc = pc;
                !places.returned(away.thread, pc)
            }
            Err(error) => {
                failed = Err(error);
                false
            }
        });
        failed?;
        if out.is_empty() || card.now() >= deadline {
            return Ok(out.into_iter().map(|(_, away)| away).collect());
        }
        let next = deadline.min(card.now() + between);
        while card.now() < next {
            card.relax(next)?;
        }
        between = (2 * between).min(SLOWEST);
    }
}

#[cfg(test)]
mod tests {
    use komorebi_abi::constants::layout;
    use komorebi_abi::program::ProgramModel;
    use object::{Object, ObjectSymbol};

    use super::*;
    use crate::build::{self, Sources, Toolchain};

    /// A library whose functions are called otherwise would make every stop wait for its whole timeout.
    #[test]
    fn every_thread_ends_in_a_function_that_this_module_knows() {
        let toolchain = Toolchain::find().unwrap();
        let model = ProgramModel::new("parked");
        let (base, room) = (layout::L1_KERNELS, layout::KERNEL_BYTES);
        let kernels = build::kernels(&toolchain, &Sources::new(), &model, base, room).unwrap();
        let mut places = Places { kernels: &kernels, known: HashMap::new() };
        for (thread, image) in kernels.threads.iter().enumerate() {
            let elf = object::File::parse(&*image.elf).unwrap();
            let ends = elf
                .symbols()
                .filter(|symbol| symbol.name().is_ok_and(|name| name.contains("km6detail5leave")));
            let ends: Vec<_> = ends.map(|symbol| (symbol.address(), symbol.size())).collect();
            assert!(!ends.is_empty(), "the {} has no function that it ends in", image.name);
            for (address, size) in ends {
                // The loop is the last instruction; a jump and a HINT have 4 bytes or 2.
                assert!(places.returned(thread, (address + size - 2) as u32), "the {}", image.name);
            }
            assert!(!places.returned(thread, image.entry as u32), "the {} at its entry", image.name);
        }
    }
}
