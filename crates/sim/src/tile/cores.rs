//! The five baby cores of a Tensix tile.

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Core {
    B,
    Nc,
    T0,
    T1,
    T2,
}

impl Core {
    /// All, in the order of their PC snapshots.
    pub(crate) const ALL: [Self; 5] = [Self::B, Self::Nc, Self::T0, Self::T1, Self::T2];

    /// The name the pages use.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::B => "B",
            Self::Nc => "NC",
            Self::T0 => "T0",
            Self::T1 => "T1",
            Self::T2 => "T2",
        }
    }

    #[inline]
    pub(crate) const fn index(self) -> usize {
        self as usize
    }

    /// Its bit in SOFT_RESET_0 (tensix.md §1).
    pub(crate) const fn reset_bit(self) -> u32 {
        match self {
            Self::B => 11,
            Self::T0 => 12,
            Self::T1 => 13,
            Self::T2 => 14,
            Self::Nc => 18,
        }
    }

    /// Its bit in the config word that invalidates instruction caches (tensix.md §2).
    pub(crate) const fn icache_bit(self) -> u32 {
        match self {
            Self::B => 0,
            Self::T0 => 1,
            Self::T1 => 2,
            Self::T2 => 3,
            Self::Nc => 4,
        }
    }

    /// Which compute thread it is.
    pub(crate) const fn thread(self) -> Option<usize> {
        match self {
            Self::T0 => Some(0),
            Self::T1 => Some(1),
            Self::T2 => Some(2),
            Self::B | Self::Nc => None,
        }
    }

    /// The most bytes of local RAM that a core has.
    pub(crate) const MOST_LOCAL_BYTES: usize = 8192;

    /// Bytes of its local RAM.
    pub(crate) const fn local_bytes(self) -> u64 {
        match self {
            Self::B | Self::Nc => 8192,
            _ => 4096,
        }
    }

    /// Its pc out of reset without an override.
    pub(crate) const fn reset_pc(self) -> u32 {
        match self {
            Self::B => 0,
            Self::T0 => 0x6000,
            Self::T1 => 0xa000,
            Self::T2 => 0xe000,
            Self::Nc => 0x1_2000,
        }
    }
}
