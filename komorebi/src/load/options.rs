//! Load arguments, with the defaults of host-api.

use std::time::Duration;

use komorebi_abi::constants::{command, event};

use crate::{Error, Result};

/// How a program is loaded. `LoadOptions { deadline: .., ..Default::default() }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// Commands in flight, 1 to 16; `None` keeps the program's.
    pub depth: Option<u32>,
    /// Commands traced a core; only 0, no trace, in this version.
    pub trace: u32,
    /// What a command may take from submit to its group's completion.
    pub deadline: Duration,
    /// What a core's wait for another core may take.
    pub wait: Duration,
    /// What a core's wait for the next command may take: the longest the host may stay silent.
    pub idle: Duration,
    /// The dispatcher's own idle timeout, at most a day; zero turns it off.
    pub kernel_idle: Duration,
    /// What the grid may take to report READY.
    pub start: Duration,
    /// Lines of the command ring: a power of two, at most 64.
    pub host_depth: u32,
    /// Events of the event ring: a power of two, at most 128.
    pub event_depth: u32,
    /// Commands stored behind one fence.
    pub batch: u32,
    /// The host's pause between a fence and its next store into the card, at most a second.
    pub settle: Duration,
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
        }
    }
}

/// The longest time that a load argument may be.
const DAY: Duration = Duration::from_secs(86_400);

impl LoadOptions {
    /// The longest pause between a fence and the next store: a wait is not to outlast its timeout for it.
    pub(crate) const SETTLE_MAX: Duration = Duration::from_secs(1);

    /// Checks every range.
    pub(crate) fn check(&self) -> Result<()> {
        let wrong = |name, found: String, expected: String| Err(Error::LoadOption { name, found, expected });
        if self.trace != 0 {
            return Err(Error::NotInThisVersion {
                what: format!("a trace of {} commands", self.trace),
                instead: "load with trace 0".into(),
            });
        }
        let power = |value: u32, most: u32| value.is_power_of_two() && value <= most;
        if !power(self.host_depth, command::RING_LINES_MAX) {
            let expected = format!("give a power of two of at most {}", command::RING_LINES_MAX);
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
        for (name, time) in
            [("deadline", self.deadline), ("wait", self.wait), ("idle", self.idle), ("start", self.start)]
        {
            if time.is_zero() || time > DAY {
                return wrong(name, format!("{time:?}"), "give more than zero and at most a day".into());
            }
        }
        for (name, time, most) in
            [("kernel_idle", self.kernel_idle, DAY), ("settle", self.settle, Self::SETTLE_MAX)]
        {
            if time > most {
                return wrong(name, format!("{time:?}"), format!("give at most {most:?}"));
            }
        }
        Ok(())
    }
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
        let zero = Duration::ZERO;
        let off = LoadOptions { kernel_idle: zero, settle: zero, ..LoadOptions::default() };
        assert!(off.check().is_ok());
        for (name, options) in [
            ("kernel_idle", LoadOptions { kernel_idle: Duration::MAX, ..LoadOptions::default() }),
            ("settle", LoadOptions { settle: Duration::MAX, ..LoadOptions::default() }),
            ("settle", LoadOptions { settle: Duration::from_millis(1001), ..LoadOptions::default() }),
            ("idle", LoadOptions { idle: Duration::MAX, ..LoadOptions::default() }),
        ] {
            let error = options.check().unwrap_err();
            assert!(matches!(error, Error::LoadOption { name: found, .. } if found == name), "{error}");
        }
    }
}
