//! A client's life on a card: what is interrupted at some moment, and what has to work afterwards.

use std::time::Duration;

use km::Arithmetic as _;
use km::build::Sources;
use komorebi as km;

/// How long a wait may take, in card time.
const TIMEOUT: Duration = Duration::from_secs(5);

const READER: &str = r"
#include <komorebi/kernel.h>
KM_HANDLER(Spin) {
    const uint64_t start = km::wall_clock();
    while (km::wall_clock() - start < args.cycles) {}
}
";

/// A program with a handler that takes its time.
pub fn program() -> km::Program {
    km::Program::new("life")
        .with_sources(Sources::new().file("reader.cpp", READER.as_bytes()))
        .handler_with("spin", 1, &[("cycles", km::ArgKind::U32)], None)
        .grid(4, 2)
}

/// All that a client does with a card between an open and a close: data, a load, commands, a graph, a stop.
///
/// # Errors
/// As the calls it makes.
pub fn live(session: &km::Session) -> km::Result<()> {
    let data = ndarray::Array2::from_shape_fn((16, 64), |(row, column)| (row * 64 + column) as u32);
    let tensor = session.tensor(&data, km::DType::Uint32)?;
    let run = session.load(program())?;
    let spins = (0..12_u32).map(|job| run.submit(km::call("spin", &[300 * job]).on((job % 5, 3))));
    let spins = spins.collect::<km::Result<Vec<_>>>()?;
    run.wait(&spins, TIMEOUT)?;
    let mut graph = km::Graph::new().req(2).max_runs(3);
    let first = graph.command("spin", 0..4, [500.into()]).id();
    let mut cpu = graph.cpu([first]);
    let again = cpu.again();
    cpu.set(again, 1);
    let upload = run.upload(&graph)?;
    run.wait_engine(&run.start(&upload, ())?, TIMEOUT)?;
    run.stop(TIMEOUT)?;
    assert_eq!(tensor.read::<u32>()?, data.into_dyn(), "what was written is there");
    Ok(())
}

/// A NOP on all cores of the card, from a load to its stop.
///
/// # Errors
/// As the calls it makes.
pub fn nop_everywhere(session: &km::Session) -> km::Result<()> {
    let run = session.load(km::Program::new("nop"))?;
    run.wait(run.submit(km::nop())?, TIMEOUT)?;
    let report = run.stop(TIMEOUT)?;
    assert!(report.result.is_some_and(|result| result.clean()), "{report:?}");
    Ok(())
}
