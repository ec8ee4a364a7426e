//! The ways in which something is an [`UploadSource`](crate::UploadSource). A call infers them.

/// Checked and encoded when it is uploaded: a [`Graph`](crate::Graph), a [`Stream`](crate::Stream).
#[derive(Clone, Copy, Debug)]
pub enum Built {}

/// Its bytes are known since the crate was built: what `km::graph!` and `km::stream!` declare.
#[derive(Clone, Copy, Debug)]
pub enum Declared {}

/// Encoded bytes as they stand, with the kind that a RUN calls them.
#[derive(Clone, Copy, Debug)]
pub enum Bytes {}
