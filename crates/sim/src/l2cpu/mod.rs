//! An X280 cluster (host.md §6): four rv64 harts, their caches, LIM, interrupts, peripherals, windows onto the NoC.
//!
//! docs/x280.md says what of it is modelled.

mod backing;
mod bus;
mod cached;
mod caches;
mod clint;
mod cluster;
mod elsewhere;
mod icache;
mod internal;
mod l1;
mod lim;
mod lines;
mod map;
mod multicast;
mod noc_read;
mod peripherals;
mod plic;
mod shared;
mod window_load;
mod windows;

pub(crate) use cluster::Cluster;
pub(crate) use map::{is_memory, is_within};
pub(crate) use window_load::{Answer, WindowLoad};

/// True for the registers of the cluster's devices.
pub(crate) fn is_device(address: u64) -> bool {
    (clint::BASE..shared::CLINT_END).contains(&address)
        || (plic::Plic::BASE..plic::Plic::END).contains(&address)
        || crate::target::HART_PERIPHERALS.contains(&address)
        || internal::is_internal(address)
}
