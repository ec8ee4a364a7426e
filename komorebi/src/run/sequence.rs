//! Sequence numbers from the 16 bits that events carry of them.
//!
//! The dispatcher numbers the commands of every source in one sequence, and the host knows only its own commands' numbers.
//! They are extended in the order of the host's commands (host-api, "Engines"), so the clock is asked for one after the
//! other, whatever the order of their events.

/// What is known of a command's sequence number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sequence {
    /// It has none, or no event told it yet.
    #[default]
    None,
    /// Its low 16 bits, while an earlier command of the host has no event.
    Low(u16),
    /// All of it.
    Known(u64),
    /// It cannot be told: too many commands of other sources lie between.
    Lost,
}

/// Extends the low 16 bits of sequence numbers, in the order of the host's commands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SequenceClock {
    /// The highest number seen.
    highest: u64,
    /// The number of the last command that was not queued: later ones of its kind have higher numbers.
    ordered: u64,
}

impl SequenceClock {
    /// How far a queued command's number may fall behind the host's order: the queue lets later jobs go first.
    const LAG: u64 = 2048;
    /// The longest way ahead: 32,767 commands of other sources and the host's own.
    const AHEAD: u16 = 0x8000;

    /// The number that ends in `low`, of the host's next command.
    #[inline]
    pub(crate) fn extend(&mut self, low: u16, queued: bool) -> Sequence {
        let ahead = low.wrapping_sub(self.highest as u16);
        let behind = u64::from(ahead.wrapping_neg());
        let late = self.highest.checked_sub(behind).filter(|&late| late > 0);
        let sequence = match late {
            _ if (1..=Self::AHEAD).contains(&ahead) => self.highest + u64::from(ahead),
            Some(late) if ahead > Self::AHEAD && behind <= Self::LAG && (queued || late > self.ordered) => {
                late
            }
            _ => {
                // Go on from what the dispatcher says, so that one gap costs one number.
                self.highest += u64::from(ahead);
                if !queued {
                    self.ordered = self.highest;
                }
                return Sequence::Lost;
            }
        };
        self.highest = self.highest.max(sequence);
        if !queued {
            self.ordered = sequence;
        }
        Sequence::Known(sequence)
    }
}

#[cfg(test)]
mod tests {
    use super::Sequence::{Known, Lost};
    use super::*;

    #[test]
    fn sequence_numbers_go_on_past_16_bits() {
        let mut clock = SequenceClock::default();
        assert_eq!(clock.extend(1, false), Known(1));
        assert_eq!(clock.extend(0x7FFF, false), Known(0x7FFF));
        assert_eq!(clock.extend(0xFFFE, false), Known(0xFFFE));
        assert_eq!(clock.extend(3, false), Known(0x1_0003));
        assert_eq!(clock.extend(0xFFFF, true), Known(0xFFFF), "a queued one, four back across the wrap");
        assert_eq!(clock.extend(4, false), Known(0x1_0004));
    }

    #[test]
    fn fewer_than_32768_commands_between_two_are_bridged_and_more_are_told() {
        let mut clock = SequenceClock::default();
        assert_eq!(clock.extend(1, false), Known(1));
        assert_eq!(clock.extend(0x8001, false), Known(0x8001), "32,767 others between");
        assert_eq!(clock.extend(2, false), Lost, "32,768 others between");
        assert_eq!(clock.extend(3, false), Known(0x1_0003), "one gap costs one number");
        assert_eq!(
            clock.extend(2, false),
            Lost,
            "65,534 others between: no lag, since the order is the host's"
        );
    }

    #[test]
    fn a_queued_command_may_lag_by_2048_and_no_more() {
        let mut clock = SequenceClock::default();
        assert_eq!(clock.extend(5000, false), Known(5000));
        assert_eq!(clock.extend(2952, true), Known(2952));
        assert_eq!(clock.extend(2951, true), Lost);
    }

    #[test]
    fn a_command_behind_a_queued_one_may_have_gone_first() {
        let mut clock = SequenceClock::default();
        assert_eq!(clock.extend(1, false), Known(1));
        assert_eq!(clock.extend(1000, true), Known(1000));
        assert_eq!(clock.extend(2, false), Known(2));
        assert_eq!(clock.extend(3, false), Known(3));
    }
}
