//! What one direction of a NIU carries over time: the packets of many sources through one link of 64 bytes a cycle.

use crate::time::Time;

/// Stretches of time that are remembered: more than lie within the longest packet, unless many small ones do.
const STRETCHES: usize = 8;

/// The stretches in which the port carried flits, ascending, none touching another.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Port {
    busy: [(Time, Time); STRETCHES],
    used: usize,
}

impl Port {
    /// Takes a packet of which the last flit is due at `due`, its flits one after the other before that for `length`;
    /// gives when the last is through. What the port carried meanwhile makes it later.
    pub(crate) fn take(&mut self, due: Time, length: Time) -> Time {
        let begin = due.saturating_sub(length);
        let (mut from, mut carried, mut kept) = (begin, 0, self.used);
        while kept > 0 && self.busy[kept - 1].1 > begin {
            kept -= 1;
            let stretch = self.busy[kept];
            carried += stretch.1 - stretch.0.max(begin);
            from = from.min(stretch.0);
        }
        // From `begin` to then it carried that and this: no gap is left.
        let through = due + carried;
        if kept == STRETCHES {
            self.busy.rotate_left(1);
            kept -= 1;
        }
        self.busy[kept] = (from, through);
        self.used = kept + 1;
        through
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn packets_at_once_follow_one_another_and_a_small_one_costs_a_large_one_its_own_length_only() {
        let mut port = Port::default();
        assert_eq!([port.take(1000, 300), port.take(1000, 300), port.take(1000, 300)], [1000, 1300, 1600]);
        let mut port = Port::default();
        assert_eq!([port.take(999, 2), port.take(1000, 300)], [999, 1002]);
        assert_eq!(port.take(5000, 300), 5000);
    }

    proptest! {
        #[test]
        fn no_port_carries_more_than_time_allows(packets in prop::collection::vec((0u64..5000, 1u64..300), 1..=8)) {
            let mut packets = packets;
            packets.sort_unstable();
            let (mut port, mut work) = (Port::default(), 0);
            let start = packets.iter().map(|(due, length)| due.saturating_sub(*length)).min().unwrap();
            let mut last = 0;
            for (due, length) in packets {
                let through = port.take(due, length);
                work += length.min(due);
                prop_assert!(through >= due && through <= due.max(last) + length);
                last = last.max(through);
            }
            // As many packets as there are stretches: every one is remembered.
            prop_assert!(last - start >= work);
        }
    }
}
