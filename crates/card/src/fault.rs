//! A broken rule of the hardware: which, by whom, where and when.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{CardTime, NocXy, Rule};

/// A rule of the hardware that device code or the host broke; the card has halted and answers every later call with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub struct Fault {
    /// The rule.
    pub rule: Rule,
    /// The tile the offender sits on (the PCIe tile for the host).
    pub tile: NocXy,
    /// Who did it: `host`, a baby core's name (`B`, `NC`, `T0`, `T1`, `T2`), `hart 0`, or `a message to (5, 4)` when the rule was
    /// broken where a request of the tile arrived.
    pub agent: String,
    /// Its program counter, for a core or a hart.
    pub pc: Option<u64>,
    /// What it did, with addresses and values.
    pub detail: String,
    /// When, on the card's clock.
    pub at: CardTime,
}

impl Fault {
    /// Tells it, with the place in the sources where one is known: code, who and where, what, the rule and its source, and
    /// where there is more about it.
    ///
    /// # Errors
    /// The formatter's.
    pub fn tell(&self, f: &mut fmt::Formatter<'_>, place: Option<&dyn fmt::Display>) -> fmt::Result {
        let Self { rule, tile, agent, pc, detail, at: _ } = self;
        let code = rule.code();
        write!(f, "[{code}] {agent} at tile {tile}")?;
        pc.iter().try_for_each(|pc| write!(f, ", pc {pc:#x}"))?;
        place.iter().try_for_each(|place| write!(f, ", in {place}"))?;
        write!(f, ": {detail}; the rule: {rule}; `cargo komorebi explain {code}` says more")
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tell(f, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_says_which_rule_who_where_what_and_where_there_is_more() {
        let mut fault = Fault {
            rule: Rule::PacketSize,
            tile: NocXy::new(4, 5),
            agent: "NC".to_owned(),
            pc: Some(0x1_2034),
            detail: "packet of 0 bytes".to_owned(),
            at: CardTime::from_nanos(7),
        };
        let rule = "the rule: a packet has 1 to 16384 bytes (tensix.md §4); `cargo komorebi explain KF0305` says more";
        assert_eq!(
            fault.to_string(),
            format!("[KF0305] NC at tile {}, pc 0x12034: packet of 0 bytes; {rule}", fault.tile)
        );
        (fault.agent, fault.pc) = ("host".to_owned(), None);
        assert_eq!(
            fault.to_string(),
            format!("[KF0305] host at tile {}: packet of 0 bytes; {rule}", fault.tile)
        );
    }
}
