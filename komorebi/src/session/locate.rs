//! Where in the sources a fault happened: the images' symbols.

use komorebi_card::Fault;

use super::Session;
use crate::Error;
use crate::build::{CodePlace, Kernels};
use crate::error::FaultReport;

/// The cores as the card names them, in the order of the program's images: reader, writer, unpack, math, pack.
const CORES: [&str; 5] = ["NC", "B", "T0", "T1", "T2"];

impl Session {
    /// `error`, with the place in the sources when it is a fault of code that has symbols.
    pub(crate) fn located(&self, error: Error) -> Error {
        match error {
            Error::Fault(report) if report.place.is_none() => {
                let place = self.place_of(&report.fault);
                Error::Fault(Box::new(FaultReport { place, ..*report }))
            }
            other => other,
        }
    }

    /// Where in the firmware's sources an X280 hart is at `pc`.
    pub(crate) fn firmware_place(&self, pc: u64) -> Option<CodePlace> {
        let firmware = self.firmware();
        firmware.dispatcher.locate(pc).or_else(|| firmware.monitor.locate(pc))
    }

    fn place_of(&self, fault: &Fault) -> Option<CodePlace> {
        let loaded = self.loaded();
        self.place_at(loaded.as_ref().map(|loaded| &*loaded.kernels), &fault.agent, fault.pc?)
    }

    /// Where in the sources `agent`, as the card names it, is at `pc` when its core runs one of `kernels`.
    pub(crate) fn place_at(&self, kernels: Option<&Kernels>, agent: &str, pc: u64) -> Option<CodePlace> {
        match CORES.iter().position(|core| agent == *core) {
            Some(thread) => kernels?.threads[thread].locate(pc),
            None if agent.starts_with("hart") => self.firmware_place(pc),
            None => None,
        }
    }
}
