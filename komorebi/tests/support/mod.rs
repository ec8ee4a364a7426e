//! What the tests of the host's own cost share.

pub(crate) mod counting;
pub(crate) mod null_card;
