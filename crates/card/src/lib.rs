//! The seam between komorebi and a Blackhole card.
//!
//! Everything above this crate talks to a card through [`Card`]: a small, synchronous trait at the level of the
//! network on chip (NoC). The simulated card implements it directly; a driver implements it over windows into a
//! device. Nothing above the seam may know which of the two it is talking to.
//!
//! * [`Card`] — reads, writes, multicast, fences, host memory and the clock of every wait.
//! * [`HostMem`] — memory of the host that the card writes at any time: atomic words and copies, never a slice.
//! * [`NocXy`], [`Rect`], [`Core`], [`Grid`], [`Group`] — coordinates as types, with no implicit conversion.
//! * [`Fault`], [`Rule`] — the rules of the hardware that a simulated card enforces, and how it says that one is broken.
//! * [`Description`] — what the card is: board, columns, DRAM banks, X280 clusters, clocks.

mod card;
mod coordinate;
mod description;
mod error;
mod fault;
mod group;
mod host_mem;
mod rule;
mod time;

pub use card::{Card, Cleanup, Order, Power};
pub use coordinate::{Core, Grid, NocXy, Rect};
pub use description::{Board, Clocks, Description, DramBank, L2Cpu, TENSIX_ROWS, World};
pub use error::{CardError, Holder, check_request};
pub use fault::Fault;
pub use group::{GridRect, Group, GroupError};
pub use host_mem::HostMem;
pub use rule::Rule;
pub use time::CardTime;
