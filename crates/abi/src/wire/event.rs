//! An event: two 64-bit words in host memory, each with its lap.

use crate::constants::event as e;

/// What an event says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// The command's group has completed it.
    Done,
    /// The group missed its deadline; the dispatcher stops.
    Timeout,
    /// The answer to a PING.
    Pong,
    /// The dispatcher consumed the command and submitted nothing.
    Rejected,
    /// A stream's EVENT instruction.
    Engine,
    /// A graph's round ended and another starts.
    Round,
    /// A stream's HALT, a graph's last node.
    End,
    /// An engine ended with an error.
    Error,
}

impl EventKind {
    const fn from_bits(bits: u32) -> Option<Self> {
        Some(match bits {
            e::EVENT_DONE => Self::Done,
            e::EVENT_TIMEOUT => Self::Timeout,
            e::EVENT_PONG => Self::Pong,
            e::EVENT_REJECTED => Self::Rejected,
            e::EVENT_ENGINE => Self::Engine,
            e::EVENT_ROUND => Self::Round,
            e::EVENT_END => Self::End,
            e::EVENT_ERROR => Self::Error,
            _ => return None,
        })
    }

    /// Its number on the wire.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Done => e::EVENT_DONE,
            Self::Timeout => e::EVENT_TIMEOUT,
            Self::Pong => e::EVENT_PONG,
            Self::Rejected => e::EVENT_REJECTED,
            Self::Engine => e::EVENT_ENGINE,
            Self::Round => e::EVENT_ROUND,
            Self::End => e::EVENT_END,
            Self::Error => e::EVENT_ERROR,
        }
    }
}

/// An event as it stands in the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawEvent {
    /// What it says; `Err` with the number of a kind this host does not know.
    pub kind: Result<EventKind, u8>,
    /// Result word, register or reason's detail.
    pub value: u32,
    /// 24 bits: first core, slot or reason below the sequence number's low 16 bits, or a register.
    pub auxiliary: u32,
    /// Ticks of 20 ns from submit to completion.
    pub ticks: u32,
    /// The low 16 bits of the host's number of the command, or an upload's req.
    pub number: u16,
    /// Lines consumed, mod 256.
    pub consumed: u8,
}

/// The lap of the event with `index` (counting from 0) in a ring of `depth`.
#[inline]
pub const fn event_lap(index: u64, depth: u32) -> u8 {
    ((index / depth as u64 + 1) % e::EVENT_LAPS as u64) as u8
}

impl RawEvent {
    /// The event, if both words are of `lap`; `None` while one is still to arrive.
    #[inline]
    pub fn decode(words: [u64; 2], lap: u8) -> Option<Self> {
        let [first, second] = words;
        if (first >> e::EVENT_LAP_SHIFT) as u8 != lap || (second >> e::EVENT_LAP_SHIFT) as u8 != lap {
            return None;
        }
        let kind = (first >> e::EVENT_KIND_SHIFT) as u8 & 0xF;
        Some(Self {
            kind: EventKind::from_bits(u32::from(kind)).ok_or(kind),
            value: first as u32,
            auxiliary: (first >> e::EVENT_AUX_SHIFT) as u32 & e::EVENT_AUX_MASK,
            ticks: second as u32,
            number: (second >> e::EVENT_NUMBER_SHIFT) as u16,
            consumed: (second >> e::EVENT_CONSUMED_SHIFT) as u8,
        })
    }

    /// The two words of the event, for test cards that play the dispatcher.
    pub fn encode(&self, lap: u8) -> [u64; 2] {
        let kind = match self.kind {
            Ok(kind) => kind.bits(),
            Err(bits) => u32::from(bits & 0xF),
        };
        let lap = u64::from(lap) << e::EVENT_LAP_SHIFT;
        [
            u64::from(self.value)
                | u64::from(self.auxiliary & e::EVENT_AUX_MASK) << e::EVENT_AUX_SHIFT
                | u64::from(kind) << e::EVENT_KIND_SHIFT
                | lap,
            u64::from(self.ticks)
                | u64::from(self.number) << e::EVENT_NUMBER_SHIFT
                | u64::from(self.consumed) << e::EVENT_CONSUMED_SHIFT
                | lap,
        ]
    }

    /// The low 8 bits of the auxiliary: first core, slot or reason.
    pub const fn low_auxiliary(&self) -> u8 {
        self.auxiliary as u8
    }

    /// The sequence number's low 16 bits, in a done or timeout event.
    pub const fn sequence(&self) -> u16 {
        (self.auxiliary >> e::AUX_SEQUENCE_SHIFT) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_decoded_event_is_the_encoded_one(
            kind in 0_u8..16, value: u32, auxiliary in 0_u32..1 << 24, ticks: u32, number: u16, consumed: u8, lap in 0_u8..16
        ) {
            let kind = EventKind::from_bits(u32::from(kind)).ok_or(kind);
            let event = RawEvent { kind, value, auxiliary, ticks, number, consumed };
            let words = event.encode(lap);
            prop_assert_eq!(RawEvent::decode(words, lap), Some(event));
            let other = lap ^ 1;
            prop_assert_eq!(RawEvent::decode(words, other), None);
            let half = event.encode(other);
            prop_assert_eq!(RawEvent::decode([words[0], half[1]], lap), None);
            prop_assert_eq!(RawEvent::decode([half[0], words[1]], lap), None);
        }
    }

    #[test]
    fn zeroed_memory_holds_no_event_of_the_first_lap() {
        assert_eq!(RawEvent::decode([0, 0], event_lap(0, 128)), None);
    }
}
