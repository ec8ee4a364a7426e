//! Which tensor lies at an address: for words that are addresses and outlive the call they were given in.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use super::{Inner, Tensor};
use crate::Address;

/// The tensors of a session, by address. It keeps none of them alive.
#[derive(Default)]
pub(crate) struct Registry(HashMap<u32, Weak<Inner>>);

impl Registry {
    pub(super) fn add(&mut self, tensor: &Tensor) {
        self.0.insert(tensor.address().0, Arc::downgrade(&tensor.0));
    }

    /// To be called before the address is free for another tensor.
    pub(super) fn remove(&mut self, address: Address) {
        self.0.remove(&address.0);
    }

    /// The tensors whose address is one of `words`.
    pub(crate) fn at(&self, words: &[u32]) -> Vec<Tensor> {
        words.iter().filter_map(|word| self.0.get(word)?.upgrade()).map(Tensor).collect()
    }
}
