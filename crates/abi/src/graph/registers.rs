//! Registers of a graph: read before written, used without order, and an `again` that never becomes 0.

use std::collections::BTreeSet;

use super::GraphModel;
use super::advice::Advice;
use super::check::{Plan, PlannedBody};
use super::order::Ancestors;
use crate::engine::{Place, Problems, Rule, VariableKind, kind_name};

/// A node's use of a variable.
#[derive(Clone, Copy)]
struct Use {
    variable: u32,
    place: Place,
    writes: bool,
}

/// The uses that other nodes can see: reads before the node's own writes, and one write a variable.
fn uses(model: &GraphModel, body: &PlannedBody, node: u32, list: &mut Vec<Use>) {
    list.clear();
    match body {
        PlannedBody::Command(command) => {
            for (variable, arg) in command.reads(&model.variables) {
                list.push(Use { variable, place: Place::Arg(node, arg), writes: false });
            }
            if let Some(variable) = command.result {
                list.push(Use { variable, place: Place::Result(node), writes: true });
            }
        }
        PlannedBody::Cpu(statements) => {
            let mut written = BTreeSet::new();
            for (j, statement) in statements.iter().enumerate() {
                for (variable, operand) in statement.reads(&model.variables) {
                    // A temporary is written by this very node first.
                    if model.variables[variable as usize].kind == VariableKind::Temporary {
                        continue;
                    }
                    if !written.contains(&variable) {
                        list.push(Use {
                            variable,
                            place: Place::Operand(node, j as u32, operand),
                            writes: false,
                        });
                    }
                }
                if let Some(variable) = statement.to
                    && model.variables[variable as usize].kind != VariableKind::Temporary
                    && written.insert(variable)
                {
                    list.push(Use {
                        variable,
                        place: Place::Operand(node, j as u32, Place::TARGET),
                        writes: true,
                    });
                }
            }
        }
    }
}

/// What is known of a variable while the nodes go by in their order.
struct Seen {
    binding: bool,
    writers: Vec<u64>,
    readers: Vec<u64>,
    places: Vec<(u32, Place, bool)>,
}

impl Seen {
    fn place(&self, rank: u32, writes: Option<bool>) -> Place {
        let fits =
            |entry: &&(u32, Place, bool)| entry.0 == rank && writes.is_none_or(|writes| entry.2 == writes);
        self.places.iter().rev().find(fits).map_or(Place::Upload, |entry| entry.1)
    }
}

/// A node that writes a variable.
#[derive(Clone, Copy)]
struct Writer {
    rank: u32,
    node: u32,
    place: Place,
}

pub(super) fn check(
    model: &GraphModel,
    plan: &Plan,
    ancestors: &Ancestors,
    advice: &mut Advice<'_>,
    problems: &mut Problems,
) {
    let doubtful = &plan.order.doubtful;
    let mut all_writers: Vec<Vec<Writer>> = vec![Vec::new(); model.variables.len()];
    let (mut list, mut refused) = (Vec::new(), Vec::<Use>::new());
    for (rank, node) in plan.order.sequence.iter().enumerate() {
        uses(model, &plan.bodies[*node as usize], *node, &mut list);
        for one in list.iter().filter(|one| one.writes) {
            let writer = Writer { rank: rank as u32, node: *node, place: one.place };
            all_writers[one.variable as usize].push(writer);
        }
    }
    let mut seen: Vec<Seen> = model
        .variables
        .iter()
        .enumerate()
        .map(|(id, variable)| {
            // A binding that nobody writes cannot go wrong.
            let words = if all_writers[id].is_empty() { 0 } else { ancestors.words() };
            Seen {
                binding: variable.kind == VariableKind::Binding,
                writers: vec![0; words],
                readers: vec![0; words],
                places: Vec::new(),
            }
        })
        .collect();
    let label = |id: u32| model.variables[id as usize].label(id);
    for (rank, node) in plan.order.sequence.iter().enumerate() {
        let rank = rank as u32;
        uses(model, &plan.bodies[*node as usize], *node, &mut list);
        refused.clear();
        for one in &list {
            let known = &seen[one.variable as usize];
            if known.writers.is_empty() {
                if !known.binding {
                    never_written(&label(one.variable), one, problems);
                }
                continue;
            }
            let row = ancestors.row(rank);
            let written = known.writers.iter().zip(row).any(|(writers, before)| writers & before != 0);
            if !one.writes && !known.binding && !written {
                let early =
                    Early { model, one, node: *node, rank, writers: &all_writers[one.variable as usize] };
                if !doubtful[*node as usize] {
                    read_early(&early, ancestors, advice, problems);
                }
                refused.push(*one);
                continue;
            }
            let writer = ancestors.unordered(rank, &known.writers);
            let reader = if one.writes { ancestors.unordered(rank, &known.readers) } else { None };
            if let Some(other) = writer.or(reader) {
                let other_node = plan.order.sequence[other as usize];
                if doubtful[*node as usize] || doubtful[other_node as usize] {
                    continue;
                }
                let place = known.place(other, Some(writer.is_some()));
                unordered(model, one, *node, (place, writer.is_some()), other_node, advice, problems);
            }
        }
        // A read that was refused conflicts with nothing more.
        list.retain(|one| !refused.iter().any(|other| other.place == one.place));
        for one in &list {
            let known = &mut seen[one.variable as usize];
            if !known.writers.is_empty() {
                let set = if one.writes { &mut known.writers } else { &mut known.readers };
                set[rank as usize / 64] |= 1 << (rank % 64);
                known.places.push((rank, one.place, one.writes));
            }
        }
    }
    for (i, id) in plan.end.iter().enumerate() {
        if let Some(id) = id
            && all_writers[*id as usize].is_empty()
            && model.variables[*id as usize].kind == VariableKind::Register
        {
            let message = format!("the end event carries {}, which nothing writes", label(*id));
            problems.add(
                Rule::ReadBeforeWrite,
                Place::End(i as u8),
                message,
                "let a result or a cpu node write it",
            );
        }
    }
}

fn never_written(label: &str, one: &Use, problems: &mut Problems) {
    problems.add(
        Rule::ReadBeforeWrite,
        one.place,
        format!("{label} is read here, and nothing writes it"),
        format!("move {label} from `reg` to `bind`, or let a result or a cpu node write it first"),
    );
}

/// A node with its rank that reads what none of the writers has written before it.
struct Early<'a> {
    model: &'a GraphModel,
    one: &'a Use,
    node: u32,
    rank: u32,
    writers: &'a [Writer],
}

fn read_early(early: &Early<'_>, ancestors: &Ancestors, advice: &mut Advice<'_>, problems: &mut Problems) {
    if problems.counted(Rule::ReadBeforeWrite) {
        return;
    }
    let &Early { model, one, node, rank, writers } = early;
    let variable = &model.variables[one.variable as usize];
    let label = variable.label(one.variable);
    let as_binding = match (&variable.name, variable.ty) {
        (Some(name), Some(ty)) => {
            format!("move it from `reg` to `bind {name}: {};`, which is given at each start", kind_name(ty))
        }
        _ => format!("move {label} from `reg` to `bind`"),
    };
    let mut others = writers.iter().filter(|writer| writer.node != node);
    let Some(first) = others.clone().next() else {
        if writers.is_empty() {
            return never_written(&label, one, problems);
        }
        return problems.add(
            Rule::ReadBeforeWrite,
            one.place,
            format!("{label} is read here before anything has written it"),
            format!("write it first, or {as_binding}"),
        );
    };
    // One that comes after the reader cannot come before it, too.
    let free = others.find(|writer| !ancestors.has(writer.rank, rank));
    let writer = free.unwrap_or(first);
    let (here, there) =
        (model.nodes[node as usize].label(node), model.nodes[writer.node as usize].label(writer.node));
    let before = || format!("write it in a node before {here}, or {as_binding}");
    let (message, help) = match free {
        Some(_) => (
            format!("{label} is read by {here}, which does not come after {there}, where it is written"),
            advice.order(node, writer.node).unwrap_or_else(before),
        ),
        None => (
            format!(
                "{label} is read by {here}, and is written only later, by {there}, which comes after {here}"
            ),
            before(),
        ),
    };
    let what = format!("{there} writes {label} here");
    problems.conflict(Rule::ReadBeforeWrite, one.place, writer.place, what, message, help);
}

fn unordered(
    model: &GraphModel,
    one: &Use,
    node: u32,
    other: (Place, bool),
    other_node: u32,
    advice: &mut Advice<'_>,
    problems: &mut Problems,
) {
    if problems.counted(Rule::WriteUnordered) {
        return;
    }
    let label = model.variables[one.variable as usize].label(one.variable);
    let (here, there) =
        (model.nodes[node as usize].label(node), model.nodes[other_node as usize].label(other_node));
    let message = match (one.writes, other.1) {
        (true, true) => format!("{label} is written by {here} and by {there}, with no order between them"),
        (false, _) => format!("{label} is read by {here} and written by {there}, with no order between them"),
        (true, false) => {
            format!("{label} is written by {here} and read by {there}, with no order between them")
        }
    };
    let order = advice.order(node, other_node);
    problems.conflict(
        Rule::WriteUnordered,
        one.place,
        other.0,
        format!("{there} {} {label} here", if other.1 { "writes" } else { "reads" }),
        message,
        match order {
            None => "use two registers".to_owned(),
            // In an order the second result replaces the first.
            Some(order) if one.writes && other.1 => {
                format!("use two registers, or {order}: the value of {here} is then the one that stays")
            }
            Some(order) => format!("{order}, or use two registers"),
        },
    );
}

/// Is `again` true after every round, whatever the commands do, with nothing else to end the graph?
pub(super) fn check_endless(model: &GraphModel, plan: &Plan, problems: &mut Problems) {
    let Some(again) = model.again.filter(|_| model.max_runs.is_none()) else { return };
    let mut known: Vec<Option<u32>> = vec![None; model.variables.len()];
    let mut last = None;
    for node in &plan.order.sequence {
        match &plan.bodies[*node as usize] {
            PlannedBody::Command(command) => {
                if let Some(id) = command.result {
                    known[id as usize] = None;
                }
            }
            PlannedBody::Cpu(statements) => {
                for (j, statement) in statements.iter().enumerate() {
                    let Some(to) = statement.to else { continue };
                    known[to as usize] = statement.known(&model.variables, |id| known[id as usize]);
                    if to == again {
                        last = Some(Place::Operand(*node, j as u32, Place::TARGET));
                    }
                }
            }
        }
    }
    if let (Some(value @ 1..), Some(place)) = (known.get(again as usize).copied().flatten(), last) {
        let deadline = match model.deadline_us {
            Some(deadline) => {
                let deadline = std::time::Duration::from_micros(deadline);
                format!("; its deadline of {deadline:?} would end it, with an error")
            }
            None => String::new(),
        };
        problems.add(
            Rule::Endless,
            place,
            format!("`again` is {value} after every round, so the graph never ends{deadline}"),
            "compute it from a result or a counter, or give the graph a max_runs",
        );
    }
}
