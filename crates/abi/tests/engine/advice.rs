//! All that is advised about the order of nodes can be done at once, and mends what it was told of.

use std::collections::BTreeSet;

use komorebi_abi::engine::{Problem, Rule, Value};
use komorebi_abi::graph::{Graph, check};
use proptest::prelude::*;

use crate::support::facts;

/// A node: what it does, its first core, the register it reads or writes, and which nodes it comes after.
type Node = (u8, u32, usize, Vec<usize>);

fn node() -> impl Strategy<Value = Node> {
    (0..3u8, 0..3u32, 0..3usize, proptest::collection::vec(0..9usize, 0..3))
}

fn declared(nodes: &[Node], after: &[BTreeSet<usize>]) -> Graph {
    let mut graph = Graph::new().req(1);
    let [state] = graph.bindings(["state"]);
    let registers = ["x", "y", "z"].map(|name| graph.register_named(name, None));
    for (i, (kind, first, register, _)) in nodes.iter().enumerate() {
        let register = registers[*register];
        let group = first * 10..first * 10 + 15;
        let names: Vec<String> = after[i].iter().map(|before| format!("n{before}")).collect();
        let command = match kind {
            0 => graph.command("step", group, [state.into(), register.into()]),
            1 => graph.command("norm", group, [state.into(), 1.into()]).result(register),
            _ => graph.command("left", group, [state.into()]),
        };
        command.after(names.iter().map(String::as_str)).named(&format!("n{i}")).id();
    }
    graph
}

/// The names between backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The node that the advice of a problem is for, and what it is to come after.
fn advised(problem: &Problem) -> Option<(usize, Vec<usize>)> {
    let number = |name: &str| name.trim().strip_prefix('n').and_then(|number| number.parse().ok());
    let help = problem.help.strip_prefix("use two registers, or ").unwrap_or(&problem.help);
    let names = quoted(help);
    let list = |text: &str| text.trim_start_matches("after ").split(',').filter_map(number).collect();
    if help.starts_with("add `after ") {
        Some((number(names[1])?, list(names[0])))
    } else if help.starts_with("add `") {
        Some((number(names[2])?, list(names[0])))
    } else if help.starts_with("let `") {
        Some((number(names[0])?, list(names[1])))
    } else {
        None
    }
}

proptest! {
    #[test]
    fn advice_about_order_closes_no_circle_and_mends_all_that_it_was_given_for(
        nodes in proptest::collection::vec(node(), 2..9)
    ) {
        // Only nodes that stand before: no circle to begin with, whatever the advice.
        let mut after: Vec<BTreeSet<usize>> = nodes
            .iter()
            .enumerate()
            .map(|(i, node)| node.3.iter().copied().filter(|before| *before < i).collect())
            .collect();
        let before = check(declared(&nodes, &after).model(), &facts());
        let mut told = Vec::new();
        for problem in &before {
            prop_assert!(problem.rule != Rule::Cycle, "{problem}");
            if let Some((node, list)) = advised(problem) {
                after[node].extend(list);
                told.push((problem.rule, problem.place, problem.related.clone()));
            }
        }
        let rest = check(declared(&nodes, &after).model(), &facts());
        for problem in &rest {
            prop_assert!(problem.rule != Rule::Cycle, "{before:#?}: {problem}");
            let same = (problem.rule, problem.place, problem.related.clone());
            prop_assert!(!told.contains(&same), "{before:#?}: {problem}");
            prop_assert!(problem.rule != Rule::TensorRace, "{before:#?}: {problem}");
        }
    }
}

#[test]
fn what_comes_after_something_unknown_has_no_order_to_complain_of() {
    let problems = |after: &str| {
        let mut graph = Graph::new().req(1);
        let [state] = graph.bindings(["state"]);
        graph.command("step", 0..60, [state.into(), 1.into()]).named("first").id();
        graph.command("left", 0..60, [state.into()]).after([after]).named("second").id();
        graph.command("right", 0..60, [state.into()]).after(["second"]).named("third").id();
        let found = check(graph.model(), &facts());
        found.iter().map(|problem| problem.rule).collect::<Vec<_>>()
    };
    assert_eq!(problems("first"), []);
    assert_eq!(problems("frist"), [Rule::NodeUnknown]);
    assert_eq!(problems("second"), [Rule::AfterItself]);
}

#[test]
fn each_command_that_races_is_told_with_all_that_it_lacks_an_order_to() {
    let mut graph = Graph::new().req(1);
    let [state] = graph.bindings(["state"]);
    let values = || [Value::from(state)];
    graph.command("left", 0..10, values()).named("a").id();
    graph.command("left", 10..20, values()).named("b").id();
    graph.command("right", 0..20, values()).named("c").id();
    let found = check(graph.model(), &facts());
    let helps: Vec<&str> = found.iter().map(|problem| problem.help.split(';').next().unwrap()).collect();
    assert_eq!(helps, ["add `after b` to `c`", "let `c` come `after b, a`"]);
}

#[test]
fn ten_thousand_unknown_names_are_counted_and_not_looked_up() {
    let mut graph = Graph::new().req(1);
    for i in 0..10_000 {
        graph
            .command("touch", 0, [] as [Value; 0])
            .after([format!("m{i}").as_str()])
            .named(&format!("n{i}"))
            .id();
    }
    let found = check(graph.model(), &facts());
    let unknown: Vec<_> = found.iter().filter(|problem| problem.rule == Rule::NodeUnknown).collect();
    assert_eq!(unknown.len(), 100);
    assert!(unknown[99].help.ends_with("(and 9900 more of this kind)"), "{}", unknown[99].help);
}
