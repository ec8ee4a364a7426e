//! What the cases share: a small card, a program whose handlers misbehave, and the check that the card works.

use std::time::Duration;

use km::build::Sources;
use komorebi as km;
use komorebi_abi::constants::layout;
use komorebi_abi::wire::{Line, line_phase};
use komorebi_card::{Card as _, NocXy};
use komorebi_sim::{Breakage, Card, When};

pub(crate) const TIMEOUT: Duration = Duration::from_secs(5);

/// The X280 cluster the dispatcher runs on.
pub(crate) const CLUSTER: NocXy = NocXy::new(8, 26);

const READER: &str = r"
#include <komorebi/kernel.h>
KM_HANDLER(Sum) { command.set_result(args.a + args.b); }
KM_HANDLER(Stuck) { if (args.core == km::core_index()) noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(0x100000), 1); }
KM_HANDLER(Endless) { if (args.core == km::core_index()) for (;;) asm volatile(``); }
KM_HANDLER(Spin) { const uint64_t start = km::wall_clock(); while (km::wall_clock() - start < args.cycles) {} }
KM_HANDLER(Crooked) { noc_async_read(km::bank_noc_addr(0, 4), 0x100000, 32); }
";

/// The program of all cases, on 4 x 2 cores.
pub(crate) fn program() -> km::Program {
    let word = |name| (name, km::ArgKind::U32);
    km::Program::new("contract")
        .with_sources(Sources::new().file("reader.cpp", READER.replace('`', "\"").into_bytes()))
        .handler_with("sum", 1, &[word("a"), word("b")], Some(km::ResultKind::U32))
        .handler_with("stuck", 2, &[word("core")], None)
        .handler_with("endless", 3, &[word("core")], None)
        .handler_with("spin", 4, &[word("cycles")], None)
        .handler_with("crooked", 5, &[], None)
        .grid(4, 2)
}

/// Deadlines of two milliseconds; the other times are the defaults.
pub(crate) fn quick() -> km::LoadOptions {
    km::LoadOptions { deadline: Duration::from_millis(2), settle: Duration::ZERO, ..Default::default() }
}

/// Deadlines of a second.
pub(crate) fn patient() -> km::LoadOptions {
    km::LoadOptions { settle: Duration::ZERO, ..Default::default() }
}

/// A card of its own for each case.
pub(crate) struct Bench {
    pub(crate) card: Card,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self { card: Card::builder().columns(4).build() }
    }

    pub(crate) fn session(&self) -> km::Session {
        km::Session::builder().on(&self.card).open().unwrap()
    }

    /// A session with the program loaded, with [`quick`] options.
    pub(crate) fn run(&self) -> (km::Session, km::Run) {
        let session = self.session();
        let run = session.load_with(program(), quick()).unwrap();
        (session, run)
    }

    /// Breaks something at once.
    pub(crate) fn break_now(&self, breakage: Breakage) {
        self.card.break_on(When::Now, breakage).unwrap();
    }

    /// Changes 64-bit words of the cluster's LIM at once.
    pub(crate) fn poke_lim(&self, offset: u32, words: &[u64]) {
        self.break_now(poke_lim(offset, words));
    }

    /// A word of the cluster's LIM stays what it is for a time.
    pub(crate) fn hold_lim(&self, offset: u32, value: u32, time: Duration) {
        let address = layout::LIM_BASE + u64::from(offset);
        self.break_now(Breakage::Hold { tile: CLUSTER, address, value, time });
    }

    /// The line that the next wait stores for command `number` becomes `line` before the dispatcher is told of it.
    pub(crate) fn change_line(&self, number: u64, line: Line) {
        let at = layout::LIM_RING + 64 * ((number - 1) % 64) as u32;
        let words = Line { number: number as u16, ..line }.encode(line_phase(number - 1, 64));
        // The wait stores the line, fences, and then stores the progress: its third call.
        self.card.break_on(When::Call(3), poke_lim(at, &words)).unwrap();
    }

    /// Lets the card run for a time, without the runtime.
    pub(crate) fn pass(&self, time: Duration) {
        let until = self.card.now() + time;
        while self.card.now() < until {
            self.card.relax(until).unwrap();
        }
    }
}

fn poke_lim(offset: u32, words: &[u64]) -> Breakage {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Breakage::Poke { tile: CLUSTER, address: layout::LIM_BASE + u64::from(offset), bytes }
}

/// A NOP on every core of the card works in `session`, and its stop is clean.
pub(crate) fn works(session: &km::Session, after: &str) {
    let told = |error: km::Error| -> ! { panic!("after {after}: {error}") };
    let run = session.load(km::Program::new("after")).unwrap_or_else(|error| told(error));
    assert_eq!(run.grid(), session.grid());
    let nop = run.submit(km::nop()).unwrap_or_else(|error| told(error));
    run.wait(nop, TIMEOUT).unwrap_or_else(|error| told(error));
    let result = run.stop(TIMEOUT).unwrap_or_else(|error| told(error)).result;
    assert!(result.is_some_and(|result| result.clean()), "after {after}");
}
