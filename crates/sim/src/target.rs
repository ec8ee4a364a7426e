//! What of a tile can be reached over the NoC, and how (host.md §3.5, §5.1, §6.2, §8.1).

use crate::fault::{Rule, Violation};
use crate::noc::Noc;
use crate::noc::identity;
use crate::noc::translate::Kind;

/// Bytes of a Tensix tile's L1.
pub(crate) const L1_BYTES: u64 = 1_572_864;
/// Bytes of a DRAM channel below its registers.
pub(crate) const DRAM_BYTES: u64 = 0xff00_0000;
/// LIM of an X280 cluster, at its largest.
pub(crate) const LIM: std::ops::Range<u64> = 0x0800_0000..0x081e_0000;
/// The external peripherals of an X280 cluster as the NoC sees them.
pub(crate) const PERIPHERALS: std::ops::Range<u64> = 0xffff_f7fe_fff0_0000..0xffff_f7fe_fff8_0000;
/// The same as its harts see them; repeated every MiB.
pub(crate) const HART_PERIPHERALS: std::ops::Range<u64> = 0x2000_0000..0x3000_0000;
/// The window of the PCIe tile that goes through the outbound iATU.
pub(crate) const HOST_WINDOW: std::ops::Range<u64> = 0x1000_0000_0000_0000..0x1400_0000_0000_0000;

/// The PCIe tile's windows have 2^58 bytes: 0 to 3 lead straight to a bus address, 4 to 7 through the iATU; of each four
/// the odd ones with relaxed ordering, the upper two without a look into the host's caches (host.md §8.1).
pub(crate) const HOST_WINDOW_BITS: u32 = 58;

/// How an address is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    /// The near end of a NIU's own request.
    OwnL1,
}

/// True for registers: 4 bytes at a time, 4-aligned.
pub(crate) fn is_register(kind: Kind, address: u64) -> bool {
    match kind {
        Kind::Tensix => address >= L1_BYTES,
        Kind::L2Cpu(_) => !LIM.contains(&address) && !crate::l2cpu::is_memory(address),
        Kind::Arc | Kind::Disabled => true,
        Kind::Dram(_) => address >= DRAM_BYTES,
        Kind::Pcie => has_own_niu(kind, address),
    }
}

/// Checks that `bytes` bytes at `address` of a tile of this kind can be reached over the NoC.
pub(crate) fn check(kind: Kind, address: u64, bytes: u64, access: Access) -> Result<(), Violation> {
    let end = address.saturating_add(bytes);
    let inside = |range: &std::ops::Range<u64>| range.start <= address && end <= range.end;
    if has_own_niu(kind, address) {
        return niu(kind, address, bytes, access);
    }
    let rule = match kind {
        Kind::Tensix if end <= L1_BYTES => return Ok(()),
        Kind::Tensix if access != Access::OwnL1 && register_page(address) => {
            return words(kind, address, bytes, 4);
        }
        Kind::Tensix if (0xffb1_4000..0xffb1_e000).contains(&address) => Rule::SlowPath,
        Kind::Tensix => Rule::TensixReach,
        Kind::Dram(_) if end <= DRAM_BYTES => return Ok(()),
        Kind::Dram(_) => Rule::DramReach,
        Kind::L2Cpu(_) if inside(&LIM) || crate::l2cpu::is_within(address, bytes) => return Ok(()),
        Kind::L2Cpu(_) if inside(&PERIPHERALS) || crate::l2cpu::is_device(address) => {
            return words(kind, address, bytes, 8);
        }
        Kind::L2Cpu(_) => Rule::ClusterReach,
        Kind::Pcie if address >> HOST_WINDOW_BITS == (end - 1) >> HOST_WINDOW_BITS => {
            match address >> HOST_WINDOW_BITS {
                0 | 1 | 4 | 5 => return Ok(()),
                2 | 3 | 6 | 7 => Rule::HostUncached,
                _ => Rule::HostReach,
            }
        }
        Kind::Pcie => Rule::HostReach,
        Kind::Arc if crate::arc::is_mapped(address) => return words(kind, address, bytes, 4),
        Kind::Arc => Rule::ArcReach,
        Kind::Disabled => Rule::DisabledTile,
    };
    let part = if kind == Kind::Tensix { tensix_part(address) } else { "" };
    Err(Violation::new(rule, format!("{bytes} bytes at {address:#x} of a {kind:?} tile{part}")))
}

/// What lies there that the NoC does not reach (host.md §5.1).
fn tensix_part(address: u64) -> &'static str {
    match address {
        0xffb0_0000..0xffb0_2000 => ", a core's own RAM",
        0xffb1_1000..0xffb1_2000 => ", TDMA-RISC, where a request hangs the NoC",
        0xffb1_4000..0xffb1_e000 => ", a core's RAM by its slow path",
        0xffb8_0000..0xfff0_0000 => ", which only its cores reach",
        _ => "",
    }
}

/// True for the NIU of a tile that is no Tensix. An X280 cluster's is left alone: reading it is reported to be fatal
/// (host.md §7).
fn has_own_niu(kind: Kind, address: u64) -> bool {
    match kind {
        Kind::Dram(_) | Kind::Disabled => identity::NIUS.contains(&address),
        Kind::Pcie | Kind::Arc => {
            identity::HIGH_NIU.contains(&address) || identity::HIGH_NIUS.contains(&address)
        }
        Kind::Tensix | Kind::L2Cpu(_) => false,
    }
}

/// Checks a request to such a NIU: identity and configuration are read.
fn niu(kind: Kind, address: u64, bytes: u64, access: Access) -> Result<(), Violation> {
    let detail = || format!("{bytes} bytes at {address:#x}, the NIU of a {kind:?} tile");
    if access != Access::Read {
        return Err(Violation::new(Rule::NiuReadOnly, detail()));
    }
    words(Kind::Tensix, address, bytes, 4)?;
    let known = identity::register(Noc::Zero, address).is_some_and(|(_, offset)| identity::is_known(offset));
    if known { Ok(()) } else { Err(Violation::new(Rule::NiuRegister, detail())) }
}

/// Pages of Tensix registers the NoC reaches.
fn register_page(address: u64) -> bool {
    matches!(address, 0xffb1_2000..0xffb1_314c | 0xffb2_0000..0xffb8_0000)
}

fn words(kind: Kind, address: u64, bytes: u64, most: u64) -> Result<(), Violation> {
    let many = kind != Kind::Tensix && bytes.is_multiple_of(4);
    if address.is_multiple_of(4) && (bytes == 4 || bytes == most || many) {
        return Ok(());
    }
    Err(Violation::new(Rule::RegisterRequest, format!("{bytes} bytes at register {address:#x}")))
}
