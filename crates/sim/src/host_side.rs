//! The host's end of the PCIe link: memory the card reaches, and the answer the host waits for.

use komorebi_card::HostMem;

use crate::fault::{Rule, Violation};
use crate::message::Payload;
use crate::target::{HOST_WINDOW, HOST_WINDOW_BITS};
use crate::time::Time;

/// Outbound iATU regions of a card, one for each region of host memory (host.md §1.4).
pub(crate) const REGIONS: usize = 16;

/// What an address of any window is in the one through the iATU: the simulated driver gives each region of memory the bus
/// address that its iATU region has, so that the straight windows lead there too, as does an address that no iATU region
/// matches.
pub(crate) fn through_iatu(address: u64) -> u64 {
    HOST_WINDOW.start + (address & ((1 << HOST_WINDOW_BITS) - 1))
}

/// The end of the addresses handed out, top down (host.md §1.4: NOC_TOP_DOWN).
const TOP: u64 = HOST_WINDOW.start + (1 << 58);

/// Host memory by the addresses the card uses.
#[derive(Clone, Default)]
pub(crate) struct HostSide {
    /// Regions, the last one lowest.
    regions: Vec<HostMem>,
    /// The lowest address that was ever handed out; 0 before the first.
    lowest: u64,
    /// When the card first wrote host memory since the host last looked.
    pub(crate) wrote: Option<Time>,
    /// True when nothing the card sends arrives any more.
    pub(crate) cut: bool,
    /// The word of L1 that is all the host touches of a tile with a running core, once it has promised that.
    pub(crate) keeps_off: Option<u64>,
    /// The answer to the host's read.
    pub(crate) reply: Option<Payload>,
}

impl HostSide {
    /// The address for the next region of `bytes` bytes, a multiple of 4 KiB, right below the one before.
    ///
    /// A large window of a hart reaches 128 GiB (host.md §6.4), so one reaches every region a process can have. `None` when
    /// the host's window holds no region of that length any more.
    pub(crate) fn next_address(&self, bytes: usize) -> Option<u64> {
        let top = self.regions.last().map_or(TOP, HostMem::noc_address);
        let length = (bytes.max(1) as u64).checked_next_multiple_of(4096)?;
        top.checked_sub(length).filter(|address| *address >= HOST_WINDOW.start)
    }

    /// The regions that are mapped, in the order they were.
    pub(crate) fn regions(&self) -> &[HostMem] {
        &self.regions
    }

    /// Other memory at the addresses of the regions that are mapped.
    pub(crate) fn replace(&mut self, regions: Vec<HostMem>) {
        self.regions = regions;
    }

    /// True when no iATU region is left for another one.
    pub(crate) fn is_full(&self) -> bool {
        self.regions.len() >= REGIONS
    }

    /// Maps a region.
    pub(crate) fn add(&mut self, region: HostMem) {
        let address = region.noc_address();
        self.lowest = if self.lowest == 0 { address } else { self.lowest.min(address) };
        self.regions.push(region);
    }

    /// Unmaps every region: the client has closed the card, or died.
    pub(crate) fn unmap_all(&mut self) {
        self.regions.clear();
    }

    /// True where a client's memory was mapped that is not any more. A stray access there ends at the IOMMU, which the
    /// card does not notice: writes are lost, reads give all ones (host.md §8.2).
    pub(crate) fn is_unmapped(&self, address: u64, bytes: usize) -> bool {
        let was = self.lowest != 0 && self.lowest <= address && address.saturating_add(bytes as u64) <= TOP;
        was && !self.regions.iter().any(|region| {
            region.noc_address() <= address && address < region.noc_address() + region.len() as u64
        })
    }

    /// Writes host memory.
    pub(crate) fn write(&mut self, at: Time, address: u64, bytes: &[u8]) -> Result<(), Violation> {
        let (region, offset) = self.region(address, bytes.len())?;
        if self.cut {
            return Ok(());
        }
        region.write(offset, bytes);
        self.wrote.get_or_insert(at);
        Ok(())
    }

    /// Reads host memory.
    pub(crate) fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), Violation> {
        let (region, offset) = self.region(address, bytes.len())?;
        region.read(offset, bytes);
        Ok(())
    }

    fn region(&self, address: u64, bytes: usize) -> Result<(&HostMem, usize), Violation> {
        let refuse =
            |rule| Err(Violation::new(rule, format!("{bytes} bytes of host memory at {address:#x}")));
        let end = address.saturating_add(bytes as u64);
        let holds = |r: &&HostMem| r.noc_address() <= address && end <= r.noc_address() + r.len() as u64;
        let Some(region) = self.regions.iter().rev().find(holds) else {
            return refuse(Rule::HostMemory);
        };
        if !address.is_multiple_of(4) || !bytes.is_multiple_of(4) {
            return refuse(Rule::HostWords);
        }
        Ok((region, (address - region.noc_address()) as usize))
    }
}
