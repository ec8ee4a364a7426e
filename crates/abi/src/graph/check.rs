//! Every rule of a graph, checked at once.

use super::advice::Advice;
use super::order::{Ancestors, Order};
use super::{GraphModel, NodeBody, queue, races, registers};
use crate::constants::graph::CPU_INSTRUCTIONS_MAX;
use crate::engine::{
    CommandCheck, Computed, Declared, Facts, Instruction, Links, Place, Problem, Problems, RegisterTable,
    Resolved, Rule, SizeLine, VariableKind, check_limits, check_scratch, check_size, kind_name,
    resolve_command, size_lines,
};
use crate::program::ArgKind;

/// What a node does, every name looked up.
pub(super) enum PlannedBody {
    Command(Resolved),
    Cpu(Vec<Computed>),
}

/// A graph with every name looked up.
pub(super) struct Plan {
    pub(super) order: Order,
    pub(super) table: RegisterTable,
    pub(super) bodies: Vec<PlannedBody>,
    pub(super) end: [Option<u32>; 2],
}

/// Checks `model` against every rule. Empty when it keeps them all.
pub fn check(model: &GraphModel, facts: &Facts) -> Vec<Problem> {
    plan(model, facts).1.into_vec()
}

/// Looks up every name, and reports every problem.
pub(super) fn plan(model: &GraphModel, facts: &Facts) -> (Plan, Problems) {
    let mut problems = Problems::default();
    check_limits(model.deadline_us, model.req, &mut problems);
    check_max_runs(model, &mut problems);
    Declared(&model.variables).check(&mut problems);
    check_group_names(model, &mut problems);
    if model.nodes.is_empty() {
        problems.add(
            Rule::Empty,
            Place::Upload,
            "the graph has no nodes".to_owned(),
            match facts.handlers.first() {
                Some(handler) => {
                    let args: Vec<&str> = handler.args.iter().map(|arg| arg.name.as_str()).collect();
                    let cores = if facts.cores.is_some() { ".." } else { "0" };
                    format!(
                        "add a command, as in `{}[{cores}]({});`, or a cpu node",
                        handler.name,
                        args.join(", ")
                    )
                }
                None => "add a command or a cpu node".to_owned(),
            },
        );
    }
    let table = RegisterTable::new(&model.variables);
    let bodies = resolve(model, facts, &table, &mut problems);
    let end = resolve_end(model, &mut problems);
    let order = Order::of(model, &mut problems);
    let plan = Plan { order, table, bodies, end };
    check_size(facts, "graph", &plan.size(model), &mut problems);
    if plan.order.is_complete() {
        registers::check_endless(model, &plan, &mut problems);
        if let Some(ancestors) = Ancestors::of(&plan.order) {
            let mut advice = Advice::new(model, &plan.order);
            registers::check(model, &plan, &ancestors, &mut advice, &mut problems);
            races::check(model, &plan, &ancestors, &mut advice, &mut problems);
            queue::check(&plan, &ancestors, &mut problems);
        }
    } else {
        plan.order.report_circles(model, &mut problems);
    }
    (plan, problems)
}

fn check_max_runs(model: &GraphModel, problems: &mut Problems) {
    if let Some(runs) = model.max_runs
        && !(1..=u64::from(u32::MAX)).contains(&runs)
    {
        let message = format!("`max_runs = {runs}` is outside 1 to {}", u32::MAX);
        problems.add(Rule::MaxRuns, Place::MaxRuns, message, "leave it out for no limit");
    }
}

fn check_group_names(model: &GraphModel, problems: &mut Problems) {
    for (i, group) in model.groups.iter().enumerate() {
        if let Some(j) = model.groups[..i].iter().position(|earlier| earlier.name == group.name) {
            problems.conflict(
                Rule::NameTwice,
                Place::GroupName(i as u32),
                Place::GroupName(j as u32),
                format!("group `{}` is declared first here", group.name),
                format!("two groups are called `{}`", group.name),
                "rename one of them",
            );
        }
    }
}

fn resolve(
    model: &GraphModel,
    facts: &Facts,
    table: &RegisterTable,
    problems: &mut Problems,
) -> Vec<PlannedBody> {
    let check = CommandCheck { facts, variables: &model.variables, groups: &model.groups, stream: false };
    let mut bodies = Vec::with_capacity(model.nodes.len());
    for (i, node) in model.nodes.iter().enumerate() {
        let i = i as u32;
        bodies.push(match &node.body {
            NodeBody::Command(command) => PlannedBody::Command(resolve_command(check, i, command, problems)),
            NodeBody::Cpu(statements) => {
                let computed: Vec<Computed> = statements
                    .iter()
                    .enumerate()
                    .map(|(j, statement)| check.statement(i, j as u32, statement, problems))
                    .collect();
                for (j, statement) in computed.iter().enumerate() {
                    let needed = statement.scratch(&model.variables, table);
                    check_scratch(table, needed, Place::Statement(i, j as u32), problems);
                }
                let mut code = Vec::new();
                computed.iter().for_each(|statement| statement.lower(&model.variables, table, &mut code));
                if statements.is_empty() || code.len() > CPU_INSTRUCTIONS_MAX as usize {
                    let message = match statements.len() {
                        0 => format!("{} has no instructions", node.label(i)),
                        _ => format!("{} has {} instructions; a cpu node runs at most {CPU_INSTRUCTIONS_MAX} in one go", node.label(i), code.len()),
                    };
                    let help = if statements.is_empty() { "remove it, or let it compute something" } else { "split it into two nodes, one after the other" };
                    problems.add(Rule::CpuLength, Place::Item(i), message, help);
                }
                PlannedBody::Cpu(computed)
            }
        });
    }
    bodies
}

fn resolve_end(model: &GraphModel, problems: &mut Problems) -> [Option<u32>; 2] {
    let mut end = [None; 2];
    for (i, name) in model.end.iter().enumerate() {
        let Some(name) = name else { continue };
        let place = Place::End(i as u8);
        let found = Declared(&model.variables).resolve(name, place, problems);
        if let Some(id) = found
            && let VariableKind::Constant(_) = model.variables[id as usize].kind
        {
            let label = model.variables[id as usize].label(id);
            let message = format!("{label} is a constant; the end event carries registers");
            problems.conflict(
                Rule::VariableType,
                place,
                Place::Variable(id),
                format!("{label} is declared here"),
                message,
                "name a register or a binding",
            );
            continue;
        }
        // Of the first register the event has 24 bits, which make a number of an integer alone.
        if let Some(id) = found
            && i == 0
            && let Some(ty) = model.variables[id as usize].ty
            && !matches!(ty, ArgKind::U32 | ArgKind::I32)
        {
            // One that is declared anew has another type.
            if problems.refused(id) {
                continue;
            }
            let label = model.variables[id as usize].label(id);
            let message = format!(
                "the end event carries the low 24 bits of its first register, and {label} is {}, which needs all 32",
                kind_name(ty)
            );
            let help = first_of_end(model, id);
            let declared = format!("{label} is declared here");
            problems.conflict(Rule::VariableType, place, Place::Variable(id), declared, message, help);
            continue;
        }
        end[i] = found;
    }
    end
}

/// What to name first in an end event, in front of variable `id`, which must be second.
fn first_of_end(model: &GraphModel, id: u32) -> String {
    let own = model.variables[id as usize].label(id);
    let second = model.end[1].as_ref().and_then(|name| Declared(&model.variables).find(name));
    let registers = model.variables.iter().enumerate().filter(|(_, one)| one.kind == VariableKind::Register);
    let mut others = second.into_iter().chain(registers.map(|(at, _)| at as u32));
    let named = others.find_map(|other| {
        let variable = &model.variables[other as usize];
        let fits = matches!(variable.ty, Some(ArgKind::U32 | ArgKind::I32));
        variable.name.as_ref().filter(|_| fits && !matches!(variable.kind, VariableKind::Constant(_)))
    });
    let name = named.map_or("rounds", String::as_str);
    format!("the first must be `u32` or `i32`: write `end({name}, {})`", own.trim_matches('`'))
}

impl Plan {
    /// The instructions of each cpu node, in the order of the nodes.
    pub(super) fn code(&self, model: &GraphModel) -> Vec<Vec<Instruction>> {
        self.bodies
            .iter()
            .map(|body| {
                let mut code = Vec::new();
                if let PlannedBody::Cpu(statements) = body {
                    statements
                        .iter()
                        .for_each(|statement| statement.lower(&model.variables, &self.table, &mut code));
                }
                code
            })
            .collect()
    }

    /// The nodes that nothing precedes.
    pub(super) fn roots(&self) -> Vec<u16> {
        (0..self.order.before.len())
            .filter(|node| self.order.before[*node].is_empty())
            .map(|node| node as u16)
            .collect()
    }

    /// The exact size, part by part.
    pub(super) fn size(&self, model: &GraphModel) -> Vec<SizeLine> {
        let lists = self.order.after.iter().map(Vec::len).chain([self.roots().len()]);
        let edge_words: usize = lists.map(Links::edge_words).sum();
        let instructions: usize = self.code(model).iter().map(Vec::len).sum();
        size_lines(
            "nodes",
            model.nodes.len() as u64,
            instructions as u64,
            edge_words as u64,
            self.table.bindings.into(),
        )
    }
}
