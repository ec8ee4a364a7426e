//! A simulated Blackhole card: an instruction-level model that runs the very images a card would.
//!
//! [`Card`] implements the seam, [`komorebi_card::Card`]. Behind it are the five baby cores of each Tensix tile, both
//! NoCs, DRAM, the four X280 clusters, the PCIe tile with the host's memory, and what the management core leaves for a
//! driver to see. Everything happens in virtual time, by discrete events, in one thread: the same program, calls and
//! seed give the same bytes at the same times.
//!
//! Sections of the hardware pages are cited as `tensix.md §4` and `host.md §6.4`, the cost table as `costs.md`.

#![deny(unsafe_code)]

mod aligned;
mod amo;
mod arc;
mod breakage;
mod builder;
mod card;
mod client;
mod code_memory;
mod core_state;
mod costs;
mod counters;
mod digest;
mod dram;
mod driver;
mod environment;
mod fault;
pub mod hart;
mod host;
mod host_side;
mod huge;
mod l2cpu;
mod machine;
mod message;
mod net;
mod noc;
mod pcie;
mod profile;
mod queue;
mod runner;
mod seed;
mod slots;
mod snapshot;
mod sparse;
mod tamper;
mod target;
mod tile;
pub mod time;
mod watch;

pub use breakage::{Breakage, When};
pub use builder::Builder;
pub use card::Card;
pub use core_state::{CoreCounters, Metered, Registers};
pub use costs::Setting;
pub use counters::Counters;
pub use digest::Digest;
pub use noc::translate::HarvestError;
pub use profile::{Gathered, Profile};
pub use snapshot::Snapshot;
