//! The trait at the seam.

use serde::{Deserialize, Serialize};

use crate::{CardError, CardTime, Description, HostMem, NocXy, Rect};

/// How a write travels (host.md §8.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Bulk data: fast, with no order among writes. Follow with [`Card::fence`].
    Bulk,
    /// Registers and doorbells: ordered among strict writes.
    Strict,
}

/// What this client asks the card to keep powered (host.md §1.3, power flags).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Power {
    /// Tensix tiles, out of clock gating.
    pub tensix: bool,
    /// GDDR interfaces awake.
    pub dram: bool,
    /// X280 clusters clocked. Any vote also returns their clock to the firmware's 800 MHz (host.md §4.4).
    pub l2cpu: bool,
    /// The highest AI clock.
    pub busy: bool,
}

/// The one register write the driver does for a client that dies (host.md §1.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cleanup {
    /// The tile written to.
    pub tile: NocXy,
    /// The address, a multiple of 4.
    pub address: u64,
    /// The word.
    pub value: u32,
}

/// A Blackhole card at the level of its NoC.
///
/// Calls are synchronous, take `&self`, and may be made from any thread; an implementation serialises them. A
/// write returns when it is on its way: [`Card::fence`] says when it has landed. Once a call returned
/// [`CardError::Fault`] or [`CardError::Lost`], every later call returns the same.
pub trait Card: Send + Sync {
    /// The card's facts. They do not change while it is open.
    fn description(&self) -> &Description;

    /// Takes the card for this client until [`release`](Card::release) and votes `power`.
    ///
    /// # Errors
    /// [`CardError::Busy`] names the live holder; it never waits.
    fn claim(&self, power: Power) -> Result<(), CardError>;

    /// Gives the card back: the driver's close, power vote included. Host memory stays valid.
    fn release(&self);

    /// Changes this client's power vote.
    ///
    /// # Errors
    /// As any call.
    fn vote(&self, power: Power) -> Result<(), CardError>;

    /// The register write to do should this process die; `None` takes it back.
    ///
    /// # Errors
    /// As any call.
    fn set_cleanup(&self, cleanup: Option<Cleanup>) -> Result<(), CardError>;

    /// Promises that this client, from now until its release, leaves the L1 of a tile alone while a core of it runs, but for
    /// the word at `word`. A card that can tells when the promise is broken: [`CardError::Fault`]. It takes no time.
    ///
    /// # Errors
    /// As any call.
    fn keep_off(&self, word: u64) -> Result<(), CardError> {
        let _ = word;
        Ok(())
    }

    /// Writes `bytes` at `address` of `tile`. Both ends are multiples of 4.
    ///
    /// # Errors
    /// [`CardError::Request`] for a misaligned or empty request, [`CardError::Fault`] for one the card forbids.
    fn write(&self, tile: NocXy, address: u64, bytes: &[u8], order: Order) -> Result<(), CardError>;

    /// Reads `bytes.len()` bytes at `address` of `tile`, after every earlier write of this client to that tile.
    ///
    /// # Errors
    /// As [`write`](Card::write).
    fn read(&self, tile: NocXy, address: u64, bytes: &mut [u8]) -> Result<(), CardError>;

    /// Writes `bytes` at `address` of each Tensix tile of `tiles`.
    ///
    /// # Errors
    /// As [`write`](Card::write).
    fn multicast(&self, tiles: Rect, address: u64, bytes: &[u8]) -> Result<(), CardError>;

    /// Returns once every earlier write of this client to `tile` has landed (a read back from the same tile).
    ///
    /// # Errors
    /// As any call.
    fn fence(&self, tile: NocXy) -> Result<(), CardError>;

    /// Allocates zeroed memory of the host that the card can write, at least `bytes` long, rounded up to pages.
    ///
    /// # Errors
    /// [`CardError::HostMemory`].
    fn host_mem(&self, bytes: usize) -> Result<HostMem, CardError>;

    /// The clock of every decision.
    fn now(&self) -> CardTime;

    /// Lets the card run until it wrote host memory, or until `until`. Returns the moment reached.
    ///
    /// Every turn of a loop that polls host memory calls this; `relax(now())` is one poll, which costs a little time.
    ///
    /// # Errors
    /// [`CardError::Fault`] or [`CardError::Lost`] when the card stopped meanwhile.
    fn relax(&self, until: CardTime) -> Result<CardTime, CardError>;

    /// Writes one 32-bit register, ordered.
    ///
    /// # Errors
    /// As [`write`](Card::write).
    fn write32(&self, tile: NocXy, address: u64, value: u32) -> Result<(), CardError> {
        self.write(tile, address, &value.to_le_bytes(), Order::Strict)
    }

    /// Reads one 32-bit register.
    ///
    /// # Errors
    /// As [`read`](Card::read).
    fn read32(&self, tile: NocXy, address: u64) -> Result<u32, CardError> {
        let mut bytes = [0; 4];
        self.read(tile, address, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }
}
