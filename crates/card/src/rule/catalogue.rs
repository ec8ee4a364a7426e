//! The catalogue: an entry a rule. Codes are stable: a rule that goes leaves a gap.

use serde::{Deserialize, Serialize};

use super::Entry;

macro_rules! catalogue {
    ($($name:ident $code:literal $title:literal: $text:literal, $source:literal;)*) => {
        /// A rule of the hardware. The title of each is what breaks it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(into = "String", try_from = "String")]
        #[non_exhaustive]
        pub enum Rule {
            $(#[doc = concat!($code, ": ", $title, ".")] $name,)*
        }

        impl Rule {
            /// All rules, by their codes.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            pub(super) const fn entry(self) -> Entry {
                match self {
                    $(Self::$name => Entry { code: $code, title: $title, text: $text, source: $source },)*
                }
            }
        }
    };
}

catalogue! {
    // Baby cores: instructions and addresses.
    NoTraps "KF0101" "an environment call or a breakpoint":
        "a baby core has no traps: ecall and ebreak lead nowhere", "tensix.md §2";
    Instruction "KF0102" "an instruction that the core does not have":
        "a baby core has no traps: what it cannot execute is undefined", "tensix.md §2";
    Misaligned "KF0103" "a load, store or jump that is not aligned":
        "loads and stores of a core are naturally aligned, jumps by 4", "tensix.md §1";
    ControlRegister "KF0104" "a control register that the core does not have":
        "a core has the CSRs of its list, and some of them are only read", "tensix.md §2";
    CoprocessorWord "KF0105" "a coprocessor instruction in the code":
        "words that do not end in 0b11 push to the core's coprocessor FIFO, which is not modelled: store to the instruction window in its place",
        "tensix.md §2";
    CoreAddress "KF0106" "an address where this core has nothing":
        "there is nothing at this address for this core, or it is not modelled", "tensix.md §1";
    CoreAtomic "KF0107" "an atomic instruction outside L1":
        "a core's atomics work on words of L1", "tensix.md §1";
    CoreFetch "KF0108" "code outside L1":
        "instructions are fetched from L1 only", "tensix.md §1";
    RegisterWidth "KF0109" "a register accessed by a byte or a half":
        "registers are accessed 4 bytes at a time", "tensix.md §4";
    PcBuffer "KF0110" "an access of B where the compute threads have their semaphores":
        "B has its side of the PCBufs there, of which the first word of each is used; the semaphores are the compute cores'",
        "tensix.md §1";
    FloatRounding "KF0111" "a rounding mode that the core does not have":
        "a core rounds to nearest, ties to even: arithmetic has the mode dyn, a conversion dyn or rne", "tensix.md §2";
    FloatFlags "KF0112" "the floating-point flags of a core":
        "which flags a core's floating point raises is not documented: fcsr is not modelled", "tensix.md §2";
    FloatHalf "KF0113" "a cfg0 that asks for bf16 arithmetic":
        "bits 30 and 31 of cfg0 switch to bf16 arithmetic, which is not modelled", "tensix.md §2";
    Coprocessor "KF0114" "an access to the coprocessor":
        "of the coprocessor, general registers and configuration are memory; nothing else of it is modelled", "tensix.md §1";
    SlowPath "KF0115" "an access to a core's RAM through its slow path":
        "a core's RAM is its own: through the slow path a request can hang the tile (TEN-4534); share L1", "host.md §7";
    TileUnit "KF0116" "an access to a unit of the tile that is not modelled":
        "the interrupt controller of a tile is not modelled", "tensix.md §1";

    // Registers of a Tensix tile.
    NiuRegister "KF0201" "a register that a NIU does not have":
        "a NIU has the registers of the table", "tensix.md §4";
    NiuReadOnly "KF0202" "a store to a NIU's configuration or counters":
        "configuration and counters of a NIU are only read", "host.md §7";
    NiuBusy "KF0203" "a command buffer written while it is busy":
        "a command buffer is written once CMD_CTRL reads 0", "tensix.md §4";
    NiuSend "KF0204" "a command sent with another word than 1":
        "CMD_CTRL is written 1 to send", "tensix.md §4";
    TileRegister "KF0205" "a control register of the tile that is not modelled":
        "of the page at 0xffb12000 the reset, clock and clock-gate registers are modelled", "tensix.md §1";
    StreamRegister "KF0206" "a register of a stream that is not modelled":
        "of a stream, registers 0x20, 0x28, 0x438 and 0x4a4 are used", "tensix.md §5";

    SoftReset "KF0207" "a reset of a unit of the coprocessor":
        "of SOFT_RESET_0 the bits of the five cores are modelled", "tensix.md §1";
    ClockLatch "KF0208" "the latched high word of a clock that others read, too":
        "reading a wall clock's low word latches its high one, once for the tile: where several read it, the live high word is read before and after",
        "tensix.md §1";
    BufferCounter "KF0209" "a circular buffer's counter that two cores count in":
        "one core pushes to a circular buffer and one pops: each keeps its own place in it", "tensix.md §5";

    // Requests over the NoC.
    AbsentTile "KF0301" "a request to a tile that is not there":
        "a request to an absent tile hangs the NoC", "host.md §7";
    ControlWord "KF0302" "a control word that nobody verified":
        "a request has one of the control words of the table", "tensix.md §4";
    PathReserve "KF0303" "path reserve without a multicast, or a multicast without it":
        "path reserve is for multicasts, and every multicast needs it", "tensix.md §4";
    NearEnd "KF0304" "a request whose near end is not the tile's own":
        "the near end of a request is the own L1: MID 0, HI the own coordinate", "tensix.md §4";
    PacketSize "KF0305" "a packet without bytes, or with too many":
        "a packet has 1 to 16384 bytes", "tensix.md §4";
    Alignment "KF0306" "ends of a transfer that are not aligned alike":
        "both ends of a transfer are equal modulo 16, of a read from DRAM or host memory modulo 64, of a read of a register modulo 4",
        "tensix.md §4";
    InlineToL1 "KF0307" "an inline write to L1":
        "an inline write goes to registers only: in L1 it corrupts", "tensix.md §4, host.md §7";
    ByteEnables "KF0308" "byte enables that are not the word's":
        "the byte enables of an inline write are 0xf << (address & 12); those of another write choose among up to 64 bytes of L1",
        "tensix.md §4";
    AtomicPlace "KF0309" "an atomic request to anything but L1":
        "NoC atomics work on the L1 of a Tensix tile only", "tensix.md §4, host.md §5.4";
    AtomicForm "KF0310" "an atomic request that is not a documented one of its word":
        "an atomic is an increment, a swap or a compare-and-swap, of the aligned word that address and AT_LEN_BE both name",
        "tensix.md §4";
    RectangleCorner "KF0311" "a rectangle with a corner off the grid":
        "the corners of a rectangle are on the grid, the one that the NoC reaches first is its start", "tensix.md §4";
    NoReceiver "KF0312" "a multicast that no Tensix tile receives":
        "a multicast goes to Tensix tiles", "host.md §7";
    Exclusion "KF0313" "an exclusion from a multicast that has no meaning":
        "an exclusion is enabled by bit 22, starts on the grid and has two directions", "host.md §2.2";
    TensixReach "KF0314" "a request to what a Tensix tile keeps to itself":
        "of a Tensix tile the NoC reaches L1, control registers, NIUs and streams only", "host.md §5.1";
    DramReach "KF0315" "a request beyond the memory of a DRAM channel":
        "a DRAM channel has memory up to 0xff000000", "host.md §3.5";
    ClusterReach "KF0316" "a request to an address that an X280 cluster does not have":
        "of an X280 cluster the NoC reaches LIM, devices, peripherals, local DRAM and the Zero device; windows and the NIU are not modelled", "host.md §6.2";
    HostReach "KF0317" "a request to the PCIe tile outside its window":
        "host memory is reached through the windows of 2^58 bytes at 0 and at 0x1000000000000000", "host.md §8.1";
    ArcReach "KF0318" "a request to an address that the ARC tile does not have":
        "of the ARC tile CSM, the reset unit and the PLLs are modelled", "host.md §4.1";
    RegisterRequest "KF0319" "a request for a part of a register, or for many":
        "registers are accessed 4 bytes at a time, 4-aligned", "host.md §5.1";
    Accumulate "KF0320" "a write that accumulates in L1":
        "L1 accumulate corrupts L1 (BH-86)", "host.md §7";
    ChannelClass "KF0321" "a static channel of the wrong class":
        "the class of a static channel is 0 or 1, of a multicast's 2", "tensix.md §4";
    PacketTag "KF0322" "a packet for the overlay, or with a stored header":
        "delivery to the overlay and stored headers are not modelled: leave bits 6 to 9 of PACKET_TAG 0", "tensix.md §4";
    LinkedChain "KF0323" "a request that leaves a linked transaction open":
        "what follows a linked request goes to the same destination on the same channel, until one that is not linked", "tensix.md §4";
    DisabledTile "KF0324" "a request to a disabled tile":
        "of a disabled tile the NIUs alone answer, anything else hangs the NoC", "host.md §7";
    HostUncached "KF0325" "a request to host memory past the host's caches":
        "host memory is coherent through the windows that look into the caches: 0, 1, 4 and 5", "host.md §8.2";
    LostCount "KF0326" "a wait for a transaction's counter that has lost count":
        "a transaction's counters have 8 bits: at most 255 requests of it are outstanding when somebody looks at them", "tensix.md §4";
    LinkedForLong "KF0327" "a linked transaction that nobody closes":
        "a linked transaction is closed promptly by a request that is not linked; here within 10 us", "tensix.md §4";

    // X280 clusters.
    HartAddress "KF0401" "an address where an X280 hart has nothing":
        "there is nothing at this X280 address, or it is not modelled", "host.md §6.3";
    HartFetch "KF0402" "X280 code where none can be":
        "X280 code is fetched from LIM, local DRAM, the Zero device or the scratch memory; from windows is not modelled", "host.md §6.3";
    HartAtomic "KF0403" "an atomic instruction on uncached memory":
        "X280 atomics are done in the L1 data cache: on uncached or window addresses they are not documented, and a NoC has none",
        "host.md §6.7";
    DeviceWidth "KF0404" "a device register accessed by a byte or a half":
        "device registers are accessed 4 or 8 bytes at a time", "host.md §6.3";
    LinkedWindow "KF0405" "a window with the linked bit":
        "a linked window can hang the NoC", "host.md §7";
    WindowLoad "KF0407" "a load through a multicast window":
        "only writes can be multicast", "host.md §6.4";
    WindowWidth "KF0408" "a store of a byte or a half through a window":
        "a store through a window has 4 or 8 bytes", "host.md §5.1";
    LimWays "KF0409" "a WAYENABLE that shrinks, or is above 15":
        "WAYENABLE only grows, up to 15, until the card is reset", "host.md §6.6";
    LimEnd "KF0410" "LIM beyond its end":
        "LIM ends after (15 - WAYENABLE) x 128 KiB", "host.md §6.6";
    LocalDram "KF0411" "local DRAM of a cluster whose channel is off":
        "a cluster has local DRAM where its channel works: see telemetry tag 36", "host.md §6.1";
    Clint "KF0412" "a register that the CLINT does not have":
        "the CLINT has msip, mtimecmp and a read-only mtime for four harts", "host.md §6.3";
    Peripheral "KF0413" "an external peripheral that is not modelled":
        "windows, reset vectors, scratch, status, RNMI, software interrupt bits and the MSI catcher are modelled", "host.md §6.3";
    ReleaseVectors "KF0414" "harts released without their vectors":
        "reset vectors and RNMI handlers of all four harts are set before they leave reset", "host.md §6.5";
    ClusterClock "KF0415" "a request to a cluster without a clock":
        "an X280 cluster is left alone while its clock stands; vote for L2CPU power first", "host.md §6.7";
    StaticWindow "KF0416" "a window with a static channel":
        "a static channel hangs the NoC once reads and writes share it: leave it 0", "host.md §2.2, §7";
    WindowReserved "KF0417" "a window with reserved bits":
        "bits 29 and 30 of a window's low word are written as 0", "host.md §6.4";
    WindowOrdering "KF0418" "a window with ordering 3":
        "ordering 3 is unexplored: 0, 1 or 2 only", "host.md §7";
    Destinations "KF0419" "a multicast window with a wrong number of destinations":
        "num_dest is the number of tiles that a multicast reaches; it may be 0 where none is skipped or excluded", "host.md §2.2";
    CachedRegister "KF0420" "registers through a cached window":
        "registers are never mapped through a cached window: lines are fetched and written whole, at any time", "host.md §6.4";
    WayMask "KF0421" "a line for an L3 master that has no way":
        "a master brings lines into the ways of its mask: where none is of the cache, it cannot", "host.md §6.6";
    Flush "KF0422" "a flush of an address that is not cacheable":
        "what is flushed is the cached address of a line, local DRAM's from 0x400030000000 on", "host.md §6.3";
    FlushWidth "KF0423" "a part of a flush register":
        "a 64-bit flush register takes one store of 8 bytes", "host.md §6.3";
    SoftwareBits "KF0424" "the first six software interrupt bits":
        "software interrupt bits 0 to 5 share their PLIC sources with the hardware's: do not use them", "host.md §6.3";
    Plic "KF0425" "a register that the PLIC does not have":
        "the PLIC has priorities, pending bits that are read, and enables, threshold and claim of eight contexts", "host.md §6.3";
    LockedProtection "KF0430" "a locked entry of the physical memory protection":
        "an entry of the X280's memory protection that restricts machine mode, by its lock, is not modelled", "host.md §6.1";

    // The host's requests, and the registers of the management core.
    TensixClock "KF0501" "a request to a Tensix tile without a clock":
        "a clock-gated tile does not answer; vote for Tensix power first", "host.md §7";
    HostMemory "KF0502" "host memory that was not allocated for the card":
        "the card reaches memory of the host that was allocated for it", "host.md §8.1";
    HostWords "KF0503" "a part of a word of host memory":
        "the card writes and reads host memory in 4-byte words here; whether smaller writes stay whole is not documented", "host.md §8.3";
    ArcRegister "KF0504" "a register of the ARC tile that is not modelled":
        "of the ARC tile the status, telemetry, PLL4 and L2CPU_RESET registers are modelled", "host.md §4";
    ResetBits "KF0505" "bits of L2CPU_RESET that are cleared, or not a cluster's":
        "bits of L2CPU_RESET are set once and never cleared; bits 0 to 3 stay 0xf", "host.md §6.5";
    ReleaseClock "KF0506" "harts released at a high clock":
        "harts leave reset at a low clock, 200 MHz or less, with L2CPU power voted", "host.md §6.5";
    PllStep "KF0507" "a jump of PLL4":
        "refdiv stays, fbdiv changes by 1 a write", "host.md §4.5";
    PllRange "KF0508" "a VCO out of its range":
        "the VCO, 50 MHz x fbdiv / refdiv, stays within 1600 and 5000 MHz", "host.md §4.5";
    PostdivStep "KF0509" "a jump of a postdiv":
        "a postdiv changes by 1 a write", "host.md §4.5";
    PllRegister "KF0510" "a register of PLL4 that the host leaves alone":
        "of PLL4 the host writes CNTL_1 and CNTL_5 only", "host.md §4.5";
    RunningCore "KF0511" "an access of the host to a core's memory while the core runs":
        "while a program runs the host leaves its cores' memory alone, but for the stop flag",
        "docs/architecture.md, \"The simulated card\"";
    ManagementMemory "KF0512" "a store to the management core's memory outside its queues":
        "of CSM the host writes its own side of a message queue only", "host.md §7";
    ManagementCommand "KF0513" "a message that can break the card":
        "voltages, flash, the NoC's translation and the deepest sleep are never asked for", "host.md §7";
}
