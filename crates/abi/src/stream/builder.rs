//! A stream built at run time, structured or by labels.

use std::collections::BTreeSet;

use super::{StepBody, StreamModel, StreamStep, check, encode};
use crate::engine::{
    Arithmetic, Command, Encoded, Facts, Group, HandlerRef, Problem, Ref, Statement, Value, builder_head,
};

/// A stream.
///
/// ```
/// use komorebi_abi::engine::Arithmetic;
/// use komorebi_abi::stream::Stream;
///
/// let mut stream = Stream::new().req(3);
/// let [job, more] = [stream.register(), stream.register()];
/// stream.set(job, 0);
/// stream.while_(
///     |s| {
///         s.ltu(more, job, 15);
///         more.into()
///     },
///     |s| {
///         s.submit("map", 0..8, [job.into()]);
///         s.add(job, job, 1);
///     },
/// );
/// stream.wait_all().halt(job);
/// assert_eq!(stream.model().steps.len(), 10);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stream {
    model: StreamModel,
    labels: u32,
    /// The labels that jumps go to.
    used: BTreeSet<u32>,
    /// Where `break` and `continue` of the loops around go: end, top.
    loops: Vec<(Label, Label)>,
}

/// A place in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label(pub u32);

/// A step that submits a command, to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Submitted(pub u32);

impl From<Submitted> for Ref {
    fn from(step: Submitted) -> Self {
        Self::Id(step.0)
    }
}

impl Stream {
    builder_head!();

    /// A stream with req 0 and no deadline.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a step; gives its position.
    pub fn push(&mut self, body: StepBody) -> u32 {
        if let StepBody::Jump(label) | StepBody::JumpIf { label, .. } = body {
            self.used.insert(label);
        }
        self.model.steps.push(StreamStep { name: None, body });
        self.model.steps.len() as u32 - 1
    }

    /// Submits a command and goes on.
    pub fn submit(
        &mut self,
        handler: impl Into<HandlerRef>,
        group: impl Into<Group>,
        args: impl Into<Vec<Value>>,
    ) -> StepBuilder<'_> {
        self.command(Command::new(handler, group, args))
    }

    /// Submits a command to `count` cores from the one in `first` on.
    pub fn submit_at(
        &mut self,
        handler: impl Into<HandlerRef>,
        first: impl Into<Ref>,
        count: u32,
        args: impl Into<Vec<Value>>,
    ) -> StepBuilder<'_> {
        self.command(Command::new(handler, Group::At(first.into(), count.into()), args))
    }

    /// Puts a command for `count` cores into the job queue and goes on.
    pub fn enqueue(
        &mut self,
        handler: impl Into<HandlerRef>,
        count: u32,
        args: impl Into<Vec<Value>>,
    ) -> StepBuilder<'_> {
        self.command(Command { queued: true, ..Command::new(handler, Group::Count(count.into()), args) })
    }

    /// Submits a command, given whole.
    pub fn command(&mut self, command: Command) -> StepBuilder<'_> {
        let id = self.push(StepBody::Submit(command));
        StepBuilder { step: &mut self.model.steps[id as usize], id: Submitted(id) }
    }

    /// Waits until none of a step's commands is in flight.
    pub fn wait(&mut self, step: impl Into<Ref>) -> &mut Self {
        self.push(StepBody::Wait(step.into()));
        self
    }

    /// Waits until no command is in flight.
    pub fn wait_all(&mut self) -> &mut Self {
        self.push(StepBody::WaitAll);
        self
    }

    /// Posts an event.
    pub fn event(&mut self, value: impl Into<Value>) -> &mut Self {
        self.push(StepBody::Event(value.into()));
        self
    }

    /// Waits for all commands and ends with a value.
    pub fn halt(&mut self, value: impl Into<Value>) -> &mut Self {
        self.push(StepBody::Halt(value.into()));
        self
    }

    /// A label, to be placed.
    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    /// Places a label here.
    pub fn place(&mut self, label: Label) -> &mut Self {
        self.push(StepBody::Label(label.0));
        self
    }

    /// Goes to a label.
    pub fn jump(&mut self, label: Label) -> &mut Self {
        self.push(StepBody::Jump(label.0));
        self
    }

    /// Goes to a label if a value is not 0.
    pub fn jump_if(&mut self, condition: impl Into<Value>, label: Label) -> &mut Self {
        self.push(StepBody::JumpIf { condition: condition.into(), nonzero: true, label: label.0 });
        self
    }

    /// Goes to a label if a value is 0.
    pub fn jump_unless(&mut self, condition: impl Into<Value>, label: Label) -> &mut Self {
        self.push(StepBody::JumpIf { condition: condition.into(), nonzero: false, label: label.0 });
        self
    }

    /// Does the last step go on to the next?
    fn goes_on(&self) -> bool {
        !matches!(self.model.steps.last().map(|step| &step.body), Some(StepBody::Jump(_) | StepBody::Halt(_)))
    }

    /// Places a label that nothing may use: without a jump to it, it would hide that the step before leaves.
    fn place_used(&mut self, label: Label) {
        if self.used.contains(&label.0) {
            self.place(label);
        }
    }

    /// Does `then` if a value is not 0.
    pub fn if_(&mut self, condition: impl Into<Value>, then: impl FnOnce(&mut Self)) -> &mut Self {
        let end = self.label();
        self.jump_unless(condition, end);
        then(self);
        self.place(end)
    }

    /// Does `then` if a value is not 0, else `otherwise`.
    pub fn if_else(
        &mut self,
        condition: impl Into<Value>,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) -> &mut Self {
        let (other, end) = (self.label(), self.label());
        self.jump_unless(condition, other);
        then(self);
        if self.goes_on() {
            self.jump(end);
        }
        self.place(other);
        otherwise(self);
        self.place_used(end);
        self
    }

    /// Does `body` again and again; [`Stream::break_`] leaves.
    pub fn loop_(&mut self, body: impl FnOnce(&mut Self)) -> &mut Self {
        self.while_(|_| Value::Int(1), body)
    }

    /// Does `body` while the value that `condition` computes is not 0.
    pub fn while_(
        &mut self,
        condition: impl FnOnce(&mut Self) -> Value,
        body: impl FnOnce(&mut Self),
    ) -> &mut Self {
        let (top, end) = (self.label(), self.label());
        self.place(top);
        let value = condition(self);
        if value != Value::Int(1) {
            self.jump_unless(value, end);
        }
        self.loops.push((end, top));
        body(self);
        self.loops.pop();
        if self.goes_on() {
            self.jump(top);
        }
        self.place_used(end);
        self
    }

    /// Leaves the loop around; outside of one, goes to a label that is nowhere, which the check refuses.
    pub fn break_(&mut self) -> &mut Self {
        let end = self.loops.last().map_or(Label(u32::MAX), |around| around.0);
        self.jump(end)
    }

    /// Goes on with the next turn of the loop around; outside of one, as [`Stream::break_`].
    pub fn continue_(&mut self) -> &mut Self {
        let top = self.loops.last().map_or(Label(u32::MAX), |around| around.1);
        self.jump(top)
    }

    /// The model.
    pub fn model(&self) -> &StreamModel {
        &self.model
    }

    /// The model.
    pub fn into_model(self) -> StreamModel {
        self.model
    }

    /// Every problem it has as a stream of a program.
    pub fn check(&self, facts: &Facts) -> Vec<Problem> {
        check(&self.model, facts)
    }

    /// Its upload.
    pub fn encode(&self, facts: &Facts) -> Result<Encoded, Vec<Problem>> {
        encode(&self.model, facts)
    }
}

impl Arithmetic for Stream {
    fn statement(&mut self, statement: Statement) {
        self.push(StepBody::Compute(statement));
    }
}

/// A command's step while it is declared.
#[derive(Debug)]
pub struct StepBuilder<'a> {
    step: &'a mut StreamStep,
    id: Submitted,
}

impl StepBuilder<'_> {
    fn edit(self, edit: impl FnOnce(&mut Command)) -> Self {
        if let StepBody::Submit(command) = &mut self.step.body {
            edit(command);
        }
        self
    }

    /// The register that its result word goes to: to be read behind a wait.
    pub fn result(self, register: impl Into<Ref>) -> Self {
        self.edit(|command| command.result = Some(register.into()))
    }

    /// Alone on its cores.
    pub fn exclusive(self) -> Self {
        self.edit(|command| command.exclusive = true)
    }

    /// Names it, for waits by name.
    pub fn named(self, name: &str) -> Self {
        self.step.name = Some(name.to_owned());
        self
    }

    /// The step.
    pub fn id(self) -> Submitted {
        self.id
    }
}
