//! An address as handlers take it.

use crate::Tensor;

/// An address in every DRAM bank, or in every core's L1. Of a tensor: `Address::from(&tensor)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address(pub u32);

impl From<u32> for Address {
    fn from(address: u32) -> Self {
        Self(address)
    }
}

impl From<&Tensor> for Address {
    fn from(tensor: &Tensor) -> Self {
        tensor.address()
    }
}
