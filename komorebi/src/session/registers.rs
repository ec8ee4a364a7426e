//! Registers the runtime touches outside the ABI: addresses and bits of the hardware.

/// Soft reset of a Tensix tile's cores (host.md §5.2).
pub(crate) const SOFT_RESET: u64 = 0xFFB1_21B0;
/// The five cores held: B, T0, T1, T2, NC.
pub(crate) const SOFT_RESET_CORES: u32 = 0x4_7800;
/// Reset pcs of T0, T1, T2, and the bits that make the cores use them.
pub(crate) const COMPUTE_PC: [u64; 3] = [0xFFB1_2228, 0xFFB1_222C, 0xFFB1_2230];
/// See [`COMPUTE_PC`].
pub(crate) const COMPUTE_PC_ENABLE: u64 = 0xFFB1_2234;
/// Reset pc of NC, and its enable bit.
pub(crate) const NC_PC: u64 = 0xFFB1_2238;
/// See [`NC_PC`].
pub(crate) const NC_PC_ENABLE: u64 = 0xFFB1_223C;

/// The upper length word of NoC 0's first command buffer in a Tensix tile's NIU, and the distances to the next buffer and
/// to NoC 1's (tensix.md §4).
pub(crate) const NIU_LENGTH_HIGH: u64 = 0xFFB2_0024;
/// See [`NIU_LENGTH_HIGH`].
pub(crate) const NIU_BUFFER_STRIDE: u64 = 0x800;
/// See [`NIU_LENGTH_HIGH`].
pub(crate) const NIU_STRIDE: u64 = 0x1_0000;

/// Snapshots of the program counters of the reader (NC), the writer (B), unpack (T0), math (T1) and pack (T2) thread
/// (host.md §5.1).
pub(crate) const PC_SNAPSHOT: [u64; 5] = [0xFFB1_313C, 0xFFB1_3138, 0xFFB1_3140, 0xFFB1_3144, 0xFFB1_3148];

/// A Tensix tile's wall clock: the low word, whose read latches the high one, and that (host.md §5.2).
pub(crate) const WALL_CLOCK: [u64; 2] = [0xFFB1_21F0, 0xFFB1_21F8];

/// Harts of the clusters out of reset: bits 7:4 (host.md §4.2).
pub(crate) const L2CPU_RESET: u64 = 0x8003_0014;
/// The bit of cluster 0 in [`L2CPU_RESET`].
pub(crate) const L2CPU_RESET_FIRST_BIT: u32 = 4;

/// PLL 4 clocks the four X280 clusters (host.md §4.5).
pub(crate) const PLL4: u64 = 0x8002_0500;
/// Reference divider, post divider, feedback divider.
pub(crate) const PLL4_CNTL_1: u64 = PLL4 + 0x04;
/// One external post divider a cluster.
pub(crate) const PLL4_CNTL_5: u64 = PLL4 + 0x14;

/// L3 ways that are cache; the others are LIM (host.md §6.6).
pub(crate) const WAY_ENABLE: u64 = 0x0201_0008;
/// External peripherals of an L2CPU tile, as the NoC sees them (host.md §6.2).
pub(crate) const PERIPHERALS_NOC: u64 = 0xFFFF_F7FE_FFF0_0000;
/// The same as the harts see them.
pub(crate) const PERIPHERALS_HART: u64 = 0x2000_0000;
/// Offset of a small window's registers; 16 bytes a window.
pub(crate) const SMALL_WINDOWS: u64 = 0;
/// Small windows of a cluster.
pub(crate) const SMALL_WINDOW_COUNT: u32 = 224;
/// Bytes a small window shows.
pub(crate) const SMALL_WINDOW_BYTES: u64 = 2 << 20;
/// Where the harts see small window 0, uncached.
pub(crate) const SMALL_WINDOW_SPACE: u64 = 0x4_3000_0000;
/// Offset of hart 0's reset vector; 8 bytes a hart.
pub(crate) const RESET_VECTORS: u64 = 0x1_0000;
/// Offset of the resumable interrupt's trigger: bit h, level (host.md §6.3).
pub(crate) const RNMI_TRIGGER: u64 = 0x1_0414;
/// Offset of hart 0's interrupt handler; 16 bytes a hart, the exception handler 8 bytes on.
pub(crate) const RNMI_HANDLERS: u64 = 0x1_0418;
/// Where the harts read the 50 MHz timer (host.md §6.3).
pub(crate) const MTIME: u64 = 0x0200_BFF8;
