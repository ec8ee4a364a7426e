//! Flow analysis of a stream: what is reached, which loops end, and what is known at each step.

use std::collections::BTreeSet;

use super::StreamModel;
use super::conflicts::{Conflicts, Missed};
use super::flight::{Flights, State};
use super::lower::{Plan, Planned};
use crate::constants::command::JOB_QUEUE_LENGTH;
use crate::engine::{Facts, Place, Problems, Rule};

/// A run of steps with one entry and one end.
pub(super) struct Block {
    pub(super) from: usize,
    pub(super) end: usize,
    pub(super) next: Vec<usize>,
    /// It goes past the last step.
    falls: bool,
}

/// The steps of a stream as blocks.
pub(super) struct Flow<'a> {
    pub(super) plan: &'a Plan,
    pub(super) blocks: Vec<Block>,
    pub(super) reached: Vec<bool>,
}

/// Steps that are told one by one; the rest of a stream with more is told at once.
const TOLD_ALONE: u32 = 24;

/// Checks the flow of a stream whose labels all exist.
pub(super) fn check(model: &StreamModel, plan: &Plan, facts: &Facts, problems: &mut Problems) {
    let blocks = blocks(model, plan);
    let mut flow = Flow { plan, reached: vec![false; blocks.len()], blocks };
    flow.reach();
    flow.check_reach(problems);
    flow.check_loops(problems);
    let mut flights = Flights::new(model, plan, facts);
    let entries = flow.solve(&flights);
    flow.check_conditions(model, &entries, &flights, problems);
    flow.check_steps(model, entries, &mut flights, problems);
    flow.check_queue(problems);
}

fn blocks(model: &StreamModel, plan: &Plan) -> Vec<Block> {
    let count = plan.steps.len();
    let mut starts = BTreeSet::from([0]);
    for (i, step) in plan.steps.iter().enumerate() {
        match step {
            Planned::Label => {
                starts.insert(i);
            }
            Planned::Jump(_) | Planned::JumpIf { .. } | Planned::Halt(_) => {
                starts.insert(i + 1);
            }
            _ => {}
        }
    }
    starts.retain(|start| *start < count);
    let list: Vec<usize> = starts.iter().copied().collect();
    let block_at = |step: usize| list.binary_search(&step).unwrap_or(0);
    let target = |label: u32| plan.labels.get(&label).map(|step| block_at(*step as usize));
    list.iter()
        .enumerate()
        .map(|(b, from)| {
            let end = list.get(b + 1).copied().unwrap_or(count);
            let (mut next, mut on) = (Vec::new(), true);
            match &plan.steps[end - 1] {
                Planned::Halt(_) => on = false,
                Planned::Jump(label) => {
                    next.extend(target(*label));
                    on = false;
                }
                Planned::JumpIf { condition, nonzero, label } => {
                    let always = plan.always(model, *condition, *nonzero);
                    if always != Some(false) {
                        next.extend(target(*label));
                    }
                    on = always != Some(true);
                }
                _ => {}
            }
            let falls = on && end == count;
            if on && !falls {
                next.push(b + 1);
            }
            Block { from: *from, end, next, falls }
        })
        .collect()
}

impl Flow<'_> {
    fn reach(&mut self) {
        let mut work = vec![0];
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut self.reached[block], true) {
                work.extend(&self.blocks[block].next);
            }
        }
    }

    fn check_reach(&self, problems: &mut Problems) {
        let mut dead_before = false;
        for (b, (block, reached)) in self.blocks.iter().zip(&self.reached).enumerate() {
            if *reached && block.falls {
                let last = block.end as u32 - 1;
                problems.add(
                    Rule::StreamEnd,
                    Place::Item(last),
                    "the stream does not end with a `halt`".to_owned(),
                    "add `halt(0);` after this step, the last one",
                );
            }
            // One message for a run of steps that nothing reaches; labels are no steps.
            let live = (block.from..block.end).find(|step| !matches!(self.plan.steps[*step], Planned::Label));
            if let (false, false, Some(step)) = (*reached, dead_before, live) {
                let (why, help) = self.barrier(b);
                let message = format!("nothing reaches this step: {why}");
                problems.add(Rule::StreamUnreachable, Place::Item(step as u32), message, help);
            }
            dead_before = !*reached;
        }
    }

    /// Why nothing reaches a block that comes after one that is reached, and what to do.
    fn barrier(&self, b: usize) -> (&'static str, &'static str) {
        let other = ("everything before it leaves", "remove it, or move it in front of what leaves");
        let Some(before) = b.checked_sub(1).map(|before| &self.blocks[before]) else { return other };
        // A jump that nothing reaches either may lead to it.
        let joins = self.blocks.iter().any(|block| block.next.contains(&b));
        let last = &self.plan.steps[before.end - 1];
        if let (Planned::Halt(_), false) = (last, joins) {
            return ("the `halt` before it ends the stream", "move it in front of the `halt`, or remove it");
        }
        // A jump back from behind the step goes round it: it stands in the loop.
        let inside = |top: usize| self.blocks[b..].iter().any(|later| later.next.contains(&top));
        match before.next.as_slice() {
            [top] if *top < b && !inside(*top) => {
                ("the loop before it does not end", "remove it, or leave the loop with `break;`")
            }
            _ => other,
        }
    }

    /// Sets of blocks that go round among themselves and never leave.
    fn check_loops(&self, problems: &mut Problems) {
        // A block that can reach a halt, or the end, has a way out: walk back from those.
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.blocks.len()];
        let mut work = Vec::new();
        for (b, block) in self.blocks.iter().enumerate() {
            block.next.iter().for_each(|next| before[*next].push(b));
            if block.falls || matches!(self.plan.steps[block.end - 1], Planned::Halt(_)) {
                work.push(b);
            }
        }
        let mut leaves = vec![false; self.blocks.len()];
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut leaves[block], true) {
                work.extend(&before[block]);
            }
        }
        let stuck = |b: usize| self.reached[b] && !leaves[b];
        let Some(first) = (0..self.blocks.len()).find(|b| stuck(*b)) else { return };
        // The place is a jump back, inside the loop itself and not on the way to it.
        let back = (0..self.blocks.len())
            .filter(|b| stuck(*b))
            .find(|b| self.blocks[*b].next.iter().any(|next| *next <= *b));
        let block = &self.blocks[back.unwrap_or(first)];
        let top = block.next.iter().copied().min().unwrap_or(first);
        let last = self.blocks.iter().rposition(|block| {
            self.plan.steps[block.from..block.end].iter().any(|step| !matches!(step, Planned::Label))
        });
        let help = if last.is_some_and(stuck) {
            "leave it with `halt(..)`, or with `break;` and a `halt(..)` after the loop"
        } else {
            "leave it with a `break` or a `halt`, or give it a condition that changes"
        };
        problems.conflict(
            Rule::StreamLoop,
            Place::Item(block.end as u32 - 1),
            Place::Item(self.blocks[top].from as u32),
            "the loop begins here",
            "this loop has no way out".to_owned(),
            help,
        );
    }

    /// The state at the entry of each reached block.
    fn solve(&self, flights: &Flights<'_>) -> Vec<Option<State>> {
        let mut entries: Vec<Option<State>> = vec![None; self.blocks.len()];
        entries[0] = Some(flights.start());
        let mut work = BTreeSet::from([0]);
        while let Some(block) = work.pop_first() {
            let Some(mut state) = entries[block].clone() else { continue };
            (self.blocks[block].from..self.blocks[block].end)
                .for_each(|step| flights.step(&mut state, step as u32));
            for next in &self.blocks[block].next {
                let changed = match &mut entries[*next] {
                    Some(entry) => entry.meet(&state),
                    entry => {
                        *entry = Some(state.clone());
                        true
                    }
                };
                if changed {
                    work.insert(*next);
                }
            }
        }
        entries
    }

    /// Checks what every step reads and writes. A wait that is missing is told of once, where it is missed first on the way
    /// from its command on; then it counts as written.
    fn check_steps(
        &self,
        model: &StreamModel,
        mut entries: Vec<Option<State>>,
        flights: &mut Flights<'_>,
        problems: &mut Problems,
    ) {
        let mut told = BTreeSet::new();
        for round in 0.. {
            let found = self.findings(model, &entries, flights);
            // One that meets the command of the turn before comes last: it often goes with the others.
            let turn = |(step, missed): &(u32, Missed)| missed.submits.iter().all(|submit| submit >= step);
            let first = found.iter().filter(|(_, missed)| !missed.submits.is_empty());
            let first = first.min_by_key(|one| (turn(one), one.0)).filter(|_| round < TOLD_ALONE);
            let Some((step, missed)) = first else {
                let rest = found.into_iter().filter(|(step, _)| !told.contains(step));
                rest.flat_map(|(_, missed)| missed.problems.into_vec()).for_each(|one| problems.push(one));
                return;
            };
            missed.submits.iter().for_each(|submit| flights.miss(*step, *submit));
            if told.insert(*step) {
                missed.problems.clone().into_vec().into_iter().for_each(|one| problems.push(one));
            }
            entries = self.solve(flights);
        }
    }

    /// What is wrong at each step, in their order.
    fn findings(
        &self,
        model: &StreamModel,
        entries: &[Option<State>],
        flights: &Flights<'_>,
    ) -> Vec<(u32, Missed)> {
        let conflicts = Conflicts { model, plan: self.plan, flights };
        let mut found = Vec::new();
        for (block, entry) in self.blocks.iter().zip(entries) {
            let Some(mut state) = entry.clone() else { continue };
            for step in block.from as u32..block.end as u32 {
                flights.before(&mut state, step);
                let missed = conflicts.check(step, &state);
                if !missed.problems.is_empty() {
                    found.push((step, missed));
                }
                flights.step(&mut state, step);
            }
        }
        found
    }

    /// Commands in the queue at most, on ways that take no jump back: a loop's turns cannot be counted.
    fn check_queue(&self, problems: &mut Problems) {
        let mut most: Vec<Option<u32>> = vec![None; self.blocks.len()];
        most[0] = Some(0);
        let mut reported = false;
        for b in 0..self.blocks.len() {
            let Some(mut queued) = most[b] else { continue };
            for step in self.blocks[b].from..self.blocks[b].end {
                match &self.plan.steps[step] {
                    Planned::Submit(command) if command.queued => {
                        queued += 1;
                        if queued > JOB_QUEUE_LENGTH && !reported {
                            reported = true;
                            problems.add(
                                Rule::QueueFull,
                                Place::Queued(step as u32),
                                format!("this is queued command {queued} without a wait; the job queue holds {JOB_QUEUE_LENGTH}"),
                                "wait for some of them, or for all, before it",
                            );
                        }
                    }
                    Planned::Wait(Some(waited)) => {
                        if matches!(&self.plan.steps[*waited as usize], Planned::Submit(command) if command.queued)
                        {
                            queued = queued.saturating_sub(1);
                        }
                    }
                    Planned::WaitAll => queued = 0,
                    _ => {}
                }
            }
            for next in self.blocks[b].next.iter().filter(|next| **next > b) {
                most[*next] = Some(most[*next].map_or(queued, |known| known.max(queued)));
            }
        }
    }
}
