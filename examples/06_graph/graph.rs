//! The graph: a round relaxes both colours of the chessboard and measures what is left to do; another follows while that is
//! over the limit.

use komorebi as km;

use km::Arithmetic;

/// What the graph's events carry.
pub(crate) const REQ: u16 = 6;
/// The most rounds of a run.
pub(crate) const ROUNDS: u32 = 5_000;

/// `step`, then `left` and `right` side by side, then `norm`, then a node on the dispatcher's processor that decides. Its
/// bindings are `state`, a plane's address; `iteration`, 0; and `limit`. It ends with the rounds and the residual's bits.
pub(crate) fn relaxing() -> km::Graph {
    let mut graph = km::Graph::new().named("relaxing").max_runs(ROUNDS.into()).req(REQ.into()).keep();
    let state = graph.binding("state", Some(km::ArgKind::Address));
    let iteration = graph.binding("iteration", Some(km::ArgKind::U32));
    let limit = graph.binding("limit", Some(km::ArgKind::F32));
    let error = graph.register_named("error", Some(km::ArgKind::F32));
    let sweep = [state.into(), iteration.into()];
    let step = graph.command("step", 0..60, sweep.clone()).id();
    let left = graph.command("left", 0..30, sweep.clone()).after([step]).id();
    let right = graph.command("right", 30..60, sweep).after([step]).id();
    let norm = graph.command("norm", 0..60, [state.into()]).after([left, right]).result(error).id();
    let mut cpu = graph.cpu([norm]);
    let again = cpu.again();
    cpu.add(iteration, iteration, 1).fgt(again, error, limit);
    graph.end(iteration, error);
    graph
}
