//! How listings and pictures call the parts of a graph.

use super::{GraphModel, GraphNode, NodeBody};
use crate::engine::{Command, Declared, Facts, Group, HandlerRef, Ref, Shape, Statement, Value};

/// A name as text and pictures can hold it. Those of a builder are any strings; control characters would end a line, and
/// neither XML nor Graphviz takes all of them.
fn shown(name: &str) -> String {
    let plain = |c: char| !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}');
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        match plain(c) {
            true => text.push(c),
            false => text.extend(c.escape_unicode()),
        }
    }
    text
}

/// Texts of a graph's parts.
pub(super) struct Labels<'a> {
    pub(super) model: &'a GraphModel,
    pub(super) facts: Option<&'a Facts>,
}

impl Labels<'_> {
    pub(super) fn node(&self, id: u32) -> String {
        match &self.model.nodes[id as usize].name {
            Some(name) => shown(name),
            None => format!("n{id}"),
        }
    }

    pub(super) fn variable(&self, name: &Ref) -> String {
        match (name, Declared(&self.model.variables).find(name)) {
            (_, Some(id)) => match &self.model.variables[id as usize].name {
                Some(name) => shown(name),
                None => format!("r{id}"),
            },
            (Ref::Named(name), None) => shown(name),
            (Ref::Id(id), None) => format!("?{id}"),
        }
    }

    pub(super) fn value(&self, value: &Value) -> String {
        match value {
            Value::Int(number) => number.to_string(),
            Value::Float(number) => format!("{number:?}"),
            Value::Typed(crate::program::ArgKind::F32, bits) => format!("{:?}", f32::from_bits(*bits as u32)),
            Value::Typed(_, bits) => bits.to_string(),
            Value::Word(word) if *word > 0xFFFF => format!("{word:#x}"),
            Value::Word(word) => word.to_string(),
            Value::Variable(name) => self.variable(name),
        }
    }

    fn handler(&self, handler: &HandlerRef) -> String {
        match handler {
            HandlerRef::Named(name) => shown(name),
            HandlerRef::Number(0) => "nop".to_owned(),
            HandlerRef::Number(number) => {
                let known = self
                    .facts
                    .and_then(|facts| facts.handlers.iter().find(|handler| handler.number == *number));
                known.map_or_else(|| format!("handler {number}"), |handler| shown(&handler.name))
            }
        }
    }

    pub(super) fn group(&self, group: &Group) -> String {
        match group {
            Group::Range(first, end) if first.checked_add(1) == Some(*end) => format!("[{first}]"),
            Group::Range(first, end) => format!("[{first}..{end}]"),
            Group::Core(core) => format!("[{core}]"),
            Group::Whole => "[..]".to_owned(),
            Group::Count(count) => format!("[any {count}]"),
            Group::Named(Ref::Named(name)) => format!("[{}]", shown(name)),
            Group::Named(Ref::Id(id)) => match self.model.groups.get(*id as usize) {
                Some(group) => format!("[{}]", shown(&group.name)),
                None => format!("[group {id}]"),
            },
            Group::At(first, count) => format!("[{} + {count}]", self.variable(first)),
        }
    }

    pub(super) fn command(&self, command: &Command) -> String {
        let args: Vec<String> = command.args.iter().map(|arg| self.value(arg)).collect();
        format!("{}{}({})", self.handler(&command.handler), self.group(&command.group), args.join(", "))
    }

    pub(super) fn statement(&self, statement: &Statement) -> String {
        let to = self.variable(&statement.to);
        let operands: Vec<String> = statement.operands.iter().map(|value| self.value(value)).collect();
        let op = statement.op;
        match (op.shape(), operands.as_slice()) {
            (Shape::Unary, [value]) if op == crate::engine::Opcode::Move => format!("{to} = {value}"),
            (Shape::Select, [condition, a, b]) => format!("{to} = {condition} ? {a} : {b}"),
            _ => format!("{to} = {} {}", op.mnemonic(), operands.join(", ")),
        }
    }

    /// The lines of a node: its name with what it does, and what else is to be known of it.
    pub(super) fn lines(&self, node: &GraphNode, id: u32) -> Vec<String> {
        let mut lines = vec![self.node(id)];
        match &node.body {
            NodeBody::Command(command) => {
                lines.push(self.command(command));
                if let Some(result) = &command.result {
                    lines.push(format!("-> {}", self.variable(result)));
                }
                if command.exclusive {
                    lines.push("exclusive".to_owned());
                }
                if command.queued && !matches!(command.group, Group::Count(_)) {
                    lines.push("queued".to_owned());
                }
            }
            NodeBody::Cpu(statements) => {
                lines[0] += ": cpu";
                lines.extend(statements.iter().take(6).map(|statement| self.statement(statement)));
                if statements.len() > 6 {
                    lines.push(format!("... {} more", statements.len() - 6));
                }
            }
        }
        lines
    }

    /// The graph in a line: its limits and what it ends with.
    pub(super) fn title(&self) -> String {
        let model = self.model;
        let mut parts = vec![
            format!("graph {}", model.name.as_deref().map_or_else(|| "without a name".to_owned(), shown)),
            format!("req {}", model.req),
        ];
        parts.extend(model.deadline_us.map(|deadline| format!("deadline {deadline} us")));
        parts.extend(model.max_runs.map(|runs| format!("at most {runs} rounds")));
        if model.keep {
            parts.push("kept".to_owned());
        }
        if model.end.iter().any(Option::is_some) {
            let end: Vec<String> = model
                .end
                .iter()
                .map(|end| end.as_ref().map_or("-".into(), |end| self.variable(end)))
                .collect();
            parts.push(format!("ends with {}", end.join(", ")));
        }
        parts.join(", ")
    }
}
