//! Load arguments, with the defaults of host-api.

use std::path::PathBuf;
use std::time::Duration;

use komorebi_abi::constants::{command, event};

use crate::{Error, Result};

/// How a program is loaded. `LoadOptions { deadline: .., ..Default::default() }`.
///
/// Times are on the card's clock. [`Session::load_with`](crate::Session::load_with) checks every range before it builds or
/// touches anything: [`Error::LoadOption`] names the option, its value and its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// Commands in flight over the whole grid, 1 to 16. `None`, the default, keeps the program's.
    pub depth: Option<u32>,
    /// Commands traced a core: those with the sequence numbers from 1 to this, of all sources, read back after the stop as
    /// [`StopReport::trace`](crate::state::StopReport::trace). 16 bytes of each core's L1 a command, behind the circular
    /// buffers. 0, the default, is no trace, and kernels without an instruction for it.
    pub trace: u32,
    /// What a command may take from submit to its group's completion, waiting behind earlier commands included, 1 us to a
    /// day; 1 s by default. A command that takes longer ends the run with [`Error::CommandTimeout`]. Looked at four times a
    /// millisecond, in ticks of 20 ns.
    pub deadline: Duration,
    /// What a core's wait for another core, for a page of a buffer or for the NoC may take, 1 us to a day; 2 s by default.
    /// A thread that waits longer gives up, and its command misses its deadline. Counted in cycles of the cores' clock.
    pub wait: Duration,
    /// What a core's wait for the next command may take, 1 us to a day; 120 s by default: the longest the host may stay
    /// silent. Counted in cycles of the cores' clock, by reader and writer: a compute thread waits for what they hand on.
    pub idle: Duration,
    /// How long the dispatcher waits for a command with nothing in flight before it ends the run, 1 us to a day in ticks of
    /// 20 ns; zero, the default, turns it off.
    pub kernel_idle: Duration,
    /// What the grid may take from its release to READY, 1 us to a day in ticks of 20 ns; 10 s by default. A grid that takes
    /// longer is an [`Error::StartError`].
    pub start: Duration,
    /// Lines of the command ring in the X280's memory: a power of two from 1 to 64, the default.
    pub host_depth: u32,
    /// Events of the event ring in the host's memory: a power of two from 2 to 128, the default.
    pub event_depth: u32,
    /// The most commands stored behind one fence, at least 1; 64 by default. More than `host_depth` is as much as that.
    pub batch: u32,
    /// The host's pause between a fence and its next store into the card, at most a second; 1 us by default.
    pub settle: Duration,
    /// The folder that a failure of this load leaves a [`PostMortem`](crate::PostMortem) in; it is made. Without it the one that
    /// the variable `KM_POSTMORTEM` names; without both, the default, no file is written.
    pub post_mortem: Option<PathBuf>,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            depth: None,
            trace: 0,
            deadline: Duration::from_secs(1),
            wait: Duration::from_secs(2),
            idle: Duration::from_secs(120),
            kernel_idle: Duration::ZERO,
            start: Duration::from_secs(10),
            host_depth: 64,
            event_depth: 128,
            batch: 64,
            settle: Duration::from_micros(1),
            post_mortem: None,
        }
    }
}

/// The shortest and the longest time that an option may be: some ticks and cycles at least, and far from where the counts
/// of the dispatcher's and the cores' clocks end.
const SHORTEST: Duration = Duration::from_micros(1);
const LONGEST: Duration = Duration::from_secs(86_400);

impl LoadOptions {
    /// The longest pause between a fence and the next store: a wait is not to outlast its timeout for it.
    pub(crate) const SETTLE_MAX: Duration = Duration::from_secs(1);

    /// Checks every range.
    pub(crate) fn check(&self) -> Result<()> {
        let wrong = |name, found: String, expected: String| Err(Error::LoadOption { name, found, expected });
        if let Some(depth) = self.depth.filter(|depth| !(1..=command::SLOTS_MAX).contains(depth)) {
            let expected = format!("give 1 to {}", command::SLOTS_MAX);
            return wrong("depth", depth.to_string(), expected);
        }
        let power = |value: u32, most: u32| value.is_power_of_two() && value <= most;
        if !power(self.host_depth, command::RING_LINES_MAX) {
            let expected = format!("give a power of two from 1 to {}", command::RING_LINES_MAX);
            return wrong("host_depth", self.host_depth.to_string(), expected);
        }
        // An event ring of one never has room: one event is always kept free (PROTOCOL.md, "Event room").
        if !power(self.event_depth, event::EVENT_DEPTH_MAX) || self.event_depth < 2 {
            let expected = format!("give a power of two from 2 to {}", event::EVENT_DEPTH_MAX);
            return wrong("event_depth", self.event_depth.to_string(), expected);
        }
        if self.batch == 0 {
            return wrong("batch", self.batch.to_string(), "give at least 1".into());
        }
        let times =
            [("deadline", self.deadline), ("wait", self.wait), ("idle", self.idle), ("start", self.start)];
        for (name, time) in times {
            check_time(name, time)?;
        }
        if !self.kernel_idle.is_zero() {
            check_time("kernel_idle", self.kernel_idle)?;
        }
        if self.settle > Self::SETTLE_MAX {
            let expected = format!("give at most {:?}", Self::SETTLE_MAX);
            return wrong("settle", format!("{:?}", self.settle), expected);
        }
        Ok(())
    }
}

/// Checks a time that the dispatcher or the cores count.
pub(crate) fn check_time(name: &'static str, time: Duration) -> Result<()> {
    if (SHORTEST..=LONGEST).contains(&time) {
        return Ok(());
    }
    let off = if name == "kernel_idle" { ", or zero for none" } else { "" };
    let expected = format!("give {SHORTEST:?} to {LONGEST:?}{off}");
    Err(Error::LoadOption { name, found: format!("{time:?}"), expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_contract_and_pass_their_own_check() {
        let options = LoadOptions::default();
        assert!(options.check().is_ok());
        assert_eq!((options.host_depth, options.event_depth, options.batch), (64, 128, 64));
    }

    #[test]
    fn a_ring_that_is_no_power_of_two_is_refused_by_its_name() {
        let options = LoadOptions { event_depth: 96, ..LoadOptions::default() };
        let error = options.check().unwrap_err();
        assert_eq!(error.to_string(), "event_depth is 96; give a power of two from 2 to 128");
        assert!(LoadOptions { host_depth: 128, ..LoadOptions::default() }.check().is_err());
        assert!(LoadOptions { deadline: Duration::ZERO, ..LoadOptions::default() }.check().is_err());
    }

    #[test]
    fn a_time_may_be_zero_only_where_zero_turns_it_off_and_never_without_end() {
        let default = LoadOptions::default;
        let off = LoadOptions { kernel_idle: Duration::ZERO, settle: Duration::ZERO, ..default() };
        assert!(off.check().is_ok());
        type Set = fn(&mut LoadOptions, Duration);
        let set: [(&str, Set); 5] = [
            ("deadline", |options, time| options.deadline = time),
            ("wait", |options, time| options.wait = time),
            ("idle", |options, time| options.idle = time),
            ("kernel_idle", |options, time| options.kernel_idle = time),
            ("start", |options, time| options.start = time),
        ];
        for (name, set) in set {
            let with = |time| {
                let mut options = default();
                set(&mut options, time);
                options.check()
            };
            for time in [SHORTEST, LONGEST] {
                assert!(with(time).is_ok(), "{name} {time:?}");
            }
            for time in
                [Duration::from_nanos(1), Duration::from_nanos(999), LONGEST + SHORTEST, Duration::MAX]
            {
                let message = with(time).unwrap_err().to_string();
                let start = format!("{name} is {time:?}; give 1µs to 86400s");
                assert!(message.starts_with(&start), "{message}");
            }
            assert_eq!(with(Duration::ZERO).is_ok(), name == "kernel_idle");
        }
        for time in [Duration::MAX, Duration::from_millis(1001)] {
            let error = LoadOptions { settle: time, ..default() }.check().unwrap_err();
            assert!(matches!(error, Error::LoadOption { name: "settle", .. }), "{error}");
        }
    }
}
