//! The two networks on chip: where a coordinate leads, how far it is, how long a packet takes.

pub(crate) mod identity;
pub(crate) mod latency;
pub(crate) mod links;
pub(crate) mod multicast;
pub(crate) mod path;
pub(crate) mod port;
pub(crate) mod route;
pub(crate) mod translate;

/// One of the two networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noc {
    /// East, then south.
    Zero,
    /// North, then west.
    One,
}

impl Noc {
    /// Both, in order.
    pub(crate) const BOTH: [Self; 2] = [Self::Zero, Self::One];

    /// 0 or 1.
    #[inline]
    pub(crate) const fn index(self) -> usize {
        self as usize
    }
}
