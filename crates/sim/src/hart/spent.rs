//! Where the time of a hart goes.

use std::fmt;
use std::ops::Index;

use crate::time::Time;

macro_rules! causes {
    ($($(#[$doc:meta])* $name:ident $words:literal,)*) => {
        /// What a hart spends its time on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Cause {
            $($(#[$doc])* $name,)*
        }

        impl Cause {
            /// All, in the order in which they are told.
            pub const ALL: [Self; [$(Self::$name),*].len()] = [$(Self::$name),*];

            /// The cause in words.
            pub const fn words(self) -> &'static str {
                match self {
                    $(Self::$name => $words,)*
                }
            }
        }
    };
}

causes! {
    /// A cycle of each instruction.
    Issue "issue",
    /// A loaded value that is not there yet; of an atomic or a control register, too.
    Load "waiting for a load",
    /// A store that has to wait for room in the store queue, or until it is posted.
    Store "store queue full",
    /// The result of a multiplication.
    Product "multiplier",
    /// A division.
    Quotient "divider",
    /// Floating point: a result that is not there yet.
    Float "floating point",
    /// A branch or jump that costs more than its cycle.
    Branch "branch mispredicted",
    /// A `fence` or `fence.i`, until the stores before it have left.
    Fence "fence",
    /// Whole turns of a marked wait loop in which nothing came.
    Wait "wait loop",
    /// Whole turns of a loop that polls a NIU's command buffer while it is busy.
    CommandBuffer "NoC command buffer busy",
    /// A `wfi`.
    Sleep "wfi",
    /// Entering and leaving trap handlers.
    Trap "trap",
    /// Held by the tile: no clock, or frozen.
    Held "held",
}

/// How long a hart has spent on each cause since it left reset, in units of virtual time ([`time`](crate::time)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent([Time; Cause::ALL.len()]);

impl Spent {
    /// Everything.
    pub fn total(&self) -> Time {
        self.0.iter().sum()
    }

    /// Each cause with its time.
    pub fn iter(&self) -> impl Iterator<Item = (Cause, Time)> {
        Cause::ALL.into_iter().zip(self.0)
    }

    pub(super) fn add(&mut self, cause: Cause, time: Time) {
        self.0[cause as usize] += time;
    }

    /// What came since `before` went to `cause` as a whole.
    pub(super) fn turn_into(&mut self, before: &Self, cause: Cause) {
        let since = self.total() - before.total();
        *self = *before;
        self.add(cause, since);
    }
}

impl Index<Cause> for Spent {
    type Output = Time;

    fn index(&self, cause: Cause) -> &Time {
        &self.0[cause as usize]
    }
}

/// One line a cause that took time, in nanoseconds and as a share.
impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.total().max(1) as f64;
        for (cause, time) in self.iter().filter(|(_, time)| *time > 0) {
            let nanos = time as f64 / crate::time::UNITS_PER_NANO as f64;
            writeln!(f, "{:<24}{nanos:>14.1} ns{:>8.1} %", cause.words(), 100.0 * time as f64 / total)?;
        }
        Ok(())
    }
}
