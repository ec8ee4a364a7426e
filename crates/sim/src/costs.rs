//! The X280's and the host's costs (costs.md): assumed figures at three settings, never tuned to a result.

use crate::time::{Time, from_nanos};

/// Which column of the cost table a simulated card uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Setting {
    /// The least of every cost.
    Low,
    /// The expected cost.
    #[default]
    Nominal,
    /// The most of every cost.
    High,
}

/// One column of the table. X280 costs are cycles of its clock, the others are [`Time`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    /// A load that hits the L1 data cache.
    pub(crate) cached_load: u64,
    /// A load from LIM or another uncached address of the tile.
    pub(crate) lim_load: u64,
    /// A store's issue, to LIM or through a window.
    pub(crate) store: u64,
    /// What a load through a window costs on top of the NoC round trip.
    pub(crate) window_load: u64,
    /// A read of the CLINT.
    pub(crate) clint_load: u64,
    /// From a host store to its effect on the card.
    pub(crate) host_write: Time,
    /// A host read's round trip.
    pub(crate) host_read: Time,
    /// From a card's store to its effect in host memory.
    pub(crate) event: Time,
}

impl Setting {
    pub(crate) const fn costs(self) -> Costs {
        match self {
            Self::Low => Costs {
                cached_load: 2,
                lim_load: 20,
                store: 1,
                window_load: 20,
                clint_load: 20,
                host_write: from_nanos(1_000),
                host_read: from_nanos(2_000),
                event: from_nanos(500),
            },
            Self::Nominal => Costs {
                cached_load: 3,
                lim_load: 35,
                store: 4,
                window_load: 40,
                clint_load: 40,
                host_write: from_nanos(3_000),
                host_read: from_nanos(4_000),
                event: from_nanos(1_000),
            },
            Self::High => Costs {
                cached_load: 4,
                lim_load: 60,
                store: 10,
                window_load: 80,
                clint_load: 80,
                host_write: from_nanos(7_000),
                host_read: from_nanos(14_000),
                event: from_nanos(3_000),
            },
        }
    }
}

/// What a call of the host costs the host itself, besides any round trip.
pub(crate) const HOST_CALL: Time = from_nanos(50);
/// One poll of host memory.
pub(crate) const HOST_POLL: Time = from_nanos(100);

/// Time the host's link takes for `bytes`, at 20 GB/s (host.md §8: about 22.6 GB/s reported for one core).
pub(crate) const fn host_transfer(bytes: u64) -> Time {
    from_nanos(bytes) / 20
}
