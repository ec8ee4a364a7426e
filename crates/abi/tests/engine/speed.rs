//! Checks of the largest graphs a region holds: they end, and give what they should. Times are printed, not judged.

use super::graph_rules::crossing_chains;
use super::support::{facts, none};
use komorebi_abi::engine::{Arithmetic, Value};
use komorebi_abi::graph::{Graph, Node};
use komorebi_abi::stream::Stream;

/// Layers of commands on parts of the grid, each after all of the layer before, on one tensor; counters in between.
fn layered(nodes: u32) -> Graph {
    let mut graph = Graph::new().max_runs(5);
    let [state] = graph.bindings(["state"]);
    let count = graph.register();
    let mut before: Vec<Node> = Vec::new();
    let first = graph.cpu([] as [Node; 0]).set(count, 0).id();
    before.push(first);
    while (graph.model().nodes.len() as u32) + 14 < nodes {
        let layer: Vec<Node> = (0..12)
            .map(|i| {
                let args: [Value; 2] = [state.into(), count.into()];
                graph.command("step", i * 10..i * 10 + 10, args).after(before.iter().copied()).id()
            })
            .collect();
        let cpu = graph.cpu(layer).add(count, count, 1).id();
        before = vec![cpu];
    }
    graph
}

#[test]
fn the_largest_graphs_are_checked() {
    let facts = facts();
    let shapes: [(&str, Graph); 5] = [
        ("layers", layered(10_000)),
        ("chain on one tensor", {
            let mut graph = Graph::new();
            let [state] = graph.bindings(["state"]);
            for i in 0..10_000_u32 {
                let node = graph.command("left", 0..120, [state.into()]);
                if i == 0 {
                    node.id()
                } else {
                    node.after([Node(i - 1)]).id()
                };
            }
            graph
        }),
        ("no order at all, a tensor a core", {
            let mut graph = Graph::new();
            for i in 0..10_000_u32 {
                graph.command("touch", i % 120, none()).id();
            }
            graph
        }),
        ("queued commands in 64 chains that run into one another", crossing_chains(7, 156, false)),
        ("one tensor, cores apart, chains of cores", {
            let mut graph = Graph::new();
            let [state] = graph.bindings(["state"]);
            for i in 0..10_000_u32 {
                let node = graph.command("left", i % 120, [state.into()]);
                if i < 120 {
                    node.id()
                } else {
                    node.after([Node(i - 120)]).id()
                };
            }
            graph
        }),
    ];
    for (name, graph) in shapes {
        let mut least = u128::MAX;
        for _ in 0..5 {
            #[allow(clippy::disallowed_methods, reason = "printed for people, never judged")]
            let start = std::time::Instant::now();
            assert_eq!(graph.check(&facts), [], "{name}");
            least = least.min(start.elapsed().as_micros());
        }
        println!("{name}: {} nodes checked in {least} us, least of 5", graph.model().nodes.len());
    }
}

#[test]
fn the_largest_streams_are_checked() {
    let facts = facts();
    let shapes: [(&str, Stream); 3] = [
        ("a tensor a command, never waited for", {
            let mut stream = Stream::new();
            for i in 0..9_000_u32 {
                stream.submit("left", 0..120, [(64 * i).into()]);
            }
            stream.halt(0);
            stream
        }),
        ("exclusive, on one tensor", {
            let mut stream = Stream::new();
            for i in 0..3_000_u32 {
                stream.submit("left", i % 120, [64.into()]).exclusive();
            }
            stream.halt(0);
            stream
        }),
        ("branches, each with a command and a wait for it", {
            let mut stream = Stream::new();
            let [state] = stream.bindings(["state"]);
            let error = stream.register();
            stream.set(error, 0);
            for _ in 0..3_000 {
                stream.if_(error, |s| {
                    let job = s.submit("norm", 0..120, [state.into(), 1.into()]).result(error).id();
                    s.wait(job).submit("left", 0..120, [state.into()]);
                    s.wait_all();
                });
            }
            stream.halt(error);
            stream
        }),
    ];
    for (name, stream) in shapes {
        #[allow(clippy::disallowed_methods, reason = "printed for people, never judged")]
        let start = std::time::Instant::now();
        assert_eq!(stream.check(&facts), [], "{name}");
        println!(
            "{name}: {} steps checked in {} us",
            stream.model().steps.len(),
            start.elapsed().as_micros()
        );
    }
}

#[test]
fn races_among_many_accesses_are_found_at_the_access_that_makes_one() {
    let mut graph = layered(2_000);
    let node = graph.command("left", 15..16, ["state".into()]).id();
    let problems = graph.check(&facts());
    assert!(!problems.is_empty());
    for problem in &problems {
        assert!(
            problem.place.item() == Some(node.0) || problem.related[0].0.item() == Some(node.0),
            "{problem:?}"
        );
    }
}
