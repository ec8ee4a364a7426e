//! What the management core's firmware makes of a message (host.md §4.4, §10).

use crate::noc::latency::AICLK_MHZ;

/// A request.
pub(crate) type Message = [u32; 8];

/// What a request asks for besides its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Nothing,
    /// A power message: whether the X280 clusters' and the Tensix tiles' clocks are on, where it says.
    Power {
        l2cpu: Option<bool>,
        tensix: Option<bool>,
    },
    /// What can leave a card unusable.
    Breaks,
}

/// The status of a command that the firmware does not know.
const UNKNOWN: u32 = 0xff;

/// The answer to a request, and its effect.
pub(crate) fn handle(request: Message) -> (Message, Effect) {
    let done = Message::default();
    let word = request[0];
    match word & 0xff {
        0x90 => ([0, request[1].wrapping_add(1), 0, 0, 0, 0, 0, 0], Effect::Nothing),
        0x21 => {
            let flag = |bit: u32| (word >> 8 & 15 > bit).then_some(word >> (16 + bit) & 1 == 1);
            (done, Effect::Power { l2cpu: flag(3), tensix: flag(2) })
        }
        // The model's AI clock is always the busy one.
        0x52 | 0x54 | 0xa0 | 0xc1 => (done, Effect::Nothing),
        0x34 => ([0, AICLK_MHZ, 0, 0, 0, 0, 0, 0], Effect::Nothing),
        // Voltages, the flash, the DMC's, the NoC's translation, the deepest sleep (host.md §7, 16).
        0x12 | 0x13 | 0x39 | 0x19 | 0x1a | 0xc2 | 0xc3 | 0x15 | 0xa3 => (done, Effect::Breaks),
        _ => ([UNKNOWN, 0, 0, 0, 0, 0, 0, 0], Effect::Nothing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_message_says_something_of_its_valid_flags_only() {
        let effect = |word| handle([word, 0, 0, 0, 0, 0, 0, 0]).1;
        assert_eq!(effect(0x000c_0421), Effect::Power { l2cpu: Some(true), tensix: Some(true) });
        assert_eq!(effect(0x0008_0321), Effect::Power { l2cpu: None, tensix: Some(false) });
        assert_eq!(effect(0x0000_0021), Effect::Power { l2cpu: None, tensix: None });
        assert_eq!(effect(0x15), Effect::Breaks);
    }
}
