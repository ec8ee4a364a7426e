//! Why an engine ends with an error event.

use std::fmt;

use crate::constants::engine as c;

/// A `KM_STREAM_ERROR_*` number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reason(pub u32);

macro_rules! reasons {
    ($($name:ident $constant:ident $meaning:literal $advice:literal)*) => {
        impl Reason {
            $(#[doc = concat!("`", stringify!($constant), "`: ", $meaning, ".")] pub const $name: Self = Self(c::$constant);)*

            /// What was found, and what to do about it.
            const fn texts(self) -> (&'static str, &'static str) {
                match self {
                    $(Self::$name => ($meaning, $advice),)*
                    _ => ("its reason is none that this version knows", "build the host and the dispatcher from one version"),
                }
            }
        }
    };
}

reasons! {
    HEADER KM_STREAM_ERROR_HEADER
        "its header has fields or bits that no upload of this kind has"
        "encode it again, with this version"
    SIZE KM_STREAM_ERROR_SIZE
        "its parts do not add up to its length: it is cut short, or has bytes behind its end"
        "encode it again, with this version"
    BINDINGS KM_STREAM_ERROR_BINDINGS
        "it has bindings, and none are given"
        "start it with its bindings"
    FLAGS KM_STREAM_ERROR_FLAGS
        "a command has flags or bits that no command has"
        "encode it again, with this version"
    HANDLER KM_STREAM_ERROR_HANDLER
        "a command has a handler's number that is the runtime's"
        "encode it again, with this version"
    GROUP KM_STREAM_ERROR_GROUP
        "a command's group has no cores or some outside the grid"
        "keep every group inside the grid"
    ARGS KM_STREAM_ERROR_ARGS
        "a command has more argument words than a command carries"
        "encode it again, with this version"
    REGISTER KM_STREAM_ERROR_REGISTER
        "a register's number is past the last register"
        "encode it again, with this version"
    CODE KM_STREAM_ERROR_CODE
        "a cpu node's instructions are too many, none, or not where they should be"
        "encode it again, with this version"
    OPCODE KM_STREAM_ERROR_OPCODE
        "an instruction has an opcode that there is not, or that a cpu node may not hold"
        "encode it again, with this version"
    OPERAND KM_STREAM_ERROR_OPERAND
        "an instruction has bits that its opcode leaves zero, or names a command that there is not"
        "encode it again, with this version"
    TARGET KM_STREAM_ERROR_TARGET
        "a branch leaves the stream"
        "encode it again, with this version"
    END KM_STREAM_ERROR_END
        "the last instruction does not end the stream"
        "encode it again, with this version"
    EDGE KM_STREAM_ERROR_EDGE
        "an edge names a node that there is not, or a node's edges are not counted right"
        "encode it again, with this version"
    ORDER KM_STREAM_ERROR_ORDER
        "a node's count of predecessors is not that of the edges that lead to it"
        "encode it again, with this version"
    STUCK KM_STREAM_ERROR_STUCK
        "nodes wait for each other in a circle"
        "take the circle out of its edges"
    QUEUE KM_STREAM_ERROR_QUEUE
        "a queued command found the job queue full"
        "keep at most 64 queued commands waiting, over all engines and the host"
    DEADLINE KM_STREAM_ERROR_DEADLINE
        "its deadline passed"
        "give it a longer deadline, or less to do"
    CANCELLED KM_STREAM_ERROR_CANCELLED
        "it was cancelled"
        "start it again if it should run"
}

impl Reason {
    /// Every reason of the headers with its name.
    pub const NAMES: &[(u32, &str)] = &c::STREAM_ERROR_NAMES;

    /// Its name: the suffix in lower case; `None` for a number the headers lack.
    pub fn name(self) -> Option<&'static str> {
        Self::NAMES.iter().find(|(number, _)| *number == self.0).map(|(_, name)| *name)
    }

    /// What was found, for people.
    pub const fn meaning(self) -> &'static str {
        self.texts().0
    }

    /// What to do about it.
    pub const fn advice(self) -> &'static str {
        self.texts().1
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "reason {}", self.0),
        }
    }
}

/// An error of an engine with its place: a stream's pc or a graph's node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{reason}{}", place.map_or_else(String::new, |place| format!(" at {place}")))]
pub struct Refusal {
    /// Why.
    pub reason: Reason,
    /// Where; `None` when the error has no place.
    pub place: Option<u32>,
}
