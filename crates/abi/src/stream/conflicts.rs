//! What a step reads and writes, against what is in flight there.

use super::StreamModel;
use super::flight::{Flights, State};
use super::lower::{Plan, Planned};
use crate::engine::{Place, Problems, Rule, TensorKey, Word};

/// The steps of a stream against its flights.
pub(super) struct Conflicts<'a> {
    pub(super) model: &'a StreamModel,
    pub(super) plan: &'a Plan,
    pub(super) flights: &'a Flights<'a>,
}

/// What is wrong with a step, and whose commands it would have to wait for.
#[derive(Default)]
pub(super) struct Missed {
    pub(super) problems: Problems,
    pub(super) submits: Vec<u32>,
}

impl Conflicts<'_> {
    /// Checks a step where `state` is known.
    pub(super) fn check(&self, step: u32, state: &State) -> Missed {
        let mut missed = Missed::default();
        self.check_step(step, state, &mut missed);
        missed
    }

    fn check_step(&self, step: u32, state: &State, missed: &mut Missed) {
        let variables = &self.model.variables;
        match &self.plan.steps[step as usize] {
            Planned::Compute(statement) => {
                let refused: Vec<u32> = statement
                    .reads(variables)
                    .filter(|(id, operand)| self.read(*id, Place::Operand(step, 0, *operand), state, missed))
                    .map(|(id, _)| id)
                    .collect();
                if let Some(id) = statement.to.filter(|id| !refused.contains(id)) {
                    self.written_in_flight(id, Place::Operand(step, 0, Place::TARGET), step, state, missed);
                }
            }
            Planned::Submit(command) => {
                let args = command.reads(variables).map(|(id, arg)| (id, Place::Arg(step, arg)));
                let refused: Vec<u32> = args
                    .chain(command.at.map(|id| (id, Place::Group(step))))
                    .filter(|(id, place)| self.read(*id, *place, state, missed))
                    .map(|(id, _)| id)
                    .collect();
                let mut quiet;
                let mut state = state;
                if command.exclusive {
                    quiet = state.clone();
                    self.flights.wait_quiet(&mut quiet, command);
                    state = &quiet;
                }
                if let Some(id) = command.result.filter(|id| !refused.contains(id)) {
                    self.written_in_flight(id, Place::Result(step), step, state, missed);
                }
                self.tensors(step, state, missed);
            }
            Planned::Wait(Some(waited)) => {
                if let Some(index) = self.flights.index(*waited)
                    && !state.submitted.has(index)
                {
                    missed.problems.conflict(
                        Rule::WaitUnknown,
                        Place::Operand(step, 0, 0),
                        Place::Item(*waited),
                        format!("{} is submitted only here", self.label(*waited)),
                        format!("this waits for {}, which no path has submitted yet", self.label(*waited)),
                        "move it after that submit",
                    );
                }
            }
            Planned::Event(word) | Planned::JumpIf { condition: word, .. } => {
                if let Word::Variable(id) = *word {
                    self.read(id, Place::Operand(step, 0, 0), state, missed);
                }
            }
            // It waits for all commands before it reads.
            Planned::Halt(Word::Variable(id)) => {
                self.never_written(*id, Place::Operand(step, 0, 0), state, missed);
            }
            _ => {}
        }
    }

    fn label(&self, step: u32) -> String {
        self.model.steps[step as usize].label(step)
    }

    /// Reports a read of what may change, or has no value; says whether it did.
    fn read(&self, id: u32, place: Place, state: &State, missed: &mut Missed) -> bool {
        let Some(submit) = self.flights.result_to_come(state, id) else {
            return self.never_written(id, place, state, missed);
        };
        missed.submits.push(submit);
        let label = self.model.variables[id as usize].label(id);
        let there = self.label(submit);
        missed.problems.conflict(
            Rule::ReadBeforeWrite,
            place,
            Place::Result(submit),
            format!("the result of {there} goes to {label}"),
            format!("{label} is read here while {there}, which writes it, may be in flight"),
            format!("wait for {there} first"),
        );
        true
    }

    fn never_written(&self, id: u32, place: Place, state: &State, missed: &mut Missed) -> bool {
        if self.plan.table.number(id).is_none_or(|register| state.is_given(register)) {
            return false;
        }
        let label = self.model.variables[id as usize].label(id);
        missed.problems.add(
            Rule::ReadBeforeWrite,
            place,
            format!("{label} is read here, and some path to it writes nothing there"),
            format!("set {label} at the start, or declare it as a binding"),
        );
        true
    }

    fn written_in_flight(&self, id: u32, place: Place, step: u32, state: &State, missed: &mut Missed) {
        let Some(submit) = self.flights.result_to_come(state, id) else { return };
        missed.submits.push(submit);
        let label = self.model.variables[id as usize].label(id);
        let there = self.label(submit);
        if submit == step {
            return missed.problems.add(
                Rule::WriteUnordered,
                place,
                format!("{label} is written by {there} again while the one before may be in flight"),
                AGAIN,
            );
        }
        let writer = match place {
            Place::Result(_) => format!("by {}", self.label(step)),
            _ => "here".to_owned(),
        };
        missed.problems.conflict(
            Rule::WriteUnordered,
            place,
            Place::Result(submit),
            format!("the result of {there} goes to {label}"),
            format!("{label} is written {writer} while {there}, which writes it too, may be in flight"),
            format!("wait for {there} first, or use two registers"),
        );
    }

    fn tensors(&self, step: u32, state: &State, missed: &mut Missed) {
        for (one, other) in self.flights.races(state, step) {
            let submit = self.flights.submits[other.submit as usize];
            missed.submits.push(submit);
            let tensor = match one.tensor {
                TensorKey::Bits(address) => format!("the tensor at {address:#x}"),
                TensorKey::Variable(id) => self.model.variables[id as usize].label(id),
            };
            let (here, there) = (self.label(step), self.label(submit));
            let does = |writes| if writes { "writes" } else { "reads" };
            let cores = one.cores.shared(other.cores);
            let place = Place::Arg(step, one.arg);
            if submit == step {
                let does = does(one.writes);
                let message =
                    format!("{here} {does} {tensor} on {cores} again while the one before may be in flight");
                missed.problems.add(Rule::TensorRace, place, message, AGAIN);
                continue;
            }
            missed.problems.conflict(
                Rule::TensorRace,
                place,
                Place::Arg(submit, other.arg),
                format!("{there} {} {tensor} here", does(other.writes)),
                format!(
                    "{here} {} {tensor} while {there}, which {} it, may be in flight, both on {cores}",
                    does(one.writes),
                    does(other.writes)
                ),
                format!("wait for {there} first, or give them groups that share no core"),
            );
        }
    }
}

/// What to do about a command that meets itself in the next turn of a loop.
const AGAIN: &str = "write `wait(all);` at the end of the loop's block";
