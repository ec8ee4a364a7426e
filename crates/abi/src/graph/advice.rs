//! Advice to order two nodes, as it is written. What was advised once, what follows knows: all of it can be done at once.

use std::collections::{BTreeMap, BTreeSet};

use super::GraphModel;
use super::order::Order;
use crate::engine::Ref;

/// The names of an `after` that advice writes out; to a longer list it adds one.
const AFTERS: usize = 5;

/// What a graph's author is advised to add.
pub(super) struct Advice<'a> {
    model: &'a GraphModel,
    order: &'a Order,
    /// What each node is to come after, besides what it does.
    before: BTreeMap<u32, Vec<u32>>,
    /// The same, the other way round.
    after: BTreeMap<u32, Vec<u32>>,
}

impl<'a> Advice<'a> {
    pub(super) fn new(model: &'a GraphModel, order: &'a Order) -> Self {
        Self { model, order, before: BTreeMap::new(), after: BTreeMap::new() }
    }

    /// Advice to let `node` come after `before`; `None` where that would close a circle.
    pub(super) fn order(&mut self, node: u32, before: u32) -> Option<String> {
        if self.comes_after(before, node) {
            return None;
        }
        let names = self.names(node);
        let there = &self.model.nodes[before as usize];
        let label = self.model.nodes[node as usize].label(node);
        let text = match (&there.name, names) {
            (None, _) => format!("let {label} come after {}", there.label(before)),
            (Some(name), Some(names)) if names.is_empty() => format!("add `after {name}` to {label}"),
            (Some(name), Some(names)) if names.len() < AFTERS => {
                format!("let {label} come `after {}, {name}`", names.join(", "))
            }
            (Some(name), _) => format!("add `{name}` to the `after` of {label}"),
        };
        self.before.entry(node).or_default().push(before);
        self.after.entry(before).or_default().push(node);
        Some(text)
    }

    /// Are two nodes in an order, if all that was advised is done?
    pub(super) fn orders(&self, one: u32, other: u32) -> bool {
        self.comes_after(one, other) || self.comes_after(other, one)
    }

    /// What a node is to come after so far, where all of that has names.
    fn names(&self, node: u32) -> Option<Vec<&'a str>> {
        let name = |id: &u32| self.model.nodes.get(*id as usize)?.name.as_deref();
        let own = self.model.nodes[node as usize].after.iter().map(|earlier| match earlier {
            Ref::Named(name) => Some(name.as_str()),
            Ref::Id(id) => name(id),
        });
        own.chain(self.before.get(&node).into_iter().flatten().map(name)).collect()
    }

    /// Does `late` come after `early`, in the graph as it is advised to be?
    fn comes_after(&self, late: u32, early: u32) -> bool {
        let (mut seen, mut left) = (BTreeSet::from([early]), vec![early]);
        while let Some(node) = left.pop() {
            if node == late {
                return true;
            }
            let advised = self.after.get(&node).into_iter().flatten();
            left.extend(
                self.order.after[node as usize].iter().chain(advised).filter(|next| seen.insert(**next)),
            );
        }
        false
    }
}
