//! The tone curve, in the arithmetic of `kernels/curve.h`: what the cores should have computed.

/// A curve over bytes: everything below `black` becomes 0, the rest is multiplied by `gain`, and what then lies above
/// `shoulder` is bent so that it nears 255 without reaching past it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Curve {
    /// The byte that becomes 0, 0 to 255.
    pub(crate) black: u32,
    /// The gain in 1/256.
    pub(crate) gain: u32,
    /// The value from which the curve bends, 0 to 255.
    pub(crate) shoulder: u32,
}

impl Curve {
    /// One byte through the curve.
    pub(crate) fn apply(self, byte: u8) -> u8 {
        let scaled = (u32::from(byte).saturating_sub(self.black) * self.gain) >> 8;
        if scaled <= self.shoulder {
            return scaled as u8; // at most `shoulder`, which is at most 255
        }
        let over = scaled - self.shoulder;
        let room = 255 - self.shoulder;
        (self.shoulder + over * room / (over + room)) as u8 // below shoulder + room, which is 255
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_neutral_curve_changes_nothing() {
        let neutral = Curve { black: 0, gain: 256, shoulder: 255 };
        assert!((0..=255).all(|byte| neutral.apply(byte) == byte));
    }

    #[test]
    fn every_curve_rises_and_starts_at_zero() {
        for black in [0, 1, 30, 255] {
            for gain in [0, 1, 255, 256, 300, 4096] {
                for shoulder in [0, 1, 128, 254, 255] {
                    let curve = Curve { black, gain, shoulder };
                    assert_eq!(curve.apply(0), 0, "{curve:?}");
                    assert!((0..255).all(|byte| curve.apply(byte) <= curve.apply(byte + 1)), "{curve:?}");
                }
            }
        }
    }

    #[test]
    fn the_shoulder_keeps_highlights_apart_that_the_gain_alone_would_clip() {
        let (soft, hard) =
            (Curve { black: 0, gain: 512, shoulder: 128 }, Curve { black: 0, gain: 512, shoulder: 255 });
        assert_eq!((hard.apply(150), hard.apply(250)), (255, 255));
        assert!(soft.apply(150) < soft.apply(250));
    }
}
