//! The order in which a core's stores take effect (tensix.md §2, "Memory ordering").
//!
//! Stores leave the core in program order, and each region performs them in that order; between regions there is none. So
//! with a seed a store may take effect later, while the core goes on: as a message of the tile to itself. With seed 0
//! every store takes effect at once.
//!
//! A load that overlaps one of the core's stores comes after it, and so does every load of the same region once the store
//! has left the core: by a fence, by a load that overlapped it, or as the fifth store before (the queue holds four).
//! Any other load comes first. A load of L1 that its own store covers is the one that does not hold the core up: only whoever uses its
//! value waits.
//!
//! Not modelled: two loads from different regions that are performed in the other order, and an atomic whose result nobody
//! waits for that is overtaken.

use crate::noc::latency::CYCLE;
use crate::seed::Seed;
use crate::time::Time;

/// What performs its requests in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    L1,
    /// The NIU of a NoC.
    Niu(u8),
    Overlay,
    /// The hardware semaphores.
    Semaphores,
    /// The FIFO to a compute core.
    PcBuf(u8),
    /// The mailboxes to a core, by their number.
    Mailbox(u8),
}

/// Regions.
const REGIONS: usize = 12;
/// One store in this many takes effect later.
const ONE_IN: u64 = 4;
/// By this many cycles at most. Nothing is documented.
const LATEST: u64 = 64;
/// Stores that the queue holds.
const QUEUE: u64 = 4;

impl Region {
    fn index(self) -> usize {
        match self {
            Self::L1 => 0,
            Self::Overlay => 1,
            Self::Semaphores => 2,
            Self::Niu(noc) => 3 + usize::from(noc),
            Self::PcBuf(thread) => 5 + usize::from(thread),
            Self::Mailbox(to) => 8 + usize::from(to),
        }
    }
}

/// A store that has not taken effect.
#[derive(Clone, Copy, Debug)]
struct Pending {
    region: Region,
    address: u64,
    bytes: u64,
    value: u64,
    /// Its number among the core's stores.
    number: u64,
    effect: Time,
}

impl Pending {
    fn meets(&self, address: u64, bytes: u64) -> bool {
        self.address < address + bytes && address < self.address + self.bytes
    }

    fn covers(&self, address: u64, bytes: u64) -> bool {
        self.address <= address && address + bytes <= self.address + self.bytes
    }
}

/// What a load finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing that it has to come after.
    Memory,
    /// It is performed after this moment.
    After(Time),
    /// The core's own store, performed at this moment.
    Own(u64, Time),
}

/// A core's stores on their way.
#[derive(Clone)]
pub(crate) struct Order {
    seed: Seed,
    /// The tile and the core: what its draws are for.
    part: u16,
    /// Stores made.
    stores: u64,
    /// Those before this number have left the core.
    left: u64,
    pending: Vec<Pending>,
    /// When the last store to each region takes effect.
    last: [Time; REGIONS],
    /// A load waits until the store queue is empty (cfg0 bit 0, or a memory attribute).
    pub(crate) strict: bool,
}

impl Order {
    pub(crate) fn new(seed: Seed, part: u16) -> Self {
        Self { seed, part, stores: 0, left: 0, pending: Vec::new(), last: [0; REGIONS], strict: false }
    }

    /// What a reset leaves: what is on its way arrives, before what the core stores to the same region from now on, but its
    /// loads do not wait for it.
    pub(crate) fn reset(&mut self) {
        let (stores, last) = (self.stores, self.last);
        *self = Self { stores, left: stores, last, ..Self::new(self.seed, self.part) };
    }

    /// True when stores may take effect later than they are made.
    #[inline]
    pub(crate) fn is_loose(&self) -> bool {
        self.seed.draws()
    }

    /// True when nothing is on its way, as far as was looked.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// When the core's next store takes effect, made at `at`: at once for most.
    pub(crate) fn plan(&self, at: Time, region: Region) -> Time {
        let drawn = self.seed.pick(Seed::STORE, self.part, self.stores + 1);
        let late = match drawn % ONE_IN {
            0 => (drawn >> 8) % LATEST + 1,
            _ => 0,
        };
        let late = if self.seed.draws() { late * CYCLE } else { 0 };
        (at + late).max(self.settled(region))
    }

    /// It is made; gives the same.
    pub(crate) fn store(&mut self, at: Time, region: Region, address: u64, bytes: u64, value: u64) -> Time {
        self.look(at);
        let effect = self.plan(at, region);
        self.stores += 1;
        if effect > at {
            self.last[region.index()] = effect;
            self.pending.push(Pending { region, address, bytes, value, number: self.stores, effect });
        }
        effect
    }

    /// What a load of `bytes` bytes at `address` finds at `at`.
    pub(crate) fn load(&mut self, at: Time, region: Region, address: u64, bytes: u64) -> Found {
        self.look(at);
        if self.strict {
            self.left = self.stores;
        }
        let left = self.left.max(self.stores.saturating_sub(QUEUE));
        let own = self.pending.iter().rfind(|store| store.region == region && store.meets(address, bytes));
        let (number, found) = match own {
            Some(store) if region == Region::L1 && store.covers(address, bytes) => {
                let value = store.value >> (8 * (address - store.address)) & mask(bytes);
                (store.number, Found::Own(value, store.effect))
            }
            Some(store) => return Found::After(store.effect),
            None => (0, Found::Memory),
        };
        let before = self.pending.iter().rfind(|store| store.region == region && store.number <= left);
        match before {
            // The load is behind both: the core waits for the one that is not its own.
            Some(store) if store.number > number => Found::After(store.effect),
            _ => {
                self.left = self.left.max(number);
                found
            }
        }
    }

    /// When everything that was stored to a region has taken effect.
    pub(crate) fn settled(&self, region: Region) -> Time {
        self.last[region.index()]
    }

    /// A fence: every store has left the core.
    pub(crate) fn fence(&mut self) {
        self.left = self.stores;
    }

    /// Forgets what has taken effect.
    pub(crate) fn look(&mut self, at: Time) {
        self.pending.retain(|store| store.effect > at);
    }
}

fn mask(bytes: u64) -> u64 {
    u64::MAX >> (64 - 8 * bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An order with one store to L1 on its way; when it takes effect.
    fn with_a_late_store() -> (Order, Time) {
        for part in 0..64 {
            let mut order = Order::new(Seed(1), part);
            let effect = order.store(0, Region::L1, 0x100, 4, 0x0403_0201);
            if effect > 0 {
                return (order, effect);
            }
        }
        unreachable!("one in four is late")
    }

    #[test]
    fn seed_zero_delays_nothing() {
        let mut order = Order::new(Seed(0), 3);
        assert!((0..1000).all(|at| order.store(at, Region::Overlay, 0x20, 4, 0) == at));
        assert!(order.is_empty());
    }

    #[test]
    fn stores_to_a_region_take_effect_in_order() {
        let mut order = Order::new(Seed(5), 3);
        let effects: Vec<_> = (0..1000).map(|n| order.store(n * CYCLE, Region::L1, 4 * n, 4, 0)).collect();
        assert!(effects.is_sorted());
        assert!(effects.iter().zip(0..).any(|(effect, n)| *effect > n * CYCLE + 8 * CYCLE));
    }

    #[test]
    fn a_load_overtakes_an_older_store_that_it_does_not_overlap() {
        let (mut order, effect) = with_a_late_store();
        assert_eq!(order.load(0, Region::L1, 0x104, 4), Found::Memory);
        assert_eq!(order.load(0, Region::Overlay, 0x100, 4), Found::Memory);
        assert_eq!(order.load(0, Region::L1, 0x101, 1), Found::Own(2, effect));
        // That one left behind the store, and what follows leaves behind it.
        assert_eq!(order.load(0, Region::L1, 0x104, 4), Found::After(effect));
        assert_eq!(order.load(effect, Region::L1, 0x100, 4), Found::Memory);
    }

    #[test]
    fn a_region_takes_the_stores_before_a_reset_first() {
        let (mut order, effect) = with_a_late_store();
        order.reset();
        assert!(order.store(0, Region::L1, 0x100, 4, 5) >= effect);
    }

    #[test]
    fn a_core_that_never_loads_keeps_only_what_is_on_its_way() {
        let mut order = Order::new(Seed(1), 3);
        for n in 0..1000 {
            order.store(n * CYCLE, Region::L1, 4 * n, 4, 0);
            assert!(order.pending.len() <= LATEST as usize, "{} after {n}", order.pending.len());
        }
    }

    #[test]
    fn a_fence_sends_stores_off_and_does_not_wait_for_them() {
        let (mut order, effect) = with_a_late_store();
        order.fence();
        assert_eq!(order.load(0, Region::Overlay, 0x104, 4), Found::Memory);
        assert_eq!(order.load(0, Region::L1, 0x104, 4), Found::After(effect));
    }

    #[test]
    fn the_queue_holds_four_stores() {
        let (mut order, effect) = with_a_late_store();
        for n in 0..4 {
            assert_eq!(order.load(0, Region::L1, 0x200, 4), Found::Memory, "{n} behind it");
            order.store(0, Region::Overlay, 0x20, 4, n);
        }
        assert_eq!(order.load(0, Region::L1, 0x200, 4), Found::After(effect));
    }

    #[test]
    fn a_load_of_more_than_was_stored_waits() {
        let (mut order, effect) = with_a_late_store();
        order.store(effect - 1, Region::L1, 0x102, 1, 9);
        assert_eq!(order.load(0, Region::L1, 0x100, 4), Found::After(effect.max(order.settled(Region::L1))));
    }
}
