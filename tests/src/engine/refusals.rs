//! The rules of the dispatcher's check, by the lines of its source that refuse an upload.

use std::collections::BTreeMap;

use komorebi_abi::constants::launch;
use komorebi_abi::engine::Reason;

use crate::dispatcher::Rig;

const CHECK: &str = include_str!("../../../firmware/src/dispatch/check.h");
const REFUSE: &str = "refuse(KM_STREAM_ERROR_";

/// Every line of `check.h` that refuses uploads, with its reason.
///
/// # Panics
/// When a line has two of them: they could not be told apart.
pub fn lines() -> BTreeMap<u32, Reason> {
    let mut lines = BTreeMap::new();
    for (line, text) in (1..).zip(CHECK.lines()) {
        let mut reasons = text.match_indices(REFUSE).map(|(at, found)| {
            let name = text[at + found.len()..].split(')').next().unwrap_or_default().to_lowercase();
            let number = Reason::NAMES.iter().find(|(_, other)| *other == name);
            Reason(number.unwrap_or_else(|| panic!("line {line} of check.h: no reason is called {name}")).0)
        });
        if let Some(reason) = reasons.next() {
            assert_eq!(reasons.next(), None, "line {line} of check.h refuses twice");
            lines.insert(line, reason);
        }
    }
    lines
}

/// Source text of a line of `check.h`.
pub fn source(line: u32) -> &'static str {
    CHECK.lines().nth(line as usize - 1).unwrap_or_default().trim()
}

impl Rig {
    /// The last upload refused: its req, the reason, the line of `check.h`.
    pub fn refused(&self) -> (u16, Reason, u32) {
        let word = self.state(launch::STATE_REFUSED);
        let (req, line) = (word >> launch::REFUSED_REQ_SHIFT, word as u32 >> launch::REFUSED_LINE_SHIFT);
        (req as u16, Reason(word as u32 & ((1 << launch::REFUSED_LINE_SHIFT) - 1)), line)
    }
}
