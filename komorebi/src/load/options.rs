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
    /// The dispatcher's own idle timeout; zero turns it off.
    pub kernel_idle: Duration,
    /// What the grid may take to report READY.
    pub start: Duration,
    /// Lines of the command ring: a power of two, at most 64.
    pub host_depth: u32,
    /// Events of the event ring: a power of two, at most 128.
    pub event_depth: u32,
    /// Commands stored behind one fence.
    pub batch: u32,
    /// The host's pause between a fence and its next store into the card.
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

impl LoadOptions {
    /// Checks every range.
    pub(crate) fn check(&self) -> Result<()> {
        let wrong = |name, found: String, expected| Err(Error::LoadOption { name, found, expected });
        if self.trace != 0 {
            return Err(Error::NotInThisVersion {
                what: format!("a trace of {} commands", self.trace),
                instead: "load with trace 0",
            });
        }
        let power = |value: u32, most: u32| value.is_power_of_two() && value <= most;
        if !power(self.host_depth, command::RING_LINES_MAX) {
            return wrong("host_depth", self.host_depth.to_string(), "give a power of two of at most 64");
        }
        // An event ring of one never has room: one event is always kept free (PROTOCOL.md, "Event room").
        if !power(self.event_depth, event::EVENT_DEPTH_MAX) || self.event_depth < 2 {
            return wrong("event_depth", self.event_depth.to_string(), "give a power of two from 2 to 128");
        }
        if self.batch == 0 {
            return wrong("batch", self.batch.to_string(), "give at least 1");
        }
        for (name, time) in
            [("deadline", self.deadline), ("wait", self.wait), ("idle", self.idle), ("start", self.start)]
        {
            if time.is_zero() || time > Duration::from_secs(86_400) {
                return wrong(name, format!("{time:?}"), "give more than zero and at most a day");
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
}
