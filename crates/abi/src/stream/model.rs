//! The stream as declared.

use crate::engine::{Command, NamedGroup, Ref, Statement, Value, Variable};

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum StepBody {
    /// An arithmetic instruction.
    Compute(Statement),
    /// Submits a command, or puts it into the job queue.
    Submit(Command),
    /// Waits until none of a step's commands is in flight.
    Wait(Ref),
    /// Waits until no command of the stream is in flight.
    WaitAll,
    /// Posts an event.
    Event(Value),
    /// Waits as [`StepBody::WaitAll`], then ends with a value.
    Halt(Value),
    /// A place that jumps name, by number.
    Label(u32),
    /// Goes to a label.
    Jump(u32),
    /// Goes to a label if a value is 0, or if it is not.
    JumpIf {
        /// The value.
        condition: Value,
        /// Go if it is not 0; else if it is.
        nonzero: bool,
        /// Where to.
        label: u32,
    },
}

/// A step.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamStep {
    /// Its name, for waits; `None` for one that only its position names.
    pub name: Option<String>,
    /// What it does.
    pub body: StepBody,
}

impl StreamStep {
    /// How messages call it.
    pub fn label(&self, id: u32) -> String {
        match (&self.name, &self.body) {
            (Some(name), _) => format!("`{name}`"),
            (None, StepBody::Submit(command)) => format!("{} (step {id})", command.handler_label()),
            _ => format!("step {id}"),
        }
    }
}

/// A stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamModel {
    /// Its name, for messages.
    pub name: Option<String>,
    /// Microseconds it may take; `None`: no deadline.
    pub deadline_us: Option<u64>,
    /// What its events carry.
    pub req: u64,
    /// Bindings, registers and constants. References are positions in it, or names.
    pub variables: Vec<Variable>,
    /// Named groups.
    pub groups: Vec<NamedGroup>,
    /// Steps.
    pub steps: Vec<StreamStep>,
}
