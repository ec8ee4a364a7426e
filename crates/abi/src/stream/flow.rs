//! Flow analysis of a stream: what is reached, what is written before it is read, which waits have something to wait for.

use std::collections::BTreeSet;

use super::StreamModel;
use super::lower::{Plan, Planned};
use crate::constants::command::JOB_QUEUE_LENGTH;
use crate::engine::{Place, Problems, Rule, VariableKind};

/// A run of steps with one entry and one end.
struct Block {
    from: usize,
    end: usize,
    next: Vec<usize>,
    /// It goes past the last step.
    falls: bool,
}

/// What is known at a point of the stream. Variables and submitting steps are bits.
#[derive(Clone, PartialEq)]
struct State {
    written: u128,
    /// Submitted on every path, and not waited for since: their results are not to be read yet.
    surely: Vec<u64>,
    /// Submitted on some path.
    maybe: Vec<u64>,
}

impl State {
    fn meet(&mut self, other: &Self) -> bool {
        let before = self.clone();
        self.written &= other.written;
        self.surely.iter_mut().zip(&other.surely).for_each(|(to, from)| *to &= from);
        self.maybe.iter_mut().zip(&other.maybe).for_each(|(to, from)| *to |= from);
        *self != before
    }
}

fn has(set: &[u64], bit: usize) -> bool {
    set[bit / 64] >> (bit % 64) & 1 != 0
}

fn variable_bit(id: u32) -> u128 {
    1_u128.checked_shl(id).unwrap_or(0)
}

struct Flow<'a> {
    model: &'a StreamModel,
    plan: &'a Plan,
    submits: Vec<u32>,
    blocks: Vec<Block>,
    reached: Vec<bool>,
}

/// Checks the flow of a stream whose labels all exist.
pub(super) fn check(model: &StreamModel, plan: &Plan, problems: &mut Problems) {
    let blocks = blocks(model, plan);
    let mut flow = Flow { model, plan, submits: plan.submits(), reached: vec![false; blocks.len()], blocks };
    flow.reach();
    flow.check_reach(problems);
    flow.check_loops(problems);
    let entries = flow.solve();
    flow.check_states(&entries, problems);
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
        for (block, reached) in self.blocks.iter().zip(&self.reached) {
            if *reached && block.falls {
                let last = block.end as u32 - 1;
                problems.add(
                    Rule::StreamEnd,
                    Place::Item(last),
                    "the stream goes on past its last step".to_owned(),
                    "end it with a halt, as in `halt(0)`",
                );
            }
            // One message for a run of steps that nothing reaches; labels are no steps.
            let live = (block.from..block.end).find(|step| !matches!(self.plan.steps[*step], Planned::Label));
            if let (false, false, Some(step)) = (*reached, dead_before, live) {
                problems.add(
                    Rule::StreamUnreachable,
                    Place::Item(step as u32),
                    "nothing reaches this step: everything before it leaves".to_owned(),
                    "remove it, or let the loop before it end",
                );
            }
            dead_before = !*reached;
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
        problems.conflict(
            Rule::StreamLoop,
            Place::Item(block.end as u32 - 1),
            Place::Item(self.blocks[top].from as u32),
            "the loop begins here",
            "this loop has no way out".to_owned(),
            "leave it with a break or a halt, or give it a condition that changes",
        );
    }

    fn index(&self, step: u32) -> Option<usize> {
        self.submits.binary_search(&step).ok()
    }

    fn step(&self, state: &mut State, step: usize) {
        match &self.plan.steps[step] {
            Planned::Compute(statement) => state.written |= statement.to.map_or(0, variable_bit),
            Planned::Submit(command) => {
                if let Some(bit) = self.index(step as u32) {
                    state.surely[bit / 64] |= 1 << (bit % 64);
                    state.maybe[bit / 64] |= 1 << (bit % 64);
                }
                // In flight, the register changes at any time.
                if let Some(id) = command.result {
                    state.written &= !variable_bit(id);
                }
            }
            Planned::Wait(Some(waited)) => {
                if let Some(bit) = self.index(*waited)
                    && has(&state.surely, bit)
                {
                    state.surely[bit / 64] &= !(1 << (bit % 64));
                    state.written |= self.result_bit(bit);
                }
            }
            Planned::WaitAll => {
                for bit in 0..self.submits.len() {
                    if has(&state.surely, bit) {
                        state.written |= self.result_bit(bit);
                    }
                }
                state.surely.fill(0);
            }
            _ => {}
        }
    }

    fn result_bit(&self, submit: usize) -> u128 {
        match &self.plan.steps[self.submits[submit] as usize] {
            Planned::Submit(command) => command.result.map_or(0, variable_bit),
            _ => 0,
        }
    }

    /// The state at the entry of each reached block.
    fn solve(&self) -> Vec<Option<State>> {
        let words = self.submits.len().div_ceil(64);
        let given = |(id, variable): (usize, &crate::engine::Variable)| match variable.kind {
            VariableKind::Register => 0,
            _ => variable_bit(id as u32),
        };
        let written = self.model.variables.iter().enumerate().map(given).fold(0, |set, bit| set | bit);
        let mut entries: Vec<Option<State>> = vec![None; self.blocks.len()];
        entries[0] = Some(State { written, surely: vec![0; words], maybe: vec![0; words] });
        let mut work = BTreeSet::from([0]);
        while let Some(block) = work.pop_first() {
            let Some(mut state) = entries[block].clone() else { continue };
            (self.blocks[block].from..self.blocks[block].end).for_each(|step| self.step(&mut state, step));
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

    fn check_states(&self, entries: &[Option<State>], problems: &mut Problems) {
        for (block, entry) in self.blocks.iter().zip(entries) {
            let Some(mut state) = entry.clone() else { continue };
            for step in block.from..block.end {
                self.check_reads(step, &state, problems);
                if let Planned::Wait(Some(waited)) = &self.plan.steps[step]
                    && let Some(bit) = self.index(*waited)
                    && !has(&state.maybe, bit)
                {
                    let label = self.model.steps[*waited as usize].label(*waited);
                    problems.conflict(
                        Rule::WaitUnknown,
                        Place::Operand(step as u32, 0, 0),
                        Place::Item(*waited),
                        "submitted only here",
                        format!("this waits for {label}, which no path has submitted yet"),
                        "wait behind the submit",
                    );
                }
                self.step(&mut state, step);
            }
        }
    }

    fn check_reads(&self, step: usize, state: &State, problems: &mut Problems) {
        use crate::engine::Word;
        let at = step as u32;
        let mut read = |id: u32, place: Place| {
            if variable_bit(id) == 0 || state.written & variable_bit(id) != 0 {
                return;
            }
            let label = self.model.variables[id as usize].label(id);
            let writer = self.submits.iter().find(|submit| {
                matches!(&self.plan.steps[**submit as usize], Planned::Submit(command) if command.result == Some(id))
            });
            match writer {
                Some(submit) => problems.conflict(
                    Rule::ReadBeforeWrite,
                    place,
                    Place::Result(*submit),
                    "its result goes there",
                    format!("{label} is read here while the command that writes it may be in flight, or was never submitted"),
                    format!("wait for {} first", self.model.steps[*submit as usize].label(*submit)),
                ),
                None => problems.add(
                    Rule::ReadBeforeWrite,
                    place,
                    format!("{label} is read here, and some path to it writes nothing there"),
                    format!("set {label} at the start, or declare it as a binding"),
                ),
            }
        };
        let variables = &self.model.variables;
        let register = |word: &Word| match *word {
            Word::Variable(id) if variables[id as usize].kind == VariableKind::Register => Some(id),
            _ => None,
        };
        match &self.plan.steps[step] {
            Planned::Compute(statement) => {
                statement.reads(variables).for_each(|(id, operand)| read(id, Place::Operand(at, 0, operand)));
            }
            Planned::Submit(command) => {
                command.reads(variables).for_each(|(id, arg)| read(id, Place::Arg(at, arg)));
                command.at.into_iter().for_each(|id| read(id, Place::Group(at)));
            }
            Planned::Event(word) | Planned::Halt(word) | Planned::JumpIf { condition: word, .. } => {
                // A halt waits for all commands before it reads.
                let mut waited = state.clone();
                if matches!(self.plan.steps[step], Planned::Halt(_)) {
                    for bit in 0..self.submits.len() {
                        waited.written |= if has(&state.surely, bit) { self.result_bit(bit) } else { 0 };
                    }
                }
                if let Some(id) = register(word)
                    && waited.written & variable_bit(id) == 0
                {
                    read(id, Place::Operand(at, 0, 0));
                }
            }
            _ => {}
        }
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
