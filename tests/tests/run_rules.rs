//! The rules the host keeps (host-api, "Rules the host keeps"), watched at the seam while runs live and end in every way.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use km::build::Sources;
use komorebi as km;
use komorebi_abi::constants::{core, layout};
use komorebi_card::{
    Card, CardError, CardTime, Cleanup, Description, HostMem, NocXy, Order, Power, Rect, TENSIX_ROWS,
};
use komorebi_sim as sim;

const TIMEOUT: Duration = Duration::from_secs(5);

/// Soft reset of a Tensix tile's cores (host.md §5.2): 0 lets them go.
const SOFT_RESET: u64 = 0xFFB1_21B0;
const STOP_FLAG: u64 = (layout::L1_CONTROL + core::CONTROL_STOP_FLAG) as u64;

/// A simulated card that watches what the host does to the cores' memory while they run.
#[derive(Clone)]
struct Watched {
    card: sim::Card,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    running: bool,
    /// Times the cores were let go.
    releases: u32,
    /// Writes of the stop flag while they ran.
    stop_flags: u32,
    /// Everything else in L1 while they ran.
    forbidden: Vec<String>,
}

impl Watched {
    fn new() -> Self {
        Self { card: sim::Card::builder().build(), seen: Arc::default() }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap()
    }

    fn note(&self, what: &str, tile: NocXy, address: u64, bytes: Option<&[u8]>) {
        let tensix = self.description().columns.contains(&tile.x) && TENSIX_ROWS.contains(&tile.y);
        let mut seen = self.seen();
        if tensix && address == SOFT_RESET && bytes.is_some() {
            seen.running = bytes == Some(&[0; 4]);
            seen.releases += u32::from(seen.running);
        } else if tensix && address < layout::L1_BYTES.into() && seen.running {
            if address == STOP_FLAG && bytes == Some(&1_u32.to_le_bytes()) {
                seen.stop_flags += 1;
            } else {
                seen.forbidden.push(format!("{what} at {address:#x} of tile {tile}"));
            }
        }
    }
}

impl Card for Watched {
    fn description(&self) -> &Description {
        self.card.description()
    }
    fn claim(&self, power: Power) -> Result<(), CardError> {
        self.card.claim(power)
    }
    fn release(&self) {
        self.card.release();
    }
    fn vote(&self, power: Power) -> Result<(), CardError> {
        self.card.vote(power)
    }
    fn set_cleanup(&self, cleanup: Option<Cleanup>) -> Result<(), CardError> {
        self.card.set_cleanup(cleanup)
    }
    fn write(&self, tile: NocXy, address: u64, bytes: &[u8], order: Order) -> Result<(), CardError> {
        self.note("a write", tile, address, Some(bytes));
        self.card.write(tile, address, bytes, order)
    }
    fn read(&self, tile: NocXy, address: u64, bytes: &mut [u8]) -> Result<(), CardError> {
        self.note("a read", tile, address, None);
        self.card.read(tile, address, bytes)
    }
    fn multicast(&self, tiles: Rect, address: u64, bytes: &[u8]) -> Result<(), CardError> {
        self.note("a multicast", tiles.start, address, Some(bytes));
        self.card.multicast(tiles, address, bytes)
    }
    fn fence(&self, tile: NocXy) -> Result<(), CardError> {
        self.card.fence(tile)
    }
    fn host_mem(&self, bytes: usize) -> Result<HostMem, CardError> {
        self.card.host_mem(bytes)
    }
    fn now(&self) -> CardTime {
        self.card.now()
    }
    fn relax(&self, until: CardTime) -> Result<CardTime, CardError> {
        self.card.relax(until)
    }
}

const READER: &str = r"
#include <komorebi/kernel.h>
KM_HANDLER(Stuck) { noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(0x100000), 1); }
";

fn program() -> km::Program {
    km::Program::new("rules")
        .with_sources(Sources::new().file("reader.cpp", READER.as_bytes()))
        .handler_with("stuck", 1, &[], None)
        .grid(3, 2)
}

fn options() -> km::LoadOptions {
    km::LoadOptions { deadline: Duration::from_millis(2), ..Default::default() }
}

/// Loads the program, lets `live` do with the run what it does, and gives how often the stop flag was written.
fn watch(name: &str, live: impl FnOnce(&km::Session, km::Run)) -> u32 {
    let card = Watched::new();
    let session = km::Session::builder().on(&card).open().unwrap();
    let data = ndarray::Array2::from_elem((4, 16), 7_u32);
    let tensor = session.tensor(&data, km::DType::Uint32).unwrap();
    let run = session.load_with(program(), options()).unwrap();
    run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap();
    assert_eq!(tensor.read::<u32>().unwrap(), data.into_dyn());
    live(&session, run);
    session.close().unwrap();
    let seen = card.seen();
    assert_eq!((seen.releases, seen.running), (1, false), "{name}");
    assert!(seen.forbidden.is_empty(), "{name}: {:?}", seen.forbidden);
    seen.stop_flags
}

fn late(run: &km::Run) {
    let error = run.wait(run.submit(km::call("stuck", &[])).unwrap(), TIMEOUT).unwrap_err();
    assert!(matches!(error, km::Error::CommandTimeout(_)), "{error}");
}

#[test]
fn the_host_touches_no_memory_of_a_running_core_but_the_stop_flag_of_a_run_that_failed() {
    let stopped = watch("stop", |_, run| {
        let handle = run.submit(km::nop()).unwrap();
        assert_eq!(run.sequence(handle).unwrap(), None);
        run.event(handle).unwrap();
        run.wait(handle, TIMEOUT).unwrap();
        run.stop(TIMEOUT).unwrap();
    });
    assert_eq!(stopped, 0, "EXIT ends the cores of a run that stops");
    type Live = fn(&km::Session, km::Run);
    let failures: [(&str, Live); 5] = [
        ("abort", |_, run| drop(run.abort().unwrap())),
        ("drop", |_, run| drop(run)),
        ("close", |session, run| {
            session.close().unwrap();
            run.stop(TIMEOUT).unwrap();
        }),
        ("a deadline", |_, run| late(&run)),
        ("a wait that ran out", |_, run| {
            let stuck = run.submit(km::call("stuck", &[])).unwrap();
            let error = run.wait(stuck, Duration::from_millis(1)).unwrap_err();
            assert!(matches!(error, km::Error::WaitTimeout(_)), "{error}");
        }),
    ];
    for (name, live) in failures {
        assert!(watch(name, live) > 0, "{name}: the stop flag ends the cores");
    }
}

#[test]
fn a_load_that_fails_reads_the_cores_only_once_they_are_held() {
    let card = Watched::new();
    let session = km::Session::builder().on(&card).open().unwrap();
    let options = km::LoadOptions {
        wait: Duration::from_micros(1),
        start: Duration::from_millis(5),
        ..Default::default()
    };
    let error = session.load_with(program(), options).unwrap_err();
    assert!(matches!(error, km::Error::StartError(_)), "{error}");
    let seen = card.seen();
    assert_eq!((seen.releases, seen.running), (1, false));
    assert!(seen.forbidden.is_empty(), "{:?}", seen.forbidden);
}
