//! Reading parts of tensors, also while a run is loaded.

use super::Tensor;
use crate::Result;
use crate::session::Session;

/// The pages of a tensor in chunks: `(first page, bytes of the chunk's pages)`.
///
/// Reading a large tensor takes long: log a line a chunk.
pub struct Chunks {
    session: Session,
    tensor: Tensor,
    next: usize,
    pages: usize,
}

impl Chunks {
    /// Chunks of at most `chunk_bytes`, at least a page each.
    pub(crate) fn new(session: &Session, tensor: Tensor, chunk_bytes: usize) -> Self {
        let pages = (chunk_bytes / tensor.page_bytes()).max(1);
        Self { session: session.clone(), tensor, next: 0, pages }
    }
}

impl Iterator for Chunks {
    type Item = Result<(usize, Vec<u8>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let first = self.next;
        let count = self.pages.min(self.tensor.pages().saturating_sub(first));
        if count == 0 {
            return None;
        }
        let read = self.session.read(&self.tensor, first, count);
        // After an error there is nothing more: the chunks behind it would look like the next ones.
        self.next = if read.is_ok() { first + count } else { self.tensor.pages() };
        Some(read.map(|bytes| (first, bytes)))
    }
}
