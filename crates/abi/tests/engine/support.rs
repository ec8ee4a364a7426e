//! A program, the seed's graph, and random graphs.

use komorebi_abi::constants::layout;
use komorebi_abi::engine::{Arithmetic, Facts, Problem, Rule, Value};
use komorebi_abi::graph::Graph;
use komorebi_abi::program::{Arg, ArgKind, Effect, Handler, ResultKind};

pub(crate) const CORES: u32 = 120;

pub(crate) fn facts() -> Facts {
    let arg = |name: &str, kind, effect| Arg { name: name.into(), kind, effect };
    let state = |effect| arg("state", ArgKind::Address, Some(effect));
    let handler = |name: &str, number, args, result| Handler { name: name.into(), number, args, result };
    Facts {
        program: "Heat".into(),
        handlers: vec![
            handler("step", 1, vec![state(Effect::InOut), arg("iteration", ArgKind::U32, None)], None),
            handler("left", 2, vec![state(Effect::InOut)], None),
            handler("right", 3, vec![state(Effect::InOut)], None),
            handler(
                "norm",
                4,
                vec![state(Effect::Input), arg("cores", ArgKind::U32, None)],
                Some(ResultKind::U32),
            ),
            handler("residual", 5, vec![], Some(ResultKind::F32)),
            handler("mark", 6, vec![arg("scale", ArgKind::F32, None), arg("seed", ArgKind::U64, None)], None),
            handler("touch", 7, vec![], None),
        ],
        cores: Some(CORES),
        region_bytes: layout::UPLOAD_BYTES,
        typed: true,
        complete: true,
    }
}

/// Of `host-api`, "Engines".
pub(crate) fn seed_graph() -> Graph {
    let mut graph = Graph::new().named("Converge").deadline_us(200_000).max_runs(50).req(6).keep();
    let [state, iteration, limit] = graph.bindings(["state", "iteration", "limit"]);
    let error = graph.register_named("error", None);
    let step = graph.command("step", 0..60, [state.into(), iteration.into()]).named("advance").id();
    let left = graph.command("left", 0..30, [state.into()]).after([step]).named("l").id();
    let right = graph.command("right", 30..60, [state.into()]).after([step]).named("r").id();
    let norm = graph
        .command("norm", 0..60, [state.into(), 60.into()])
        .after([left, right])
        .result(error)
        .named("measure")
        .id();
    let mut cpu = graph.cpu([norm]);
    let again = cpu.again();
    cpu.add(iteration, iteration, 1).lt(again, error, limit);
    graph.end(iteration, error);
    graph
}

pub(crate) fn rules(problems: &[Problem]) -> Vec<Rule> {
    let mut rules: Vec<Rule> = problems.iter().map(|problem| problem.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

pub(crate) fn none() -> [Value; 0] {
    []
}

/// Ends a declaration whose handle nobody needs.
pub(crate) fn done<T>(_: T) {}
