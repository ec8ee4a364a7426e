//! Why a hart stopped running.

use komorebi_card::Rule;

use crate::time::Time;

/// What [`Hart::run`](super::Hart::run) came back with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The next thing to do is later than the horizon.
    Horizon,
    /// The hart waits in a loop that nothing but a change of a watched address, or a clock, can end.
    Park(Park),
    /// A `wfi` with nothing pending. The hart stays in it until an interrupt or the NMI is raised.
    Wfi,
    /// The bus refused an access until this moment. The hart's time is that moment already, unless it is
    /// [`NEVER`](crate::time::NEVER): then [`Hart::advance_to`](super::Hart::advance_to) says when.
    Retry(Time),
    /// A strict rule was broken. The instruction has not been executed.
    Fault(Box<Fault>),
}

/// A parked wait loop: iterations start at `since`, `since + period`, and so on, all alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Park {
    /// When the first iteration that was not executed starts.
    pub since: Time,
    /// The length of an iteration.
    pub period: Time,
    /// When the clock that the loop waits for shows its value.
    pub wake: Option<Time>,
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at pc {pc:#x}: {detail}; {rule}")]
pub struct Fault {
    /// Where.
    pub pc: u64,
    /// What was done, with addresses and values.
    pub detail: String,
    /// The rule.
    pub rule: Rule,
}
