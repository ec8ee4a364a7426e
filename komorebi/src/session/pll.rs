//! The X280's clock: PLL 4, moved by single steps as host.md §4.5 describes.

use std::fmt;

use komorebi_card::{Card, NocXy};

use super::registers::{PLL4_CNTL_1, PLL4_CNTL_5};
use crate::{Error, Result};

/// A clock the X280 clusters can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// MHz.
    pub(crate) mhz: u32,
    /// Feedback divider: VCO = 50 MHz * feedback / 2.
    feedback: u32,
    /// Post divider byte of every cluster.
    post: u32,
}

/// The runtime's steps (host-api, "Session"); each VCO lies within 1600 to 5000 MHz.
const STEPS: [Step; 4] = [
    Step { mhz: 200, feedback: 128, post: 15 },
    Step { mhz: 800, feedback: 64, post: 1 },
    Step { mhz: 1000, feedback: 80, post: 1 },
    Step { mhz: 1750, feedback: 140, post: 1 },
];

impl Step {
    /// The clock at which harts may leave reset (host.md §6.5).
    pub(crate) const SAFE: Self = STEPS[0];

    /// The step of `mhz`.
    pub(crate) fn of(mhz: u32) -> Result<Self> {
        STEPS.into_iter().find(|step| step.mhz == mhz).ok_or(Error::PllClock { mhz })
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} MHz", self.mhz)
    }
}

/// Brings the PLL to `step`: post dividers that grow, then the feedback divider, then post dividers that shrink, one
/// unit a write, so that no cluster ever runs faster than the faster of its two clocks.
pub(crate) fn set(card: &dyn Card, arc: NocXy, step: Step) -> Result<()> {
    let main = card.read32(arc, PLL4_CNTL_1)?;
    let posts = card.read32(arc, PLL4_CNTL_5)?;
    for (register, value) in writes(main, posts, step) {
        card.write32(arc, register, value)?;
    }
    Ok(())
}

/// The register writes from the dividers `main` (CNTL_1) and `posts` (CNTL_5) to `step`.
fn writes(main: u32, posts: u32, step: Step) -> Vec<(u64, u32)> {
    let mut writes = Vec::new();
    let mut posts = posts.to_le_bytes();
    let walk_posts = |posts: &mut [u8; 4], writes: &mut Vec<(u64, u32)>, grow: bool| loop {
        let mut moved = false;
        for post in posts.iter_mut() {
            let target = step.post as u8;
            if grow && *post < target {
                *post += 1;
                moved = true;
            } else if !grow && *post > target {
                *post -= 1;
                moved = true;
            }
        }
        if !moved {
            break;
        }
        writes.push((PLL4_CNTL_5, u32::from_le_bytes(*posts)));
    };
    walk_posts(&mut posts, &mut writes, true);
    let (low, mut feedback) = (main & 0xFFFF, main >> 16);
    while feedback != step.feedback {
        feedback = if feedback < step.feedback { feedback + 1 } else { feedback - 1 };
        writes.push((PLL4_CNTL_1, low | feedback << 16));
    }
    walk_posts(&mut posts, &mut writes, false);
    writes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What firmware leaves: reference divider 2, feedback 64, post 1: 800 MHz (host.md §4.5).
    const BOOT: (u32, u32) = (64 << 16 | 2, 0x0101_0101);

    fn mhz(main: u32, post: u32) -> f64 {
        let divider = if post <= 16 { post + 1 } else { 2 * (post + 1) };
        50.0 * f64::from(main >> 16) / (f64::from(main & 0xFF) * f64::from(divider))
    }

    #[test]
    fn every_write_moves_one_divider_by_one_and_no_clock_overshoots() {
        for from in STEPS {
            for to in STEPS {
                let (mut main, mut posts) = (from.feedback << 16 | 2, from.post * 0x0101_0101);
                let most = f64::from(from.mhz.max(to.mhz));
                for (register, value) in writes(main, posts, to) {
                    let before = (main, posts);
                    if register == PLL4_CNTL_1 {
                        main = value
                    } else {
                        posts = value
                    }
                    assert_eq!(main & 0xFFFF, 2, "the reference divider stays");
                    assert!((main >> 16).abs_diff(before.0 >> 16) <= 1);
                    let steps = posts.to_le_bytes().into_iter().zip(before.1.to_le_bytes());
                    assert!(steps.into_iter().all(|(now, then)| now.abs_diff(then) <= 1));
                    assert!(mhz(main, posts & 0xFF) <= most + 1e-9, "{from} to {to}");
                    let vco = 25.0 * f64::from(main >> 16);
                    assert!((1600.0..=5000.0).contains(&vco), "{vco}");
                }
                assert_eq!(mhz(main, posts & 0xFF), f64::from(to.mhz));
                assert_eq!(posts, to.post * 0x0101_0101);
            }
        }
    }

    #[test]
    fn a_clock_that_stands_already_takes_no_write() {
        assert_eq!(writes(BOOT.0, BOOT.1, STEPS[1]), []);
    }

    #[test]
    fn a_clock_between_the_steps_is_refused() {
        assert!(matches!(Step::of(1200), Err(Error::PllClock { mhz: 1200 })));
        assert_eq!(Step::of(1750).unwrap().feedback, 140);
    }
}
