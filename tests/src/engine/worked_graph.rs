//! Random graphs over the program of [`memory`](super::memory), whose result no order of what is unordered changes.

use std::collections::BTreeMap;

use komorebi_abi::engine::{Arithmetic as _, Var};
use komorebi_abi::graph::{Graph, Node};

use super::Random;
use super::work::{NAMES, Touch, Vars, arithmetic, pick, work};

/// Who wrote a page or variable last, and who has read it since.
#[derive(Default)]
struct Use {
    writer: Option<Node>,
    readers: Vec<Node>,
}

/// The pages and the variables.
#[derive(Default)]
struct Uses {
    pages: BTreeMap<u32, Use>,
    variables: BTreeMap<u32, Use>,
}

fn predecessors(uses: &BTreeMap<u32, Use>, reads: &[u32], writes: &[u32], after: &mut Vec<Node>) {
    for one in reads.iter().chain(writes).filter_map(|at| uses.get(at)) {
        after.extend(one.writer);
    }
    for one in writes.iter().filter_map(|at| uses.get(at)) {
        after.extend(&one.readers);
    }
}

fn add(uses: &mut BTreeMap<u32, Use>, reads: &[u32], writes: &[u32], node: Node) {
    for at in reads {
        uses.entry(*at).or_default().readers.push(node);
    }
    for at in writes {
        uses.insert(*at, Use { writer: Some(node), readers: Vec::new() });
    }
}

impl Uses {
    /// The nodes that come first, and now and then others.
    fn after(&self, random: &mut Random, touch: &Touch, nodes: &[Node]) -> Vec<Node> {
        let mut after = Vec::new();
        predecessors(&self.pages, &touch.reads, &touch.writes, &mut after);
        predecessors(&self.variables, &touch.takes, &touch.gives, &mut after);
        match random.below(12) {
            0 => after.extend(nodes),
            1 | 2 if !nodes.is_empty() => after.push(random.one_of(nodes)),
            _ => {}
        }
        after.sort_by_key(|node| node.0);
        after.dedup();
        after
    }

    fn add(&mut self, touch: &Touch, node: Node) {
        add(&mut self.pages, &touch.reads, &touch.writes, node);
        add(&mut self.variables, &touch.takes, &touch.gives, node);
    }
}

/// A graph.
pub fn graph(random: &mut Random, req: u64) -> Graph {
    let mut graph = Graph::new().req(req).max_runs(random.between(1, 4).into());
    let vars = Vars::new(graph.bindings(NAMES));
    let mut uses = Uses::default();
    let mut nodes: Vec<Node> = Vec::new();
    let most = if random.one_in(8) { 60 } else { 20 };
    for _ in 0..random.between(1, most) {
        let node = if random.one_in(4) {
            compute(random, &mut graph, &vars, &mut uses, &nodes)
        } else {
            let work = work(random, &vars);
            let after = uses.after(random, &work.touch, &nodes);
            let node = graph.node(work.command).after(after).id();
            uses.add(&work.touch, node);
            node
        };
        nodes.push(node);
    }
    if random.below(4) != 0 {
        again(random, &mut graph, &vars, &uses, &nodes);
    }
    let [first, second] = [0; 2].map(|_| random.one_of(&vars.any));
    graph.end(first, second);
    graph
}

fn compute(random: &mut Random, graph: &mut Graph, vars: &Vars, uses: &mut Uses, nodes: &[Node]) -> Node {
    let mut statements = Vec::new();
    let mut touch = Touch::default();
    for _ in 0..random.between(1, 5) {
        let one = if random.one_in(4) {
            let (three, touched) = pick(random, vars, vars.page, u32::MAX);
            statements.extend(three);
            touched
        } else {
            let (statement, touched) = arithmetic(random, vars);
            statements.push(statement);
            touched
        };
        touch.takes.extend(one.takes);
        touch.gives.extend(one.gives);
    }
    let after = uses.after(random, &touch, nodes);
    let mut cpu = graph.cpu(after);
    statements.into_iter().for_each(|statement| cpu.statement(statement));
    let node = cpu.id();
    uses.add(&touch, node);
    node
}

/// A last node that asks for another round, by what a variable holds.
fn again(random: &mut Random, graph: &mut Graph, vars: &Vars, uses: &Uses, nodes: &[Node]) {
    let by: Var = random.one_of(&vars.any);
    let touch = Touch { takes: vec![by.0], ..Touch::default() };
    let after = uses.after(random, &touch, nodes);
    let mut cpu = graph.cpu(after);
    let again = cpu.again();
    match random.below(3) {
        0 => cpu.and(again, by, 1),
        1 => cpu.ne(again, by, 0),
        _ => cpu.gt(again, by, 3),
    };
}
