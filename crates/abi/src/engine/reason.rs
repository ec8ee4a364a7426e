//! Why an engine ends with an error event.

use std::fmt;

use crate::constants::engine as c;

/// A `KM_STREAM_ERROR_*` number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reason(pub u32);

macro_rules! reasons {
    ($($name:ident $constant:ident)*) => {
        impl Reason {
            $(#[doc = concat!("`", stringify!($constant), "`.")] pub const $name: Self = Self(c::$constant);)*
        }
    };
}

reasons! {
    HEADER KM_STREAM_ERROR_HEADER
    SIZE KM_STREAM_ERROR_SIZE
    BINDINGS KM_STREAM_ERROR_BINDINGS
    FLAGS KM_STREAM_ERROR_FLAGS
    HANDLER KM_STREAM_ERROR_HANDLER
    GROUP KM_STREAM_ERROR_GROUP
    ARGS KM_STREAM_ERROR_ARGS
    REGISTER KM_STREAM_ERROR_REGISTER
    CODE KM_STREAM_ERROR_CODE
    OPCODE KM_STREAM_ERROR_OPCODE
    OPERAND KM_STREAM_ERROR_OPERAND
    TARGET KM_STREAM_ERROR_TARGET
    END KM_STREAM_ERROR_END
    EDGE KM_STREAM_ERROR_EDGE
    ORDER KM_STREAM_ERROR_ORDER
    STUCK KM_STREAM_ERROR_STUCK
    QUEUE KM_STREAM_ERROR_QUEUE
    DEADLINE KM_STREAM_ERROR_DEADLINE
    CANCELLED KM_STREAM_ERROR_CANCELLED
}

impl Reason {
    /// Every reason of the headers with its name.
    pub const NAMES: &[(u32, &str)] = &c::STREAM_ERROR_NAMES;

    /// Its name: the suffix in lower case; `None` for a number the headers lack.
    pub fn name(self) -> Option<&'static str> {
        Self::NAMES.iter().find(|(number, _)| *number == self.0).map(|(_, name)| *name)
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
