//! Which tensor lies at an address: for words that are addresses and outlive the call they were given in.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use super::Memory;

/// The memory of a session's tensors, by address. It keeps none of it.
#[derive(Default)]
pub(crate) struct Registry(HashMap<u32, Weak<Memory>>);

impl Registry {
    pub(super) fn add(&mut self, address: u32, memory: &Arc<Memory>) {
        self.0.insert(address, Arc::downgrade(memory));
    }

    /// To be called before the address is free for another tensor.
    pub(super) fn remove(&mut self, address: u32) {
        self.0.remove(&address);
    }

    /// What lies at the addresses that are among `words`.
    pub(crate) fn at(&self, words: &[u32]) -> Vec<Arc<Memory>> {
        words.iter().filter_map(|word| self.0.get(word)?.upgrade()).collect()
    }
}
