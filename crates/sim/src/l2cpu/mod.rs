//! An X280 cluster (host.md §6): four rv64 harts, LIM, CLINT, peripherals, windows onto the NoC.

mod bus;
mod clint;
mod cluster;
mod lim;
mod peripherals;
mod shared;
mod windows;

pub(crate) use cluster::Cluster;

/// Local DRAM, uncached and cached (host.md §6.3).
const DRAM_VIEWS: [u64; 2] = [0x3000_0000, 0x4000_3000_0000];
/// Bytes of it.
const DRAM_BYTES: u64 = 1 << 32;

/// The offset into local DRAM of an address of either view.
pub(crate) fn dram_offset(address: u64) -> Option<u64> {
    DRAM_VIEWS.iter().map(|base| address.wrapping_sub(*base)).find(|offset| *offset < DRAM_BYTES)
}

/// True in local DRAM.
pub(crate) fn is_dram(address: u64) -> bool {
    dram_offset(address).is_some()
}

/// True for the registers of the cluster's devices.
pub(crate) fn is_device(address: u64) -> bool {
    matches!(
        address,
        0x0200_0000..0x0201_0000 | 0x0201_0000..0x0201_1000 | 0x0203_0000..0x0203_8000 | 0x0300_8000..0x0300_9000
    ) || crate::target::HART_PERIPHERALS.contains(&address)
}
