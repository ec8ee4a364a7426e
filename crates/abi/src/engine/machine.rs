//! The semantic core of both engines: machines that run an upload step by step and leave commands to somebody else.

use super::{Reason, Record, RecordBody, Refusal, UploadKind};
use crate::constants::{command, engine as c};
use crate::wire::{EventKind, RawEvent};

/// A command as an engine submits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineCommand {
    /// The record it comes from: a graph's node, or one of a stream's commands. Completions name it.
    pub record: u32,
    /// The graph's node again, or the stream's pc of the SUBMIT or ENQUEUE.
    pub node: u32,
    /// Handler's number.
    pub handler: u8,
    /// First core; 0 for a queued one.
    pub first: u8,
    /// Cores.
    pub count: u8,
    /// Argument words in use.
    pub words: u8,
    /// Argument words.
    pub args: [u32; command::ARGS_MAX as usize],
    /// `KM_FLAG_EXCLUSIVE`.
    pub exclusive: bool,
    /// `KM_FLAG_QUEUE`.
    pub queued: bool,
    /// `KM_FLAG_RESULT`.
    pub result: bool,
}

impl EngineCommand {
    /// The arguments in use.
    pub fn args(&self) -> &[u32] {
        &self.args[..usize::from(self.words).min(self.args.len())]
    }

    pub(crate) fn new(
        record: u32,
        node: u32,
        body: &RecordBody,
        registers: &[u32; c::REGISTERS as usize],
    ) -> Option<Self> {
        let RecordBody::Command { handler, first, count, words, mask, mut args, exclusive, queued, result } =
            *body
        else {
            return None;
        };
        for (i, word) in args.iter_mut().enumerate() {
            if mask >> i & 1 != 0 {
                *word = registers[(*word % c::REGISTERS) as usize];
            }
        }
        args.iter_mut().skip(words.into()).for_each(|word| *word = 0);
        Some(Self {
            record,
            node,
            handler,
            first,
            count,
            words,
            args,
            exclusive,
            queued,
            result: result.is_some(),
        })
    }
}

/// What an engine posts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A stream's EVENT: the register.
    Event(u32),
    /// A graph's round ended and another starts: rounds done.
    Round(u32),
    /// A stream's HALT: the register.
    Halt(u32),
    /// A graph's end: the two end registers. Of the first the event carries the low 24 bits.
    End(u32, u32),
    /// An error.
    Error(Refusal),
}

impl Output {
    /// What an event of an engine of this kind says; of the first end register 24 bits. `None` for another event.
    pub fn of_event(event: &RawEvent, kind: UploadKind) -> Option<Self> {
        Some(match (event.kind, kind) {
            (Ok(EventKind::Engine), _) => Self::Event(event.value),
            (Ok(EventKind::Round), _) => Self::Round(event.value),
            (Ok(EventKind::End), UploadKind::Stream) => Self::Halt(event.value),
            (Ok(EventKind::End), UploadKind::Graph) => Self::End(event.auxiliary, event.value),
            (Ok(EventKind::Error), _) => Self::Error(Refusal {
                reason: Reason(event.auxiliary),
                place: (event.value != c::NO_PLACE).then_some(event.value),
            }),
            _ => return None,
        })
    }

    /// Is it the engine's last?
    pub const fn is_last(self) -> bool {
        matches!(self, Self::Halt(_) | Self::End(..) | Self::Error(_))
    }
}

/// What a machine does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Submit this command. [`Machine::refused`] takes it back.
    Submit(EngineCommand),
    /// Post this event.
    Post(Output),
    /// Nothing, until a command completes.
    Wait,
    /// The budget is spent; there is more to do.
    Spent,
    /// It has ended: its last event was posted.
    Ended,
}

/// A stream or a graph while it runs.
pub trait Machine {
    /// Goes on, for at most `budget` instructions, until there is something to do for somebody else.
    fn next(&mut self, budget: u32) -> Step;

    /// A command of `record` has completed with its result word (0 without).
    fn complete(&mut self, record: u32, result: u32);

    /// The command submitted last found the job queue full.
    fn refused(&mut self);

    /// Ends it for `reason` ([`Reason::CANCELLED`], [`Reason::DEADLINE`]): it submits nothing more, and posts its error when
    /// its commands in flight have completed.
    fn stop(&mut self, reason: Reason);

    /// Commands in flight.
    fn in_flight(&self) -> u32;

    /// The register file.
    fn registers(&self) -> &[u32; c::REGISTERS as usize];

    /// Rounds done, the last included; 1 for a stream that has ended.
    fn runs(&self) -> u32;
}

/// Did the command get in?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// Yes.
    Taken,
    /// The job queue is full.
    QueueFull,
}

/// Who runs a machine's commands.
pub trait Commands {
    /// What can fail.
    type Error;

    /// Submits a command; waits for room if it must.
    fn submit(&mut self, command: &EngineCommand) -> Result<Accepted, Self::Error>;

    /// Waits for a command that is in flight; gives its record and its result word (0 without).
    fn completion(&mut self) -> Result<(u32, u32), Self::Error>;

    /// An event.
    fn post(&mut self, output: Output) -> Result<(), Self::Error>;

    /// Looked at between steps: a reason to stop the machine, such as its deadline.
    fn stop(&mut self) -> Option<Reason> {
        None
    }
}

/// How a driven machine ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finish {
    /// Its last event.
    pub output: Output,
    /// Its registers.
    pub registers: [u32; c::REGISTERS as usize],
    /// Rounds.
    pub runs: u32,
    /// Its commands, in the order of their submission.
    pub commands: Vec<EngineCommand>,
    /// All its events, the last included.
    pub events: Vec<Output>,
}

/// Instructions between two looks at [`Commands::stop`].
const BUDGET: u32 = 1024;

/// Runs a machine to its end.
pub fn drive<C: Commands>(machine: &mut dyn Machine, by: &mut C) -> Result<Finish, C::Error> {
    let mut commands = Vec::new();
    let mut events = Vec::new();
    let mut stopped = false;
    loop {
        if !stopped && let Some(reason) = by.stop() {
            machine.stop(reason);
            stopped = true;
        }
        match machine.next(BUDGET) {
            Step::Submit(command) => match by.submit(&command)? {
                Accepted::Taken => commands.push(command),
                Accepted::QueueFull => machine.refused(),
            },
            Step::Post(output) => {
                by.post(output)?;
                events.push(output);
                if output.is_last() {
                    return Ok(Finish {
                        output,
                        registers: *machine.registers(),
                        runs: machine.runs(),
                        commands,
                        events,
                    });
                }
            }
            Step::Wait => {
                let (record, result) = by.completion()?;
                machine.complete(record, result);
            }
            Step::Spent => {}
            // A machine that has ended before it was driven: its last event is gone.
            Step::Ended => {
                let output = Output::Error(Refusal { reason: Reason::CANCELLED, place: None });
                return Ok(Finish {
                    output,
                    registers: *machine.registers(),
                    runs: machine.runs(),
                    commands,
                    events,
                });
            }
        }
    }
}

/// The registers at a start.
pub(crate) fn initial(bindings: &[u32], count: u8) -> [u32; c::REGISTERS as usize] {
    let mut registers = [0; c::REGISTERS as usize];
    for (register, word) in registers.iter_mut().zip(bindings).take(count.into()) {
        *register = *word;
    }
    registers
}

/// Stores the result of a command of `record`.
pub(crate) fn store_result(
    record: Option<&Record>,
    result: u32,
    registers: &mut [u32; c::REGISTERS as usize],
) {
    if let Some(Record { body: RecordBody::Command { result: Some(register), .. }, .. }) = record {
        registers[usize::from(*register) % c::REGISTERS as usize] = result;
    }
}
