//! A graph as text and as calls of the builder: the same bytes, or the same rules.

use komorebi_abi::engine::{Arithmetic, Command, Value, Var};
use komorebi_abi::graph::{Graph, Node, encode};
use proptest::prelude::*;

use crate::engine::testing::heat;
use crate::graph::read_text;

/// A graph, as text and as calls of the builder.
#[derive(Clone, Debug)]
struct Twin {
    nodes: Vec<TwinNode>,
    deadline: Option<u32>,
    runs: Option<u32>,
    req: u16,
    keep: bool,
}

#[derive(Clone, Debug)]
enum TwinNode {
    Step {
        first: u8,
        count: u8,
        iteration: u32,
        named: bool,
        after: Vec<prop::sample::Index>,
        exclusive: bool,
    },
    Norm {
        core: u8,
        after: Vec<prop::sample::Index>,
        queued: bool,
    },
    Cpu {
        ops: Vec<(u8, u32)>,
        after: Vec<prop::sample::Index>,
    },
}

fn twin() -> impl Strategy<Value = Twin> {
    let after = || prop::collection::vec(any::<prop::sample::Index>(), 0..3);
    let node = prop_oneof![
        (0_u8..100, 1_u8..20, any::<u32>(), any::<bool>(), after(), any::<bool>()).prop_map(
            |(first, count, iteration, named, after, exclusive)| TwinNode::Step {
                first,
                count,
                iteration,
                named,
                after,
                exclusive
            }
        ),
        (0_u8..120, after(), any::<bool>()).prop_map(|(core, after, queued)| TwinNode::Norm {
            core,
            after,
            queued
        }),
        (prop::collection::vec((0_u8..8, any::<u32>()), 1..5), after())
            .prop_map(|(ops, after)| TwinNode::Cpu { ops, after }),
    ];
    (
        prop::collection::vec(node, 1..40),
        any::<Option<u32>>(),
        any::<Option<u32>>(),
        any::<u16>(),
        any::<bool>(),
    )
        .prop_map(|(nodes, deadline, runs, req, keep)| Twin {
            nodes,
            deadline: deadline.map(|deadline| deadline.max(1)),
            runs: runs.map(|runs| runs.max(1)),
            req,
            keep,
        })
}

const OPS: [&str; 8] = ["+", "-", "*", "&", "|", "^", "<", "=="];

fn write(twin: &Twin) -> String {
    let mut options = vec![format!("req = {}", twin.req)];
    options.extend(twin.deadline.map(|us| format!("deadline = {us} us")));
    options.extend(twin.runs.map(|runs| format!("max_runs = {runs}")));
    options.extend(twin.keep.then(|| "keep".to_owned()));
    let mut text =
        format!("graph G({}) {{ bind state: km::Address, a: u32; reg e: u32;\n", options.join(", "));
    let names = |after: &[prop::sample::Index], at: usize| {
        if at == 0 || after.is_empty() {
            return String::new();
        }
        let list: Vec<String> = after.iter().map(|index| format!("n{}", index.index(at))).collect();
        format!(" after {}", list.join(", "))
    };
    for (i, node) in twin.nodes.iter().enumerate() {
        text += &match node {
            TwinNode::Step { first, count, iteration, named, after, exclusive } => {
                let argument = if *named { "a".to_owned() } else { iteration.to_string() };
                let end = u32::from(*first) + u32::from(*count);
                let flag = if *exclusive { " exclusive" } else { "" };
                format!("let n{i} = step[{first}..{end}](state, {argument}){}{flag};\n", names(after, i))
            }
            TwinNode::Norm { core, after, queued } => {
                let flag = if *queued { " queued" } else { "" };
                format!("let n{i} = norm[{core}](state, 1) -> e{flag}{};\n", names(after, i))
            }
            TwinNode::Cpu { ops, after } => {
                let code: Vec<String> = ops
                    .iter()
                    .map(|(op, number)| format!("a = a {} {number};", OPS[usize::from(*op)]))
                    .collect();
                format!("let n{i} = cpu{} {{ {} }}\n", names(after, i), code.join(" "))
            }
        };
    }
    text + "end(a, e); }"
}

fn build(twin: &Twin) -> Graph {
    let mut graph = Graph::new().named("G").req(twin.req.into());
    if let Some(deadline) = twin.deadline {
        graph = graph.deadline_us(deadline.into());
    }
    if let Some(runs) = twin.runs {
        graph = graph.max_runs(runs.into());
    }
    if twin.keep {
        graph = graph.keep();
    }
    let [state, a] = graph.bindings(["state", "a"]);
    let e = graph.register_named("e", None);
    let before = |after: &[prop::sample::Index], at: usize| -> Vec<Node> {
        if at == 0 { Vec::new() } else { after.iter().map(|index| Node(index.index(at) as u32)).collect() }
    };
    for (i, node) in twin.nodes.iter().enumerate() {
        match node {
            TwinNode::Step { first, count, iteration, named, after, exclusive } => {
                let argument: Value = if *named { a.into() } else { (*iteration).into() };
                let mut command =
                    Command::new("step", (u32::from(*first), u32::from(*count)), [state.into(), argument]);
                command.exclusive = *exclusive;
                graph.node(command).after(before(after, i)).id();
            }
            TwinNode::Norm { core, after, queued } => {
                let mut command = Command::new("norm", u32::from(*core), [state.into(), 1.into()]);
                command.queued = *queued;
                graph.node(command).after(before(after, i)).result(e).id();
            }
            TwinNode::Cpu { ops, after } => {
                let mut cpu = graph.cpu(before(after, i));
                for (op, number) in ops {
                    let (a, n): (Var, u32) = (a, *number);
                    match op {
                        0 => cpu.add(a, a, n),
                        1 => cpu.sub(a, a, n),
                        2 => cpu.mul(a, a, n),
                        3 => cpu.and(a, a, n),
                        4 => cpu.or(a, a, n),
                        5 => cpu.xor(a, a, n),
                        6 => cpu.ltu(a, a, n),
                        _ => cpu.eq(a, a, n),
                    };
                }
            }
        }
    }
    graph.end(a, e);
    graph
}

proptest! {
    #[test]
    fn text_and_builder_give_the_same_bytes_or_the_same_rules(twin in twin()) {
        let heat = heat();
        let (model, _) = read_text(&write(&twin), &heat);
        let rules = |result: Result<komorebi_abi::engine::Encoded, Vec<komorebi_abi::engine::Problem>>| {
            result.map(|encoded| encoded.bytes).map_err(|problems| {
                problems.into_iter().map(|problem| (problem.rule, problem.place)).collect::<Vec<_>>()
            })
        };
        prop_assert_eq!(rules(encode(&model.unwrap(), &heat.facts)), rules(build(&twin).encode(&heat.facts)));
    }
}
