//! A graph built at run time: the contract's calls in Rust.

use super::{GraphModel, GraphNode, NodeBody, check, encode};
use crate::engine::{
    Arithmetic, Command, Encoded, Facts, Group, HandlerRef, Problem, Ref, Statement, Value, Var,
    VariableKind, builder_head, declare,
};

/// A graph.
///
/// ```
/// use komorebi_abi::engine::Arithmetic;
/// use komorebi_abi::graph::Graph;
///
/// let mut graph = Graph::new().deadline_us(200_000).max_runs(50).req(6).keep();
/// let [state, iteration, limit] = graph.bindings(["state", "iteration", "limit"]);
/// let error = graph.register();
/// let step = graph.command("step", 0..60, [state.into(), iteration.into()]).id();
/// let left = graph.command("left", 0..30, [state.into()]).after([step]).id();
/// let right = graph.command("right", 30..60, [state.into()]).after([step]).id();
/// let norm = graph.command("norm", 0..60, [state.into(), 60.into()]).after([left, right]).result(error).id();
/// let mut cpu = graph.cpu([norm]);
/// let again = cpu.again();
/// cpu.add(iteration, iteration, 1).lt(again, error, limit);
/// graph.end(iteration, error);
/// assert_eq!(graph.model().nodes.len(), 5);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    model: GraphModel,
}

/// A node of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node(pub u32);

impl From<Node> for Ref {
    fn from(node: Node) -> Self {
        Self::Id(node.0)
    }
}

impl Graph {
    builder_head!();

    /// A graph with req 0, no deadline and no limit of rounds.
    pub fn new() -> Self {
        Self::default()
    }

    /// The most rounds; the last one ends the graph whatever `again` says.
    #[must_use]
    pub fn max_runs(mut self, runs: u64) -> Self {
        self.model.max_runs = Some(runs);
        self
    }

    /// It stays after its end event, for a restart.
    #[must_use]
    pub fn keep(mut self) -> Self {
        self.model.keep = true;
        self
    }

    /// The register that asks for another round while it is not 0.
    pub fn again(&mut self) -> Var {
        if let Some(id) = self.model.again {
            return Var(id);
        }
        let var = declare(&mut self.model.variables, VariableKind::Register, Some("again"), None);
        self.model.again = Some(var.0);
        var
    }

    /// A node that submits a command.
    pub fn command(
        &mut self,
        handler: impl Into<HandlerRef>,
        group: impl Into<Group>,
        args: impl Into<Vec<Value>>,
    ) -> NodeBuilder<'_> {
        self.node(Command::new(handler, group, args))
    }

    /// A node that submits a command, given whole.
    pub fn node(&mut self, command: Command) -> NodeBuilder<'_> {
        let id = self.push(NodeBody::Command(command));
        NodeBuilder { node: &mut self.model.nodes[id as usize], id: Node(id) }
    }

    /// A node that runs instructions on the dispatcher's processor, after others.
    pub fn cpu(&mut self, after: impl IntoIterator<Item = impl Into<Ref>>) -> Cpu<'_> {
        let id = self.push(NodeBody::Cpu(Vec::new()));
        self.model.nodes[id as usize].after.extend(after.into_iter().map(Into::into));
        Cpu { graph: self, id: Node(id) }
    }

    /// Names a node.
    pub fn name(&mut self, node: Node, name: &str) {
        if let Some(node) = self.model.nodes.get_mut(node.0 as usize) {
            node.name = Some(name.to_owned());
        }
    }

    /// The registers of the end event: the low 24 bits of the first, and the second.
    pub fn end(&mut self, first: impl Into<Ref>, second: impl Into<Ref>) {
        self.model.end = [Some(first.into()), Some(second.into())];
    }

    fn push(&mut self, body: NodeBody) -> u32 {
        self.model.nodes.push(GraphNode { name: None, body, after: Vec::new() });
        self.model.nodes.len() as u32 - 1
    }

    /// The model.
    pub fn model(&self) -> &GraphModel {
        &self.model
    }

    /// The model.
    pub fn into_model(self) -> GraphModel {
        self.model
    }

    /// Every problem it has as a graph of a program.
    pub fn check(&self, facts: &Facts) -> Vec<Problem> {
        check(&self.model, facts)
    }

    /// Its upload.
    pub fn encode(&self, facts: &Facts) -> Result<Encoded, Vec<Problem>> {
        encode(&self.model, facts)
    }
}

/// A command's node while it is declared.
#[derive(Debug)]
pub struct NodeBuilder<'a> {
    node: &'a mut GraphNode,
    id: Node,
}

impl NodeBuilder<'_> {
    fn edit(self, edit: impl FnOnce(&mut Command)) -> Self {
        if let NodeBody::Command(command) = &mut self.node.body {
            edit(command);
        }
        self
    }

    /// The nodes that complete first.
    #[must_use]
    pub fn after(self, nodes: impl IntoIterator<Item = impl Into<Ref>>) -> Self {
        self.node.after.extend(nodes.into_iter().map(Into::into));
        self
    }

    /// The register that its result word goes to.
    #[must_use]
    pub fn result(self, register: impl Into<Ref>) -> Self {
        self.edit(|command| command.result = Some(register.into()))
    }

    /// Alone on its cores.
    #[must_use]
    pub fn exclusive(self) -> Self {
        self.edit(|command| command.exclusive = true)
    }

    /// On cores that the dispatcher chooses: as many as its group has.
    #[must_use]
    pub fn queued(self) -> Self {
        self.edit(|command| command.queued = true)
    }

    /// Names it.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        self.node.name = Some(name.to_owned());
        self
    }

    /// The node.
    pub fn id(self) -> Node {
        self.id
    }
}

/// A cpu node while it is declared: see [`Arithmetic`].
#[derive(Debug)]
pub struct Cpu<'a> {
    graph: &'a mut Graph,
    id: Node,
}

impl Cpu<'_> {
    /// [`Graph::again`].
    pub fn again(&mut self) -> Var {
        self.graph.again()
    }

    /// Names it.
    pub fn named(&mut self, name: &str) -> &mut Self {
        self.graph.name(self.id, name);
        self
    }

    /// The node.
    pub fn id(&self) -> Node {
        self.id
    }
}

impl Arithmetic for Cpu<'_> {
    fn statement(&mut self, statement: Statement) {
        if let Some(GraphNode { body: NodeBody::Cpu(statements), .. }) =
            self.graph.model.nodes.get_mut(self.id.0 as usize)
        {
            statements.push(statement);
        }
    }
}
