//! From steps to instructions and records.

use super::{StepBody, StreamModel};
use crate::engine::{
    CommandCheck, Computed, Facts, Instruction, Opcode, Operand, Place, Problems, Ref, RegisterTable,
    Resolved, Rule, Value, Word, check_scratch, resolve_command,
};
use komorebi_headers::suggest::nearest;
use std::collections::BTreeMap;

/// A step with every name looked up.
pub(super) enum Planned {
    Compute(Computed),
    Submit(Resolved),
    /// The step waited for.
    Wait(Option<u32>),
    WaitAll,
    Event(Word),
    Halt(Word),
    Label,
    Jump(u32),
    JumpIf {
        condition: Word,
        nonzero: bool,
        label: u32,
    },
}

/// A stream with every name looked up.
pub(super) struct Plan {
    pub(super) table: RegisterTable,
    pub(super) steps: Vec<Planned>,
    /// The step of each label; `None` for one that is never placed.
    pub(super) labels: BTreeMap<u32, u32>,
}

/// Looks up every name of a stream.
pub(super) fn resolve(model: &StreamModel, facts: &Facts, problems: &mut Problems) -> Plan {
    let check = CommandCheck { facts, variables: &model.variables, groups: &model.groups, stream: true };
    let table = RegisterTable::new(&model.variables);
    let mut labels = BTreeMap::new();
    for (i, step) in model.steps.iter().enumerate() {
        if let StepBody::Label(label) = step.body
            && let Some(first) = labels.insert(label, i as u32)
        {
            let message = format!("label {label} is placed twice");
            problems.conflict(
                Rule::NameTwice,
                Place::Item(i as u32),
                Place::Item(first),
                format!("label {label} is placed first here"),
                message,
                "use another label",
            );
        }
    }
    let names = step_names(model, problems);
    let mut steps = Vec::with_capacity(model.steps.len());
    for (i, step) in model.steps.iter().enumerate() {
        let i = i as u32;
        let mut word = |value: &Value| {
            let words =
                check.value(value, None, Place::Operand(i, 0, 0), &|| "this value".to_owned(), problems);
            match *words {
                [word] => word,
                _ => {
                    let message = "this value has 64 bits; a register holds 32".to_owned();
                    problems.add(
                        Rule::ArgType,
                        Place::Operand(i, 0, 0),
                        message,
                        "give its low or its high word",
                    );
                    Word::Bits(0)
                }
            }
        };
        steps.push(match &step.body {
            StepBody::Compute(statement) => Planned::Compute(check.statement(i, 0, statement, problems)),
            StepBody::Submit(command) => Planned::Submit(resolve_command(check, i, command, problems)),
            StepBody::Wait(name) => Planned::Wait(wait(model, name, &names, i, problems)),
            StepBody::WaitAll => Planned::WaitAll,
            StepBody::Event(value) => Planned::Event(word(value)),
            StepBody::Halt(value) => Planned::Halt(word(value)),
            StepBody::Label(_) => Planned::Label,
            StepBody::Jump(label) => Planned::Jump(*label),
            StepBody::JumpIf { condition, nonzero, label } => {
                Planned::JumpIf { condition: word(condition), nonzero: *nonzero, label: *label }
            }
        });
        if let StepBody::Jump(label) | StepBody::JumpIf { label, .. } = step.body
            && !labels.contains_key(&label)
        {
            let message = format!("this goes to label {label}, which is placed nowhere");
            problems.add(
                Rule::StreamTarget,
                Place::Item(i),
                message,
                "place the label where the stream goes on",
            );
        }
    }
    let plan = Plan { table, steps, labels };
    for (i, step) in plan.steps.iter().enumerate() {
        check_scratch(&plan.table, plan.scratch(model, step), Place::Item(i as u32), problems);
    }
    plan
}

fn step_names<'a>(model: &'a StreamModel, problems: &mut Problems) -> BTreeMap<&'a str, u32> {
    let mut names = BTreeMap::new();
    for (i, step) in model.steps.iter().enumerate() {
        let Some(name) = &step.name else { continue };
        match names.get(name.as_str()) {
            Some(first) => {
                let message = format!("two steps are called `{name}`");
                let (here, there) = (Place::Item(i as u32), Place::Item(*first));
                problems.conflict(
                    Rule::NameTwice,
                    here,
                    there,
                    format!("`{name}` is declared first here"),
                    message,
                    "rename one of them",
                );
            }
            None => {
                names.insert(name.as_str(), i as u32);
            }
        }
    }
    names
}

fn wait(
    model: &StreamModel,
    name: &Ref,
    names: &BTreeMap<&str, u32>,
    step: u32,
    problems: &mut Problems,
) -> Option<u32> {
    let place = Place::Operand(step, 0, 0);
    let found = match name {
        Ref::Id(id) => Some(*id).filter(|id| (*id as usize) < model.steps.len()),
        Ref::Named(name) => names.get(name.as_str()).copied(),
    };
    let what = match name {
        Ref::Named(name) => format!("`{name}`"),
        Ref::Id(id) => format!("step {id}"),
    };
    match found {
        Some(id) if id == step => {
            problems.add(
                Rule::AfterItself,
                place,
                "this waits for itself".to_owned(),
                "wait for a command submitted before it",
            );
            None
        }
        Some(id) if matches!(model.steps[id as usize].body, StepBody::Submit(_)) => Some(id),
        _ => {
            let message = if found.is_some() {
                format!("{what} submits no command")
            } else {
                format!("no command is called {what}")
            };
            let near = match name {
                Ref::Named(name) => nearest(name, names.keys().copied()),
                Ref::Id(_) => None,
            };
            let help = near.map_or_else(
                || "wait for a command submitted before, or for all".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            problems.add(Rule::WaitUnknown, place, message, help);
            None
        }
    }
}

/// The instructions of a stream, with the first of each step.
pub(super) struct Code {
    pub(super) instructions: Vec<Instruction>,
    pub(super) first: Vec<u32>,
}

impl Plan {
    fn scratch(&self, model: &StreamModel, step: &Planned) -> u32 {
        let number = |word: &Word| {
            u32::from(matches!(Operand::of(*word, &model.variables, &self.table), Operand::Bits(_)))
        };
        match step {
            Planned::Compute(statement) => statement.scratch(&model.variables, &self.table),
            Planned::Event(word) | Planned::Halt(word) | Planned::JumpIf { condition: word, .. } => {
                number(word)
            }
            _ => 0,
        }
    }

    /// Is the condition of a jump known: does it always go, or never?
    pub(super) fn always(&self, model: &StreamModel, condition: Word, nonzero: bool) -> Option<bool> {
        match Operand::of(condition, &model.variables, &self.table) {
            Operand::Bits(bits) => Some((bits != 0) == nonzero),
            Operand::Register(_) => None,
        }
    }

    /// The steps that submit, in their order: step i's record is its position here.
    pub(super) fn submits(&self) -> Vec<u32> {
        (0..self.steps.len() as u32)
            .filter(|step| matches!(self.steps[*step as usize], Planned::Submit(_)))
            .collect()
    }

    /// The instructions. Labels that do not exist are 0: the check has refused them.
    pub(super) fn code(&self, model: &StreamModel) -> Code {
        let submits = self.submits();
        let record = |step: u32| submits.binary_search(&step).unwrap_or(0) as u32;
        let mut code = Code { instructions: Vec::new(), first: Vec::with_capacity(self.steps.len()) };
        let mut jumps: Vec<(usize, u32)> = Vec::new();
        for (i, step) in self.steps.iter().enumerate() {
            let out = &mut code.instructions;
            code.first.push(out.len() as u32);
            let register = |word: Word, out: &mut Vec<Instruction>| match Operand::of(
                word,
                &model.variables,
                &self.table,
            ) {
                Operand::Register(register) => register,
                Operand::Bits(bits) => {
                    let register = self.table.scratch(0);
                    out.push(Instruction::unary_value(Opcode::Move, register, bits));
                    register
                }
            };
            match step {
                Planned::Compute(statement) => statement.lower(&model.variables, &self.table, out),
                Planned::Submit(command) => {
                    let at = command.at.and_then(|id| self.table.number(id));
                    out.push(match (command.queued, at) {
                        (true, _) => Instruction::control(Opcode::Enqueue, 0, record(i as u32)),
                        (false, Some(first)) => {
                            Instruction::control(Opcode::SubmitAt, first, record(i as u32))
                        }
                        (false, None) => Instruction::control(Opcode::Submit, 0, record(i as u32)),
                    });
                }
                Planned::Wait(step) => {
                    out.push(Instruction::control(Opcode::Wait, 0, record(step.unwrap_or(0))))
                }
                Planned::WaitAll => out.push(Instruction::control(Opcode::WaitAll, 0, 0)),
                Planned::Event(word) => {
                    let a = register(*word, out);
                    out.push(Instruction::control(Opcode::Event, a, 0));
                }
                Planned::Halt(word) => {
                    let a = register(*word, out);
                    out.push(Instruction::control(Opcode::Halt, a, 0));
                }
                Planned::Label => {}
                Planned::Jump(label) => {
                    jumps.push((out.len(), *label));
                    out.push(Instruction::control(Opcode::Jump, 0, 0));
                }
                Planned::JumpIf { condition, nonzero, label } => {
                    let op = if *nonzero { Opcode::JumpNonzero } else { Opcode::JumpZero };
                    match self.always(model, *condition, *nonzero) {
                        Some(false) => {}
                        Some(true) => {
                            jumps.push((out.len(), *label));
                            out.push(Instruction::control(Opcode::Jump, 0, 0));
                        }
                        None => {
                            let a = register(*condition, out);
                            jumps.push((out.len(), *label));
                            out.push(Instruction::control(op, a, 0));
                        }
                    }
                }
            }
        }
        for (at, label) in jumps {
            let target = self.labels.get(&label).map_or(0, |step| code.first[*step as usize]);
            code.instructions[at].value = target;
        }
        code
    }
}

/// Checks that the group of a command with its first core in a variable can be one: the variable is a register.
pub(super) fn check_at(model: &StreamModel, plan: &Plan, problems: &mut Problems) {
    for (i, step) in plan.steps.iter().enumerate() {
        let Planned::Submit(resolved) = step else { continue };
        if let Some(id) = resolved.at {
            let place = Place::Group(i as u32);
            if plan.table.number(id).is_none() {
                let label = model.variables[id as usize].label(id);
                problems.add(
                    Rule::Group,
                    place,
                    format!("{label} is a constant"),
                    "write a range of cores, as in `0..8`",
                );
            } else if resolved.queued {
                let message = "a queued command's cores are the dispatcher's choice".to_owned();
                problems.add(Rule::Group, place, message, "give it a number of cores");
            }
        }
    }
}
