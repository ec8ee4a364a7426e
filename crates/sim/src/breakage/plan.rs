//! Breakages that are still to come.

use super::Breakage;
use crate::noc::translate::TileId;
use crate::time::{NEVER, Time};

/// Something to do at a moment.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Break(Breakage),
    /// A hart that was frozen goes on.
    Thaw {
        tile: TileId,
        hart: usize,
    },
    /// A word comes back to its value, for the last time at `end`.
    Hold {
        tile: TileId,
        address: u64,
        value: u32,
        end: Time,
    },
}

/// What is to come, by moment and by a client's calls.
#[derive(Clone, Default)]
pub(crate) struct Plan {
    /// Earliest first; those of one moment in the order they were planned.
    timed: Vec<(Time, Step)>,
    /// Client, number of its call.
    calls: Vec<(u64, u64, Breakage)>,
}

impl Plan {
    pub(crate) fn at(&mut self, at: Time, step: Step) {
        let place = self.timed.partition_point(|(other, _)| *other <= at);
        self.timed.insert(place, (at, step));
    }

    pub(crate) fn on_call(&mut self, client: u64, call: u64, breakage: Breakage) {
        self.calls.push((client, call, breakage));
    }

    /// Forgets when a hart goes on: another freeze says it anew.
    pub(crate) fn no_thaw(&mut self, of: TileId, number: usize) {
        self.timed
            .retain(|(_, step)| !matches!(step, Step::Thaw { tile, hart } if (*tile, *hart) == (of, number)));
    }

    /// Forgets what is to break; what is to mend by itself stays.
    pub(crate) fn mend(&mut self) {
        self.timed.retain(|(_, step)| matches!(step, Step::Thaw { .. }));
        self.calls.clear();
    }

    /// The moment of the next step.
    pub(crate) fn next(&self) -> Time {
        self.timed.first().map_or(NEVER, |(at, _)| *at)
    }

    /// Takes the next step.
    pub(crate) fn take(&mut self) -> Option<Step> {
        (!self.timed.is_empty()).then(|| self.timed.remove(0).1)
    }

    /// Takes what breaks before a call.
    pub(crate) fn take_call(&mut self, client: u64, call: u64) -> Option<Breakage> {
        let at = self.calls.iter().position(|(of, number, _)| (*of, *number) == (client, call))?;
        Some(self.calls.remove(at).2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_come_by_moment_and_then_in_the_order_they_were_planned() {
        let mut plan = Plan::default();
        let thaw = |hart| Step::Thaw { tile: TileId(0), hart };
        for (at, hart) in [(5, 0), (3, 1), (5, 2), (4, 3)] {
            plan.at(at, thaw(hart));
        }
        let mut order = Vec::new();
        while let (at, Some(Step::Thaw { hart, .. })) = (plan.next(), plan.take()) {
            order.push((at, hart));
        }
        assert_eq!(order, [(3, 1), (4, 3), (5, 0), (5, 2)]);
        assert_eq!(plan.next(), NEVER);
    }
}
