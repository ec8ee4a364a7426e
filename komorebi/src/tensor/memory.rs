//! The memory of a tensor, which outlives it while engines are bound to it.

use std::sync::Arc;

use crate::session::Session;

/// A range of every DRAM bank; its last holder gives it back.
pub(crate) struct Memory {
    session: Session,
    address: u32,
    bank_bytes: u64,
}

impl Memory {
    pub(super) fn new(session: &Session, address: u32, bank_bytes: u64) -> Arc<Self> {
        Arc::new(Self { session: session.clone(), address, bank_bytes })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.session.tensors().remove(self.address);
        self.session.allocator().free(self.address.into(), self.bank_bytes);
    }
}
