//! Instruction-level RISC-V harts: the baby cores of a Tensix tile (rv32) and the X280 (rv64).
//!
//! A [`Hart`] has registers, a clock and counters; memory and devices are its tile's, behind [`Bus`]. It runs ahead over
//! private work and stops in front of a shared access that is later than the horizon it was given, so that a tile can
//! bring its harts' accesses into one order. Instructions are defined once, in `table.rs`, from which decoder,
//! disassembler and executor come. Memory is decoded by the page ([`CodePage`]), and pages are shared by content.
//!
//! # Waiting
//!
//! A wait loop marks itself with the HINT `add x0, rs1, rs2` (rs1 not x0), once an iteration; rs2 holds the clock value
//! to wake at, 0 for none. Here the HINT takes a cycle and waits for all outstanding loads (a rule of the model: it
//! closes the iteration's timing; real hardware does nothing). When two iterations in a row took the same time and did
//! only arithmetic, branches, fences and loads, and the tile reported no change under what they loaded, the hart parks:
//! [`Stop::Park`]. The tile calls [`Hart::resume`] with the moment of a change or of the wake value; the hart goes on
//! in the iteration that contains that moment, with time and counters as if it had run all along. The tile then runs
//! it up to that moment, and only then lets the change happen: loads earlier in that iteration still see the old value.
//!
//! What the loop must keep to: an iteration does the same as the one before it unless something it loads has changed,
//! and a value read from a clock in one iteration is not used in a later one. What the tile must keep to: the time
//! that a load takes does not depend on when it is made, and what changes without a store is declared by
//! [`Bus::nature`].
//!
//! The order of two loads matters to nobody, so a hart also makes some loads before its turn, and is taken back when a
//! write comes in between; and what it does in memory that it alone has ever touched matters to nobody, so it does that
//! long before its turn, and is taken back when somebody else comes there (`ahead.rs`).
//!
//! A loop without the mark is parked too when it comes back to the same place with the same registers, has stored
//! nothing and has loaded only memory.

mod access;
mod ahead;
mod alu;
mod baby_float;
mod bus;
mod catalog;
mod code;
mod compressed;
mod control;
pub(crate) mod coprocessor;
mod costs;
mod count;
mod csr_name;
mod decode;
mod disasm;
mod float;
mod float_op;
mod format;
mod ieee;
mod isa;
#[cfg(test)]
mod judge;
mod memory;
mod meter;
mod pages;
mod pair;
mod park;
mod pmp;
mod run;
mod spent;
mod state;
mod stop;
mod system;
mod table;
mod trap;
mod turn;
mod watch;

pub use ahead::AheadLoad;
pub use bus::{AmoOp, Bus, Loaded, Nature, Near, Refusal, Width};
pub use catalog::{Instruction, instructions};
pub use code::CodePage;
pub use costs::{Costs, FloatCosts};
pub use disasm::disassemble;
pub use format::Format;
pub use isa::{Isa, Rv32, Rv64, Xlen};
pub use meter::Cost;
pub use spent::{Cause, Spent};
pub use state::{Counters, Hart, Setup};
pub use stop::{Fault, Park, Stop};
pub use watch::Watch;
