//! What a simulated card counts: the contract of speed is counts, not times (costs.md).

/// Counts since the card was built. They cost nothing and change nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Instructions retired by baby cores. Iterations of parked wait loops count as if they had run.
    pub tensix_instructions: u64,
    /// Instructions retired by X280 harts, counted in the same way.
    pub x280_instructions: u64,
    /// X280 loads that miss every cache: LIM, devices, windows. Iterations of parked wait loops are
    /// left out.
    pub x280_uncached_loads: u64,
    /// X280 stores to the same places.
    pub x280_uncached_stores: u64,
    /// NoC request packets of cores, harts and the host; a multicast is one.
    pub noc_packets: u64,
    /// Writes the card made to host memory.
    pub events: u64,
    /// Accesses of the card to host memory that its client had given back: the IOMMU keeps them off.
    pub unmapped: u64,
    /// Messages the machine delivered, of any kind.
    pub messages: u64,
    /// How often the machine let a tile run: what the scheduling itself cost.
    pub tile_turns: u64,
    /// How often a tile let a hart run.
    pub hart_turns: u64,
}
