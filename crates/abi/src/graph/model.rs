//! The graph as declared.

use crate::engine::{Command, NamedGroup, Ref, Statement, Variable};

/// What a node does.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeBody {
    /// Submits a command.
    Command(Command),
    /// Runs instructions on the dispatcher's processor.
    Cpu(Vec<Statement>),
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphNode {
    /// Its name; `None` for one that only its position names.
    pub name: Option<String>,
    /// What it does.
    pub body: NodeBody,
    /// The nodes that complete before it starts: earlier or later ones.
    pub after: Vec<Ref>,
}

impl GraphNode {
    /// How messages call it.
    pub fn label(&self, id: u32) -> String {
        match (&self.name, &self.body) {
            (Some(name), _) => format!("`{name}`"),
            (None, NodeBody::Command(command)) => format!("{} (node {id})", command.handler_label()),
            (None, NodeBody::Cpu(_)) => format!("`cpu` (node {id})"),
        }
    }

    /// How advice to come after it is written.
    pub(super) fn after(&self, id: u32) -> String {
        match &self.name {
            Some(name) => format!("`after {name}`"),
            None => format!("after {}", self.label(id)),
        }
    }
}

/// A graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphModel {
    /// Its name, for messages and pictures.
    pub name: Option<String>,
    /// Microseconds a run may take; `None`: no deadline.
    pub deadline_us: Option<u64>,
    /// The most rounds; `None`: no limit.
    pub max_runs: Option<u64>,
    /// What its events carry.
    pub req: u64,
    /// It stays after its end event.
    pub keep: bool,
    /// Bindings, registers and constants. References are positions in it, or names.
    pub variables: Vec<Variable>,
    /// Named groups.
    pub groups: Vec<NamedGroup>,
    /// Nodes.
    pub nodes: Vec<GraphNode>,
    /// The variable that asks for another round while it is not 0.
    pub again: Option<u32>,
    /// The registers of the end event: the low 24 bits of the first, and the second.
    pub end: [Option<Ref>; 2],
}
