//! ttsim as a card at the level of its NoC, by one of its inbound windows (ttsim.md §3, §4).
//!
//! It has no time of its own: in a clock every core executes an instruction. Its cores' wall clock counts clocks, so here
//! the card's time is theirs, at the AI clock of the description.

use std::ffi::OsStr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use komorebi_card::{
    Card, CardError, CardTime, Cleanup, Description, HostMem, NocXy, Order, Power, Rect, World, check_request,
};

use crate::kernels_bench::Machine;
use crate::library::Library;

/// BAR0 in the configuration space, and the windows' registers in it.
const BAR0: u32 = 0x10;
const WINDOW_REGISTERS: u64 = 0x1fc0_0000;
/// log2 of a window's bytes.
const PAGE: u32 = 21;

/// A loaded simulator.
pub(crate) struct Ttsim {
    description: Description,
    inside: Mutex<Inside>,
}

struct Inside {
    library: Library,
    bar0: u64,
    /// Where window 0 points: a tile, and a page of it.
    window: Option<(NocXy, u64)>,
    clocks: u64,
}

impl Ttsim {
    /// Loads the library at `path`. It shows the columns and banks of `like`, a simulated card: ttsim has them all, under
    /// the same coordinates.
    pub(crate) fn load(path: &OsStr, like: &Description) -> Self {
        let mut library = Library::load(path);
        let bar0 = library.bar(BAR0);
        let description = Description { world: World::TtSim, ..like.clone() };
        Self { description, inside: Mutex::new(Inside { library, bar0, window: None, clocks: 0 }) }
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets every core that is out of reset execute `clocks` instructions.
    pub(crate) fn clock(&self, clocks: u32) {
        let mut inside = self.inside();
        inside.library.clock(clocks);
        inside.clocks += u64::from(clocks);
    }

    /// The clocks so far.
    pub(crate) fn clocks(&self) -> u64 {
        self.inside().clocks
    }

    fn mhz(&self) -> u64 {
        u64::from(self.description.clocks.aiclk_mhz)
    }
}

impl Inside {
    /// Points window 0 at the page around `address` of `tile`; gives where the address is in BAR0.
    fn reach(&mut self, tile: NocXy, address: u64) -> u64 {
        let page = address >> PAGE;
        if self.window != Some((tile, page)) {
            let words =
                [page as u32, (page >> 32) as u32 | u32::from(tile.x) << 11 | u32::from(tile.y) << 17, 0];
            for (at, word) in (self.bar0 + WINDOW_REGISTERS..).step_by(4).zip(words) {
                self.library.write(at, &word.to_le_bytes());
            }
            self.window = Some((tile, page));
        }
        self.bar0 + (address & ((1 << PAGE) - 1))
    }
}

/// The parts of `bytes` bytes at `address` that lie in one page each: where each begins, and its place in the whole.
fn pages(address: u64, bytes: usize) -> impl Iterator<Item = (u64, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let at = address + done as u64;
        let room = (1 << PAGE) - (at & ((1 << PAGE) - 1)) as usize;
        let part = done..bytes.min(done + room);
        done = part.end;
        (!part.is_empty()).then_some((at, part))
    })
}

impl Card for Ttsim {
    fn description(&self) -> &Description {
        &self.description
    }

    fn claim(&self, _power: Power) -> Result<(), CardError> {
        Ok(()) // nobody else has this process
    }

    fn release(&self) {}

    fn vote(&self, _power: Power) -> Result<(), CardError> {
        Ok(()) // it is always on
    }

    fn set_cleanup(&self, _cleanup: Option<Cleanup>) -> Result<(), CardError> {
        Ok(()) // it ends with its process
    }

    fn write(&self, tile: NocXy, address: u64, bytes: &[u8], _order: Order) -> Result<(), CardError> {
        check_request(address, bytes.len())?;
        let mut inside = self.inside();
        for (at, part) in pages(address, bytes.len()) {
            let at = inside.reach(tile, at);
            inside.library.write(at, &bytes[part]);
        }
        Ok(())
    }

    fn read(&self, tile: NocXy, address: u64, bytes: &mut [u8]) -> Result<(), CardError> {
        check_request(address, bytes.len())?;
        let mut inside = self.inside();
        for (at, part) in pages(address, bytes.len()) {
            let at = inside.reach(tile, at);
            inside.library.read(at, &mut bytes[part]);
        }
        Ok(())
    }

    fn multicast(&self, tiles: Rect, address: u64, bytes: &[u8]) -> Result<(), CardError> {
        let columns = self.description.columns.iter().filter(|x| (tiles.start.x..=tiles.end.x).contains(x));
        for (&x, y) in columns.flat_map(|x| (tiles.start.y..=tiles.end.y).map(move |y| (x, y))) {
            self.write(NocXy::new(x, y), address, bytes, Order::Bulk)?;
        }
        Ok(())
    }

    fn fence(&self, _tile: NocXy) -> Result<(), CardError> {
        Ok(()) // a write has landed when its call returns (ttsim.md §7)
    }

    fn host_mem(&self, _bytes: usize) -> Result<HostMem, CardError> {
        Err(CardError::Request { what: "host memory is not wired to ttsim here: no test asks for it".into() })
    }

    fn now(&self) -> CardTime {
        CardTime::from_nanos(self.clocks() * 1000 / self.mhz())
    }

    fn relax(&self, until: CardTime) -> Result<CardTime, CardError> {
        let clocks = (until - self.now()).as_nanos() as u64 * self.mhz();
        self.clock(clocks.div_ceil(1000).try_into().unwrap_or(u32::MAX));
        Ok(self.now())
    }
}

impl Machine for Ttsim {
    /// 64 clocks, about: no longer than a short command takes.
    const STEP_NANOS: u64 = 48;

    fn peek(&self, tile: NocXy, address: u64, bytes: &mut [u8]) -> bool {
        self.read(tile, address, bytes).is_ok()
    }
}
