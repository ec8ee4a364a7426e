//! Engines on the dispatcher's test bench: uploads, RUN and CANCEL, a grid that shows what was submitted to it, and a
//! watch that holds what the dispatcher does against the machines of `komorebi_abi`.

mod bed;
pub mod case;
pub mod counting;
pub mod generate;
mod grid;
mod launch;
pub mod memory;
pub mod mutate;
mod random;
pub mod refusals;
pub mod sample;
mod side;
mod suspect;
mod watch;
pub mod work;
pub mod worked_graph;
pub mod worked_stream;

pub use bed::{Bed, Cost};
pub use grid::{Grid, Seen};
pub use launch::launch_microseconds;
pub use random::Random;
pub use side::Side;
pub use suspect::Suspect;
pub use watch::{Engine, HOST_HANDLERS, Watch};

use komorebi_abi::constants::{command as c, engine, layout};
use komorebi_abi::engine::{Cancel, Run, UploadKind};
use komorebi_abi::wire::Line;
use komorebi_card::{Card as _, Order};

use crate::dispatcher::{Rig, lim};

/// Where the bindings' lines of the tests lie in the region: line `i` at the end, far from the uploads.
pub const fn bindings_offset(line: u32) -> u32 {
    layout::UPLOAD_BYTES - engine::UPLOAD_ALIGN * (line + 1)
}

/// A line with argument words.
pub fn with_words(handler: u32, words: &[u32]) -> Line {
    let mut line = Line { handler: handler as u8, words: words.len() as u8, ..Line::default() };
    line.args[..words.len()].copy_from_slice(words);
    line
}

/// A RUN.
pub fn run_line(run: Run) -> Line {
    with_words(c::KM_HANDLER_RUN, &run.words())
}

/// A CANCEL.
pub fn cancel_line(req: u16) -> Line {
    with_words(c::KM_HANDLER_CANCEL, &Cancel { req }.words())
}

impl Rig {
    /// Writes bytes into the upload region.
    pub fn put(&self, offset: u32, bytes: &[u8]) {
        let tile = self.card.description().l2cpus[0].tile;
        self.card.write(tile, lim(layout::LIM_UPLOAD) + u64::from(offset), bytes, Order::Bulk).unwrap();
    }

    /// Writes bindings into their line, if there are any; gives its offset.
    pub fn put_bindings(&self, line: u32, bindings: &[u32]) -> Option<u32> {
        if bindings.is_empty() {
            return None;
        }
        let bytes: Vec<u8> = bindings.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.put(bindings_offset(line), &bytes);
        Some(bindings_offset(line))
    }

    /// Writes an upload and sends the RUN that starts it; the fence of the commit is that of the upload too.
    pub fn start_upload(&mut self, offset: u32, bytes: &[u8], kind: UploadKind, bindings: &[u32]) -> u16 {
        self.put(offset, bytes);
        let bindings = self.put_bindings(0, bindings);
        self.send(run_line(Run::Upload { offset, bytes: bytes.len() as u32, kind, bindings }))
    }

    /// The register file of the upload at `offset`.
    pub fn registers(&self, offset: u32) -> [u32; engine::REGISTERS as usize] {
        let base = lim(layout::LIM_UPLOAD) + u64::from(offset + engine::UPLOAD_REGISTERS);
        let mut registers = [0; engine::REGISTERS as usize];
        for (i, pair) in registers.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            let word = self.lim(base + 8 * i as u64);
            *pair = [word as u32, (word >> 32) as u32];
        }
        registers
    }
}
