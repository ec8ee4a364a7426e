//! What a stream has in flight at a point of it: results that are to come, and tensors that are in use.

use std::collections::BTreeMap;
use std::ops::Range;

use super::StreamModel;
use super::lower::{Plan, Planned};
use crate::constants::command::CORES_MAX;
use crate::engine::{Facts, Resolved, TensorKey, VariableKind};
use crate::program::Effect;

/// A set of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    pub(super) fn has(&self, bit: usize) -> bool {
        self.0.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 != 0)
    }

    fn put(&mut self, bit: usize) {
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    fn drop(&mut self, bit: usize) {
        self.0[bit / 64] &= !(1 << (bit % 64));
    }

    fn drop_all(&mut self, other: Option<&Self>) {
        let other = other.map_or(&[][..], |other| &other.0);
        self.0.iter_mut().zip(other).for_each(|(to, from)| *to &= !from);
    }

    /// The numbers of a range, the highest first.
    fn within(&self, range: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let words = range.start / 64..range.end.div_ceil(64);
        let ones = |at: usize| {
            let mut left = self.0[at];
            std::iter::from_fn(move || {
                let bit = 63_u32.checked_sub(left.leading_zeros())?;
                left &= !(1 << bit);
                Some(at * 64 + bit as usize)
            })
        };
        words.rev().flat_map(ones).filter(move |bit| range.contains(bit))
    }
}

/// What is known at a point of the stream, whatever path led there.
#[derive(Clone, PartialEq)]
pub(super) struct State {
    /// Registers that every path has written, or has a command in flight for.
    given: [u64; 4],
    /// Commands that some path has submitted, by their place among the submits.
    pub(super) submitted: Bits,
    /// Those that may be in flight with a result to come.
    results: Bits,
    /// Uses of tensors by commands that may be in flight. One whose address has been written since is gone: it says nothing
    /// of the tensor that the register names now.
    uses: Bits,
}

impl State {
    /// Joins what is known on another path; says whether that is news.
    pub(super) fn meet(&mut self, other: &Self) -> bool {
        let before = self.clone();
        self.given.iter_mut().zip(other.given).for_each(|(to, from)| *to &= from);
        let either =
            |to: &mut Bits, from: &Bits| to.0.iter_mut().zip(&from.0).for_each(|(to, from)| *to |= from);
        either(&mut self.submitted, &other.submitted);
        either(&mut self.results, &other.results);
        either(&mut self.uses, &other.uses);
        *self != before
    }

    fn give(&mut self, register: u8) {
        self.given[usize::from(register) / 64] |= 1 << (register % 64);
    }

    /// Is there a value in the register, once nothing for it is in flight?
    pub(super) fn is_given(&self, register: u8) -> bool {
        self.given[usize::from(register) / 64] >> (register % 64) & 1 != 0
    }
}

/// The cores of a command: from a number, or from what a variable holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Cores {
    at: Option<u32>,
    pub(super) first: u8,
    pub(super) count: u8,
}

impl Cores {
    /// A core is in both, whatever their variables hold. `grid`: the most cores there are.
    fn meet(self, other: Self, grid: u32) -> bool {
        let firsts = |cores: Self| match cores.at {
            Some(_) => (0, grid.saturating_sub(cores.count.into())),
            None => (cores.first.into(), cores.first.into()),
        };
        let ((low, high), (other_low, other_high)) = (firsts(self), firsts(other));
        self.at.is_some() && self.at == other.at
            || high < other_low + u32::from(other.count) && other_high < low + u32::from(self.count)
    }

    /// The cores of both as a message names them.
    pub(super) fn shared(self, other: Self) -> String {
        if self.at.is_some() || other.at.is_some() {
            return "some core of both".to_owned();
        }
        let end = |cores: Self| u32::from(cores.first) + u32::from(cores.count);
        let (first, end) = (u32::from(self.first.max(other.first)), end(self).min(end(other)));
        if end - first == 1 { format!("core {first}") } else { format!("cores {first}..{end}") }
    }
}

/// A command's use of a tensor.
#[derive(Clone, Copy)]
pub(super) struct Use {
    pub(super) submit: u32,
    pub(super) arg: u32,
    pub(super) tensor: TensorKey,
    pub(super) writes: bool,
    pub(super) cores: Cores,
}

/// The commands of a stream, as their flights need them.
pub(super) struct Flights<'a> {
    model: &'a StreamModel,
    plan: &'a Plan,
    grid: u32,
    /// The steps that submit.
    pub(super) submits: Vec<u32>,
    /// The submits that give each register a result.
    writers: BTreeMap<u8, Bits>,
    /// Uses of tensors that somebody writes, those of a tensor side by side.
    uses: Vec<Use>,
    of_tensor: BTreeMap<TensorKey, Range<usize>>,
    /// The uses of each submit.
    of_submit: Vec<Vec<usize>>,
    /// The uses whose address or first core each variable holds.
    of_variable: BTreeMap<u32, Bits>,
    /// Waits that are missing and told of, in front of a step: what follows from a missing one is no news.
    missing: BTreeMap<u32, Vec<usize>>,
}

impl<'a> Flights<'a> {
    pub(super) fn new(model: &'a StreamModel, plan: &'a Plan, facts: &Facts) -> Self {
        let submits = plan.submits();
        let mut flights = Self {
            model,
            plan,
            grid: facts.cores.unwrap_or(CORES_MAX),
            writers: BTreeMap::new(),
            uses: Vec::new(),
            of_tensor: BTreeMap::new(),
            of_submit: vec![Vec::new(); submits.len()],
            of_variable: BTreeMap::new(),
            missing: BTreeMap::new(),
            submits,
        };
        let mut written = std::collections::BTreeSet::new();
        for (i, submit) in flights.submits.iter().enumerate() {
            let Some(command) = flights.command(*submit) else { continue };
            if let Some(register) = command.result.and_then(|id| plan.table.number(id)) {
                let count = flights.submits.len();
                flights.writers.entry(register).or_insert_with(|| Bits::new(count)).put(i);
            }
            // A queued command's cores are chosen while it runs, and are nobody else's meanwhile.
            let Some(cores) = cores(command) else { continue };
            for one in &command.tensors {
                let writes = one.effect != Effect::Input;
                if writes {
                    written.insert(one.tensor);
                }
                flights.uses.push(Use { submit: i as u32, arg: one.arg, tensor: one.tensor, writes, cores });
            }
        }
        flights.uses.retain(|one| written.contains(&one.tensor));
        flights.uses.sort_by_key(|one| one.tensor);
        let count = flights.uses.len();
        for (at, one) in flights.uses.iter().enumerate() {
            flights.of_submit[one.submit as usize].push(at);
            flights.of_tensor.entry(one.tensor).or_insert(at..at).end = at + 1;
            let address = match one.tensor {
                TensorKey::Variable(id) => Some(id),
                TensorKey::Bits(_) => None,
            };
            for id in address.into_iter().chain(one.cores.at) {
                flights.of_variable.entry(id).or_insert_with(|| Bits::new(count)).put(at);
            }
        }
        flights
    }

    fn command(&self, step: u32) -> Option<&'a Resolved> {
        match &self.plan.steps[step as usize] {
            Planned::Submit(command) => Some(command),
            _ => None,
        }
    }

    /// The place of a step among the submits.
    pub(super) fn index(&self, step: u32) -> Option<usize> {
        self.submits.binary_search(&step).ok()
    }

    /// What is known where the stream begins.
    pub(super) fn start(&self) -> State {
        let submits = Bits::new(self.submits.len());
        let uses = Bits::new(self.uses.len());
        let mut state = State { given: [0; 4], results: submits.clone(), submitted: submits, uses };
        for (id, variable) in self.model.variables.iter().enumerate() {
            if variable.kind != VariableKind::Register
                && let Some(register) = self.plan.table.number(id as u32)
            {
                state.give(register);
            }
        }
        state
    }

    /// A wait for the commands of step `submit` is missing in front of `step`.
    pub(super) fn miss(&mut self, step: u32, submit: u32) {
        let index = self.index(submit);
        self.missing.entry(step).or_default().extend(index);
    }

    /// Does the waits that are missing in front of a step.
    pub(super) fn before(&self, state: &mut State, step: u32) {
        self.missing.get(&step).into_iter().flatten().for_each(|index| self.land(state, *index));
    }

    /// Follows a step.
    pub(super) fn step(&self, state: &mut State, step: u32) {
        self.before(state, step);
        match &self.plan.steps[step as usize] {
            Planned::Compute(statement) => {
                if let Some(id) = statement.to {
                    self.write(state, id);
                }
            }
            Planned::Submit(command) => {
                let Some(index) = self.index(step) else { return };
                self.wait_quiet(state, command);
                state.submitted.put(index);
                self.of_submit[index].iter().for_each(|one| state.uses.put(*one));
                if let Some(id) = command.result {
                    self.write(state, id);
                    state.results.put(index);
                }
            }
            Planned::Wait(Some(waited)) => {
                if let Some(index) = self.index(*waited) {
                    self.land(state, index);
                }
            }
            // One for a command that is unknown may be for any.
            Planned::WaitAll | Planned::Wait(None) => {
                state.results.0.fill(0);
                state.uses.0.fill(0);
            }
            _ => {}
        }
    }

    /// A variable is written, now or at any time from now on. What else was to come there has been reported.
    fn write(&self, state: &mut State, id: u32) {
        if let Some(register) = self.plan.table.number(id) {
            state.give(register);
            state.results.drop_all(self.writers.get(&register));
        }
        state.uses.drop_all(self.of_variable.get(&id));
    }

    /// None of a submit's commands is in flight.
    fn land(&self, state: &mut State, index: usize) {
        state.results.drop(index);
        self.of_submit[index].iter().for_each(|one| state.uses.drop(*one));
    }

    /// An exclusive command goes when nothing is in flight on its cores.
    pub(super) fn wait_quiet(&self, state: &mut State, command: &Resolved) {
        let Some(own) = cores(command).filter(|_| command.exclusive) else { return };
        let uses = state.uses.within(0..self.uses.len()).map(|one| self.uses[one].submit as usize);
        let mut flying: Vec<usize> = state.results.within(0..self.submits.len()).chain(uses).collect();
        flying.retain(|index| {
            let other = self.command(self.submits[*index]).and_then(cores);
            other.is_some_and(|other| own.meet(other, self.grid))
        });
        flying.into_iter().for_each(|index| self.land(state, index));
    }

    /// The step of a command that may be in flight with a result for a variable.
    pub(super) fn result_to_come(&self, state: &State, id: u32) -> Option<u32> {
        let writers = self.writers.get(&self.plan.table.number(id)?)?;
        let index = state.results.within(0..self.submits.len()).find(|index| writers.has(*index))?;
        Some(self.submits[index])
    }

    /// The uses of tensors by a submit, each with one by a command that may be in flight and that it has to wait for.
    pub(super) fn races<'s>(&'s self, state: &'s State, step: u32) -> impl Iterator<Item = (Use, Use)> + 's {
        let own = self.index(step).map_or(&[][..], |index| &self.of_submit[index]);
        own.iter().filter_map(|one| {
            let one = self.uses[*one];
            let others = state.uses.within(self.of_tensor.get(&one.tensor)?.clone());
            let mut others = others.map(|other| self.uses[other]);
            let race = |other: &Use| (one.writes || other.writes) && one.cores.meet(other.cores, self.grid);
            Some((one, others.find(race)?))
        })
    }
}

fn cores(command: &Resolved) -> Option<Cores> {
    (!command.queued).then_some(Cores { at: command.at, first: command.first, count: command.count })
}
