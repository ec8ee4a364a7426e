//! What lives share: the program, and the check that a card works.

use std::time::Duration;

use km::build::Sources;
use komorebi as km;
use komorebi_sim::Card;

pub(crate) const TIMEOUT: Duration = Duration::from_millis(50);

const READER: &str = r"
#include <komorebi/kernel.h>
KM_HANDLER(Sum) { command.set_result(args.a + args.b); }
KM_HANDLER(Spin) { const uint64_t start = km::wall_clock(); while (km::wall_clock() - start < args.cycles) {} command.set_result(args.cycles); }
KM_HANDLER(Stuck) { if (args.core == km::core_index()) noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(0x100000), 1); }
KM_HANDLER(Endless) { if (args.core == km::core_index()) for (;;) asm volatile(``); }
";

/// Four cores of a column.
pub(crate) fn program() -> km::Program {
    let word = |name| (name, km::ArgKind::U32);
    km::Program::new("lives")
        .with_sources(Sources::new().file("reader.cpp", READER.replace('`', "\"").into_bytes()))
        .handler_with("sum", 1, &[word("a"), word("b")], Some(km::ResultKind::U32))
        .handler_with("spin", 2, &[word("cycles")], Some(km::ResultKind::U32))
        .handler_with("stuck", 3, &[word("core")], Some(km::ResultKind::U32))
        .handler_with("endless", 4, &[word("core")], Some(km::ResultKind::U32))
        .grid(1, 4)
}

/// Opens a new session on the card, without a reset, and runs a NOP on every core.
pub(crate) fn usable(card: &Card) -> km::Result<()> {
    let session = km::Session::builder().on(&card.client()).open()?;
    let options = km::LoadOptions { start: Duration::from_millis(20), ..Default::default() };
    let run = session.load_with(km::Program::new("after"), options)?;
    run.wait(run.submit(km::nop())?, TIMEOUT)?;
    let result = run.stop(TIMEOUT)?.result;
    assert!(result.is_some_and(|result| result.clean()), "{result:?}");
    session.close()
}

/// The card is usable without a reset.
pub(crate) fn works(card: &Card, after: &str) {
    usable(card).unwrap_or_else(|error| panic!("after {after}: {error}"));
}
