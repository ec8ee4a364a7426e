//! Facts about device code that ended wrongly.

use std::fmt;

use komorebi_card::Fault;

use crate::build::CodePlace;
use crate::postmortem::{PostMortemFile, note};
use crate::session::HartState;
use crate::state::ResultBlock;

/// The dispatcher ended with an error, did not end cleanly, or broke its protocol.
#[derive(Clone, Debug)]
pub struct KernelFailed {
    /// What was seen.
    pub what: String,
    /// The exception that ended it, if one did.
    pub trap: Option<HartTrap>,
    /// Its result block, if it wrote one.
    pub result: Option<ResultBlock>,
    /// What the monitor said about each hart of X280 cluster 0 before they were taken back; empty when it could not be asked.
    pub harts: Vec<HartState>,
    /// The file with all that was read back, or why there is none, if one was asked for.
    pub post_mortem: Option<PostMortemFile>,
}

impl std::error::Error for KernelFailed {}

impl fmt::Display for KernelFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the dispatcher failed: {}", self.what)?;
        if let Some(trap) = &self.trap {
            write!(f, "; {trap}")?;
        }
        match &self.result {
            None => f.write_str("; it left no result block")?,
            Some(result) => write!(f, "; {result}")?,
        }
        // A trap says what its hart would.
        if !self.harts.is_empty() && self.trap.is_none() {
            write!(f, "; {}", Harts(&self.harts))?;
        }
        note(f, self.post_mortem.as_ref())
    }
}

/// An exception of an X280 hart, as the monitor reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HartTrap {
    /// The hart.
    pub hart: u32,
    /// `mcause`.
    pub cause: u64,
    /// `mepc`.
    pub pc: u64,
    /// `mtval`.
    pub value: u64,
    /// Where that is in the firmware's sources.
    pub place: Option<CodePlace>,
}

impl HartTrap {
    /// The first trap of `harts`, its place looked up by `locate`.
    pub(crate) fn first(harts: &[HartState], locate: impl Fn(u64) -> Option<CodePlace>) -> Option<Self> {
        (0..).zip(harts).find_map(|(hart, state)| match *state {
            HartState::Trapped { cause, pc, value } => {
                Some(Self { hart, cause, pc, value, place: locate(pc) })
            }
            _ => None,
        })
    }
}

impl fmt::Display for HartTrap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { hart, cause, pc, value, place } = self;
        write!(f, "trap of hart {hart}: mcause {cause:#x}, mepc {pc:#x}, mtval {value:#x}")?;
        place.iter().try_for_each(|place| write!(f, ", in {place}"))
    }
}

/// What the monitor says about each hart, those together that are the same: `hart 0 is running, harts 1..4 are parked`.
pub(super) struct Harts<'a>(pub(super) &'a [HartState]);

impl fmt::Display for Harts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = 0;
        for same in self.0.chunk_by(|a, b| a == b) {
            let (comma, end) = (if first == 0 { "" } else { "; " }, first + same.len());
            match same {
                [one] => write!(f, "{comma}hart {first} is {one}")?,
                [one, ..] => write!(f, "{comma}harts {first}..{end} are {one}")?,
                [] => {}
            }
            first = end;
        }
        Ok(())
    }
}

/// A rule of the hardware that was broken, with the place in the sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultReport {
    /// What the card says.
    pub fault: Fault,
    /// Where, when the image has symbols for it.
    pub place: Option<CodePlace>,
    /// The file with all that is known, or why there is none, if one was asked for.
    pub post_mortem: Option<PostMortemFile>,
}

impl std::error::Error for FaultReport {}

impl fmt::Display for FaultReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the card halted: ")?;
        self.fault.tell(f, self.place.as_ref().map(|place| place as &dyn fmt::Display))?;
        note(f, self.post_mortem.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(first: HartState) -> String {
        let parked = HartState::Parked { value: 0 };
        let harts = vec![first, parked, parked, parked];
        let place = CodePlace { function: "km::turn".into(), line: Some("dispatch.cpp:12".into()) };
        let trap = HartTrap::first(&harts, |_| Some(place.clone()));
        KernelFailed { what: "it ended".into(), trap, result: None, harts, post_mortem: None }.to_string()
    }

    #[test]
    fn harts_that_say_the_same_are_told_together() {
        assert_eq!(
            failed(HartState::Running),
            "the dispatcher failed: it ended; it left no result block; hart 0 is running; harts 1..4 are parked (last image returned 0x0)"
        );
    }

    #[test]
    fn a_trap_is_told_with_its_place_and_once() {
        let trapped = HartState::Trapped { cause: 5, pc: 0x800_1234, value: 0x3000 };
        assert_eq!(
            failed(trapped),
            "the dispatcher failed: it ended; trap of hart 0: mcause 0x5, mepc 0x8001234, mtval 0x3000, in km::turn at dispatch.cpp:12; it left no result block"
        );
    }
}
