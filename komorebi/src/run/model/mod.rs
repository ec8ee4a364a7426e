//! Sequence numbers and event room, held against small models of what the contract says of them.

mod dispatcher;
mod room;
mod sequence;
