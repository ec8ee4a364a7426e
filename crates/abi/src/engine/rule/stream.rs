//! The catalogue of streams.

use super::{Entry, Rule};

pub(super) const CATALOGUE: &[Entry] = &[
    (
        Rule::StreamLoop,
        "KM0200",
        "a loop with no way out",
        "Nothing in the loop leaves it, or only under a condition that nothing in it changes: the stream would end by its deadline or a cancel only.",
    ),
    (Rule::StreamTarget, "KM0201", "a branch to nowhere", "A branch goes to a place in its own stream."),
    (
        Rule::StreamEnd,
        "KM0202",
        "the stream goes on past its end",
        "A stream ends with a halt, which says the value of its end event.",
    ),
    (
        Rule::WaitUnknown,
        "KM0203",
        "a wait for a command that no path has submitted",
        "It waits for nothing, or names a step that submits no command.",
    ),
    (
        Rule::StreamUnreachable,
        "KM0204",
        "a step that nothing reaches",
        "Everything before it leaves: a halt, a jump, a loop without break.",
    ),
];
