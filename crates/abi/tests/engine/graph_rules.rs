//! Each rule of graphs: a graph that breaks it and that alone, beside one that keeps it.

use std::collections::BTreeSet;

use super::roundtrip::Dice;
use super::support::{CORES, done, facts, none, rules, seed_graph};
use komorebi_abi::engine::{
    Arithmetic, Command, Domain, Facts, Group, Opcode, Place, Problem, Ref, Rule, Statement, Value, Variable,
    VariableKind,
};
use komorebi_abi::graph::{Graph, GraphNode, Node, NodeBody};
use komorebi_abi::program::ArgKind;

/// The problems of the contract's graph after an edit.
fn broken(edit: impl FnOnce(&mut Graph)) -> Vec<Problem> {
    let mut graph = seed_graph();
    edit(&mut graph);
    graph.check(&facts())
}

fn only(rule: Rule, edit: impl FnOnce(&mut Graph)) -> Problem {
    let mut problems = broken(edit);
    assert_eq!(rules(&problems), [rule], "{problems:#?}");
    problems.remove(0)
}

#[test]
fn the_seed_s_graph_breaks_no_rule() {
    assert_eq!(broken(|_| {}), []);
}

#[test]
fn every_rule_of_graphs_is_broken_by_its_graph_and_by_that_alone() {
    type Edit = fn(&mut Graph);
    let cases: &[(Rule, Place, Edit)] = &[
        (Rule::HandlerUnknown, Place::Handler(5), |g| {
            done(g.command("setp", 0..60, none()).after([Node(4)]))
        }),
        (Rule::HandlerUnknown, Place::Handler(5), |g| done(g.command(99, 0..60, none()).after([Node(4)]))),
        (Rule::ArgCount, Place::Handler(5), |g| done(g.command("norm", 0..60, [0.into()]).after([Node(4)]))),
        (Rule::ArgCount, Place::Arg(5, 1), |g| {
            done(g.command("left", 0..60, [0.into(), 1.into()]).after([Node(4)]))
        }),
        (Rule::ArgType, Place::Arg(5, 1), |g| {
            done(g.command("norm", 0..60, [0.into(), 1.5_f32.into()]).after([Node(4)]))
        }),
        (Rule::ArgType, Place::Arg(5, 1), |g| {
            done(g.command("norm", 0..60, [0.into(), Value::Int(-1)]).after([Node(4)]))
        }),
        (Rule::ArgType, Place::Arg(5, 0), |g| {
            done(g.command("mark", 0..60, [1.into(), 1.into()]).after([Node(4)]))
        }),
        (Rule::ArgType, Place::Arg(5, 1), |g| {
            done(g.command("mark", 0..60, [1.0_f32.into(), Value::from("state")]).after([Node(4)]));
        }),
        (Rule::ResultMissing, Place::Result(5), |g| {
            done(g.command("touch", 0..60, none()).after([Node(4)]).result("error"))
        }),
        (Rule::Group, Place::Group(5), |g| done(g.command("touch", 60..60, none()))),
        (Rule::Group, Place::Group(5), |g| done(g.command("touch", (100, 21), none()))),
        (Rule::Group, Place::Group(5), |g| done(g.command("touch", CORES, none()))),
        (Rule::Group, Place::Group(5), |g| done(g.command("touch", Group::Count(121), none()))),
        (Rule::GroupUnknown, Place::Group(5), |g| {
            done(g.command("touch", Group::Named("edge".into()), none()))
        }),
        (Rule::NodeUnknown, Place::After(5, 0), |g| done(g.command("touch", 0, none()).after(["advanse"]))),
        (Rule::VariableUnknown, Place::Arg(5, 0), |g| {
            done(g.command("left", 0..60, ["stat".into()]).after([Node(4)]))
        }),
        (Rule::NameTwice, Place::Item(5), |g| done(g.command("touch", 0, none()).named("l"))),
        (Rule::NameTwice, Place::Variable(5), |g| done(g.register_named("limit", None))),
        (Rule::NameTwice, Place::GroupName(1), |g| {
            g.group("edge", 0..4);
            g.group("edge", 4..8);
        }),
        (Rule::Cycle, Place::After(5, 0), |g| {
            g.command("touch", 0, none()).after([Ref::Named("b".into())]).named("a").id();
            g.command("touch", 0, none()).after(["a"]).named("b").id();
        }),
        (Rule::AfterItself, Place::After(5, 0), |g| {
            done(g.command("touch", 0, none()).after(["a"]).named("a"))
        }),
        (Rule::ReadBeforeWrite, Place::Arg(5, 1), |g| {
            done(g.command("norm", 60..61, [9.into(), "error".into()]))
        }),
        (Rule::ReadBeforeWrite, Place::End(0), |g| {
            let never = g.register();
            g.end(never, never);
        }),
        (Rule::WriteUnordered, Place::Result(5), |g| {
            done(g.command("norm", 60..61, [9.into(), 1.into()]).result("error"))
        }),
        (Rule::WriteUnordered, Place::Operand(4, 0, Place::TARGET), |g| {
            done(g.command("norm", 60..61, [9.into(), "iteration".into()]));
        }),
        (Rule::TensorRace, Place::Arg(5, 0), |g| done(g.command("left", 59..61, ["state".into()]))),
        (Rule::Registers, Place::Variable(32), |g| (0..28).for_each(|_| done(g.register()))),
        (Rule::Bindings, Place::Variable(18), |g| {
            (0..14).for_each(|i| done(g.binding(&format!("b{i}"), None)))
        }),
        (Rule::Deadline, Place::Deadline, |g| *g = std::mem::take(g).deadline_us(1 << 32)),
        (Rule::Deadline, Place::Deadline, |g| *g = std::mem::take(g).deadline_us(0)),
        (Rule::MaxRuns, Place::MaxRuns, |g| *g = std::mem::take(g).max_runs(0)),
        (Rule::Req, Place::Req, |g| *g = std::mem::take(g).req(1 << 16)),
        (Rule::Size, Place::Upload, |g| (0..11_056).for_each(|_| done(g.command("touch", 0, none())))),
        (Rule::Endless, Place::Operand(1, 0, Place::TARGET), |g| {
            *g = Graph::new();
            let first = g.command("touch", 0, none()).id();
            let mut cpu = g.cpu([first]);
            let again = cpu.again();
            cpu.set(again, 1);
        }),
        (Rule::QueueFull, Place::Queued(69), |g| {
            (0..65).for_each(|_| done(g.command("touch", Group::Count(1), none())))
        }),
        // 40 at once, and 40 more that are one deeper and not behind them.
        (Rule::QueueFull, Place::Queued(70), |g| {
            (0..40).for_each(|_| done(g.command("touch", Group::Count(1), none())));
            let first = g.command("touch", 0..4, none()).id();
            (0..40).for_each(|_| done(g.command("touch", Group::Count(1), none()).after([first])));
        }),
        (Rule::ExclusiveQueued, Place::Exclusive(5), |g| {
            done(g.command("touch", 0..4, none()).exclusive().queued())
        }),
        (Rule::ConstantWritten, Place::Operand(5, 0, Place::TARGET), |g| {
            let constant = g.constant("most", 4_u32);
            g.cpu([Node(4)]).add(constant, 1, 2);
        }),
        (Rule::VariableType, Place::Variable(5), |g| done(g.register_named("wide", Some(ArgKind::U64)))),
        (Rule::VariableType, Place::Result(5), |g| {
            let residual = g.register_named("residual", Some(ArgKind::U32));
            g.command("residual", 0, none()).result(residual).id();
        }),
        (Rule::ArgType, Place::Operand(5, 0, 1), |g| {
            let sum = g.register();
            g.cpu([Node(4)]).add(sum, "iteration", 1.5_f32);
        }),
        (Rule::ArgType, Place::Operand(5, 0, 0), |g| {
            let sum = g.register();
            g.cpu([Node(4)]).fadd(sum, 1, 1.5_f32);
        }),
        (Rule::CpuLength, Place::Item(5), |g| done(g.cpu([Node(4)]))),
        (Rule::CpuLength, Place::Item(5), |g| {
            let sum = g.register();
            let mut cpu = g.cpu([Node(4)]);
            (0..257).for_each(|_| done(cpu.set(sum, 1)));
        }),
        (Rule::Empty, Place::Upload, |g| *g = Graph::new()),
        (Rule::ArgWords, Place::Arg(5, 10), |g| done(g.command(0, 0, vec![Value::Word(1); 11]))),
    ];
    let mut seen = BTreeSet::new();
    for (rule, place, edit) in cases {
        let problems = broken(edit);
        assert_eq!(rules(&problems), [*rule], "{rule:?}: {problems:#?}");
        // Of two uses without order, either is the place and the other is related.
        let at = |problem: &Problem| {
            problem.place == *place || problem.related.iter().any(|other| other.0 == *place)
        };
        assert!(problems.iter().any(at), "{rule:?} at {place:?}: {problems:#?}");
        assert!(problems.iter().all(|problem| !problem.help.is_empty()), "{rule:?} says what to do");
        seen.insert(*rule);
    }
    let all: BTreeSet<Rule> = Rule::all().filter(|rule| rule.domain() == Domain::Graph).collect();
    assert_eq!(seen, all);
}

#[test]
fn each_broken_graph_s_neighbour_keeps_the_rules() {
    type Edit = fn(&mut Graph);
    let cases: &[Edit] = &[
        |g| done(g.command("step", 0..60, ["state".into(), 1.into()]).after([Node(4)])),
        |g| done(g.command(6, 0..60, [1.5_f32.into(), 7.into()]).after([Node(4)])),
        |g| done(g.command("touch", (100, 20), none())),
        |g| done(g.command("touch", Group::Whole, none())),
        |g| done(g.command("touch", CORES - 1, none())),
        |g| {
            let edge = g.group("edge", 60..64);
            g.command("touch", edge, none()).id();
            g.command("touch", Group::Named("edge".into()), none()).id();
        },
        // A node may be named before it is declared.
        |g| {
            g.command("touch", 0, none()).after(["later"]).id();
            g.command("touch", 0, none()).named("later").id();
        },
        |g| done(g.command("norm", 60..61, [9.into(), "error".into()]).after(["measure"])),
        |g| done(g.command("norm", 60..61, [9.into(), 1.into()]).result("error").after([Node(4)])),
        |g| done(g.command("left", 60..61, ["state".into()])),
        |g| done(g.command("norm", 60..61, ["state".into(), 1.into()])),
        |g| (0..27).for_each(|_| done(g.register())),
        |g| (0..13).for_each(|i| done(g.binding(&format!("b{i}"), None))),
        |g| {
            *g = std::mem::take(g).deadline_us(u32::MAX.into()).max_runs(u32::MAX.into()).req(u16::MAX.into())
        },
        |g| (0..64).for_each(|_| done(g.command("touch", Group::Count(1), none()))),
        |g| (0..200).for_each(|i| done(g.command("touch", Group::Count(1), none()).after([Node(4 + i)]))),
        // Constants are no registers, and numbers may stand on both sides.
        |g| {
            let most = g.constant("most", 4_u32);
            let sum = g.register();
            g.cpu([Node(4)]).sub(sum, most, "iteration").select(sum, sum, 3, most).add(sum, 1, most);
        },
        // `again` may be set for ever when the rounds are limited.
        |g| {
            *g = Graph::new().max_runs(3);
            let first = g.command("touch", 0, none()).id();
            let mut cpu = g.cpu([first]);
            let again = cpu.again();
            cpu.set(again, 1);
        },
    ];
    for (i, edit) in cases.iter().enumerate() {
        assert_eq!(broken(edit), [], "case {i}");
    }
}

#[test]
fn a_circle_is_named_whole_and_what_is_behind_it_once() {
    let problems = broken(|g| {
        for (name, after) in [("a", "c"), ("b", "a"), ("c", "b"), ("d", "c"), ("e", "d")] {
            g.command("touch", 0, none()).after([after]).named(name).id();
        }
    });
    assert_eq!(rules(&problems), [Rule::Cycle]);
    assert_eq!(problems.len(), 1);
    assert_eq!(
        problems[0].message,
        "these nodes come after each other in a circle, and none can run: `a`, then `b`, then `c`, then `a` again; \
         `d` and `e` come after it and cannot either"
    );
    assert_eq!(problems[0].place, Place::After(5, 0));
    assert_eq!(problems[0].related.len(), 2);
}

#[test]
fn all_problems_are_found_at_once_with_both_ends_of_a_conflict() {
    let problems = broken(|g| {
        *g = std::mem::take(g).req(1 << 20);
        g.command("setp", 0..60, none()).id();
        g.command("left", 0..60, ["state".into()]).id();
        g.command("touch", 0..121, none()).id();
    });
    assert_eq!(rules(&problems), [Rule::HandlerUnknown, Rule::Group, Rule::TensorRace, Rule::Req]);
    let of = |rule| problems.iter().find(|problem| problem.rule == rule).unwrap();
    assert_eq!(of(Rule::HandlerUnknown).help, "did you mean `step`?");
    assert!(of(Rule::TensorRace).related[0].0.item().is_some());
    assert!(of(Rule::Group).message.contains("120 cores"), "{}", of(Rule::Group).message);
}

#[test]
fn messages_name_the_edit() {
    let read = only(Rule::ReadBeforeWrite, |g| done(g.command("norm", 60..61, [9.into(), "error".into()])));
    assert_eq!(read.help, "add `after measure` to `norm` (node 5)");
    for (after, help) in [
        (&["l"][..], "let `late` come `after l, measure`"),
        (&["advance", "l", "r"], "let `late` come `after advance, l, r, measure`"),
        (&["advance", "l", "r", "advance", "l"], "add `measure` to the `after` of `late`"),
    ] {
        let read = only(Rule::ReadBeforeWrite, |g| {
            let late = g.command("norm", 60..61, [9.into(), "error".into()]);
            done(late.after(after.iter().copied()).named("late"));
        });
        assert_eq!(read.help, help);
    }
    assert_eq!(read.related, [(Place::Result(3), "`measure` writes `error` here".to_owned())]);
    // Its only writer comes after it: to come after the writer would close a circle.
    let read = only(Rule::ReadBeforeWrite, |g| {
        let late = g.register_named("late", None);
        let first = g.command("norm", 60..61, [9.into(), late.into()]).named("first").id();
        done(g.command("norm", 60..61, [9.into(), 1.into()]).after([first]).result(late).named("second"));
    });
    assert_eq!(
        read.message,
        "`late` is read by `first`, and is written only later, by `second`, which comes after `first`"
    );
    assert_eq!(read.help, "write it in a node before `first`, or move `late` from `reg` to `bind`");
    let group = only(Rule::Group, |g| done(g.command("touch", Group::Range(9, 3), none())));
    assert_eq!(group.help, "write `3..9`: a range goes up");
    for ((first, end), help) in [
        ((300, 50), "write `50..120`: a range goes up"),
        ((300, 119), "write `119..120`: a range goes up"),
        ((300, 120), "a range goes up, and ends at 120 at most; cores count from 0, row by row"),
        ((300, 200), "a range goes up, and ends at 120 at most; cores count from 0, row by row"),
        ((u64::MAX, u64::MAX), "write `119..120`: the end is not part of a range"),
    ] {
        let group = only(Rule::Group, |g| done(g.command("touch", Group::Range(first, end), none())));
        assert_eq!(group.help, help, "{first}..{end}");
    }
    let count = only(Rule::Group, |g| done(g.command("touch", Group::Count(121), none())));
    assert_eq!(count.help, "write `queued(120)` or fewer");
    let few = only(Rule::ArgCount, |g| done(g.command("norm", 60..61, [0.into()])));
    assert_eq!(few.help, "`cores: u32` is missing: `norm` takes `(state: km::Address, cores: u32)`");
    let many = only(Rule::ArgCount, |g| done(g.command("left", 60..61, [0.into(), 3.into()])));
    assert_eq!(many.help, "remove `3`: it takes `(state: km::Address)`");
    let many = only(Rule::ArgCount, |g| done(g.command("touch", 60..61, [1.into(), 2.into()])));
    assert_eq!(many.help, "remove the last 2: it takes nothing");
    let itself = only(Rule::AfterItself, |g| done(g.command("touch", 60, none()).after(["a"]).named("a")));
    assert_eq!(itself.help, "remove `after a`; to run the graph again, add `cpu after a { again = ..; }`");
    let race = only(Rule::TensorRace, |g| done(g.command("left", 59..61, ["state".into()]).named("late")));
    assert!(race.message.contains("`state`") && race.message.contains("core 59"), "{}", race.message);
}

#[test]
fn the_size_is_exact_and_its_breakdown_adds_up() {
    let facts = facts();
    let graph = seed_graph();
    let lines = komorebi_abi::graph::size(graph.model(), &facts);
    let sum: u64 = lines.iter().map(|line| line.bytes).sum();
    let encoded = graph.encode(&facts).unwrap();
    assert_eq!(sum, encoded.bytes.len() as u64 + 64, "the bindings' line is part of it");
    let no_region = graph.check(&Facts { region_bytes: 0, ..facts.clone() });
    assert_eq!(rules(&no_region), [Rule::Size]);
    assert!(no_region[0].message.contains("X280 thread"), "{}", no_region[0].message);
    let tight = graph.check(&Facts { region_bytes: sum as u32 - 1, ..facts.clone() });
    assert!(tight[0].help.contains("5 nodes 320") && tight[0].message.contains("1 more"), "{tight:#?}");
    assert_eq!(graph.check(&Facts { region_bytes: sum as u32, ..facts }), []);
}

#[test]
fn a_program_with_errors_of_its_own_brings_no_second_message() {
    let facts = Facts { complete: false, handlers: Vec::new(), ..facts() };
    assert_eq!(seed_graph().check(&facts), []);
}

#[test]
fn a_program_known_by_numbers_alone_takes_any_words() {
    let facts = Facts { typed: false, handlers: Vec::new(), ..facts() };
    let mut graph = Graph::new();
    graph.node(Command::new(17, 0..4, [1.into(), 2.5_f32.into()])).id();
    assert_eq!(graph.check(&facts), []);
    graph.command(240, 0..4, none()).id();
    assert_eq!(rules(&graph.check(&facts)), [Rule::HandlerUnknown]);
}

#[test]
fn ten_thousand_mistakes_of_one_kind_are_shown_as_a_hundred() {
    let problems = broken(|g| (0..10_000).for_each(|_| done(g.command("touch", 0..121, none()))));
    assert_eq!(problems.len(), 100);
    assert!(problems[99].help.ends_with("(and 9900 more of this kind)"), "{}", problems[99].help);
}

/// The temporary of an expression is one node's at a time, and a node runs in one go: no order is needed.
#[test]
fn nodes_without_order_may_use_one_temporary_and_it_takes_a_register() {
    let graph = |kind| {
        let mut model = seed_graph().into_model();
        let id = model.variables.len() as u32;
        model.variables.push(Variable::new(kind, None, None));
        for _ in 0..2 {
            let code = vec![
                Statement::new(Opcode::Add, id, ["iteration".into(), Value::Int(2)]),
                Statement::new(Opcode::Mul, id, [Value::Variable(Ref::Id(id)), Value::Int(3)]),
            ];
            let after = vec![Ref::Id(4)];
            model.nodes.push(GraphNode { name: None, body: NodeBody::Cpu(code), after });
        }
        model
    };
    let rules = |kind| rules(&komorebi_abi::graph::check(&graph(kind), &facts()));
    assert_eq!(rules(VariableKind::Temporary), []);
    assert_eq!(rules(VariableKind::Register), [Rule::WriteUnordered]);

    let mut many = graph(VariableKind::Temporary);
    many.variables.extend((0..27).map(|_| Variable::new(VariableKind::Temporary, None, None)));
    let found = komorebi_abi::graph::check(&many, &facts());
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].message.contains("results inside expressions need 28 more"), "{found:#?}");
}

#[test]
fn the_first_register_of_the_end_is_an_integer_for_24_bits_of_it_arrive() {
    let rules = |first: ArgKind, second: ArgKind| {
        rules(&broken(|g| {
            let [a, b] = [first, second].map(|ty| g.register_named(&format!("end_{ty:?}"), Some(ty)));
            let touched = g.command("touch", 0..1, none()).id();
            let mut cpu = g.cpu([touched]);
            let value = |ty| if ty == ArgKind::F32 { Value::Float(0.5) } else { Value::Int(1) };
            cpu.set(a, value(first)).set(b, value(second));
            g.end(a, b);
        }))
    };
    assert_eq!(rules(ArgKind::I32, ArgKind::F32), []);
    assert_eq!(rules(ArgKind::U32, ArgKind::Address), []);
    assert_eq!(rules(ArgKind::F32, ArgKind::U32), [Rule::VariableType]);
    assert_eq!(rules(ArgKind::Address, ArgKind::U32), [Rule::VariableType]);
}

/// 64 chains of queued commands that run into one another: no more than 64 are without order, though a list of chains made
/// in haste has more. With `one_more`, a command beside the tenth of each.
pub(crate) fn crossing_chains(seed: u64, length: u32, one_more: bool) -> Graph {
    let mut dice = Dice(seed | 1);
    let mut graph = Graph::new();
    let mut layers: Vec<Vec<Node>> = Vec::new();
    let mut extra = None;
    for layer in 0..length {
        let mut after: Vec<Vec<Node>> = vec![extra.filter(|_| layer == 11).into_iter().collect(); 64];
        if let Some(before) = layers.last() {
            // The chains go on in another order, and one more edge each leads astray.
            let mut rest = before.clone();
            for list in &mut after {
                list.push(rest.swap_remove(dice.roll(rest.len() as u32) as usize));
                list.push(before[dice.roll(64) as usize]);
            }
        }
        let nodes = after.into_iter();
        layers.push(
            nodes.map(|after| graph.command("touch", Group::Count(1), none()).after(after).id()).collect(),
        );
        if layer == 10 && one_more {
            extra =
                Some(graph.command("touch", Group::Count(1), none()).after(layers[9].iter().copied()).id());
        }
    }
    graph
}

#[test]
fn the_most_queued_commands_without_order_are_counted_whatever_their_depth() {
    for seed in 0..20 {
        assert_eq!(crossing_chains(seed, 30, false).check(&facts()), [], "seed {seed}");
        let problems = crossing_chains(seed, 30, true).check(&facts());
        assert_eq!(rules(&problems), [Rule::QueueFull], "seed {seed}: {problems:#?}");
        // Both ends are of the 65: the eleventh of the chains, and the one beside them.
        let ends = [problems[0].place, problems[0].related[0].0].map(|place| place.item().unwrap());
        assert!(ends.iter().all(|node| (640..=704).contains(node)), "seed {seed}: {ends:?}");
    }
    // A long chain beside one command: two at once.
    let mut graph = Graph::new();
    graph.command("touch", Group::Count(1), none()).id();
    let mut last: Option<Node> = None;
    for _ in 0..200 {
        last = Some(graph.command("touch", Group::Count(1), none()).after(last).id());
    }
    assert_eq!(graph.check(&facts()), []);
}

/// The largest set without order, by the plainest algorithm there is: a matching over the closure of the order (Dilworth).
fn width(before: &[Vec<usize>]) -> usize {
    let count = before.len();
    let mut earlier = vec![vec![false; count]; count];
    for later in 0..count {
        for node in &before[later] {
            earlier[later][*node] = true;
            (0..*node)
                .filter(|first| earlier[*node][*first])
                .collect::<Vec<_>>()
                .into_iter()
                .for_each(|first| earlier[later][first] = true);
        }
    }
    fn place(later: usize, earlier: &[Vec<bool>], next: &mut [Option<usize>], seen: &mut [bool]) -> bool {
        (0..later).any(|node| {
            if !earlier[later][node] || std::mem::replace(&mut seen[node], true) {
                return false;
            }
            let free = next[node].is_none_or(|other| place(other, earlier, next, seen));
            if free {
                next[node] = Some(later);
            }
            free
        })
    }
    let mut next = vec![None; count];
    count - (0..count).filter(|later| place(*later, &earlier, &mut next, &mut vec![false; count])).count()
}

#[test]
fn queued_commands_without_order_are_counted_as_the_plainest_algorithm_counts_them() {
    let (mut refused, mut passed) = (0, 0);
    for seed in 0..60_u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let (layers, most) = (2 + dice.roll(4), 20 + dice.roll(50));
        let (mut graph, mut before) = (Graph::new(), Vec::<Vec<usize>>::new());
        let mut ids: Vec<Node> = Vec::new();
        let mut start = 0;
        for _ in 0..layers {
            let all = ids.len();
            for _ in 0..1 + dice.roll(most) {
                let edges = if all == 0 { 0 } else { dice.roll(3) };
                let from = if dice.roll(4) == 0 { 0 } else { start };
                let after: Vec<usize> =
                    (0..edges).map(|_| from + dice.roll((all - from) as u32) as usize).collect();
                let node = graph.command("touch", Group::Count(1), none());
                ids.push(node.after(after.iter().map(|at| ids[*at])).id());
                before.push(after);
            }
            start = all;
        }
        let found = rules(&graph.check(&facts()));
        let wanted = width(&before) > 64;
        assert_eq!(found.contains(&Rule::QueueFull), wanted, "seed {seed}, {} commands", ids.len());
        if wanted { refused += 1 } else { passed += 1 }
    }
    assert!(refused >= 10 && passed >= 10, "{refused} refused, {passed} passed");
}
