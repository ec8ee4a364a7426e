//! Which node comes before which: the order of a graph, and its circles.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::GraphModel;
use crate::constants::graph::GRAPH_NODES_MAX;
use crate::engine::{Place, Problems, Ref, Rule};
use komorebi_headers::suggest::nearest;

/// The edges of a graph, and an order of its nodes if there is one.
pub(super) struct Order {
    /// What precedes each node, by position, each once.
    pub(super) before: Vec<Vec<u32>>,
    /// What follows each node, in ascending order.
    pub(super) after: Vec<Vec<u32>>,
    /// The nodes, each behind all that precede it; short when there is a circle.
    pub(super) sequence: Vec<u32>,
    /// The nodes that come after something unknown, or after one that does: their order is not known.
    pub(super) doubtful: Vec<bool>,
}

impl Order {
    /// Looks up what each node is after. What is unknown is left out.
    pub(super) fn of(model: &GraphModel, problems: &mut Problems) -> Self {
        let mut names: BTreeMap<&str, u32> = BTreeMap::new();
        let mut twice: BTreeSet<&str> = BTreeSet::new();
        for (i, node) in model.nodes.iter().enumerate() {
            let Some(name) = &node.name else { continue };
            match names.get(name.as_str()) {
                Some(first) => {
                    twice.insert(name);
                    problems.conflict(
                        Rule::NameTwice,
                        Place::Item(i as u32),
                        Place::Item(*first),
                        format!("`{name}` is declared first here"),
                        format!("two nodes are called `{name}`"),
                        "rename one of them",
                    );
                }
                None => {
                    names.insert(name, i as u32);
                }
            }
        }
        let count = model.nodes.len();
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut after: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut seen = vec![u32::MAX; count];
        let mut doubtful = vec![false; count];
        for (i, node) in model.nodes.iter().enumerate() {
            for (at, name) in node.after.iter().enumerate() {
                let place = Place::After(i as u32, at as u32);
                let found = match name {
                    Ref::Id(id) => ((*id as usize) < count).then_some(*id),
                    Ref::Named(name) => names.get(name.as_str()).copied(),
                };
                let Some(found) = found else {
                    doubtful[i] = true;
                    if !problems.counted(Rule::NodeUnknown) {
                        unknown(name, &names, place, problems);
                    }
                    continue;
                };
                doubtful[i] |= matches!(name, Ref::Named(name) if twice.contains(name.as_str()));
                if found == i as u32 {
                    doubtful[i] = true;
                    let label = node.label(found);
                    problems.add(
                        Rule::AfterItself,
                        place,
                        format!("{label} comes after itself, and could never run"),
                        match (&node.name, node.after.len()) {
                            (Some(name), 1) => format!(
                                "remove `after {name}`; to run the graph again, add `cpu after {name} {{ again = ..; }}`"
                            ),
                            _ => "drop it from the list; to run the graph again, set `again` in a cpu node"
                                .to_owned(),
                        },
                    );
                } else if std::mem::replace(&mut seen[found as usize], i as u32) != i as u32 {
                    before[i].push(found);
                    after[found as usize].push(i as u32);
                }
            }
        }
        let sequence = sequence(&before, &after);
        for node in &sequence {
            doubtful[*node as usize] |=
                before[*node as usize].iter().any(|before| doubtful[*before as usize]);
        }
        Self { before, after, sequence, doubtful }
    }

    /// Is every node in the sequence?
    pub(super) fn is_complete(&self) -> bool {
        self.sequence.len() == self.before.len()
    }

    /// Reports each circle with all its nodes, and the nodes behind circles.
    pub(super) fn report_circles(&self, model: &GraphModel, problems: &mut Problems) {
        let mut left = vec![true; self.before.len()];
        self.sequence.iter().for_each(|node| left[*node as usize] = false);
        let label = |node: u32| model.nodes[node as usize].label(node);
        let mut lost = self.behind_circles(model, &left);
        for component in components(&self.after, &left) {
            if component.len() < 2 {
                continue;
            }
            let circle = shortest_circle(&self.after, &component);
            let shown: Vec<String> = circle.iter().take(12).map(|node| label(*node)).collect();
            let rest = circle.len() - shown.len();
            let path = if rest == 0 {
                shown.join(", then ")
            } else {
                format!("{}, then {rest} more", shown.join(", then "))
            };
            let first = circle[0];
            // The entry of `after` that closes the circle: the last before the first.
            let last = circle[circle.len() - 1];
            let closing = after_entry(model, first, last);
            let related = circle
                .windows(2)
                .map(|pair| {
                    (
                        after_entry(model, pair[1], pair[0]),
                        format!("{} waits for {}", label(pair[1]), label(pair[0])),
                    )
                })
                .collect();
            problems.push(crate::engine::Problem {
                rule: Rule::Cycle,
                place: closing,
                related,
                message: format!(
                    "these nodes come after each other in a circle, and none can run: {path}, then {} again{lost}",
                    label(first)
                ),
                help: format!(
                    "drop one of the `after`s, as {} of {}; to run nodes again, set `again` in a cpu node",
                    model.nodes[last as usize].after(last),
                    label(first)
                ),
            });
            lost.clear();
        }
    }

    /// The nodes that are in no circle and come after one, told with the first of the circles.
    fn behind_circles(&self, model: &GraphModel, left: &[bool]) -> String {
        let mut behind = left.to_vec();
        for component in components(&self.after, left).iter().filter(|component| component.len() > 1) {
            component.iter().for_each(|node| behind[*node as usize] = false);
        }
        let behind: Vec<u32> = (0..left.len() as u32).filter(|node| behind[*node as usize]).collect();
        let mut shown: Vec<String> =
            behind.iter().take(8).map(|node| model.nodes[*node as usize].label(*node)).collect();
        if behind.len() > shown.len() {
            shown.push(format!("{} more", behind.len() - shown.len()));
        }
        match shown.split_last() {
            None => String::new(),
            Some((last, [])) => format!("; {last} comes after it and cannot either"),
            Some((last, others)) => {
                format!("; {} and {last} come after it and cannot either", others.join(", "))
            }
        }
    }
}

fn unknown(name: &Ref, names: &BTreeMap<&str, u32>, place: Place, problems: &mut Problems) {
    let (what, near) = match name {
        Ref::Named(name) => (format!("`{name}`"), nearest(name, names.keys().copied())),
        Ref::Id(id) => (format!("number {id}"), None),
    };
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "declare it: no node has a name here".to_owned(),
        None => format!(
            "name a node, as in `let {} = ..`, or remove it here; {}",
            what.trim_matches('`'),
            crate::engine::known_names(names.keys().copied())
        ),
    };
    problems.add(Rule::NodeUnknown, place, format!("no node is called {what}"), help);
}

/// The place of the entry of `after` in `node` that names `before`.
fn after_entry(model: &GraphModel, node: u32, before: u32) -> Place {
    let name = model.nodes[before as usize].name.as_deref();
    let at = model.nodes[node as usize].after.iter().position(|entry| match entry {
        Ref::Id(id) => *id == before,
        Ref::Named(entry) => Some(entry.as_str()) == name,
    });
    at.map_or(Place::Item(node), |at| Place::After(node, at as u32))
}

/// Kahn's order: of the nodes that can come next, the one that became possible first.
fn sequence(before: &[Vec<u32>], after: &[Vec<u32>]) -> Vec<u32> {
    let mut left: Vec<u32> = before.iter().map(|nodes| nodes.len() as u32).collect();
    let mut ready: VecDeque<u32> =
        (0..before.len() as u32).filter(|node| left[*node as usize] == 0).collect();
    let mut sequence = Vec::with_capacity(before.len());
    while let Some(node) = ready.pop_front() {
        sequence.push(node);
        for next in &after[node as usize] {
            left[*next as usize] -= 1;
            if left[*next as usize] == 0 {
                ready.push_back(*next);
            }
        }
    }
    sequence
}

/// Tarjan's strongly connected components of the nodes with `within`, without recursion.
fn components(after: &[Vec<u32>], within: &[bool]) -> Vec<Vec<u32>> {
    const NONE: u32 = u32::MAX;
    let count = after.len();
    let (mut index, mut low) = (vec![NONE; count], vec![0_u32; count]);
    let (mut on_stack, mut stack, mut found) = (vec![false; count], Vec::new(), Vec::new());
    let mut next = 0;
    for root in (0..count).filter(|node| within[*node]) {
        if index[root] != NONE {
            continue;
        }
        let mut work = vec![(root as u32, 0_usize)];
        while let Some((node, at)) = work.pop() {
            let n = node as usize;
            if at == 0 {
                index[n] = next;
                low[n] = next;
                next += 1;
                stack.push(node);
                on_stack[n] = true;
            }
            match after[n].get(at) {
                Some(to) => {
                    work.push((node, at + 1));
                    let to = *to as usize;
                    if within[to] && index[to] == NONE {
                        work.push((to as u32, 0));
                    } else if on_stack[to] {
                        low[n] = low[n].min(index[to]);
                    }
                }
                None => {
                    if low[n] == index[n] {
                        let from = stack.iter().rposition(|other| *other == node).unwrap_or(0);
                        let mut component = stack.split_off(from);
                        component.iter().for_each(|other| on_stack[*other as usize] = false);
                        component.sort_unstable();
                        found.push(component);
                    }
                    if let Some((parent, _)) = work.last() {
                        let parent = *parent as usize;
                        low[parent] = low[parent].min(low[n]);
                    }
                }
            }
        }
    }
    found.sort_unstable();
    found
}

/// A shortest circle through the first node of a component.
fn shortest_circle(after: &[Vec<u32>], component: &[u32]) -> Vec<u32> {
    let start = component[0];
    let mut from: BTreeMap<u32, u32> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for to in &after[node as usize] {
            if *to == start {
                let mut path = vec![node];
                let mut at = node;
                while at != start {
                    at = from[&at];
                    path.push(at);
                }
                path.reverse();
                return path;
            }
            if component.binary_search(to).is_ok() && !from.contains_key(to) {
                from.insert(*to, node);
                queue.push_back(*to);
            }
        }
    }
    component.to_vec()
}

/// For each node of an order, the nodes before it: one bit a node, by rank.
pub(super) struct Ancestors {
    words: usize,
    bits: Vec<u64>,
}

impl Ancestors {
    /// The relation of a complete order; `None` for one of more nodes than a region holds.
    pub(super) fn of(order: &Order) -> Option<Self> {
        let count = order.sequence.len();
        if count > GRAPH_NODES_MAX as usize {
            return None;
        }
        let words = count.div_ceil(64);
        let mut rank = vec![0; count];
        order.sequence.iter().enumerate().for_each(|(at, node)| rank[*node as usize] = at as u32);
        let mut bits = vec![0_u64; words * count];
        for (at, node) in order.sequence.iter().enumerate() {
            let (done, rest) = bits.split_at_mut(at * words);
            for before in &order.before[*node as usize] {
                let before = rank[*before as usize] as usize;
                let used = before / 64 + 1;
                let row = &done[before * words..before * words + used];
                rest[..used].iter_mut().zip(row).for_each(|(to, from)| *to |= from);
                rest[before / 64] |= 1 << (before % 64);
            }
        }
        Some(Self { words, bits })
    }

    /// Words of a set of nodes.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// The nodes before the one with this rank.
    pub(super) fn row(&self, rank: u32) -> &[u64] {
        &self.bits[rank as usize * self.words..(rank as usize + 1) * self.words]
    }

    /// Does `earlier` come before `later`? Both are ranks.
    pub(super) fn has(&self, later: u32, earlier: u32) -> bool {
        self.row(later)[earlier as usize / 64] >> (earlier % 64) & 1 != 0
    }

    /// The highest rank below `rank` that is in `set` and not before `rank`.
    pub(super) fn unordered(&self, rank: u32, set: &[u64]) -> Option<u32> {
        let used = rank as usize / 64 + 1;
        let row = &self.row(rank)[..used];
        (0..used).rev().find_map(|at| {
            let mut bits = set[at] & !row[at];
            if at == used - 1 {
                bits &= (1_u64 << (rank % 64)) - 1;
            }
            (bits != 0).then(|| (at as u32) * 64 + 63 - bits.leading_zeros())
        })
    }
}

/// The longest way from a start to each node, in nodes.
pub(super) fn depths(order: &Order) -> Vec<u32> {
    let mut depth = vec![0; order.before.len()];
    for node in &order.sequence {
        let most = order.before[*node as usize].iter().map(|before| depth[*before as usize] + 1).max();
        depth[*node as usize] = most.unwrap_or(0);
    }
    depth
}
