//! The wires of `firmware/PROTOCOL.md`, as the host encodes and decodes them.

mod event;
mod line;
mod reject;

pub use event::{EventKind, RawEvent, event_lap};
pub use line::{Line, line_phase};
pub use reject::reject_name;
