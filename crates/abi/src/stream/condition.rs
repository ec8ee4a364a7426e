//! Loops whose ways out all hang on values that nothing in them changes: once round, for ever round.

use std::collections::{BTreeMap, BTreeSet};

use super::StreamModel;
use super::flight::{Flights, State};
use super::flow::{Block, Flow};
use super::lower::Planned;
use crate::engine::{Place, Problems, Rule, Word};

/// A loop: where it begins, its last jump back, and its blocks.
struct Loop {
    top: usize,
    back: usize,
    blocks: BTreeSet<usize>,
}

impl Flow<'_> {
    /// Checks every loop. `entries` is what is known where each block begins.
    pub(super) fn check_conditions(
        &self,
        model: &StreamModel,
        entries: &[Option<State>],
        flights: &Flights<'_>,
        problems: &mut Problems,
    ) {
        // Of loops inside each other the innermost is told: it is the one that is stuck first.
        let mut told: Vec<BTreeSet<usize>> = Vec::new();
        let mut loops = self.loops();
        loops.sort_by_key(|one| one.blocks.len());
        for one in loops {
            if told.iter().any(|inner| inner.is_subset(&one.blocks)) {
                continue;
            }
            let Some(values) = self.fixed(model, &one, entries, flights) else { continue };
            let last = self.blocks[one.back].end as u32 - 1;
            let labels: Vec<String> =
                values.iter().map(|id| model.variables[*id as usize].label(*id)).collect();
            let (what, edit) = match labels.as_slice() {
                [] => ("nothing in it changes what its way out hangs on".to_owned(), String::new()),
                [one] => (format!("nothing in it changes {one}"), format!("change {one} in the loop, or ")),
                [rest @ .., last] => {
                    let rest = rest.join(", ");
                    let edit = "change one of them in the loop, or ".to_owned();
                    (format!("nothing in it changes {rest} or {last}"), edit)
                }
            };
            problems.conflict(
                Rule::StreamLoop,
                Place::Item(last),
                Place::Item(self.blocks[one.top].from as u32),
                "the loop begins here",
                format!("this loop never ends once it goes round: {what}"),
                format!("{edit}leave it with a `break` or a `halt` under a condition that changes"),
            );
            told.push(one.blocks);
        }
    }

    /// The loops that are entered at their top alone, as structured code has them. Jumps back to one top are one loop.
    fn loops(&self) -> Vec<Loop> {
        let mut backs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.blocks.len()];
        for (b, block) in self.blocks.iter().enumerate().filter(|(b, _)| self.reached[*b]) {
            for next in &block.next {
                before[*next].push(b);
                if *next <= b {
                    backs.entry(*next).or_default().push(b);
                }
            }
        }
        let around = |(top, backs): (usize, Vec<usize>)| {
            let back = backs.iter().copied().max()?;
            let (mut blocks, mut work) = (BTreeSet::from([top]), backs);
            while let Some(block) = work.pop() {
                if blocks.insert(block) {
                    work.extend(&before[block]);
                }
            }
            (top == 0 || !blocks.contains(&0)).then_some(Loop { top, back, blocks })
        };
        backs.into_iter().filter_map(around).collect()
    }

    /// The variables that all ways out of a loop hang on, if none of them changes in it. `None` without a way out, which
    /// is another problem.
    fn fixed(
        &self,
        model: &StreamModel,
        one: &Loop,
        entries: &[Option<State>],
        flights: &Flights<'_>,
    ) -> Option<Vec<u32>> {
        let steps = || one.blocks.iter().flat_map(|b| self.blocks[*b].from..self.blocks[*b].end);
        let written: BTreeSet<u8> = steps().filter_map(|step| self.written(step)).collect();
        // A result may come at any time until it is waited for.
        let comes = |id: u32| {
            let mut states = one.blocks.iter().filter_map(|b| entries[*b].as_ref());
            states.any(|state| flights.result_to_come(state, id).is_some())
        };
        let (mut values, mut ways) = (Vec::new(), 0);
        for block in one.blocks.iter().map(|b| &self.blocks[*b]) {
            if block.next.iter().all(|next| one.blocks.contains(next)) {
                continue;
            }
            ways += 1;
            for id in self.needed(model, block)? {
                let number = self.plan.table.number(id)?;
                if written.contains(&number) || comes(id) {
                    return None;
                }
                if !values.contains(&id) {
                    values.push(id);
                }
            }
        }
        (ways > 0).then_some(values)
    }

    /// The register that a step writes, or has a result come to.
    fn written(&self, step: usize) -> Option<u8> {
        let id = match &self.plan.steps[step] {
            Planned::Compute(statement) => statement.to?,
            Planned::Submit(command) => command.result?,
            _ => return None,
        };
        self.plan.table.number(id)
    }

    /// What the condition at a block's end is computed from, as it is where the block begins; the first read last. `None`
    /// where a command's result is among it.
    fn needed(&self, model: &StreamModel, block: &Block) -> Option<Vec<u32>> {
        let Planned::JumpIf { condition, .. } = &self.plan.steps[block.end - 1] else { return None };
        let mut needed: Vec<u32> = Vec::new();
        if let Word::Variable(id) = *condition {
            needed.push(id);
        }
        for step in (block.from..block.end).rev() {
            let Some(number) = self.written(step) else { continue };
            let is = |id: &u32| self.plan.table.number(*id) == Some(number);
            let Some(at) = needed.iter().position(is) else { continue };
            let Planned::Compute(statement) = &self.plan.steps[step] else { return None };
            needed.remove(at);
            for (id, _) in statement.reads(&model.variables) {
                if !needed.contains(&id) {
                    needed.push(id);
                }
            }
        }
        Some(needed)
    }
}
