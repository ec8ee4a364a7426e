//! What can be seen of one core of a Tensix tile, or of one hart of an X280 cluster.

use crate::hart::{Hart, Spent, Xlen};
use crate::time::Time;

/// What a core has done since the card was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreCounters {
    /// Instructions retired. Iterations of parked wait loops count as if they had run.
    pub instructions: u64,
    /// Loads of what others reach too, atomics among them; counted in the same way.
    pub shared_loads: u64,
    /// Stores to the same.
    pub shared_stores: u64,
    /// Traps, interrupts and NMIs taken.
    pub traps: u64,
    /// What its meter tells, if it has one ([`Builder::meter`](crate::Builder::meter)).
    pub metered: Option<Metered>,
}

/// What a meter tells of a core since it left reset. Times are in units of virtual time ([`time`](crate::time)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metered {
    /// How long ago that was: up to the moment of its next instruction.
    pub elapsed: Time,
    /// What it spent that time on; together it is all of it.
    pub spent: Spent,
    /// Packets it sent to a NoC, a multicast as one.
    pub packets: u64,
    /// The length of a cycle of its clock, as it is now.
    pub cycle: Time,
}

impl CoreCounters {
    pub(crate) fn of<X: Xlen>(hart: &Hart<X>) -> Self {
        let counters = hart.counters();
        let metered = || {
            let (elapsed, spent, packets) = (hart.elapsed()?, hart.spent()?, hart.packets()?);
            Some(Metered { elapsed, spent, packets, cycle: hart.cycle() })
        };
        Self {
            instructions: counters.instructions,
            shared_loads: counters.shared_loads,
            shared_stores: counters.shared_stores,
            traps: counters.traps,
            metered: metered(),
        }
    }
}

/// The registers of a core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// The address of its next instruction.
    pub pc: u64,
    /// x0 to x31, zero-extended.
    pub x: [u64; 32],
    /// The bits of f0 to f31.
    pub f: [u64; 32],
}

impl Registers {
    pub(crate) fn of<X: Xlen>(hart: &Hart<X>) -> Self {
        Self {
            pc: hart.pc(),
            x: std::array::from_fn(|number| hart.register(number)),
            f: hart.float_registers(),
        }
    }
}
