//! What each instruction of a core took, by address, function and source line.

use std::collections::BTreeMap;
use std::fmt;

use crate::hart::{Cost, Hart, Xlen};
use crate::time::{Time, UNITS_PER_NANO};

/// The exact counts and times of a core's instructions since it left reset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    costs: BTreeMap<u64, Cost>,
    cycle: Time,
}

impl Profile {
    pub(crate) fn of<X: Xlen>(hart: &Hart<X>) -> Option<Self> {
        Some(Self { costs: hart.costs()?.collect(), cycle: hart.cycle() })
    }

    /// Each address with what was executed there, in their order. What an instruction waited for is in its time.
    pub fn instructions(&self) -> impl Iterator<Item = (u64, Cost)> {
        self.costs.iter().map(|(pc, cost)| (*pc, *cost))
    }

    /// Everything.
    pub fn total(&self) -> Cost {
        self.costs.values().fold(Cost::default(), |all, cost| sum(all, *cost))
    }

    /// Instructions gathered by what `name` makes of their addresses: a function, a source line, as the image's symbols have
    /// them (of a run, `Run::locate` knows). What took longest comes first.
    pub fn by(&self, name: impl Fn(u64) -> String) -> Gathered {
        let mut rows = BTreeMap::<String, Cost>::new();
        for (pc, cost) in &self.costs {
            let row = rows.entry(name(*pc)).or_default();
            *row = sum(*row, *cost);
        }
        let mut rows: Vec<_> = rows.into_iter().collect();
        rows.sort_by_key(|(_, cost)| std::cmp::Reverse(cost.time));
        Gathered { rows, cycle: self.cycle }
    }
}

fn sum(a: Cost, b: Cost) -> Cost {
    Cost { executed: a.executed + b.executed, time: a.time + b.time }
}

/// A profile by name. Displayed, it is a table of cycles, their share, and instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gathered {
    /// What took longest comes first.
    pub rows: Vec<(String, Cost)>,
    /// The length of a cycle, in units of virtual time.
    pub cycle: Time,
}

impl fmt::Display for Gathered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.rows.iter().map(|(_, cost)| cost.time).sum::<Time>().max(1);
        writeln!(f, "{:>12}{:>9}{:>14}  where", "cycles", "share", "instructions")?;
        for (name, cost) in &self.rows {
            let share = 100.0 * cost.time as f64 / all as f64;
            writeln!(f, "{:>12}{share:>7.1} %{:>14}  {name}", cost.time / self.cycle, cost.executed)?;
        }
        writeln!(f, "{:.1} us in all", all as f64 / UNITS_PER_NANO as f64 / 1e3)
    }
}
